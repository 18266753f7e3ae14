//! The walk over a text, front to back, that checks as it goes.

use std::borrow::Cow;

use super::{Expected, Json, Kind, Malformed, Span, escape, scan};

/// Walks JSON text once. Offsets are into the text it was made with.
///
/// Inside an object each [`next_key`](Self::next_key), and inside an array each
/// [`next_element`](Self::next_element) that says `true`, has to be followed by passing exactly one value.
/// After an error the reader is of no more use.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    text: &'a str,
    at: usize,
}

/// Where a [`Reader`] stands inside an object or an array that it has entered.
#[derive(Clone, Copy, Debug)]
pub struct Entered {
    /// No child has been passed yet, so no comma is due.
    first: bool,
}

/// A member's name as written, without its quotes.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a> {
    /// The name's text between the quotes, escapes and all.
    pub raw: &'a str,
    /// Where it stands, quotes included: in the text of the [`Reader`], or of the [`Json`] that it is a member of.
    pub span: Span,
}

// === impl Reader ===

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Goes on at byte `at` of a text whose front is known already.
    pub fn starting_at(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    /// The kind of the value that comes next (white space before it is passed).
    pub fn kind(&mut self) -> Result<Kind, Malformed> {
        self.pass_white_space();
        scan::kind(self.bytes(), self.at)
    }

    /// Passes over one value of any kind, checking its grammar.
    pub fn skip(&mut self) -> Result<Span, Malformed> {
        self.pass_white_space();
        let start = self.at;
        self.at = scan::value(self.bytes(), start)?;
        Ok(Span::new(start, self.at))
    }

    /// The value that comes next, passed over and known to be well-formed.
    pub fn value(&mut self) -> Result<Json<'a>, Malformed> {
        let span = self.skip()?;
        Ok(Json::trusted(span.of(self.text)))
    }

    /// Steps into an object.
    pub fn object(&mut self) -> Result<Entered, Malformed> {
        self.enter(b'{', Expected::Object)
    }

    /// The next member's name, the reader standing before its value; `None` once `}` is passed.
    pub fn next_key(&mut self, entered: &mut Entered) -> Result<Option<Key<'a>>, Malformed> {
        if !self.next_child(entered, b'}', Expected::after(true))? {
            return Ok(None);
        }
        if self.peek() != Some(b'"') {
            return scan::malformed(self.bytes(), self.at, Expected::Name);
        }
        let span = Span::new(self.at, scan::string(self.bytes(), self.at)?);
        self.at = scan::colon(self.bytes(), span.end)?;
        let raw = Span::new(span.start + 1, span.end - 1).of(self.text);
        Ok(Some(Key { raw, span }))
    }

    /// Steps into an array.
    pub fn array(&mut self) -> Result<Entered, Malformed> {
        self.enter(b'[', Expected::Array)
    }

    /// Whether another element follows, the reader standing before it; `false` once `]` is passed.
    pub fn next_element(&mut self, entered: &mut Entered) -> Result<bool, Malformed> {
        let another = self.next_child(entered, b']', Expected::after(false))?;
        // The caller may not read the element at once: a comma before `]` is to be told where it stands.
        if another {
            scan::kind(self.bytes(), self.at)?;
        }
        Ok(another)
    }

    /// Goes on behind a child that ends at `at`, all up to there being known.
    pub fn resume(&mut self, entered: &mut Entered, at: usize) {
        entered.first = false;
        self.at = at;
    }

    /// Goes on behind a value that ends at `at`, which is known.
    pub fn pass_to(&mut self, at: usize) {
        self.at = at;
    }

    /// The byte the reader stands at.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Only white space may follow.
    pub fn end(&mut self) -> Result<(), Malformed> {
        self.pass_white_space();
        match self.peek() {
            Some(_) => scan::malformed(self.bytes(), self.at, Expected::TextEnd),
            None => Ok(()),
        }
    }

    fn enter(&mut self, bracket: u8, expected: Expected) -> Result<Entered, Malformed> {
        self.pass_white_space();
        self.at = scan::byte(self.bytes(), self.at, bracket, expected)?;
        Ok(Entered { first: true })
    }

    /// Passes the comma that is due, or the closing bracket; says whether a child must follow.
    fn next_child(
        &mut self,
        entered: &mut Entered,
        closing: u8,
        expected: Expected,
    ) -> Result<bool, Malformed> {
        self.pass_white_space();
        if self.peek() == Some(closing) {
            self.at += 1;
            return Ok(false);
        }
        if !std::mem::take(&mut entered.first) {
            self.at = scan::byte(self.bytes(), self.at, b',', expected)?;
            self.pass_white_space();
        }
        Ok(true)
    }

    fn pass_white_space(&mut self) {
        self.at = scan::white_space(self.bytes(), self.at);
    }

    fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }
}

// === impl Key ===

impl<'a> Key<'a> {
    /// Whether the member is called `name` (escapes in the key are understood).
    pub fn is(&self, name: &str) -> bool {
        if self.is_plain() { self.raw == name } else { self.name() == name }
    }

    /// The name, unescaped. A lone surrogate reads as U+FFFD.
    pub fn name(&self) -> Cow<'a, str> {
        if self.is_plain() { Cow::Borrowed(self.raw) } else { escape::unescape(self.raw) }
    }

    /// Names are too short for a call of `memchr` to pay.
    fn is_plain(&self) -> bool {
        self.raw.bytes().all(|byte| byte != b'\\')
    }
}
