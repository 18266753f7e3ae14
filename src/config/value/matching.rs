//! What picks things out: globs, regular expressions, JSON pointers.

use std::fmt;
use std::str::FromStr;

use globset::{GlobSet, GlobSetBuilder};
use regex::Regex;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::Written;

/// A shell-like pattern for names: `git_*`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Glob(pub globset::Glob);

/// Several of them, of which one has to match.
#[derive(Clone, Debug, Default)]
pub struct Globs {
    pub written: Vec<Glob>,
    /// The same, compiled.
    pub set: GlobSet,
}

/// A regular expression. Its time is linear in the text, whatever the text is.
#[derive(Clone, Debug)]
pub struct Pattern(pub Regex);

/// A JSON pointer (RFC 6901).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pointer(pub String);

// === impl Glob ===

impl Written for Glob {
    const EXPECTED: &'static str = "a glob such as \"git_*\"";
}

impl FromStr for Glob {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("an empty glob matches nothing".to_owned());
        }
        globset::Glob::new(text).map(Self).map_err(|error| format!("bad glob `{text}`: {}", error.kind()))
    }
}

// === impl Globs ===

impl PartialEq for Globs {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl<'de> Deserialize<'de> for Globs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Vec<Glob>;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("a list of globs such as [\"git_*\"]")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Vec<Glob>, A::Error> {
                let mut globs = Vec::new();
                while let Some(glob) = items.next_element()? {
                    globs.push(glob);
                }
                Ok(globs)
            }
        }
        let written = deserializer.deserialize_any(List)?;
        let mut builder = GlobSetBuilder::new();
        for Glob(glob) in &written {
            builder.add(glob.clone());
        }
        let set = builder
            .build()
            .map_err(|error| D::Error::custom(format!("these globs do not compile: {}", error.kind())))?;
        Ok(Self { written, set })
    }
}

// === impl Pattern ===

impl Written for Pattern {
    const EXPECTED: &'static str = "a regular expression in single quotes";
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Regex::new(text).map(Self).map_err(|error| match error {
            // It draws the pattern over several lines, with the fault named in the last one.
            regex::Error::Syntax(drawing) => {
                let last = drawing.lines().last().unwrap_or_default();
                let fault = last.trim_start_matches("error: ");
                let hint = if fault.contains("look-around") || fault.contains("backreferences") {
                    " (they could take exponential time)"
                } else {
                    ""
                };
                format!("bad regular expression `{text}`: {fault}{hint}")
            }
            regex::Error::CompiledTooBig(limit) => {
                format!("this regular expression needs more than {limit} bytes once compiled")
            }
            other => format!("bad regular expression `{text}`: {other}"),
        })
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

// === impl Pointer ===

impl Written for Pointer {
    const EXPECTED: &'static str = "a JSON pointer such as \"/branch_slug\"";
}

impl FromStr for Pointer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if !text.is_empty() && !text.starts_with('/') {
            return Err(format!("a JSON pointer starts with `/`: write `/{text}`"));
        }
        let lone = |piece: &str| !piece.starts_with(['0', '1']);
        if text.split('~').skip(1).any(lone) {
            return Err(format!(
                "in the JSON pointer `{text}` a `~` is written `~0`, and a `/` in a key `~1`"
            ));
        }
        Ok(Self(text.to_owned()))
    }
}
