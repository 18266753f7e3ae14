//! Halves of surrogate pairs that stand alone in the escapes of JSON text.
//!
//! The grammar of JSON allows them and no character is meant by them, so providers refuse the whole body. They
//! come from agents that cut a text between the two halves of an emoji.

use memchr::memmem;

/// What can be read in the place of one: as long as what it replaces, so that nothing else moves.
pub const READABLE: &str = "\\ufffd";

/// Whether `text` holds what may be half of a pair. Much faster than [`lone`], and never wrong in saying no.
pub fn may_be_in(text: &[u8]) -> bool {
    PREFIXES.iter().any(|prefix| memmem::find(text, prefix).is_some())
}

/// Where each lone half begins in JSON text, in order. Each is as long as [`READABLE`].
pub fn lone(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let [lower, upper] = PREFIXES.map(|prefix| memmem::find_iter(bytes, prefix));
    let mut hits: Vec<usize> = lower.chain(upper).filter(|at| is_escape(bytes, *at)).collect();
    hits.sort_unstable();
    let mut found = Vec::new();
    let mut paired = 0;
    for at in hits {
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
    use super::{may_be_in, readable};

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
            assert!(expected.is_none() || may_be_in(text.as_bytes()), "{text}");
        }
        assert!(!may_be_in(br#""\u00e9 \n ud83d""#));
    }
}
