//! Changes to a text that stands, escaped, in a JSON string.
//!
//! They are found in the text as it reads, and made in the string as it is written, so that what is not changed
//! keeps its escapes.

use crate::wire::canonical::escaped;
use crate::wire::span::{Json, Span, places};

/// What is to stand in the place of a stretch of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    pub at: Span,
    pub with: String,
}

// === impl Change ===

impl Change {
    pub fn new(at: Span, with: impl Into<String>) -> Self {
        Self { at, with: with.into() }
    }
}

/// `text` with its changes, which are in order of place and do not overlap.
pub fn changed(text: &str, changes: &[Change]) -> String {
    let mut new = String::with_capacity(text.len());
    let mut at = 0;
    for change in changes {
        new.push_str(text.get(at..change.at.start).unwrap_or_default());
        new.push_str(&change.with);
        at = change.at.end;
    }
    new.push_str(text.get(at..).unwrap_or_default());
    new
}

/// The same changes in the text of `string`, a JSON string of which `changes` change the value: in order of place,
/// and none over another.
pub fn within(string: Json<'_>, changes: &[Change]) -> Vec<Change> {
    let Some(raw) = string.raw_string() else { return Vec::new() };
    let borders = changes.iter().flat_map(|change| [change.at.start, change.at.end]);
    let places = places(raw, borders);
    let spans = places.chunks_exact(2).filter_map(|pair| match pair {
        [start, end] => Some(Span::new(*start, *end).shifted(1)),
        _ => None,
    });
    spans.zip(changes).map(|(at, change)| Change { at, with: escaped(&change.with) }).collect()
}

#[cfg(test)]
mod tests;
