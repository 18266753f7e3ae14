//! A tool's schema with the operator's overlays laid into it, by splices.
//!
//! Both stay true: what the tool asks for is never made milder. A keyword that is not there is added. Where it is,
//! of two limits the stricter counts, lists of names are joined, and words follow words; what cannot be said in
//! one keyword stands apart, in `allOf`. Places that the schema does not have, and those that refer elsewhere, are
//! left alone: no argument is made up.

use std::borrow::Cow;

use crate::wire::canonical::{canonical, quote};
use crate::wire::span::{Json, Kind};
use crate::wire::splice::{self, Splices, paragraph};

use super::Overlay;

/// One place of a schema as it becomes.
struct Place<'a> {
    /// An object.
    own: Json<'a>,
    /// At the top providers take fewer keywords.
    is_top: bool,
    keywords: Vec<Keyword<'a>>,
}

struct Keyword<'a> {
    name: Cow<'a, str>,
    /// As the agent sent it.
    own: Option<Json<'a>>,
    /// JSON.
    now: Cow<'a, str>,
}

/// What becomes of a keyword that is there already.
enum Met {
    Stays,
    Becomes(String),
    /// No one value says both.
    Apart,
}

/// Keywords that say something else in the company of one another: they are moved together or not at all.
const SHARING: [&str; 14] = [
    "properties",
    "patternProperties",
    "additionalProperties",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "minContains",
    "maxContains",
    "if",
    "then",
    "else",
];

/// What providers refuse at the top of a tool's schema.
const NOT_AT_TOP: [&str; 5] = ["allOf", "anyOf", "oneOf", "not", "enum"];

/// Lays `overlays` into `schema`, which stands at `offset`; whether that changed anything.
pub(super) fn lay(schema: Json<'_>, offset: usize, overlays: &[&Overlay], edits: &mut Splices) -> bool {
    let mut pointers: Vec<&str> = overlays.iter().map(|overlay| overlay.at.as_str()).collect();
    pointers.sort_unstable();
    pointers.dedup();
    let mut changed = false;
    for pointer in pointers {
        let own = schema.pointer(pointer).filter(|own| own.kind() == Kind::Object);
        let Some(mut place) = own.and_then(|own| Place::of(own, pointer.is_empty())) else { continue };
        for overlay in overlays.iter().filter(|overlay| overlay.at == pointer) {
            place.lay(overlay);
        }
        changed |= place.splice(offset + place.own.span_in(schema.text()).start, edits);
    }
    changed
}

// === impl Place ===

impl<'a> Place<'a> {
    fn of(own: Json<'a>, is_top: bool) -> Option<Self> {
        let keywords = own.members().map(|(key, value)| Keyword {
            name: key.name(),
            own: Some(value),
            now: Cow::Borrowed(value.text()),
        });
        let keywords: Vec<_> = keywords.collect();
        // Older drafts read nothing beside a reference, and newer providers refuse what stands there.
        let refers = keywords.iter().any(|keyword| keyword.name == "$ref");
        (!refers).then_some(Self { own, is_top, keywords })
    }

    fn lay(&mut self, overlay: &Overlay) {
        let told = overlay.keywords.iter().filter(|(name, _)| !self.is_top || !is_barred(name));
        let (sharing, alone): (Vec<_>, Vec<_>) = told.partition(|(name, _)| is_sharing(name));
        let mut apart: Vec<String> = Vec::new();
        for (name, value) in alone {
            if !self.put(name, value) {
                apart.push(member(name, value));
            }
        }
        if self.keywords.iter().any(|keyword| is_sharing(&keyword.name)) {
            let there = |(name, value): &&(String, String)| self.says(name, value);
            if !sharing.iter().copied().all(|keyword| there(&keyword)) {
                apart.extend(sharing.iter().map(|(name, value)| member(name, value)));
            }
        } else {
            self.keywords.extend(sharing.into_iter().map(|(name, value)| Keyword::added(name, value)));
        }
        if !apart.is_empty() && !self.is_top {
            self.put("allOf", &format!("[{{{}}}]", apart.join(",")));
        }
    }

