//! Members on the way to a call, each of which may be given once.
//!
//! Of a member given twice most parsers take the last, some the first, some join both; some take a name in any
//! case. A call on such a way would be another one to each agent, so it can be judged for none: it is not read.

use std::borrow::Cow;

use memchr::memmem;

use crate::wire::span::{Key, Malformed};

/// Why an event is not read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Unclear {
    NotJson(Malformed),
    /// Agents would read it in different ways.
    Ambiguous,
}

/// The names that matter in one object, and which of them have come.
#[derive(Debug)]
pub(super) struct Once<'n> {
    names: &'n [&'static str],
    seen: u32,
}

/// Names under which calls are told.
const CALLS: [&[u8]; 2] = [b"tool_calls", b"function_call"];

/// Whether anybody could find a call in data that is not read here: its name is there, in whatever case and
/// with whatever of its letters escaped.
pub(in super::super) fn may_name_calls(data: &[u8]) -> bool {
    let mut plain = Vec::with_capacity(data.len());
    let mut rest = data;
    while let Some((&byte, after)) = rest.split_first() {
        let (letter, length) = match (byte, after) {
            (b'\\', [b'u', digits @ ..]) => (code(digits, 4), 6),
            (b'\\', [b'x', digits @ ..]) => (code(digits, 2), 4),
            (0xc5, [0xbf, ..]) => (Some('\u{17f}'), 2),
            (0xe2, [0x84, 0xaa, ..]) => (Some('\u{212a}'), 3),
            _ => (Some(char::from(byte)), 1),
        };
        plain.push(letter.map(folded).and_then(|letter| u8::try_from(letter).ok()).unwrap_or(b'?'));
        rest = rest.get(if letter.is_some() { length } else { 1 }..).unwrap_or_default();
    }
    CALLS.iter().any(|name| memmem::find(&plain, name).is_some())
}

fn code(digits: &[u8], length: usize) -> Option<char> {
    let digits = std::str::from_utf8(digits.get(..length)?).ok()?;
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

/// The letter that Go's reader takes this one for when it looks for a member.
fn folded(letter: char) -> char {
    match letter {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        _ => letter.to_ascii_lowercase(),
    }
}

// === impl Once ===

impl<'n> Once<'n> {
    pub(super) fn new(names: &'n [&'static str]) -> Self {
        Self { names, seen: 0 }
    }

    /// The member's name, if all agents take the member for the same.
    pub(super) fn name<'k>(&mut self, key: &Key<'k>) -> Result<Cow<'k, str>, Unclear> {
        let name = key.name();
        let mut alike = self
            .names
            .iter()
            .enumerate()
            .filter(|(_, known)| name.len() >= known.len() && name.chars().map(folded).eq(known.chars()));
        if let Some((place, known)) = alike.next() {
            if name != *known || self.seen & 1 << place != 0 {
                return Err(Unclear::Ambiguous);
            }
            self.seen |= 1 << place;
        }
        Ok(name)
    }
}

// === impl Unclear ===

impl From<Malformed> for Unclear {
    fn from(malformed: Malformed) -> Self {
        Self::NotJson(malformed)
    }
}

#[cfg(test)]
mod tests {
    use super::may_name_calls;

    #[test]
    fn a_name_is_found_however_it_is_written() {
        for data in [
            r#"{"tool_calls":NaN}"#,
            r#"{"tool\u005fcalls":NaN}"#,
            r#"{"\u0074OOL\x5fcallſ":NaN}"#,
            r#"{"function_call":"\u"#,
        ] {
            assert!(may_name_calls(data.as_bytes()), "{data}");
        }
        for data in [r#"{"tool":"calls"}"#, r#"{"tool\u00fcalls":1}"#, "\\u", "\\ud83d_calls", ""] {
            assert!(!may_name_calls(data.as_bytes()), "{data}");
        }
        assert!(may_name_calls(b"\xff tool_calls"));
    }
}
