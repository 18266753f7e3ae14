//! What the bytes mean in each API. This is the only room that names an API's fields.
//!
//! A dialect reads a request into a [`Transcript`] of spans, reads the provider's answer as it comes
//! ([`Answer`]), and writes what the proxy puts in: rounds, results, errors. It knows no rules: what is right
//! or wrong with a call is for `guard` to say.

mod answer;
pub mod chat;

pub use chat::answer::Answer;

pub use answer::{
    Broken, Closing, Decision, Hidden, HiddenCall, HiddenRound, NewCall, Pending, Usage, Visible,
};

use std::borrow::Cow;

use bytes::Bytes;

use crate::wire::span::{Json, Malformed, Span};
use crate::wire::splice::{Change, Splices};

/// The grammar in which an API carries calls and results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    Chat,
}

/// A request's history, read as elements, each with its place in the body. Nothing is copied out of the body.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "the API's own switches")]
pub struct Transcript {
    dialect: Dialect,
    /// Checked UTF-8, and one well-formed JSON object.
    body: Bytes,
    /// The model's name, a JSON string in the body.
    model: Option<Span>,
    /// Whether the agent asked for an event stream.
    pub stream: bool,
    /// Whether the agent asked for the usage of a stream.
    pub usage: bool,
    /// How many answers the agent asked for (`n`).
    pub choices: u32,
    pub tool_choice: ToolChoice,
    /// Whether the model may make several calls in one answer.
    pub parallel: bool,
    /// The tools offered, in order.
    pub tools: Vec<Tool>,
    /// Every tool the model can call stands in `tools`: a name that is not there is unknown.
    pub closed: bool,
    /// The history, in order.
    pub elements: Vec<Element>,
    /// The array that holds the history.
    history: Option<Span>,
    /// Where `tool_choice` is given: its value.
    tool_choice_at: Option<Span>,
}

/// What the agent lets the model do about tools.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ToolChoice {
    #[default]
    Auto,
    None,
    /// A call is wanted: any, or a named one.
    Required,
}

/// A tool that the agent offers.
#[derive(Clone, Debug)]
pub struct Tool {
    pub name: String,
    pub kind: CallKind,
    /// The JSON Schema of the arguments, as the agent sent it.
    pub schema: Option<Span>,
}

/// How a call carries its input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CallKind {
    /// Arguments that should be one JSON object.
    Function,
    /// Free text, or something the provider runs itself: never parsed.
    Custom,
    /// The one call of an answer in the API's first form: no id, answered by name.
    Legacy,
}

/// One element of a history.
#[derive(Clone, Debug, Default)]
pub struct Element {
    pub span: Span,
    pub role: Role,
    /// The content's value, of whatever kind.
    pub(crate) content: Option<Span>,
    /// The value that holds the calls.
    pub(crate) calls: Option<Span>,
    /// The id of the call that this result answers.
    pub(crate) answers: Option<Span>,
    /// A name beside the content.
    pub(crate) name: Option<Span>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Role {
    System,
    User,
    Assistant,
    /// A tool result.
    Tool,
    /// A role that this version does not know: relayed, compared by value, never judged.
    #[default]
    Other,
}

/// A call, in a history or in an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call<'a> {
    pub id: Cow<'a, str>,
    pub name: Cow<'a, str>,
    /// The argument text, unescaped from the string that carried it; for custom tools the input.
    pub arguments: Cow<'a, str>,
    pub kind: CallKind,
}

/// What a result names of the call that it answers: its id, or in the API's first form its tool.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Address<'a> {
    Id(Cow<'a, str>),
    Name(Cow<'a, str>),
}

/// A call of which only the address and the tool's name are of interest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Called<'a> {
    pub address: Address<'a>,
    pub name: Cow<'a, str>,
}

/// What is to become of one of an element's texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rewritten {
    /// Changed, in order of place and without overlaps; not at all where there are none.
    Changed(Vec<Change>),
    /// Left out, together with what frames it. An element keeps one text at least.
    Dropped,
}

/// Why a body cannot be read in its dialect. It then goes on as it came.
#[derive(Debug, thiserror::Error)]
pub enum Unread {
    #[error("the body is not UTF-8")]
    NotUtf8,
    #[error(transparent)]
    NotJson(#[from] Malformed),
    #[error("the body is not an object")]
    NotAnObject,
}

// === impl Dialect ===

impl Dialect {
    /// The dialect spoken at `path` (without the query), by its ending, so that prefixes such as
    /// Azure's `/openai/deployments/NAME` do not matter.
    pub fn of_path(path: &str) -> Option<Self> {
        path.trim_end_matches('/').ends_with("/chat/completions").then_some(Self::Chat)
    }

