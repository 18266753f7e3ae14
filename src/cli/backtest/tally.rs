//! What was found, added up.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Serialize, Serializer};

/// All that was found.
#[derive(Default, Serialize, Debug)]
pub(super) struct Tally {
    pub(super) conversations: usize,
    /// Bytes of conversations.
    pub(super) bytes: usize,
    /// Answers in which tools were called.
    pub(super) answers: usize,
    pub(super) calls: usize,
    /// Calls by verdict and reasons: `forwarded`, `refused: invalid`.
    pub(super) verdicts: BTreeMap<String, usize>,
    /// Repeats of a call that had failed: refused, and failed again when they were made all the same.
    pub(super) refused_rightly: Vec<Case>,
    /// Repeats that would have been refused, and worked.
    pub(super) refused_wrongly: Vec<Case>,
    /// Repeats that were refused and of which nobody knows what they came to.
    pub(super) refused_unknown: Vec<Case>,
    /// Repeats that went on and failed again, by the reason for which they went on.
    pub(super) missed: BTreeMap<String, Vec<Case>>,
    /// Repeats that went on and worked, or of which nobody knows what they came to.
    pub(super) let_through: usize,
    /// Calls that would have been refused for themselves, and worked.
    pub(super) remanded_wrongly: Vec<Case>,
    /// Results by what they are taken for.
    pub(super) outcomes: BTreeMap<&'static str, usize>,
    /// Of results that say outright whether they failed: agreed with, and of how many.
    pub(super) flags: BTreeMap<&'static str, (usize, usize)>,
    /// Those that were not agreed with.
    pub(super) disagreed: Vec<Case>,
    /// Conversations whose history is told in another way, by the codes of what is done.
    pub(super) mended: BTreeMap<&'static str, usize>,
    pub(super) changed: Vec<Place>,
    /// What is no conversation.
    pub(super) unreadable: Vec<(Place, String)>,
    /// It was stopped before the end.
    pub(super) stopped: bool,
}

/// A line of a file.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: usize,
}

/// A call in a recorded conversation.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Debug)]
pub(super) struct Case {
    #[serde(flatten)]
    pub(super) at: At,
    pub(super) tool: String,
    pub(super) arguments: String,
    /// What the guard says of it, or of what failed before.
    pub(super) why: String,
    /// What really came of it.
    pub(super) result: String,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Debug)]
pub(super) struct At {
    pub(super) place: Place,
    /// The message in the conversation, from 1.
    pub(super) message: usize,
}

// === impl Tally ===

impl Tally {
    /// A call that worked would not have been made.
    pub(super) fn was_wrong(&self) -> bool {
        !self.refused_wrongly.is_empty() || !self.remanded_wrongly.is_empty()
    }

    pub(super) fn unread(&mut self, place: Place, why: &str) {
        self.unreadable.push((place, why.to_owned()));
    }

    /// Repeats that would have been refused.
    pub(super) fn refused(&self) -> usize {
        self.refused_rightly.len() + self.refused_wrongly.len() + self.refused_unknown.len()
    }

    pub(super) fn add(&mut self, other: Self) {
        self.conversations += other.conversations;
        self.bytes += other.bytes;
        self.answers += other.answers;
        self.calls += other.calls;
        self.let_through += other.let_through;
        self.stopped |= other.stopped;
        merge(&mut self.verdicts, other.verdicts);
        merge(&mut self.outcomes, other.outcomes);
        merge(&mut self.mended, other.mended);
        self.refused_rightly.extend(other.refused_rightly);
        self.refused_wrongly.extend(other.refused_wrongly);
        self.refused_unknown.extend(other.refused_unknown);
        self.remanded_wrongly.extend(other.remanded_wrongly);
        self.disagreed.extend(other.disagreed);
        self.changed.extend(other.changed);
        self.unreadable.extend(other.unreadable);
        for (why, cases) in other.missed {
            self.missed.entry(why).or_default().extend(cases);
        }
        for (flag, (agreed, all)) in other.flags {
            let known = self.flags.entry(flag).or_default();
            *known = (known.0 + agreed, known.1 + all);
        }
    }

    /// In the order of the input, whichever thread was first.
    pub(super) fn sort(&mut self) {
        let lists = [
            &mut self.refused_rightly,
            &mut self.refused_wrongly,
            &mut self.refused_unknown,
            &mut self.remanded_wrongly,
            &mut self.disagreed,
        ];
        lists.into_iter().chain(self.missed.values_mut()).for_each(|cases| cases.sort());
        self.changed.sort();
        self.unreadable.sort();
    }
}

fn merge<K: Ord>(into: &mut BTreeMap<K, usize>, from: BTreeMap<K, usize>) {
    for (key, count) in from {
        *into.entry(key).or_default() += count;
    }
}

// === impl Place ===

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => formatter.write_str(&self.file),
            line => write!(formatter, "{}:{line}", self.file),
        }
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
