//! Compiled JSON Schemas: a tool's own and the operator's for single arguments, asked as one.
//!
//! Nothing is fetched: a reference that leads out of the text does not compile. Patterns run in linear time.
//! What is doubtful accepts: a schema that does not compile or would take for ever, a rule that fails to run,
//! arguments that no value can hold (numbers beyond all bounds, lone surrogates, depth).

#[cfg(test)]
mod tests;

use std::sync::Arc;

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;

use super::accept::{self, Accepted, Step};
use super::weight::{Weight, depth};

/// A tool's schema and the operator's overlay for it, compiled together.
#[derive(Debug)]
pub struct Schema {
    /// All must hold.
    parts: Vec<Part>,
    /// Why schemas were left out.
    ignored: Vec<String>,
}

/// One schema, and the place whose value it is for.
#[derive(Debug)]
struct Part {
    /// An RFC 6901 pointer; empty for the arguments as a whole.
    at: String,
    source: Value,
    validator: Validator,
    /// How deep a value may be to be held against it.
    deepest: Option<usize>,
}

/// Where compiled schemas come from: whoever keeps them. Asked with the schema's text as the agent sent it and
/// the operator's overlays (pointer, schema).
pub trait Schemas: Send + Sync {
    fn schema(&self, text: &str, overlays: &[(&str, &str)]) -> Arc<Schema>;
}

/// Compiles whenever it is asked: for single runs, where nothing is worth keeping.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uncached;

/// Faults looked at in one value.
const FAULTS: usize = 256;

// === impl Uncached ===

impl Schemas for Uncached {
    fn schema(&self, text: &str, overlays: &[(&str, &str)]) -> Arc<Schema> {
        Arc::new(Schema::compile(text, overlays))
    }
}

// === impl Schema ===

impl Schema {
    /// Compiles. What does not compile accepts any object, and says so.
    pub fn compile(text: &str, overlays: &[(&str, &str)]) -> Self {
        let mut schema = Self { parts: Vec::new(), ignored: Vec::new() };
        // A tool without parameters may say so with `null`.
        if text.trim() != "null" {
            schema.add("", text);
        }
        for (at, overlay) in overlays {
            schema.add(at, overlay);
        }
        schema
    }

    /// Why some of it does not count; nothing where all does.
    pub fn ignored(&self) -> Option<String> {
        (!self.ignored.is_empty()).then(|| self.ignored.join("; "))
    }

    fn add(&mut self, at: &str, text: &str) {
        match part(at, text) {
            Ok(part) => self.parts.push(part),
            Err(why) if at.is_empty() => self.ignored.push(why),
            Err(why) => self.ignored.push(format!("{at}: {why}")),
        }
    }

    /// Tells of each fault in `value`: the place that the schema stands for, and the fault below it.
    pub(super) fn faults(&self, value: &Value, tell: &mut dyn FnMut(&str, &ValidationError<'_>)) {
        for part in &self.parts {
            // An overlay says nothing of an argument that is not there.
            let Some(value) = value.pointer(&part.at) else { continue };
            let too_deep = part.deepest.is_some_and(|deepest| depth(value) > deepest);
            if too_deep || part.validator.is_valid(value) {
                continue;
            }
            let faults = part.validator.iter_errors(value).take(FAULTS);
            faults.filter(|fault| is_meant(fault.kind())).for_each(|fault| tell(&part.at, &fault));
        }
    }

    /// Whether there is no fault in `value`.
    pub(super) fn is_met_by(&self, value: &Value) -> bool {
        let mut is_met = true;
        self.faults(value, &mut |_, _| is_met = false);
        is_met
    }

    /// Whether the value at `path` may be of this kind. Where that cannot be said, it may.
    pub(super) fn accepts(&self, path: &[Step], kind: Accepted) -> bool {
        self.below(path).all(|(part, path)| accept::accepts_at(&part.source, path, kind))
    }

    /// The strings listed for the value at `path`.
    pub(super) fn options(&self, path: &[Step]) -> Vec<&str> {
        self.below(path).flat_map(|(part, path)| accept::options_at(&part.source, path)).collect()
    }

    /// The members that the object at `path` may have by name; `None` where that cannot be said.
    pub(super) fn names(&self, path: &[Step]) -> Option<Vec<&str>> {
        let mut names = Vec::new();
        for (part, path) in self.below(path) {
            names.extend(accept::names_at(&part.source, path)?);
        }
        names.sort_unstable();
        names.dedup();
        Some(names)
    }

    /// The parts that stand for `path` or a place above it, with what leads from there to it.
    fn below<'s, 'p>(&'s self, path: &'p [Step]) -> impl Iterator<Item = (&'s Part, &'p [Step])> {
        self.parts.iter().filter_map(move |part| Some((part, accept::after(&part.at, path)?)))
    }
}

fn part(at: &str, text: &str) -> Result<Part, String> {
    let mut source: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    if Draft::Draft202012.detect(&source) == Draft::Unknown {
        // A dialect of somebody's own: read as the newest.
        source.as_object_mut().and_then(|schema| schema.remove("$schema"));
    }
    let weight = Weight::of(&source).ok_or("its references stand for too many schemas")?;
    let validator = jsonschema::options()
        .offline()
        .should_validate_formats(false)
        .without_content_media_type_support("application/json")
        .without_content_encoding_support("base64")
        .with_pattern_options(PatternOptions::regex())
        .build(&source)
        .map_err(|error| error.masked().to_string())?;
    Ok(Part { at: at.to_owned(), source, validator, deepest: weight.deepest() })
}

/// Whether a fault is the value's. The others are the schema's, or the machine's that runs it; a choice with a branch
/// that only those speak against is not refused either.
pub(super) fn is_meant(kind: &Kind) -> bool {
    match kind {
        Kind::BacktrackLimitExceeded { .. }
        | Kind::RegexEngineFailure { .. }
        | Kind::ContentEncoding { .. }
        | Kind::ContentMediaType { .. }
        | Kind::Format { .. }
        | Kind::FromUtf8 { .. }
        | Kind::Referencing(_) => false,
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => context
            .iter()
            .all(|branch| branch.is_empty() || branch.iter().any(|fault| is_meant(fault.kind()))),
        _ => true,
    }
}
