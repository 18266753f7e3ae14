//! Texts cut into what one event holds.

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::replay::script::Chunk;

/// A piece of a text: whole characters, and at each end perhaps half of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Fragment<'a> {
    /// The second half of a character that the piece before began.
    begins: Option<u16>,
    text: &'a str,
    /// The first half of a character that the next piece ends.
    ends: Option<u16>,
}

/// Cuts a text. Nothing is lost, and no piece is empty.
pub(super) fn cut(text: &str, chunk: Chunk) -> Vec<Fragment<'_>> {
    let size = match chunk {
        Chunk::Block => return pieces(text, [text.len()]),
        Chunk::At(at) => return pieces(text, [text.floor_char_boundary(at), text.len()]),
        Chunk::Units(size) => return units(text, size.get()),
        Chunk::Bytes(size) => {
            let mut at = 0;
            let ends = std::iter::from_fn(|| {
                let first = text.get(at..)?.chars().next()?.len_utf8();
                at = text.floor_char_boundary(at + size.get()).max(at + first);
                Some(at)
            });
            return pieces(text, ends);
        }
        Chunk::Characters(size) | Chunk::Tokens(size) => size.get(),
    };
    let ends: Vec<usize> = if matches!(chunk, Chunk::Tokens(_)) {
        tokens(text)
    } else {
        text.char_indices().map(|(at, character)| at + character.len_utf8()).collect()
    };
    pieces(text, ends.iter().copied().skip(size - 1).step_by(size).chain([text.len()]))
}

/// Pieces that end at these places.
fn pieces(text: &str, ends: impl IntoIterator<Item = usize>) -> Vec<Fragment<'_>> {
    let (mut at, mut found) = (0, Vec::new());
    for end in ends {
        let text = text.get(at..end).unwrap_or_default();
        if !text.is_empty() {
            found.push(Fragment { text, ..Fragment::default() });
            at = end;
        }
    }
    found
}

/// Where words and single marks end, each with the blanks before it.
fn tokens(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let joins =
            |next: char| character.is_whitespace() || (character.is_alphanumeric() && next.is_alphanumeric());
        if !characters.peek().is_some_and(|(_, next)| joins(*next)) {
            ends.push(at + character.len_utf8());
        }
    }
    ends
}

/// Pieces of so many UTF-16 units.
fn units(text: &str, size: usize) -> Vec<Fragment<'_>> {
    let (mut found, mut open) = (Vec::new(), Fragment::default());
    let (mut begin, mut count) = (0, 0);
    for (at, character) in text.char_indices() {
        let mut units = [0; 2];
        let units = character.encode_utf16(&mut units);
        if let [first, second] = *units
            && count + 1 == size
        {
            open.text = text.get(begin..at).unwrap_or_default();
            open.ends = Some(first);
            found.push(std::mem::take(&mut open));
            open.begins = Some(second);
            begin = at + character.len_utf8();
            count = 1;
        } else {
            count += units.len();
        }
        if count >= size {
            let end = at + character.len_utf8();
            open.text = text.get(begin..end).unwrap_or_default();
            found.push(std::mem::take(&mut open));
            (begin, count) = (end, 0);
        }
    }
    open.text = text.get(begin..).unwrap_or_default();
    if !open.text.is_empty() || open.begins.is_some() {
        found.push(open);
    }
    found
}

// === impl Fragment ===

impl<'a> From<&'a str> for Fragment<'a> {
    fn from(text: &'a str) -> Self {
        Self { text, ..Self::default() }
    }
}

impl Serialize for Fragment<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.begins.is_none() && self.ends.is_none() {
            return serializer.serialize_str(self.text);
        }
        let half = |half: Option<u16>| half.map(|unit| format!("\\u{unit:04x}")).unwrap_or_default();
        let quoted = serde_json::to_string(self.text).map_err(serde::ser::Error::custom)?;
        let inner = quoted.trim_start_matches('"').strip_suffix('"').unwrap_or_default();
        let json = format!("\"{}{inner}{}\"", half(self.begins), half(self.ends));
        RawValue::from_string(json).map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use proptest::prelude::*;

    use super::*;

    fn size(size: usize) -> NonZeroUsize {
        NonZeroUsize::new(size).unwrap()
    }

    fn texts(text: &str, chunk: Chunk) -> Vec<&str> {
        cut(text, chunk).into_iter().map(|piece| piece.text).collect()
    }

    #[test]
    fn cuts_by_each_unit() {
        let text = r#"a é 🌍, {"b":"c\n"}"#;
        assert_eq!(texts(text, Chunk::Block), [text]);
        assert_eq!(texts("aé🌍b", Chunk::Bytes(size(3))), ["aé", "🌍", "b"]);
        assert_eq!(texts("aé🌍b", Chunk::Characters(size(3))), ["aé🌍", "b"]);
        assert_eq!(texts("aé🌍b", Chunk::At(2)), ["a", "é🌍b"]);
        assert_eq!(texts("ab", Chunk::At(9)), ["ab"]);
        assert_eq!(
            texts("Hello  big world, 42!", Chunk::Tokens(size(1))),
            ["Hello", "  big", " world", ",", " 42", "!"]
        );
        assert_eq!(texts("Hello big world", Chunk::Tokens(size(2))), ["Hello big", " world"]);
    }

    #[test]
    fn units_cut_into_surrogates() {
        let pieces = cut("a🌍\"b", Chunk::Units(size(2)));
        let written: Vec<String> = pieces.iter().map(|piece| serde_json::to_string(piece).unwrap()).collect();
        assert_eq!(written, [r#""a\ud83c""#, r#""\udf0d\"""#, r#""b""#]);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_no_piece_is_empty(text in "[a-z é🌍\"\\\\,]{0,20}", n in 1usize..6) {
            let size = size(n);
            for chunk in [
                Chunk::Block,
                Chunk::Bytes(size),
                Chunk::Characters(size),
                Chunk::Tokens(size),
                Chunk::At(n),
                Chunk::Units(size),
            ] {
                let mut units: Vec<u16> = Vec::new();
                for piece in cut(&text, chunk) {
                    let before = units.len();
                    units.extend(piece.begins);
                    units.extend(piece.text.encode_utf16());
                    units.extend(piece.ends);
                    prop_assert!(units.len() > before);
                    if matches!(chunk, Chunk::Units(_)) {
                        prop_assert!(units.len() - before <= n);
                    }
                }
                prop_assert_eq!(String::from_utf16(&units).unwrap(), &*text);
            }
        }
    }
}
