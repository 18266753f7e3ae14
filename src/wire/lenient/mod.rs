//! Arguments that are almost JSON: is the text whole, and can it be read without losing or guessing anything?
//!
//! A repair is taken only where the text has one meaning. What is cut stays cut.

mod cursor;
mod cut;
mod grammar;
#[cfg(test)]
mod tests;

use self::grammar::{Document, Value};
use super::canonical::canonical;
use super::span::{Expected, Json, Kind};

/// What an argument text is, told without repairing it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Nothing but white space.
    Empty,
    /// One well-formed object.
    Object,
    /// Well-formed, but not an object.
    Other,
    /// A string, object or array is open at the end.
    Truncated,
    /// Neither well-formed nor merely cut.
    Malformed,
}

/// One way in which a text was brought to JSON. Each loses nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Repair {
    /// One Markdown fence around the object.
    Fence,
    /// `True`, `False`, `None` as bare words.
    PythonLiteral,
    SingleQuotes,
    TrailingComma,
    Comment,
    /// A raw control character inside a string, escaped.
    ControlCharacter,
    /// `{}` before the real object.
    LeadingEmptyObject,
    /// The same object twice; one is kept.
    Repeated,
    /// An object inside a JSON string.
    DoubleEncoded,
}

/// Why a text cannot be read without guessing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unreadable {
    NotAnObject,
    /// A backslash that JSON does not know.
    Backslash {
        at: usize,
    },
    Syntax {
        at: usize,
        expected: Expected,
    },
}

/// What came of reading an argument text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reading {
    /// A well-formed object as it stands: the bytes go on untouched.
    Exact,
    /// The one object that the text can mean.
    Repaired {
        text: String,
        repairs: Vec<Repair>,
    },
    /// Several objects one after another: several calls glued together.
    Several {
        texts: Vec<String>,
    },
    /// White space only, `null` or `[]`: no arguments, where the tool needs none.
    Nothing,
    Truncated,
    Unreadable(Unreadable),
}

/// What `text` is as it stands.
pub fn shape(text: &str) -> Shape {
    if is_blank(text) {
        return Shape::Empty;
    }
    let document = match Document::read(text) {
        Ok(document) => document,
        Err(error) => return if is_cut(text, error) { Shape::Truncated } else { Shape::Malformed },
    };
    match document.values.as_slice() {
        [value] if document.repairs.is_empty() && value.kind == Kind::Object => Shape::Object,
        [_] if document.repairs.is_empty() => Shape::Other,
        _ => Shape::Malformed,
    }
}

/// Reads `text`, repairing only what has one meaning.
pub fn read(text: &str) -> Reading {
    if is_nothing(text) {
        return Reading::Nothing;
    }
    let (mut values, repairs) = match Document::read(text) {
        Ok(document) => (document.values, document.repairs),
        Err(error) if is_cut(text, error) => return Reading::Truncated,
        Err(error) => return Reading::Unreadable(error),
    };
    if values.len() > 1 {
        return read_row(values, repairs);
    }
    match values.pop() {
        Some(Value { kind: Kind::Object, .. }) if repairs.is_empty() => Reading::Exact,
        Some(Value { kind: Kind::Object, text }) => Reading::Repaired { text: text.into_owned(), repairs },
        Some(Value { kind: Kind::String, text }) => read_inner(&text, repairs),
        _ => Reading::Unreadable(Unreadable::NotAnObject),
    }
}

fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

fn is_nothing(text: &str) -> bool {
    let text = text.trim_ascii();
    let inside = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    text == "null" || is_blank(text) || inside.is_some_and(is_blank)
}

/// A text that failed with `error` is cut where something is open at its end. Only a backslash explains as
/// much: in `{"dir":"C:\data\"}` the last one hides the closing quote.
fn is_cut(text: &str, error: Unreadable) -> bool {
    let hides_a_quote = matches!(error, Unreadable::Backslash { .. }) && text.trim_ascii_end().ends_with('}');
    !hides_a_quote && cut::is_cut(text)
}

/// Reads objects that stand in a row: a stream that was flushed twice, a stray `{}`, or several calls.
fn read_row(values: Vec<Value<'_>>, mut repairs: Vec<Repair>) -> Reading {
    let mut texts: Vec<String> = values.into_iter().map(|value| value.text.into_owned()).collect();
    let kept = match texts.as_slice() {
        [first, rest @ ..] if rest.iter().all(|text| is_same(first, text)) => (0, Repair::Repeated),
        [first, _] if is_same(first, "{}") => (1, Repair::LeadingEmptyObject),
        _ => return Reading::Several { texts },
    };
    repairs.push(kept.1);
    Reading::Repaired { text: texts.swap_remove(kept.0), repairs }
}

/// Whether two well-formed texts say the same, numbers by their digits.
fn is_same(one: &str, other: &str) -> bool {
    one == other || canonical(Json::trusted(one)) == canonical(Json::trusted(other))
}

/// Reads what stands inside a JSON string; a string inside that string is not looked into.
fn read_inner(string: &str, mut repairs: Vec<Repair>) -> Reading {
    const REFUSED: Reading = Reading::Unreadable(Unreadable::NotAnObject);
    let text = Json::trusted(string).string().unwrap_or_default();
    // Half a surrogate pair would be lost: it reads as the replacement character.
    let replaced = |text: &str| text.matches('\u{fffd}').count();
    if !text.trim_ascii_start().starts_with('{') || replaced(&text) > replaced(string) {
        return REFUSED;
    }
    repairs.push(Repair::DoubleEncoded);
    match read(&text) {
        Reading::Exact => Reading::Repaired { text: text.trim_ascii().to_owned(), repairs },
        Reading::Repaired { text, repairs: inner } => {
            repairs.extend(inner);
            Reading::Repaired { text, repairs }
        }
        Reading::Unreadable(_) => REFUSED,
        reading => reading,
    }
}
