//! Which offered tool a name means.

use crate::dialect::Transcript;

/// What a called name is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Name {
    /// Offered as it stands, or the catalogue is open and nothing can be said.
    Known,
    /// Means exactly this offered tool.
    Repaired(String),
    /// Not offered. The nearest names, best first.
    Unknown { nearest: Vec<String> },
    /// `multi_tool_use.parallel`: a wrapper around several calls.
    Wrapper,
}

pub fn resolve(name: &str, transcript: &Transcript) -> Name {
    todo!()
}
