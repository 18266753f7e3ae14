//! A call's arguments: read, normalise, coerce, validate.
//!
//! Every change is a splice on the argument text: what is not meant keeps its bytes. Doing it twice does
//! nothing more.

mod accept;
mod coerce;
mod normalise;
mod problem;
pub mod schema;
#[cfg(test)]
mod tests;
mod weight;

use std::borrow::Cow;
use std::cell::Cell;

use bytes::Bytes;
use serde_json::Value;

use crate::wire::lenient::{self, Reading, Shape, Unreadable};
use crate::wire::span::Json;
use crate::wire::splice::Splices;

use super::Reason;
use super::notice::Notices;
use super::rules::ArgumentRule;

pub use schema::{Schema, Schemas, Uncached};

/// Arguments as they would go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prepared<'a> {
    /// One JSON object.
    pub text: Cow<'a, str>,
    /// What was done to it, in order.
    pub steps: Vec<Reason>,
    /// Whether the schema accepts it.
    pub is_valid: bool,
}

/// Reads an argument text. Without `repair` only what is well-formed as it stands.
pub fn read(text: &str, repair: bool) -> Reading {
    if repair {
        return lenient::read(text);
    }
    match lenient::shape(text) {
        Shape::Object => Reading::Exact,
        Shape::Truncated => Reading::Truncated,
        Shape::Empty | Shape::Other => Reading::Unreadable(Unreadable::NotAnObject),
        Shape::Malformed => Reading::Unreadable(match Json::parse(text) {
            Err(slip) => Unreadable::Syntax { at: slip.at, expected: slip.expected },
            Ok(_) => Unreadable::NotAnObject,
        }),
    }
}

/// Brings `text`, one JSON object, to what the operator and the schema ask for, as far as that loses nothing.
pub fn prepare<'a>(text: &'a str, rules: &[&ArgumentRule], schema: &Schema, repair: bool) -> Prepared<'a> {
    let mut prepared = Prepared { text: Cow::Borrowed(text), steps: Vec::new(), is_valid: true };
    prepared.normalise(rules);
    prepared.is_valid = is_valid(&prepared.text, schema);
    if !prepared.is_valid && repair {
        prepared.coerce(rules, schema);
    }
    if prepared.text == text {
        prepared.steps.clear();
    }
    prepared
}

/// What the schema does not accept of `text`, one JSON object, told so that a model can mend it. Empty where it is
/// valid.
pub fn problems(text: &str, schema: &Schema, notices: &Notices) -> String {
    let value = serde_json::from_str(text).ok();
    value.map(|value: Value| problem::told(text, &value, schema, notices)).unwrap_or_default()
}

// === impl Prepared ===

impl Prepared<'_> {
    fn normalise(&mut self, rules: &[&ArgumentRule]) {
        if let Some(text) = normalise::normalise(&self.text, rules) {
            self.take(text, Reason::ArgumentsNormalised);
        }
    }

    fn coerce(&mut self, rules: &[&ArgumentRule], schema: &Schema) {
        let normalised = Cell::new(false);
        let normalise = |text: &str| {
            let normal = normalise::normalise(text, rules);
            normalised.set(normalised.get() || normal.is_some());
            normal
        };
        let Some(text) = coerce::coerce(&self.text, schema, &normalise) else { return };
        // Where the two work against each other, what is valid stays.
        let normal = normalise(&text).filter(|normal| is_valid(normal, schema));
        self.is_valid = true;
        self.take(text, Reason::ArgumentsCoerced);
        if normalised.get() {
            let text = normal.unwrap_or_else(|| self.text.clone().into_owned());
            self.take(text, Reason::ArgumentsNormalised);
        }
    }

    fn take(&mut self, text: String, step: Reason) {
        self.text = Cow::Owned(text);
        if !self.steps.contains(&step) {
            self.steps.push(step);
        }
    }
}

/// What no value can hold is valid: in doubt, nothing is refused.
fn is_valid(text: &str, schema: &Schema) -> bool {
    serde_json::from_str(text).map_or(true, |value: Value| schema.is_met_by(&value))
}

/// `text` with the splices applied.
fn spliced(text: &str, splices: &Splices) -> Option<String> {
    String::from_utf8(splices.apply(&Bytes::copy_from_slice(text.as_bytes())).into()).ok()
}
