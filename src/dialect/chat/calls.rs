//! The calls of one answer, put together from their pieces.
//!
//! Providers number, name and identify pieces in every way there is: an index for each call, one index for
//! all, none; the id on the first piece, on each, late, empty; the name whole, repeated, or in parts. Each
//! piece finds its call here, and a call remembers whether its pieces can go out as they came.

use std::borrow::Cow;

use sha2::{Digest, Sha256};

use crate::dialect::{Broken, Call, CallKind, NewCall};
use crate::wire::canonical::quote;
use crate::wire::lenient::{self, Shape};
use crate::wire::span::{Json, Kind};

use super::event::Fragment;

/// One call of the answer.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) choice: u32,
    /// The provider's number of the call, where it gave one.
    pub(super) index: Option<u32>,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) kind: CallKind,
    /// The argument text as it stands between the quotes of its strings, pieces joined: joining escaped text
    /// is exact even where a surrogate pair was cut in two.
    input: String,
    /// Unknown members, name and value as written.
    pub(super) others: Vec<(String, String)>,
    pub(super) state: State,
    /// Some piece cannot go out as it came.
    pub(super) irregular: bool,
    /// Its first piece went out.
    pub(super) started: bool,
    /// How much of the input came a second time after the call was complete.
    echoed: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum State {
    Open,
    /// No more is expected; the output limit may have cut it.
    Complete {
        cut: bool,
    },
    /// It outgrew what may be held; its input was let go.
    TooLarge,
    Forwarded,
    Replaced(Vec<NewCall>),
    /// With the result that the model gets.
    Refused(String),
}

/// All calls of the answer, in the order in which they began.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    pub(super) slots: Vec<Slot>,
    /// Names of the tools offered: they settle whether a name came in parts.
    offered: Vec<String>,
    /// Bytes of input that may wait undecided.
    limit: usize,
    /// What ids are made from where the provider gave none.
    seed: String,
    /// Rounds before this one: their ids are not made again.
    round: usize,
}

// === impl Calls ===

impl Calls {
    pub(super) fn new(offered: Vec<String>, limit: usize, seed: String) -> Self {
        Self { slots: Vec::new(), offered, limit, seed, round: 0 }
    }

    /// Begins a new round, and gives the calls of the one before.
    pub(super) fn next_round(&mut self) -> Vec<Slot> {
        self.round += 1;
        std::mem::take(&mut self.slots)
    }

    /// Goes back to the round before.
    pub(super) fn resume(&mut self, slots: Vec<Slot>) {
        self.round -= 1;
        self.slots = slots;
    }

    /// Gives the piece to its call, and tells which that is; `None` where it only repeats what was said. Begins a
    /// call where none fits.
    pub(super) fn take(
        &mut self,
        choice: u32,
        fragment: &Fragment,
        data: &str,
        whole: bool,
    ) -> Result<Option<usize>, Broken> {
        let id = fragment.id.map(|span| text(data, span)).unwrap_or_default();
        let found = if whole { None } else { self.find(choice, fragment, &id) };
        let (position, begins) = match found {
            Some(position) => (position, false),
            None => (self.begin(choice, fragment, &id), true),
        };
        let name = fragment.name.map(|span| text(data, span));
        let offered = &self.offered;
        let mut adds = true;
        if let Some(slot) = self.slots.get_mut(position) {
            slot.irregular |= !whole
                && (fragment.index.is_none() && fragment.kind != CallKind::Legacy
                    || !begins && fragment.blank);
            if slot.id.is_empty() && !id.is_empty() {
                slot.id = id.into_owned();
                slot.irregular |= !begins;
            }
            if let Some(name) = name {
                slot.take_name(&name, begins, offered);
            }
            let others = fragment.others.iter().map(|(key, value)| (key.of(data), value.of(data)));
            slot.take_others(others);
            if let Some(input) = fragment.input {
                adds = slot.take_input(position, Json::trusted(input.of(data)))?;
            }
        }
        self.bound(position);
        Ok(adds.then_some(position))
    }

