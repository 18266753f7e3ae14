//! Whether a text that is not well-formed was cut: is a string, object or array open at its end?
//!
//! The scan knows less than the grammar, for it must go on behind a slip. A quote or a bracket counts only
//! where a token may begin, so that apostrophes and quotes in bare text do not pass for open strings.

use memchr::{memchr, memchr2, memmem};

use super::grammar::{Container, fence_length};

/// Whether something is open at the end of `text`.
pub(super) fn is_cut(text: &str) -> bool {
    let text = text.trim_start();
    let Some(length) = fence_length(text) else { return Scan::new(text.as_bytes()).ends_open() };
    let inside = text.as_bytes().get(length..).unwrap_or_default();
    inside.trim_ascii().is_empty() || Scan::new(inside).ends_open()
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
    open: Vec<Container>,
    /// How many of `open` are objects.
    objects: usize,
    /// The last byte that is not white space, a comment or within a string; `x` for any that is no
    /// punctuation, NUL at the start.
    before: u8,
}

// === impl Scan ===

impl<'a> Scan<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, open: Vec::new(), objects: 0, before: 0 }
    }

    fn ends_open(mut self) -> bool {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'"' | b'\'' if self.may_begin_string() => {
                    let Some(end) = self.string_end(byte) else { return true };
                    self.pass(end, byte);
                }
                b'/' => match self.comment_end() {
                    Some(end) => self.at = end,
                    None => self.pass(self.at + 1, b'x'),
                },
                b'{' if self.may_begin_container() => self.begin(Container::Object),
                b'[' if self.may_begin_container() => self.begin(Container::Array),
                b'}' => self.end(Container::Object),
                b']' => self.end(Container::Array),
                b',' | b':' => self.pass(self.at + 1, byte),
                _ => self.pass(self.at + 1, b'x'),
            }
        }
        !self.open.is_empty()
    }

    fn pass(&mut self, end: usize, before: u8) {
        self.at = end;
        self.before = before;
    }

    fn may_begin_string(&self) -> bool {
        match self.open.last() {
            None => self.before == 0,
            Some(Container::Object) => matches!(self.before, b'{' | b',' | b':'),
            Some(Container::Array) => matches!(self.before, b'[' | b','),
        }
    }

    fn may_begin_container(&self) -> bool {
        match self.open.last() {
            None => matches!(self.before, 0 | b'}' | b']'),
            Some(Container::Object) => self.before == b':',
            Some(Container::Array) => matches!(self.before, b'[' | b','),
        }
    }

    fn begin(&mut self, container: Container) {
        self.open.push(container);
        self.objects += usize::from(container == Container::Object);
        self.pass(self.at + 1, if container == Container::Object { b'{' } else { b'[' });
    }

    /// Ends the innermost container of that kind, with all in it that was left open.
    fn end(&mut self, container: Container) {
        let is_open = match container {
            Container::Object => self.objects > 0,
            Container::Array => self.open.len() > self.objects,
        };
        while is_open && let Some(ended) = self.open.pop() {
            self.objects -= usize::from(ended == Container::Object);
            if ended == container {
                break;
            }
        }
        self.pass(self.at + 1, if container == Container::Object { b'}' } else { b']' });
    }

    /// Behind the string that begins here; `None` where it does not end.
    fn string_end(&self, quote: u8) -> Option<usize> {
        let mut at = self.at + 1;
        loop {
            at += memchr2(quote, b'\\', self.bytes.get(at..)?)?;
            if self.bytes.get(at) == Some(&b'\\') {
                at += 2;
            } else if quote == b'"' || self.ends_single_quotes(at + 1) {
                return Some(at + 1);
            } else {
                at += 1;
            }
        }
    }

    /// An apostrophe ends a string only where a string may end: `it's` goes on.
    fn ends_single_quotes(&self, at: usize) -> bool {
        let rest = self.bytes.get(at..).unwrap_or_default();
        let next = rest.iter().find(|byte| !byte.is_ascii_whitespace());
        next.is_none_or(|byte| matches!(byte, b',' | b'}' | b']' | b':'))
    }

    /// Behind the comment that begins here. `//` behind a colon or a word is part of an address.
    fn comment_end(&self) -> Option<usize> {
        let rest = self.bytes.get(self.at..)?;
        if let Some(inside) = rest.strip_prefix(b"/*") {
            return Some(memmem::find(inside, b"*/").map_or(self.bytes.len(), |length| self.at + length + 4));
        }
        let previous = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
        let stands_alone = previous.is_none_or(|byte| b" \t\n\r,{}[]\"'".contains(byte));
        let begins = rest.starts_with(b"//") && stands_alone;
        begins.then(|| memchr(b'\n', rest).map_or(self.bytes.len(), |length| self.at + length))
    }
}
