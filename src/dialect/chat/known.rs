//! What of a request was read already: requests of one conversation begin alike, and offer the same tools.
//!
//! Equal bytes are understood alike, so they are not read again. Only bytes decide: nothing is taken over because
//! it should be the same.

use bytes::Bytes;

use crate::dialect::{Element, EntrySpans, Tool, Transcript};

/// An earlier request, held against the body of a later one.
#[derive(Debug)]
pub(super) struct Known<'t> {
    earlier: &'t Transcript,
    body: Bytes,
    /// So many bytes both begin with.
    alike: usize,
}

/// Bytes compared at once.
const STEP: usize = 4096;

impl<'t> Known<'t> {
    pub(super) fn new(earlier: &'t Transcript, body: &Bytes) -> Self {
        Self { earlier, body: body.clone(), alike: alike(earlier.body(), body) }
    }

    /// The elements, and the calls in them, that a history which begins at `start` has in common with the earlier
    /// one, and where they end.
    pub(super) fn history(&self, start: usize) -> Option<(&'t [Element], &'t [EntrySpans], usize)> {
        let earlier = self.earlier;
        earlier.history.filter(|history| history.start == start)?;
        // An object says itself where it ends.
        let count = earlier.elements.partition_point(|element| element.span.end <= self.alike);
        let elements = earlier.elements.get(..count)?;
        let closes =
            |last: &&Element| self.body.get(..last.span.end).is_some_and(|body| body.ends_with(b"}"));
        let last = elements.last().filter(closes)?;
        let calls = elements.iter().map(|element| element.entries.1).max().unwrap_or_default();
        Some((elements, earlier.entries.get(..calls)?, last.span.end))
    }

    /// The tools of a list that begins at `start`, whether they are all that the model can call, and where it ends: if
    /// it is the earlier list.
    pub(super) fn offer(&self, start: usize, legacy: bool) -> Option<(Vec<Tool>, bool, usize)> {
        let earlier = self.earlier;
        let (list, _) = earlier.offer.filter(|(_, was_legacy)| *was_legacy == legacy)?;
        let end = start + list.len();
        let is_known = self.body.get(start..end)? == earlier.body().get(list.start..list.end)?;
        let moved = |tool: &Tool| Tool {
            schema: tool.schema.map(|schema| schema.moved(list.start, start)),
            definition: tool.definition.moved(list.start, start),
            ..tool.clone()
        };
        is_known.then(|| (earlier.tools.iter().map(moved).collect(), earlier.closed, end))
    }
}

/// How many bytes two texts begin with in common.
fn alike(one: &[u8], other: &[u8]) -> usize {
    let steps = one.chunks(STEP).zip(other.chunks(STEP));
    let same = steps.take_while(|(one, other)| one == other && one.len() == STEP).count() * STEP;
    let rest = one.iter().skip(same).zip(other.iter().skip(same));
    same + rest.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests;
