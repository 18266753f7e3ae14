//! Conditions held against a request.
//!
//! They are walked in one place, cheapest first: to find a step, only as far as they hold; to explain a miss, to
//! the end. Words are made only where they are shown.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::ops::ControlFlow::{self, Break, Continue};

use regex::Captures;
use serde_json::Value;

use super::Question;
use super::question::Answered;
use crate::config::value::Pattern;
use crate::replay::script::fill::{self, Slot};
use crate::replay::script::{ResultWhen, Step, When};

/// A condition that does not hold.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub(in crate::replay) struct Failed {
    pub(super) condition: &'static str,
    pub(super) expected: String,
    pub(super) got: String,
}

/// What an answer to a request can take over from it.
pub(super) struct Values<'a> {
    when: &'a When,
    question: &'a Question,
    groups: OnceCell<Vec<(&'a Pattern, Captures<'a>)>>,
}

/// What was expected, and what came.
type Words<'a> = &'a dyn Fn() -> [String; 2];
/// Told of each condition whether it holds; says whether to go on.
type See<'a> = &'a mut dyn FnMut(&'static str, bool, Words<'_>) -> ControlFlow<()>;

pub(super) fn meets(when: &When, question: &Question) -> bool {
    walk(when, question, &mut |_, holds, _| if holds { Continue(()) } else { Break(()) }).is_continue()
}

/// What keeps a step from answering; empty if nothing does.
pub(super) fn failures(step: &Step, question: &Question) -> Vec<Failed> {
    let mut failed = Vec::new();
    let all = walk(&step.when, question, &mut |condition, holds, words| {
        if !holds {
            let [expected, got] = words();
            failed.push(Failed { condition, expected, got });
        }
        Continue(())
    });
    if all.is_continue() && failed.is_empty() {
        let values = values(&step.when, question);
        if let Err(slot) = step.reply.filled(&|slot| values.value(slot)) {
            let expected = format!("a value for {slot}");
            failed.push(Failed { condition: "block", expected, got: "none".to_owned() });
        }
    }
    failed
}

pub(super) fn values<'a>(when: &'a When, question: &'a Question) -> Values<'a> {
    Values { when, question, groups: OnceCell::new() }
}

fn walk(when: &When, question: &Question, see: See<'_>) -> ControlFlow<()> {
    match &when.path {
        Some(path) => {
            let words = || [quoted(path), quoted(&question.path)];
            see("path", question.path.ends_with(path.as_str()), &words)?;
        }
        None => {
            see("path", question.chat, &|| [quoted("…/chat/completions"), quoted(&question.path)])?;
        }
    }
    for (name, value) in &when.headers {
        let got = question.headers.get(name.as_str()).and_then(|got| got.to_str().ok());
        see("headers", got == Some(value), &|| [format!("{name}: {value}"), shown(got)])?;
    }
    if let Some(unread) = &question.unread
        && when.asks_of_the_body()
    {
        see("body", false, &|| ["a chat completion".to_owned(), unread.clone()])?;
        return Break(());
    }
    numbers(when, question, see)?;
    texts(when, question, see)?;
    results(when, question, see)?;
    for place in &when.body {
        let got = question.at(&place.at.0);
        let words = || [format!("{} at {:?}", place.equals, place.at.0), got.map_or("none".to_owned(), json)];
        see("body", got == Some(&place.equals), &words)?;
    }
    Continue(())
}

fn numbers(when: &When, question: &Question, see: See<'_>) -> ControlFlow<()> {
    if let Some(turn) = when.turn {
        see("turn", turn == question.turn, &|| [turn.to_string(), question.turn.to_string()])?;
    }
    if let Some(stream) = when.stream {
        see("stream", stream == question.stream, &|| [stream.to_string(), question.stream.to_string()])?;
    }
    if let Some(has) = when.has_tool_result {
        let got = !question.results.is_empty();
        see("has_tool_result", has == got, &|| [has.to_string(), got.to_string()])?;
    }
    for name in when.tool_offered.iter().chain(&when.tools_offered) {
        let offered = question.tools.contains(name);
        see("tool_offered", offered, &|| [quoted(name), list(question.tools.iter().map(String::as_str))])?;
    }
    Continue(())
}

fn texts(when: &When, question: &Question, see: See<'_>) -> ControlFlow<()> {
    let Question { model, last_role, tool_choice, system, last_user, last_text, .. } = question;
    for (name, expected, got) in [
        ("model", &when.model, model),
        ("last_role", &when.last_role, last_role),
        ("tool_choice", &when.tool_choice, tool_choice),
        ("system_equals", &when.system_equals, system),
        ("last_user_equals", &when.last_user_equals, last_user),
        ("last_equals", &when.last_equals, last_text),
    ] {
        if let Some(expected) = expected {
            see(name, got.as_ref() == Some(expected), &|| [quoted(expected), shown(got.as_deref())])?;
        }
    }
    for (name, expected, got) in [
        ("system_contains", &when.system_contains, system),
        ("last_user_contains", &when.last_user_contains, last_user),
        ("last_contains", &when.last_contains, last_text),
    ] {
        if let Some(expected) = expected {
            let holds = got.as_ref().is_some_and(|text| text.contains(expected.as_str()));
            see(name, holds, &|| [quoted(expected), shown(got.as_deref())])?;
        }
    }
    for (name, expected, got) in [
        ("system_matches", &when.system_matches, system),
        ("last_user_matches", &when.last_user_matches, last_user),
        ("last_matches", &when.last_matches, last_text),
    ] {
        if let Some(Pattern(expected)) = expected {
            let holds = got.as_ref().is_some_and(|text| expected.is_match(text));
            see(name, holds, &|| [quoted(expected.as_str()), shown(got.as_deref())])?;
        }
    }
    Continue(())
}