    fn find(&self, choice: u32, fragment: &Fragment, id: &str) -> Option<usize> {
        let mine = || self.slots.iter().enumerate().rev().filter(|(_, slot)| slot.choice == choice);
        let position = if fragment.kind == CallKind::Legacy {
            mine().find(|(_, slot)| slot.kind == CallKind::Legacy)
        } else if let Some((index, _)) = fragment.index {
            mine()
                .find(|(_, slot)| slot.index == Some(index))
                .filter(|(_, slot)| id.is_empty() || slot.id.is_empty() || slot.id == id)
        } else if id.is_empty() {
            mine().next().filter(|(_, slot)| fragment.name.is_none() || !slot.is_whole())
        } else {
            mine().find(|(_, slot)| slot.id == id)
        };
        position.map(|(position, _)| position)
    }

    /// A new call begins: those whose text is one whole object are complete.
    fn begin(&mut self, choice: u32, fragment: &Fragment, id: &str) -> usize {
        for position in self.open(choice) {
            if self.slots.get(position).is_some_and(Slot::is_whole) {
                self.settle(position, false);
            }
        }
        let position = self.slots.len();
        let taken = !id.is_empty() && self.slots.iter().any(|slot| slot.choice == choice && slot.id == id);
        self.slots.push(Slot {
            choice,
            index: fragment.index.map(|(index, _)| index),
            id: if taken { self.mint(position, 0) } else { String::new() },
            name: String::new(),
            kind: fragment.kind,
            input: String::new(),
            others: Vec::new(),
            state: State::Open,
            irregular: taken,
            started: false,
            echoed: 0,
        });
        position
    }

    /// An id for call `position`, or for the `part`-th of the calls it was split into.
    pub(super) fn mint(&self, position: usize, part: usize) -> String {
        let digest = Sha256::digest(format!("{} {} {position} {part}", self.seed, self.round));
        let (number, _) = digest.split_first_chunk::<12>().expect("a digest has 32 bytes");
        number.iter().fold(String::from("call_"), |id, byte| id + &format!("{byte:02x}"))
    }

    fn bound(&mut self, position: usize) {
        let waiting = |slot: &Slot| matches!(slot.state, State::Open | State::Complete { .. });
        let held: usize = self.slots.iter().filter(|slot| waiting(slot)).map(|slot| slot.input.len()).sum();
        if held <= self.limit {
            return;
        }
        if let Some(slot) = self.slots.get_mut(position).filter(|slot| waiting(slot)) {
            let keep = slot.input.floor_char_boundary(1024);
            slot.input.truncate(keep);
            slot.input.shrink_to_fit();
            slot.state = State::TooLarge;
        }
    }

    /// The answer to `choice` is over: what is open is complete.
    pub(super) fn complete(&mut self, choice: u32, cut: bool) {
        for position in self.open(choice) {
            self.settle(position, cut);
        }
    }

    /// Whatever is not decided does not go out: the provider's error took its place.
    pub(super) fn abandon(&mut self) {
        for slot in self.slots.iter_mut().filter(|slot| !slot.is_decided()) {
            slot.state = State::Refused(String::new());
        }
    }

    fn open(&self, choice: u32) -> Vec<usize> {
        let open = |slot: &Slot| slot.choice == choice && slot.state == State::Open;
        self.slots.iter().enumerate().filter(|(_, slot)| open(slot)).map(|(position, _)| position).collect()
    }

    fn settle(&mut self, position: usize, cut: bool) {
        let minted = self.mint(position, 0);
        let Some(slot) = self.slots.get_mut(position) else { return };
        if slot.id.is_empty() && slot.kind != CallKind::Legacy {
            slot.id = minted;
            slot.irregular = true;
        }
        slot.state = State::Complete { cut: cut && !slot.is_whole() };
    }

    /// How many calls of `choice` go out, counting each of those that were split.
    pub(super) fn outgoing(&self, choice: u32) -> usize {
        self.slots.iter().filter(|slot| slot.choice == choice).map(Slot::outgoing).sum()
    }

    pub(super) fn refused(&self, choice: u32) -> usize {
        let refused = |slot: &&Slot| slot.choice == choice && matches!(slot.state, State::Refused(_));
        self.slots.iter().filter(refused).count()
    }

