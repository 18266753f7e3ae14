//! Entries by key, and by how long ago they failed.

use std::collections::{BTreeMap, HashMap};

use super::{Key, Precedent};

/// What is known of a call that failed.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) signature: String,
    pub(super) excerpt: String,
    /// Failures of this key, one after another; at least one.
    pub(super) count: u32,
    /// A digest of the last failure's text.
    pub(super) text: u64,
    /// Two failures in a row said the same.
    pub(super) same_text: bool,
    /// When it failed last, in failures.
    pub(super) at: u64,
}

/// Entries of one kind. `order` holds each entry's `at` and key.
#[derive(Clone, Debug, Default)]
pub(super) struct Shelf {
    entries: HashMap<Key, Entry>,
    order: BTreeMap<u64, Key>,
}

// === impl Entry ===

impl Entry {
    pub(super) fn precedent(&self, terminal: bool) -> Precedent {
        Precedent {
            signature: self.signature.clone(),
            excerpt: self.excerpt.clone(),
            terminal,
            count: self.count,
        }
    }
}

// === impl Shelf ===

impl Shelf {
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Key, &Entry)> {
        self.order.values().filter_map(|key| Some((key, self.entries.get(key)?)))
    }

    pub(super) fn find(&self, key: &Key) -> Option<&Entry> {
        self.entries.get(key)
    }

    pub(super) fn take(&mut self, key: &Key) -> Option<Entry> {
        let entry = self.entries.remove(key)?;
        self.order.remove(&entry.at);
        Some(entry)
    }

    pub(super) fn put(&mut self, key: Key, entry: Entry) {
        self.order.insert(entry.at, key.clone());
        if let Some(before) = self.entries.insert(key, entry) {
            self.order.remove(&before.at);
        }
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.order.clear();
    }

    /// Removes all but the entry of `key`.
    pub(super) fn keep_only(&mut self, key: &Key) {
        let kept = self.take(key);
        self.clear();
        if let Some(entry) = kept {
            self.put(key.clone(), entry);
        }
    }

    /// When the entry failed that failed longest ago.
    pub(super) fn oldest(&self) -> Option<u64> {
        self.order.keys().next().copied()
    }

    pub(super) fn drop_oldest(&mut self) {
        if let Some((_, key)) = self.order.pop_first() {
            self.entries.remove(&key);
        }
    }
}
