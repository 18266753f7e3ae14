//! Changes inside elements: what stands where it should, and cannot be sent as it is.

use std::collections::BTreeMap;

use super::Done;
use super::offered::Offered;
use super::pairing::{Called, Fate, Pairing};
use crate::dialect::{CallKind, Element, Entry, Role, Transcript};
use crate::guard::Reason;
use crate::guard::notice::{Notice, Notices, tool_name};
use crate::wire::canonical::quote;
use crate::wire::lenient::{self, Reading};
use crate::wire::span::{Json, Kind};
use crate::wire::splice::Change;
use crate::wire::surrogate;

/// The changes found so far.
pub(super) struct Touches<'t> {
    transcript: &'t Transcript,
    notices: &'t Notices,
    offered: &'t Offered<'t>,
    /// By element; none overlap.
    pub(super) changes: BTreeMap<usize, Vec<Change>>,
    pub(super) done: Vec<Done>,
}

impl<'t> Touches<'t> {
    pub(super) fn new(transcript: &'t Transcript, notices: &'t Notices, offered: &'t Offered<'t>) -> Self {
        Self { transcript, notices, offered, changes: BTreeMap::new(), done: Vec::new() }
    }

    /// Looks at one element.
    pub(super) fn element(&mut self, index: usize, pairing: &Pairing<'t>) {
        let Some(element) = self.transcript.elements.get(index) else { return };
        match (element.role, pairing.fates.get(index)) {
            (Role::Assistant, _) => self.answer(index, element, pairing.calls_of(index)),
            (Role::Tool, Some(Fate::Answers(call))) => {
                if let Some(call) = pairing.call(*call) {
                    // A call that is told by an equal one has that one's id.
                    self.result(index, element, call);
                }
            }
            _ => {}
        }
    }

    fn change(&mut self, index: usize, reason: Reason, changes: impl IntoIterator<Item = Change>) {
        let mut changes = changes.into_iter().peekable();
        if changes.peek().is_some() {
            self.changes.entry(index).or_default().extend(changes);
            self.done.push(Done { reason, element: Some(index) });
        }
    }

    fn answer(&mut self, index: usize, element: &Element, calls: &[Called<'t>]) {
        let mut empty = Vec::new();
        if element.bare {
            empty.extend(self.transcript.without_bare(element));
        }
        if self.transcript.lacks_content(element) {
            empty.push(self.transcript.silence(element));
        }
        self.change(index, Reason::MendedEmpty, empty);
        let places = calls.iter().enumerate().filter(|(_, call)| call.same_as.is_some());
        let gone: Vec<_> = places.map(|(place, _)| place).collect();
        self.change(index, Reason::MendedDuplicate, self.transcript.without_calls(element, &gone));
        if element.mixed {
            self.change(index, Reason::MendedDuplicate, self.transcript.without_mixed(element));
        }
        if self.transcript.may_double_calls(element) {
            self.change(index, Reason::MendedDuplicate, self.transcript.without_doubled_calls(element));
        }
        for call in calls.iter().filter(|call| call.same_as.is_none()) {
            self.call(index, call);
        }
    }

    fn call(&mut self, index: usize, call: &Called<'t>) {
        if let Some(id) = &call.renamed {
            self.change(index, call.why_renamed(), [self.transcript.with_id(&call.entry, id)]);
        }
        if let Some(name) = call.entry.name {
            self.name(index, name);
        }
        if let Some(arguments) = self.arguments(&call.entry) {
            self.change(
                index,
                Reason::MendedArguments,
                [self.transcript.with_input(&call.entry, &arguments)],
            );
        }
    }

    fn result(&mut self, index: usize, element: &Element, call: &Called<'t>) {
        if let Some(id) = &call.renamed {
            self.change(index, call.why_renamed(), [self.transcript.with_answers(element, id)]);
        }
        if let Some(name) = element.name {
            self.name(index, self.transcript.json(name));
        }
        if self.transcript.has_images(element) {
            let text = self.notices.text(Notice::ImageBelow, &[("tool", &tool_name(&call.name))]);
            self.change(index, Reason::MendedImage, self.transcript.without_images(element, &text));
        } else if self.transcript.is_empty_result(element) {
            let text = self.notices.text(Notice::EmptyResult, &[]);
            self.change(index, Reason::MendedEmpty, [self.transcript.fill(element, &text)]);
        }
    }

    fn name(&mut self, index: usize, written: Json<'_>) {
        if let Some(legal) = written.string().and_then(|name| self.offered.instead(&name)) {
            self.change(index, Reason::MendedName, [self.value(written, &legal)]);
        }
    }

    fn value(&self, written: Json<'_>, with: &str) -> Change {
        Change::new(self.transcript.place(written), quote(with))
    }

    /// What arguments are told as; `None` where they are one readable object in a string.
    fn arguments(&self, entry: &Entry<'_>) -> Option<String> {
        if entry.kind == CallKind::Custom {
            return None;
        }
        let text = entry.text();
        let is_string = entry.input.is_some_and(|input| input.kind() == Kind::String);
        match lenient::read(&text) {
            Reading::Exact => surrogate::readable(&text).or((!is_string).then(|| text.into_owned())),
            Reading::Nothing => Some("{}".to_owned()),
            Reading::Repaired { text, .. } => Some(surrogate::readable(&text).unwrap_or(text)),
            Reading::Several { .. } | Reading::Truncated | Reading::Unreadable(_) => {
                Some(self.transcript.dialect().wrapped(&text))
            }
        }
    }
}
