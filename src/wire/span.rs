//! A borrowed view of JSON text: where each value lies, without building any.
//!
//! [`Reader`] walks a text once, front to back, and checks the grammar as it goes; what its caller does not
//! descend into is skipped at the speed of a byte search. [`Json`] is a value that has been walked over
//! already, so its methods cannot fail. Neither looks at what escapes mean: lone surrogates, `1e999`,
//! 19-digit integers and any depth pass, for the bytes are what goes on.

use std::borrow::Cow;

/// A stretch of bytes, from `start` up to and without `end`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

/// What a JSON value is, told by its first byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Object,
    Array,
    String,
    Number,
    Boolean,
    Null,
}

/// Text that is not JSON: what was expected, and at which byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected {expected} at byte {at}")]
pub struct Malformed {
    pub at: usize,
    pub expected: &'static str,
    /// The text ended where more was needed: a cut, not a slip.
    pub truncated: bool,
}

/// Walks JSON text once. Offsets are into the text it was made with.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// Where a [`Reader`] stands inside an object or an array that it has entered.
#[derive(Clone, Copy, Debug)]
pub struct Entered {
    first: bool,
}

/// A member's name as written, without its quotes.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    /// The name's text between the quotes, escapes and all.
    pub raw: &'a str,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// One whole, well-formed JSON value, without white space around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Json<'a>(&'a str);

// === impl Span ===

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        todo!()
    }
    pub fn len(self) -> usize {
        todo!()
    }
    pub fn is_empty(self) -> bool {
        todo!()
    }
    /// The text under this span; empty where the span does not fit the text.
    pub fn of(self, text: &str) -> &str {
        todo!()
    }
}

// === impl Reader ===

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }
    /// The kind of the value that comes next (white space before it is passed).
    pub fn kind(&mut self) -> Result<Kind, Malformed> {
        todo!()
    }
    /// Passes over one value of any kind, checking its grammar.
    pub fn skip(&mut self) -> Result<Span, Malformed> {
        todo!()
    }
    /// The value that comes next, passed over and known to be well-formed.
    pub fn value(&mut self) -> Result<Json<'a>, Malformed> {
        todo!()
    }
    /// Steps into an object.
    pub fn object(&mut self) -> Result<Entered, Malformed> {
        todo!()
    }
    /// The next member's name, the reader standing before its value; `None` once `}` is passed.
    pub fn next_key(&mut self, entered: &mut Entered) -> Result<Option<Key<'a>>, Malformed> {
        todo!()
    }
    /// Steps into an array.
    pub fn array(&mut self) -> Result<Entered, Malformed> {
        todo!()
    }
    /// Whether another element follows, the reader standing before it; `false` once `]` is passed.
    pub fn next_element(&mut self, entered: &mut Entered) -> Result<bool, Malformed> {
        todo!()
    }
    /// The byte the reader stands at.
    pub fn offset(&self) -> usize {
        self.at
    }
    /// Only white space may follow.
    pub fn end(&mut self) -> Result<(), Malformed> {
        todo!()
    }
}

// === impl Key ===

impl Key<'_> {
    /// Whether the member is called `name` (escapes in the key are understood).
    pub fn is(&self, name: &str) -> bool {
        todo!()
    }
    pub fn name(&self) -> Cow<'_, str> {
        todo!()
    }
}

// === impl Json ===

impl<'a> Json<'a> {
    /// Reads text that is one whole value, white space around it allowed.
    pub fn parse(text: &'a str) -> Result<Self, Malformed> {
        todo!()
    }
    /// A value that a [`Reader`] or a [`Json`] has passed over before: not checked again.
    pub fn trusted(text: &'a str) -> Self {
        Self(text)
    }
    pub fn text(self) -> &'a str {
        self.0
    }
    pub fn kind(self) -> Kind {
        todo!()
    }
    pub fn is_null(self) -> bool {
        todo!()
    }
    /// The string's value, unescaped; `None` for other kinds. A lone surrogate reads as U+FFFD.
    pub fn string(self) -> Option<Cow<'a, str>> {
        todo!()
    }
    /// The string's text between its quotes, escapes and all; `None` for other kinds.
    pub fn raw_string(self) -> Option<&'a str> {
        todo!()
    }
    pub fn boolean(self) -> Option<bool> {
        todo!()
    }
    /// The number, if it is written as an integer that fits.
    pub fn integer(self) -> Option<i64> {
        todo!()
    }
    /// The members in the order written, duplicates too; nothing for other kinds.
    pub fn members(self) -> impl Iterator<Item = (Key<'a>, Json<'a>)> {
        std::iter::empty()
    }
    /// The elements in order; nothing for other kinds.
    pub fn elements(self) -> impl Iterator<Item = Json<'a>> {
        std::iter::empty()
    }
    /// The member called `name`; of duplicates the last, as JSON parsers do.
    pub fn member(self, name: &str) -> Option<Json<'a>> {
        todo!()
    }
    /// The value at an RFC 6901 pointer.
    pub fn pointer(self, pointer: &str) -> Option<Json<'a>> {
        todo!()
    }
    /// Where this value lies in `whole`, which it must be a part of.
    pub fn span_in(self, whole: &str) -> Span {
        todo!()
    }
}
