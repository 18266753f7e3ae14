//! What happens between the bytes: waiting, silence, a broken connection, writes that end anywhere.
//!
//! An answer comes in as events and leaves as [`Acts`]: a flat list that the server plays from front to back.
//! All places are turned into byte offsets first, so that faults and cuts do not depend on each other.

use std::num::NonZeroUsize;

use bytes::{Bytes, BytesMut};

use super::script::{Halt, Pace, Place, Stop};

#[cfg(test)]
mod tests;

/// A part of an answer before faults.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Piece {
    Event(Bytes),
    Gate(String),
}

/// One thing the server does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Act {
    /// Never empty. It is flushed before the next act.
    Write(Bytes),
    Stop(Halt),
}

/// All that the server does for one answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Acts {
    /// Stops only.
    pub(super) before_head: Vec<Halt>,
    pub(super) body: Vec<Act>,
}

/// Bytes of all events.
pub(super) fn length(pieces: &[Piece]) -> u64 {
    let bytes = |piece: &Piece| match piece {
        Piece::Event(event) => event.len() as u64,
        Piece::Gate(_) => 0,
    };
    pieces.iter().map(bytes).sum()
}

/// Lays stops, cuts and the pace into an answer.
pub(super) fn lay_out(pieces: Vec<Piece>, stops: &[Stop], cut: Option<NonZeroUsize>, pace: Pace) -> Acts {
    let mut all = BytesMut::new();
    let mut ends = Vec::new();
    let mut halts: Vec<(usize, Halt)> = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Event(event) => {
                let earlier = u32::try_from(ends.len()).unwrap_or(u32::MAX);
                if earlier > 0 && !pace.every.is_zero() {
                    let due = pace.first.saturating_add(pace.every.saturating_mul(earlier));
                    halts.push((all.len(), Halt::Due(due)));
                }
                all.extend_from_slice(&event);
                ends.push(all.len());
            }
            Piece::Gate(name) => halts.push((all.len(), Halt::Gate(name))),
        }
    }
    let all = all.freeze();
    let mut before_head = Vec::new();
    for Stop { at, what } in stops {
        let offset = match *at {
            Place::BeforeHead => {
                before_head.push(what.clone());
                continue;
            }
            Place::AfterHead | Place::Events(0) => 0,
            Place::Events(events) => ends.get(events - 1).copied().unwrap_or(all.len()),
            Place::Bytes(bytes) => bytes.min(all.len()),
            Place::End => all.len(),
        };
        halts.push((offset, what.clone()));
    }
    // Stable: of those at one place the first written comes first.
    halts.sort_by_key(|(offset, _)| *offset);
    if let Some(cut) = cut {
        ends = (cut.get()..all.len()).step_by(cut.get()).chain([all.len()]).collect();
    }
    Acts { before_head, body: weave(&all, &ends, halts) }
}

/// Writes that end at `ends` and at each halt.
fn weave(all: &Bytes, ends: &[usize], halts: Vec<(usize, Halt)>) -> Vec<Act> {
    let mut acts = Vec::new();
    let mut halts = halts.into_iter().peekable();
    let mut at = 0;
    let mut write = |acts: &mut Vec<Act>, to: usize| {
        if to > at {
            acts.push(Act::Write(all.slice(at..to)));
            at = to;
        }
    };
    for &end in ends {
        while let Some((offset, halt)) = halts.next_if(|(offset, _)| *offset < end) {
            write(&mut acts, offset);
            acts.push(Act::Stop(halt));
        }
        write(&mut acts, end);
    }
    acts.extend(halts.map(|(_, halt)| Act::Stop(halt)));
    acts
}

// === impl Acts ===

impl Acts {
    /// Whether something happens behind the last byte.
    pub(super) fn halts_at_end(&self) -> bool {
        matches!(self.body.last(), Some(Act::Stop(_)))
    }
}
