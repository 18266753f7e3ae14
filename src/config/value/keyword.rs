//! The keywords of JSON Schema. One that nobody knows would be passed over, so in a configuration it is a mistake.

use serde_json::{Map, Value};

use super::super::error::unknown;

/// Keywords whose value is no schema, in any draft. The dollar ones and the notes on a value change nothing.
const PLAIN: [&str; 41] = [
    "$anchor",
    "$comment",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$recursiveAnchor",
    "$recursiveRef",
    "$ref",
    "$schema",
    "$vocabulary",
    "const",
    "contentEncoding",
    "contentMediaType",
    "default",
    "dependentRequired",
    "deprecated",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "id",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
];

/// Those whose value is a schema, or a list of schemas.
const NESTING: [&str; 16] = [
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "contains",
    "contentSchema",
    "else",
    "if",
    "items",
    "not",
    "oneOf",
    "prefixItems",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];

/// Those whose value holds schemas by names of the writer's own.
const NAMING: [&str; 6] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"];

/// What is wrong with the first keyword in `schema` that is none; keywords of one's own begin with `x-`. The depth of
/// what was read is bounded.
pub(super) fn unknown_in(schema: &Value) -> Option<String> {
    match schema {
        Value::Object(members) => members.iter().find_map(|(name, value)| unknown_member(name, value)),
        Value::Array(schemas) => schemas.iter().find_map(unknown_in),
        _ => None,
    }
}

fn unknown_member(name: &str, value: &Value) -> Option<String> {
    if NESTING.contains(&name) {
        return unknown_in(value);
    }
    if NAMING.contains(&name) {
        return value.as_object().map(Map::values)?.find_map(unknown_in_named);
    }
    let known = PLAIN.contains(&name) || name.starts_with("x-");
    (!known).then(|| {
        let all: Vec<&str> = PLAIN.iter().chain(&NESTING).chain(&NAMING).copied().collect();
        unknown("keyword", name, &all)
    })
}

/// In the older drafts names stand here instead of a schema.
fn unknown_in_named(value: &Value) -> Option<String> {
    value.as_object().and_then(|_| unknown_in(value))
}
