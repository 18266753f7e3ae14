//! Which result answers which call.
//!
//! Ids come again, within a conversation and even within one answer, so a result belongs to the nearest call
//! before it that is open under its id. What answers a call a second time at once is a duplicate. Later it is one
//! only where nothing is lost with it: its call may have been cut away, and an earlier one have had its id. What
//! answers none is an orphan.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet, VecDeque};
use std::ops::Range;

use crate::dialect::{CallKind, Element, Entry, Role, Transcript};
use crate::guard::Reason;
use crate::guard::notice::Notices;
use crate::wire::canonical;
use crate::wire::span::Json;

/// What each element of a history is to the calls in it.
pub(super) struct Pairing<'t> {
    pub(super) calls: Vec<Called<'t>>,
    /// For each element.
    pub(super) fates: Vec<Fate>,
}

/// A call of the history.
pub(super) struct Called<'t> {
    pub(super) entry: Entry<'t>,
    /// What its result has to name; `None` where it came without an id.
    pub(super) address: Option<Address<'t>>,
    /// Its name; empty where it has none.
    pub(super) name: Cow<'t, str>,
    /// The element that answers it.
    pub(super) result: Option<usize>,
    /// That element only stands in for a result; `None` where nobody had to know yet.
    gives_way: Option<bool>,
    /// It came behind something else than results.
    is_late: bool,
    /// It is a text of ours; `None` as above.
    is_ours: Option<bool>,
    /// An equal call before it in the same element, with the same id: only that one is told.
    pub(super) same_as: Option<usize>,
    /// The id it is told by, where it has none or another call of its element has it too.
    pub(super) renamed: Option<String>,
}

/// What becomes of an element.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    /// It has nothing to do with calls.
    Stays,
    /// It makes these calls.
    Calls(Range<usize>),
    /// It answers this call.
    Answers(usize),
    /// Another element answers this call, which it answers too.
    Again(usize),
    /// It answers no call.
    Orphan,
}

/// What a result names: the id of its call, or in the API's first form the tool.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Address<'t> {
    Id(Cow<'t, str>),
    Name(Cow<'t, str>),
}

/// The calls of one element under one address.
struct Turn {
    /// Assistants' elements without anything between them are one group.
    group: usize,
    /// In order, for equal ids beside each other are answered in order.
    open: VecDeque<usize>,
    /// The call answered last.
    last: usize,
}

/// The turns of one address.
#[derive(Default)]
struct Turns {
    all: Vec<Turn>,
    /// Those in which a call may be open, the nearest last.
    open: Vec<usize>,
}

struct Reading<'t> {
    transcript: &'t Transcript,
    notices: &'t Notices,
    pairing: Pairing<'t>,
    turns: HashMap<Address<'t>, Turns>,
    group: usize,
    /// Nothing stood behind the last calls.
    is_grouping: bool,
    /// Nothing but results did.
    is_answering: bool,
    /// Open calls of the current group that have no address: a result without one answers the first.
    near: VecDeque<usize>,
}

/// Ids of an element's calls are not made longer than this: APIs allow no more.
const LONGEST: usize = 40;

/// What agents put in the place of a result they do not have. Whole texts: a tool may well say that an order was
/// cancelled, or that it found no results.
const PLACEHOLDERS: [&str; 9] = [
    "aborted",
    "interrupted by user",
    "no result provided",
    "tool execution aborted",
    "[tool execution was interrupted]",
    "[request interrupted by user]",
    "[request interrupted by user for tool use]",
    "[tool result missing due to internal error]",
    "[tool call result missing]",
];

/// And one of those that names the call, in parts.
const CANCELLED: (&str, &str, &str) = ("tool call ", " with id ", " was cancelled");

/// A placeholder is no longer than this.
const FEW_WORDS: usize = 240;

