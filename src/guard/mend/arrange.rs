//! The order of a mended history: each answer, then the results of its calls, then what else was said.
//!
//! What is done at a place depends on nothing behind it but the results of open calls, so that a history that
//! goes on is told as it was told before.

use std::ops::Range;

use bytes::Bytes;

use super::Done;
use super::offered::Offered;
use super::pairing::{Address, Called, Fate, Pairing};
use crate::dialect::{CallKind, Element, Piece, Role, Transcript};
use crate::guard::Reason;
use crate::guard::notice::{Notice, Notices, tool_name};

/// Puts the elements in order.
pub(super) struct Arranger<'t> {
    transcript: &'t Transcript,
    notices: &'t Notices,
    offered: &'t Offered<'t>,
    pairing: &'t Pairing<'t>,
    pieces: Vec<Piece>,
    /// Whose the last piece is.
    last: Last,
    done: Vec<Done>,
}

/// Whose word came last.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Last {
    Nobody,
    Role(Role),
}

/// A result that is put into a block: one from further down, or one of ours.
enum Put {
    Moved(usize),
    Missing(usize),
}

impl<'t> Arranger<'t> {
    pub(super) fn new(
        transcript: &'t Transcript,
        notices: &'t Notices,
        offered: &'t Offered<'t>,
        pairing: &'t Pairing<'t>,
    ) -> Self {
        Self {
            transcript,
            notices,
            offered,
            pairing,
            pieces: Vec::new(),
            last: Last::Nobody,
            done: Vec::new(),
        }
    }

    pub(super) fn arrange(mut self, done: &mut Vec<Done>) -> Vec<Piece> {
        let mut at = 0;
        while let Some(fate) = self.pairing.fates.get(at) {
            match fate {
                Fate::Calls(calls) => {
                    at = self.block(at, calls.clone());
                    continue;
                }
                Fate::Stays => self.stay(at),
                Fate::Answers(call) => self.gone(at, *call, Reason::MendedMoved),
                Fate::Again(call) => self.gone(at, *call, Reason::MendedDuplicate),
                Fate::Orphan => self.orphan(at),
            }
            at += 1;
        }
        done.append(&mut self.done);
        self.pieces
    }

    fn stay(&mut self, index: usize) {
        let role = self.transcript.elements.get(index).map_or(Role::Other, |element| element.role);
        self.push(Piece::Element(index), role);
    }

    fn push(&mut self, piece: Piece, role: Role) {
        self.pieces.push(piece);
        self.last = Last::Role(role);
    }

    fn note(&mut self, reason: Reason, element: usize) {
        self.done.push(Done { reason, element: Some(element) });
    }

    /// The answer at `at` and its results. Returns where to go on.
    fn block(&mut self, at: usize, calls: Range<usize>) -> usize {
        let role = self.transcript.elements.get(at).map_or(Role::Other, |element| element.role);
        self.stay(at);
        // Those that follow at once stay in the order they have: nobody asks for another one.
        let (mut run, mut next) = (Vec::new(), at + 1);
        loop {
            match self.pairing.fates.get(next) {
                Some(Fate::Answers(call)) if calls.contains(call) => run.push((*call, next)),
                Some(Fate::Again(_)) => self.note(Reason::MendedDuplicate, next),
                _ => break,
            }
            next += 1;
        }
        let mut puts = self.puts(calls, &run, role == Role::Assistant).into_iter().peekable();
        let mut shown = Vec::new();
        for place in 0..=run.len() {
            while let Some((_, put)) = puts.next_if(|(before, _)| *before == place) {
                self.put(at, put, &mut shown);
            }
            if let Some((_, index)) = run.get(place) {
                self.push(Piece::Element(*index), Role::Tool);
                shown.push(*index);
            }
        }
        self.images(&shown);
        next
    }

