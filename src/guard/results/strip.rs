//! Takes pointers out of JSON results, wherever the result is looked at: through content blocks, JSON in JSON and
//! Python's way to print either.
//!
//! Each request begins with the bytes that the agent wrote, never with those that a model was told, so that a place in
//! a list means the same value however often it is asked for.
//!
//! What stays keeps its bytes. Only a value that Python printed is written as JSON when something in it goes: its
//! own form has no grammar to cut by.

use super::draft::Draft;
use crate::guard::classify::{DEPTH, marks, may_hold, to_json, wrapped};
use crate::wire::span::{Json, Span};
use crate::wire::splice::{Change, changed, within, without};

/// What is to go.
#[derive(Debug)]
pub(super) struct Wanted<'a> {
    /// Goes if it is a marker: a string that is not blank.
    pub(super) marker: Option<&'a str>,
    /// Go whatever they are.
    pub(super) strip: Vec<&'a str>,
}

/// Takes out of the texts what is wanted; whether there was anything.
pub(super) fn strip(drafts: &mut [Draft<'_>], wanted: &Wanted<'_>) -> bool {
    let mut found = false;
    for draft in drafts.iter_mut().filter(|_| !wanted.is_empty()) {
        let changes = in_text(draft.text(), wanted, DEPTH);
        if !changes.is_empty() {
            found = true;
            draft.put(changes);
        }
    }
    found
}

// === impl Wanted ===

impl Wanted<'_> {
    pub(super) fn is_empty(&self) -> bool {
        self.marker.is_none() && self.strip.is_empty()
    }

    fn may_stand_in(&self, text: &str) -> bool {
        self.marker.iter().chain(&self.strip).any(|pointer| may_hold(text.as_bytes(), pointer))
    }
}

/// The changes to a text that is one value, in order and apart from each other.
fn in_text(text: &str, wanted: &Wanted<'_>, depth: usize) -> Vec<Change> {
    if !wanted.may_stand_in(text) {
        return Vec::new();
    }
    let whole = text.trim_start_matches('\u{feff}').trim();
    let start = text.len() - text.trim_start_matches('\u{feff}').trim_start().len();
    if let Ok(json) = Json::parse(whole) {
        return shifted(in_value(json, wanted, depth), start);
    }
    let Some(json) = to_json(whole) else { return Vec::new() };
    let changes = in_value(Json::trusted(&json), wanted, depth);
    if changes.is_empty() {
        return changes;
    }
    vec![Change::new(Span::new(start, start + whole.len()), changed(&json, &changes))]
}

/// The changes to a value's own text. Wrappers are counted here alone, as classification counts them: a marker
/// that counts must not stay.
fn in_value(json: Json<'_>, wanted: &Wanted<'_>, depth: usize) -> Vec<Change> {
    let mut changes = named(json, wanted);
    let Some(depth) = depth.checked_sub(1) else { return changes };
    for inner in wrapped(json) {
        let start = inner.span_in(json.text()).start;
        let inside = match inner.string() {
            Some(text) => within(inner, &in_text(&text, wanted, depth)),
            None => in_value(inner, wanted, depth),
        };
        changes.extend(shifted(inside, start));
    }
    apart(changes)
}

/// What the pointers name in this value.
fn named(json: Json<'_>, wanted: &Wanted<'_>) -> Vec<Change> {
    let is_marker = |pointer: &&str| json.pointer(pointer).and_then(marks).is_some();
    let pointers = wanted.marker.filter(is_marker).into_iter().chain(wanted.strip.iter().copied());
    // Children of one container go together, for the sake of its commas.
    let mut containers: Vec<(Json<'_>, Vec<usize>)> = Vec::new();
    for (container, positions) in pointers.filter_map(|pointer| json.children_at(pointer)) {
        let place = container.span_in(json.text());
        let known = containers.iter_mut().find(|(other, _)| other.span_in(json.text()) == place);
        match known {
            Some((_, others)) => others.extend(positions),
            None => containers.push((container, positions)),
        }
    }
    let cut = |at: Span| Change::new(at, "");
    let cuts = containers.iter().flat_map(|(container, positions)| {
        without(*container, container.span_in(json.text()).start, positions)
    });
    cuts.map(cut).collect()
}

/// In order of place, without those that lie within another.
fn apart(mut changes: Vec<Change>) -> Vec<Change> {
    changes.sort_by_key(|change| (change.at.start, std::cmp::Reverse(change.at.end)));
    let mut end = 0;
    changes.retain(|change| {
        let is_apart = change.at.start >= end;
        end = end.max(change.at.end);
        is_apart
    });
    changes
}

fn shifted(changes: Vec<Change>, offset: usize) -> Vec<Change> {
    changes.into_iter().map(|change| Change { at: change.at.shifted(offset), ..change }).collect()
}

#[cfg(test)]
mod tests;
