//! The calls of one answer, put together from their pieces.
//!
//! Providers number, name and identify pieces in every way there is: an index for each call, one index for
//! all, none; the id on the first piece, on each, late, empty; the name whole, repeated, or in parts. Each
//! piece finds its call here, and a call remembers whether its pieces can go out as they came.

mod input;
mod progress;
mod slot;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::dialect::{Broken, CallKind, Decision, Pending};
use crate::wire::span::{Json, Span};

use super::event::Fragment;
use super::value::Seed;
pub(super) use input::Input;
use slot::Taken;
pub(super) use slot::{Slot, State};

/// All calls of one round, in the order in which they began. They are decided in that order.
#[derive(Debug)]
pub(super) struct Calls {
    pub(super) slots: Vec<Slot>,
    /// Names of the tools offered: they settle whether a name came in parts.
    offered: Arc<[String]>,
    /// Bytes that may wait undecided.
    limit: usize,
    /// Bytes of input that wait.
    held: usize,
    /// What ids are made from where the provider gave none.
    seed: Seed,
    /// Counted from 0: no two rounds make the same ids.
    round: usize,
    /// How many calls, from the first on, are decided.
    decided: usize,
    choices: BTreeMap<u32, Tally>,
}

/// What is known of the calls of one choice, so that no piece looks through all of them.
#[derive(Debug, Default)]
struct Tally {
    begun: usize,
    decided: usize,
    refused: usize,
    /// Calls that go out, counting each of those that were split.
    outgoing: usize,
    last: Option<usize>,
    legacy: Option<usize>,
    indices: HashMap<u32, usize>,
    ids: HashMap<String, usize>,
    /// Calls that are not complete, and were not.
    open: Vec<usize>,
    /// Open calls whose text became one whole object.
    whole: Vec<usize>,
}

/// A piece of a call, with what it says of itself read.
struct Piece<'a> {
    fragment: &'a Fragment,
    index: Option<u32>,
    /// Empty where there is none.
    id: Cow<'a, str>,
    name: Option<Cow<'a, str>>,
    input: Option<Json<'a>>,
}

// === impl Calls ===

impl Calls {
    pub(super) fn new(offered: Arc<[String]>, limit: usize, seed: Seed) -> Self {
        Self {
            slots: Vec::new(),
            offered,
            limit,
            held: 0,
            seed,
            round: 0,
            decided: 0,
            choices: BTreeMap::new(),
        }
    }

    /// Begins a further round; gives the calls of this one.
    pub(super) fn next_round(&mut self) -> Self {
        let next = Self::new(Arc::clone(&self.offered), self.limit, self.seed.clone());
        let round = self.round + 1;
        std::mem::replace(self, Self { round, ..next })
    }

    /// Lets all calls be decided once more.
    pub(super) fn reopen(&mut self) {
        self.decided = 0;
        for slot in &mut self.slots {
            slot.state = State::Complete { cut: false };
        }
        for tally in self.choices.values_mut() {
            (tally.decided, tally.refused, tally.outgoing) = (0, 0, 0);
        }
        self.held = self.slots.iter().map(|slot| slot.input.len()).sum();
    }

    /// So many bytes wait beside the input of calls. Where that is too much, the call that all else waits for is let
    /// go; `false` where there is none.
    pub(super) fn make_room(&mut self, beside: usize) -> bool {
        if self.held + beside <= self.limit {
            return true;
        }
        let Some(slot) = self.slots.get_mut(self.decided).filter(|slot| slot.is_waiting()) else {
            return beside <= self.limit;
        };
        self.held -= slot.input.len();
        slot.outgrow();
        true
    }

    pub(super) fn held(&self) -> usize {
        self.held
    }

