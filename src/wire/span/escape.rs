//! What the escapes in a JSON string mean.
//!
//! Text that is not well-formed does no harm here: what cannot be understood stands for itself.

use std::borrow::Cow;

/// A part of a string's value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::wire) enum Piece<'a> {
    /// Stands for itself; in well-formed text neither quote, backslash nor control character is in it.
    Text(&'a str),
    /// Was written as an escape, or as a pair of them.
    Char(char),
    /// Half of a surrogate pair without the other half: no character at all.
    Surrogate(u16),
}

/// The value of a string's text between its quotes.
pub fn unescape(raw: &str) -> Cow<'_, str> {
    if memchr::memchr(b'\\', raw.as_bytes()).is_none() {
        return Cow::Borrowed(raw);
    }
    let mut value = String::with_capacity(raw.len());
    for piece in pieces(raw) {
        match piece {
            Piece::Text(text) => value.push_str(text),
            Piece::Char(char) => value.push(char),
            Piece::Surrogate(_) => value.push(char::REPLACEMENT_CHARACTER),
        }
    }
    Cow::Owned(value)
}

/// The parts of a string's text between its quotes, in order.
pub(in crate::wire) fn pieces(raw: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let (piece, left) = first(rest)?;
        rest = left;
        Some(piece)
    })
}

/// Where places in a string's value lie in its text between the quotes. The places come in ascending order; one
/// within a character that was written as an escape is where the escape begins, one beyond the end is the end.
pub(in crate::wire) fn places(raw: &str, wanted: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut wanted = wanted.into_iter().peekable();
    let mut found = Vec::new();
    let (mut rest, mut value) = (raw, 0);
    while let Some((piece, left)) = first(rest) {
        let at = raw.len() - rest.len();
        let (length, is_text) = match piece {
            Piece::Text(text) => (text.len(), true),
            Piece::Char(char) => (char.len_utf8(), false),
            Piece::Surrogate(_) => (char::REPLACEMENT_CHARACTER.len_utf8(), false),
        };
        while let Some(place) = wanted.next_if(|place| *place < value + length) {
            found.push(if is_text { at + place.saturating_sub(value) } else { at });
        }
        value += length;
        rest = left;
    }
    found.extend(wanted.map(|_| raw.len()));
    found
}

/// The first part of what is left of a string's text, and what is left after it.
fn first(rest: &str) -> Option<(Piece<'_>, &str)> {
    match rest.strip_prefix('\\') {
        Some(escape) => Some(escaped(escape).unwrap_or((Piece::Text("\\"), escape))),
        None if rest.is_empty() => None,
        None => {
            let end = memchr::memchr(b'\\', rest.as_bytes()).unwrap_or(rest.len());
            let (text, left) = rest.split_at_checked(end)?;
            Some((Piece::Text(text), left))
        }
    }
}

/// What the text after a backslash begins with, and the text after that.
fn escaped(text: &str) -> Option<(Piece<'_>, &str)> {
    let char = match text.as_bytes().first()? {
        letter @ (b'"' | b'\\' | b'/') => char::from(*letter),
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return code_unit(text.get(1..)?).map(|(unit, rest)| character(unit, rest)),
        _ => return None,
    };
    Some((Piece::Char(char), text.get(1..)?))
}

/// The character that begins with `unit`, together with the second half of a pair if `rest` begins with it.
fn character(unit: u16, rest: &str) -> (Piece<'_>, &str) {
    let second = rest.strip_prefix("\\u").and_then(code_unit);
    let units = [Some(unit), second.map(|(second, _)| second)];
    match char::decode_utf16(units.into_iter().flatten()).next() {
        Some(Ok(char)) if char.len_utf16() == 2 => (Piece::Char(char), second.map_or(rest, |(_, rest)| rest)),
        Some(Ok(char)) => (Piece::Char(char), rest),
        _ => (Piece::Surrogate(unit), rest),
    }
}

fn code_unit(text: &str) -> Option<(u16, &str)> {
    let (digits, rest) = text.split_at_checked(4)?;
    // `from_str_radix` alone would accept a sign.
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    Some((u16::from_str_radix(digits, 16).ok()?, rest))
}
