//! Server-sent events as frames of raw bytes.
//!
//! Every byte that goes in comes out in some frame's `raw`, in order: nothing is normalised. The grammar is
//! the one of the HTML standard: LF, CRLF or CR, a BOM at the start, comments, several `data:` lines.

use bytes::Bytes;

/// One event or comment block with the blank line that ends it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The bytes as they came.
    pub raw: Bytes,
    /// The data lines joined by LF; `None` for a block without any (comments, `retry:`).
    pub data: Option<Bytes>,
    /// Where the data lies in `raw`, if it is one line and so can be spliced in place.
    pub data_at: Option<crate::wire::span::Span>,
    /// The value of the `event:` field.
    pub event: Option<Bytes>,
}

/// One frame grew past the limit the framer was made with.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("an event is longer than {limit} bytes")]
pub struct TooLarge {
    pub limit: usize,
}

/// Cuts a byte stream into frames.
#[derive(Debug)]
pub struct Framer {
    limit: usize,
}

impl Framer {
    pub fn new(limit: usize) -> Self {
        Self { limit }
    }
    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: Bytes) {
        todo!()
    }
    /// The next whole frame, if one has come.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, TooLarge> {
        todo!()
    }
    /// At the end of the body: what is left, read as a frame though its blank line is missing.
    pub fn finish(&mut self) -> Option<Frame> {
        todo!()
    }
    /// Bytes held that do not make a frame yet.
    pub fn pending(&self) -> usize {
        todo!()
    }
}
