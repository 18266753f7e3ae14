//! Which calls have failed, so that an equivalent one is not made again for nothing.
//!
//! A fold over the agent's own transcript, made anew for each request that needs it: nothing to lose, nothing
//! shared between conversations. What counts is whether anything can have changed the world since the failure.

use crate::dialect::{Call, Transcript};
use crate::wire::canonical::Digest;

use super::rules::{Rules, ToolPolicy};

/// A call's identity: its tool, and the digest of its canonical arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    pub tool: String,
    pub digest: Digest,
}

/// Failures that still stand.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    _private: (),
}

/// An earlier failure of an equivalent call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Precedent {
    pub signature: String,
    pub excerpt: String,
    pub terminal: bool,
    pub count: u32,
}

impl Ledger {
    /// Folds the transcript. `key` gives a call's identity, or `None` where its arguments cannot be read.
    pub fn fold(
        transcript: &Transcript,
        rules: &Rules,
        key: &mut dyn FnMut(&Call<'_>) -> Option<Key>,
    ) -> Self {
        todo!()
    }
    /// The failure for which an equivalent call is to be refused, if there is one. `changed`: a forwarded
    /// sibling before it in the same answer may have changed the world.
    pub fn precedent(
        &self,
        key: &Key,
        call: &Call<'_>,
        policy: &ToolPolicy<'_>,
        changed: bool,
    ) -> Option<Precedent> {
        todo!()
    }
}

/// Whether a tool is known to change nothing: by rule, by the operator's list, or by its name.
pub fn is_read_only(tool: &str, rules: &Rules, policy: &ToolPolicy<'_>) -> bool {
    todo!()
}
