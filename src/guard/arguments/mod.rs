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
use super::rules::ArgumentRule;

pub use schema::{Schema, Schemas, Uncached};

/// Arguments as they would go on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prepared<'a> {
    /// One JSON object.
    pub text: Cow<'a, str>,
    /// What was done to it, in order.
    pub steps: Vec<Reason>,
    /// What the schema does not accept, told so that a model can mend it; nothing where it is valid.
    pub problems: Option<String>,
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
    let mut prepared = Prepared { text: Cow::Borrowed(text), steps: Vec::new(), problems: None };
    prepared.normalise(rules);
    prepared.problems = problems(&prepared.text, schema);
    if prepared.problems.is_some() && repair {
        prepared.coerce(rules, schema);
    }
    if prepared.text == text {
        prepared.steps.clear();
    }
    prepared
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
        let normal = normalise(&text).filter(|normal| problems(normal, schema).is_none());
        self.problems = None;
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

/// What no value can hold has no problems: in doubt, nothing is refused.
fn problems(text: &str, schema: &Schema) -> Option<String> {
    let value: Value = serde_json::from_str(text).ok()?;
    problem::told(text, &value, schema)
}

/// `text` with the splices applied.
fn spliced(text: &str, splices: &Splices) -> Option<String> {
    String::from_utf8(splices.apply(&Bytes::copy_from_slice(text.as_bytes())).into()).ok()
}
