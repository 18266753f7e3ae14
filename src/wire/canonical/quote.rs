//! Strings as the canonical text writes them: escaped only where JSON leaves no choice.

use std::fmt::Write;

use crate::wire::span::{Piece, pieces};

/// `text` as a JSON string, quotes included.
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    escape(text, &mut out);
    out.push('"');
    out
}

/// `text` as it stands between the quotes of a JSON string.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape(text, &mut out);
    out
}

/// Writes a string anew, given its text between the quotes as it was written.
pub(super) fn requote(raw: &str, out: &mut String) {
    out.push('"');
    for piece in pieces(raw) {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Char(char) => escape(char.encode_utf8(&mut [0; 4]), out),
            Piece::Surrogate(unit) => hexadecimal(unit, out),
        }
    }
    out.push('"');
}

fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some((at, byte)) =
        rest.bytes().enumerate().find(|(_, byte)| matches!(byte, b'"' | b'\\' | 0..0x20))
    {
        let (clean, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(clean);
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            0x0c => out.push_str("\\f"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => hexadecimal(control.into(), out),
        }
        rest = from.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
}

fn hexadecimal(unit: u16, out: &mut String) {
    write!(out, "\\u{unit:04x}").expect("writing to a string cannot fail");
}
