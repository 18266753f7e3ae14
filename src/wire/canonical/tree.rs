//! A value's nodes in one row, read in a single walk, members sorted as their object closes.
//!
//! Walking each level anew to sort it would read deep values once a level; this reads them once.

use std::borrow::Cow;

use super::quote;
use crate::wire::span::{Entered, Json, Kind, Malformed, Piece, Reader, pieces};

/// The nodes of one value, each before its children. The first is the value itself.
pub(super) struct Tree<'a> {
    nodes: Vec<Node<'a>>,
}

struct Node<'a> {
    /// As written between the quotes; empty for what is no member.
    name: &'a str,
    /// The whole value; of a container only its opening bracket and what follows it.
    text: &'a str,
    kind: Kind,
    /// The first child in canonical order.
    first: Option<usize>,
    /// The next child of the same container in canonical order.
    next: Option<usize>,
}

/// A container that is being read.
struct Open {
    node: usize,
    is_object: bool,
    entered: Entered,
    /// The children so far, in the order written.
    children: Vec<usize>,
}

/// A container that is being written.
struct Writing {
    /// The child to be written next.
    next: Option<usize>,
    closing: char,
    /// Whether a child has been written, so that a comma is due.
    any: bool,
}

// === impl Tree ===

impl<'a> Tree<'a> {
    pub(super) fn read(value: Json<'a>) -> Self {
        let mut tree = Self { nodes: Vec::new() };
        // A value that has been walked over before cannot be malformed; else there is nothing to write.
        if tree.walk(value.text()).is_err() {
            tree.nodes.clear();
        }
        tree
    }

    fn walk(&mut self, text: &'a str) -> Result<(), Malformed> {
        let mut reader = Reader::new(text);
        let mut open: Vec<Open> = Vec::new();
        open.extend(self.enter(&mut reader, text, "")?);
        while let Some(innermost) = open.last_mut() {
            let name = if innermost.is_object {
                reader.next_key(&mut innermost.entered)?.map(|key| key.raw)
            } else {
                reader.next_element(&mut innermost.entered)?.then_some("")
            };
            if let Some(name) = name {
                innermost.children.push(self.nodes.len());
                open.extend(self.enter(&mut reader, text, name)?);
            } else if let Some(closed) = open.pop() {
                self.close(closed);
            }
        }
        Ok(())
    }

    /// Adds the value that comes next, and steps into it if it is a container.
    fn enter(
        &mut self,
        reader: &mut Reader<'a>,
        text: &'a str,
        name: &'a str,
    ) -> Result<Option<Open>, Malformed> {
        let (node, kind) = (self.nodes.len(), reader.kind()?);
        let start = reader.offset();
        let is_object = kind == Kind::Object;
        let open = match kind {
            Kind::Object | Kind::Array => {
                let entered = if is_object { reader.object()? } else { reader.array()? };
                Some(Open { node, is_object, entered, children: Vec::new() })
            }
            _ => {
                reader.skip()?;
                None
            }
        };
        let end = if open.is_some() { text.len() } else { reader.offset() };
        let text = text.get(start..end).unwrap_or_default();
        self.nodes.push(Node { name, text, kind, first: None, next: None });
        Ok(open)
    }

    /// Links the children of a container that has been read to its end.
    fn close(&mut self, mut closed: Open) {
        if closed.is_object {
            self.sort(&mut closed.children);
        }
        let mut next = None;
        for child in closed.children.into_iter().rev() {
            if let Some(node) = self.nodes.get_mut(child) {
                node.next = next;
                next = Some(child);
            }
        }
        if let Some(node) = self.nodes.get_mut(closed.node) {
            node.first = next;
        }
    }

    /// Sorts members by name; of those with the same name the last stays.
    fn sort(&self, members: &mut Vec<usize>) {
        let mut named: Vec<_> = members
            .drain(..)
            .filter_map(|member| Some((code_points(self.nodes.get(member)?.name), member)))
            .collect();
        // Members stand in the order written, so the later of two of one name is the one with the higher index.
        named.sort_unstable_by(|(a, earlier), (b, later)| a.cmp(b).then(later.cmp(earlier)));
        named.dedup_by(|(a, _), (b, _)| a == b);
        members.extend(named.into_iter().map(|(_, member)| member));
    }

    /// Writes the value without those in `ignored`, which are parts of it.
    pub(super) fn write(&self, ignored: &[Json<'_>], out: &mut String) {
        let mut writing =
            vec![Writing { next: (!self.nodes.is_empty()).then_some(0), closing: '\0', any: false }];
        while let Some(innermost) = writing.last_mut() {
            let Some(node) = innermost.next.and_then(|next| self.nodes.get(next)) else {
                let closing = innermost.closing;
                writing.pop();
                // The outermost stands for the place of the value itself, and has no bracket.
                if !writing.is_empty() {
                    out.push(closing);
                }
                continue;
            };
            innermost.next = node.next;
            if ignored.iter().any(|ignored| std::ptr::eq(ignored.text().as_ptr(), node.text.as_ptr())) {
                continue;
            }
            if std::mem::replace(&mut innermost.any, true) {
                out.push(',');
            }
            if innermost.closing == '}' {
                quote::requote(node.name, out);
                out.push(':');
            }
            if let Some(closing) = node.begin(out) {
                writing.push(Writing { next: node.first, closing, any: false });
            }
        }
    }
}

// === impl Node ===

impl Node<'_> {
    /// Writes a scalar whole. Of a container it writes the opening bracket and says which one closes it.
    fn begin(&self, out: &mut String) -> Option<char> {
        let closing = match self.kind {
            Kind::Object => '}',
            Kind::Array => ']',
            Kind::String => {
                quote::requote(Json::trusted(self.text).raw_string().unwrap_or_default(), out);
                return None;
            }
            Kind::Number | Kind::Boolean | Kind::Null => {
                out.push_str(self.text);
                return None;
            }
        };
        out.push(if closing == '}' { '{' } else { '[' });
        Some(closing)
    }
}

/// A name's code points in UTF-8, whose bytes sort as they do; a lone surrogate in the three bytes that would be its own.
fn code_points(raw: &str) -> Cow<'_, [u8]> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw.as_bytes());
    }
    let mut name = Vec::with_capacity(raw.len());
    for piece in pieces(raw) {
        match piece {
            Piece::Text(text) => name.extend_from_slice(text.as_bytes()),
            Piece::Char(char) => name.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
            Piece::Surrogate(unit) => {
                let [high, low] = unit.to_be_bytes();
                name.extend([0xe0 | high >> 4, 0x80 | (high & 0xf) << 2 | low >> 6, 0x80 | low & 0x3f]);
            }
        }
    }
    Cow::Owned(name)
}
