//! Scripts built in Rust.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode};

use super::{
    Block, Call, Chunk, ErrorBody, Fault, Halt, Instead, Odd, Pace, Part, Place, Raw, Reply, Require, Script,
    Step, Stop, Usage, When,
};

// === impl Script ===

impl Script {
    pub fn new() -> Self {
        Self::default()
    }
    #[must_use]
    pub fn step(mut self, step: Step) -> Self {
        self.steps.push(Arc::new(step));
        self
    }
    /// A step that serves only after the one before it has, and never again once the one after it has.
    #[must_use]
    pub fn and_then(self, step: Step) -> Self {
        let ordered = !self.steps.is_empty();
        self.step(Step { ordered, ..step })
    }
    /// Refuses requests that lack something, whatever step they are for.
    #[must_use]
    pub fn require(mut self, require: Require) -> Self {
        self.require = require;
        self
    }
    /// Nothing waits for a clock.
    #[must_use]
    pub fn instant(mut self) -> Self {
        self.instant = true;
        self
    }
    /// Lets every request wait at a gate once its head has come, its body unread.
    #[must_use]
    pub fn gate_reading(mut self, gate: impl Into<String>) -> Self {
        self.read_gate = Some(gate.into());
        self
    }
    /// Refuses what real providers refuse.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }
    /// The steps of `other` after those that are here.
    #[must_use]
    pub fn then(mut self, other: Self) -> Self {
        self.steps.extend(other.steps);
        self.read_gate = self.read_gate.or(other.read_gate);
        self.strict |= other.strict;
        self.instant |= other.instant;
        if self.require == Require::default() {
            self.require = other.require;
        }
        self
    }
    pub fn len(&self) -> usize {
        self.steps.len()
    }
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }
}

// === impl Step ===

/// Conditions, and how often.
impl Step {
    /// An empty answer to any chat completion, once.
    pub fn new() -> Self {
        Self {
            name: None,
            when: When::default(),
            repeat: false,
            ordered: false,
            written: None,
            faults: Vec::new(),
            status: StatusCode::OK,
            headers: Vec::new(),
            reply: Reply::default(),
            instead: None,
            cut: None,
            stops: Vec::new(),
            pace: Pace::default(),
            content_type: None,
            odd: Vec::new(),
        }
    }
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }
    #[must_use]
    pub fn when(mut self, when: When) -> Self {
        self.when = when;
        self
    }
    /// Only where the last user element holds `text`.
    #[must_use]
    pub fn on_user(mut self, text: impl Into<String>) -> Self {
        self.when.last_user_contains = Some(text.into());
        self
    }
    /// Only where a tool result since the last user element holds `text`.
    #[must_use]
    pub fn on_result(mut self, text: impl Into<String>) -> Self {
        self.when.tool_result_contains = Some(text.into());
        self
    }
    /// Only where the history has so many elements of the assistant.
    #[must_use]
    pub fn on_turn(mut self, turn: usize) -> Self {
        self.when.turn = Some(turn);
        self
    }
    /// Only where the path ends so; chat completions or not.
    #[must_use]
    pub fn on_path(mut self, path: impl Into<String>) -> Self {
        self.when.path = Some(path.into());
        self
    }
    /// Serves as often as it matches.
    #[must_use]
    pub fn repeat(mut self) -> Self {
        self.repeat = true;
        self
    }
}

/// What the model says.
impl Step {
    #[must_use]
    pub fn say(self, text: impl Into<String>) -> Self {
        self.part(Part::Text(text.into()))
    }
    #[must_use]
    pub fn reason(self, text: impl Into<String>) -> Self {
        self.part(Part::Reasoning(text.into()))
    }
    /// A call; its id is made from its place in the script.
    #[must_use]
    pub fn call(self, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.part(Part::Call(Call::function(None, name.into(), arguments.into())))
    }
    #[must_use]
    pub fn call_as(
        self,
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        self.part(Part::Call(Call::function(Some(id.into()), name.into(), arguments.into())))
    }
    /// A call of a custom tool: free text in the place of arguments.
    #[must_use]
    pub fn custom(self, name: impl Into<String>, input: impl Into<String>) -> Self {
        let call = Call { custom: true, ..Call::function(None, name.into(), input.into()) };
        self.part(Part::Call(call))
    }
    /// Puts what was said last into another of the answers asked for (`n`).
    #[must_use]
    pub fn in_choice(mut self, choice: u32) -> Self {
        if let Some(block) = self.reply.blocks.last_mut() {
            block.choice = choice;
        }
        self
    }
    /// Waits, between what was said before and what is said after.
    #[must_use]
    pub fn wait(self, gate: impl Into<String>) -> Self {
        self.part(Part::Gate(gate.into()))
    }
    #[must_use]
    pub fn finish(mut self, reason: impl Into<String>) -> Self {
        self.reply.finish = Some(reason.into());
        self
    }
    #[must_use]
    pub fn usage(mut self, prompt: u64, completion: u64) -> Self {
        self.reply.usage = Usage { prompt, completion };
        self
    }
    /// Bytes of text or arguments in one event, at least one character; 0: all of a block.
    #[must_use]
    pub fn chunk(mut self, bytes: usize) -> Self {
        self.reply.chunk = NonZeroUsize::new(bytes).map_or(Chunk::Block, Chunk::Bytes);
        self
    }
    /// Where texts and arguments are cut into events.
    #[must_use]
    pub fn chunked(mut self, chunk: Chunk) -> Self {
        self.reply.chunk = chunk;
        self
    }
    /// The head comes after `first`, and each event but the first `every` after the one before. Held against
    /// the time at which the request came, so that no lateness adds up.
    #[must_use]
    pub fn pace(mut self, first: Duration, every: Duration) -> Self {
        self.pace = Pace { first, every };
        self
    }
    /// The arguments of the last call end after so many bytes, as at an output limit. By default the finish is
    /// then `length`.
    #[must_use]
    pub fn cut_arguments(mut self, bytes: usize) -> Self {
        self.reply.cut_arguments = Some(bytes);
        self
    }
    /// A stream ends with an error, after what was said.
    #[must_use]
    pub fn error_event(mut self, message: impl Into<String>) -> Self {
        self.reply.error_event = Some(ErrorBody { message: message.into(), kind: None, code: None });
        self
    }
    /// The pieces of neighbouring calls take turns.
    #[must_use]
    pub fn interleave(mut self) -> Self {
        self.reply.interleave = true;
        self
    }
    #[must_use]
    pub fn without_finish(mut self) -> Self {
        self.reply.tells_finish = false;
        self
    }
    #[must_use]
    pub fn without_done(mut self) -> Self {
        self.reply.tells_done = false;
        self
    }

