//! Events that wait, in order.

use bytes::{Bytes, BytesMut};

use crate::wire::sse::Frame;

use super::super::calls::{Calls, Slot, State};
use super::pack::{Pack, Piece};

/// An event that waits.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) event: Frame,
    pub(super) about: About,
}

/// What must be known of an event for it to wait its turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct About {
    pub(super) calls: Touched,
    /// What an assistant's message can begin with is in it.
    pub(super) begins: bool,
    /// It holds the end of the answer, or comes after it.
    pub(super) ends: bool,
    /// A byte order mark may stand before it.
    pub(super) first: bool,
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
    /// All but the last.
    packed: Pack,
    /// As it was read. It mostly goes on at once, and nothing is copied.
    last: Option<(Held, Option<Piece>)>,
    /// Room for what is unpacked, many events in one piece of memory.
    room: BytesMut,
}

/// Bytes of room for what is unpacked.
const ROOM: usize = 16 << 10;

// === impl Queue ===

impl Queue {
    /// `piece`: where the event holds a call's input, if it holds but one piece.
    pub(super) fn push(&mut self, event: Frame, about: About, piece: Option<Piece>) {
        self.pack();
        self.last = Some((Held { event, about }, piece));
    }

    /// What waits will wait for longer: it is kept apart from the memory that it was read into.
    pub(super) fn pack(&mut self) {
        if let Some((held, piece)) = self.last.take() {
            self.packed.push(&held.event.raw, piece, held.about);
        }
    }

    /// The next that may go: all of its calls are decided, and so is the end if it holds that.
    pub(super) fn next(&mut self, calls: &Calls, end_may_go: bool) -> Option<Held> {
        let may_go = |about: &About| {
            let is_decided = |position| calls.slots.get(position).is_none_or(Slot::is_decided);
            about.calls.all(is_decided) && (end_may_go || !about.ends)
        };
        let Some(about) = self.packed.front() else {
            return self.last.take_if(|(held, _)| may_go(&held.about)).map(|(held, _)| held);
        };
        if !may_go(about) {
            return None;
        }
        let about = about.clone();
        let slot = about.calls.only().and_then(|position| calls.slots.get(position));
        if self.room.capacity() < ROOM / 16 {
            self.room.reserve(ROOM);
        }
        self.packed.pop(slot.map(Slot::raw_input), &mut self.room);
        let raw = self.room.split().freeze();
        if self.packed.is_empty() {
            self.room = BytesMut::new();
        }
        Some(Held { event: Frame::again(raw, about.first), about })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.packed.is_empty() && self.last.is_none()
    }

    /// Bytes of memory that packed events take, about, without the input of calls.
    pub(super) fn weight(&self) -> usize {
        self.packed.weight()
    }
}

// === impl Held ===

impl Held {
    /// Whether the calls' pieces can go out as they came.
    pub(super) fn is_plain(&self, calls: &Calls, whole: bool) -> bool {
        let touched = &self.about.calls;
        !matches!(touched, Touched::Each(positions) if positions.contains(&None))
            && touched.all(|position| {
                calls.slots.get(position).is_some_and(|slot| {
                    let numbered = whole || slot.index.is_none_or(|index| index as usize == slot.number);
                    slot.state == State::Forwarded && !slot.irregular && !slot.unnumbered && numbered
                })
            })
    }

    pub(super) fn raw(self) -> Bytes {
        self.event.raw
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

    fn only(&self) -> Option<usize> {
        if let Self::One(position) = self { Some(*position) } else { None }
    }

    /// The call of the `piece`-th piece.
    pub(super) fn of(&self, piece: usize) -> Option<usize> {
        match self {
            Self::None => None,
            Self::One(position) => Some(*position),
            Self::Each(positions) => positions.get(piece).copied().flatten(),
        }
    }

    /// Bytes of memory beside itself.
    pub(super) fn weight(&self) -> usize {
        if let Self::Each(positions) = self { size_of_val(positions.as_slice()) } else { 0 }
    }
}