    pub fn code(self) -> &'static str {
        match self {
            Self::Chat => "chat",
        }
    }

    /// Reads a request body.
    pub fn read(self, body: Bytes) -> Result<Transcript, Unread> {
        match self {
            Self::Chat => chat::request::read(body),
        }
    }

    /// The call that a provider's error speaks of: one that the model wrote and the provider could not read.
    pub fn refused_call(self, error: &str) -> Option<Call<'_>> {
        match self {
            Self::Chat => chat::refused::read(error),
        }
    }

    /// An error of our own in the API's shape.
    pub fn error(self, code: &str, message: &str) -> String {
        match self {
            Self::Chat => chat::error(code, message),
        }
    }
}

// === impl Transcript ===

impl Transcript {
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }
    pub fn body(&self) -> &Bytes {
        &self.body
    }
    /// The body as text: it was checked when it was read.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_default()
    }
    /// The value under a span of this transcript.
    pub fn json(&self, span: Span) -> Json<'_> {
        // Only what is asked for is looked at again: the whole body, at each call, would cost more than reading it.
        let bytes = self.body.get(span.start..span.end).unwrap_or_default();
        Json::trusted(simdutf8::basic::from_utf8(bytes).unwrap_or_default())
    }
    pub fn model(&self) -> Option<Cow<'_, str>> {
        self.json(self.model?).string()
    }
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
    /// The calls of an assistant element, in order; none for others.
    pub fn calls(&self, element: &Element) -> Vec<Call<'_>> {
        match self.dialect {
            Dialect::Chat => chat::request::calls(self, element),
        }
    }
    /// The ids of an assistant element's calls, as [`calls`](Self::calls) gives them, without reading the calls' input.
    pub fn call_ids(&self, element: &Element) -> Vec<Cow<'_, str>> {
        match self.dialect {
            Dialect::Chat => chat::request::call_ids(self, element),
        }
    }
    /// The calls of an assistant element, as [`calls`](Self::calls) gives them, without reading their input.
    pub fn called(&self, element: &Element) -> Vec<Called<'_>> {
        match self.dialect {
            Dialect::Chat => chat::request::called(self, element),
        }
    }
    /// The call that a result answers, as far as it says so.
    pub fn address(&self, element: &Element) -> Option<Address<'_>> {
        let id = self.answers(element).map(Address::Id);
        id.or_else(|| self.result_name(element).map(Address::Name))
    }
    /// The texts of an element one by one, those that [`content`](Self::content) joins.
    pub fn texts(&self, element: &Element) -> Vec<Cow<'_, str>> {
        match self.dialect {
            Dialect::Chat => chat::content::texts(self, element),
        }
    }
    /// Changes an element's texts, one [`Rewritten`] for each.
    pub fn rewrite(&self, element: &Element, texts: &[Rewritten], edits: &mut Splices) {
        match self.dialect {
            Dialect::Chat => chat::content::rewrite(self, element, texts, edits),
        }
    }
    /// The text of an element: its string, or its text parts joined by line breaks; empty where there is none.
    pub fn content(&self, element: &Element) -> Cow<'_, str> {
        match self.dialect {
            Dialect::Chat => chat::request::content(self, element),
        }
    }
    /// The id of the call that a tool result answers.
    pub fn answers(&self, element: &Element) -> Option<Cow<'_, str>> {
        self.json(element.answers?).string()
    }
    /// An assistant's element as an answer that the agent saw.
    pub fn visible(&self, element: &Element) -> Visible {
        match self.dialect {
            Dialect::Chat => chat::value::visible_of(self, element),
        }
    }
    /// An element's value: equal for elements that say the same, however they are written.
    pub fn value(&self, element: &Element) -> Vec<u8> {
        match self.dialect {
            Dialect::Chat => chat::value::bytes_of(self, element),
        }
    }
    /// Puts back, around the answer at `place`, what the agent did not see of it.
    pub fn restore(&self, place: usize, hidden: &Hidden, edits: &mut Splices) {
        match self.dialect {
            Dialect::Chat => chat::edit::restore(self, place, hidden, edits),
        }
    }
    /// Appends elements to the history; `false` where there is none to append to.
    pub fn append(&self, elements: &[Bytes], edits: &mut Splices) -> bool {
        match self.dialect {
            Dialect::Chat => chat::edit::append(self, elements, edits),
        }
    }
    /// Tells the model to answer in words.
    pub fn conclude(&self, edits: &mut Splices) {
        match self.dialect {
            Dialect::Chat => chat::edit::conclude(self, edits),
        }
    }
    /// The tool's name where a result carries it (the legacy form does).
    pub fn result_name(&self, element: &Element) -> Option<Cow<'_, str>> {
        self.json(element.name?).string()
    }
}
