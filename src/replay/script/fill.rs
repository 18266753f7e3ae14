//! What an answer takes over from the request: `{{…}}` in its texts and arguments.
//!
//! There are five kinds: `{{group:NAME}}` (a named group of a regular expression among the step's conditions),
//! `{{request:/POINTER}}`, `{{header:NAME}}`, `{{result}}` (the last tool result) and `{{result:WHO/POINTER}}`,
//! where WHO, a call's id or a tool's name, and the pointer may each be left out. Other braces are text. What a
//! slot stands for must be there: a missing value is never an empty text.

use std::borrow::Cow;

use super::{Block, Call, Part, Reply};

/// What stands in the place of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::replay) enum Slot<'a> {
    Group(&'a str),
    Header(&'a str),
    /// A pointer into the body.
    Request(&'a str),
    /// A call's id or a tool's name, and a pointer into the result; empty: all of its text.
    Result {
        of: Option<&'a str>,
        at: &'a str,
    },
}

/// A value for a slot.
pub(in crate::replay) enum Value<'a> {
    Text(Cow<'a, str>),
    /// JSON that is no string.
    Json(String),
}

// === impl Slot ===

impl<'a> Slot<'a> {
    /// Reads what stands between the braces; `None` where that is no slot.
    fn read(inner: &'a str) -> Option<Self> {
        if inner == "result" {
            return Some(Self::Result { of: None, at: "" });
        }
        let (kind, rest) = inner.split_once(':')?;
        match kind {
            "group" if !rest.is_empty() => Some(Self::Group(rest)),
            "header" if !rest.is_empty() => Some(Self::Header(rest)),
            "request" if rest.starts_with('/') => Some(Self::Request(rest)),
            "result" => {
                let (of, at) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                Some(Self::Result { of: (!of.is_empty()).then_some(of), at })
            }
            _ => None,
        }
    }
}

/// The slots of a text, each with what stands before it, and what stands behind the last.
fn parts(text: &str) -> (Vec<(&str, &str, Slot<'_>)>, &str) {
    let (mut found, mut rest) = (Vec::new(), text);
    let mut searched = 0;
    while let Some((before, inner)) = next(rest, searched) {
        let whole = before.len() + inner.len() + 4;
        match Slot::read(inner) {
            Some(slot) => {
                found.push((before, inner, slot));
                rest = rest.get(whole..).unwrap_or_default();
                searched = 0;
            }
            None => searched = before.len() + 2,
        }
    }
    (found, rest)
}

/// The next pair of double braces from `from` on: what stands before it, and in it.
fn next(text: &str, from: usize) -> Option<(&str, &str)> {
    let begin = text.get(from..)?.find("{{")? + from;
    let inner = text.get(begin + 2..)?;
    Some((text.get(..begin)?, inner.get(..inner.find("}}")?)?))
}

// === impl Reply ===

impl Reply {
    /// Every slot, as it is written and as it is meant.
    pub(in crate::replay) fn slots(&self) -> Vec<(&str, Slot<'_>)> {
        let texts = self.blocks.iter().filter_map(|block| block.part.text());
        texts.flat_map(|text| parts(text).0).map(|(_, written, slot)| (written, slot)).collect()
    }

    /// The same with every slot filled; the error is the first slot that has no value.
    pub(in crate::replay) fn filled<'v>(
        &self,
        value: &dyn Fn(Slot<'_>) -> Option<Value<'v>>,
    ) -> Result<Cow<'_, Self>, String> {
        if !self.blocks.iter().filter_map(|block| block.part.text()).any(|text| text.contains("{{")) {
            return Ok(Cow::Borrowed(self));
        }
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for Block { choice, part } in &self.blocks {
            let part = match part {
                Part::Text(text) => Part::Text(fill(text, false, value)?),
                Part::Reasoning(text) => Part::Reasoning(fill(text, false, value)?),
                Part::Call(call) => {
                    let arguments = fill(&call.arguments, !call.custom, value)?;
                    Part::Call(Call { arguments, ..call.clone() })
                }
                Part::Gate(name) => Part::Gate(name.clone()),
            };
            blocks.push(Block { choice: *choice, part });
        }
        Ok(Cow::Owned(Self { blocks, ..self.clone() }))
    }
}

/// In JSON a text is escaped, as what stands between the quotes of a string; other values stand as they are.
fn fill<'v>(
    text: &str,
    in_json: bool,
    value: &dyn Fn(Slot<'_>) -> Option<Value<'v>>,
) -> Result<String, String> {
    let (slots, rest) = parts(text);
    let mut filled = String::with_capacity(text.len());
    for (before, written, slot) in slots {
        filled.push_str(before);
        match value(slot).ok_or_else(|| format!("{{{{{written}}}}}"))? {
            Value::Text(text) if in_json => {
                let quoted = serde_json::to_string(&text).expect("a string is always JSON");
                filled.push_str(quoted.get(1..quoted.len() - 1).unwrap_or_default());
            }
            Value::Text(text) => filled.push_str(&text),
            Value::Json(json) => filled.push_str(&json),
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

// === impl Part ===

impl Part {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) | Self::Reasoning(text) => Some(text),
            Self::Call(call) => Some(&call.arguments),
            Self::Gate(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Step;

    fn filled(step: Step) -> Result<Vec<String>, String> {
        let value = |slot: Slot<'_>| match slot {
            Slot::Group("n") => Some(Value::Text("a\"b\n".into())),
            Slot::Request("/x") => Some(Value::Json("[1]".to_owned())),
            Slot::Result { of: Some("f"), at: "/id" } => Some(Value::Text("7".into())),
            Slot::Result { of: None, at: "" } => Some(Value::Text("all".into())),
            _ => None,
        };
        let reply = step.reply.filled(&value)?.into_owned();
        Ok(reply.blocks.iter().filter_map(|block| block.part.text()).map(str::to_owned).collect())
    }

    #[test]
    fn fills_texts_as_they_are_and_arguments_escaped() {
        let step = Step::new()
            .say("{{group:n}}{{result}}, {{result:f/id}}")
            .call("f", r#"{"n":"{{group:n}}","x":{{request:/x}}}"#)
            .custom("p", "{{group:n}}");
        let got = filled(step).unwrap();
        assert_eq!(got, ["a\"b\nall, 7", r#"{"n":"a\"b\n","x":[1]}"#, "a\"b\n"]);
    }

    #[test]
    fn braces_that_are_no_slot_are_text() {
        for text in ["{{", "{{ name }}", "{{{}}}", "{{%d}} }}", "{{request:x}}", "{{group:}}", "{\"a\":{}}"] {
            assert_eq!(filled(Step::new().say(text)).unwrap(), [text]);
        }
        assert_eq!(filled(Step::new().say("{{a {{result}}")).unwrap(), ["{{a all"]);
    }

    #[test]
    fn a_missing_value_is_told_and_never_empty() {
        assert_eq!(filled(Step::new().say("{{header:x-a}}")).unwrap_err(), "{{header:x-a}}");
        assert_eq!(filled(Step::new().call("f", "{{result:/a/b}}")).unwrap_err(), "{{result:/a/b}}");
    }
}
