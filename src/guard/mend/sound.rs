//! Whether a history can be seen at a glance to be sound.
//!
//! This is what every request pays, so it walks the history once, unescapes nothing, and keeps one short
//! list. It says no wherever it would have to look twice; only then is the history read in earnest.

use crate::dialect::{CallKind, Element, Entry, Role, Transcript};
use crate::wire::span::Json;
use crate::wire::surrogate;

/// Calls beside each other that are held against each other one by one.
const AT_A_GLANCE: usize = 16;

struct Glance<'t> {
    transcript: &'t Transcript,
    /// What the open calls are answered by, as it is written: an id, or in the API's first form a name.
    open: Vec<&'t str>,
}

pub(super) fn is_sound(transcript: &Transcript) -> bool {
    if transcript.is_bare() || surrogate::may_be_lone(transcript.unsettled()) {
        return false;
    }
    let before = transcript.settled();
    // Nothing is open before an answer; its results may not have come all before the end of what is known.
    let from = before.iter().rposition(|element| element.calls.is_some()).unwrap_or(before.len());
    let mut glance = Glance { transcript, open: Vec::new() };
    let mut rest = transcript.elements.iter().skip(from);
    rest.all(|element| glance.element(element)) && glance.open.is_empty()
}

impl<'t> Glance<'t> {
    fn element(&mut self, element: &'t Element) -> bool {
        match element.role {
            Role::Tool => self.result(element),
            _ if !self.open.is_empty() => false,
            Role::Assistant => self.answer(element),
            Role::User | Role::System => true,
            Role::Other => element.calls.is_none() && element.answers.is_none(),
        }
    }

    fn answer(&mut self, element: &'t Element) -> bool {
        if element.calls.is_none() {
            return !element.bare && !self.transcript.lacks_content(element);
        }
        let transcript = self.transcript;
        !element.bare
            && !transcript.lacks_content(element)
            && transcript.entries(element).all(|entry| self.call(&entry))
            && !element.mixed
            && !transcript.may_double_calls(element)
    }

    fn call(&mut self, entry: &Entry<'t>) -> bool {
        let address = if entry.kind == CallKind::Legacy { entry.name } else { entry.id };
        let Some(address) = address.and_then(Json::raw_string) else { return false };
        let name = entry.name.and_then(Json::raw_string);
        let is_legal = name.is_some_and(|name| self.transcript.dialect().legal_name(name).is_none());
        let is_new = self.open.len() < AT_A_GLANCE && !self.open.contains(&address);
        self.open.push(address);
        is_legal && is_new && (entry.kind == CallKind::Custom || entry.input.is_some_and(Json::holds_object))
    }

    fn result(&mut self, element: &Element) -> bool {
        let address = if element.by_name { element.name } else { element.answers };
        let address = address.map(|span| self.transcript.json(span));
        let Some(address) = address.and_then(Json::raw_string) else { return false };
        let Some(place) = self.open.iter().position(|open| *open == address) else { return false };
        self.open.remove(place);
        !self.transcript.is_empty_result(element) && !self.transcript.has_images(element)
    }
}
