//! A TOML text, read into the written form, with every mistake in it told at its place.
//!
//! Serde stops at the first mistake. So what it stumbles over is noted, taken out of the table, and the rest is
//! read again, until all of it reads.

use std::ops::Range;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Fault, explain};
use super::written::File;

/// Mistakes told at most; the operator has enough to do then.
const MOST: usize = 50;

/// A TOML text and what it holds.
pub(super) struct Document<'a> {
    name: &'a str,
    text: &'a str,
    /// With `env:` strings replaced.
    root: Spanned<DeValue<'a>>,
    /// What came out of the environment, and where it stands.
    borrowed: Vec<Borrowed>,
}

/// A value out of the environment.
struct Borrowed {
    span: Range<usize>,
    variable: String,
    value: String,
}

/// A step from a value to one inside it.
#[derive(Clone, PartialEq, Debug)]
enum Step {
    Key(String),
    Index(usize),
}

/// Gives the value of an environment variable.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

impl<'a> Document<'a> {
    /// Reads `text`, called `name` in what is told of it. Strings `env:NAME` take the variable's value.
    pub(super) fn parse(
        name: &'a str,
        text: &'a str,
        environment: Environment<'_>,
    ) -> Result<Self, Vec<Fault>> {
        let (table, errors) = DeTable::parse_recoverable(text);
        let root = Spanned::new(table.span(), DeValue::Table(table.into_inner()));
        let mut document = Self { name, text, root, borrowed: Vec::new() };
        if !errors.is_empty() {
            let fault = |error: &toml::de::Error| {
                document.fault_named(
                    error.span().unwrap_or_default(),
                    String::new(),
                    error.message().to_owned(),
                )
            };
            return Err(errors.iter().take(MOST).map(fault).collect());
        }
        let mut missing = Vec::new();
        expand(&mut document.root, environment, &mut document.borrowed, &mut missing);
        if missing.is_empty() {
            return Ok(document);
        }
        Err(missing
            .into_iter()
            .map(|(span, variable)| {
                document.fault(span, format!("the environment variable {variable} is not set"))
            })
            .collect())
    }

    /// Reads the written form. What could not be read is at its default, and is told.
    pub(super) fn read(&self) -> (File, Vec<Fault>) {
        let mut faults = Vec::new();
        let mut rest = self.root.clone();
        // Tables that lack a key because it was taken out, which is no second mistake.
        let mut bereft = Vec::new();
        while faults.len() < MOST {
            let error = match File::deserialize(rest.clone().into_deserializer()) {
                Ok(file) => return (file, faults),
                Err(error) => error,
            };
            let span = error.span().unwrap_or_default();
            if !bereft.contains(&(span.clone(), missing_key(error.message()))) {
                faults.push(self.fault(span.clone(), explain(error.message())));
            }
            let Some(path) = locate(&rest, &span) else { break };
            if let Some((Step::Key(key), above)) = path.split_last() {
                bereft.extend(at(&rest, above).map(|table| (table.span(), Some(key.clone()))));
            }
            if !remove(rest.get_mut(), &path) {
                break;
            }
        }
        (File::default(), faults)
    }

    /// Something is wrong with what stands at `span`.
    pub(super) fn fault(&self, span: Range<usize>, message: String) -> Fault {
        let keys = locate(&self.root, &span).unwrap_or_default();
        let keys: Vec<String> = keys.into_iter().filter_map(Step::key).collect();
        self.fault_named(span, keys.join("."), message)
    }

    fn fault_named(&self, span: Range<usize>, key: String, mut message: String) -> Fault {
        for borrowed in self.borrowed.iter().filter(|borrowed| borrowed.span == span) {
            if !borrowed.value.is_empty() {
                message = message.replace(&borrowed.value, &format!("env:{}", borrowed.variable));
            }
        }
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        Fault {
            file: self.name.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
            key,
            message,
        }
    }
}

impl Step {
    fn key(self) -> Option<String> {
        let bare = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        match self {
            Self::Key(key) if !key.is_empty() && key.bytes().all(bare) => Some(key),
            Self::Key(key) => Some(format!("{key:?}")),
            Self::Index(_) => None,
        }
    }
}

