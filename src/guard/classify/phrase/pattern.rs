//! The phrases, as patterns. Letters match in either case.

use std::sync::LazyLock;

use regex::Regex;

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

/// What can stand before `error:` and be part of the cry.
const KIND_OF_ERROR: &str = "(?:mcp|api|http|json-?rpc|client|server|network|validation|input validation|tool|\
    runtime|execution|syntax|parse|parsing|permission|authentication|authorization|unexpected|internal|\
    internal server|connection|database|sql|request|fatal|unhandled)";

/// What a tool was doing when it met an error. `Error handling in Rust` is a title.
const DOING: &str = "(?:executing|calling|running|invoking|performing|processing|reading|writing|opening|\
    fetching|loading|parsing|creating|deleting|removing|updating|getting|retrieving|searching|accessing|\
    connecting|sending|saving|editing|applying|listing|occurred|while|during|when|code)";

/// Beginnings that tell an error in a text of any length.
pub(super) static STRONG: LazyLock<Regex> = LazyLock::new(|| {
    beginning(&[
        r"<(?:tool_use_error|tool_error|error)>",
        r"(?:uncaught )?(?:error|exception)(?: ?\([^)\n]{0,80}\)| ?\[[^\]\n]{0,40}\])? ?:",
        r"(?:uncaught )?[a-z_][\w.$]*(?:error|exception)(?: ?\([^)\n]{0,80}\))? ?:",
        &format!(r"{KIND_OF_ERROR} error(?: -?\d+)? ?:"),
        r"(?:mcp|api|http) error -?\d+",
        &format!(r"error {DOING}\b"),
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

/// All that an `error` field says where a check found none. `No error handler for /x` is one.
pub(super) static NO_ERRORS: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"^(?:(?:there (?:are|were) )?no errors?(?: (?:were )?(?:found|detected|reported|occurred))?|none found)$",
    )
});

/// Beginnings that count only in a curt text.
pub(super) static WEAK: LazyLock<Regex> = LazyLock::new(|| {
    beginning(&[
        r"(?:unable to|could not|couldn't|cannot|can't|can not) \w",
        r"(?:not found|no such |permission denied|access (?:is |was )?denied|denied by |missing required )",
        r"(?:unauthori[sz]ed|forbidden|bad request|internal server error|service unavailable) ?(?:[.:!]|$)",
        r"(?:invalid|unknown|unsupported|unrecognized) (?:arguments?|parameters?|input|request|tool|function)\b",
        r"(?:invalid|unknown|unsupported|unrecognized) (?:command|action|option|method|operation|type|value|json)\b",
        r"(?:the )?(?:server|request|url)[^\n]{0,80} status(?: code)?:? [45]\d\d\b",
    ])
});

/// First lines that say of something that it is not there, or may not be touched. The phrase is captured.
pub(super) static ABSENT: LazyLock<Regex> = LazyLock::new(|| {
    let phrases = [
        "not found",
        "does not exist",
        "doesn't exist",
        "no such file or directory",
        "permission denied",
        "is a directory",
        "not a directory",
    ];
    regex(&format!(r"^[^(;=\n]{{0,160}}?\b({})\b", phrases.join("|")))
});

/// A search hit: a file's name and a line number, or the number alone.
pub(super) static HIT: LazyLock<Regex> = LazyLock::new(|| regex(r"^(?:[^\s:]+[:-])?\d+[:-]"));

/// A status at the beginning, in a form that is no line number and no sentence about statuses.
pub(super) static STATUS: LazyLock<Regex> = LazyLock::new(|| {
    beginning(&[
        &format!(r"\[?([45]\d\d)\]?(?:: +\S|:? *\{{|:? +{REASON}\b| *- *{REASON}\b|:?$)"),
        &format!(
            r"http(?:/\d(?:\.\d)?)?(?: error| status(?: code)?)?:? *([45]\d\d)(?: *$| *[:,.(\n-]| +{REASON}\b| +(?:error|for|from|response)\b)"
        ),
        &format!(r"(?:error|status)(?: code)?:? +([45]\d\d)\b(?: *$| *[:,.(\n-]| +{REASON}\b)"),
    ])
});

/// A status anywhere on the first line of what is known to be an error.
pub(super) static STATUS_WITHIN: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"\b(?:http(?:/\d(?:\.\d)?)?|status(?:[ _]?code)?|(?:error|response)(?: code)?)[ :=(]*([45]\d\d)\b",
        &format!(r"(?:^|[ '(:\[])([45]\d\d)[:)\]]? {REASON}\b"),
    ])
});

