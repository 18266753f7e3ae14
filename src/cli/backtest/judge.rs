//! One conversation at a time: each answer judged by what stood before it, and held against what came of it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::tally::{At, Case, Place, Tally};
use crate::dialect::{Call, CallKind, Dialect, Element, Role, Transcript};
use crate::guard::arguments::{Schema, Schemas};
use crate::guard::bench::Circumstances;
use crate::guard::classify::{Outcome, classify_parts};
use crate::guard::ledger::{self, Key};
use crate::guard::{Bench, Reason, Refusal, Rules, Verdict, inspect};
use crate::wire::span::{Json, Kind};
use crate::wire::splice::Splices;

/// Judges conversations, and adds up what it found.
pub(super) struct Judge<'a> {
    rules: &'a Rules,
    schemas: &'a Kept,
    pub(super) tally: Tally,
}

/// Schemas by their text: the conversations of a file offer the same tools.
#[derive(Default)]
pub(super) struct Kept(Mutex<HashMap<String, Arc<Schema>>>);

/// An earlier failure of an equal call.
#[derive(Clone, Copy)]
struct Failed {
    /// The element that told it.
    at: usize,
    transient: bool,
}

/// Characters of a result that are told.
const SHOWN: usize = 200;

// === impl Judge ===

impl<'a> Judge<'a> {
    pub(super) fn new(rules: &'a Rules, schemas: &'a Kept) -> Self {
        Self { rules, schemas, tally: Tally::default() }
    }

    /// Judges a line of a file.
    pub(super) fn line(&mut self, place: Place, text: String) {
        if text.trim().is_empty() {
            return;
        }
        match conversation(text) {
            Ok(conversation) => self.conversation(&place, &conversation),
            Err(why) => self.tally.unread(place, &why),
        }
    }

    fn conversation(&mut self, place: &Place, conversation: &Transcript) {
        self.tally.conversations += 1;
        self.tally.bytes += conversation.body().len();
        // An answer at the end is what a request got: nobody has sent it yet.
        let mut sent = conversation.clone();
        while sent
            .elements
            .pop_if(|last| last.role == Role::Assistant && !conversation.calls(last).is_empty())
            .is_some()
        {}
        if let Some(mended) = inspect::mended(&sent, self.rules) {
            self.tally.changed.push(place.clone());
            for done in &mended.done {
                *self.tally.mended.entry(done.reason.code()).or_default() += 1;
            }
        }
        let mut failed: HashMap<Key, Failed> = HashMap::new();
        for (index, element) in conversation.elements.iter().enumerate() {
            let calls = conversation.calls(element);
            if element.role == Role::Assistant && !calls.is_empty() {
                let at = At { place: place.clone(), message: index + 1 };
                self.answer(conversation, index, &calls, &at, &mut failed);
            }
        }
    }

