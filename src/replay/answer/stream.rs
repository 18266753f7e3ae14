//! An answer as events.
//!
//! For each choice: an event with the role, the blocks' deltas in order, an event with the finish; then the
//! usage if it was asked for, and `[DONE]`. A call begins with its id, type and name and with empty arguments.

use std::num::NonZeroUsize;

use bytes::Bytes;
use serde::Serialize;

use super::{CREATED, Frame, UsageBody, to_json};
use crate::replay::fault::Piece;
use crate::replay::script::{Call, Part, Reply};

#[derive(Serialize)]
struct Chunk<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    choices: &'a [Choice<'a>],
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "absent, null and a value are three things here")]
    usage: Option<Option<UsageBody>>,
}

#[derive(Serialize)]
struct Choice<'a> {
    index: u32,
    delta: Delta<'a>,
    logprobs: Option<()>,
    finish_reason: Option<&'a str>,
}

#[derive(Serialize, Default)]
struct Delta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'static str>,
    /// `Some(None)` is written as `null`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "absent, null and a value are three things here")]
    content: Option<Option<&'a str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<[CallDelta<'a>; 1]>,
}

#[derive(Serialize)]
struct CallDelta<'a> {
    index: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<Piecewise<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    custom: Option<PiecewiseCustom<'a>>,
}

#[derive(Serialize)]
struct Piecewise<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    arguments: &'a str,
}

#[derive(Serialize)]
struct PiecewiseCustom<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    input: &'a str,
}

/// Writes one stream.
struct Writer<'a> {
    reply: &'a Reply,
    frame: &'a Frame<'a>,
    pieces: Vec<Piece>,
    /// Calls begun so far, by choice.
    begun: Vec<(u32, usize)>,
    /// Calls begun so far in all choices.
    position: usize,
    /// Deltas of neighbouring calls that are to take turns.
    turns: Vec<Vec<Bytes>>,
}

pub(super) fn events(reply: &Reply, frame: &Frame<'_>) -> Vec<Piece> {
    let begun = reply.choices().into_iter().map(|choice| (choice, 0)).collect();
    let mut writer = Writer { reply, frame, pieces: Vec::new(), begun, position: 0, turns: Vec::new() };
    writer.roles();
    writer.blocks();
    writer.end();
    writer.pieces
}

/// Cuts a text into pieces of at most `bytes` bytes, each at least one character. An empty text is no piece.
fn cut(text: &str, bytes: Option<NonZeroUsize>) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let limit = bytes.map_or(rest.len(), NonZeroUsize::get);
        let fits = rest.floor_char_boundary(limit);
        let first = rest.chars().next()?.len_utf8();
        let (piece, left) = rest.split_at(fits.max(first));
        rest = left;
        Some(piece)
    })
}

// === impl Writer ===

impl<'a> Writer<'a> {
    fn roles(&mut self) {
        for (choice, _) in self.begun.clone() {
            let speaks = self
                .reply
                .blocks
                .iter()
                .find(|block| block.choice == choice && !matches!(block.part, Part::Gate(_)))
                .is_none_or(|block| matches!(block.part, Part::Text(_)));
            let content = Some(speaks.then_some(""));
            self.delta(choice, Delta { role: Some("assistant"), content, ..Delta::default() });
        }
    }

    fn blocks(&mut self) {
        let reply = self.reply;
        for block in &reply.blocks {
            let choice = block.choice;
            if !matches!(block.part, Part::Call(_)) {
                self.take_turns();
            }
            match &block.part {
                Part::Text(text) => {
                    for piece in cut(text, reply.chunk) {
                        self.delta(choice, Delta { content: Some(Some(piece)), ..Delta::default() });
                    }
                }
                Part::Reasoning(text) => {
                    for piece in cut(text, reply.chunk) {
                        self.delta(choice, Delta { reasoning_content: Some(piece), ..Delta::default() });
                    }
                }
                Part::Call(call) => self.call(choice, call),
                Part::Gate(name) => self.pieces.push(Piece::Gate(name.clone())),
            }
        }
        self.take_turns();
    }

    fn call(&mut self, choice: u32, call: &'a Call) {
        let mut index = 0;
        if let Some((_, begun)) = self.begun.iter_mut().find(|(known, _)| *known == choice) {
            index = *begun;
            *begun += 1;
        }
        let id = self.frame.call_id(call, self.position);
        self.position += 1;
        let begin = (Some(call.name.as_str()), "");
        let pieces = cut(&call.arguments, self.reply.chunk).map(|piece| (None, piece));
        let mut id = Some(id);
        let deltas = std::iter::once(begin)
            .chain(pieces)
            .map(|(name, piece)| {
                let id = id.take();
                let r#type = id.is_some().then_some(if call.custom { "custom" } else { "function" });
                let function = (!call.custom).then_some(Piecewise { name, arguments: piece });
                let custom = call.custom.then_some(PiecewiseCustom { name, input: piece });
                let tool_calls = Some([CallDelta { index, id, r#type, function, custom }]);
                self.event(choice, Delta { tool_calls, ..Delta::default() }, None)
            })
            .collect();
        self.turns.push(deltas);
        if !self.reply.interleave {
            self.take_turns();
        }
    }

    /// Writes the deltas that wait, one of each call after the other.
    fn take_turns(&mut self) {
        let mut calls: Vec<_> = std::mem::take(&mut self.turns).into_iter().map(Vec::into_iter).collect();
        while !calls.is_empty() {
            calls.retain_mut(|call| match call.next() {
                Some(event) => {
                    self.pieces.push(Piece::Event(event));
                    true
                }
                None => false,
            });
        }
    }

    fn end(&mut self) {
        if self.reply.tells_finish {
            for (choice, _) in self.begun.clone() {
                let event = self.event(choice, Delta::default(), Some(self.reply.finish(choice)));
                self.pieces.push(Piece::Event(event));
            }
        }
        if self.frame.include_usage {
            let event = self.chunk(&[], Some(self.reply.usage.into()));
            self.pieces.push(Piece::Event(event));
        }
        if self.reply.tells_done {
            self.pieces.push(Piece::Event(Bytes::from_static(b"data: [DONE]\n\n")));
        }
    }

    fn delta(&mut self, choice: u32, delta: Delta<'_>) {
        let event = self.event(choice, delta, None);
        self.pieces.push(Piece::Event(event));
    }

    fn event(&self, index: u32, delta: Delta<'_>, finish_reason: Option<&str>) -> Bytes {
        self.chunk(&[Choice { index, delta, logprobs: None, finish_reason }], None)
    }

    fn chunk(&self, choices: &[Choice<'_>], usage: Option<UsageBody>) -> Bytes {
        let chunk = Chunk {
            id: &self.frame.id,
            object: "chat.completion.chunk",
            created: CREATED,
            model: self.frame.model,
            choices,
            usage: self.frame.include_usage.then_some(usage),
        };
        format!("data: {}\n\n", to_json(&chunk)).into()
    }
}
