//! Says what a schema does not accept, so that a model can mend it: the place, what is expected there, and what
//! was got. Bounded in every way, for it goes back into a prompt.

#[cfg(test)]
mod tests;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Fault};
use serde_json::Value;

use crate::guard::notice::excerpt;
use crate::wire::canonical::quote;
use crate::wire::span::{Json, Kind};

use super::accept::{Accepted, Step, unescaped};
use super::schema::{Schema, is_meant};

/// Problems told at most.
const TOLD: usize = 5;

/// Characters of a value, a pattern, a name that are quoted.
const VALUE: usize = 80;
const PATTERN: usize = 200;
const NAME: usize = 64;

/// Names or options told in one list.
const LISTED: usize = 20;

/// How deep the words for a choice follow its branches.
const BRANCHES: usize = 3;

/// What is found, in the order found.
struct Telling<'a> {
    text: &'a str,
    schema: &'a Schema,
    told: Vec<String>,
    /// Required members that are not there, by the object that misses them.
    missing: Vec<(String, Vec<String>)>,
}

/// What is wrong with `value`, which `text` was read into; `None` where nothing is.
pub(super) fn told(text: &str, value: &Value, schema: &Schema) -> Option<String> {
    let mut telling = Telling { text, schema, told: Vec::new(), missing: Vec::new() };
    schema.faults(value, &mut |base, fault| telling.add(base, fault, BRANCHES));
    let missing = std::mem::take(&mut telling.missing);
    let mut problems: Vec<String> =
        missing.iter().map(|(place, names)| telling.missing_words(place, names)).collect();
    problems.append(&mut telling.told);
    let mut seen = std::collections::HashSet::new();
    problems.retain(|problem| seen.insert(problem.clone()));
    let more = problems.len().saturating_sub(TOLD);
    problems.truncate(TOLD);
    if more > 0 {
        problems.push(format!("and {more} more"));
    }
    (!problems.is_empty()).then(|| problems.join("; "))
}

// === impl Telling ===

impl Telling<'_> {
    fn add(&mut self, base: &str, fault: &ValidationError<'_>, branches: usize) {
        let place = format!("{base}{}", fault.instance_path().as_str());
        match fault.kind() {
            Fault::Required { property } => {
                let name = property.as_str().unwrap_or_default().to_owned();
                match self.missing.iter_mut().find(|(other, _)| *other == place) {
                    Some((_, names)) => names.push(name),
                    None => self.missing.push((place, vec![name])),
                }
            }
            Fault::AdditionalProperties { unexpected } | Fault::UnevaluatedProperties { unexpected } => {
                let words = self.unknown_words(&place, unexpected);
                self.told.push(words);
            }
            Fault::AnyOf { context } | Fault::OneOfNotValid { context } => {
                self.choice(base, &place, context, branches);
            }
            kind => {
                let subject = if place.is_empty() { "the arguments" } else { place.as_str() };
                let words = format!("{subject} {}, got {}", expectation(kind), self.got(&place));
                self.told.push(words);
            }
        }
    }

    /// A value that fits no branch of a choice: the kinds wanted, if that is all; else what the branch misses
    /// that comes nearest.
    fn choice(&mut self, base: &str, place: &str, context: &[Vec<ValidationError<'_>>], branches: usize) {
        let is_here =
            |fault: &&ValidationError<'_>| format!("{base}{}", fault.instance_path().as_str()) == place;
        let wrong_kind = |branch: &Vec<ValidationError<'_>>| {
            branch.iter().filter(is_here).any(|fault| matches!(fault.kind(), Fault::Type { .. }))
        };
        let nearest = context.iter().filter(|branch| !branch.is_empty() && !wrong_kind(branch));
        let nearest = nearest.min_by_key(|branch| branch.len());
        if let Some(branch) = nearest.filter(|_| branches > 0) {
            for fault in branch.iter().filter(|fault| is_meant(fault.kind())) {
                self.add(base, fault, branches - 1);
            }
            return;
        }
        let subject = if place.is_empty() { "the arguments" } else { place };
        let kinds = self.kinds(&self.path(place)).unwrap_or_else(|| "in one of the forms offered".to_owned());
        self.told.push(format!("{subject} must be {kinds}, got {}", self.got(place)));
    }

    fn missing_words(&self, place: &str, names: &[String]) -> String {
        let path = self.path(place);
        let wanted = list(names.iter().map(|name| {
            let mut path = path.clone();
            path.push(Step::Member(name.clone()));
            let kinds = self.kinds(&path).map(|kinds| format!(" ({kinds})"));
            quote(&excerpt(name, NAME)) + &kinds.unwrap_or_default()
        }));
        let received =
            self.at(place).into_iter().flat_map(|object| object.members().map(|(key, _)| key.name()));
        let received = list(received.map(|name| excerpt(&name, NAME).into_owned()));
        let received = if received.is_empty() { "nothing".to_owned() } else { received };
        let colon = if place.is_empty() { "" } else { ": " };
        format!("{place}{colon}missing required {wanted}; received: {received}")
    }

    fn unknown_words(&self, place: &str, unexpected: &[String]) -> String {
        let names = list(unexpected.iter().map(|name| quote(&excerpt(name, NAME))));
        let plural = if unexpected.len() == 1 { "" } else { "s" };
        let known = self.schema.names(&self.path(place)).unwrap_or_default();
        let known = list(known.iter().map(|name| excerpt(name, NAME).into_owned()));
        let known = if known.is_empty() { String::new() } else { format!("; known: {known}") };
        let colon = if place.is_empty() { "" } else { ": " };
        format!("{place}{colon}unknown member{plural} {names}{known}")
    }

    /// The kinds accepted at `path`; `None` where any is.
    fn kinds(&self, path: &[Step]) -> Option<String> {
        let mut kinds: Vec<Accepted> =
            Accepted::KINDS.into_iter().filter(|kind| self.schema.accepts(path, *kind)).collect();
        if kinds.len() == Accepted::KINDS.len() || kinds.is_empty() {
            return None;
        }
        if kinds.contains(&Accepted::Number) {
            kinds.retain(|kind| *kind != Accepted::Integer);
        }
        Some(kinds.into_iter().map(Accepted::name).collect::<Vec<_>>().join(" or "))
    }

    fn at(&self, place: &str) -> Option<Json<'_>> {
        Json::trusted(self.text.trim()).pointer(place)
    }

    /// A pointer as steps: what a token means depends on the value it leads into.
    fn path(&self, place: &str) -> Vec<Step> {
        let mut value = Some(Json::trusted(self.text.trim()));
        let mut steps = Vec::new();
        for token in place.split('/').skip(1) {
            let name = unescaped(token);
            let index = token.parse().ok().filter(|_| value.is_some_and(|value| value.kind() == Kind::Array));
            value = value.and_then(|value| match index {
                Some(index) => value.elements().nth(index),
                None => value.member(&name),
            });
            steps.push(index.map_or(Step::Member(name), Step::Element));
        }
        steps
    }

    /// The value as written, shortened. Numbers keep their digits.
    fn got(&self, place: &str) -> String {
        let Some(value) = self.at(place) else { return "nothing".to_owned() };
        match value.string() {
            Some(string) => quote(&excerpt(&string, VALUE)),
            None => excerpt(value.text(), VALUE).into_owned(),
        }
    }
}

