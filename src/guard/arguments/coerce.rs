//! Brings values to the type that a schema asks for, where what was written has only one meaning there.
//!
//! Only places that the schema finds fault with are looked at, so what is valid is never touched, and a string
//! is never read as something else where a string is accepted. Either the arguments are valid afterwards or
//! nothing was done.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind as Fault;
use serde_json::Value;

use crate::wire::canonical::quote;
use crate::wire::span::{Json, Key, Kind, Span};
use crate::wire::splice::{Splices, without};

use super::accept::{Accepted, Step, unescaped};
use super::schema::{Schema, is_meant};

/// How often what a coercion laid open is looked at again: a list in a string, a number in the list.
const ROUNDS: usize = 6;

/// How deep faults are followed into the branches of a choice.
const BRANCHES: usize = 4;

/// Where a text does not meet the schema.
struct Places {
    is_met: bool,
    root: Place,
}

/// A place with a fault in it or below, as a tree along the arguments.
#[derive(Default, Debug)]
struct Place {
    /// The value here is not accepted.
    faulty: bool,
    /// Required members that the object here does not have.
    missing: Vec<String>,
    below: BTreeMap<String, Place>,
}

/// One walk over the arguments.
struct Walk<'a> {
    schema: &'a Schema,
    text: &'a str,
    path: Vec<Step>,
    splices: Splices,
}

/// Coerces `text`, a JSON object that does not meet the schema, with the operator's operations in between: a
/// member may get the name that they are for only here. `None` where that does not make it valid.
pub(super) fn coerce(
    text: &str,
    schema: &Schema,
    normalise: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let mut current = text.to_owned();
    for round in 0..ROUNDS {
        let mut places = Places::of(&current, schema)?;
        if round > 0
            && !places.is_met
            && let Some(normal) = normalise(&current)
        {
            places = Places::of(&normal, schema)?;
            current = normal;
        }
        if places.is_met {
            return Some(current);
        }
        if round > 0 {
            // A name is mended for what the model left out, not for what was dropped here.
            places.root.forget_missing();
        }
        let mut walk = Walk { schema, text: &current, path: Vec::new(), splices: Splices::default() };
        walk.value(Json::trusted(current.trim()), &places.root);
        let splices = walk.splices;
        if splices.is_empty() {
            return None;
        }
        current = super::spliced(&current, &splices)?;
    }
    None
}

// === impl Places ===

impl Places {
    /// `None` for what no value can hold: that is valid by default, and nothing is coerced into it.
    fn of(text: &str, schema: &Schema) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let mut places = Self { is_met: true, root: Place::default() };
        schema.faults(&value, &mut |base, fault| {
            places.is_met = false;
            places.root.add(base, fault, BRANCHES);
        });
        Some(places)
    }
}

// === impl Place ===

impl Place {
    /// Adds a fault's place, and those of the branches of a choice that none was taken of.
    fn add(&mut self, base: &str, fault: &ValidationError<'_>, branches: usize) {
        let place = self.at(base).at(fault.instance_path().as_str());
        match fault.kind() {
            Fault::Required { property } if branches == BRANCHES => {
                place.missing.extend(property.as_str().map(str::to_owned));
            }
            Fault::Required { .. } | Fault::AdditionalProperties { .. } => {}
            Fault::AnyOf { context } | Fault::OneOfNotValid { context } => {
                place.faulty = true;
                let inner = context.iter().flatten().filter(|fault| is_meant(fault.kind()));
                if branches > 0 {
                    inner.for_each(|fault| self.add(base, fault, branches - 1));
                }
            }
            _ => place.faulty = true,
        }
    }

    fn at(&mut self, pointer: &str) -> &mut Self {
        pointer.split('/').skip(1).fold(self, |place, token| place.below.entry(unescaped(token)).or_default())
    }

    fn forget_missing(&mut self) {
        self.missing.clear();
        self.below.values_mut().for_each(Self::forget_missing);
    }
}

// === impl Walk ===

