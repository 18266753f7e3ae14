//! Events that wait, in little memory.
//!
//! Neighbouring events of a stream differ in a few strings and numbers. What they have in common is kept once, in a
//! mould; of each event only what its mould leaves open. A piece of input is not even that: it is in the call
//! already, and only its length is kept, in one byte mostly. Unpacked, the events are the bytes that came, whatever
//! those were: how they are cut decides how much memory they take and nothing else.

mod mould;
#[cfg(test)]
mod tests;

use bytes::BytesMut;

use crate::wire::span::Span;

use super::super::calls::Input;
use super::queue::About;
use mould::{Cut, Mould};

/// Events in the order in which they came.
#[derive(Debug, Default)]
pub(super) struct Pack {
    moulds: Vec<Mould>,
    codes: Codes,
    /// The mould of the event packed last, and of the one unpacked last.
    back: Option<usize>,
    front: Option<usize>,
    /// Bytes of memory that the moulds take.
    moulded: usize,
    /// What an event is cut into, kept for its memory.
    cut: Cut,
}

/// The piece of input in an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// Where it stands in the event's bytes.
    pub(super) at: Span,
    /// Where in the call's input it was put; `None` where the call wants no more, and it will not go out.
    pub(super) start: Option<usize>,
}

/// What moulds leave open, event by event. An event is told by numbers: [`ANOTHER`] and its mould where that
/// changes, [`ELSEWHERE`] and a place where its piece does not follow the last one's of its mould, then the
/// piece's length and [`LENGTHS`], then each other open part, its length first.
#[derive(Debug, Default)]
struct Codes {
    bytes: Vec<u8>,
    /// How many have been read.
    read: usize,
}

const ANOTHER: usize = 0;
const ELSEWHERE: usize = 1;
const LENGTHS: usize = 2;

/// Moulds that an event is tried in.
const RECENT: usize = 64;
/// Of these, those whose bytes are looked at.
const TRIED: usize = 4;

// === impl Pack ===

impl Pack {
    pub(super) fn push(&mut self, raw: &[u8], piece: Option<Piece>, about: About) {
        let mut cut = std::mem::take(&mut self.cut);
        cut.read(raw, piece.map(|piece| piece.at));
        let place = self.place(raw, &cut, &about).unwrap_or_else(|| self.add(raw, &cut, about));
        if self.back.replace(place) != Some(place) {
            self.codes.push(ANOTHER);
            self.codes.push(place);
        }
        if let Some(mould) = self.moulds.get_mut(place) {
            let start = piece.and_then(|piece| piece.start).filter(|_| cut.piece.is_some());
            if let Some(start) = start.filter(|start| *start != mould.packed_to) {
                self.codes.push(ELSEWHERE);
                self.codes.push(start);
                mould.packed_to = start;
            }
            let length = cut.piece_at().filter(|_| start.is_some()).map_or(0, Span::len);
            mould.packed_to += length;
            self.codes.push(LENGTHS + length);
            for part in mould.own(&cut) {
                self.codes.push(part.len());
                self.codes.extend(raw.get(part.start..part.end).unwrap_or_default());
            }
        }
        self.cut = cut;
    }

    /// The mould that the event fits.
    fn place(&mut self, raw: &[u8], cut: &Cut, about: &About) -> Option<usize> {
        let alike = |place: &usize| self.moulds.get(*place).is_some_and(|mould| mould.is_like(cut, about));
        let first = self.moulds.len().saturating_sub(RECENT);
        let others = (first..self.moulds.len()).rev().filter(|place| Some(*place) != self.back);
        let tried: Vec<_> = self.back.into_iter().chain(others).filter(alike).take(TRIED).collect();
        let fits = |place: &&usize| self.moulds.get(**place).is_some_and(|mould| mould.fits(raw, cut));
        if let Some(place) = tried.iter().find(fits) {
            return Some(*place);
        }
        let opened = tried.iter().find_map(|place| self.moulds.get(*place)?.opened_for(raw, cut))?;
        Some(self.keep(opened))
    }

