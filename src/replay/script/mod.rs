//! What the provider is to say: steps, each with a condition and an answer.
//!
//! `build` makes steps in Rust, `file` reads them from TOML; both give the same values. `when` holds the
//! conditions, `fill` what an answer takes over from the request, `odd` the oddities of providers, and `reach`
//! tells which steps can never serve. Nothing here knows how an answer looks on the wire.

mod build;
mod file;
pub(super) mod fill;
mod odd;
mod reach;
mod when;

#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode};

pub use file::LoadError;
pub use odd::Odd;
pub use reach::Unreachable;
pub use when::{At, ResultWhen, When};

/// Steps in the order in which they are tried.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub(super) steps: Vec<Arc<Step>>,
    /// Every request waits here after its head and before its body is read.
    pub(super) read_gate: Option<String>,
    /// What real providers refuse is refused, before any step is asked.
    pub(super) strict: bool,
    pub(super) require: Require,
    /// Nothing waits for a clock, whatever the steps say of their pace.
    pub(super) instant: bool,
}

/// What every request for a chat completion must have, whatever step it is for.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Require {
    /// The key in `authorization`; `*`: any.
    pub bearer: Option<String>,
    pub model: Option<String>,
    pub stream: Option<bool>,
}

/// One answer, and when it is given.
#[derive(Clone, Debug)]
pub struct Step {
    /// For messages; unique in a file.
    pub(super) name: Option<String>,
    pub(super) when: When,
    /// Whether it serves more than once.
    pub(super) repeat: bool,
    /// Whether it serves only between the step before it and the step after it, if that is in order too.
    pub(super) ordered: bool,
    /// File and line.
    pub(super) written: Option<String>,
    /// What is answered the first times, one after the other. The step is not used up by it.
    pub(super) faults: Vec<Fault>,
    pub(super) status: StatusCode,
    /// Beside, or in the place of, those that the body implies.
    pub(super) headers: Vec<(HeaderName, HeaderValue)>,
    pub(super) reply: Reply,
    /// What is answered in the place of `reply`.
    pub(super) instead: Option<Instead>,
    /// Bytes of one write; by default one event is one write.
    pub(super) cut: Option<NonZeroUsize>,
    /// In the order written; of those at one place the first comes first.
    pub(super) stops: Vec<Stop>,
    pub(super) pace: Pace,
    /// In the place of what the body implies.
    pub(super) content_type: Option<HeaderValue>,
    pub(super) odd: Vec<Odd>,
}

/// An answer that is given some times before the step's own.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) times: usize,
    /// Its conditions, its name and its faults mean nothing.
    pub(super) step: Step,
}

/// When events are due, counted from the moment at which the request was there: lateness does not add up.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Pace {
    /// The head.
    pub(super) first: Duration,
    /// Each event after the first.
    pub(super) every: Duration,
}

/// An answer that no model gives.
#[derive(Clone, Debug)]
pub(super) enum Instead {
    Error(ErrorBody),
    Raw(Raw),
}

/// An answer of a model, streamed or whole as the request asks.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) blocks: Vec<Block>,
    /// By default `tool_calls` for a choice with a call, else `stop`.
    pub(super) finish: Option<String>,
    pub(super) usage: Usage,
    /// How much of a text or of arguments is in one event.
    pub(super) chunk: Chunk,
    /// Whether the pieces of neighbouring calls take turns.
    pub(super) interleave: bool,
    /// Whether a stream tells why it finished.
    pub(super) tells_finish: bool,
    /// Whether a stream ends with `[DONE]`.
    pub(super) tells_done: bool,
    /// The arguments of the last call end after so many bytes.
    pub(super) cut_arguments: Option<usize>,
    /// An error that a stream ends with, after what was said, in the place of its finish.
    pub(super) error_event: Option<ErrorBody>,
}

/// Where a text is cut into events. A piece is never empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Chunk {
    /// All of a block is one piece.
    #[default]
    Block,
    /// So many bytes, and at least one character.
    Bytes(NonZeroUsize),
    Characters(NonZeroUsize),
    /// So many words, each with the blanks before it, and marks: what a tokeniser would do, in general.
    Tokens(NonZeroUsize),
    /// So many UTF-16 units: characters beyond the first plane are split into lone surrogates, which is as far
    /// inside of a character as a JSON string can be cut.
    Units(NonZeroUsize),
    /// Once, after so many bytes.
    At(usize),
}

/// A part of an answer, in order.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The answer it belongs to where several were asked for (`n`).
    pub(super) choice: u32,
    pub(super) part: Part,
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    Text(String),
    Reasoning(String),
    Call(Call),
    /// The server waits here until the gate is opened.
    Gate(String),
}

/// A call that the model makes.
#[derive(Clone, Debug)]
pub struct Call {
    /// By default made from the step and the call's place in it.
    pub id: Option<String>,
    pub name: String,
    /// As it stands; it may be no JSON at all.
    pub arguments: String,
    /// Free text in the place of arguments.
    pub custom: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Usage {
    pub(super) prompt: u64,
    pub(super) completion: u64,
}

/// An error in the API's shape.
#[derive(Clone, PartialEq, Eq, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ErrorBody {
    pub(super) message: String,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) code: Option<String>,
}

/// Exact bytes.
#[derive(Clone, Debug)]
pub(super) struct Raw {
    /// Each one write.
    pub(super) pieces: Vec<Bytes>,
}

/// Something that happens instead of the next byte.
#[derive(Clone, Debug)]
pub(super) struct Stop {
    pub(super) at: Place,
    pub(super) what: Halt,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Halt {
    /// Wait until the gate is opened.
    Gate(String),
    /// Wait until this long after the request was there.
    Due(Duration),
    /// Say nothing more, and keep the connection.
    Hang,
    /// Reset the connection.
    Reset,
    /// Close the connection in the middle of the answer.
    Close,
}

/// A place in an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    BeforeHead,
    AfterHead,
    /// After so many events (a whole answer is one).
    Events(usize),
    /// After so many bytes of the body.
    Bytes(usize),
    /// After the last byte of the body, before its end is told.
    End,
}

// === impl Step ===

impl Step {
    /// What the model says in this step, all its pieces together.
    pub fn text(&self) -> String {
        let texts = self.reply.blocks.iter().filter_map(|block| match &block.part {
            Part::Text(text) => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }
    /// The calls that the model makes in this step, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.reply.blocks.iter().filter_map(|block| match &block.part {
            Part::Call(call) => Some(call),
            _ => None,
        })
    }
    /// Which of its faults is to be answered, if it has been tried so often.
    pub(super) fn fault_after(&self, tried: usize) -> Option<&Step> {
        let mut end = 0;
        self.faults.iter().find_map(|fault| {
            end += fault.times;
            (tried < end).then_some(&fault.step)
        })
    }
    /// Of a switch.
    pub(super) fn is(&self, odd: Odd) -> bool {
        self.odd.contains(&odd)
    }
    /// How messages name this step: its number, counted from 1, and its name.
    pub(super) fn title(&self, number: usize) -> String {
        match &self.name {
            Some(name) => format!("step {} ({name})", number + 1),
            None => format!("step {}", number + 1),
        }
    }
}

// === impl Reply ===

impl Default for Reply {
    fn default() -> Self {
        Self {
            blocks: Vec::new(),
            finish: None,
            usage: Usage::default(),
            chunk: Chunk::Block,
            interleave: false,
            tells_finish: true,
            tells_done: true,
            cut_arguments: None,
            error_event: None,
        }
    }
}