    fn part(mut self, part: Part) -> Self {
        self.reply.blocks.push(Block { choice: 0, part });
        self
    }
}

/// What else can be answered, and what goes wrong.
impl Step {
    /// Answers as `fault` does so many times before it answers as itself. A fault that says nothing says what
    /// this step says so far.
    #[must_use]
    pub fn fault(mut self, times: usize, fault: Self) -> Self {
        let step = fault.based_on(&self);
        self.faults.push(Fault { times, step });
        self
    }
    /// An oddity of a provider.
    #[must_use]
    pub fn odd(mut self, odd: Odd) -> Self {
        self.odd.push(odd);
        self
    }
    /// What a fault does not say, it takes from the step that it is a fault of.
    pub(super) fn based_on(mut self, step: &Self) -> Self {
        let silent = self.instead.is_none() && self.reply.blocks.is_empty();
        if silent && (self.status.is_client_error() || self.status.is_server_error()) {
            let message = self.status.canonical_reason().unwrap_or("the script says so").to_owned();
            self.instead = Some(Instead::Error(ErrorBody { message, kind: None, code: None }));
        } else if silent {
            self.reply.blocks.clone_from(&step.reply.blocks);
        }
        if self.reply.chunk == Chunk::Block {
            self.reply.chunk = step.reply.chunk;
        }
        self.reply.usage = step.reply.usage;
        self.reply.interleave |= step.reply.interleave;
        self
    }
    #[must_use]
    pub fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }
    /// An error in the API's shape.
    #[must_use]
    pub fn error(mut self, status: StatusCode, message: impl Into<String>) -> Self {
        self.status = status;
        self.instead = Some(Instead::Error(ErrorBody { message: message.into(), kind: None, code: None }));
        self
    }
    /// Exact bytes, each piece one write.
    #[must_use]
    pub fn raw<P: Into<Bytes>>(
        mut self,
        content_type: &'static str,
        pieces: impl IntoIterator<Item = P>,
    ) -> Self {
        self.content_type = Some(HeaderValue::from_static(content_type));
        self.instead = Some(Instead::Raw(Raw { pieces: pieces.into_iter().map(Into::into).collect() }));
        self
    }
    /// An event stream of exact bytes, each piece one write.
    #[must_use]
    pub fn raw_events<P: Into<Bytes>>(self, pieces: impl IntoIterator<Item = P>) -> Self {
        self.raw("text/event-stream", pieces)
    }
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((HeaderName::from_static(name), HeaderValue::from_static(value)));
        self
    }
    /// Bytes of one write, wherever that cuts; 0: one event is one write.
    #[must_use]
    pub fn cut(mut self, bytes: usize) -> Self {
        self.cut = NonZeroUsize::new(bytes);
        self
    }
    /// Resets the connection.
    #[must_use]
    pub fn die(self, at: Place) -> Self {
        self.stop(at, Halt::Reset)
    }
    /// Closes the connection in the middle of the answer.
    #[must_use]
    pub fn close(self, at: Place) -> Self {
        self.stop(at, Halt::Close)
    }
    /// Says nothing more.
    #[must_use]
    pub fn hang(self, at: Place) -> Self {
        self.stop(at, Halt::Hang)
    }
    /// Waits until the gate is opened.
    #[must_use]
    pub fn gate(self, name: impl Into<String>, at: Place) -> Self {
        self.stop(at, Halt::Gate(name.into()))
    }

    fn stop(mut self, at: Place, what: Halt) -> Self {
        self.stops.push(Stop { at, what });
        self
    }
}

impl Default for Step {
    fn default() -> Self {
        Self::new()
    }
}

// === impl Call ===

impl Call {
    pub(super) fn function(id: Option<String>, name: String, arguments: String) -> Self {
        Self { id, name, arguments, custom: false }
    }
}
