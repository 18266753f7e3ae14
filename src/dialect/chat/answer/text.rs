//! What the choices of an answer say besides their calls.

use std::collections::BTreeMap;

use crate::wire::span::Json;

use super::super::event::{Choice, Finish};
use super::super::members::Members;

/// What each choice of a round says.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    choices: BTreeMap<u32, Text>,
    /// Choices that have not told their finish.
    open: usize,
    is_filtered: bool,
}

/// One choice's words, pieces joined.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Text {
    /// Escaped, without quotes.
    pub(in super::super) said: String,
    /// Members that this version does not know, reasoning among them.
    pub(in super::super) others: Members,
    finish: Option<Finish>,
}

// === impl Texts ===

impl Texts {
    pub(super) fn of(&mut self, choice: u32) -> &mut Text {
        self.choices.entry(choice).or_insert_with(|| {
            self.open += 1;
            Text::default()
        })
    }

    /// The choice tells how it ends. It may do so more than once.
    pub(super) fn finish(&mut self, choice: u32, finish: Finish) {
        let text = self.of(choice);
        let is_first = text.finish.replace(finish).is_none();
        self.open -= usize::from(is_first);
        self.is_filtered |= finish == Finish::Filtered;
    }

    /// Some choice has told its finish.
    pub(super) fn is_ending(&self) -> bool {
        self.open < self.choices.len()
    }

    /// All choices have told theirs, and there is one.
    pub(super) fn are_finished(&self) -> bool {
        self.open == 0 && !self.choices.is_empty()
    }

    /// No choice has said anything, in words or in a member that is not known here.
    pub(super) fn are_silent(&self) -> bool {
        self.choices.values().all(Text::is_silent)
    }

    /// There is a choice, and none was cut: not by a limit, and not for its content.
    pub(super) fn are_uncut(&self) -> bool {
        let is_uncut =
            |text: &Text| !matches!(text.finish, Some(Finish::Length | Finish::Filtered | Finish::Other));
        !self.choices.is_empty() && self.choices.values().all(is_uncut)
    }

    /// Some choice was cut for its content.
    pub(super) fn is_filtered(&self) -> bool {
        self.is_filtered
    }

    pub(super) fn is_filtered_in(&self, choice: u32) -> bool {
        self.choices.get(&choice).is_some_and(|text| text.finish == Some(Finish::Filtered))
    }

    pub(super) fn choices(&self) -> impl Iterator<Item = u32> {
        self.choices.keys().copied()
    }

    pub(super) fn unfinished(&self) -> Vec<u32> {
        let open = self.choices.iter().filter(|(_, text)| text.finish.is_none());
        open.map(|(choice, _)| *choice).collect()
    }

    /// What the only choice said.
    pub(super) fn into_first(self) -> Text {
        self.choices.into_values().next().unwrap_or_default()
    }
}

// === impl Text ===

impl Text {
    fn is_silent(&self) -> bool {
        let is_empty = |value: &str| ["\"\"", "[]", "{}"].contains(&value);
        self.said.is_empty() && self.others.iter().all(|(_, value)| is_empty(value))
    }

    pub(super) fn take(&mut self, choice: &Choice, data: &str) {
        if let Some(content) = choice.content {
            self.said.push_str(Json::trusted(content.of(data)).raw_string().unwrap_or_default());
        }
        for (key, value) in &choice.others {
            self.others.grow(key.of(data), Json::trusted(value.of(data)));
        }
    }
}
