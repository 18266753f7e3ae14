//! What the operator forbids.
//!
//! A rule fails closed: what cannot be read as an object is looked at in every way it could be meant, and a
//! member that stands twice is looked at twice, for agents differ in which one they take.

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use regex::Regex;

use crate::wire::span::{Entered, Expected, Kind, Malformed, Reader};

use super::rules::DenyRule;

/// How often escapes are undone in text that is not an object.
const LAYERS: usize = 3;

/// How far along a rule's pointer a value lies: so many of its tokens are passed. `None`: beside it.
type Progress = Option<usize>;

/// An object or array that the walk has entered.
struct Level {
    entered: Entered,
    kind: Kind,
    progress: Progress,
    /// Elements passed so far.
    index: usize,
}

/// The first rule that an argument text meets: every string leaf at or below the rule's pointer is looked at,
/// under duplicate keys too. Text that is not a JSON object is matched as it stands, with its escapes undone,
/// and piece by piece between its quotes.
pub fn denied<'a>(arguments: &str, rules: &[&'a DenyRule]) -> Option<&'a DenyRule> {
    rules.iter().copied().find(|rule| {
        let tokens = tokens(&rule.at);
        // What was not walked to its end may hide anything.
        leaf_matches(arguments, &tokens, &rule.pattern)
            .unwrap_or_else(|_malformed| text_matches(arguments, &rule.pattern))
    })
}

/// The first rule that free text meets: the input of a custom tool, which no pointer leads into.
pub fn denied_input<'a>(input: &str, rules: &[&'a DenyRule]) -> Option<&'a DenyRule> {
    rules.iter().copied().find(|rule| rule.pattern.is_match(input)).or_else(|| denied(input, rules))
}

/// Whether a string at or below the pointer matches. One walk without recursion: arguments may be nested as
/// deep as they are long.
fn leaf_matches(text: &str, tokens: &[String], pattern: &Regex) -> Result<bool, Malformed> {
    let mut reader = Reader::new(text);
    let mut levels: Vec<Level> = Vec::new();
    let mut progress = Some(0);
    if reader.kind()? != Kind::Object {
        return Err(Malformed { at: reader.offset(), expected: Expected::Object, truncated: false });
    }
    loop {
        if pass(&mut reader, &mut levels, progress, tokens.len(), pattern)? {
            return Ok(true);
        }
        let Some(next) = next_child(&mut reader, &mut levels, tokens)? else {
            reader.end()?;
            return Ok(false);
        };
        progress = next;
    }
}

/// Passes the value that comes next, or steps into it. Whether it is a leaf that matches.
fn pass(
    reader: &mut Reader<'_>,
    levels: &mut Vec<Level>,
    progress: Progress,
    goal: usize,
    pattern: &Regex,
) -> Result<bool, Malformed> {
    let kind = reader.kind()?;
    let entered = match (kind, progress) {
        (Kind::Object, Some(_)) => reader.object()?,
        (Kind::Array, Some(_)) => reader.array()?,
        (Kind::String, Some(passed)) if passed == goal => {
            return Ok(reader.value()?.string().is_some_and(|leaf| pattern.is_match(&leaf)));
        }
        _ => {
            reader.skip()?;
            return Ok(false);
        }
    };
    levels.push(Level { entered, kind, progress, index: 0 });
    Ok(false)
}

/// Moves to the next value inside what has been entered, leaving what is at its end. `None` at the very end.
fn next_child(
    reader: &mut Reader<'_>,
    levels: &mut Vec<Level>,
    tokens: &[String],
) -> Result<Option<Progress>, Malformed> {
    while let Some(level) = levels.last_mut() {
        let wanted = level.progress.and_then(|passed| tokens.get(passed));
        let leads_on = if level.kind == Kind::Object {
            let Some(key) = reader.next_key(&mut level.entered)? else {
                levels.pop();
                continue;
            };
            wanted.is_none_or(|wanted| key.is(wanted))
        } else {
            if !reader.next_element(&mut level.entered)? {
                levels.pop();
                continue;
            }
            level.index += 1;
            wanted.is_none_or(|wanted| *wanted == (level.index - 1).to_string())
        };
        let passed = level.progress.map(|passed| passed + usize::from(wanted.is_some()));
        return Ok(Some(passed.filter(|_| leads_on)));
    }
    Ok(None)
}

/// Whether text that is not an object matches in any way it could be meant.
fn text_matches(text: &str, pattern: &Regex) -> bool {
    let mut layer = Cow::Borrowed(text);
    for _ in 0..LAYERS {
        if pattern.is_match(&layer) || layer.split(['"', '\'', '`']).any(|piece| pattern.is_match(piece)) {
            return true;
        }
        let inner = unescape(&layer);
        if inner == layer {
            return false;
        }
        layer = Cow::Owned(inner);
    }
    pattern.is_match(&layer)
}

/// Undoes JSON's escapes; one that JSON does not know stays as it is.
fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let mut chars = after.chars();
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('b') => plain.push('\u{8}'),
            Some('f') => plain.push('\u{c}'),
            Some(mark @ ('"' | '\'' | '\\' | '/')) => plain.push(mark),
            Some('u') => {
                let (character, used) = code_point(after);
                plain.push(character);
                rest = after.get(used..).unwrap_or_default();
                continue;
            }
            _ => {
                plain.push('\\');
                rest = after;
                continue;
            }
        }
        rest = chars.as_str();
    }
    plain.push_str(rest);
    plain
}

/// The character that `uXXXX` stands for (with its other half, if it has one), and the bytes it took.
fn code_point(text: &str) -> (char, usize) {
    let unit = |from: usize| u16::from_str_radix(text.get(from..from + 4)?, 16).ok();
    let Some(first) = unit(1) else { return ('u', 1) };
    if let Some(character) = char::from_u32(first.into()) {
        return (character, 5);
    }
    let second = text.get(5..7).filter(|escape| *escape == "\\u").and_then(|_| unit(7));
    let units = [first, second.unwrap_or_default()];
    match char::decode_utf16(units).next() {
        Some(Ok(character)) => (character, 11),
        _ => (char::REPLACEMENT_CHARACTER, 5),
    }
}

/// The tokens of an RFC 6901 pointer.
fn tokens(pointer: &str) -> Vec<String> {
    pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect()
}