    /// What the results that follow an answer lack, and before which of them it belongs: in the order of the calls.
    fn puts(&self, calls: Range<usize>, run: &[(usize, usize)], may_answer: bool) -> Vec<(usize, Put)> {
        let mut places = vec![None; calls.len()];
        for (place, (call, _)) in run.iter().enumerate() {
            if let Some(known) = call.checked_sub(calls.start).and_then(|call| places.get_mut(call)) {
                *known = Some(place);
            }
        }
        let (mut before, mut puts) = (0, Vec::new());
        for (index, place) in calls.zip(places) {
            let Some(call) = self.pairing.call(index).filter(|call| call.same_as.is_none()) else { continue };
            match (place, call.result) {
                (Some(place), _) => before = before.max(place + 1),
                (None, Some(result)) => puts.push((before, Put::Moved(result))),
                // A call that nobody can name cannot be answered.
                (None, None) if may_answer && call.is_named() => {
                    puts.push((before, Put::Missing(index)));
                }
                (None, None) => {}
            }
        }
        puts
    }

    fn put(&mut self, at: usize, put: Put, shown: &mut Vec<usize>) {
        match put {
            Put::Moved(index) => {
                self.push(Piece::Moved(index), Role::Tool);
                self.note(Reason::MendedMoved, index);
                shown.push(index);
            }
            Put::Missing(index) => {
                let Some(call) = self.pairing.call(index) else { return };
                self.push(Piece::New(self.interrupted(call)), Role::Tool);
                self.note(Reason::MendedMissing, at);
            }
        }
    }

    /// The result of a call that has none.
    fn interrupted(&self, call: &Called<'t>) -> Bytes {
        let text = self.text(Notice::Interrupted, call);
        let dialect = self.transcript.dialect();
        let (name, kind) = match &call.address {
            Some(Address::Name(name)) => (name, CallKind::Legacy),
            _ => (&call.name, call.entry.kind),
        };
        let legal = self.offered.instead(name);
        dialect.result(kind, call.id(), legal.as_deref().unwrap_or(name), &text)
    }

    fn text(&self, notice: Notice, call: &Called<'t>) -> String {
        self.notices.text(notice, &[("tool", &tool_name(&call.name))])
    }

    /// The images of a block's results: only a user may show them, and none of the results may wait for them.
    fn images(&mut self, shown: &[usize]) {
        let mut images: Vec<(String, &Element)> = Vec::new();
        for index in shown {
            let Some(Fate::Answers(call)) = self.pairing.fates.get(*index) else { continue };
            let element = self.transcript.elements.get(*index).filter(|element| element.role == Role::Tool);
            let (Some(call), Some(element)) = (self.pairing.call(*call), element) else { continue };
            if self.transcript.has_images(element) {
                images.push((self.text(Notice::ImageFrom, call), element));
            }
        }
        if !images.is_empty() {
            self.push(Piece::New(self.transcript.images(&images)), Role::User);
        }
    }

    /// A result that stands elsewhere now, or no more. An answer must not come last for that.
    fn gone(&mut self, index: usize, call: usize, reason: Reason) {
        // What was moved is told of where it went.
        if reason == Reason::MendedDuplicate {
            self.note(reason, index);
        }
        let Some(call) = self.pairing.call(call).filter(|_| self.last == Last::Role(Role::Assistant)) else {
            return;
        };
        let words = self.transcript.dialect().words(&self.text(Notice::ResultAbove, call));
        self.push(Piece::Instead(index, words), Role::User);
    }

    /// A result of no call: what it says stays, but it is no result any more.
    fn orphan(&mut self, index: usize) {
        let Some(element) = self.transcript.elements.get(index) else { return };
        self.note(Reason::MendedOrphan, index);
        let is_empty = self.transcript.is_empty_result(element);
        // With a result or a user's word before it, nothing is missing where it stood.
        if is_empty && matches!(self.last, Last::Role(Role::Tool | Role::User)) {
            return;
        }
        let label = self.notices.text(Notice::Orphan, &[]);
        let words = if is_empty {
            let nothing = self.notices.text(Notice::EmptyResult, &[]);
            self.transcript.dialect().words(&format!("{label}\n{nothing}"))
        } else {
            self.transcript.as_words(element, &label)
        };
        self.push(Piece::Instead(index, words), Role::User);
    }
}
