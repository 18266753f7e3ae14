//! The text of a call's input, as long as it may be while it comes in pieces.

use std::borrow::Cow;

use bytes::BytesMut;

use crate::wire::span::Span;

/// A text that grows and does not move: what is held takes the memory it must, and leaves none behind.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Input {
    /// All of a short text, or of one that came at once.
    head: String,
    /// The rest, in parts that are full but for the last. A character may lie across two of them.
    rest: Vec<Vec<u8>>,
}

/// Bytes of a part.
const PART: usize = 4 << 10;

/// What is reserved at first.
const LITTLE: usize = 64;

// === impl Input ===

impl Input {
    pub(in super::super) fn push(&mut self, piece: &str) {
        let length = self.head.len() + piece.len();
        if self.rest.is_empty() && (length <= PART || self.head.is_empty()) {
            if length > self.head.capacity() {
                let room = length.max((2 * self.head.len()).clamp(LITTLE, PART));
                self.head.reserve_exact(room - self.head.len());
            }
            self.head.push_str(piece);
            return;
        }
        let mut piece = piece.as_bytes();
        while !piece.is_empty() {
            let last = match self.rest.pop() {
                Some(last) if last.len() < PART => last,
                full => {
                    self.rest.extend(full);
                    Vec::with_capacity(PART)
                }
            };
            self.rest.push(last);
            let Some(last) = self.rest.last_mut() else { return };
            let (now, later) = piece.split_at(piece.len().min(PART - last.len()));
            last.extend_from_slice(now);
            piece = later;
        }
    }

    pub(in super::super) fn len(&self) -> usize {
        let last = self.rest.last().map_or(0, Vec::len);
        self.head.len() + self.rest.len().saturating_sub(1) * PART + last
    }

    pub(super) fn is_empty(&self) -> bool {
        self.head.is_empty()
    }

    /// The text in one.
    pub(in super::super) fn text(&self) -> Cow<'_, str> {
        if self.rest.is_empty() {
            return Cow::Borrowed(&self.head);
        }
        let whole = [self.head.as_bytes()].into_iter().chain(self.rest.iter().map(Vec::as_slice));
        let whole = whole.collect::<Vec<_>>().concat();
        Cow::Owned(String::from_utf8(whole).unwrap_or_default())
    }

    /// Whether `piece` stands at byte `at`.
    pub(in super::super) fn has_at(&self, at: usize, piece: &str) -> bool {
        let mut piece = piece.as_bytes();
        let whole = self.parts(Span::new(at, at + piece.len())).all(|part| {
            let rest = piece.strip_prefix(part);
            piece = rest.unwrap_or(piece);
            rest.is_some()
        });
        whole && piece.is_empty()
    }

    /// Writes the bytes of a stretch.
    pub(in super::super) fn write(&self, stretch: Span, out: &mut BytesMut) {
        for part in self.parts(stretch) {
            out.extend_from_slice(part);
        }
    }

    /// The bytes of a stretch, part by part.
    fn parts(&self, stretch: Span) -> impl Iterator<Item = &[u8]> {
        let head = self.head.len();
        let in_head = self.head.as_bytes().get(stretch.start.min(head)..stretch.end.min(head));
        let (start, end) = (stretch.start.saturating_sub(head), stretch.end.saturating_sub(head));
        let first = start / PART;
        let in_rest = self.rest.iter().enumerate().skip(first).take(end.div_ceil(PART).saturating_sub(first));
        let in_rest = in_rest.filter_map(move |(place, part)| {
            let cut = |at: usize| at.saturating_sub(place * PART).min(part.len());
            part.get(cut(start)..cut(end))
        });
        in_head.into_iter().chain(in_rest)
    }
}

impl From<String> for Input {
    fn from(head: String) -> Self {
        Self { head, rest: Vec::new() }
    }
}

#[cfg(test)]
mod tests;
