use super::super::escape::{Piece, pieces, unescape};
use std::borrow::Cow;

#[test]
fn borrows_what_has_no_escape() {
    assert!(matches!(unescape("héllo 😀"), Cow::Borrowed("héllo 😀")));
    assert!(matches!(unescape(""), Cow::Borrowed("")));
}

#[test]
fn understands_each_escape() {
    assert_eq!(unescape(r#"\"\\\/\b\f\n\r\t\u0041\u00e9"#), "\"\\/\u{8}\u{c}\n\r\tAé");
    assert_eq!(unescape(r"a\nb\u000Ac"), "a\nb\nc");
}

#[test]
fn joins_surrogate_pairs() {
    assert_eq!(unescape(r"\ud83d\ude00!"), "😀!");
    assert_eq!(unescape(r"\uD83D\uDE00\uD83D\uDE00"), "😀😀");
}

#[test]
fn replaces_lone_surrogates_and_keeps_what_follows_them() {
    assert_eq!(unescape(r"a\ud83db"), "a\u{FFFD}b");
    assert_eq!(unescape(r"\ude00\ud83d"), "\u{FFFD}\u{FFFD}");
    assert_eq!(unescape(r"\ud83d\u0041"), "\u{FFFD}A");
    assert_eq!(unescape(r"\ud83d\n"), "\u{FFFD}\n");
    assert_eq!(unescape(r"\ud83d\ud83d\ude00"), "\u{FFFD}😀");
}

#[test]
fn tells_text_characters_and_surrogates_apart() {
    let parts: Vec<_> = pieces(r"ab\ud800\u0063d").collect();
    assert_eq!(parts, [Piece::Text("ab"), Piece::Surrogate(0xd800), Piece::Char('c'), Piece::Text("d")]);
}

#[test]
fn leaves_what_is_no_escape_as_it_stands() {
    for text in ["\\", "a\\", "\\x", "\\é", "\\u12", "\\u+123", "\\u12é4"] {
        assert_eq!(unescape(text), text);
    }
}
