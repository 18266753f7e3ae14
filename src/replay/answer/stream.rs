//! An answer as events.
//!
//! For each choice: an event with the role, the blocks' deltas in order, an event with the finish; then the
//! usage if it was asked for, and `[DONE]`. A call begins with its id, type and name and with empty arguments.

use serde::Serialize;

use super::fragment::{Fragment, cut};
use super::frame::Said;
use super::{CREATED, Frame, UsageBody, envelope, to_json};
use crate::replay::script::{Call, ErrorBody, Odd, Part, Reply};

#[derive(Serialize)]
struct Chunk<'a> {
    id: &'a str,
    object: &'static str,
    created: u64,
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    choices: Option<&'a [Choice<'a>]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompt_filter_results: Option<[(); 0]>,
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
    /// `Some(None)` is written as `null`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "absent, null and a value are three things here")]
    role: Option<Option<&'static str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[expect(clippy::option_option, reason = "absent, null and a value are three things here")]
    content: Option<Option<Fragment<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_content: Option<Fragment<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_calls: Option<[CallDelta<'a>; 1]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function_call: Option<Piecewise<'a>>,
}

#[derive(Serialize)]
struct CallDelta<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    index: Option<usize>,
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
    arguments: Fragment<'a>,
}

#[derive(Serialize)]
struct PiecewiseCustom<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    input: Fragment<'a>,
}

/// Writes one stream.
struct Writer<'a> {
    reply: &'a Reply,
    frame: &'a Frame<'a>,
    odd: &'a [Odd],
    said: Vec<Said>,
    /// Calls begun so far, by choice.
    begun: Vec<(u32, usize)>,
    /// Calls begun so far in all choices.
    position: usize,
    /// Deltas of neighbouring calls that are to take turns.
    turns: Vec<Vec<Said>>,
}

pub(super) fn events(reply: &Reply, frame: &Frame<'_>, odd: &[Odd]) -> Vec<Said> {
    let begun = reply.choices().into_iter().map(|choice| (choice, 0)).collect();
    let mut writer = Writer { reply, frame, odd, said: Vec::new(), begun, position: 0, turns: Vec::new() };
    writer.preface();
    writer.roles();
    writer.blocks();
    match &reply.error_event {
        Some(error) => writer.fail(error),
        None => writer.end(),
    }
    writer.said
}

// === impl Writer ===

impl<'a> Writer<'a> {
    fn is(&self, odd: Odd) -> bool {
        self.odd.contains(&odd)
    }

    /// What some providers send before they say anything.
    fn preface(&mut self) {
        if self.is(Odd::ChoicesMissing) {
            let chunk = Chunk { choices: None, prompt_filter_results: Some([]), ..self.empty() };
            self.said.push(Said::Data(to_json(&chunk)));
        }
        if self.is(Odd::UsageFirst) {
            let usage = Some(Some(self.reply.usage.into()));
            let chunk = Chunk { usage, ..self.empty() };
            self.said.push(Said::Data(to_json(&chunk)));
        }
    }