/// What a value should have been, as words that follow its place.
fn expectation(kind: &Fault) -> String {
    match kind {
        Fault::Type { kind: TypeKind::Single(one) } => format!("must be {one}"),
        Fault::Type { kind: TypeKind::Multiple(several) } => {
            let names: Vec<_> = several.iter().map(|one| one.to_string()).collect();
            format!("must be {}", names.join(" or "))
        }
        Fault::Pattern { pattern } => format!("must match {}", excerpt(pattern, PATTERN)),
        Fault::Enum { options } => {
            let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
            format!("must be one of {}", list(options.iter().map(shown)))
        }
        Fault::Constant { expected_value } => format!("must be {}", shown(expected_value)),
        Fault::MaxLength { limit } => format!("must have at most {limit} characters"),
        Fault::MinLength { limit } => format!("must have at least {limit} characters"),
        Fault::MaxItems { limit } => format!("must have at most {limit} items"),
        Fault::MinItems { limit } => format!("must have at least {limit} items"),
        Fault::AdditionalItems { limit } => format!("must have at most {limit} items"),
        Fault::MaxProperties { limit } => format!("must have at most {limit} members"),
        Fault::MinProperties { limit } => format!("must have at least {limit} members"),
        Fault::Maximum { limit } => format!("must be at most {limit}"),
        Fault::Minimum { limit } => format!("must be at least {limit}"),
        Fault::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Fault::ExclusiveMinimum { limit } => format!("must be greater than {limit}"),
        Fault::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Fault::UniqueItems => "must not hold an item twice".to_owned(),
        Fault::FalseSchema => "is not allowed here".to_owned(),
        Fault::OneOfMultipleValid { .. } => "must fit only one of its forms".to_owned(),
        Fault::PropertyNames { error } => {
            format!("must have other member names: a name {}", expectation(error.kind()))
        }
        other => format!("does not meet the schema's \"{}\"", other.keyword()),
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quote(&excerpt(text, NAME)),
        other => excerpt(&other.to_string(), NAME).into_owned(),
    }
}

/// Joins a list, telling how many are left out of a long one.
fn list(items: impl Iterator<Item = String>) -> String {
    let mut listed: Vec<String> = items.take(LISTED * 50).collect();
    let more = listed.len().saturating_sub(LISTED);
    if more > 0 {
        listed.truncate(LISTED);
        listed.push(format!("… ({more} more)"));
    }
    listed.join(", ")
}
