//! Events of one call that wait, without its input: that is in the call already.
//!
//! Neighbouring events of a stream differ in little but the piece of input they bring. What stands around the
//! piece is kept once for as long as it stays the same, and of each piece only its length, so that a held call
//! takes little more memory than its input. Unpacked, the events are the bytes that came.

use bytes::{Bytes, BytesMut};

use crate::wire::span::Span;

/// Events in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Row {
    runs: Vec<Run>,
}

/// Events with the same bytes around pieces of input that follow each other.
#[derive(Debug)]
struct Run {
    before: Box<[u8]>,
    after: Box<[u8]>,
    /// Where in the call's input the first piece begins.
    start: usize,
    /// Where in the call's input the last piece ends.
    end: usize,
    /// The length of each piece: seven bits a byte, the lowest first, the high bit set where more follow.
    lengths: Vec<u8>,
}

/// The piece of input in an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// Where it stands in the event's bytes.
    pub(super) at: Span,
    /// Where in the call's input it was put; `None` where the call wants no more, and it will not go out.
    pub(super) start: Option<usize>,
}

// === impl Row ===

impl Row {
    pub(super) fn push(&mut self, raw: &[u8], piece: Option<Piece>) {
        let parts = piece.and_then(|piece| {
            let (before, rest) = raw.split_at_checked(piece.at.start)?;
            Some((piece, before, rest.get(piece.at.len()..)?))
        });
        let Some((piece, before, after)) = parts else { return self.push_run(raw, b"", 0, 0) };
        let length = piece.start.map_or(0, |_| piece.at.len());
        if let Some(last) = self.runs.last_mut()
            && *last.before == *before
            && *last.after == *after
            && piece.start.is_none_or(|start| start == last.end)
        {
            return last.push(length);
        }
        let next = self.runs.last().map_or(0, |last| last.end);
        self.push_run(before, after, piece.start.unwrap_or(next), length);
    }

    /// The events as they came, given the call's input.
    pub(super) fn unpack(&self, input: &str) -> Bytes {
        let surroundings = |run: &Run| (run.before.len() + run.after.len()) * run.lengths.len();
        let most = self.runs.iter().map(|run| surroundings(run) + run.end - run.start).sum();
        let mut events = BytesMut::with_capacity(most);
        for run in &self.runs {
            let mut at = run.start;
            for length in run.lengths() {
                events.extend_from_slice(&run.before);
                events.extend_from_slice(Span::new(at, at + length).of(input).as_bytes());
                events.extend_from_slice(&run.after);
                at += length;
            }
        }
        events.freeze()
    }

    fn push_run(&mut self, before: &[u8], after: &[u8], start: usize, length: usize) {
        let mut run =
            Run { before: before.into(), after: after.into(), start, end: start, lengths: Vec::new() };
        run.push(length);
        self.runs.push(run);
    }

    /// Bytes of memory, about.
    #[cfg(test)]
    pub(super) fn weight(&self) -> usize {
        let run = |run: &Run| size_of::<Run>() + run.before.len() + run.after.len() + run.lengths.capacity();
        self.runs.iter().map(run).sum()
    }
}

// === impl Run ===

impl Run {
    fn push(&mut self, length: usize) {
        self.end += length;
        let mut rest = length;
        while rest >= 0x80 {
            self.lengths.push(rest.to_le_bytes()[0] | 0x80);
            rest >>= 7;
        }
        self.lengths.push(rest.to_le_bytes()[0]);
    }

    fn lengths(&self) -> impl Iterator<Item = usize> {
        let mut bytes = self.lengths.iter();
        std::iter::from_fn(move || {
            let (mut length, mut shift) = (0, 0);
            loop {
                let byte = *bytes.next()?;
                length |= usize::from(byte & 0x7f) << shift;
                shift += 7;
                if byte < 0x80 {
                    return Some(length);
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Packs the events of pieces that a call took one after the other.
    fn packed(events: &[(String, String, String)]) -> (Row, String, String) {
        let (mut row, mut input, mut raw) = (Row::default(), String::new(), String::new());
        for (before, piece, after) in events {
            let at = Span::new(before.len(), before.len() + piece.len());
            let event = format!("{before}{piece}{after}");
            row.push(event.as_bytes(), Some(Piece { at, start: Some(input.len()) }));
            input.push_str(piece);
            raw.push_str(&event);
        }
        (row, input, raw)
    }

    #[test]
    fn four_bytes_a_piece_take_one_byte_an_event() {
        let events = vec![("data: {\"d\":\"".to_owned(), "{\\\"a".to_owned(), "\"}\n\n".to_owned()); 10_000];
        let (row, input, raw) = packed(&events);
        assert_eq!(row.unpack(&input), raw);
        assert!(row.weight() < 20 << 10, "{}", row.weight());
    }

    #[test]
    fn what_is_wanted_no_more_is_let_go() {
        let mut row = Row::default();
        let piece = Piece { at: Span::new(1, 4), start: None };
        row.push(b"[abc]", Some(piece));
        row.push(b"[def]", Some(piece));
        assert_eq!(row.unpack(""), "[][]");
        assert_eq!(row.runs.len(), 1);
    }

    #[test]
    fn an_event_of_another_form_stays_as_it_is() {
        let mut row = Row::default();
        row.push(b"[ab]", Some(Piece { at: Span::new(1, 3), start: Some(0) }));
        row.push(b": odd\n\n", None);
        row.push(b"[cd]", Some(Piece { at: Span::new(1, 3), start: Some(2) }));
        assert_eq!(row.unpack("abcd"), "[ab]: odd\n\n[cd]");
    }

    proptest! {
        #[test]
        fn unpacked_is_what_was_packed(
            events in prop::collection::vec(
                (prop::sample::select(vec!["", "<", "{é"]), "[a-zé\\\\]{0,300}", prop::sample::select(vec!["", ">"])),
                0..40,
            ),
        ) {
            let owned: Vec<_> =
                events.into_iter().map(|(before, piece, after)| (before.to_owned(), piece, after.to_owned())).collect();
            let (row, input, raw) = packed(&owned);
            prop_assert_eq!(row.unpack(&input), raw);
        }
    }
}