    fn answer(
        &mut self,
        conversation: &Transcript,
        index: usize,
        calls: &[Call<'_>],
        at: &At,
        failed: &mut HashMap<Key, Failed>,
    ) {
        self.tally.answers += 1;
        let mut before = conversation.clone();
        before.elements.truncate(index);
        let mut bench = Bench::new(&before, self.rules, self.schemas);
        let mut news = Vec::new();
        for (position, call) in calls.iter().enumerate() {
            self.tally.calls += 1;
            let result = result_of(conversation, index, calls, position);
            let outcome = result.map(|result| self.outcome(conversation, result, call, at));
            let key = (call.kind != CallKind::Custom).then(|| bench.key(call)).flatten();
            let known = key.as_ref().and_then(|key| failed.get(key)).copied();
            let verdict = bench.judge(call, Circumstances::default());
            *self.tally.verdicts.entry(told(&verdict)).or_default() += 1;
            let case = |why: &str| Case {
                at: at.clone(),
                tool: call.name.to_string(),
                arguments: call.arguments.to_string(),
                why: why.to_owned(),
                result: result.map(|(_, result)| line(&conversation.content(result))).unwrap_or_default(),
            };
            self.held(&verdict, outcome.as_ref(), known, conversation, index, &case);
            if let (Some(key), Some((place, _)), Some(outcome)) = (key, result, &outcome) {
                news.push((key, place, outcome.clone()));
            }
        }
        // Calls of one answer run beside each other: none is a repeat of another.
        for (key, at, outcome) in news {
            match outcome {
                Outcome::Failure(_) => drop(failed.insert(key, Failed { at, transient: false })),
                Outcome::Transient => drop(failed.insert(key, Failed { at, transient: true })),
                Outcome::Success => drop(failed.remove(&key)),
                Outcome::Control | Outcome::Unknown => {}
            }
        }
    }

    /// Holds a verdict against what came of the call.
    fn held(
        &mut self,
        verdict: &Verdict,
        outcome: Option<&Outcome>,
        known: Option<Failed>,
        conversation: &Transcript,
        index: usize,
        case: &dyn Fn(&str) -> Case,
    ) {
        let worked = outcome == Some(&Outcome::Success);
        let failed_again = matches!(outcome, Some(Outcome::Failure(_) | Outcome::Transient));
        match verdict {
            Verdict::Refuse(Refusal { reason: Reason::Repeated | Reason::Terminal, text, .. }) => {
                let cases = match (worked, failed_again) {
                    (true, _) => &mut self.tally.refused_wrongly,
                    (false, true) => &mut self.tally.refused_rightly,
                    (false, false) => &mut self.tally.refused_unknown,
                };
                cases.push(case(text));
            }
            Verdict::Refuse(refusal) => {
                if worked {
                    self.tally.remanded_wrongly.push(case(&refusal.text));
                }
            }
            Verdict::Forward | Verdict::Rewrite(_) | Verdict::GiveUp(_) => match known {
                Some(known) if failed_again => {
                    let why = self.let_through_for(conversation, known, index);
                    self.tally.missed.entry(why.to_owned()).or_default().push(case(why));
                }
                Some(_) => self.tally.let_through += 1,
                None => {}
            },
        }
    }

    /// Why an equal call after a failure was let through: what stands between them.
    fn let_through_for(&self, conversation: &Transcript, failed: Failed, index: usize) -> &'static str {
        if failed.transient {
            return "it was told that it may work again";
        }
        let between = conversation.elements.get(failed.at + 1..index).unwrap_or_default();
        if between.iter().any(|element| ledger::speaks(conversation, element)) {
            return "the user spoke";
        }
        // Siblings of the failed call count, too: they ran beside it.
        let from = conversation.elements.get(..failed.at).unwrap_or_default();
        let from = from.iter().rposition(|element| element.role == Role::Assistant).unwrap_or(failed.at);
        let calls = conversation.elements.get(from..index).unwrap_or_default();
        let calls = calls.iter().flat_map(|element| conversation.calls(element));
        let changing = calls
            .filter(|call| !ledger::is_read_only(&call.name, self.rules, &self.rules.policy(&call.name)));
        if changing.count() > 1 {
            return "a call came between that may have changed something";
        }
        "it takes more failures of this tool"
    }

    /// What a result says happened, held against what it says outright.
    fn outcome(
        &mut self,
        conversation: &Transcript,
        (_, result): (usize, &Element),
        call: &Call<'_>,
        at: &At,
    ) -> Outcome {
        let text = conversation.content(result);
        if self.rules.notices.wrote(&text) {
            *self.tally.outcomes.entry("a text of the proxy").or_default() += 1;
            return Outcome::Unknown;
        }
        let policy = self.rules.policy(&call.name);
        let outcome =
            classify_parts(&text, &conversation.texts(result), &policy, &self.rules.failures.marker);
        let name = match &outcome {
            Outcome::Success => "success",
            Outcome::Failure(failure) if failure.terminal => "failure for good",
            Outcome::Failure(_) => "failure",
            Outcome::Transient => "may work again",
            Outcome::Control => "interrupted or waiting",
            Outcome::Unknown => "unknown",
        };
        *self.tally.outcomes.entry(name).or_default() += 1;
        if let Some((flag, failed)) = flag(conversation.json(result.span), &text) {
            let agreed = failed == matches!(outcome, Outcome::Failure(_) | Outcome::Transient);
            let known = self.tally.flags.entry(flag).or_default();
            *known = (known.0 + usize::from(agreed), known.1 + 1);
            if !agreed {
                self.tally.disagreed.push(Case {
                    at: at.clone(),
                    tool: call.name.to_string(),
                    arguments: String::new(),
                    why: format!("{flag}, taken for: {name}"),
                    // What it was taken for an error for stands in its wrappers.
                    result: match &outcome {
                        Outcome::Failure(failure) => failure.excerpt.clone(),
                        _ => line(&text),
                    },
                });
            }
        }
        outcome
    }
}