/// Puts the values of variables in the place of `env:NAME`, and notes those that are not set.
fn expand(
    value: &mut Spanned<DeValue<'_>>,
    environment: Environment<'_>,
    borrowed: &mut Vec<Borrowed>,
    missing: &mut Vec<(Range<usize>, String)>,
) {
    let span = value.span();
    match value.get_mut() {
        DeValue::String(text) => {
            let Some(variable) = text.strip_prefix("env:").map(str::to_owned) else { return };
            match environment(&variable) {
                Some(value) => {
                    *text = value.clone().into();
                    borrowed.push(Borrowed { span, variable, value });
                }
                None => missing.push((span, variable)),
            }
        }
        DeValue::Array(items) => {
            for item in items.iter_mut() {
                expand(item, environment, borrowed, missing);
            }
        }
        DeValue::Table(table) => {
            for (_, item) in table {
                expand(item, environment, borrowed, missing);
            }
        }
        _ => {}
    }
}

/// The way to what stands at `span`: an entry whose key or value is there, else the smallest around it.
fn locate(root: &Spanned<DeValue<'_>>, span: &Range<usize>) -> Option<Vec<Step>> {
    let mut search = Search { span, way: Vec::new(), best: None };
    search.visit(root);
    search.best.map(|(_, way)| way)
}

struct Search<'a> {
    span: &'a Range<usize>,
    /// To the value being looked at.
    way: Vec<Step>,
    /// The smallest found so far: its length, and the way to it.
    best: Option<(usize, Vec<Step>)>,
}

impl Search<'_> {
    fn visit(&mut self, value: &Spanned<DeValue<'_>>) {
        // Tables under a header do not lie within their parent's span, so every branch is looked at.
        match value.get_ref() {
            DeValue::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.enter(Step::Index(index), &item.span(), item);
                }
            }
            DeValue::Table(table) => {
                for (key, item) in table {
                    self.enter(Step::Key(key.get_ref().clone().into_owned()), &key.span(), item);
                }
            }
            _ => {}
        }
    }

    fn enter(&mut self, step: Step, key: &Range<usize>, value: &Spanned<DeValue<'_>>) {
        self.way.push(step);
        for candidate in [key, &value.span()] {
            let around = candidate.start <= self.span.start && self.span.end <= candidate.end;
            let smaller = self.best.as_ref().is_none_or(|(length, _)| candidate.len() <= *length);
            if around && smaller {
                self.best = Some((candidate.len(), self.way.clone()));
            }
        }
        self.visit(value);
        self.way.pop();
    }
}

/// The key that serde misses.
fn missing_key(message: &str) -> Option<String> {
    Some(message.strip_prefix("missing field `")?.strip_suffix('`')?.to_owned())
}

/// What `path` leads to.
fn at<'v, 'i>(value: &'v Spanned<DeValue<'i>>, path: &[Step]) -> Option<&'v Spanned<DeValue<'i>>> {
    path.iter().try_fold(value, |value, step| match (value.get_ref(), step) {
        (DeValue::Array(items), Step::Index(index)) => items.get(*index),
        (DeValue::Table(table), Step::Key(key)) => table.get(key.as_str()),
        _ => None,
    })
}

/// Takes what `path` leads to out of `value`; whether there was something.
fn remove(value: &mut DeValue<'_>, path: &[Step]) -> bool {
    match (value, path) {
        (DeValue::Array(items), [Step::Index(index)]) => {
            let there = *index < items.len();
            let kept = items.iter().enumerate().filter(|(at, _)| at != index);
            *items = kept.map(|(_, item)| item.clone()).collect();
            there
        }
        (DeValue::Array(items), [Step::Index(index), rest @ ..]) => {
            items.get_mut(*index).is_some_and(|item| remove(item.get_mut(), rest))
        }
        (DeValue::Table(table), [Step::Key(key)]) => table.remove(key.as_str()).is_some(),
        (DeValue::Table(table), [Step::Key(key), rest @ ..]) => {
            table.get_mut(key.as_str()).is_some_and(|item| remove(item.get_mut(), rest))
        }
        _ => false,
    }
}
