//! What a text begins with, when it tells an error.
//!
//! Only the beginning speaks, and for exit codes the end: logs, search hits and source code are full of errors
//! that are none of the tool's. The weaker phrases count only where the text says nothing else.

mod pattern;

use super::layer::{head, tail_start};
use pattern::{
    ABSENT, ARGUMENTS, BEGINS_TRANSIENT, EXIT, HIT, INTERRUPTED, NO_ERRORS, STATUS, STATUS_WITHIN, STRONG,
    TIMEOUT, TRANSIENT, VALIDATION, WEAK,
};

/// A text in which the weaker phrases count, in bytes.
const CURT: usize = 1024;

/// Lines at either end among which an exit code is looked for.
const EXIT_LINES: usize = 4;

/// Whether a text tells an error by its beginning.
pub(super) fn fails(text: &str) -> bool {
    let text = text.trim_start();
    let start = head(text);
    if let Some(found) = STRONG.find(start) {
        let rest = start.get(found.end()..).unwrap_or_default();
        return !found.as_str().ends_with(':') || !is_a_value(rest);
    }
    begins_with_status(text) || (text.len() <= CURT && (WEAK.is_match(start) || tells_absence(text)))
}

/// What stands behind `error:` where it is a field and no cry: a word for nothing, or a measure.
fn is_a_value(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default().trim();
    let number = line.trim_end_matches('%').trim_end_matches(',');
    let is_status = number.len() == 3 && number.starts_with(['4', '5']);
    // An exception without a message leaves nothing behind the colon.
    (!line.is_empty() && says_none(line)) || (!is_status && number.parse::<f64>().is_ok())
}

/// Words with which an `error` field says that there is none.
pub(super) fn says_none(text: &str) -> bool {
    let text = text.trim().trim_matches(['"', '\'', '(', ')', ',', '.', ';']);
    ["", "none", "null", "nil", "n/a", "false", "undefined", "0", "-"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word))
        || NO_ERRORS.is_match(text)
}

fn tells_absence(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default();
    let Some(phrase) = ABSENT.captures(line).and_then(|captures| captures.get(1)) else { return false };
    let before = line.get(..phrase.start()).unwrap_or_default();
    let after = line.get(phrase.end()..).unwrap_or_default();
    // Within a string literal, or in a sentence that goes on: `was not found to be`.
    let quoted = before.bytes().filter(|byte| *byte == b'"').count() % 2 == 1;
    !quoted && !after.starts_with(" to ") && !HIT.is_match(line)
}

fn begins_with_status(text: &str) -> bool {
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default();
    let numbered = |line: &str| HIT.is_match(line.trim_start());
    // A view with line numbers begins like `422: …`, and goes on like that.
    STATUS.is_match(head(first)) && !lines.next().is_some_and(numbered)
}

/// The status that an error text gives on its first line.
pub(super) fn status(text: &str) -> Option<u16> {
    let line = head(text.trim_start()).lines().next()?;
    let captures = STATUS.captures(line).or_else(|| STATUS_WITHIN.captures(line))?;
    captures.iter().skip(1).flatten().next()?.as_str().parse().ok()
}

/// The exit code that one of the first or last lines tells.
pub(super) fn exit_code(text: &str) -> Option<i64> {
    let code = |line: &str| EXIT.captures(line)?.get(1)?.as_str().parse().ok();
    let tail = text.get(tail_start(text)..).unwrap_or_default();
    let written = |line: &&str| !line.trim().is_empty();
    let mut last = tail.lines().rev().filter(written).take(EXIT_LINES);
    last.find_map(code).or_else(|| head(text).lines().filter(written).take(EXIT_LINES).find_map(code))
}

/// Whether an error may be gone the next time. Of a long message only the beginning tells its kind.
pub(super) fn is_transient(message: &str, status: Option<u16>) -> bool {
    if matches!(status, Some(408 | 409 | 423 | 425 | 429 | 500..)) {
        return true;
    }
    let beginning = message.get(..message.floor_char_boundary(400)).unwrap_or(message);
    TRANSIENT.is_match(beginning) || (status.is_none() && TIMEOUT.is_match(beginning))
}

/// Whether a text that tells no error begins like something that may work the next time.
pub(super) fn begins_transient(text: &str) -> bool {
    text.len() <= CURT && BEGINS_TRANSIENT.is_match(text.trim_start())
}

/// Whether a text tells of an interrupt or of an approval that was not given.
pub(super) fn interrupts(text: &str) -> bool {
    text.len() <= CURT && INTERRUPTED.is_match(text.trim_start())
}

/// Whether an error is about the arguments alone: on its first line, or in a report that begins as one. Not
/// in a traceback or a command's output, which tell of other people's calls.
pub(super) fn complains_of_arguments(text: &str) -> bool {
    let text = head(text.trim_start());
    let first = text.lines().next().unwrap_or_default();
    if text.starts_with("Traceback") || exit_code(text).is_some() {
        return false;
    }
    ARGUMENTS.is_match(if VALIDATION.is_match(first) { text } else { first })
}