fn results(when: &When, question: &Question, see: See<'_>) -> ControlFlow<()> {
    if let Some(text) = &when.tool_result_contains {
        let holds = question.results.iter().any(|result| result.text.contains(text.as_str()));
        let words = || [quoted(text), list(question.results.iter().map(|result| &*result.text))];
        see("tool_result_contains", holds, &words)?;
    }
    for wanted in &when.result {
        let holds = question.results.iter().any(|result| result.meets(wanted));
        see("result", holds, &|| [wanted.to_string(), question.shown_results()])?;
    }
    Continue(())
}

// === impl When ===

impl When {
    fn asks_of_the_body(&self) -> bool {
        let Self { path, headers, .. } = self;
        *self != Self { path: path.clone(), headers: headers.clone(), ..Self::default() }
    }
}

// === impl Values ===

impl<'a> Values<'a> {
    pub(super) fn value(&self, slot: Slot<'_>) -> Option<fill::Value<'a>> {
        match slot {
            Slot::Group(name) => {
                let group = self.groups().iter().find_map(|(_, captures)| captures.name(name))?;
                Some(fill::Value::Text(Cow::Borrowed(group.as_str())))
            }
            Slot::Header(name) => {
                Some(fill::Value::Text(self.question.headers.get(name)?.to_str().ok()?.into()))
            }
            Slot::Request(at) => self.question.at(at).and_then(value),
            Slot::Result { of, at } => {
                let mut results = self.question.results.iter().rev();
                let result = results.find(|result| of.is_none_or(|of| result.is_of(of)))?;
                if at.is_empty() {
                    return Some(fill::Value::Text(Cow::Borrowed(&*result.text)));
                }
                result.json()?.pointer(at).and_then(value)
            }
        }
    }

    fn groups(&self) -> &[(&'a Pattern, Captures<'a>)] {
        self.groups.get_or_init(|| {
            let Question { system, last_user, last_text, .. } = self.question;
            let When { system_matches, last_user_matches, last_matches, .. } = self.when;
            let pairs = [(system_matches, system), (last_user_matches, last_user), (last_matches, last_text)];
            let captures = |(pattern, text): (&'a Option<Pattern>, &'a Option<String>)| {
                let (pattern, text) = (pattern.as_ref()?, text.as_ref()?);
                Some((pattern, pattern.0.captures(text)?))
            };
            pairs.into_iter().filter_map(captures).collect()
        })
    }
}

/// A text as it is, anything else as JSON; `null` is no value.
fn value<'a>(value: &Value) -> Option<fill::Value<'a>> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(fill::Value::Text(Cow::Owned(text.clone()))),
        other => Some(fill::Value::Json(other.to_string())),
    }
}

// === impl Answered ===

impl Answered {
    fn is_of(&self, of: &str) -> bool {
        self.id.as_deref() == Some(of) || self.tool.as_deref() == Some(of)
    }
    fn meets(&self, wanted: &ResultWhen) -> bool {
        let ResultWhen { id, tool, contains, is_error, at, equals } = wanted;
        let place = || self.json().and_then(|json| json.pointer(&at.as_ref()?.0));
        (id.is_none() || *id == self.id)
            && (tool.is_none() || *tool == self.tool)
            && contains.as_ref().is_none_or(|text| self.text.contains(text.as_str()))
            && is_error.is_none_or(|is_error| is_error == self.is_error())
            && equals.as_ref().is_none_or(|equals| place() == Some(equals))
    }
}

// === impl Question ===

impl Question {
    fn shown_results(&self) -> String {
        let shown = self.results.iter().map(|result| {
            let of = result.tool.as_deref().or(result.id.as_deref()).unwrap_or("a call");
            let kind = if result.is_error() { "error" } else { "result" };
            format!("{kind} of {of}: {}", quoted(&result.text))
        });
        let shown: Vec<String> = shown.collect();
        if shown.is_empty() { "none".to_owned() } else { shown.join(", ") }
    }
}

// === impl ResultWhen ===

impl fmt::Display for ResultWhen {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, tool, contains, is_error, at, equals } = self;
        let kind = if *is_error == Some(true) { "an error" } else { "a result" };
        formatter.write_str(kind)?;
        let words = [("of call", id), ("of", tool), ("with", contains)];
        for (word, text) in words {
            if let Some(text) = text {
                write!(formatter, " {word} {}", quoted(text))?;
            }
        }
        if *is_error == Some(false) {
            formatter.write_str(" that is no error")?;
        }
        match (at, equals) {
            (Some(at), Some(equals)) => write!(formatter, " with {equals} at {:?}", at.0),
            _ => Ok(()),
        }
    }
}

// === impl Failed ===

impl fmt::Display for Failed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { condition, expected, got } = self;
        write!(formatter, "{condition}: expected {expected}, got {got}")
    }
}

fn shown(text: Option<&str>) -> String {
    text.map_or_else(|| "none".to_owned(), quoted)
}

fn json(value: &Value) -> String {
    cut(&value.to_string())
}

fn list<'a>(texts: impl Iterator<Item = &'a str>) -> String {
    let shown: Vec<String> = texts.map(quoted).collect();
    if shown.is_empty() { "none".to_owned() } else { shown.join(", ") }
}

/// The text in quotes, cut where it is long.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", cut(text))
}

fn cut(text: &str) -> String {
    const SHOWN: usize = 120;
    let mut head: String = text.chars().take(SHOWN).collect();
    if head.len() < text.len() {
        head.push('…');
    }
    head
}
