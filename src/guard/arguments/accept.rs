//! What a schema accepts at a place, told from its text.
//!
//! The answer errs on one side: where a construct is not understood, everything is accepted there. So it can be
//! relied on for "no string is accepted here", which is what allows a string to be read as something else.

#[cfg(test)]
mod tests;

use std::cell::Cell;

use serde_json::{Map, Value};

/// A step from a value to one in it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Member(String),
    Element(usize),
}

/// What a value can be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Accepted {
    Object,
    Array,
    /// Any string, or one of some that are listed.
    String,
    /// A string that need not be one of a list.
    FreeString,
    Integer,
    Number,
    Boolean,
    Null,
}

/// One question put to a schema. References may lead in circles, so it is asked only so far.
struct Question<'s> {
    root: &'s Value,
    fuel: Cell<u32>,
}

/// Schemas looked at for one question.
const FUEL: u32 = 2_000;

/// Schemas inside one another, references followed.
const DEPTH: u32 = 48;

/// Names and options taken of one schema.
const LISTED: usize = 512;

// === impl Accepted ===

impl Accepted {
    pub(super) const KINDS: [Self; 7] =
        [Self::String, Self::Number, Self::Integer, Self::Boolean, Self::Array, Self::Object, Self::Null];

    /// The name JSON Schema has for it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String | Self::FreeString => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }

    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Object => value.is_object(),
            Self::Array => value.is_array(),
            Self::String => value.is_string(),
            Self::FreeString => false,
            Self::Integer => value.is_i64() || value.is_u64(),
            Self::Number => value.is_number(),
            Self::Boolean => value.is_boolean(),
            Self::Null => value.is_null(),
        }
    }

    fn is_named(self, name: &str) -> bool {
        name == self.name() || (self == Self::Integer && name == "number")
    }
}

// === impl Question ===

impl<'s> Question<'s> {
    fn new(root: &'s Value) -> Self {
        Self { root, fuel: Cell::new(FUEL) }
    }

    /// Whether one more schema may be looked at, so deep.
    fn goes_on(&self, depth: u32) -> bool {
        let fuel = self.fuel.get();
        self.fuel.set(fuel.saturating_sub(1));
        fuel > 0 && depth < DEPTH
    }

    fn accepts(&self, schema: &'s Value, path: &[Step], kind: Accepted, depth: u32) -> bool {
        let Value::Object(map) = schema else { return schema.as_bool().unwrap_or(true) };
        if !self.goes_on(depth) {
            return true;
        }
        let here = match path.split_first() {
            None => allows(map, kind),
            Some((step, rest)) => {
                allows(map, step.container())
                    && child(map, step).is_none_or(|child| self.accepts(child, rest, kind, depth + 1))
            }
        };
        let asks = |schema: &'s Value| self.accepts(schema, path, kind, depth + 1);
        let each = |keyword: &str| map.get(keyword).and_then(Value::as_array);
        here && reference(self.root, map).is_none_or(asks)
            && each("allOf").is_none_or(|all| all.iter().all(asks))
            && each("anyOf").is_none_or(|any| any.iter().any(asks))
            && each("oneOf").is_none_or(|one| one.iter().any(asks))
    }

    /// Shows each schema that has a say about the place, whatever it says. `false`: not all could be seen.
    fn visit(
        &self,
        schema: &'s Value,
        path: &[Step],
        depth: u32,
        see: &mut dyn FnMut(&'s Map<String, Value>),
    ) -> bool {
        let Value::Object(map) = schema else { return true };
        if !self.goes_on(depth) {
            return false;
        }
        let mut all_seen = match path.split_first() {
            None => {
                see(map);
                true
            }
            Some((step, rest)) => {
                child(map, step).is_none_or(|child| self.visit(child, rest, depth + 1, see))
            }
        };
        if let Some(target) = reference(self.root, map) {
            all_seen &= self.visit(target, path, depth + 1, see);
        } else if map.contains_key("$ref") || map.contains_key("$dynamicRef") {
            all_seen = false;
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for branch in map.get(keyword).and_then(Value::as_array).into_iter().flatten() {
                all_seen &= self.visit(branch, path, depth + 1, see);
            }
        }
        all_seen
    }
}

// === impl Step ===

impl Step {
    /// What has such steps in it.
    fn container(&self) -> Accepted {
        match self {
            Self::Member(_) => Accepted::Object,
            Self::Element(_) => Accepted::Array,
        }
    }