    /// Gives the piece to its call, and tells which that is; `None` where it only repeats what was said, or says
    /// nothing. Begins a call where none fits.
    pub(super) fn take(
        &mut self,
        choice: u32,
        fragment: &Fragment,
        data: &str,
        whole: bool,
    ) -> Result<Option<usize>, Broken> {
        if fragment.is_void() {
            return Ok(None);
        }
        let piece = Piece::read(fragment, data);
        let found = if whole { None } else { self.find(choice, &piece) };
        let begins = found.is_none();
        let position = found.unwrap_or_else(|| self.begin(choice, &piece));
        let Some(slot) = self.slots.get_mut(position) else { return Ok(None) };
        let unnumbered = piece.index.is_none() && fragment.kind != CallKind::Legacy;
        slot.unnumbered |= !whole && unnumbered;
        let repeats = !begins && (fragment.blank || !piece.id.is_empty());
        slot.irregular |= !whole && (fragment.misnumbered || repeats);
        if slot.id.is_empty() && !piece.id.is_empty() {
            (*piece.id).clone_into(&mut slot.id);
            (*piece.id).clone_into(&mut slot.given);
            self.choices.entry(choice).or_default().ids.insert(slot.given.clone(), position);
        }
        if let Some(name) = &piece.name {
            slot.take_name(name, begins, &self.offered);
        }
        for (key, value) in &fragment.others {
            slot.others.set(key.of(data), value.of(data));
        }
        let Some(input) = piece.input else { return Ok(Some(position)) };
        if slot.kind == CallKind::Custom && fragment.kind == CallKind::Function {
            // It began as free text, which nobody parses, and goes on as arguments.
            return Err(Broken::Unreadable);
        }
        let (waited, was_complete) = (slot.is_waiting(), slot.state != State::Open);
        match slot.take_input(position, input)? {
            Taken::Added(bytes) => self.held += bytes,
            Taken::Completed(bytes) => {
                self.held += bytes;
                self.choices.entry(choice).or_default().whole.push(position);
            }
            Taken::Ignored => {}
            Taken::Repeated => return Ok(None),
        }
        if was_complete && slot.state == State::Open {
            self.choices.entry(choice).or_default().open.push(position);
        }
        if waited && self.held > self.limit {
            self.held -= slot.input.len();
            slot.outgrow();
        }
        Ok(Some(position))
    }

    /// The call that a whole one only tells once more.
    pub(super) fn told(&self, choice: u32, fragment: &Fragment, data: &str) -> Option<usize> {
        let piece = Piece::read(fragment, data);
        let mine = self.choices.get(&choice)?;
        let position = if piece.id.is_empty() { mine.last } else { mine.ids.get(&*piece.id).copied() }?;
        let slot = self.slots.get(position)?;
        let input = piece.input.and_then(Json::raw_string).unwrap_or_default();
        (piece.name.as_deref() == Some(&slot.name) && slot.input.text() == input).then_some(position)
    }

    fn find(&self, choice: u32, piece: &Piece<'_>) -> Option<usize> {
        let mine = self.choices.get(&choice)?;
        if piece.fragment.kind == CallKind::Legacy {
            return mine.legacy;
        }
        let nameless = piece.name.is_none();
        let by_id = || mine.ids.get(&*piece.id).copied();
        // Without a number and a known id a piece goes on with the last call, if it can be the middle of one.
        let position = match piece.index {
            Some(index) => mine.indices.get(&index).copied().or_else(|| {
                let last = mine.last.filter(|_| nameless && piece.id.is_empty())?;
                self.slots.get(last)?.index.is_none().then_some(last)
            }),
            None if piece.id.is_empty() => mine.last,
            None => by_id().or(mine.last.filter(|_| nameless)),
        }?;
        let slot = self.slots.get(position)?;
        (!piece.begins_after(slot)).then_some(position)
    }

    /// A new call begins: those whose text is one whole object are complete.
    fn begin(&mut self, choice: u32, piece: &Piece<'_>) -> usize {
        let position = self.slots.len();
        let tally = self.choices.entry(choice).or_default();
        tally.begun += 1;
        tally.last = Some(position);
        tally.open.push(position);
        if piece.fragment.kind == CallKind::Legacy {
            tally.legacy = Some(position);
        }
        if let Some(index) = piece.index {
            tally.indices.insert(index, position);
        }
        let taken = !piece.id.is_empty() && tally.ids.contains_key(&*piece.id);
        for earlier in std::mem::take(&mut tally.whole) {
            if self.slots.get(earlier).is_some_and(Slot::is_whole) {
                self.settle(earlier, false);
            }
        }
        let mut slot = Slot::new(choice, piece.index, piece.fragment.kind);
        if taken {
            (*piece.id).clone_into(&mut slot.given);
            slot.id = self.mint(position, 0);
            slot.irregular = true;
            self.choices.entry(choice).or_default().ids.insert(slot.given.clone(), position);
        }
        self.slots.push(slot);
        position
    }

    /// A call that came in an error of the provider, refused there.
    /// Gives the id it gets.
    pub(super) fn refuse_unseen(&mut self, name: &str, arguments: &str, text: String) -> String {
        let position = self.slots.len();
        let id = self.mint(position, 0);
        self.slots.push(Slot::unseen(id.clone(), name, arguments));
        self.choices.entry(0).or_default().begun += 1;
        self.held += self.slots.last().map_or(0, |slot| slot.input.len());
        self.decide(position, Decision::Refuse(text));
        id
    }