impl Walk<'_> {
    /// Looks at a value and at what lies in it. As deep as a place lies, which a value held.
    fn value(&mut self, value: Json<'_>, places: &Place) {
        if places.faulty
            && let Some(text) = converted(value, &mut self.path, self.schema)
        {
            self.splices.replace(value.span_in(self.text), text);
            return;
        }
        match value.kind() {
            Kind::Object => self.object(value, places),
            Kind::Array if !places.below.is_empty() => {
                for (index, element) in value.elements().enumerate() {
                    if let Some(below) = places.below.get(&index.to_string()) {
                        self.path.push(Step::Element(index));
                        self.value(element, below);
                        self.path.pop();
                    }
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, object: Json<'_>, places: &Place) {
        if places.missing.is_empty() && places.below.is_empty() {
            return;
        }
        let offset = object.span_in(self.text).start;
        let members: Vec<(Key<'_>, Json<'_>)> = object.members().collect();
        if let [missing] = places.missing.as_slice() {
            self.rename(&members, offset, missing);
        }
        let mut dropped = Vec::new();
        for (position, (key, value)) in members.iter().enumerate() {
            let name = key.name();
            let Some(below) = places.below.get(name.as_ref()) else { continue };
            // Of a member that stands twice, agents differ in which one they take.
            if members.iter().filter(|(other, _)| other.is(&name)).count() > 1 {
                continue;
            }
            self.path.push(Step::Member(name.into_owned()));
            if value.is_null() && below.faulty && !self.schema.accepts(&self.path, Accepted::Null) {
                dropped.push(position);
            } else {
                self.value(*value, below);
            }
            self.path.pop();
        }
        for span in without(object, offset, &dropped) {
            self.splices.remove(span);
        }
    }

    /// Gives the one unknown member the name of the missing one, if they differ in case and separators only.
    fn rename(&mut self, members: &[(Key<'_>, Json<'_>)], offset: usize, missing: &str) {
        let Some(names) = self.schema.names(&self.path) else { return };
        let mut unknown =
            members.iter().filter(|(key, _)| names.binary_search(&key.name().as_ref()).is_err());
        let (Some((key, _)), None) = (unknown.next(), unknown.next()) else { return };
        if fold(&key.name()) == fold(missing) {
            let span = Span::new(key.span.start + offset, key.span.end + offset);
            self.splices.replace(span, quote(missing));
        }
    }
}

/// What `value` must be written as to be of a kind that is accepted at `path`, if that is one thing.
fn converted(value: Json<'_>, path: &mut Vec<Step>, schema: &Schema) -> Option<String> {
    if let Some(string) = value.string() {
        if schema.accepts(path, Accepted::String) || string.contains(char::REPLACEMENT_CHARACTER) {
            return reread(&string, path, schema);
        }
        if let Some(text) = reread(&string, path, schema) {
            return Some(text);
        }
        // An empty text is no item, and what looks like JSON but is not was meant to be read.
        if string.trim().is_empty() || string.trim_start().starts_with(['[', '{']) {
            return None;
        }
    }
    wrapped(value, path, schema)
}

/// What a string that is not accepted at `path` says, if it is one of the strings listed there, or one value of
/// a kind that is accepted.
fn reread(string: &str, path: &[Step], schema: &Schema) -> Option<String> {
    if schema.accepts(path, Accepted::FreeString) || string.contains(char::REPLACEMENT_CHARACTER) {
        return None;
    }
    if schema.accepts(path, Accepted::String) {
        return option(string, &schema.options(path)).map(quote);
    }
    unquoted(string, |kind| schema.accepts(path, kind)).map(str::to_owned)
}

/// The one listed string that differs in case only.
fn option<'o>(string: &str, options: &[&'o str]) -> Option<&'o str> {
    let wanted = string.to_lowercase();
    let mut alike = options.iter().filter(|option| option.to_lowercase() == wanted);
    let found = alike.next()?;
    alike.all(|other| other == found).then_some(found)
}

/// The JSON text in a string, if it is exactly one value of a kind that is accepted.
fn unquoted(string: &str, accepts: impl Fn(Accepted) -> bool) -> Option<&str> {
    let value = Json::parse(string).ok()?;
    let text = value.text();
    let (kind, may_have_space) = match value.kind() {
        Kind::Object => (Accepted::Object, true),
        Kind::Array => (Accepted::Array, true),
        Kind::Boolean => (Accepted::Boolean, false),
        Kind::Number if is_fraction(text) => (Accepted::Number, false),
        Kind::Number => (Accepted::Integer, false),
        Kind::String | Kind::Null => return None,
    };
    (accepts(kind) && (may_have_space || text.len() == string.len())).then_some(text)
}

/// A single value as a list of one, where nothing but a list is accepted.
fn wrapped(value: Json<'_>, path: &mut Vec<Step>, schema: &Schema) -> Option<String> {
    let own = match value.kind() {
        Kind::String => Accepted::String,
        Kind::Number if is_fraction(value.text()) => Accepted::Number,
        Kind::Number => Accepted::Integer,
        Kind::Boolean => Accepted::Boolean,
        Kind::Object | Kind::Array | Kind::Null => return None,
    };
    let is_list = |kind: &Accepted| *kind == Accepted::Array;
    if !Accepted::KINDS.iter().all(|kind| schema.accepts(path, *kind) == is_list(kind)) {
        return None;
    }
    path.push(Step::Element(0));
    let item = if schema.accepts(path, own) {
        Some(value.text().to_owned())
    } else {
        value.string().and_then(|string| reread(&string, path, schema))
    };
    path.pop();
    item.map(|item| format!("[{item}]"))
}

/// Whether a number is written as more than an integer.
fn is_fraction(number: &str) -> bool {
    number.contains(['.', 'e', 'E'])
}

/// A name without case and separators.
fn fold(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
}