    /// The number that call `position` has on the agent's wire: dense, whatever was refused before it.
    pub(super) fn number(&self, position: usize) -> usize {
        let Some(choice) = self.slots.get(position).map(|slot| slot.choice) else { return 0 };
        self.slots.iter().take(position).filter(|slot| slot.choice == choice).map(Slot::outgoing).sum()
    }
}

// === impl Slot ===

impl Slot {
    /// A call that came in an error of the provider, refused there.
    pub(super) fn unseen(id: String, name: &str, arguments: &str, text: String) -> Self {
        let quoted = quote(arguments);
        Self {
            choice: 0,
            index: None,
            id,
            name: name.to_owned(),
            kind: CallKind::Function,
            input: Json::trusted(&quoted).raw_string().unwrap_or_default().to_owned(),
            others: Vec::new(),
            state: State::Refused(text),
            irregular: true,
            started: false,
            echoed: 0,
        }
    }

    pub(super) fn call(&self) -> Call<'static> {
        Call {
            id: Cow::Owned(self.id.clone()),
            name: Cow::Owned(self.name.clone()),
            arguments: Cow::Owned(self.arguments()),
            kind: self.kind,
        }
    }

    /// The argument text, unescaped.
    pub(super) fn arguments(&self) -> String {
        let quoted = format!("\"{}\"", self.input);
        Json::trusted(&quoted).string().map(Cow::into_owned).unwrap_or_default()
    }

    /// The argument text as it stands in JSON, without quotes.
    pub(super) fn raw_input(&self) -> &str {
        &self.input
    }

    pub(super) fn is_decided(&self) -> bool {
        matches!(self.state, State::Forwarded | State::Replaced(_) | State::Refused(_))
    }

    fn outgoing(&self) -> usize {
        match &self.state {
            State::Replaced(calls) => calls.len(),
            State::Refused(_) => 0,
            _ => 1,
        }
    }

    fn is_whole(&self) -> bool {
        self.kind != CallKind::Custom
            && self.input.trim_end().ends_with('}')
            && lenient::shape(&self.arguments()) == Shape::Object
    }

    /// A name comes once, or again with each piece, or in parts.
    fn take_name(&mut self, name: &str, begins: bool, offered: &[String]) {
        if begins || self.name.is_empty() {
            self.irregular |= !begins;
            name.clone_into(&mut self.name);
            return;
        }
        self.irregular = true;
        let joined = format!("{}{name}", self.name);
        let grows = offered.iter().any(|tool| tool.starts_with(&joined));
        let settled = offered.contains(&self.name) || self.name == name || !self.input.is_empty();
        if grows || !settled {
            self.name = joined;
        }
    }

    fn take_others<'a>(&mut self, others: impl Iterator<Item = (&'a str, &'a str)>) {
        for (key, value) in others {
            let key = key.trim_matches('"');
            match self.others.iter_mut().find(|(known, _)| known == key) {
                Some((_, known)) => value.clone_into(known),
                None => self.others.push((key.to_owned(), value.to_owned())),
            }
        }
    }

    /// Whether the piece adds to the input, or only repeats it.
    fn take_input(&mut self, position: usize, input: Json<'_>) -> Result<bool, Broken> {
        let quoted;
        let piece = if input.kind() == Kind::String {
            input.raw_string().unwrap_or_default()
        } else {
            self.irregular = true;
            quoted = quote(input.text());
            Json::trusted(&quoted).raw_string().unwrap_or_default()
        };
        if piece.is_empty() || matches!(self.state, State::TooLarge | State::Refused(_)) {
            return Ok(true);
        }
        if self.state == State::Open {
            self.input.push_str(piece);
        } else if self.repeats(piece) {
            return Ok(false);
        } else if self.is_decided() {
            return Err(Broken::Reopened { position });
        } else {
            self.state = State::Open;
            self.input.push_str(piece);
        }
        Ok(true)
    }

    /// Whether a piece that comes late says again what was said.
    fn repeats(&mut self, piece: &str) -> bool {
        if piece.trim().is_empty() {
            return true;
        }
        let again = self.input.get(self.echoed..).is_some_and(|rest| rest.starts_with(piece));
        if again {
            self.echoed += piece.len();
        }
        again
    }
}

fn text(data: &str, span: crate::wire::span::Span) -> Cow<'_, str> {
    Json::trusted(span.of(data)).string().unwrap_or_default()
}
