//! What a tool is, told from its name.

use crate::guard::rules::{Rules, ToolPolicy};
use crate::wire::span::{Entered, Kind, Reader};

/// Words at the beginning of a name that promise to change nothing.
const READING: [&str; 16] = [
    "get",
    "list",
    "read",
    "search",
    "find",
    "view",
    "show",
    "describe",
    "fetch",
    "query",
    "grep",
    "glob",
    "ls",
    "cat",
    "think",
    "calculate",
];

/// Words further on that break the promise: `get_or_create`, `find_replace`. Verbs that are as often nouns
/// (`get_pull_request`, `list_open_issues`) are left out; they tell only after a [`CONJUNCTION`].
const WRITING: [&str; 89] = [
    "accept",
    "activate",
    "add",
    "append",
    "apply",
    "approve",
    "assign",
    "attach",
    "authorize",
    "buy",
    "cancel",
    "configure",
    "confirm",
    "convert",
    "create",
    "deactivate",
    "decline",
    "delete",
    "deploy",
    "deregister",
    "destroy",
    "detach",
    "disable",
    "disconnect",
    "dispatch",
    "drop",
    "edit",
    "enable",
    "enqueue",
    "erase",
    "exec",
    "execute",
    "extend",
    "flush",
    "generate",
    "grant",
    "initialize",
    "insert",
    "install",
    "invoke",
    "kill",
    "launch",
    "make",
    "migrate",
    "mkdir",
    "modify",
    "move",
    "mutate",
    "mv",
    "overwrite",
    "pay",
    "persist",
    "prepend",
    "provision",
    "publish",
    "purchase",
    "purge",
    "push",
    "put",
    "reboot",
    "rebuild",
    "register",
    "reject",
    "reload",
    "remove",
    "rename",
    "replace",
    "resize",
    "restart",
    "restore",
    "revert",
    "revoke",
    "rm",
    "rollback",
    "rotate",
    "save",
    "send",
    "set",
    "submit",
    "subscribe",
    "terminate",
    "truncate",
    "unassign",
    "uninstall",
    "unsubscribe",
    "update",
    "upload",
    "upsert",
    "write",
];

/// Words that a second verb follows: `read_and_store`. Unless it reads, too, nothing is promised.
const CONJUNCTION: [&str; 3] = ["and", "or", "then"];

/// Words that say a command is there to wait.
const WAITING: [&str; 6] = ["sleep", "wait", "watch", "until", "retry", "poll"];

/// Words of tools whose errors are about something else than their own arguments: what they run or check.
const REPORTING: [&str; 14] = [
    "build", "check", "code", "compile", "evaluate", "ipython", "jupyter", "lint", "notebook", "python",
    "repl", "run", "test", "validate",
];

/// Whether a tool is known to change nothing: by rule, by the operator's list, or by its name.
pub fn is_read_only(tool: &str, rules: &Rules, policy: &ToolPolicy<'_>) -> bool {
    policy.read_only.unwrap_or_else(|| rules.failures.read_only.is_match(tool) || reads_by_name(tool))
}

fn reads_by_name(tool: &str) -> bool {
    let words = words(tool);
    let Some(first) = words.first() else { return false };
    let reads = |word: &String| READING.contains(&word.as_str());
    let writes = |word: &String| WRITING.contains(&word.as_str());
    let joins = |word: &String| CONJUNCTION.contains(&word.as_str());
    let mut pairs = words.iter().zip(words.iter().skip(1));
    reads(first) && pairs.all(|(before, word)| !writes(word) && (!joins(before) || reads(word)))
}

/// Whether a tool runs what it is told to: what comes of that can change by itself.
pub(super) fn is_shell(tool: &str) -> bool {
    let words = words(tool);
    let Some((first, later)) = words.split_first() else { return false };
    let named = |word: &String| matches!(word.as_str(), "bash" | "shell" | "terminal");
    words.iter().any(named)
        || first.starts_with("exec")
        || first.starts_with("command")
        || (first == "run" && !later.is_empty())
}

/// Whether a tool's complaint of arguments can be about somebody else's.
pub(super) fn reports_on_others(tool: &str) -> bool {
    is_shell(tool) || words(tool).iter().any(|word| REPORTING.contains(&word.as_str()))
}

/// Whether any string in the arguments holds a word that says: this is polling.
pub(super) fn waits(arguments: &str) -> bool {
    waiting_string(arguments).unwrap_or_else(|| holds_waiting_word(arguments))
}

/// Looks at every string value, stepping into what is nested; `None` for text that is not JSON.
fn waiting_string(arguments: &str) -> Option<bool> {
    let mut reader = Reader::new(arguments);
    let mut open: Vec<(Kind, Entered)> = Vec::new();
    loop {
        match reader.kind().ok()? {
            Kind::Object => open.push((Kind::Object, reader.object().ok()?)),
            Kind::Array => open.push((Kind::Array, reader.array().ok()?)),
            _ => {
                if reader.value().ok()?.string().is_some_and(|text| holds_waiting_word(&text)) {
                    return Some(true);
                }
            }
        }
        loop {
            let Some((kind, entered)) = open.last_mut() else { return Some(false) };
            let another = match kind {
                Kind::Object => reader.next_key(entered).ok()?.is_some(),
                _ => reader.next_element(entered).ok()?,
            };
            if another {
                break;
            }
            open.pop();
        }
    }
}

fn holds_waiting_word(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|word| WAITING.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// The words of a name in lower case, without what stands before the last `__`: split at punctuation, digits
/// and where the case changes (`getHTTPStatus`: get, http, status).
fn words(name: &str) -> Vec<String> {
    let name = name.rsplit_once("__").map_or(name, |(_, own)| own);
    let mut words: Vec<String> = Vec::new();
    let mut last = None;
    let mut characters = name.chars().peekable();
    while let Some(c) = characters.next() {
        if c.is_alphabetic() {
            let after_lower = last.is_some_and(char::is_lowercase);
            let ends_acronym = last.is_some_and(char::is_uppercase)
                && characters.peek().is_some_and(|next| next.is_lowercase());
            let begins = last.is_none() || (c.is_uppercase() && (after_lower || ends_acronym));
            if begins {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        last = c.is_alphabetic().then_some(c);
    }
    words
}
