//! Which form a body has, told by how it begins.
//!
//! Not every provider names the type of what it sends, or names it rightly; clients read it all the same. Nothing
//! of a body is read here but its first bytes that are not blank.

#[cfg(test)]
mod tests;

/// The form of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Server-sent events.
    Stream,
    /// One JSON object.
    Whole,
    /// Neither.
    Other,
}

/// The first bytes of a body, as far as they are needed.
#[derive(Debug, Default)]
pub struct Beginning {
    /// From the first byte on that is not blank: no more than the longest of what is looked for.
    bytes: Vec<u8>,
}

const BOM: &[u8] = b"\xef\xbb\xbf";

/// How a line of an event stream begins: with a field that the standard knows, or as a comment.
const FIELDS: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];

// === impl Beginning ===

impl Beginning {
    /// Takes the next bytes, and says which form it is once that is certain.
    pub fn push(&mut self, mut next: &[u8]) -> Option<Form> {
        loop {
            if self.bytes.is_empty() {
                next = next.trim_ascii_start();
            }
            let (first, rest) = next.split_first()?;
            self.bytes.push(*first);
            next = rest;
            if self.bytes == BOM {
                self.bytes.clear();
            } else if let Some(form) = self.told() {
                return Some(form);
            }
        }
    }

    fn told(&self) -> Option<Form> {
        let begins = |with: &[u8]| with.starts_with(&self.bytes);
        if self.bytes == b"{" {
            return Some(Form::Whole);
        }
        if FIELDS.iter().any(|field| *field == self.bytes) {
            return Some(Form::Stream);
        }
        (!begins(BOM) && !FIELDS.iter().any(|field| begins(field))).then_some(Form::Other)
    }
}