    /// Has the place say `value` too. `false` where that takes more than this keyword.
    fn put(&mut self, name: &str, value: &str) -> bool {
        let Some(known) = self.keywords.iter_mut().rev().find(|keyword| keyword.name == name) else {
            self.keywords.push(Keyword::added(name, value));
            return true;
        };
        match meet(name, Json::trusted(&known.now), Json::trusted(value)) {
            Met::Stays => true,
            Met::Becomes(now) => {
                known.now = Cow::Owned(now);
                true
            }
            Met::Apart => false,
        }
    }

    fn says(&self, name: &str, value: &str) -> bool {
        let known = self.keywords.iter().rev().find(|keyword| keyword.name == name);
        known.is_some_and(|known| equal(Json::trusted(&known.now), Json::trusted(value)))
    }

    /// Makes it so in the text that this place begins in at `offset`; whether there was anything to do.
    fn splice(&self, offset: usize, edits: &mut Splices) -> bool {
        let mut changed = false;
        let mut added: Vec<String> = Vec::new();
        for keyword in &self.keywords {
            match keyword.own {
                Some(own) if own.text() == keyword.now => {}
                Some(own) => {
                    edits.replace(
                        own.span_in(self.own.text()).shifted(offset),
                        keyword.now.clone().into_owned(),
                    );
                    changed = true;
                }
                None => added.push(member(&keyword.name, &keyword.now)),
            }
        }
        if !added.is_empty() {
            let (at, with) = splice::append(self.own, offset, &added.join(","));
            edits.insert(at, with);
        }
        changed || !added.is_empty()
    }
}

// === impl Keyword ===

impl Keyword<'_> {
    fn added(name: &str, value: &str) -> Self {
        Self { name: Cow::Owned(name.to_owned()), own: None, now: Cow::Owned(value.to_owned()) }
    }
}

/// What becomes of a keyword with the value `own` so that `ours` holds too.
fn meet(name: &str, own: Json<'_>, ours: Json<'_>) -> Met {
    if equal(own, ours) {
        return Met::Stays;
    }
    match name {
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
            limit(own, ours, |ours, own| ours < own)
        }
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
            limit(own, ours, |ours, own| ours > own)
        }
        "required" | "allOf" => union(own, ours),
        "description" => words(own, ours),
        // They ask for nothing, so there is but one to keep.
        "title" | "default" | "examples" | "deprecated" | "readOnly" | "writeOnly" => {
            Met::Becomes(ours.text().to_owned())
        }
        _ => Met::Apart,
    }
}

fn limit(own: Json<'_>, ours: Json<'_>, stricter: impl Fn(f64, f64) -> bool) -> Met {
    let number = |json: Json<'_>| json.text().parse::<f64>().ok().filter(|number| number.is_finite());
    match (number(own), number(ours)) {
        (Some(is), Some(wanted)) if stricter(wanted, is) => Met::Becomes(ours.text().to_owned()),
        (Some(_), Some(_)) => Met::Stays,
        _ => Met::Apart,
    }
}

fn union(own: Json<'_>, ours: Json<'_>) -> Met {
    if own.kind() != Kind::Array || ours.kind() != Kind::Array {
        return Met::Apart;
    }
    let there: Vec<String> = own.elements().map(canonical).collect();
    let more: Vec<&str> =
        ours.elements().filter(|one| !there.contains(&canonical(*one))).map(Json::text).collect();
    if more.is_empty() {
        return Met::Stays;
    }
    let (at, with) = splice::append(own, 0, &more.join(","));
    inserted(own, at, &with)
}

/// A description that is no text is not understood, and stays.
fn words(own: Json<'_>, ours: Json<'_>) -> Met {
    let ours = ours.string().unwrap_or_default();
    match paragraph::extend(own, 0, &[&ours]) {
        Some((at, with)) => inserted(own, at, &with),
        None => Met::Stays,
    }
}

fn inserted(own: Json<'_>, at: usize, with: &str) -> Met {
    let Some((before, after)) = own.text().split_at_checked(at) else { return Met::Stays };
    Met::Becomes([before, with, after].concat())
}

fn equal(own: Json<'_>, ours: Json<'_>) -> bool {
    own.text() == ours.text() || canonical(own) == canonical(ours)
}

fn member(name: &str, value: &str) -> String {
    format!("{}:{value}", quote(name))
}

fn is_sharing(name: &str) -> bool {
    SHARING.contains(&name)
}

fn is_barred(name: &str) -> bool {
    NOT_AT_TOP.contains(&name)
}

#[cfg(test)]
mod tests;
