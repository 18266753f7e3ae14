//! Markers: strings by which a tool says that a failure is for good.
//!
//! The layers of a result are a chain, but a wrapper may hold several things: further blocks, or structured content
//! beside the text. A marker counts in each, as it is taken out of each before the model reads the result.

use std::borrow::Cow;

use memchr::memmem;

use super::layer::{DEPTH, Layer, wrapped};
use super::quote;
use crate::wire::span::Json;

/// Whether a value at the marker's pointer is a marker, and what it says: a string that is not blank.
pub(in crate::guard) fn marks(value: Json<'_>) -> Option<String> {
    value.string().map(|text| quote::line(&text)).filter(|text| !text.is_empty())
}

/// What the first marker says in a layer or in anything that it wraps.
pub(super) fn within(layer: &Layer<'_>, pointer: &str) -> Option<String> {
    if may_hold(layer.text().as_bytes(), pointer) { in_value(layer.json()?, pointer, DEPTH) } else { None }
}

fn in_value(json: Json<'_>, pointer: &str, depth: usize) -> Option<String> {
    json.pointer(pointer).and_then(marks).or_else(|| {
        let depth = depth.checked_sub(1)?;
        wrapped(json).into_iter().find_map(|inner| match inner.string() {
            Some(text) => in_text(&text, pointer, depth),
            None => in_value(inner, pointer, depth),
        })
    })
}

fn in_text(text: &str, pointer: &str, depth: usize) -> Option<String> {
    if !may_hold(text.as_bytes(), pointer) {
        return None;
    }
    let layer = Layer::read(Cow::Borrowed(text.trim_start_matches('\u{feff}').trim()));
    in_value(layer.json()?, pointer, depth)
}

/// Whether bytes may hold what a pointer leads to: they hold the letters of its last name.
pub(in crate::guard) fn may_hold(bytes: &[u8], pointer: &str) -> bool {
    memmem::find(bytes, letters(pointer).as_bytes()).is_some()
}

/// The longest stretch of the last name in a pointer that is written alike everywhere, however deep it is escaped.
/// Empty where there is none; an index is not written at all.
fn letters(pointer: &str) -> &str {
    let is_index = |name: &&str| name.bytes().all(|byte| byte.is_ascii_digit());
    let name = pointer.rsplit('/').find(|name| !is_index(name)).unwrap_or_default();
    let name = name.split('~').next().unwrap_or_default();
    let stretches = name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-');
    stretches.max_by_key(|stretch| stretch.len()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
