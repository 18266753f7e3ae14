//! Server-sent events as frames of raw bytes.
//!
//! Every byte that goes in comes out in some frame's `raw`, in order: nothing is normalised. The grammar is
//! the one of the HTML standard (section 9.2): LF, CRLF or CR, a BOM at the start, comments, several `data:`
//! lines. Where the frames are cut depends on the bytes alone, not on the pieces in which they come, and a
//! frame that lies within one piece is a slice of it.

use std::collections::VecDeque;
use std::ops::Range;

use bytes::{Bytes, BytesMut};
use memchr::{memchr, memchr2};

use super::span::Span;

#[cfg(test)]
mod tests;

const BOM: &[u8] = b"\xef\xbb\xbf";

/// One event or comment block with the blank line that ends it. A blank line with nothing before it is a
/// frame of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// The bytes as they came.
    pub raw: Bytes,
    /// The data lines joined by LF; `None` for a block without any (comments, `retry:`).
    pub data: Option<Bytes>,
    /// Where the data lies in `raw`, if it is one line and so can be spliced in place.
    pub data_at: Option<Span>,
    /// The value of the `event:` field.
    pub event: Option<Bytes>,
}

/// One frame grew past the limit the framer was made with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("an event is longer than {limit} bytes")]
pub struct TooLarge {
    pub limit: usize,
}

/// Cuts a byte stream into frames.
#[derive(Debug)]
pub struct Framer {
    limit: usize,
    /// The beginning of a frame, out of pieces that are used up. All of it has been scanned.
    carry: BytesMut,
    /// Pieces not used up, none of which has been scanned.
    queue: VecDeque<Bytes>,
    scan: Scan,
    /// Nothing was given out yet, so a BOM may come.
    at_start: bool,
    /// A frame was too long: nothing is framed any more.
    overflown: bool,
}

/// Where the scan for a blank line stands.
#[derive(Clone, Copy, Debug)]
enum Scan {
    /// Within a line that is not blank.
    Line,
    /// At the start of a line.
    Start,
    /// At the start of a line, after a CR that an LF may still belong to.
    AfterCr,
    /// A blank line ended in CR; only the next byte tells whether an LF belongs to it.
    Held,
}

/// Whether an event stream may go on with another event after these bytes: they end with a blank line.
pub fn ends_blank(bytes: &[u8]) -> bool {
    let line = bytes.strip_suffix(b"\n").map(|rest| rest.strip_suffix(b"\r").unwrap_or(rest));
    line.or_else(|| bytes.strip_suffix(b"\r"))
        .is_some_and(|rest| rest.is_empty() || rest.ends_with(b"\n") || rest.ends_with(b"\r"))
}

// === impl Frame ===

impl Frame {
    /// A frame that was read before. `first`: it was the first of its stream, where a BOM is not part of a line.
    pub fn again(raw: Bytes, first: bool) -> Self {
        let skipped = if first && raw.starts_with(BOM) { BOM.len() } else { 0 };
        Self::read(raw, skipped)
    }

    /// A body that is no event stream, as the one frame of a stream. A BOM before it is not part of the data.
    pub fn of_whole(body: Bytes) -> Self {
        let start = if body.starts_with(BOM) { BOM.len() } else { 0 };
        let at = Span::new(start, body.len());
        Self { data: Some(body.slice(start..)), data_at: Some(at), raw: body, event: None }
    }
}

// === impl Framer ===

impl Framer {
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            carry: BytesMut::new(),
            queue: VecDeque::new(),
            scan: Scan::Start,
            at_start: true,
            overflown: false,
        }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            self.queue.push_back(bytes);
        }
    }

    /// The next whole frame, if one has come. After an error there is nothing but the error; the bytes are
    /// still there for [`Framer::finish`].
    pub fn next_frame(&mut self) -> Result<Option<Frame>, TooLarge> {
        while !self.overflown {
            let Some(piece) = self.queue.front_mut() else { return Ok(None) };
            let end = self.scan.frame_end(piece);
            if self.carry.len() + end.unwrap_or(piece.len()) > self.limit {
                self.overflown = true;
                break;
            }
            if let Some(end) = end {
                let last = piece.split_to(end);
                if piece.is_empty() {
                    self.queue.pop_front();
                }
                return Ok(Some(self.complete(last)));
            }
            self.carry.extend_from_slice(piece);
            self.queue.pop_front();
        }
        Err(TooLarge { limit: self.limit })
    }

    /// At the end of the body: what is left, read as a frame though its blank line is missing. Whole frames
    /// that were not fetched come first, one a call; `None` means that every byte has been given out.
    pub fn finish(&mut self) -> Option<Frame> {
        if let Ok(Some(frame)) = self.next_frame() {
            return Some(frame);
        }
        while self.queue.len() > 1 || !self.carry.is_empty() {
            let Some(piece) = self.queue.pop_front() else { break };
            self.carry.extend_from_slice(&piece);
        }
        let last = self.queue.pop_front().unwrap_or_default();
        (!last.is_empty() || !self.carry.is_empty()).then(|| self.complete(last))
    }

    /// Bytes held that do not make a frame yet.
    pub fn pending(&self) -> usize {
        self.carry.len() + self.queue.iter().map(Bytes::len).sum::<usize>()
    }

    /// The frame that `last` ends: a slice of what was pushed where nothing was carried over.
    fn complete(&mut self, last: Bytes) -> Frame {
        let raw = if self.carry.is_empty() {
            last
        } else {
            self.carry.extend_from_slice(&last);
            std::mem::take(&mut self.carry).freeze()
        };
        Frame::again(raw, std::mem::take(&mut self.at_start))
    }
}

