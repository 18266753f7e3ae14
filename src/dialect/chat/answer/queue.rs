//! Events that wait, in order.

use std::collections::VecDeque;

use crate::wire::sse::Frame;

use super::super::calls::{Calls, Slot, State};
use super::row::{Piece, Row};

/// A row of events that go out together.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) raw: Raw,
    pub(super) calls: Touched,
    /// What an assistant's message can begin with is in it.
    pub(super) begins: bool,
    /// It holds the end of the answer, or comes after it.
    pub(super) ends: bool,
}

#[derive(Debug)]
pub(super) enum Raw {
    /// As it was read: nothing is copied.
    One { frame: Frame, piece: Option<Piece> },
    /// Several events of one call.
    Row(Row),
}

/// The calls whose pieces the events hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Touched {
    None,
    /// All pieces are of this one.
    One(usize),
    /// One for each piece, in order; `None`: the piece says nothing new.
    Each(Vec<Option<usize>>),
}

#[derive(Debug, Default)]
pub(super) struct Queue {
    held: VecDeque<Held>,
}

// === impl Queue ===

impl Queue {
    /// `piece`: where the event holds a call's input, if it holds but one piece.
    pub(super) fn push(
        &mut self,
        frame: Frame,
        calls: Touched,
        piece: Option<Piece>,
        begins: bool,
        ends: bool,
    ) {
        match self.held.back_mut() {
            Some(last) if !ends && !last.ends && calls != Touched::None && last.calls == calls => {
                last.extend(&frame, piece);
                last.begins |= begins;
            }
            _ => self.held.push_back(Held { raw: Raw::One { frame, piece }, calls, begins, ends }),
        }
    }

    /// The next that may go: all of its calls are decided, and so is the end if it holds that.
    pub(super) fn next(&mut self, calls: &Calls, end_may_go: bool) -> Option<Held> {
        let front = self.held.front()?;
        let decided = front.calls.all(|position| calls.slots.get(position).is_none_or(Slot::is_decided));
        if decided && (end_may_go || !front.ends) { self.held.pop_front() } else { None }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.held.is_empty()
    }
}

// === impl Held ===

impl Held {
    fn extend(&mut self, frame: &Frame, piece: Option<Piece>) {
        if let Raw::One { frame: first, piece } = &self.raw {
            let mut row = Row::default();
            row.push(&first.raw, *piece);
            self.raw = Raw::Row(row);
        }
        if let Raw::Row(row) = &mut self.raw {
            row.push(&frame.raw, piece);
        }
    }

    /// Whether the calls' pieces can go out as they came.
    pub(super) fn is_plain(&self, calls: &Calls, whole: bool) -> bool {
        !matches!(&self.calls, Touched::Each(positions) if positions.contains(&None))
            && self.calls.all(|position| {
                calls.slots.get(position).is_some_and(|slot| {
                    let numbered = whole || slot.index.is_none_or(|index| index as usize == slot.number);
                    slot.state == State::Forwarded && !slot.irregular && !slot.unnumbered && numbered
                })
            })
    }
}

// === impl Touched ===

impl Touched {
    pub(super) fn new(fragments: Vec<Option<usize>>) -> Self {
        match fragments.as_slice() {
            [] => Self::None,
            [Some(one), rest @ ..] if rest.iter().all(|other| *other == Some(*one)) => Self::One(*one),
            _ => Self::Each(fragments),
        }
    }

    fn all(&self, mut holds: impl FnMut(usize) -> bool) -> bool {
        match self {
            Self::None => true,
            Self::One(position) => holds(*position),
            Self::Each(positions) => positions.iter().flatten().all(|position| holds(*position)),
        }
    }

    /// The call of the `piece`-th piece.
    pub(super) fn of(&self, piece: usize) -> Option<usize> {
        match self {
            Self::None => None,
            Self::One(position) => Some(*position),
            Self::Each(positions) => positions.get(piece).copied().flatten(),
        }
    }
}
