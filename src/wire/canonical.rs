//! One text for all ways to write a JSON value, and digests of it.
//!
//! Keys sorted at every level by code point, no white space, strings unescaped to UTF-8 where JSON allows it,
//! array order kept, number tokens as written: `1` is not `1.0`, and 19 digits survive. RFC 8785 would round
//! them, so it is not what is used here.

use super::span::Json;

/// SHA-256 of a canonical text.
pub type Digest = [u8; 32];

/// Writes the value canonically. Of duplicate keys the last counts. A lone surrogate stays an escape.
pub fn canonical(value: Json<'_>) -> String {
    todo!()
}

/// SHA-256 of the canonical text, leaving out what the pointers in `ignore` name.
pub fn digest(value: Json<'_>, ignore: &[String]) -> Digest {
    todo!()
}

/// `text` as a JSON string, quotes included.
pub fn quote(text: &str) -> String {
    todo!()
}

/// A keyed 128-bit digest that grows link by link, for comparing long histories by value.
#[derive(Clone, Debug)]
pub struct Chain {
    key: [u8; 16],
    value: u128,
}

impl Chain {
    pub fn new(key: [u8; 16]) -> Self {
        todo!()
    }
    /// Adds one link. Links are told apart: `ab` + `c` is not `a` + `bc`.
    pub fn link(&mut self, bytes: &[u8]) {
        todo!()
    }
    pub fn value(&self) -> u128 {
        self.value
    }
}
