//! JSON Schemas, written as a TOML table or as JSON text in a string.

use std::fmt;

use serde::de::{Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use toml::Spanned;

use super::keyword;

/// A JSON Schema as JSON text, known to compile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overlay(pub String);

/// A TOML value as JSON text, keys in the order written.
struct Json(String);

impl<'de> Deserialize<'de> for Overlay {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Json(mut text) = Json::deserialize(deserializer)?;
        // JSON text in a string is the way to write `null`, which TOML lacks.
        if text.starts_with('"') {
            let inner: String = serde_json::from_str(&text).map_err(D::Error::custom)?;
            let raw: &RawValue = serde_json::from_str(&inner)
                .map_err(|error| D::Error::custom(format!("the schema is not JSON: {error}")))?;
            raw.get().clone_into(&mut text);
        }
        check(&text).map_err(D::Error::custom)?;
        Ok(Self(text))
    }
}

/// Compiles a schema as the guard does, to say what is wrong with it before any call meets it.
fn check(text: &str) -> Result<(), String> {
    let schema: serde_json::Value =
        serde_json::from_str(text).map_err(|error| format!("the schema is not JSON: {error}"))?;
    if !schema.is_object() && !schema.is_boolean() {
        return Err("a JSON Schema is a table, or JSON text that holds an object".to_owned());
    }
    if let Some(unknown) = keyword::unknown_in(&schema) {
        return Err(format!("not a JSON Schema: {unknown}"));
    }
    jsonschema::options()
        .with_pattern_options(jsonschema::PatternOptions::regex())
        .offline()
        .build(&schema)
        .map(drop)
        .map_err(|error| match error.instance_path().as_str() {
            "" => format!("not a JSON Schema: {error}"),
            place => format!("not a JSON Schema: at {place}: {error}"),
        })
}

// === impl Json ===

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Writer).map(Self)
    }
}

/// Writes what it visits as JSON. The parser bounds the depth.
struct Writer;

impl<'de> Visitor<'de> for Writer {
    type Value = String;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON Schema, as a table or as JSON text")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<String, E> {
        Ok(value.to_string())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<String, E> {
        if !value.is_finite() {
            return Err(E::custom("JSON has no infinity and no NaN"));
        }
        Ok(format!("{value:?}"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<String, E> {
        serde_json::to_string(value).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<String, A::Error> {
        let mut pieces = Vec::new();
        while let Some(Json(piece)) = items.next_element()? {
            pieces.push(piece);
        }
        Ok(format!("[{}]", pieces.join(",")))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<String, A::Error> {
        let mut members = Vec::new();
        while let Some((key, Json(value))) = entries.next_entry::<Spanned<String>, Json>()? {
            let name = serde_json::to_string(key.get_ref()).map_err(A::Error::custom)?;
            members.push((key.span().start, format!("{name}:{value}")));
        }
        // A table comes sorted by key; the model should read the schema as the operator wrote it.
        members.sort();
        let members: Vec<String> = members.into_iter().map(|(_, member)| member).collect();
        Ok(format!("{{{}}}", members.join(",")))
    }
}