    /// An id for call `position`, or for the `part`-th of the calls it was split into.
    pub(super) fn mint(&self, position: usize, part: usize) -> String {
        let digest = Sha256::digest(format!("{} {} {position} {part}", self.seed.text(), self.round));
        let (number, _) = digest.split_first_chunk::<12>().expect("a digest has 32 bytes");
        number.iter().fold(String::from("call_"), |id, byte| id + &format!("{byte:02x}"))
    }

    /// The next call that is complete and undecided. Calls are told in order.
    pub(super) fn next(&self) -> Option<Pending> {
        let slot = self.slots.get(self.decided)?;
        let (cut, too_large) = match slot.state {
            State::Complete { cut } => (cut, false),
            State::TooLarge => (false, true),
            _ => return None,
        };
        Some(Pending { position: self.decided, choice: slot.choice, call: slot.call(), cut, too_large })
    }

    pub(super) fn decide(&mut self, position: usize, decision: Decision) {
        let state = match decision {
            Decision::Forward => State::Forwarded,
            Decision::Replace(calls) => State::Replaced(calls),
            Decision::Refuse(text) => State::Refused(text),
        };
        self.settle_as(position, state);
    }

    fn settle_as(&mut self, position: usize, state: State) {
        let Some(slot) = self.slots.get_mut(position).filter(|slot| !slot.is_decided()) else { return };
        if slot.is_waiting() {
            self.held = self.held.saturating_sub(slot.input.len());
        }
        slot.state = state;
        let tally = self.choices.entry(slot.choice).or_default();
        slot.number = tally.outgoing;
        tally.decided += 1;
        tally.outgoing += slot.outgoing();
        tally.refused += usize::from(slot.outgoing() == 0);
        while self.slots.get(self.decided).is_some_and(Slot::is_decided) {
            self.decided += 1;
        }
    }

    /// The answer to `choice` is over: what is open is complete.
    pub(super) fn complete(&mut self, choice: u32, cut: bool) {
        let open = self.choices.get_mut(&choice).map(|tally| std::mem::take(&mut tally.open));
        for position in open.unwrap_or_default() {
            self.settle(position, cut);
        }
    }

    /// Whatever is not decided does not go out: the provider's error took its place.
    pub(super) fn abandon(&mut self) {
        for position in self.decided..self.slots.len() {
            self.settle_as(position, State::Lost);
        }
    }

    /// Every call has its decision.
    pub(super) fn are_decided(&self) -> bool {
        self.decided == self.slots.len()
    }

    fn settle(&mut self, position: usize, cut: bool) {
        let needs_id = |slot: &Slot| slot.id.is_empty() && slot.kind != CallKind::Legacy;
        let minted = self.slots.get(position).is_some_and(needs_id).then(|| self.mint(position, 0));
        let Some(slot) = self.slots.get_mut(position).filter(|slot| slot.state == State::Open) else {
            return;
        };
        if let Some(id) = minted {
            slot.id = id;
            slot.irregular = true;
        }
        slot.state = State::Complete { cut: cut && !slot.is_whole() };
    }

    /// How many calls of `choice` go out, those that wait included.
    pub(super) fn outgoing(&self, choice: u32) -> usize {
        self.choices.get(&choice).map_or(0, |tally| tally.outgoing + tally.begun - tally.decided)
    }

    pub(super) fn refused(&self, choice: u32) -> usize {
        self.choices.get(&choice).map_or(0, |tally| tally.refused)
    }
}

// === impl Piece ===

impl<'a> Piece<'a> {
    fn read(fragment: &'a Fragment, data: &'a str) -> Self {
        let text = |span: Span| Json::trusted(span.of(data)).string().unwrap_or_default();
        Self {
            fragment,
            index: fragment.index.map(|(index, _)| index),
            id: fragment.id.map(text).unwrap_or_default(),
            name: fragment.name.map(text),
            input: fragment.input.map(|span| Json::trusted(span.of(data))),
        }
    }

    /// Whether the piece, which has the number or the id of `slot`, is the first of another call all the same:
    /// some providers number all calls alike, or give none of them an id.
    fn begins_after(&self, slot: &Slot) -> bool {
        let other_id = !self.id.is_empty() && !slot.given.is_empty() && slot.given != self.id;
        let Some(name) = &self.name else { return other_id && slot.is_whole() };
        let other_name = !slot.name.is_empty() && slot.name != **name;
        let unmarked = self.index.is_none() && self.id.is_empty();
        let another = other_name && (self.id.is_empty() || self.has_input()) || unmarked && self.has_input();
        other_id || slot.is_whole() && another
    }

    fn has_input(&self) -> bool {
        self.input.is_some_and(|input| input.raw_string().is_none_or(|text| !text.trim().is_empty()))
    }
}