impl<'t> Pairing<'t> {
    pub(super) fn of(transcript: &'t Transcript, notices: &'t Notices) -> Self {
        let mut reading = Reading {
            transcript,
            notices,
            pairing: Self { calls: Vec::new(), fates: Vec::with_capacity(transcript.elements.len()) },
            turns: HashMap::new(),
            group: 0,
            is_grouping: false,
            is_answering: false,
            near: VecDeque::new(),
        };
        for (index, element) in transcript.elements.iter().enumerate() {
            let fate = reading.fate(index, element);
            reading.pairing.fates.push(fate);
        }
        reading.collapse();
        reading.pairing
    }

    /// The calls that an element makes.
    pub(super) fn calls_of(&self, element: usize) -> &[Called<'t>] {
        match self.fates.get(element) {
            Some(Fate::Calls(calls)) => self.calls.get(calls.clone()).unwrap_or_default(),
            _ => &[],
        }
    }

    pub(super) fn call(&self, index: usize) -> Option<&Called<'t>> {
        self.calls.get(index)
    }
}

impl<'t> Reading<'t> {
    fn fate(&mut self, index: usize, element: &'t Element) -> Fate {
        let is_result =
            element.role == Role::Tool || element.role == Role::Other && element.answers.is_some();
        if is_result {
            self.is_grouping = false;
            return match self.result(index, element) {
                Fate::Orphan | Fate::Again(_) if element.role == Role::Other => Fate::Stays,
                fate => fate,
            };
        }
        // A role that nobody knows may be a slip of an agent that joins what comes in pieces.
        let may_call = matches!(element.role, Role::Assistant | Role::Other) && element.calls.is_some();
        if may_call {
            return self.answer(index, element);
        }
        self.is_grouping &= element.role == Role::Assistant;
        self.is_answering = false;
        Fate::Stays
    }

    fn answer(&mut self, element_index: usize, element: &'t Element) -> Fate {
        if !std::mem::replace(&mut self.is_grouping, true) {
            self.group += 1;
            self.near.clear();
        }
        self.is_answering = true;
        let first = self.pairing.calls.len();
        let calls = self.transcript.entries(element).map(Called::new);
        self.pairing.calls.extend(calls);
        let range = first..self.pairing.calls.len();
        self.tell_apart(range.clone());
        self.name(element_index, range.clone());
        for index in range.clone() {
            let Some(address) = self.pairing.calls.get(index).and_then(|call| call.address.clone()) else {
                self.near.push_back(index);
                continue;
            };
            self.turns.entry(address).or_default().open(self.group, index);
        }
        Fate::Calls(range)
    }

    /// Calls of one element under one id: equal ones are one call, others get ids of their own.
    fn tell_apart(&mut self, range: Range<usize>) {
        let calls = self.pairing.calls.get_mut(range.clone()).unwrap_or_default();
        let mut ids = HashMap::<Cow<'t, str>, Vec<usize>>::new();
        for (place, call) in calls.iter().enumerate() {
            if let Some(Address::Id(id)) = &call.address {
                ids.entry(id.clone()).or_default().push(place);
            }
        }
        if ids.values().all(|places| places.len() == 1) {
            return;
        }
        let mut taken: HashSet<String> = ids.keys().map(|id| id.clone().into_owned()).collect();
        let mut said = HashMap::new();
        let mut counts = HashMap::<Cow<'t, str>, usize>::new();
        for (place, call) in calls.iter_mut().enumerate() {
            let Some(Address::Id(id)) = call.address.clone() else { continue };
            let count = counts.entry(id.clone()).or_default();
            let what = (id.clone(), call.name.clone(), call.entry.text());
            match said.get(&what) {
                Some(first) => call.same_as = Some(range.start + first),
                None if *count > 0 => call.renamed = Some(another(&id, count, &mut taken)),
                None => {}
            }
            said.entry(what).or_insert(place);
            *count += 1;
        }
    }

