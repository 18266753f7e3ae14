//! Which step answers a request, and why none does.
//!
//! The first step that matches wins, in the order of the script. A step that has served is passed over unless
//! it repeats; a step in order is passed over before and after its time. A miss names the step that came
//! nearest and what kept it from serving.

mod condition;
mod question;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use bytes::Bytes;
use http::HeaderMap;

use super::script::{Reply, Require, Script, Step};
use condition::{Failed, failures, meets};

pub(super) use question::Question;

/// The step that answers, and how often it has answered before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    pub(super) step: usize,
    pub(super) served: usize,
}

/// What answers a request.
#[derive(Debug)]
pub(super) struct Found<'a> {
    pub(super) turn: Turn,
    /// The step, or one of its faults.
    pub(super) step: &'a Step,
    pub(super) is_fault: bool,
    /// What it says, with all that it takes over from the request.
    pub(super) reply: Cow<'a, Reply>,
}

/// How often each step has been used in a session.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Used {
    pub(super) served: Vec<usize>,
    /// How often it answered with a fault.
    faulty: Vec<usize>,
}

/// One step held against a request.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub(super) struct Compared {
    pub(super) step: usize,
    pub(super) title: String,
    /// Conditions that do not hold.
    pub(super) failed: Vec<Failed>,
    /// Why it could not serve though all conditions hold.
    pub(super) spent: Option<&'static str>,
}

/// Finds the step for a request and counts it as used. If none serves, the error says why.
pub(super) fn find<'a>(
    script: &'a Script,
    used: &mut Used,
    question: &Question,
) -> Result<Found<'a>, String> {
    let Some(found) = first(script, used, question) else {
        return Err(explain(script, used, question));
    };
    let counts = if found.is_fault { &mut used.faulty } else { &mut used.served };
    if let Some(count) = counts.get_mut(found.turn.step) {
        *count += 1;
    }
    Ok(found)
}

/// The first step that serves.
fn first<'a>(script: &'a Script, used: &Used, question: &Question) -> Option<Found<'a>> {
    script.steps.iter().enumerate().find_map(|(number, step)| {
        if used.spent(script, number).is_some() || !meets(&step.when, question) {
            return None;
        }
        let (served, faulty) = (used.served(number), used.faulty(number));
        let fault = step.fault_after(faulty);
        let answering = fault.unwrap_or(step);
        let values = condition::values(&step.when, question);
        let reply = answering.reply.filled(&|slot| values.value(slot)).ok()?;
        let turn = Turn { step: number, served: served + faulty };
        Some(Found { turn, step: answering, is_fault: fault.is_some(), reply })
    })
}

/// The number of the step that would serve, and each step held against the request.
pub(super) fn compare(script: &Script, used: &Used, question: &Question) -> (Option<usize>, Vec<Compared>) {
    let serves = first(script, used, question).map(|found| found.turn.step);
    let steps = script.steps.iter().enumerate();
    let compared = steps.map(|(number, step)| Compared {
        step: number,
        title: step.title(number),
        failed: failures(step, question),
        spent: used.spent(script, number),
    });
    (serves, compared.collect())
}

/// What a request lacks that the script requires: a stable slug, and the same in words.
pub(super) fn lacks(require: &Require, question: &Question) -> Option<(&'static str, String)> {
    let Require { bearer, model, stream } = require;
    let lacking = |slug, what: &str| Some((slug, format!("the script requires {what}")));
    if let Some(bearer) = bearer {
        let given = question.headers.get("authorization").and_then(|value| value.to_str().ok());
        let given = given.and_then(|value| value.strip_prefix("Bearer "));
        if given.is_none_or(|given| bearer != "*" && given != bearer) {
            return lacking("require_bearer", "another key in `authorization`");
        }
    }
    if model.is_some() && *model != question.model {
        let got = question.model.as_deref().unwrap_or("none");
        let wanted = model.as_deref().unwrap_or_default();
        return lacking("require_model", &format!("the model {wanted:?}, not {got:?}"));
    }
    if stream.is_some_and(|stream| stream != question.stream) {
        let wanted = if question.stream { "no stream" } else { "a stream" };
        return lacking("require_stream", wanted);
    }
    None
}

/// Names the step that came nearest, each condition that failed there, and what is used up.
fn explain(script: &Script, used: &Used, question: &Question) -> String {
    let (_, compared) = compare(script, used, question);
    let distance = |step: &Compared| step.failed.len() + usize::from(step.spent.is_some());
    let Some(nearest) = compared.iter().min_by_key(|step| (distance(step), step.step)) else {
        return "the script has no steps".to_owned();
    };
    let mut reasons: Vec<String> = nearest.failed.iter().map(ToString::to_string).collect();
    reasons.extend(nearest.spent.map(str::to_owned));
    let gone = compared.iter().filter(|step| step.step != nearest.step && step.spent == Some(SERVED));
    let gone: Vec<&str> = gone.map(|step| &*step.title).collect();
    if !gone.is_empty() {
        reasons.push(format!("used up: {}", gone.join(", ")));
    }
    format!("no step matches; the nearest is {}: {}", nearest.title, reasons.join("; "))
}

// === impl Script ===

impl Script {
    /// The number of the step that would answer a chat completion, were it the first; or why none would.
    pub fn answering(&self, body: impl Into<Bytes>) -> Result<usize, String> {
        let question = Question::read("/v1/chat/completions", HeaderMap::new(), body.into());
        let used = Used::new(self);
        let found = first(self, &used, &question).map(|found| found.turn.step);
        found.ok_or_else(|| explain(self, &used, &question))
    }
}

const SERVED: &str = "it has served already and does not repeat";

// === impl Used ===

impl Used {
    pub(super) fn new(script: &Script) -> Self {
        Self { served: vec![0; script.len()], faulty: vec![0; script.len()] }
    }
    fn served(&self, number: usize) -> usize {
        self.served.get(number).copied().unwrap_or_default()
    }
    fn faulty(&self, number: usize) -> usize {
        self.faulty.get(number).copied().unwrap_or_default()
    }

    /// Why a step cannot serve, whatever is asked.
    fn spent(&self, script: &Script, number: usize) -> Option<&'static str> {
        let ordered = |number: usize| script.steps.get(number).is_some_and(|step| step.ordered);
        let repeats = script.steps.get(number).is_some_and(|step| step.repeat);
        if self.served(number) > 0 && !repeats {
            return Some(SERVED);
        }
        if ordered(number) && number.checked_sub(1).is_some_and(|before| self.served(before) == 0) {
            return Some("its turn has not come: the step before it has to serve first");
        }
        (ordered(number + 1) && self.served(number + 1) > 0)
            .then_some("its turn is over: the step after it has served")
    }
}