    fn roles(&mut self) {
        for (choice, _) in self.begun.clone() {
            let speaks = self
                .reply
                .blocks
                .iter()
                .find(|block| block.choice == choice && !matches!(block.part, Part::Gate(_)))
                .is_none_or(|block| matches!(block.part, Part::Text(_)));
            let content = Some(speaks.then(Fragment::default));
            let role = match () {
                () if self.is(Odd::RoleMissing) => None,
                () if self.is(Odd::RoleNull) => Some(None),
                () if self.is(Odd::RoleEmpty) => Some(Some("")),
                () => Some(Some("assistant")),
            };
            self.delta(choice, Delta { role, content, ..Delta::default() });
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
                Part::Gate(name) => self.said.push(Said::Gate(name.clone())),
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
        let half = call.name.floor_char_boundary(call.name.len() / 2);
        let mut pieces = match call.name.split_at_checked(half) {
            Some((first, second)) if self.is(Odd::NameSplit) => {
                vec![(Some(first), Fragment::default()), (Some(second), Fragment::default())]
            }
            _ => vec![(Some(call.name.as_str()), Fragment::default())],
        };
        let later = match () {
            () if self.is(Odd::NameRepeated) => Some(call.name.as_str()),
            () if self.is(Odd::NameEmpty) => Some(""),
            () => None,
        };
        pieces.extend(cut(&call.arguments, self.reply.chunk).into_iter().map(|piece| (later, piece)));
        let last = pieces.len() - 1;
        let deltas = pieces.into_iter().enumerate().map(|(at, (name, piece))| {
            if index == 0 && !call.custom && self.is(Odd::LegacyFunctionCall) {
                let function_call = Some(Piecewise { name, arguments: piece });
                return self.event(choice, Delta { function_call, ..Delta::default() }, None);
            }
            let r#type = (at == 0).then_some(if call.custom { "custom" } else { "function" });
            let function = (!call.custom).then_some(Piecewise { name, arguments: piece });
            let custom = call.custom.then_some(PiecewiseCustom { name, input: piece });
            let (index, id) = (self.index(index), self.id(&id, at, last));
            let tool_calls = Some([CallDelta { index, id, r#type, function, custom }]);
            self.event(choice, Delta { tool_calls, ..Delta::default() }, None)
        });
        let deltas: Vec<Said> = deltas.collect();
        self.turns.push(deltas);
        if !self.reply.interleave {
            self.take_turns();
        }
    }

    fn index(&self, index: usize) -> Option<usize> {
        match () {
            () if self.is(Odd::IndexMissing) => None,
            () if self.is(Odd::IndexZero) => Some(0),
            () if self.is(Odd::IndexFromOne) => Some(index + 1),
            () => Some(index),
        }
    }

    /// The id in piece `at` of a call, of which `last` is the last.
    fn id(&self, id: &str, at: usize, last: usize) -> Option<String> {
        match () {
            () if self.is(Odd::IdMissing) => None,
            () if self.is(Odd::IdLate) => (at == last).then(|| id.to_owned()),
            () if at == 0 => Some(id.to_owned()),
            () if self.is(Odd::IdEmpty) => Some(String::new()),
            () if self.is(Odd::IdRepeated) => Some(id.to_owned()),
            () if self.is(Odd::IdChanging) => Some(format!("{id}_{at}")),
            () => None,
        }
    }

    /// Writes the deltas that wait, one of each call after the other.
    fn take_turns(&mut self) {
        let mut calls: Vec<_> = std::mem::take(&mut self.turns).into_iter().map(Vec::into_iter).collect();
        while !calls.is_empty() {
            calls.retain_mut(|call| match call.next() {
                Some(event) => {
                    self.said.push(event);
                    true
                }
                None => false,
            });
        }
    }

    fn end(&mut self) {
        if self.reply.tells_finish {
            for (choice, _) in self.begun.clone() {
                let finish = self.reply.finish(choice, self.odd);
                let event = self.event(choice, Delta::default(), Some(finish));
                self.said.push(event);
            }
        }
        if self.frame.include_usage && !self.is(Odd::UsageFirst) && !self.is(Odd::UsageInFinish) {
            let chunk = Chunk { usage: Some(Some(self.reply.usage.into())), ..self.empty() };
            self.said.push(Said::Data(to_json(&chunk)));
        }
        if self.reply.tells_done {
            self.said.push(Said::Data("[DONE]".to_owned()));
        }
    }

    /// The end of a stream that fails: neither a finish nor `[DONE]`.
    fn fail(&mut self, error: &ErrorBody) {
        let kind = error.kind.as_deref().unwrap_or("server_error");
        self.said.push(Said::Named("error", envelope(&error.message, kind, error.code.as_deref())));
    }

    fn delta(&mut self, choice: u32, delta: Delta<'_>) {
        let event = self.event(choice, delta, None);
        self.said.push(event);
    }

    fn event(&self, index: u32, mut delta: Delta<'_>, finish_reason: Option<&str>) -> Said {
        if self.is(Odd::RoleRepeated) {
            delta.role = Some(Some("assistant"));
        }
        let chunk = self.empty();
        let tells_usage = finish_reason.is_some() && self.is(Odd::UsageInFinish);
        let usage = if tells_usage { Some(Some(self.reply.usage.into())) } else { chunk.usage };
        let choices = [Choice { index, delta, logprobs: None, finish_reason }];
        Said::Data(to_json(&Chunk {
            id: &self.frame.id,
            object: chunk.object,
            created: chunk.created,
            model: self.frame.model,
            choices: Some(&choices),
            prompt_filter_results: None,
            usage,
        }))
    }

    /// An event with no choice.
    fn empty(&self) -> Chunk<'a> {
        Chunk {
            id: &self.frame.id,
            object: "chat.completion.chunk",
            created: CREATED,
            model: self.frame.model,
            choices: Some(&[]),
            prompt_filter_results: None,
            usage: self.frame.include_usage.then_some(None),
        }
    }
}
