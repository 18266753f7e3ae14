//! Reads tokens off a text and writes the same text repaired.
//!
//! What is not repaired is taken over as it stands: numbers, key order, white space. Each method either
//! stands behind the token it has read or fails; none guesses.

use std::borrow::Cow;

use memchr::{memchr2, memmem};

use super::{Repair, Unreadable};
use crate::wire::span::Expected;

/// A place in a text, and what the text before it was repaired to.
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Where the value that is being read begins.
    begin: usize,
    /// Up to where the text has been taken over; `begin` as long as nothing was repaired.
    copied: usize,
    /// The value repaired, from `begin` up to `copied`.
    mended: String,
    /// Each kind once, in the order met. They outlive the value.
    repairs: Vec<Repair>,
}

// === impl Cursor ===

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, begin: 0, copied: 0, mended: String::new(), repairs: Vec::new() }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.byte(self.at)
    }

    pub(super) fn step(&mut self, bytes: usize) {
        self.at += bytes;
    }

    pub(super) fn rest(&self) -> &'a str {
        self.piece(self.at, self.text.len())
    }

    /// A value begins here.
    pub(super) fn begin(&mut self) {
        self.mended.clear();
        self.begin = self.at;
        self.copied = self.at;
    }

    /// The value that ends here, repaired.
    pub(super) fn end(&mut self) -> Cow<'a, str> {
        let last = self.piece(self.copied, self.at);
        if self.copied == self.begin {
            return Cow::Borrowed(last);
        }
        self.mended.push_str(last);
        self.copied = self.at;
        self.begin = self.at;
        Cow::Owned(std::mem::take(&mut self.mended))
    }

    pub(super) fn repaired(&mut self, repair: Repair) {
        if !self.repairs.contains(&repair) {
            self.repairs.push(repair);
        }
    }

    pub(super) fn into_repairs(self) -> Vec<Repair> {
        self.repairs
    }

    pub(super) fn expected<T>(&self, expected: Expected) -> Result<T, Unreadable> {
        Err(Unreadable::Syntax { at: self.at, expected })
    }

    /// Passes over white space.
    pub(super) fn space(&mut self) {
        self.at = self.space_end(self.at);
    }

    /// Passes over white space, and takes comments out.
    pub(super) fn trivia(&mut self) -> Result<(), Unreadable> {
        self.space();
        while let Some(end) = self.comment_end(self.at)? {
            self.replace(end, "", Repair::Comment);
            self.space();
        }
        Ok(())
    }

    /// The byte behind the next one and the white space and comments that follow it.
    pub(super) fn byte_past_next(&self) -> Result<Option<u8>, Unreadable> {
        let mut at = self.space_end(self.at + 1);
        while let Some(end) = self.comment_end(at)? {
            at = self.space_end(end);
        }
        Ok(self.byte(at))
    }

    /// Puts `with` in the place of what lies between here and `end`.
    pub(super) fn replace(&mut self, end: usize, with: &str, repair: Repair) {
        self.mended.push_str(self.piece(self.copied, self.at));
        self.mended.push_str(with);
        self.copied = end;
        self.at = end;
        self.repaired(repair);
    }

    /// Passes over a string in double or single quotes.
    pub(super) fn string(&mut self) -> Result<(), Unreadable> {
        let quote = self.quote()?;
        self.pass_quote(quote);
        loop {
            self.at = self.plain_end();
            match self.peek() {
                None => return self.expected(Expected::StringEnd),
                Some(b'\\') => self.escape(quote)?,
                Some(byte) if byte < b' ' => self.control(byte),
                Some(byte) if byte == quote => break,
                Some(b'"') => self.replace(self.at + 1, "\\\"", Repair::SingleQuotes),
                Some(_) => self.at += 1,
            }
        }
        self.pass_quote(quote);
        Ok(())
    }

    /// Passes over a number as JSON writes it.
    pub(super) fn number(&mut self) -> Result<(), Unreadable> {
        self.pass(|byte| byte == b'-', 1);
        if self.peek() == Some(b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.pass(|byte| byte == b'.', 1) {
            self.digits()?;
        }
        if self.pass(|byte| matches!(byte, b'e' | b'E'), 1) {
            self.pass(|byte| matches!(byte, b'+' | b'-'), 1);
            self.digits()?;
        }
        Ok(())
    }

    /// Passes over a bare word that stands for a value. Words that JSON has no value for (`NaN`,
    /// `undefined`) are none.
    pub(super) fn word(&mut self, expected: Expected) -> Result<(), Unreadable> {
        let rest = self.rest().as_bytes();
        let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
        let end = self.at + length;
        match rest.get(..length) {
            Some(b"true" | b"false" | b"null") => self.at = end,
            Some(b"True") => self.replace(end, "true", Repair::PythonLiteral),
            Some(b"False") => self.replace(end, "false", Repair::PythonLiteral),
            Some(b"None") => self.replace(end, "null", Repair::PythonLiteral),
            _ => return self.expected(expected),
        }
        Ok(())
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    fn piece(&self, start: usize, end: usize) -> &'a str {
        self.text.get(start..end).unwrap_or_default()
    }

    fn space_end(&self, from: usize) -> usize {
        let rest = self.text.as_bytes().get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count()
    }

    fn comment_end(&self, at: usize) -> Result<Option<usize>, Unreadable> {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        if rest.starts_with(b"//") {
            return Ok(Some(at + memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())));
        }
        let Some(inside) = rest.strip_prefix(b"/*") else { return Ok(None) };
        match memmem::find(inside, b"*/") {
            Some(length) => Ok(Some(at + length + 4)),
            None => Err(Unreadable::Syntax { at: self.text.len(), expected: Expected::CommentEnd }),
        }
    }

    fn quote(&self) -> Result<u8, Unreadable> {
        match self.peek() {
            Some(quote @ (b'"' | b'\'')) => Ok(quote),
            _ => self.expected(Expected::Name),
        }
    }

    fn pass_quote(&mut self, quote: u8) {
        if quote == b'\'' {
            self.replace(self.at + 1, "\"", Repair::SingleQuotes);
        } else {
            self.at += 1;
        }
    }

    /// The end of what in a string stands for itself.
    fn plain_end(&self) -> usize {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let special = |byte: &u8| *byte < b' ' || matches!(*byte, b'"' | b'\\' | b'\'');
        self.at + rest.iter().position(special).unwrap_or(rest.len())
    }

    /// Passes over an escape. What a string with one unknown escape meant by its known ones is anybody's
    /// guess (`C:\new\dir`), so there is no repair. In single quotes `\/` is one thing in Python, another in
    /// JavaScript.
    fn escape(&mut self, quote: u8) -> Result<(), Unreadable> {
        let single = quote == b'\'';
        match self.byte(self.at + 1) {
            Some(b'\'') if single => self.replace(self.at + 2, "'", Repair::SingleQuotes),
            Some(b'/') if !single => self.at += 2,
            Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') if self.is_hexadecimal(self.at + 2) => self.at += 6,
            _ => return Err(Unreadable::Backslash { at: self.at }),
        }
        Ok(())
    }

    fn is_hexadecimal(&self, at: usize) -> bool {
        let digits = self.text.as_bytes().get(at..at + 4);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    }

    fn control(&mut self, byte: u8) {
        let end = self.at + 1;
        match byte {
            b'\n' => self.replace(end, "\\n", Repair::ControlCharacter),
            b'\r' => self.replace(end, "\\r", Repair::ControlCharacter),
            b'\t' => self.replace(end, "\\t", Repair::ControlCharacter),
            _ => self.replace(end, &format!("\\u{byte:04x}"), Repair::ControlCharacter),
        }
    }

    fn digits(&mut self) -> Result<(), Unreadable> {
        if self.pass(|byte| byte.is_ascii_digit(), usize::MAX) {
            Ok(())
        } else {
            self.expected(Expected::Digit)
        }
    }

    /// Passes over up to `most` bytes that are as asked; whether there was one.
    fn pass(&mut self, is: fn(u8) -> bool, most: usize) -> bool {
        let length = self.rest().bytes().take(most).take_while(|byte| is(*byte)).count();
        self.at += length;
        length > 0
    }
}
