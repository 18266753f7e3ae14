//! What may follow what: JSON's grammar, with the repairs that the tokens allow.
//!
//! Objects and arrays are kept on a list, not on the call stack, so any depth is read. A document is one
//! value, one object in a Markdown fence, or several objects in a row.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::{Repair, Unreadable};
use crate::wire::span::{Expected, Kind};

const FENCE: &str = "```";

/// A text read to its end.
pub(super) struct Document<'a> {
    /// At least one; where there are more, all are objects.
    pub(super) values: Vec<Value<'a>>,
    pub(super) repairs: Vec<Repair>,
}

/// One value, its text well-formed.
pub(super) struct Value<'a> {
    pub(super) kind: Kind,
    pub(super) text: Cow<'a, str>,
}

/// What holds values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Container {
    Object,
    Array,
}

enum Expect {
    Value,
    Name,
    /// A comma, or the end of the innermost container.
    Next,
}

// === impl Document ===

impl<'a> Document<'a> {
    pub(super) fn read(text: &'a str) -> Result<Self, Unreadable> {
        let mut cursor = Cursor::new(text);
        cursor.space();
        let fence = fence_length(cursor.rest());
        cursor.step(fence.unwrap_or(0));
        cursor.trivia()?;
        let mut values = vec![Value::read(&mut cursor)?];
        if fence.is_some() {
            close_fence(&mut cursor, &values)?;
        } else {
            more_objects(&mut cursor, &mut values)?;
        }
        if cursor.peek().is_some() {
            return cursor.expected(Expected::TextEnd);
        }
        Ok(Self { values, repairs: cursor.into_repairs() })
    }
}

/// The length of a fence's opening: the backticks and the language behind them.
pub(super) fn fence_length(text: &str) -> Option<usize> {
    let opening = text.strip_prefix(FENCE)?;
    let language = opening.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let after = opening.as_bytes().get(language);
    after.is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'{').then_some(FENCE.len() + language)
}

/// The fence's end may be missing or cut: that the object is whole is what matters.
fn close_fence(cursor: &mut Cursor<'_>, values: &[Value<'_>]) -> Result<(), Unreadable> {
    if values.iter().any(|value| value.kind != Kind::Object) {
        return Err(Unreadable::NotAnObject);
    }
    cursor.trivia()?;
    let backticks = cursor.rest().bytes().take_while(|byte| *byte == b'`').count();
    cursor.step(backticks.min(FENCE.len()));
    cursor.repaired(Repair::Fence);
    cursor.space();
    Ok(())
}

/// Objects that follow an object with nothing but white space between them.
fn more_objects<'a>(cursor: &mut Cursor<'a>, values: &mut Vec<Value<'a>>) -> Result<(), Unreadable> {
    cursor.space();
    while cursor.peek() == Some(b'{') && values.last().is_some_and(|value| value.kind == Kind::Object) {
        values.push(Value::read(cursor)?);
        cursor.space();
    }
    cursor.trivia()
}

// === impl Value ===

impl<'a> Value<'a> {
    fn read(cursor: &mut Cursor<'a>) -> Result<Self, Unreadable> {
        cursor.begin();
        let kind = match cursor.peek() {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"' | b'\'') => Kind::String,
            Some(b'-' | b'0'..=b'9') => Kind::Number,
            Some(b'n' | b'N') => Kind::Null,
            _ => Kind::Boolean,
        };
        pass_value(cursor)?;
        Ok(Self { kind, text: cursor.end() })
    }
}

fn pass_value(cursor: &mut Cursor<'_>) -> Result<(), Unreadable> {
    let mut open = Vec::new();
    let mut expect = Expect::Value;
    loop {
        expect = match expect {
            Expect::Value => {
                cursor.trivia()?;
                begin_value(cursor, &mut open)?
            }
            Expect::Name => {
                cursor.trivia()?;
                cursor.string()?;
                cursor.trivia()?;
                if cursor.peek() != Some(b':') {
                    return cursor.expected(Expected::Colon);
                }
                cursor.step(1);
                Expect::Value
            }
            Expect::Next => {
                let Some(innermost) = open.last().copied() else { return Ok(()) };
                cursor.trivia()?;
                if cursor.peek() == Some(innermost.closer()) {
                    open.pop();
                    cursor.step(1);
                    Expect::Next
                } else {
                    pass_comma(cursor, innermost)?
                }
            }
        };
    }
}

fn begin_value(cursor: &mut Cursor<'_>, open: &mut Vec<Container>) -> Result<Expect, Unreadable> {
    let container = match cursor.peek() {
        Some(b'{') => Container::Object,
        Some(b'[') => Container::Array,
        Some(b'"' | b'\'') => return cursor.string().map(|()| Expect::Next),
        Some(b'-' | b'0'..=b'9') => return cursor.number().map(|()| Expect::Next),
        _ => {
            let expected = if open.is_empty() { Expected::Object } else { Expected::Value };
            return cursor.word(expected).map(|()| Expect::Next);
        }
    };
    open.push(container);
    cursor.step(1);
    cursor.trivia()?;
    Ok(if cursor.peek() == Some(container.closer()) { Expect::Next } else { container.after_comma() })
}

/// Passes over the comma between two children, and takes it out where no child follows.
fn pass_comma(cursor: &mut Cursor<'_>, innermost: Container) -> Result<Expect, Unreadable> {
    if cursor.peek() != Some(b',') {
        return cursor.expected(innermost.expected_next());
    }
    if cursor.byte_past_next()? == Some(innermost.closer()) {
        cursor.replace(cursor.at() + 1, "", Repair::TrailingComma);
        return Ok(Expect::Next);
    }
    cursor.step(1);
    Ok(innermost.after_comma())
}

// === impl Container ===

impl Container {
    fn closer(self) -> u8 {
        match self {
            Self::Object => b'}',
            Self::Array => b']',
        }
    }

    fn after_comma(self) -> Expect {
        match self {
            Self::Object => Expect::Name,
            Self::Array => Expect::Value,
        }
    }

    fn expected_next(self) -> Expected {
        Expected::after(matches!(self, Self::Object))
    }
}
