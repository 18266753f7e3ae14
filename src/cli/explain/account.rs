//! What came of a request: the conversation as it was understood, what is changed in it, and what has failed.

use std::borrow::Cow;
use std::collections::HashMap;

use bytes::Bytes;
use serde::Serialize;

use super::difference::{Change, changes};
use crate::dialect::{Element, Role, Transcript};
use crate::guard::arguments::Uncached;
use crate::guard::classify::{Outcome, classify_parts};
use crate::guard::ledger::{self, Ledger};
use crate::guard::mend::Mended;
use crate::guard::{Bench, Key, Reason, Rules, inspect};
use crate::wire::splice::Splices;

/// All that there is to tell.
#[derive(Serialize, Debug)]
pub(super) struct Account {
    pub(super) model: Option<String>,
    pub(super) upstream: String,
    pub(super) tools: Vec<String>,
    pub(super) messages: Vec<Message>,
    /// Codes of what is done to the request, each once, and how often.
    pub(super) done: Vec<(&'static str, usize)>,
    pub(super) changes: Vec<Edit>,
    pub(super) failures: Vec<Standing>,
    pub(super) answer: Option<Vec<Judged>>,
    /// The body that the provider gets.
    #[serde(skip)]
    pub(super) sent: Bytes,
}

/// An element of the history.
#[derive(Serialize, Debug)]
pub(super) struct Message {
    pub(super) number: usize,
    pub(super) role: &'static str,
    /// In one epoch nothing can have changed the world.
    pub(super) epoch: usize,
    pub(super) text: String,
    pub(super) calls: Vec<Called>,
    /// Of a result: what it says happened.
    pub(super) outcome: Option<String>,
    /// Of a result: the tool that gave it, where its call is there.
    pub(super) tool: Option<String>,
}

#[derive(Serialize, Debug)]
pub(super) struct Called {
    pub(super) id: String,
    pub(super) tool: String,
    pub(super) arguments: String,
    /// It is known to change nothing.
    pub(super) read_only: bool,
}

/// Something that the provider is told in another way.
#[derive(Serialize, Debug)]
pub(super) struct Edit {
    /// Where: `message 3`, or `tool look`.
    pub(super) place: String,
    pub(super) reasons: Vec<&'static str>,
    #[serde(flatten)]
    pub(super) change: Change,
}

/// A call that has failed and is not to be made again now.
#[derive(Serialize, Debug)]
pub(super) struct Standing {
    pub(super) tool: String,
    pub(super) arguments: String,
    pub(super) signature: String,
    pub(super) error: String,
    pub(super) times: u32,
    /// Changes of the world do not help.
    pub(super) for_good: bool,
}

/// A call of the answer.
#[derive(Serialize, Debug)]
pub(super) struct Judged {
    pub(super) id: String,
    pub(super) tool: String,
    pub(super) arguments: String,
    /// `forwarded`, `rewritten`, `refused` or `gave_up`.
    pub(super) verdict: &'static str,
    pub(super) reasons: Vec<&'static str>,
    /// What goes out in its place: tool and arguments.
    pub(super) becomes: Vec<(String, String)>,
    /// What the model is told, where the call does not go out.
    pub(super) told: Option<String>,
}

// === impl Account ===

impl Account {
    pub(super) fn of(transcript: &Transcript, rules: &Rules, upstream: &str) -> Self {
        let mended = inspect::mended(transcript, rules);
        let told = mended.as_ref().map_or(transcript, |mended| &mended.transcript);
        let mut edits = Splices::default();
        let anew = inspect::told_anew(told, rules, upstream, &mut edits);
        let sent = edits.apply(told.body());
        let all =
            mended.iter().flat_map(|mended| &mended.done).map(|done| done.reason).chain(anew.iter().copied());
        let changes = changed(transcript, &sent, mended.as_ref(), &anew);
        Self {
            model: transcript.model().map(Cow::into_owned),
            upstream: upstream.to_owned(),
            tools: transcript.tools.iter().map(|tool| tool.name.clone()).collect(),
            messages: messages(transcript, rules),
            done: counted(all),
            changes,
            failures: standing(transcript, rules),
            answer: None,
            sent,
        }
    }

    /// Something does not go on as it came.
    pub(super) fn changes(&self) -> bool {
        let is_changed = |call: &Judged| call.verdict != "forwarded";
        !self.changes.is_empty() || self.answer.iter().flatten().any(is_changed)
    }
}

fn counted(reasons: impl Iterator<Item = Reason>) -> Vec<(&'static str, usize)> {
    let mut counts: Vec<(&'static str, usize)> = Vec::new();
    for reason in reasons {
        match counts.iter_mut().find(|(code, _)| *code == reason.code()) {
            Some((_, count)) => *count += 1,
            None => counts.push((reason.code(), 1)),
        }
    }
    counts
}

fn role(element: &Element) -> &'static str {
    match element.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
        Role::Other => "?",
    }
}

