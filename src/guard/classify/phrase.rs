//! What a text begins with, when it tells an error.
//!
//! Only the beginning speaks, and for exit codes the end: logs, search hits and source code are full of errors
//! that are none of the tool's. The weaker phrases count only where the text says nothing else.

use std::sync::LazyLock;

use regex::Regex;

use super::layer::{head, tail_start};

/// A text in which the weaker phrases count, in bytes.
const CURT: usize = 1024;

/// Lines at either end among which an exit code is looked for.
const EXIT_LINES: usize = 4;

/// Reason phrases of RFC 9110 section 15 and of the extensions seen in the field.
const REASON: &str = "(?:bad request|unauthorized|payment required|forbidden|not found|method not allowed|\
    not acceptable|proxy authentication required|request time-?out|conflict|gone|length required|\
    precondition failed|payload too large|request entity too large|content too large|uri too long|\
    request-uri too (?:long|large)|unsupported media type|range not satisfiable|expectation failed|\
    misdirected request|unprocessable (?:entity|content)|locked|failed dependency|too early|upgrade required|\
    precondition required|too many requests|request header fields too large|unavailable for legal reasons|\
    client error|server error|internal server error|not implemented|bad gateway|service unavailable|\
    gateway time-?out|http version not supported|insufficient storage)";

/// Signs and emphasis that agents set before an error.
const ORNAMENT: &str = "(?:[❌✗✘✖⚠🚫⛔🛑\u{fe0f} ]+|\\*\\*)*";

/// Beginnings that tell an error in a text of any length.
static STRONG: LazyLock<Regex> = LazyLock::new(|| {
    let before = "(?:mcp|json-?rpc|api|http|client|server|network|validation|input validation|tool|runtime|\
        execution|syntax|parse|parsing|permission|authentication|authorization|unexpected|internal|\
        internal server|connection|database|sql|request|fatal|unhandled)";
    let doing = "(?:executing|calling|running|invoking|performing|processing|reading|writing|opening|fetching|\
        loading|parsing|creating|deleting|removing|updating|getting|retrieving|searching|accessing|connecting|\
        sending|saving|editing|applying|listing|occurred|while|during|when|code)";
    pattern(&[
        r"<(?:tool_use_error|tool_error|error)>",
        r"(?:uncaught )?(?:error|exception)(?: ?\([^)\n]{0,80}\)| ?\[[^\]\n]{0,40}\])? ?:",
        r"(?:uncaught )?[a-z_][\w.$]*(?:error|exception)(?: ?\([^)\n]{0,80}\))? ?:",
        &format!("{before} error(?: -?\\d+)? ?:"),
        r"(?:mcp|api|http) error -?\d+",
        &format!(r"error {doing}\b"),
        r"error -?\d{3,}\b",
        r"an? (?:unexpected |unknown |internal )?error (?:has )?occurred",
        r"failed to\b",
        r"(?:failure|fatal|panic) ?:",
        r"traceback \(most recent call last\)",
        r"thread '[^'\n]*' (?:\(\d+\) )?panicked at",
        r"\d+ validation errors? for ",
        r"(?:tool|command|request|execution|function|operation|action|api)(?: call| execution)? failed\b",
        r"(?:success|ok) ?: ?false\b",
    ])
});

/// Beginnings that count only in a curt text.
static WEAK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&[
        r"(?:unable to|could not|couldn't|cannot|can't|can not) \w",
        r"(?:not found|no such |permission denied|access (?:is |was )?denied|denied by |missing required )",
        r"(?:unauthori[sz]ed|forbidden|bad request|internal server error|service unavailable) ?(?:[.:!]|$)",
        r"(?:invalid|unknown|unsupported|unrecognized) (?:argument|parameter|input|request|tool|function|command|\
            action|option|method|operation|type|value|json|arguments|parameters)\b",
        r"(?:the )?(?:server|request|url)[^\n]{0,80} status(?: code)?:? [45]\d\d\b",
    ])
});

/// First lines that say of something that it is not there, or may not be touched.
static ABSENT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^[^(;=\n]{0,160}?\b(not found|does not exist|doesn't exist|no such file or directory|permission denied|is a directory|not a directory)\b",
    )
});

/// A search hit: a file's name and a line number, or the number alone.
static HIT: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:[^\s:]+[:-])?\d+[:-]"));

/// A status at the beginning, in a form that is no line number and no sentence about statuses.
static STATUS: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"^{ORNAMENT}(?:\[?([45]\d\d)\]?(?:: +\S|:? *\{{|:? +{REASON}\b| *- *{REASON}\b|:?$)|http(?:/\d(?:\.\d)?)?(?: error| status(?: code)?)?:? *([45]\d\d)(?: *$| *[:,.(\n-]| +{REASON}\b| +(?:error|for|from|response)\b)|(?:error|status)(?: code)?:? +([45]\d\d)\b(?: *$| *[:,.(\n-]| +{REASON}\b))"
    ))
});

