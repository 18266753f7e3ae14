//! Small changes to large bytes: what is not named stays as it is, and is not copied.
//!
//! [`Splices`] gathers changes in whatever order they are found. [`without`] and [`append`] say which changes
//! take children out of a JSON container, or add one, so that the commas come out right; [`Change`] is one to a text
//! that stands escaped in a larger one; [`paragraph`] says what a string lacks at its end.

mod change;
mod container;
pub mod paragraph;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use bytes::Bytes;

pub use self::change::{Change, changed, within};
pub use self::container::{append, without};
use super::span::Span;

/// Changes to one text, kept in order of place. Two at the same place stand in the order they were made.
///
/// Both maps are trees, since changes do not always come in the order of their places, and a text may be
/// long enough to hold very many.
#[derive(Clone, Debug, Default)]
pub struct Splices {
    /// By start and by the count of changes made before; no two overlap, none does nothing.
    changes: BTreeMap<(usize, usize), Splice>,
    /// From start to end, each stretch that a change takes away; none is empty.
    taken: BTreeMap<usize, usize>,
    /// How many changes were made.
    made: usize,
}

#[derive(Clone, Debug)]
struct Splice {
    end: usize,
    with: Bytes,
}

// === impl Splices ===

impl Splices {
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// How many changes there are.
    pub fn count(&self) -> usize {
        self.changes.len()
    }

    /// Puts `with` in the place of `at`. An insertion is the replacement of an empty span.
    ///
    /// A change that overlaps an earlier one is a slip of the caller's, and is left out. An insertion at either
    /// border of a span that is replaced does not overlap it.
    pub fn replace(&mut self, at: Span, with: impl Into<Bytes>) {
        let with = with.into();
        if at.is_empty() && with.is_empty() {
            return;
        }
        if self.overlaps(at) {
            debug_assert!(false, "{at:?} overlaps a change that was made before");
            return;
        }
        if !at.is_empty() {
            self.taken.insert(at.start, at.end);
        }
        let end = at.start + at.len();
        self.changes.insert((at.start, self.made), Splice { end, with });
        self.made += 1;
    }

    pub fn insert(&mut self, at: usize, with: impl Into<Bytes>) {
        self.replace(Span::new(at, at), with);
    }

    pub fn remove(&mut self, at: Span) {
        self.replace(at, Bytes::new());
    }

    /// Bytes that the changes add and bytes that they take away.
    pub fn changed(&self) -> usize {
        self.changes.iter().map(|((start, _), splice)| splice.end - start + splice.with.len()).sum()
    }

    /// The changed text in one piece; the original itself where there is no change.
    pub fn apply(&self, original: &Bytes) -> Bytes {
        let pieces = self.pieces(original);
        match pieces.as_slice() {
            [] => Bytes::new(),
            [whole] => whole.clone(),
            _ => Bytes::from(pieces.concat()),
        }
    }

    /// The changed text as a row of pieces, slices of the original between what was put in; none is empty.
    ///
    /// Where a change lies beyond the original's end, its end stands in.
    pub fn pieces(&self, original: &Bytes) -> Vec<Bytes> {
        let mut pieces = Vec::with_capacity(2 * self.changes.len() + 1);
        let mut put = |piece: Bytes| {
            if !piece.is_empty() {
                pieces.push(piece);
            }
        };
        let mut at = 0;
        for ((start, _), splice) in &self.changes {
            let start = (*start).min(original.len());
            if start > at {
                put(original.slice(at..start));
            }
            put(splice.with.clone());
            // An insertion made after the replacement of what begins at the same place ends before it.
            at = at.max(splice.end.min(original.len()));
        }
        put(original.slice(at..));
        pieces
    }

    fn overlaps(&self, at: Span) -> bool {
        let reaches_in =
            |(start, end): (&usize, &usize)| *end > at.start && (*start < at.start || !at.is_empty());
        let begins_inside =
            || self.changes.range((at.start + 1, 0)..).next().is_some_and(|((start, _), _)| *start < at.end);
        self.taken.range(..=at.start).next_back().is_some_and(reaches_in) || begins_inside()
    }
}