    fn is(&self, token: &str) -> bool {
        match self {
            Self::Member(name) => *name == unescaped(token),
            Self::Element(index) => token == index.to_string(),
        }
    }
}

/// Whether `schema` may accept a value of this kind at `path`.
pub(super) fn accepts_at(schema: &Value, path: &[Step], kind: Accepted) -> bool {
    Question::new(schema).accepts(schema, path, kind, 0)
}

/// All strings that `schema` lists for the value at `path`.
pub(super) fn options_at<'s>(schema: &'s Value, path: &[Step]) -> Vec<&'s str> {
    let mut options = Vec::new();
    Question::new(schema).visit(schema, path, 0, &mut |map| {
        let listed = map.get("enum").and_then(Value::as_array).into_iter().flatten();
        options.extend(listed.filter_map(Value::as_str).take(LISTED));
    });
    options
}

/// The members that `schema` names for the object at `path`; `None` where there may be others that it means.
pub(super) fn names_at<'s>(schema: &'s Value, path: &[Step]) -> Option<Vec<&'s str>> {
    let mut names = Vec::new();
    let mut by_pattern = false;
    let all_seen = Question::new(schema).visit(schema, path, 0, &mut |map| {
        let properties = map.get("properties").and_then(Value::as_object);
        names.extend(properties.into_iter().flat_map(Map::keys).map(String::as_str).take(LISTED));
        by_pattern |= map.contains_key("patternProperties");
    });
    (all_seen && !by_pattern).then_some(names)
}

/// What is left of `path` after the place that `pointer` names; `None` where it does not lead through there.
pub(super) fn after<'p>(pointer: &str, path: &'p [Step]) -> Option<&'p [Step]> {
    let mut rest = path;
    for token in pointer.split('/').skip(1) {
        let (step, after) = rest.split_first()?;
        if !step.is(token) {
            return None;
        }
        rest = after;
    }
    Some(rest)
}

/// A pointer's token as the name it stands for.
pub(super) fn unescaped(token: &str) -> String {
    token.replace("~1", "/").replace("~0", "~")
}

/// Whether the schema's own words allow a value of this kind.
fn allows(map: &Map<String, Value>, kind: Accepted) -> bool {
    let by_type = match map.get("type") {
        Some(Value::String(name)) => kind.is_named(name),
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).any(|name| kind.is_named(name)),
        _ => true,
    };
    by_type
        && map.get("enum").and_then(Value::as_array).is_none_or(|all| all.iter().any(|one| kind.fits(one)))
        && map.get("const").is_none_or(|value| kind.fits(value))
}

/// The schema that the keywords of `map` have for the value one step on.
fn child<'s>(map: &'s Map<String, Value>, step: &Step) -> Option<&'s Value> {
    match step {
        Step::Member(name) => {
            let named = map.get("properties").and_then(|properties| properties.get(name));
            named.or_else(|| {
                map.get("additionalProperties").filter(|_| !map.contains_key("patternProperties"))
            })
        }
        Step::Element(index) => {
            let items = map.get("items");
            let row = map.get("prefixItems").or(items).and_then(Value::as_array);
            match row {
                Some(row) if *index < row.len() => row.get(*index),
                Some(_) if map.contains_key("prefixItems") => items,
                Some(_) => map.get("additionalItems"),
                None => items,
            }
        }
    }
}

/// Where a reference leads, if it stays in the text.
fn reference<'s>(root: &'s Value, map: &Map<String, Value>) -> Option<&'s Value> {
    let pointer = map.get("$ref")?.as_str()?.strip_prefix('#')?;
    // Percent-encoding is legal here, and seen by nobody.
    if pointer.contains('%') { None } else { root.pointer(pointer) }
}