/// The conversation in a line: a request's body, or a request and what was answered to it.
fn conversation(text: String) -> Result<Transcript, String> {
    let read = |body: Bytes| Dialect::Chat.read(body).map_err(|why| why.to_string());
    let mut conversation = read(text.into())?;
    if conversation.elements.is_empty() {
        let line = Json::trusted(conversation.text().trim());
        let request = line.member("request").filter(|request| request.kind() == Kind::Object);
        let request = request.ok_or("there are no messages in it")?;
        let answer = line.member("response").and_then(answered);
        conversation = read(Bytes::copy_from_slice(request.text().as_bytes()))?;
        let mut edits = Splices::default();
        if answer.is_some_and(|answer| conversation.append(&[answer], &mut edits)) {
            conversation = read(edits.apply(conversation.body()))?;
        }
    }
    if conversation.elements.is_empty() {
        return Err("there are no messages in it".to_owned());
    }
    // Where the tools are not told, any may have been offered.
    conversation.closed &= !conversation.tools.is_empty();
    Ok(conversation)
}

/// The message in an answer's body.
fn answered(response: Json<'_>) -> Option<Bytes> {
    let message = response.pointer("/choices/0/message")?;
    Some(Bytes::copy_from_slice(message.text().as_bytes()))
}

/// The result of a call, and where it stands: of equal ids in one answer each in its turn.
fn result_of<'t>(
    conversation: &'t Transcript,
    index: usize,
    calls: &[Call<'_>],
    position: usize,
) -> Option<(usize, &'t Element)> {
    let call = calls.get(position)?;
    let same = |other: &&Call<'_>| {
        if call.kind == CallKind::Legacy { other.name == call.name } else { other.id == call.id }
    };
    let turn = calls.get(..position)?.iter().filter(same).count();
    let results = conversation.elements.iter().enumerate().skip(index + 1);
    let until = results
        .take_while(|(_, element)| element.role != Role::Assistant || conversation.calls(element).is_empty());
    let answers = |element: &Element| match call.kind {
        CallKind::Legacy => conversation.result_name(element).as_deref() == Some(&*call.name),
        _ => conversation.answers(element).as_deref() == Some(&*call.id),
    };
    until.filter(|(_, element)| element.role == Role::Tool && answers(element)).nth(turn)
}

/// What a result says outright of itself: by which flag, and whether it failed.
fn flag(message: Json<'_>, text: &str) -> Option<(&'static str, bool)> {
    let switch = |name: &str| message.member(name).and_then(Json::boolean);
    let status = message.member("status").and_then(Json::string);
    match () {
        () if let Some(failed) = switch("is_error").or_else(|| switch("isError")) => {
            Some(("is_error", failed))
        }
        () if status.as_deref() == Some("error") => Some(("status", true)),
        () if status.as_deref() == Some("success") => Some(("status", false)),
        () if text.ends_with("isError=True") => Some(("isError=True", true)),
        () if text.ends_with("isError=False") => Some(("isError=False", false)),
        () => None,
    }
}

fn told(verdict: &Verdict) -> String {
    let (name, reasons) = match verdict {
        Verdict::Forward => return "forwarded".to_owned(),
        Verdict::Rewrite(rewrite) => ("rewritten", rewrite.reasons.clone()),
        Verdict::Refuse(refusal) => ("refused", vec![refusal.reason]),
        Verdict::GiveUp(refusal) => ("gave_up", vec![refusal.reason]),
    };
    let codes: Vec<_> = reasons.into_iter().map(Reason::code).collect();
    format!("{name}: {}", codes.join(", "))
}

fn line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(SHOWN).collect();
    words.join(" ").chars().take(SHOWN).collect()
}

// === impl Kept ===

impl Schemas for Kept {
    fn schema(&self, text: &str, overlays: &[(&str, &str)]) -> Arc<Schema> {
        let name = overlays
            .iter()
            .fold(text.to_owned(), |name, (at, overlay)| format!("{name}\u{0}{at}\u{0}{overlay}"));
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let schema = known.entry(name).or_insert_with(|| Arc::new(Schema::compile(text, overlays)));
        Arc::clone(schema)
    }
}
