//! An operator's schema for an argument, taken apart into keywords once, so that it can be laid into a tool's own.

use crate::wire::span::{Json, Kind};

/// What one place of a tool's schema has to say besides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Overlay {
    /// An RFC 6901 pointer into the tool's schema: `/properties/a/properties/b`.
    pub(super) at: String,
    /// Keywords and their values as JSON, each keyword once; none is about schemas as such (`$ref`, `$defs`, …).
    pub(super) keywords: Vec<(String, String)>,
}

/// Keywords that decide together with `properties` what they mean.
const BESIDE_PROPERTIES: [&str; 3] = ["patternProperties", "additionalProperties", "unevaluatedProperties"];

// === impl Overlay ===

impl Overlay {
    /// Takes apart `schema`, JSON that is known to be a schema, for the argument at the pointer `at`. What it says of
    /// the argument's own members becomes overlays of those.
    ///
    /// Nothing comes of a schema that refers to others, as references lead elsewhere once it stands inside another;
    /// nor of `true` and `false`, which have no keywords.
    pub fn of(at: &str, schema: &str) -> Vec<Self> {
        let schema = Json::trusted(schema.trim());
        let mut overlays = Vec::new();
        if !refers(schema) {
            take_apart(at.replace('/', "/properties/"), schema, &mut overlays);
        }
        overlays
    }
}

fn take_apart(at: String, schema: Json<'_>, overlays: &mut Vec<Overlay>) {
    let mut keywords: Vec<(String, Json<'_>)> = Vec::new();
    for (key, value) in schema.members() {
        let name = key.name().into_owned();
        // Of a keyword given twice the last counts.
        keywords.retain(|(known, _)| *known != name);
        keywords.push((name, value));
    }
    let parted = !keywords.iter().any(|(name, _)| BESIDE_PROPERTIES.contains(&name.as_str()));
    let (below, own): (Vec<_>, Vec<_>) =
        keywords.into_iter().partition(|(name, value)| parted && name == "properties" && is_object(*value));
    for (name, member) in below.iter().flat_map(|(_, properties)| properties.members()) {
        let token = name.name().replace('~', "~0").replace('/', "~1");
        take_apart(format!("{at}/properties/{token}"), member, overlays);
    }
    if !own.is_empty() {
        let keywords = own.into_iter().map(|(name, value)| (name, value.text().to_owned())).collect();
        overlays.push(Overlay { at, keywords });
    }
}

fn is_object(value: Json<'_>) -> bool {
    value.kind() == Kind::Object
}

/// Whether something in a schema is about schemas. The depth is bounded: it was compiled before.
fn refers(value: Json<'_>) -> bool {
    value.members().any(|(key, value)| key.name().starts_with('$') || refers(value))
        || value.elements().any(refers)
}

#[cfg(test)]
mod tests;
