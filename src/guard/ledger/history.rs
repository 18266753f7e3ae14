//! Reads a transcript answer by answer.
//!
//! An answer is an assistant's element and the results that follow it. Assistants' elements without anything
//! between them are one answer: some agents write a call an element. Equal ids in one answer are answered in order.
//!
//! This reads in time. A result that comes when the model has called again already is not counted: what ran in
//! between may have changed what it says, so a failure is taken for none, and the call may be made once more. To
//! whom such a result belongs, for the provider, is for `mend` to say.

use std::collections::{HashMap, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::settle::Step;
use super::{Key, Ledger, tool};
use crate::dialect::{Address, Call, CallKind, Element, Role, Transcript};
use crate::guard::classify::{Failure, Outcome, classify_parts};
use crate::guard::rules::{Reopen, Rules, ToolPolicy};

/// Folds the elements into the ledger.
pub(super) fn fold<'t>(
    transcript: &'t Transcript,
    rules: &'t Rules,
    key: &'t mut dyn FnMut(&Call<'_>) -> Option<Key>,
    ledger: &'t mut Ledger,
) {
    let mut fold = Fold { transcript, rules, key, ledger, tools: HashMap::new(), answer: Answer::default() };
    for element in since_the_user_spoke(transcript, rules) {
        fold.element(element);
    }
    fold.settle();
}

/// The elements that count, from those on that the last user message to empty the ledger leaves open.
pub(super) fn since_the_user_spoke<'t>(transcript: &'t Transcript, rules: &Rules) -> &'t [Element] {
    transcript.elements.get(start(transcript, rules)..).unwrap_or_default()
}

/// Where to begin: at the last user message that empties the ledger. But the call that a later result answers
/// may stand before that message, so at the assistant's elements before it.
fn start(transcript: &Transcript, rules: &Rules) -> usize {
    let elements = &transcript.elements;
    if rules.failures.reopen == Reopen::Never {
        return 0;
    }
    let Some(spoke) = elements.iter().rposition(|element| speaks(transcript, element)) else { return 0 };
    let before = elements.get(..spoke).unwrap_or_default();
    let is_answer = |element: &Element| element.role == Role::Assistant;
    let Some(last) = before.iter().rposition(is_answer) else { return spoke };
    before
        .get(..last)
        .unwrap_or_default()
        .iter()
        .rposition(|element| !is_answer(element))
        .map_or(0, |at| at + 1)
}

/// Whether an element is the user's word. What agents put into reminders is not.
pub fn speaks(transcript: &Transcript, element: &Element) -> bool {
    element.role == Role::User && !is_reminder(&transcript.content(element))
}

/// Whether a text is one `<system-reminder>` or several, and nothing else.
pub(super) fn is_reminder(text: &str) -> bool {
    let mut rest = text.trim();
    let mut found = false;
    while let Some(inner) = rest.strip_prefix("<system-reminder>") {
        let Some((_, after)) = inner.split_once("</system-reminder>") else { return false };
        rest = after.trim_start();
        found = true;
    }
    found && rest.is_empty()
}

struct Fold<'t> {
    transcript: &'t Transcript,
    rules: &'t Rules,
    key: &'t mut dyn FnMut(&Call<'_>) -> Option<Key>,
    ledger: &'t mut Ledger,
    /// What the rules say of each tool met so far.
    tools: HashMap<String, Known<'t>>,
    answer: Answer<'t>,
}

/// What the rules say of a tool.
struct Known<'t> {
    policy: ToolPolicy<'t>,
    read_only: bool,
}

/// The answer being read. `steps` stand for `calls`, one for one.
#[derive(Default)]
struct Answer<'t> {
    calls: Vec<Call<'t>>,
    steps: Vec<Step>,
    /// Calls that wait for a result, in order, for equal ids beside each other are answered in order.
    open: HashMap<Address<'t>, VecDeque<usize>>,
    /// Something stood behind its calls, so a further assistant's element is another answer.
    followed: bool,
}

// === impl Fold ===

impl<'t> Fold<'t> {
    fn element(&mut self, element: &'t Element) {
        match element.role {
            Role::Assistant => self.assistant(element),
            Role::Tool => self.result(element),
            Role::User if speaks(self.transcript, element) => self.user(),
            Role::User | Role::System | Role::Other => self.answer.followed = true,
        }
    }

    fn assistant(&mut self, element: &'t Element) {
        let calls = self.transcript.calls(element);
        // Words alone make no answer: a result may still come behind them.
        if self.answer.followed && !calls.is_empty() {
            self.settle();
        }
        for call in calls {
            let read_only = self.known(&call.name).read_only;
            let address = match call.kind {
                CallKind::Legacy => Address::Name(call.name.clone()),
                CallKind::Function | CallKind::Custom => Address::Id(call.id.clone()),
            };
            self.answer.open.entry(address).or_default().push_back(self.answer.calls.len());
            self.answer.calls.push(call);
            self.answer.steps.push(Step { read_only, outcome: None, text: 0 });
        }
    }

    /// What had failed by now is forgotten, but for what is terminal where that stays for good; what still runs may
    /// fail after the user spoke.
    fn user(&mut self) {
        self.answer.followed = true;
        let keeps = self.rules.failures.reopen == Reopen::Never;
        self.ledger.reopen(keeps);
        for step in &mut self.answer.steps {
            match &step.outcome {
                Some(Outcome::Failure(failure)) if keeps && failure.terminal => {}
                Some(Outcome::Failure(_) | Outcome::Success) => step.outcome = Some(Outcome::Control),
                _ => {}
            }
        }
    }

    fn result(&mut self, element: &'t Element) {
        self.answer.followed = true;
        let Some(address) = self.transcript.address(element) else { return };
        let Some(index) = self.answer.open.get_mut(&address).and_then(VecDeque::pop_front) else { return };
        let Some(name) = self.answer.calls.get(index).map(|call| call.name.clone()) else { return };
        let text = self.transcript.content(element);
        let outcome = self.outcome(&name, element, &text);
        // A text of ours that stood in for a result makes way for the real one.
        if outcome == Outcome::Unknown {
            self.answer.open.entry(address).or_default().push_back(index);
        }
        let Some(step) = self.answer.steps.get_mut(index) else { return };
        if matches!(outcome, Outcome::Failure(_)) {
            step.text = digest(&text);
        }
        step.outcome = Some(outcome);
    }

    fn outcome(&mut self, name: &str, element: &Element, text: &str) -> Outcome {
        if self.rules.notices.wrote(text) {
            return Outcome::Unknown;
        }
        let marker = &self.rules.failures.marker;
        let parts = self.transcript.texts(element);
        let parts = if parts.len() > 1 { parts.as_slice() } else { &[] };
        match classify_parts(text, parts, &self.known(name).policy, marker) {
            Outcome::Failure(failure) => Outcome::Failure(Failure {
                terminal: failure.terminal && !(failure.arguments && tool::reports_on_others(name)),
                ..failure
            }),
            outcome => outcome,
        }
    }

    fn known(&mut self, name: &str) -> &Known<'t> {
        let rules = self.rules;
        self.tools.entry(name.to_owned()).or_insert_with(|| {
            let policy = rules.policy(name);
            Known { read_only: tool::is_read_only(name, rules, &policy), policy }
        })
    }

    fn settle(&mut self) {
        let answer = std::mem::take(&mut self.answer);
        let key = &mut self.key;
        self.ledger.settle(&answer.steps, &mut |index| key(answer.calls.get(index)?));
    }
}

/// Tells texts apart within one fold.
fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