    /// Calls whose id is none get one. It is made of their place, which stays as it is while the history goes on.
    fn name(&mut self, element: usize, range: Range<usize>) {
        let transcript = self.transcript;
        let lacks_id = |call: &Called<'_>| {
            let can_be_called = call.entry.kind != CallKind::Legacy && call.entry.name.is_some();
            call.address.is_none() && can_be_called && transcript.has_void_id(&call.entry)
        };
        let calls = self.pairing.calls.get_mut(range).unwrap_or_default();
        if !calls.iter().any(lacks_id) {
            return;
        }
        let mut taken: HashSet<String> = calls.iter().map(|call| call.id().to_owned()).collect();
        for (place, call) in calls.iter_mut().enumerate().filter(|(_, call)| lacks_id(call)) {
            let id = format!("call_{element}_{place}");
            let is_new = taken.insert(id.clone());
            call.renamed = Some(if is_new { id } else { another(&id, &mut 1, &mut taken) });
        }
    }

    fn result(&mut self, index: usize, element: &'t Element) -> Fate {
        let id = self.transcript.answers(element).filter(|id| !id.is_empty()).map(Address::Id);
        let by_name = || self.transcript.result_name(element).filter(|_| element.by_name).map(Address::Name);
        let Some(address) = id.or_else(by_name) else { return self.nameless(index) };
        let group = self.group;
        let Some(turns) = self.turns.get_mut(&address) else { return Fate::Orphan };
        // In the answer that is being given, a further result is no late one of an earlier answer.
        if let Some(call) = turns.answered(group)
            && (self.is_answering || self.says_nothing_new(call, element))
        {
            return self.again(call, index, element);
        }
        match self.turns.get_mut(&address).map(Turns::answer) {
            Some(Ok(call)) => self.answers(call, index),
            Some(Err(call)) if self.says_nothing_new(call, element) => self.again(call, index, element),
            _ => Fate::Orphan,
        }
    }

    /// Whether nothing is lost if only one of a call's result and `element` is told: they are equal, or one of them
    /// is a text of ours. An empty one that was told as such stays, for it was told.
    fn says_nothing_new(&mut self, call: usize, element: &Element) -> bool {
        let Some(called) = self.pairing.calls.get(call) else { return false };
        let Some(known) = called.result.and_then(|known| self.transcript.elements.get(known)) else {
            return false;
        };
        let body = self.transcript.body();
        let written = |element: &Element| element.content.and_then(|span| body.get(span.start..span.end));
        if written(known) == written(element) || self.stands_in(element) {
            return true;
        }
        // Read once, however many come after it.
        let is_ours = called.is_ours.unwrap_or_else(|| self.notices.wrote(&self.transcript.content(known)));
        if let Some(called) = self.pairing.calls.get_mut(call) {
            called.is_ours = Some(is_ours);
        }
        is_ours
    }

    /// A result that does not say what it answers is of the first open call that could not be named, if any.
    fn nameless(&mut self, index: usize) -> Fate {
        let Some(call) = self.near.pop_front() else { return Fate::Orphan };
        self.answers(call, index)
    }

    fn answers(&mut self, call: usize, index: usize) -> Fate {
        if let Some(called) = self.pairing.calls.get_mut(call) {
            called.result = Some(index);
            called.is_late = !self.is_answering;
        }
        Fate::Answers(call)
    }

    /// A call has a result already: the first that is real is kept.
    fn again(&mut self, call: usize, index: usize, element: &Element) -> Fate {
        let Some(called) = self.pairing.calls.get(call) else { return Fate::Orphan };
        let Some(known) = called.result else { return self.answers(call, index) };
        // Read once, however many come after it.
        let first = self.transcript.elements.get(known);
        let gives_way =
            called.gives_way.unwrap_or_else(|| first.is_some_and(|element| self.stands_in(element)));
        let is_replaced = gives_way && !self.stands_in(element);
        if let Some(called) = self.pairing.calls.get_mut(call) {
            called.gives_way = Some(gives_way && !is_replaced);
            called.is_ours = called.is_ours.filter(|_| !is_replaced);
            called.result = Some(if is_replaced { index } else { known });
        }
        if !is_replaced {
            return Fate::Again(call);
        }
        if let Some(fate) = self.pairing.fates.get_mut(known) {
            *fate = Fate::Again(call);
        }
        Fate::Answers(call)
    }

    /// Whether a result only stands in for one that was not there.
    fn stands_in(&self, element: &Element) -> bool {
        let text = self.transcript.content(element);
        let is_short = text.len() <= FEW_WORDS;
        let is_known = || {
            let text = text.trim().to_lowercase();
            let (call, id, cancelled) = CANCELLED;
            let names = |text: &str| text.contains(id) && text.contains(cancelled);
            PLACEHOLDERS.contains(&text.trim_end_matches('.')) || text.strip_prefix(call).is_some_and(names)
        };
        self.transcript.is_empty_result(element) || self.notices.wrote(&text) || is_short && is_known()
    }

    /// What answers a call that is told by an equal one answers that one.
    fn collapse(&mut self) {
        for index in 0..self.pairing.calls.len() {
            let Some(call) = self.pairing.calls.get_mut(index) else { continue };
            let Some(first) = call.same_as else { continue };
            let (Some(result), is_late) = (call.result.take(), call.is_late) else { continue };
            let Some(element) = self.transcript.elements.get(result) else { continue };
            let is_open = self.pairing.calls.get(first).is_some_and(|call| call.result.is_none());
            let fate = if is_late && !is_open && !self.says_nothing_new(first, element) {
                Fate::Orphan
            } else {
                self.again(first, result, element)
            };
            if let Some(known) = self.pairing.fates.get_mut(result) {
                *known = fate;
            }
        }
    }
}