// === impl Scan ===

impl Scan {
    /// Scans bytes that follow what was scanned before: where in them the frame ends, if it does.
    ///
    /// A CR that makes a line blank is held until the next byte is seen, so that CRLF is never torn apart:
    /// clients that look for CRLF CRLF would sit on the event. Where the line before ended in a bare CR as
    /// well, the provider means CR, and the event must not wait for the next one.
    fn frame_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match (*self, byte) {
                (Self::Line, _) => match memchr2(b'\n', b'\r', bytes.get(at..)?) {
                    None => return None,
                    Some(offset) => {
                        at += offset;
                        *self = if bytes.get(at) == Some(&b'\r') { Self::AfterCr } else { Self::Start };
                    }
                },
                (Self::AfterCr, b'\n') => *self = Self::Start,
                (Self::AfterCr, b'\r') => return Some(at + 1),
                (Self::Start | Self::Held, b'\n') => {
                    *self = Self::Start;
                    return Some(at + 1);
                }
                (Self::Start, b'\r') => *self = Self::Held,
                (Self::Held, _) => {
                    *self = Self::AfterCr;
                    return Some(at);
                }
                (Self::Start | Self::AfterCr, _) => *self = Self::Line,
            }
            at += 1;
        }
        None
    }
}

// === impl Frame ===

impl Frame {
    /// Reads the fields of a block, of which the first `skipped` bytes are no text.
    fn read(raw: Bytes, skipped: usize) -> Self {
        let mut event = None;
        let mut data = None;
        let mut data_at = None;
        let mut joined: Option<BytesMut> = None;
        for line in Lines::new(&raw, skipped) {
            let field = Field::read(&raw, line);
            match field.name {
                b"event" => event = Some(raw.slice(field.value)),
                b"data" if data.is_none() => {
                    data_at = field.colon.then_some(Span { start: field.value.start, end: field.value.end });
                    data = Some(raw.slice(field.value));
                }
                b"data" => {
                    data_at = None;
                    let joined = joined.get_or_insert_with(|| BytesMut::from(data.as_deref().unwrap_or(b"")));
                    joined.extend_from_slice(b"\n");
                    joined.extend_from_slice(raw.get(field.value).unwrap_or_default());
                }
                _ => {}
            }
        }
        Self { data: joined.map(BytesMut::freeze).or(data), raw, data_at, event }
    }
}

/// One line as a field: a comment has the empty name.
struct Field<'a> {
    name: &'a [u8],
    value: Range<usize>,
    /// A line without a colon is a name alone: its value is empty, and has no place.
    colon: bool,
}

// === impl Field ===

impl<'a> Field<'a> {
    fn read(raw: &'a [u8], line: Range<usize>) -> Self {
        let text = raw.get(line.clone()).unwrap_or_default();
        let Some((name, value)) = memchr(b':', text).and_then(|colon| text.split_at_checked(colon)) else {
            return Self { name: text, value: line.end..line.end, colon: false };
        };
        let skipped = if value.starts_with(b": ") { 2 } else { 1 };
        Self { name, value: line.start + name.len() + skipped..line.end, colon: true }
    }
}

/// The lines of a block, without what ends them.
struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
}

// === impl Lines ===

impl<'a> Lines<'a> {
    fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
        let start = self.at;
        let length = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let ending = match rest.get(length..) {
            Some([b'\r', b'\n', ..]) => 2,
            Some([_, ..]) => 1,
            _ => 0,
        };
        self.at += length + ending;
        Some(start..start + length)
    }
}