/// The conversation as the guard understands it.
fn messages(transcript: &Transcript, rules: &Rules) -> Vec<Message> {
    let mut tools: HashMap<String, String> = HashMap::new();
    let (mut epoch, mut may_have_changed) = (1, false);
    let elements = transcript.elements.iter().enumerate();
    let messages = elements.map(|(index, element)| {
        let calls: Vec<Called> = transcript
            .calls(element)
            .into_iter()
            .map(|call| Called {
                read_only: ledger::is_read_only(&call.name, rules, &rules.policy(&call.name)),
                id: call.id.into_owned(),
                tool: call.name.into_owned(),
                arguments: call.arguments.into_owned(),
            })
            .collect();
        let speaks = ledger::speaks(transcript, element) && index > 0;
        // What an answer changed shows in all that follows its results.
        if speaks || element.role != Role::Tool && std::mem::take(&mut may_have_changed) {
            epoch += 1;
        }
        may_have_changed |= calls.iter().any(|call| !call.read_only);
        tools.extend(calls.iter().map(|call| (call.id.clone(), call.tool.clone())));
        let answers = transcript.answers(element).and_then(|id| tools.get(&*id).cloned());
        let tool = answers.or_else(|| transcript.result_name(element).map(Cow::into_owned));
        let tool = tool.filter(|_| element.role == Role::Tool);
        let is_result = element.role == Role::Tool;
        Message {
            number: index + 1,
            role: role(element),
            epoch,
            text: transcript.content(element).into_owned(),
            calls,
            outcome: is_result.then(|| outcome(transcript, element, tool.as_deref(), rules)),
            tool,
        }
    });
    messages.collect()
}

fn outcome(transcript: &Transcript, element: &Element, tool: Option<&str>, rules: &Rules) -> String {
    let text = transcript.content(element);
    if rules.notices.wrote(&text) {
        return "a text of the proxy".to_owned();
    }
    let parts = transcript.texts(element);
    let policy = tool.map(|tool| rules.policy(tool)).unwrap_or_default();
    match classify_parts(&text, &parts, &policy, &rules.failures.marker) {
        Outcome::Success => "success".to_owned(),
        Outcome::Failure(failure) if failure.terminal => format!("failure for good, {}", failure.signature),
        Outcome::Failure(failure) => format!("failure, {}", failure.signature),
        Outcome::Transient => "may work again".to_owned(),
        Outcome::Control => "interrupted, or waits for someone".to_owned(),
        Outcome::Unknown => "unknown".to_owned(),
    }
}

/// The failures that stand at the end of the history.
fn standing(transcript: &Transcript, rules: &Rules) -> Vec<Standing> {
    let mut bench = Bench::new(transcript, rules, &Uncached);
    let mut written: HashMap<Key, String> = HashMap::new();
    let ledger = Ledger::fold(transcript, rules, &mut |call| {
        let key = bench.key(call)?;
        written.insert(key.clone(), call.arguments.clone().into_owned());
        Some(key)
    });
    let told = ledger.standing().into_iter().map(|(key, precedent)| Standing {
        tool: key.tool.clone(),
        arguments: written.get(key).cloned().unwrap_or_default(),
        signature: precedent.signature,
        error: precedent.excerpt,
        times: precedent.count,
        for_good: precedent.terminal,
    });
    told.collect()
}

/// What differs between the request and what is sent, place by place.
fn changed(transcript: &Transcript, sent: &Bytes, mended: Option<&Mended>, anew: &[Reason]) -> Vec<Edit> {
    if sent == transcript.body() {
        return Vec::new();
    }
    let sent = transcript.dialect().read(sent.clone()).expect("what is sent can be read");
    let written = |of: &Transcript| -> Vec<String> {
        of.elements.iter().map(|element| of.json(element.span).text().to_owned()).collect()
    };
    let of_histories = changes(&written(transcript), &written(&sent)).into_iter().map(|(place, change)| {
        let known = mended.into_iter().flat_map(|mended| &mended.done);
        let here = known.filter(|done| place.is_some() && done.element == place).map(|done| done.reason);
        let mut reasons: Vec<_> = here.map(Reason::code).collect();
        if reasons.is_empty() {
            let results =
                anew.iter().filter(|reason| **reason >= Reason::ResultTold && **reason <= Reason::ResultCut);
            let of_result = place
                .and_then(|place| transcript.elements.get(place))
                .is_some_and(|it| it.role == Role::Tool);
            let missing = mended.into_iter().flat_map(|mended| &mended.done);
            let missing = missing.filter(|done| place.is_none() && done.reason == Reason::MendedMissing);
            let added = anew.iter().copied().filter(|reason| *reason == Reason::Constrained);
            reasons = match (of_result, place) {
                (true, _) => results.map(|reason| reason.code()).collect(),
                (false, None) if change.is_result() => missing.map(|done| done.reason.code()).collect(),
                _ => added.map(Reason::code).collect(),
            };
        }
        reasons.dedup();
        let place = place.map_or_else(|| "new message".to_owned(), |place| format!("message {}", place + 1));
        Edit { place, reasons, change }
    });
    let mut all: Vec<_> = of_histories.collect();
    for tool in &transcript.tools {
        let text =
            |of: &Transcript| of.tool(&tool.name).map(|tool| of.json(tool.definition).text().to_owned());
        if let (Some(before), Some(after)) = (text(transcript), text(&sent))
            && before != after
        {
            let change = Change { before: Some(before), after: Some(after) };
            all.push(Edit {
                place: format!("tool {}", tool.name),
                reasons: vec![Reason::Described.code()],
                change,
            });
        }
    }
    if all.is_empty() {
        let codes = mended.into_iter().flat_map(|mended| &mended.done).map(|done| done.reason.code());
        let text = |bytes: &Transcript| Some(bytes.text().to_owned());
        let change = Change { before: text(transcript), after: text(&sent) };
        all.push(Edit { place: "request".to_owned(), reasons: codes.collect(), change });
    }
    all
}
