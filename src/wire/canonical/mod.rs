//! One text for all ways to write a JSON value, and digests of it.
//!
//! Keys sorted at every level by code point, no white space, strings unescaped to UTF-8 where JSON allows it,
//! array order kept, number tokens as written: `1` is not `1.0`, and 19 digits survive. RFC 8785 would round
//! them, so it is not what is used here. Time is in proportion to the text but for the sorting, and depth
//! costs no stack.

mod chain;
mod quote;
#[cfg(test)]
mod tests;
mod tree;

use sha2::{Digest as _, Sha256};

use self::tree::Tree;
pub use self::{
    chain::Chain,
    quote::{escaped, quote},
};
use super::span::Json;

/// SHA-256 of a canonical text.
pub type Digest = [u8; 32];

/// Writes the value canonically. Of duplicate keys the last counts. A lone surrogate stays an escape.
pub fn canonical(value: Json<'_>) -> String {
    let mut text = String::with_capacity(value.text().len());
    Tree::read(value).write(&[], &mut text);
    text
}

/// SHA-256 of the canonical text, leaving out what the RFC 6901 pointers in `ignore` name.
///
/// Elements of arrays are left out as members of objects are. Pointers that lead nowhere leave out nothing;
/// the empty one leaves out everything.
pub fn digest(value: Json<'_>, ignore: &[String]) -> Digest {
    // Found before anything is left out, so that positions in arrays mean those in the value.
    let ignored: Vec<_> = ignore.iter().filter_map(|pointer| value.pointer(pointer)).collect();
    let mut text = String::with_capacity(value.text().len());
    Tree::read(value).write(&ignored, &mut text);
    Sha256::digest(text).into()
}
