//! What is wrong with a configuration, told with file, line, column and key.

use std::fmt;
use std::path::PathBuf;

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("failed to open {}", path.display())]
    Closed { path: PathBuf, source: std::io::Error },
    /// Never empty; in the order of the file.
    #[error("{}", one_a_line(.0))]
    Faulty(Vec<Fault>),
    #[error("the system gives no random bytes for the secret of this process: {0}")]
    NoRandomness(String),
}

/// One thing that is wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// As the operator named it.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// The keys that lead there, with dots; empty where the file is no TOML.
    pub key: String,
    /// What is wrong and what would be right. Never a secret.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}:{}: ", self.file, self.line, self.column)?;
        if !self.key.is_empty() {
            write!(formatter, "{}: ", self.key)?;
        }
        formatter.write_str(&self.message)
    }
}

fn one_a_line(faults: &[Fault]) -> String {
    let lines: Vec<String> = faults.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// Says in the operator's words what serde found.
pub(super) fn explain(message: &str) -> String {
    if let Some(rest) = message.strip_prefix("unknown field ") {
        return unknown_to_serde("key", rest);
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        return unknown_to_serde("value", rest);
    }
    if let Some(name) = message.strip_prefix("missing field ") {
        return format!("{name} is missing");
    }
    let mismatch = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "));
    if let Some((found, expected)) = mismatch.and_then(|rest| rest.rsplit_once(", expected ")) {
        return format!("expected {}, found {}", in_toml_words(expected), kind(found));
    }
    message.to_owned()
}

/// `rest` is what serde says after "unknown field": the name, and those it knows, each in backticks.
fn unknown_to_serde(what: &str, rest: &str) -> String {
    // The operator's word may itself hold a backtick or a comma, so the list is looked for from the end.
    let (word, list) = rest.rsplit_once(", expected ").unwrap_or((rest, ""));
    let known: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    unknown(what, word.trim_matches('`'), &known)
}

/// Says that `word` is not one of the known ones, and which was most likely meant.
pub(super) fn unknown(what: &str, word: &str, known: &[&str]) -> String {
    let shown = word.escape_debug();
    match nearest(word, known) {
        Some(near) => format!("unknown {what} `{shown}`; did you mean `{near}`?"),
        None => format!("unknown {what} `{shown}`; known here: {}", known.join(", ")),
    }
}

/// The known word that was most likely meant.
fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    let folded = word.to_lowercase().replace('-', "_");
    let close = known
        .iter()
        .map(|candidate| (strsim::damerau_levenshtein(&folded, &candidate.replace('-', "_")), *candidate))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, candidate)| *distance <= (candidate.len() + 1) / 3)
        .map(|(_, candidate)| candidate);
    close.or_else(|| {
        // `url` for `base_url`, `timeout` for `idle_timeout`.
        known.iter().copied().find(|candidate| candidate.split('_').any(|part| part == folded))
    })
}

/// What a value is, without the value: it may be a secret.
fn kind(found: &str) -> &str {
    match found.split([' ', '`', '"']).next().unwrap_or_default() {
        "string" => "a string",
        "integer" => "an integer",
        "floating" => "a fraction",
        "boolean" => "true or false",
        "map" => "a table",
        "sequence" => "a list",
        _ => "something else",
    }
}

fn in_toml_words(expected: &str) -> &str {
    match expected {
        "a sequence" => "a list",
        "a map" => "a table",
        "a boolean" => "true or false",
        "u16" | "u32" | "u64" | "usize" => "a whole number from 0",
        "a spanned value" => "a value that JSON has (a date is a string there)",
        "a nonzero u32" => "a whole number from 1",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_nearest_key() {
        let known = ["name", "base_url", "models", "paths", "idle_timeout", "read_only"];
        assert_eq!(nearest("model", &known), Some("models"));
        assert_eq!(nearest("Read-Only", &known), Some("read_only"));
        assert_eq!(nearest("nmae", &known), Some("name"));
        assert_eq!(nearest("url", &known), Some("base_url"));
        assert_eq!(nearest("timeout", &known), Some("idle_timeout"));
    }

    #[test]
    fn names_none_where_none_is_near() {
        let known = ["name", "base_url", "models"];
        assert_eq!(nearest("telemetry", &known), None);
        assert_eq!(nearest("", &known), None);
        assert_eq!(nearest("x", &[]), None);
    }

    #[test]
    fn says_what_serde_found_in_plain_words() {
        assert_eq!(
            explain("unknown field `modle`, expected one of `mode`, `rounds`"),
            "unknown key `modle`; did you mean `mode`?"
        );
        assert_eq!(
            explain("unknown field `zzzzzz`, expected `mode` or `rounds`"),
            "unknown key `zzzzzz`; known here: mode, rounds"
        );
        assert_eq!(
            explain("unknown variant `a`b`, expected `enforce` or `observe`"),
            "unknown value `a`b`; known here: enforce, observe"
        );
        assert_eq!(explain("missing field `name`"), "`name` is missing");
        assert_eq!(
            explain("invalid value: integer `-1`, expected u32"),
            "expected a whole number from 0, found an integer"
        );
        assert_eq!(explain("anything else"), "anything else");
    }

    #[test]
    fn never_repeats_a_string_that_stands_where_none_belongs() {
        let told = explain("invalid type: string \"sk-live, expected nothing\", expected a sequence");
        assert_eq!(told, "expected a list, found a string");
    }
}
