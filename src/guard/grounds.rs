//! Why a call is refused, with all that the model is told of it. Each has one reason and one text.

#[cfg(test)]
mod tests;

use crate::wire::lenient;
use crate::wire::span::Expected;

use super::notice::{Notice, Notices, excerpt, tool_name};
use super::{Reason, Refusal, Resort};

/// Characters of a provider's words that are quoted.
const SAID: usize = 400;

/// Why a call is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grounds<'a> {
    Truncated,
    Unreadable(Unreadable),
    UnknownTool {
        names: &'a str,
    },
    NoTools,
    Invalid {
        problems: &'a str,
    },
    Denied {
        reason: &'a str,
    },
    Repeated {
        error: &'a str,
    },
    Terminal {
        error: &'a str,
    },
    TooLarge,
    /// `said`: the provider's own words, or none.
    ProviderRefused {
        said: &'a str,
    },
}

/// Why arguments cannot be taken as one call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unreadable {
    Text(lenient::Unreadable),
    /// Several calls in the place of one, where the agent wants one at a time.
    Several,
    /// A wrapper of several calls that lists none.
    List,
}

// === impl Refusal ===

impl Refusal {
    /// Refuses a call of `tool`. Nothing of it may go on, and it has no key, unless that is added.
    pub fn new(notices: &Notices, tool: &str, grounds: Grounds<'_>) -> Self {
        let text = grounds.text(notices, &tool_name(tool));
        Self { reason: grounds.reason(), text, key: None, resort: Resort::Nothing }
    }
}

// === impl Grounds ===

impl Grounds<'_> {
    fn reason(self) -> Reason {
        match self {
            Self::Truncated => Reason::Truncated,
            Self::Unreadable(_) => Reason::Unreadable,
            Self::UnknownTool { .. } => Reason::UnknownTool,
            Self::NoTools => Reason::NoTools,
            Self::Invalid { .. } => Reason::Invalid,
            Self::Denied { .. } => Reason::Denied,
            Self::Repeated { .. } => Reason::Repeated,
            Self::Terminal { .. } => Reason::Terminal,
            Self::TooLarge => Reason::TooLarge,
            Self::ProviderRefused { .. } => Reason::ProviderRefused,
        }
    }

    fn text(self, notices: &Notices, tool: &str) -> String {
        let told = |notice, name, value: &str| notices.text(notice, &[("tool", tool), (name, value)]);
        match self {
            Self::Truncated => notices.text(Notice::Truncated, &[("tool", tool)]),
            Self::Unreadable(why) => told(Notice::Unreadable, "problems", &why.text(notices)),
            Self::UnknownTool { names } => told(Notice::UnknownTool, "names", names),
            Self::NoTools => notices.text(Notice::NoTools, &[("tool", tool)]),
            Self::Invalid { problems } => told(Notice::Invalid, "problems", problems),
            Self::Denied { reason } => told(Notice::Denied, "reason", reason),
            Self::Repeated { error } => told(Notice::Repeated, "error", error),
            Self::Terminal { error } => told(Notice::Terminal, "error", error),
            Self::TooLarge => notices.text(Notice::TooLarge, &[("tool", tool)]),
            Self::ProviderRefused { said: "" } => {
                told(Notice::ProviderRefused, "error", &notices.text(Notice::ErrorUnsaid, &[]))
            }
            Self::ProviderRefused { said } => {
                told(Notice::ProviderRefused, "error", &format!("\"{}\"", excerpt(said, SAID)))
            }
        }
    }
}

// === impl Unreadable ===

impl From<lenient::Unreadable> for Unreadable {
    fn from(why: lenient::Unreadable) -> Self {
        Self::Text(why)
    }
}

impl Unreadable {
    fn text(self, notices: &Notices) -> String {
        let (notice, at) = match self {
            Self::Several => (Notice::UnreadableSeveral, None),
            Self::List => (Notice::UnreadableList, None),
            Self::Text(lenient::Unreadable::NotAnObject) => (Notice::UnreadableForm, None),
            Self::Text(lenient::Unreadable::Backslash { at }) => (Notice::UnreadableBackslash, Some(at)),
            Self::Text(lenient::Unreadable::Syntax { at, expected }) => {
                let values = [("at", &*at.to_string()), ("expected", &*expectation(expected, notices))];
                return notices.text(Notice::UnreadableSyntax, &values);
            }
        };
        notices.text(notice, &[("at", &at.map(|at| at.to_string()).unwrap_or_default())])
    }
}

/// What was expected, in words or marks.
fn expectation(expected: Expected, notices: &Notices) -> String {
    let notice = match expected {
        Expected::Value | Expected::Array => Notice::ExpectedValue,
        Expected::Object => Notice::ExpectedObject,
        Expected::Name => Notice::ExpectedName,
        Expected::Digit => Notice::ExpectedDigit,
        Expected::HexDigit | Expected::Escape => Notice::ExpectedEscape,
        Expected::StringEnd => Notice::ExpectedStringEnd,
        Expected::CommentEnd => Notice::ExpectedCommentEnd,
        Expected::TextEnd => Notice::ExpectedTextEnd,
        Expected::Colon
        | Expected::True
        | Expected::False
        | Expected::Null
        | Expected::CommaOrBrace
        | Expected::CommaOrBracket => {
            return notices.joined(Notice::ListOr, expected.marks().iter().map(|mark| (*mark).to_owned()));
        }
    };
    notices.text(notice, &[])
}
