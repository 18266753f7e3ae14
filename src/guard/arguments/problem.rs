//! Says what a schema does not accept, so that a model can mend it: the place, what is expected there, and what
//! was got. The words are the catalogue's. Bounded in every way, for it goes back into a prompt.

#[cfg(test)]
mod tests;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Fault};
use serde_json::Value;

use crate::guard::notice::{Notice, Notices, excerpt};
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
    notices: &'a Notices,
    told: Vec<String>,
    /// Required members that are not there, by the object that misses them.
    missing: Vec<(String, Vec<String>)>,
}

/// What is wrong with `value`, which `text` was read into; empty where nothing is.
pub(super) fn told(text: &str, value: &Value, schema: &Schema, notices: &Notices) -> String {
    let mut telling = Telling { text, schema, notices, told: Vec::new(), missing: Vec::new() };
    schema.faults(value, &mut |base, fault| telling.add(base, fault, BRANCHES));
    let missing = std::mem::take(&mut telling.missing);
    let mut problems: Vec<String> =
        missing.iter().map(|(place, names)| telling.missing_words(place, names)).collect();
    problems.append(&mut telling.told);
    let mut seen = std::collections::HashSet::new();
    problems.retain(|problem| seen.insert(problem.clone()));
    let more = problems.len().saturating_sub(TOLD);
    problems.truncate(TOLD);
    let list = notices.joined(Notice::ProblemsNext, problems);
    if more == 0 {
        return list;
    }
    notices.text(Notice::ProblemsMore, &[("list", &list), ("count", &more.to_string())])
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
                let words = self.expectation(kind, &self.subject(&place), &self.got(&place));
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
        let (subject, got) = (self.subject(place), self.got(place));
        let told = match self.kinds(&self.path(place)) {
            Some(kinds) => {
                self.words(Notice::ProblemType, &[("place", &subject), ("kinds", &kinds), ("got", &got)])
            }
            None => self.words(Notice::ProblemForm, &[("place", &subject), ("got", &got)]),
        };
        self.told.push(told);
    }

    fn missing_words(&self, place: &str, names: &[String]) -> String {
        let path = self.path(place);
        let wanted = self.list(names.iter().map(|name| {
            let mut path = path.clone();
            path.push(Step::Member(name.clone()));
            let kinds = self.kinds(&path).map(|kinds| format!(" ({kinds})"));
            quote(&excerpt(name, NAME)) + &kinds.unwrap_or_default()
        }));
        let received =
            self.at(place).into_iter().flat_map(|object| object.members().map(|(key, _)| key.name()));
        let received = self.list(received.map(|name| excerpt(&name, NAME).into_owned()));
        let received = if received.is_empty() { self.words(Notice::ProblemNothing, &[]) } else { received };
        let problem = self.words(Notice::ProblemRequired, &[("names", &wanted), ("received", &received)]);
        self.placed(place, problem)
    }

    fn unknown_words(&self, place: &str, unexpected: &[String]) -> String {
        let names = self.list(unexpected.iter().map(|name| quote(&excerpt(name, NAME))));
        let several = unexpected.len() > 1;
        let notice = if several { Notice::ProblemUnknownSeveral } else { Notice::ProblemUnknown };
        let mut problem = self.words(notice, &[("names", &names)]);
        let known = self.schema.names(&self.path(place)).unwrap_or_default();
        if !known.is_empty() {
            let known = self.list(known.iter().map(|name| excerpt(name, NAME).into_owned()));
            problem = self.words(Notice::ProblemKnown, &[("problem", &problem), ("names", &known)]);
        }
        self.placed(place, problem)
    }

    /// What a value should have been; `subject` is its place in words.
    fn expectation(&self, kind: &Fault, subject: &str, got: &str) -> String {
        if let Fault::PropertyNames { error } = kind {
            let name = self.words(Notice::ProblemName, &[]);
            let problem = self.expectation(error.kind(), &name, &shown(error.instance()));
            return self.words(Notice::ProblemPropertyNames, &[("place", subject), ("problem", &problem)]);
        }
        let (notice, name, value) = self.wanted(kind);
        self.words(notice, &[("place", subject), (name, &value), ("got", got)])
    }

    /// The text for what a schema wants of a value, with the one thing to fill in besides place and value.
    fn wanted(&self, kind: &Fault) -> (Notice, &'static str, String) {
        let limit = |notice, limit: &dyn std::fmt::Display| (notice, "limit", limit.to_string());
        match kind {
            Fault::Type { kind: TypeKind::Single(one) } => (Notice::ProblemType, "kinds", one.to_string()),
            Fault::Type { kind: TypeKind::Multiple(several) } => {
                let kinds = several.iter().map(|one| one.to_string());
                (Notice::ProblemType, "kinds", self.notices.joined(Notice::ListOr, kinds))
            }
            Fault::Pattern { pattern } => {
                (Notice::ProblemPattern, "pattern", excerpt(pattern, PATTERN).into_owned())
            }
            Fault::Enum { options } => {
                let options = options.as_array().map(Vec::as_slice).unwrap_or_default();
                (Notice::ProblemEnum, "options", self.list(options.iter().map(shown)))
            }
            Fault::Constant { expected_value } => (Notice::ProblemConst, "value", shown(expected_value)),
            Fault::MaxLength { limit: most } => limit(Notice::ProblemMaxLength, most),
            Fault::MinLength { limit: least } => limit(Notice::ProblemMinLength, least),
            Fault::MaxItems { limit: most } => limit(Notice::ProblemMaxItems, most),
            Fault::AdditionalItems { limit: most } => limit(Notice::ProblemMaxItems, most),
            Fault::MinItems { limit: least } => limit(Notice::ProblemMinItems, least),
            Fault::MaxProperties { limit: most } => limit(Notice::ProblemMaxProperties, most),
            Fault::MinProperties { limit: least } => limit(Notice::ProblemMinProperties, least),
            Fault::Maximum { limit: most } => limit(Notice::ProblemMaximum, most),
            Fault::Minimum { limit: least } => limit(Notice::ProblemMinimum, least),
            Fault::ExclusiveMaximum { limit: below } => limit(Notice::ProblemExclusiveMaximum, below),
            Fault::ExclusiveMinimum { limit: above } => limit(Notice::ProblemExclusiveMinimum, above),
            Fault::MultipleOf { multiple_of } => {
                (Notice::ProblemMultipleOf, "factor", multiple_of.to_string())
            }
            Fault::UniqueItems => (Notice::ProblemUniqueItems, "", String::new()),
            Fault::FalseSchema => (Notice::ProblemFalseSchema, "", String::new()),
            Fault::OneOfMultipleValid { .. } => (Notice::ProblemOneOf, "", String::new()),
            other => (Notice::ProblemKeyword, "keyword", other.keyword().to_owned()),
        }
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
        Some(self.notices.joined(Notice::ListOr, kinds.into_iter().map(|kind| kind.name().to_owned())))
    }

    /// A place as the subject of a sentence.
    fn subject(&self, place: &str) -> String {
        if place.is_empty() { self.words(Notice::ProblemArguments, &[]) } else { place.to_owned() }
    }

    /// A problem with its place, unless that is the whole of the arguments.
    fn placed(&self, place: &str, problem: String) -> String {
        if place.is_empty() {
            return problem;
        }
        self.words(Notice::ProblemAt, &[("place", place), ("problem", &problem)])
    }

    /// Joins a list, telling how many are left out of a long one.
    fn list(&self, items: impl Iterator<Item = String>) -> String {
        let mut listed: Vec<String> = items.take(LISTED * 50).collect();
        let more = listed.len().saturating_sub(LISTED);
        listed.truncate(LISTED);
        let list = self.notices.joined(Notice::ListNext, listed);
        if more == 0 {
            return list;
        }
        self.words(Notice::ListMore, &[("list", &list), ("count", &more.to_string())])
    }

    fn words(&self, notice: Notice, values: &[(&str, &str)]) -> String {
        self.notices.text(notice, values)
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
        let Some(value) = self.at(place) else { return self.words(Notice::ProblemNothing, &[]) };
        match value.string() {
            Some(string) => quote(&excerpt(&string, VALUE)),
            None => excerpt(value.text(), VALUE).into_owned(),
        }
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => quote(&excerpt(text, NAME)),
        other => excerpt(&other.to_string(), NAME).into_owned(),
    }
}
