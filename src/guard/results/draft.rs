//! One of a result's texts while it is worked on.

use std::borrow::Cow;

use crate::dialect::Rewritten;
use crate::wire::span::Span;
use crate::wire::splice::{Change, changed};

/// A text as it is by now, and how it came to be from the one that the agent sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Draft<'a> {
    original: Cow<'a, str>,
    text: Cow<'a, str>,
    /// From the original to the text.
    changes: Vec<Change>,
    dropped: bool,
}

/// All that is left of a result, as [`crate::dialect::Transcript::content`] would join it.
pub(super) fn joined<'d>(drafts: &'d [Draft<'_>]) -> Cow<'d, str> {
    match drafts {
        [only] => Cow::Borrowed(only.text()),
        _ => Cow::Owned(drafts.iter().map(Draft::text).collect::<Vec<_>>().join("\n")),
    }
}

/// Puts one text in the place of all. `false` where that is what they say already.
pub(super) fn say(drafts: &mut [Draft<'_>], text: &str) -> bool {
    let said = joined(drafts).trim() == text;
    let Some((first, others)) = drafts.split_first_mut().filter(|_| !said) else { return false };
    first.put(vec![Change::new(Span::new(0, first.text().len()), text)]);
    others.iter_mut().for_each(Draft::drop);
    true
}

// === impl Draft ===

impl<'a> Draft<'a> {
    pub(super) fn new(text: Cow<'a, str>) -> Self {
        Self { original: text.clone(), text, changes: Vec::new(), dropped: false }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Makes changes to the text as it is by now.
    pub(super) fn put(&mut self, changes: Vec<Change>) {
        let text = changed(&self.text, &changes);
        self.changes = if self.changes.is_empty() {
            changes
        } else {
            vec![Change::new(Span::new(0, self.original.len()), text.clone())]
        };
        self.text = Cow::Owned(text);
    }

    pub(super) fn drop(&mut self) {
        self.dropped = true;
    }

    pub(super) fn rewritten(self) -> Rewritten {
        if self.dropped { Rewritten::Dropped } else { Rewritten::Changed(self.changes) }
    }
}