/// A line that tells how a process ended, and says nothing else. The code is captured.
pub(super) static EXIT: LazyLock<Regex> = LazyLock::new(|| {
    let who = r"(?:(?:the )?(?:process|command|shell|script|program|bash|task|job|execution|finished|failed)\b[^\n]{0,80}?)?";
    let how = r"\b(?:exit(?:ed)?|return(?:ed)?)(?:[ _-]?(?:with|a|non-?zero|exit|status|value))*[ _-]?(?:code|status)\b";
    let code = r"[\s:=>*`(]{0,4}(?:was |is |of )?(-?\d{1,10})\b";
    regex(&format!(r"^[\[<(*\s]*{who}{how}{code}(?:[\])>.*`,;]{{0,3}}(?:</\w+>)?\s*$|\s*:\s)"))
});

/// Kinds that may work the next time, whatever status came with them.
pub(super) static TRANSIENT: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        // Too much asked.
        r"\brate[ _-]?limit|\btoo many requests\b|\btoo quickly\b|\boverloaded|\bthrottl|\bquota exceeded\b",
        // Too late.
        r"\bdeadline[ _]exceeded\b|\btimed[ -]?out\b|\btime-out\b|\bgateway time-?out\b",
        // Somebody else was faster.
        r"\bnot a (?:simple )?fast[ -]forward\b|\bnon-fast-forward\b|\bedit conflict|\bconflicting edit",
        r"\bmodified since\b|\bchanged since\b|\bconcurrent (?:modification|update)|\bunexpectedly modified\b",
        r"\bresource busy\b|\bdatabase is locked\b|\bindex\.lock\b|\bebusy\b",
        // Nobody was reached.
        r"\bconnection (?:was |is |has been )?(?:refused|reset|aborted|closed|lost|timed)",
        r"\bconnection ?(?:error|issue|problem|failure)\b|\bfetch failed\b|\bsocket hang up\b",
        r"\b(?:econnrefused|econnreset|econnaborted|etimedout|ehostunreach|enetunreach|eai_again|enotfound|epipe)\b",
        r"\bnetwork is unreachable\b|\bname resolution\b",
        // Whoever was reached was not well.
        r"\btemporar(?:y|ily)\b|\b(?:service|server) (?:is )?(?:currently )?unavailable\b|\btry again (?:later|in)\b",
        r"\bbad gateway\b|\binternal server error\b",
    ])
});

/// Ways to say time-out that only count where no other status was given: `timeout` is an argument's name, too.
pub(super) static TIMEOUT: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"\b\w*timeout(?:error|exception|expired)\b|\b(?:read|connect)timeout\b|^timeout\b",
        r"\btimeout (?:exceeded|expired|reached|after|waiting|while|of \d)",
        r"\b(?:request|connection|read|connect|operation|command|execution|navigation) timeout\b",
    ])
});

/// Short texts that tell of something transient without calling it an error.
pub(super) static BEGINS_TRANSIENT: LazyLock<Regex> = LazyLock::new(|| {
    beginning(&[
        r"(?:the |a )?(?:[\w`'.-]+ ){0,4}timed[ -]?out(?:$|[.:!]| after\b| waiting\b)",
        r"timeout\b|connection (?:refused|reset|error|timed)|rate limit|too many requests",
        r"service unavailable|deadline exceeded|file has (?:been )?(?:unexpectedly )?(?:modified|changed)",
    ])
});

/// The user or the agent stepped in.
pub(super) static INTERRUPTED: LazyLock<Regex> = LazyLock::new(|| {
    let what = "(?:the )?(?:request|tool use|tool call|command|execution|operation|call|action)";
    let done = "(?:interrupted|cancell?ed|aborted|rejected|declined|denied)";
    beginning(&[
        &format!(r"\[?{what} (?:was |has been )?{done} ?(?:by (?:the )?user|[.\]]|$)"),
        "the execution of this tool, or a previous tool,? was interrupted",
        &format!(r"{done} by (?:the )?user"),
        &format!(r"(?:the )?user (?:has )?(?:{done}|doesn't want to proceed)"),
    ])
});

/// Complaints of the arguments alone, in the words of JSON-RPC, pydantic, Python and jsonschema.
pub(super) static ARGUMENTS: LazyLock<Regex> = LazyLock::new(|| {
    any(&[
        r"-32602\b",
        r"\bunexpected keyword argument\b",
        r"\bis a required property\b",
        r"\bfield required\b",
    ])
});

/// The first line of a pydantic report, whose complaints stand on the lines below.
pub(super) static VALIDATION: LazyLock<Regex> = LazyLock::new(|| regex(r"\bvalidation errors? for "));

fn regex(pattern: &str) -> Regex {
    Regex::new(&format!("(?i){pattern}")).expect("the pattern is a constant, and a test compiles it")
}

fn any(alternatives: &[&str]) -> Regex {
    regex(&alternatives.join("|"))
}

fn beginning(alternatives: &[&str]) -> Regex {
    regex(&format!("^{ORNAMENT}(?:{})", alternatives.join("|")))
}
