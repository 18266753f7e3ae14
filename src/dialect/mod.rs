//! What the bytes mean in each API. This is the only room that names an API's fields.
//!
//! A dialect reads a request into a [`Transcript`] of spans, reads the provider's answer as it comes
//! ([`Answer`]), and writes what the proxy puts in: rounds, results, errors. It knows no rules: what is right
//! or wrong with a call is for `guard` to say.

mod answer;
pub mod chat;
mod mend;
mod path;

pub use chat::answer::Answer;

pub use mend::{Entry, Piece};

pub use answer::{
    Broken, Closing, Decision, Hidden, HiddenCall, HiddenRound, NewCall, Pending, Usage, Visible,
};

use std::borrow::Cow;

use bytes::Bytes;

use crate::wire::span::{Json, Kind, Malformed, Span};
use crate::wire::splice::{self, Splices};

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
    /// Checked UTF-8, and one well-formed JSON object; or nothing that can be read, and then no span points into it.
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
    /// A list of tools is given, and nothing is in it.
    bare: bool,
    /// The history, in order.
    pub elements: Vec<Element>,
    /// The calls of all elements, in order.
    entries: Vec<EntrySpans>,
    /// The array that holds the history.
    history: Option<Span>,
    /// Where `tool_choice` is given: its value.
    tool_choice_at: Option<Span>,
    /// Where all tools are offered, if that is one list; whether in the API's first form.
    offer: Option<(Span, bool)>,
    /// So many elements, from the first on, are settled.
    settled: usize,
}

/// Where the parts of a call lie. What is missing, or of another form, is `None`.
#[derive(Clone, Copy, Debug)]
struct EntrySpans {
    /// A string, and never empty.
    id: Option<Span>,
    /// A string.
    name: Option<Span>,
    input: Option<Span>,
    kind: CallKind,
    /// The object that holds the name and the input.
    inner: Span,
    /// All of it.
    whole: Span,
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
    /// The object that names it.
    pub(crate) definition: Span,
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
    /// Its calls among those of all elements.
    pub(crate) entries: (usize, usize),
    /// An empty list of calls is given.
    pub(crate) bare: bool,
    /// A call in the API's first form is given beside a list of calls.
    pub(crate) mixed: bool,
    /// The id of the call that this result answers.
    pub(crate) answers: Option<Span>,
    /// It is a result in the API's first form, which answers by name.
    pub(crate) by_name: bool,
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

/// A call that the model wrote and its provider would not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RefusedCall {
    pub call: Call<'static>,
    /// What the provider says of it, in one line; empty if nothing.
    pub said: String,
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
    Changed(Vec<splice::Change>),
    /// Left out, together with what frames it. An element keeps one text at least.
    Dropped,
}

/// Why a body cannot be read in its dialect. It then goes on as it came, as [`Transcript::unread`].
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
    /// Azure's `/openai/deployments/NAME` do not matter; nor does how the path is written.
    pub fn of_path(path: &str) -> Option<Self> {
        path::ends_in(path, &["chat", "completions"]).then_some(Self::Chat)
    }

    pub fn code(self) -> &'static str {
        match self {
            Self::Chat => "chat",
        }
    }

    /// Reads a request body.
    pub fn read(self, body: Bytes) -> Result<Transcript, Unread> {
        self.read_behind(body, None)
    }

    /// Reads a request body as [`read`](Self::read) does. What stands in an earlier one, too, at the beginning of its
    /// history or as its list of tools, is taken from there and not read again.
    pub fn read_behind(self, body: Bytes, earlier: Option<&Transcript>) -> Result<Transcript, Unread> {
        match self {
            Self::Chat => chat::request::read(body, earlier),
        }
    }

    /// The call that a provider's error speaks of: one that the model wrote and the provider would not have.
    pub fn refused_call(self, error: &str) -> Option<RefusedCall> {
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
    /// Of a body that cannot be read here, though the provider may: nothing is known of it. Any tool may be
    /// offered, and any object be right for it. How many answers were asked for is unknown too.
    pub fn unread(dialect: Dialect, body: Bytes) -> Self {
        Self {
            dialect,
            body,
            model: None,
            stream: false,
            usage: false,
            choices: 1,
            tool_choice: ToolChoice::Auto,
            parallel: true,
            tools: Vec::new(),
            closed: false,
            bare: false,
            elements: Vec::new(),
            entries: Vec::new(),
            history: None,
            tool_choice_at: None,
            offer: None,
            settled: 0,
        }
    }
    /// The elements that this request begins with as an earlier one did, which had to be told in no other way.
    pub fn settled(&self) -> &[Element] {
        self.elements.get(..self.settled).unwrap_or_default()
    }
    /// All of the body that may have to be told in another way.
    pub fn unsettled(&self) -> &[u8] {
        let start = self.settled().last().map_or(0, |last| last.span.end);
        self.body.get(start..).unwrap_or_default()
    }
    /// The earlier request was not told as it is, so nothing is settled.
    pub fn unsettle(&mut self) {
        self.settled = 0;
    }
    /// Whether the model can be asked again: for one answer, and with its refused calls at the history's end.
    pub fn can_go_back(&self) -> bool {
        self.choices == 1 && self.history.is_some()
    }
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
    /// What the value under a span is, told without reading it.
    pub(crate) fn kind(&self, span: Span) -> Kind {
        let first = self.body.get(span.start).map(std::slice::from_ref).unwrap_or_default();
        Json::trusted(std::str::from_utf8(first).unwrap_or_default()).kind()
    }
    /// Where a value of this transcript lies.
    pub(crate) fn place(&self, value: Json<'_>) -> Span {
        let start = value.text().as_ptr().addr().wrapping_sub(self.body.as_ptr().addr());
        Span::new(start, start.wrapping_add(value.text().len()))
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
    /// Tells the model `paragraphs` at the head of the history; whether that changed anything.
    pub fn instruct(&self, paragraphs: &[&str], edits: &mut Splices) -> bool {
        match self.dialect {
            Dialect::Chat => chat::system::instruct(self, paragraphs, edits),
        }
    }
    /// Adds a paragraph to what the model is told of a tool; whether that changed anything.
    pub fn describe(&self, tool: &Tool, paragraph: &str, edits: &mut Splices) -> bool {
        match self.dialect {
            Dialect::Chat => chat::offer::describe(self, tool, paragraph, edits),
        }
    }
    /// Whether the provider is to hold the model to the tool's schema while it writes, which providers do with
    /// few keywords only.
    pub fn is_strict(&self, tool: &Tool) -> bool {
        match self.dialect {
            Dialect::Chat => chat::offer::is_strict(self, tool),
        }
    }
    /// Whether there is anything to call, known here or not.
    pub fn offers_tools(&self) -> bool {
        !self.tools.is_empty() || !self.closed
    }
    /// The tool's name where a result carries it (the legacy form does).
    pub fn result_name(&self, element: &Element) -> Option<Cow<'_, str>> {
        self.json(element.name?).string()
    }
}
