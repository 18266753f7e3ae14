//! The operator's operations on string arguments.

#[cfg(test)]
mod tests;

use crate::guard::rules::{ArgumentRule, Normalise};
use crate::wire::canonical::quote;
use crate::wire::span::Json;
use crate::wire::splice::Splices;

/// Rounds until operations that work against each other have come to rest.
const ROUNDS: usize = 4;

/// Applies each rule's operations to the string at its pointer. Nothing else is touched, and a string that
/// they leave as it is keeps its bytes. `None`: all of it is normal already.
pub(super) fn normalise(text: &str, rules: &[&ArgumentRule]) -> Option<String> {
    let mut normal: Option<String> = None;
    for rule in rules.iter().filter(|rule| !rule.normalise.is_empty()) {
        let changed = at(normal.as_deref().unwrap_or(text), &rule.at, &rule.normalise);
        normal = changed.or(normal);
    }
    normal
}

fn at(text: &str, pointer: &str, operations: &[Normalise]) -> Option<String> {
    let value = Json::trusted(text.trim()).pointer(pointer)?;
    let written = value.string()?;
    // Half of a surrogate pair reads as a replacement character: to write that back would lose it.
    if written.contains(char::REPLACEMENT_CHARACTER) {
        return None;
    }
    let normal = settled(&written, operations);
    if normal == written {
        return None;
    }
    let mut splices = Splices::default();
    splices.replace(value.span_in(text), quote(&normal));
    super::spliced(text, &splices)
}

fn settled(text: &str, operations: &[Normalise]) -> String {
    let mut normal = text.to_owned();
    for _ in 0..ROUNDS {
        let next = operations.iter().fold(normal.clone(), |text, operation| apply(&text, *operation));
        if next == normal {
            break;
        }
        normal = next;
    }
    normal
}

fn apply(text: &str, operation: Normalise) -> String {
    match operation {
        Normalise::Trim => text.trim().to_owned(),
        Normalise::Lowercase => text.to_lowercase(),
        Normalise::Uppercase => text.to_uppercase(),
        Normalise::Kebab => runs(text, |c| c.is_whitespace() || c == '_', '-'),
        Normalise::CollapseSpace => runs(text, char::is_whitespace, ' '),
    }
}

/// Puts `with` in the place of each run of characters that `of` names.
fn runs(text: &str, of: impl Fn(char) -> bool, with: char) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for character in text.chars() {
        let is_run = of(character);
        if !is_run {
            out.push(character);
        } else if !inside {
            out.push(with);
        }
        inside = is_run;
    }
    out
}
