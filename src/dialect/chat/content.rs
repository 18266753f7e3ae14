//! Changing what an element says: a string, or the texts among a list of parts.
//!
//! What is not text (an image beside it) stays where it is, and so does what a part holds besides its text.

use std::borrow::Cow;

use super::request::input_text;
use crate::dialect::{Element, Rewritten, Transcript};
use crate::wire::canonical::quote;
use crate::wire::span::{Json, Kind};
use crate::wire::splice::{self, Splices, changed, within};

/// A value that holds a text, and its place among the parts, if there are parts.
struct Holder<'a> {
    value: Json<'a>,
    position: Option<usize>,
}

pub(crate) fn texts<'a>(transcript: &'a Transcript, element: &Element) -> Vec<Cow<'a, str>> {
    holders(transcript, element).into_iter().map(|holder| input_text(holder.value)).collect()
}

pub(crate) fn rewrite(transcript: &Transcript, element: &Element, texts: &[Rewritten], edits: &mut Splices) {
    let Some(content) = element.content else { return };
    let mut dropped = Vec::new();
    for (holder, text) in holders(transcript, element).iter().zip(texts) {
        match text {
            Rewritten::Changed(changes) if changes.is_empty() => {}
            Rewritten::Changed(changes) if holder.value.kind() == Kind::String => {
                let start = holder.value.span_in(transcript.text()).start;
                for change in within(holder.value, changes) {
                    edits.replace(change.at.shifted(start), change.with);
                }
            }
            // Some leave the object that a tool gave as it is.
            Rewritten::Changed(changes) => {
                let new = changed(holder.value.text(), changes);
                let new = if Json::parse(&new).is_ok() { new } else { quote(&new) };
                edits.replace(holder.value.span_in(transcript.text()), new);
            }
            Rewritten::Dropped => dropped.extend(holder.position),
        }
    }
    for cut in splice::without(transcript.json(content), content.start, &dropped) {
        edits.remove(cut);
    }
}

fn holders<'a>(transcript: &'a Transcript, element: &Element) -> Vec<Holder<'a>> {
    let Some(content) = element.content.map(|span| transcript.json(span)) else { return Vec::new() };
    if content.kind() != Kind::Array {
        return vec![Holder { value: content, position: None }];
    }
    let parts = content.elements().enumerate();
    let text = |part: Json<'a>| match part.kind() {
        Kind::String => Some(part),
        _ => part.member("text").filter(|text| text.kind() == Kind::String),
    };
    parts.filter_map(|(at, part)| Some(Holder { value: text(part)?, position: Some(at) })).collect()
}

#[cfg(test)]
mod tests;
