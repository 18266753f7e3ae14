//! Which calls have failed, so that an equivalent one is not made again for nothing.
//!
//! A fold over the agent's own transcript, made anew for each request that needs it: nothing to lose, nothing
//! shared between conversations. What counts is whether anything can have changed the world since the failure.
//! `history` reads the transcript answer by answer, `settle` says what an answer does to the ledger, and
//! `tool` tells from a tool's name what it is.

mod history;
mod settle;
mod shelf;
mod tool;

use crate::dialect::{Call, Transcript};
use crate::wire::canonical::Digest;

use super::rules::{Rules, ToolPolicy};
pub use history::speaks;
use shelf::Shelf;
pub use tool::is_read_only;

/// A shell's world can change by itself: so many failures, whatever they say, are enough.
const SHELL_FAILURES: u32 = 3;

/// A call's identity: its tool, and the digest of its canonical arguments.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    pub tool: String,
    pub digest: Digest,
}

/// Failures that still stand. A key stands on one of the two shelves at most.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    /// Gone as soon as something else can have changed the world.
    failed: Shelf,
    /// Stands until the user speaks, or the call succeeds after all.
    terminal: Shelf,
    /// Failures entered so far, which tells older from newer.
    entered: u64,
    /// Entries kept on both shelves together.
    capacity: usize,
}

/// An earlier failure of an equivalent call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Precedent {
    pub signature: String,
    pub excerpt: String,
    pub terminal: bool,
    pub count: u32,
}

// === impl Ledger ===

impl Ledger {
    /// Folds the transcript. `key` gives a call's identity, or `None` where its arguments cannot be read; it is
    /// asked only for calls that matter. Empty where the rules refuse no failures.
    pub fn fold(
        transcript: &Transcript,
        rules: &Rules,
        key: &mut dyn FnMut(&Call<'_>) -> Option<Key>,
    ) -> Self {
        let mut ledger = Self::with_capacity(rules.failures.capacity);
        if rules.failures.refuse {
            history::fold(transcript, rules, key, &mut ledger);
        }
        ledger
    }

    /// Whether a fold would come upon a call that `is` knows, under a name that `named` does. Where it would not, no
    /// failure of that call can stand, and no result need be read to say so.
    pub fn meets(
        transcript: &Transcript,
        rules: &Rules,
        named: &mut dyn FnMut(&str) -> bool,
        is: &mut dyn FnMut(&Call<'_>) -> bool,
    ) -> bool {
        history::since_the_user_spoke(transcript, rules).iter().any(|element| {
            transcript.called(element).iter().any(|called| named(&called.name))
                && transcript.calls(element).iter().any(&mut *is)
        })
    }

    fn with_capacity(capacity: usize) -> Self {
        Self { capacity, ..Self::default() }
    }

    /// The failures that stand, in the order in which they were entered last.
    pub fn standing(&self) -> Vec<(&Key, Precedent)> {
        let failed = self.failed.iter().map(|(key, entry)| (key, entry, false));
        let mut all: Vec<_> =
            failed.chain(self.terminal.iter().map(|(key, entry)| (key, entry, true))).collect();
        all.sort_by_key(|(_, entry, _)| entry.at);
        all.into_iter().map(|(key, entry, terminal)| (key, entry.precedent(terminal))).collect()
    }

    /// No failure stands, so no call can have a precedent.
    pub fn is_empty(&self) -> bool {
        self.failed.is_empty() && self.terminal.is_empty()
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
        // Neither time nor change mends what is terminal, so nothing else is asked.
        if let Some(entry) = self.terminal.find(key) {
            return Some(entry.precedent(true));
        }
        let entry = self.failed.find(key).filter(|_| !changed)?;
        let is_shell = tool::is_shell(&key.tool);
        let enough = match policy.after {
            Some(after) => entry.count >= after,
            None => !is_shell || entry.same_text || entry.count >= SHELL_FAILURES,
        };
        (enough && !(is_shell && tool::waits(&call.arguments))).then(|| entry.precedent(false))
    }
}

#[cfg(test)]
mod tests;
