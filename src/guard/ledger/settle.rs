//! What one answer and its results do to the ledger.
//!
//! Calls of one answer run beside each other: nobody knows which was first. So what they can have changed is
//! taken off before their own failures enter.

use std::cell::OnceCell;

use super::shelf::{Entry, Shelf};
use super::{Key, Ledger};
use crate::guard::classify::{Failure, Outcome};

/// A call of an answer, and what became of it.
#[derive(Debug)]
pub(super) struct Step {
    /// It is known to change nothing.
    pub(super) read_only: bool,
    /// `None`: no result. It may have run all the same.
    pub(super) outcome: Option<Outcome>,
    /// A digest of the result's text.
    pub(super) text: u64,
}

/// The keys of an answer's calls, asked for when first needed.
struct Keys<'k> {
    known: Vec<OnceCell<Option<Key>>>,
    ask: &'k mut dyn FnMut(usize) -> Option<Key>,
}

// === impl Step ===

impl Step {
    /// It can have changed the world. A call that was refused was never made.
    fn may_change(&self) -> bool {
        !self.read_only && self.outcome != Some(Outcome::Unknown)
    }
}

// === impl Keys ===

impl Keys<'_> {
    fn of(&mut self, index: usize) -> Option<Key> {
        self.known.get(index)?.get_or_init(|| (self.ask)(index)).clone()
    }
}

// === impl Ledger ===

impl Ledger {
    /// The user has spoken: anything may have changed. `keeps`: what is terminal stays for good.
    pub(super) fn reopen(&mut self, keeps: bool) {
        self.failed.clear();
        if !keeps {
            self.terminal.clear();
        }
    }

    /// Takes in one answer. `key` gives the identity of the call at an index.
    pub(super) fn settle(&mut self, steps: &[Step], key: &mut dyn FnMut(usize) -> Option<Key>) {
        let mut keys = Keys { known: vec![OnceCell::new(); steps.len()], ask: key };
        let changing: Vec<usize> =
            (0..steps.len()).filter(|at| steps.get(*at).is_some_and(Step::may_change)).collect();
        self.forget_changed(&changing, &mut keys);
        for (index, step) in steps.iter().enumerate() {
            if step.outcome == Some(Outcome::Success)
                && !self.is_empty()
                && let Some(key) = keys.of(index)
            {
                self.failed.take(&key);
                self.terminal.take(&key);
            }
        }
        for (index, step) in steps.iter().enumerate() {
            let Some(Outcome::Failure(failure)) = &step.outcome else { continue };
            let beside_change = changing.iter().any(|other| *other != index);
            if (!beside_change || failure.terminal)
                && let Some(key) = keys.of(index)
            {
                self.enter(key, failure, step.text);
            }
        }
    }

    /// Each call that may change something takes off every failure but those of its own key; two calls of
    /// different keys take off each other's.
    fn forget_changed(&mut self, changing: &[usize], keys: &mut Keys<'_>) {
        let Some((first, others)) = changing.split_first() else { return };
        if self.failed.is_empty() {
            return;
        }
        match keys.of(*first) {
            Some(own) if others.iter().all(|other| keys.of(*other).as_ref() == Some(&own)) => {
                self.failed.keep_only(&own);
            }
            _ => self.failed.clear(),
        }
    }

    fn enter(&mut self, key: Key, failure: &Failure, text: u64) {
        self.entered += 1;
        let failed = self.failed.take(&key);
        let terminal = self.terminal.take(&key);
        let is_terminal = failure.terminal || terminal.is_some();
        let mut entry = Entry {
            signature: failure.signature.clone(),
            excerpt: failure.excerpt.clone(),
            count: 1,
            text,
            same_text: false,
            at: self.entered,
        };
        if let Some(before) = failed.or(terminal) {
            entry.count = before.count.saturating_add(1);
            entry.same_text = before.same_text || before.text == text;
            // What made it terminal is what a refusal has to quote.
            if is_terminal && !failure.terminal {
                entry.signature = before.signature;
                entry.excerpt = before.excerpt;
            }
        }
        let shelf = if is_terminal { &mut self.terminal } else { &mut self.failed };
        shelf.put(key, entry);
        if self.failed.len() + self.terminal.len() > self.capacity {
            self.oldest_shelf().drop_oldest();
        }
    }

    fn oldest_shelf(&mut self) -> &mut Shelf {
        let never = u64::MAX;
        let failed_first = self.failed.oldest().unwrap_or(never) < self.terminal.oldest().unwrap_or(never);
        if failed_first { &mut self.failed } else { &mut self.terminal }
    }
}
