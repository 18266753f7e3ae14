//! A value that is known to be well-formed, and the ways into it.

use std::borrow::Cow;

use super::{Key, Kind, Malformed, Reader, Span, escape, nested};

/// One whole, well-formed JSON value, without white space around it.
///
/// Nothing is remembered: each method reads the text again, as far as it must. Whoever wants several members
/// of one object should go through [`members`](Self::members) once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Json<'a>(&'a str);

// === impl Json ===

impl<'a> Json<'a> {
    /// Reads text that is one whole value, white space around it allowed.
    pub fn parse(text: &'a str) -> Result<Self, Malformed> {
        let mut reader = Reader::new(text);
        let value = reader.value()?;
        reader.end()?;
        Ok(value)
    }

    /// A value that a [`Reader`] or a [`Json`] has passed over before: not checked again.
    ///
    /// Other text gives answers without a meaning, but no panic.
    pub fn trusted(text: &'a str) -> Self {
        Self(text)
    }

    pub fn text(self) -> &'a str {
        self.0
    }

    pub fn kind(self) -> Kind {
        self.0.bytes().next().and_then(Kind::of).unwrap_or(Kind::Null)
    }

    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The string's value, unescaped; `None` for other kinds. A lone surrogate reads as U+FFFD.
    pub fn string(self) -> Option<Cow<'a, str>> {
        self.raw_string().map(escape::unescape)
    }

    /// Whether this is a string that is seen to hold one well-formed object, without its being read: where it says
    /// no, the string may hold one that is written in an unusual way.
    pub fn holds_object(self) -> bool {
        self.raw_string().is_some_and(nested::is_object)
    }

    /// The string's text between its quotes, escapes and all; `None` for other kinds.
    pub fn raw_string(self) -> Option<&'a str> {
        self.0.strip_prefix('"')?.strip_suffix('"')
    }

    pub fn boolean(self) -> Option<bool> {
        match self.0 {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The number, if it is written as an integer that fits.
    pub fn integer(self) -> Option<i64> {
        self.0.parse().ok()
    }

    /// The members in the order written, duplicates too; nothing for other kinds.
    pub fn members(self) -> impl Iterator<Item = (Key<'a>, Json<'a>)> {
        let mut reader = Reader::new(self.0);
        let mut entered = reader.object().ok();
        std::iter::from_fn(move || {
            let key = reader.next_key(entered.as_mut()?).ok().flatten();
            let member = key.and_then(|key| Some((key, reader.value().ok()?)));
            if member.is_none() {
                entered = None;
            }
            member
        })
    }

    /// The elements in order; nothing for other kinds.
    pub fn elements(self) -> impl Iterator<Item = Json<'a>> {
        let mut reader = Reader::new(self.0);
        let mut entered = reader.array().ok();
        std::iter::from_fn(move || {
            let another = reader.next_element(entered.as_mut()?).unwrap_or(false);
            let element = if another { reader.value().ok() } else { None };
            if element.is_none() {
                entered = None;
            }
            element
        })
    }

    /// The member called `name`; of duplicates the last, as JSON parsers do.
    pub fn member(self, name: &str) -> Option<Json<'a>> {
        self.members().filter(|(key, _)| key.is(name)).last().map(|(_, value)| value)
    }

    /// The value at an RFC 6901 pointer.
    pub fn pointer(self, pointer: &str) -> Option<Json<'a>> {
        if pointer.is_empty() {
            return Some(self);
        }
        pointer.strip_prefix('/')?.split('/').try_fold(self, |value, token| match value.kind() {
            Kind::Object => value.member(&reference_token(token)?),
            Kind::Array => value.elements().nth(array_index(token)?),
            _ => None,
        })
    }

    /// What an RFC 6901 pointer names, as children of the object or array that holds them: their positions, from 0
    /// in the order written. Of members with one name these are all. `None` where nothing is there, and for the
    /// empty pointer, which names no child.
    pub fn children_at(self, pointer: &str) -> Option<(Json<'a>, Vec<usize>)> {
        let (above, token) = pointer.rsplit_once('/')?;
        let container = self.pointer(above)?;
        let positions: Vec<usize> = match container.kind() {
            Kind::Object => {
                let name = reference_token(token)?;
                let named = container.members().enumerate().filter(|(_, (key, _))| key.is(&name));
                named.map(|(position, _)| position).collect()
            }
            Kind::Array => {
                let index = array_index(token)?;
                container.elements().nth(index).map(|_| index).into_iter().collect()
            }
            _ => Vec::new(),
        };
        (!positions.is_empty()).then_some((container, positions))
    }

    /// Where this value lies in `whole`, which it must be a part of.
    pub fn span_in(self, whole: &str) -> Span {
        let start = self.0.as_ptr().addr().wrapping_sub(whole.as_ptr().addr());
        let span = Span::new(start, start.wrapping_add(self.0.len()));
        debug_assert!(span.start <= span.end && span.end <= whole.len(), "the value is no part of the text");
        span
    }
}

/// A member's name as a pointer writes it, unescaped; `None` where a `~` is followed by neither 0 nor 1.
fn reference_token(token: &str) -> Option<Cow<'_, str>> {
    if !token.contains('~') {
        return Some(Cow::Borrowed(token));
    }
    let mut tildes = token.split('~').skip(1);
    // In this order, so that `~01` is `~1` and not `/`.
    let name = || token.replace("~1", "/").replace("~0", "~");
    tildes.all(|after| after.starts_with(['0', '1'])).then(name).map(Cow::Owned)
}

/// RFC 6901 section 4: digits without leading zeros.
fn array_index(token: &str) -> Option<usize> {
    let is_canonical = token == "0" || !token.starts_with('0');
    // `parse` alone would accept a sign.
    if is_canonical && token.bytes().all(|byte| byte.is_ascii_digit()) { token.parse().ok() } else { None }
}
