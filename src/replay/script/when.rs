//! When a step answers: conditions as they are written, in TOML or in Rust.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::config::value::{Pattern, Pointer};

/// Conditions, all of which must hold. None: any request for a chat completion.
#[derive(Clone, PartialEq, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct When {
    /// The path's end, for requests that are not chat completions.
    pub path: Option<String>,
    pub model: Option<String>,
    pub stream: Option<bool>,
    /// How many elements of the history are the assistant's.
    pub turn: Option<usize>,
    /// The texts of all system and developer elements, joined by line breaks.
    pub system_contains: Option<String>,
    pub system_equals: Option<String>,
    pub system_matches: Option<Pattern>,
    /// The text of the last user element.
    pub last_user_contains: Option<String>,
    pub last_user_equals: Option<String>,
    pub last_user_matches: Option<Pattern>,
    /// The text of the last element.
    pub last_contains: Option<String>,
    pub last_equals: Option<String>,
    pub last_matches: Option<Pattern>,
    pub last_role: Option<String>,
    /// Whether the tool results since the last user element hold this.
    pub tool_result_contains: Option<String>,
    /// Whether there is any tool result since the last user element.
    pub has_tool_result: Option<bool>,
    /// Of each there is a tool result since the last user element.
    pub result: Vec<ResultWhen>,
    /// A tool's name.
    pub tool_offered: Option<String>,
    /// The names of tools that must all be there.
    pub tools_offered: Vec<String>,
    /// `auto`, `none`, `required`, or a tool's name.
    pub tool_choice: Option<String>,
    /// Headers with the values that they must have.
    pub headers: BTreeMap<String, String>,
    /// What the body must hold at a place.
    pub body: Vec<At>,
}

/// What one tool result must be; all of it.
#[derive(Clone, PartialEq, Debug, Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ResultWhen {
    /// Of the call with this id.
    pub id: Option<String>,
    /// Of a call of this tool.
    pub tool: Option<String>,
    pub contains: Option<String>,
    /// Whether it says of itself that it is an error: by a member `is_error`, beside the text or in it, by a
    /// member `error` in it, or by the word it begins with.
    pub is_error: Option<bool>,
    /// A place in the result's JSON; goes with `equals`.
    pub at: Option<Pointer>,
    pub equals: Option<Value>,
}

/// A value at a place.
#[derive(Clone, PartialEq, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct At {
    pub at: Pointer,
    pub equals: Value,
}

// === impl When ===

impl When {
    /// The regular expressions, whose named groups an answer can use.
    pub(in crate::replay) fn patterns(&self) -> impl Iterator<Item = &Pattern> {
        [&self.system_matches, &self.last_user_matches, &self.last_matches].into_iter().flatten()
    }

    /// What is wrong with it, though each condition could be read.
    pub(super) fn fault(&self) -> Option<&'static str> {
        let half = |result: &ResultWhen| result.at.is_some() != result.equals.is_some();
        if self.result.iter().any(half) {
            return Some("in a condition on a result, `at` and `equals` go together");
        }
        let asks = self.tool_result_contains.is_some() || !self.result.is_empty();
        (asks && self.has_tool_result == Some(false))
            .then_some("it can never be reached: it wants a tool result and none at once")
    }

    /// Whether every request that meets `other` meets this. It may say no where a proof would be hard.
    pub(super) fn covers(&self, other: &Self) -> bool {
        /// Whether a condition is absent here or the same there.
        fn lax<T: PartialEq>(here: Option<&T>, there: Option<&T>) -> bool {
            here.is_none() || here == there
        }
        fn all<T: PartialEq>(here: &[T], there: &[T]) -> bool {
            here.iter().all(|condition| there.contains(condition))
        }
        let texts = [
            (&self.model, &other.model),
            (&self.system_contains, &other.system_contains),
            (&self.system_equals, &other.system_equals),
            (&self.last_user_contains, &other.last_user_contains),
            (&self.last_user_equals, &other.last_user_equals),
            (&self.last_contains, &other.last_contains),
            (&self.last_equals, &other.last_equals),
            (&self.last_role, &other.last_role),
            (&self.tool_result_contains, &other.tool_result_contains),
            (&self.tool_offered, &other.tool_offered),
            (&self.tool_choice, &other.tool_choice),
        ];
        self.path == other.path
            && texts.iter().all(|(here, there)| lax(here.as_ref(), there.as_ref()))
            && lax(self.stream.as_ref(), other.stream.as_ref())
            && lax(self.turn.as_ref(), other.turn.as_ref())
            && lax(self.has_tool_result.as_ref(), other.has_tool_result.as_ref())
            && lax(self.system_matches.as_ref(), other.system_matches.as_ref())
            && lax(self.last_user_matches.as_ref(), other.last_user_matches.as_ref())
            && lax(self.last_matches.as_ref(), other.last_matches.as_ref())
            && all(&self.result, &other.result)
            && all(&self.tools_offered, &other.tools_offered)
            && all(&self.body, &other.body)
            && self.headers.iter().all(|(name, value)| other.headers.get(name) == Some(value))
    }
}