    fn add(&mut self, raw: &[u8], cut: &Cut, about: About) -> usize {
        self.keep(Mould::new(raw, cut, about))
    }

    fn keep(&mut self, mould: Mould) -> usize {
        self.moulded += mould.weight();
        self.moulds.push(mould);
        self.moulds.len() - 1
    }

    /// What is known of the event that came first.
    pub(super) fn front(&self) -> Option<&About> {
        if self.is_empty() {
            return None;
        }
        let mut codes = self.codes.ahead();
        let place = if codes.next()? == ANOTHER { codes.next() } else { self.front };
        Some(&self.moulds.get(place?)?.about)
    }

    /// Takes out the event that came first and writes it, given the input of the call that it holds a piece of.
    pub(super) fn pop(&mut self, input: Option<&Input>, out: &mut BytesMut) {
        let mut code = self.codes.pop();
        if code == ANOTHER {
            self.front = Some(self.codes.pop());
            code = self.codes.pop();
        }
        let mould = self.front.and_then(|place| self.moulds.get_mut(place));
        let Some(mould) = mould else { return };
        if code == ELSEWHERE {
            mould.unpacked_to = self.codes.pop();
            code = self.codes.pop();
        }
        let piece = Span::new(mould.unpacked_to, mould.unpacked_to + code.saturating_sub(LENGTHS));
        mould.unpacked_to = piece.end;
        for (fixed, is_piece) in mould.parts() {
            out.extend_from_slice(fixed);
            match is_piece {
                None => {}
                Some(true) => {
                    if let Some(input) = input {
                        input.write(piece, out);
                    }
                }
                Some(false) => {
                    let length = self.codes.pop();
                    out.extend_from_slice(self.codes.take(length));
                }
            }
        }
        if self.is_empty() {
            *self = Self { cut: std::mem::take(&mut self.cut), ..Self::default() };
        } else {
            self.codes.forget();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.codes.read == self.codes.bytes.len()
    }

    /// Bytes of memory, about.
    pub(super) fn weight(&self) -> usize {
        self.moulded + self.codes.bytes.capacity()
    }
}

// === impl Codes ===

impl Codes {
    /// Seven bits a byte, the lowest first, the high bit set where more follow.
    fn push(&mut self, number: usize) {
        let mut rest = number;
        while rest >= 0x80 {
            self.extend(&[rest.to_le_bytes()[0] | 0x80]);
            rest >>= 7;
        }
        self.extend(&[rest.to_le_bytes()[0]]);
    }

    /// Grows by little, since it counts for as much as it has room for.
    fn extend(&mut self, bytes: &[u8]) {
        if self.bytes.capacity() - self.bytes.len() < bytes.len() {
            self.bytes.reserve_exact(bytes.len().max(self.bytes.len() / 8).max(256));
        }
        self.bytes.extend_from_slice(bytes);
    }

    fn ahead(&self) -> impl Iterator<Item = usize> {
        let mut bytes = self.bytes.get(self.read..).unwrap_or_default();
        std::iter::from_fn(move || number(&mut bytes))
    }

    fn pop(&mut self) -> usize {
        let mut bytes = self.bytes.get(self.read..).unwrap_or_default();
        let number = number(&mut bytes).unwrap_or_default();
        self.read = self.bytes.len() - bytes.len();
        number
    }

    fn take(&mut self, length: usize) -> &[u8] {
        let start = self.read;
        self.read = self.bytes.len().min(start + length);
        self.bytes.get(start..self.read).unwrap_or_default()
    }

    /// Lets go what has been read, once that is more than is left: each byte is moved but once for each read.
    fn forget(&mut self) {
        if self.read > 4096 && self.read > self.bytes.len() / 2 {
            self.bytes.drain(..self.read);
            self.bytes.shrink_to_fit();
            self.read = 0;
        }
    }
}

fn number(bytes: &mut &[u8]) -> Option<usize> {
    let (mut number, mut shift) = (0, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            return Some(number);
        }
    }
}
