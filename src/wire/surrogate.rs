//! Halves of surrogate pairs that stand alone in the escapes of JSON text.
//!
//! The grammar of JSON allows them and no character is meant by them, so providers refuse the whole body. They
//! come from agents that cut a text between the two halves of an emoji.

use memchr::memmem;

/// What can be read in the place of one: as long as what it replaces, so that nothing else moves.
pub const READABLE: &str = "\\ufffd";

/// Whether a half may stand alone in JSON text, or in JSON text that is a string in it. Never wrong in saying no, and
/// where no half is written at all it looks for an escape only.
pub fn may_be_lone(text: &[u8]) -> bool {
    let Some(first) = memmem::find(text, b"\\u") else { return false };
    let rest = text.get(first..).unwrap_or_default();
    let halves = halves(rest);
    halves.iter().any(|at| !is_escape(rest, *at)) || !unpaired(rest, &halves).is_empty()
}

/// Where each lone half begins in JSON text, in order. Each is as long as [`READABLE`].
pub fn lone(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut halves = halves(bytes);
    halves.retain(|at| is_escape(bytes, *at));
    unpaired(bytes, &halves)
}

/// Where the escape of a half may begin, in order.
fn halves(bytes: &[u8]) -> Vec<usize> {
    let [lower, upper] = PREFIXES.map(|prefix| memmem::find_iter(bytes, prefix));
    let mut halves: Vec<usize> = lower.chain(upper).collect();
    halves.sort_unstable();
    halves
}

/// Of escapes in order, those that are half of nothing.
fn unpaired(bytes: &[u8], escapes: &[usize]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut paired = 0;
    for at in escapes.iter().copied() {
        if at < paired {
            continue;
        }
        match (unit(bytes, at), unit(bytes, at + READABLE.len())) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => paired = at + 2 * READABLE.len(),
            (Some(0xd800..=0xdfff), _) => found.push(at),
            _ => {}
        }
    }
    found
}

/// `text` with each lone half made readable; `None` where there is none.
pub fn readable(text: &str) -> Option<String> {
    let found = lone(text);
    let mut rest = text;
    let mut readable = String::with_capacity(text.len());
    let mut at = 0;
    for start in &found {
        let (before, from) = rest.split_at_checked(start - at)?;
        readable.push_str(before);
        readable.push_str(READABLE);
        rest = from.get(READABLE.len()..)?;
        at = start + READABLE.len();
    }
    readable.push_str(rest);
    (!found.is_empty()).then_some(readable)
}

/// How the escapes of all halves begin.
const PREFIXES: [&[u8]; 2] = [b"\\ud", b"\\uD"];

/// Whether the backslash at `at` begins an escape, and is not escaped itself.
fn is_escape(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(..at).unwrap_or_default().iter().rev();
    before.take_while(|byte| **byte == b'\\').count().is_multiple_of(2)
}

/// The code unit of the escape that begins at `at`.
fn unit(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + READABLE.len())?.strip_prefix(b"\\u")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::{may_be_lone, readable};

    #[test]
    fn a_half_that_stands_alone_is_made_readable_and_nothing_else_is() {
        for (text, expected) in [
            (r#""a \ud83d""#, Some(r#""a \ufffd""#)),
            (r#""\uDE00 \ud83d\ude00""#, Some(r#""\ufffd \ud83d\ude00""#)),
            (r#""\ud83d\ud83d\ude00\ude00""#, Some(r#""\ufffd\ud83d\ude00\ufffd""#)),
            (r#""\ud83d\n\uDE00""#, Some(r#""\ufffd\n\ufffd""#)),
            (r#""\\\ud83d""#, Some(r#""\\\ufffd""#)),
            (r#""\\ud83d""#, None),
            (r#""\ud83d\uDE00 \ud7ff \ue000""#, None),
            (r#""\uD83D\uDE00""#, None),
            ("", None),
        ] {
            assert_eq!(readable(text).as_deref(), expected, "{text}");
            assert!(expected.is_none() || may_be_lone(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn what_is_whole_is_not_looked_at_twice() {
        for text in [
            r#""\u00e9 \n ud83d""#,
            r#""\ud83d\ude00 \uD83D\uDE00""#,
            r#""\\\ud83d\ude00""#,
            "",
            "\"\u{1f600}\"",
        ] {
            assert!(!may_be_lone(text.as_bytes()), "{text}");
        }
        // In arguments, which are JSON in a string: that is for whoever reads them to say.
        assert!(may_be_lone(br#""{\"a\":\"\\ud83d\"}""#));
    }
}
