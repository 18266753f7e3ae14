//! Small changes to large bytes: what is not named stays as it is, and is not copied.

use bytes::Bytes;

use super::span::{Json, Span};

/// Changes to one text, kept in order of place. Two at the same place stand in the order they were made.
#[derive(Clone, Debug, Default)]
pub struct Splices {
    /// Sorted by start; no two overlap.
    splices: Vec<(Span, Bytes)>,
}

impl Splices {
    pub fn is_empty(&self) -> bool {
        self.splices.is_empty()
    }
    /// Puts `with` in the place of `at`. An insertion is the replacement of an empty span.
    pub fn replace(&mut self, at: Span, with: impl Into<Bytes>) {
        todo!()
    }
    pub fn insert(&mut self, at: usize, with: impl Into<Bytes>) {
        todo!()
    }
    pub fn remove(&mut self, at: Span) {
        todo!()
    }
    /// Bytes that the changes add and bytes that they take away.
    pub fn changed(&self) -> usize {
        todo!()
    }
    /// The changed text in one piece; the original itself where there is no change.
    pub fn apply(&self, original: &Bytes) -> Bytes {
        todo!()
    }
    /// The changed text as a row of pieces, slices of the original between what was put in.
    pub fn pieces(&self, original: &Bytes) -> Vec<Bytes> {
        todo!()
    }
}

/// What to cut from `container`, an object or array at `offset` in a larger text, so that the children at
/// the positions in `drop` are gone and the rest is well-formed. Children are counted from 0 in the order written.
pub fn without(container: Json<'_>, offset: usize, drop: &[usize]) -> Vec<Span> {
    todo!()
}
