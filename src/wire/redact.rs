//! Keeps secrets out of what is written down.
//!
//! A net under everything else, not the first line: keys are not to be put into texts to begin with. It errs
//! towards taking too much, never looks at what a secret is for, and leaves what it has replaced alone.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

#[cfg(test)]
mod tests;

const REDACTED: &str = "[redacted]";

/// Each line is one way in which a secret shows. What stands in a group is kept, the rest is the secret.
static SECRET: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r#"(?x)
        # A header or member that holds credentials, whatever they look like.
        ((?i: \b(?:proxy-)?authorization | \b(?:x-)?(?:goog-)?api-key | \bcookie )
            \\*["']? \s* [:=,] \s* \\*["']?)
            (?i: (?:bearer|basic|apikey|token)\s+ )? [^\s"'&;,\\\[\]]+
        # A scheme with its token, wherever it stands.
      | \b((?i: bearer)\s+) [A-Za-z0-9._~+/=-]{6,}
        # A name that speaks of secrets, in a query, an environment or an object.
      | ((?i: (?:\b|_) (?: api_?key | (?:access|refresh|auth|api|id|session)_token | secret(?:_key)? | passw(?:or)?d ))
            (?: = | \\*["']? \s* [:=] \s* \\*["'] )) [^\s"'&;,\\\[\]]+
        # `key` says little, so only what is long and opaque.
      | (\b(?i: (?:api-)?key | token | sig | signature )=) [A-Za-z0-9._~+/%=-]{16,}
        # The user's part of an address.
      | (://) [^\s/@:"'\[\]]* : [^\s/@"'\[\]]+ @
        # What providers put in front of their keys.
      | \b(?: (?:sk|pk|rk)-[A-Za-z0-9_-]{8,} | (?:gsk|hf|ghp|gho|ghs)_[A-Za-z0-9]{16,} | github_pat_\w{16,}
            | xai-[A-Za-z0-9_-]{16,} | AIza[A-Za-z0-9_-]{16,} | AKIA[A-Z0-9]{12,} )
    "#;
    Regex::new(pattern).expect("the pattern is constant and tested")
});

/// `text` with whatever looks like a key (bearer tokens, `sk-…`, long opaque runs after `key=`) replaced.
pub fn redact(text: &str) -> Cow<'_, str> {
    SECRET.replace_all(text, |captures: &Captures<'_>| {
        let kept = captures.iter().skip(1).flatten().next().map_or("", |kept| kept.as_str());
        let end = if kept == "://" { "@" } else { "" };
        format!("{kept}{REDACTED}{end}")
    })
}