impl<'t> Called<'t> {
    fn new(entry: Entry<'t>) -> Self {
        let name = entry.name.and_then(Json::string).unwrap_or_default();
        let address = match entry.kind {
            CallKind::Legacy => entry.name.map(|_| Address::Name(name.clone())),
            CallKind::Function | CallKind::Custom => entry.id.and_then(Json::string).map(Address::Id),
        };
        Self {
            entry,
            address,
            name,
            result: None,
            gives_way: None,
            is_late: false,
            is_ours: None,
            same_as: None,
            renamed: None,
        }
    }

    /// Why it has another id, where it has.
    pub(super) fn why_renamed(&self) -> Reason {
        if self.address.is_none() { Reason::MendedId } else { Reason::MendedDuplicate }
    }

    /// A result of ours can say that it answers this call.
    pub(super) fn is_named(&self) -> bool {
        self.address.is_some() || self.renamed.is_some()
    }

    /// The id it is told by.
    pub(super) fn id(&self) -> &str {
        match (&self.renamed, &self.address) {
            (Some(id), _) => id,
            (None, Some(Address::Id(id))) => id,
            _ => "",
        }
    }
}

impl Turns {
    fn open(&mut self, group: usize, call: usize) {
        match self.all.last_mut() {
            Some(turn) if turn.group == group => turn.open.push_back(call),
            _ => {
                self.open.push(self.all.len());
                self.all.push(Turn { group, open: VecDeque::from([call]), last: call });
            }
        }
    }

    /// The call of this group that was answered last, where all of them are.
    fn answered(&self, group: usize) -> Option<usize> {
        let nearest = self.all.last().filter(|turn| turn.group == group && turn.open.is_empty());
        nearest.map(|turn| turn.last)
    }

    /// The call that the next result answers; as an error, the one that it answers again.
    fn answer(&mut self) -> Result<usize, usize> {
        let nearest = self.all.last().map_or(0, |turn| turn.last);
        while let Some(turn) = self.open.last().and_then(|place| self.all.get_mut(*place)) {
            if let Some(call) = turn.open.pop_front() {
                turn.last = call;
                return Ok(call);
            }
            self.open.pop();
        }
        Err(nearest)
    }
}

/// Another id in the place of `id`, which so many calls of its element have already.
fn another(id: &str, count: &mut usize, taken: &mut HashSet<String>) -> String {
    loop {
        let renamed = format!("{id}_dup{count}");
        // An id that is too long as it is came from an API that allows more.
        let renamed = if id.len() <= LONGEST && renamed.len() > LONGEST {
            let digest = canonical::digest(Json::trusted(&canonical::quote(id)), &[]);
            let [a, b, c, d, ..] = digest;
            format!("call_{a:02x}{b:02x}{c:02x}{d:02x}_dup{count}")
        } else {
            renamed
        };
        if taken.insert(renamed.clone()) {
            return renamed;
        }
        *count += 1;
    }
}