/// A status anywhere on the first line of what is known to be an error.
static STATUS_WITHIN: LazyLock<Regex> = LazyLock::new(|| {
    regex(&format!(
        r"\b(?:http(?:/\d(?:\.\d)?)?|status(?:[ _]?code)?|(?:error|response)(?: code)?)[ :=(]*([45]\d\d)\b|(?:^|[ '(:\[])([45]\d\d)[:)\]]? {REASON}\b"
    ))
});

/// A line that tells how a process ended.
static EXIT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^[\[<(*\s]*(?:(?:the )?(?:process|command|shell|script|program|bash|task|job|execution|finished|failed)\b[^\n]{0,80}?)?\b(?:exit(?:ed)?|return(?:ed)?)(?:[ _-]?(?:with|a|non-?zero|exit|status|value))*[ _-]?(?:code|status)\b[\s:=>*`(]{0,4}(?:was |is |of )?(-?\d{1,10})\b(?:[\])>.*`,;]{0,3}(?:</\w+>)?\s*$|\s*:\s)",
    )
});

/// Kinds that may work the next time, whatever status came with them.
static TRANSIENT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\brate[ _-]?limit|\btoo many requests\b|\boverloaded|\bthrottl|\bquota exceeded\b|\bdeadline[ _]exceeded\b|\btimed[ -]?out\b|\btime-out\b|\bnot a (?:simple )?fast[ -]forward\b|\bnon-fast-forward\b|\bedit conflict|\bconflicting edit|\bmodified since\b|\bchanged since\b|\bconcurrent (?:modification|update)|\bunexpectedly modified\b|\bconnection (?:was |is |has been )?(?:refused|reset|aborted|closed|lost|timed)|\bconnection ?error\b|\b(?:econnrefused|econnreset|econnaborted|etimedout|ehostunreach|enetunreach|eai_again|enotfound|epipe|ebusy)\b|\bsocket hang up\b|\bnetwork is unreachable\b|\bname resolution\b|\btemporar(?:y|ily)\b|\b(?:service|server) (?:is )?(?:currently )?unavailable\b|\bbad gateway\b|\bgateway time-?out\b|\binternal server error\b|\btry again (?:later|in)\b|\bresource busy\b|\bdatabase is locked\b|\bindex\.lock\b",
    )
});

/// Ways to say time-out that only count where no other status was given: `timeout` is an argument's name, too.
static TIMEOUT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"\b(?:\w*timeout(?:error|exception|expired)|readtimeout|connecttimeout)\b|\btimeout (?:exceeded|expired|reached|after|waiting|while|of \d)|^timeout\b|\b(?:request|connection|read|connect|operation|command|execution|navigation) timeout\b",
    )
});

/// Short texts that tell of a time-out without calling it an error.
static BEGINS_TRANSIENT: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:(?:the |a )?(?:[\w`'.-]+ ){0,4}timed[ -]?out\b|timeout\b|connection (?:refused|reset|error|timed)|rate limit|too many requests|service unavailable|deadline exceeded|file has (?:been )?(?:unexpectedly )?(?:modified|changed))",
    )
});

/// The user or the agent stepped in.
static INTERRUPTED: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^\[?(?:(?:the )?(?:request|tool use|tool call|command|execution|operation|call|action)(?: of this tool, or a previous tool,?)? (?:was |has been )?(?:interrupted|cancell?ed|aborted|rejected|declined|denied) ?(?:by (?:the )?user|[.\]]|$)|the execution of this tool, or a previous tool was interrupted|(?:interrupted|cancell?ed|aborted|rejected|declined|denied) by (?:the )?user|(?:the )?user (?:has )?(?:rejected|declined|denied|cancell?ed|interrupted|aborted|doesn't want to proceed))",
    )
});

/// Complaints of the arguments alone, in the words of JSON-RPC, pydantic, Python and jsonschema.
static ARGUMENTS: LazyLock<Regex> = LazyLock::new(|| {
    regex(r"-32602\b|\bunexpected keyword argument\b|\bis a required property\b|\bfield required\b")
});

/// The first line of a pydantic report, whose complaints stand on the lines below.
static VALIDATION: LazyLock<Regex> = LazyLock::new(|| regex(r"\bvalidation errors? for "));

fn regex(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).expect("the pattern is a constant, and a test compiles it")
}

/// Any of some beginnings.
fn pattern(beginnings: &[&str]) -> Regex {
    regex(&format!("^{ORNAMENT}(?:{})", beginnings.join("|")))
}

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

/// What stands behind `error:` where it is a field and no cry: nothing, a word for nothing, or a measure.
fn is_a_value(rest: &str) -> bool {
    let line = rest.lines().next().unwrap_or_default().trim();
    let number = line.trim_end_matches('%').trim_end_matches(',');
    let is_status = number.len() == 3 && number.starts_with(['4', '5']);
    (says_none(line) && !(line.is_empty() && !rest.trim().is_empty()))
        || (!is_status && number.parse::<f64>().is_ok())
}

/// Words with which an `error` field says that there is none.
pub(super) fn says_none(text: &str) -> bool {
    let text = text.trim().trim_matches(['"', '\'', '(', ')', ',', '.', ';']);
    ["", "none", "null", "nil", "no", "n/a", "false", "undefined", "0", "-"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word))
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
