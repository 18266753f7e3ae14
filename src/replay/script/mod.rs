//! What the provider is to say: steps, each with a condition and an answer.
//!
//! `build` makes steps in Rust, `file` reads them from TOML; both give the same values. Nothing here knows how
//! an answer looks on the wire.

mod build;
mod file;

#[cfg(test)]
mod tests;

use std::num::NonZeroUsize;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode};

pub use file::LoadError;

/// Steps in the order in which they are tried.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub(super) steps: Vec<Step>,
    /// Every request waits here after its head and before its body is read.
    pub(super) read_gate: Option<String>,
    /// What real providers refuse is refused, before any step is asked.
    pub(super) strict: bool,
}

/// One answer, and when it is given.
#[derive(Clone, Debug)]
pub struct Step {
    /// For messages; unique in a script.
    pub(super) name: Option<String>,
    pub(super) when: When,
    /// Whether it serves more than once.
    pub(super) repeat: bool,
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
}

/// Conditions, all of which must hold. None: any request for a chat completion.
#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct When {
    /// The path's end, for requests that are not chat completions.
    pub path: Option<String>,
    pub model: Option<String>,
    pub stream: Option<bool>,
    /// How many elements of the history are the assistant's.
    pub turn: Option<usize>,
    /// The text of the last user element.
    pub last_user_contains: Option<String>,
    /// The text of the last element.
    pub last_contains: Option<String>,
    pub last_role: Option<String>,
    /// Whether the tool results since the last user element hold this.
    pub tool_result_contains: Option<String>,
    /// Whether there is any tool result since the last user element.
    pub has_tool_result: Option<bool>,
    /// A tool's name.
    pub tool_offered: Option<String>,
    /// `auto`, `none`, `required`, or a tool's name.
    pub tool_choice: Option<String>,
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
    /// Bytes of text or arguments in one event; by default all of a block.
    pub(super) chunk: Option<NonZeroUsize>,
    /// Whether the pieces of neighbouring calls take turns.
    pub(super) interleave: bool,
    /// Whether a stream tells why it finished.
    pub(super) tells_finish: bool,
    /// Whether a stream ends with `[DONE]`.
    pub(super) tells_done: bool,
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
    pub(super) content_type: HeaderValue,
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
            chunk: None,
            interleave: false,
            tells_finish: true,
            tells_done: true,
        }
    }
}
