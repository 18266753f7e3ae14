mod answer;
mod history;
mod name;
mod recorded;

use super::settle::Step;
use super::*;
use crate::dialect::CallKind;
use crate::guard::classify::{Failure, Outcome};

/// An identity by tool and a letter that stands for the arguments.
fn key(name: &str) -> Key {
    let (tool, arguments) = name.split_once(' ').unwrap_or((name, ""));
    let mut digest = [0; 32];
    for (place, byte) in digest.iter_mut().zip(arguments.bytes()) {
        *place = byte;
    }
    Key { tool: tool.to_owned(), digest }
}

fn call(tool: &str, arguments: &str) -> Call<'static> {
    Call {
        id: "c".into(),
        name: tool.to_owned().into(),
        arguments: arguments.to_owned().into(),
        kind: CallKind::Function,
    }
}

fn failed(text: &str, terminal: bool) -> Outcome {
    Outcome::Failure(Failure {
        signature: "failed".into(),
        excerpt: text.into(),
        terminal,
        arguments: false,
        class: None,
    })
}

/// What became of a call, for the tests: its key, and its end. A name that begins with `get` reads only.
type Told<'a> = (&'a str, End);

#[derive(Clone, Copy)]
enum End {
    Well,
    Badly,
    /// Badly, with a text of its own.
    Saying(&'static str),
    ForGood,
    Transiently,
    Interrupted,
    NeverRun,
    Unanswered,
}
use End::*;

fn step(name: &str, end: End) -> Step {
    let outcome = match end {
        Well => Some(Outcome::Success),
        Badly => Some(failed("boom", false)),
        Saying(text) => Some(failed(text, false)),
        ForGood => Some(failed("gone", true)),
        Transiently => Some(Outcome::Transient),
        Interrupted => Some(Outcome::Control),
        NeverRun => Some(Outcome::Unknown),
        Unanswered => None,
    };
    let text = if let Saying(text) = end { text.len() as u64 } else { 0 };
    Step { read_only: name.starts_with("get"), outcome, text }
}

fn settle(ledger: &mut Ledger, answer: &[Told<'_>]) {
    let steps: Vec<Step> = answer.iter().map(|(name, end)| step(name, *end)).collect();
    ledger.settle(&steps, &mut |index| answer.get(index).map(|(name, _)| key(name)));
}

/// Folds answers, each a list of calls.
fn ledger(answers: &[&[Told<'_>]]) -> Ledger {
    let mut ledger = Ledger::with_capacity(128);
    for answer in answers {
        settle(&mut ledger, answer);
    }
    ledger
}

impl Ledger {
    fn stands(&self, name: &str) -> Option<Precedent> {
        let key = key(name);
        self.precedent(&key, &call(&key.tool, "{}"), &ToolPolicy::default(), false)
    }

    fn refuses(&self, name: &str) -> bool {
        self.stands(name).is_some()
    }
}
