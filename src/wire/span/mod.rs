//! A borrowed view of JSON text: where each value lies, without building any.
//!
//! [`Reader`] walks a text once, front to back, and checks the grammar as it goes; what its caller does not
//! descend into is skipped at the speed of a byte search. [`Json`] is a value that has been walked over
//! already, so its methods cannot fail. Neither looks at what escapes mean: lone surrogates, `1e999`,
//! 19-digit integers and any depth pass, for the bytes are what goes on.

mod escape;
mod expected;
mod json;
mod nested;
mod reader;
mod scan;
#[cfg(test)]
mod tests;

pub(super) use self::escape::{Piece, pieces, places};
pub use self::{
    escape::unescape,
    expected::Expected,
    json::Json,
    reader::{Entered, Key, Reader},
};

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
    pub expected: Expected,
    /// The text ended where more was needed: a cut, not a slip.
    pub truncated: bool,
}

// === impl Span ===

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The same stretch in a text that the first one stands in, from `offset` on.
    #[must_use]
    pub fn shifted(self, offset: usize) -> Self {
        Self { start: self.start + offset, end: self.end + offset }
    }

    /// The same stretch of a text that stood at `from` and stands at `to` now.
    #[must_use]
    pub fn moved(self, from: usize, to: usize) -> Self {
        let moved = |at: usize| at.saturating_sub(from) + to;
        Self { start: moved(self.start), end: moved(self.end) }
    }

    /// The text under this span; empty where the span does not fit the text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

// === impl Kind ===

impl Kind {
    /// What a value that begins with `first` can only be.
    fn of(first: u8) -> Option<Self> {
        Some(match first {
            b'{' => Self::Object,
            b'[' => Self::Array,
            b'"' => Self::String,
            b'-' | b'0'..=b'9' => Self::Number,
            b't' | b'f' => Self::Boolean,
            b'n' => Self::Null,
            _ => return None,
        })
    }
}
