//! What all connections share: the script, what each session has used up of it, gates and journal.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

use crate::replay::answer::{self, Answer};
use crate::replay::find::{self, Compared, Question, Used};
use crate::replay::gate::Gates;
use crate::replay::journal::{Fate, Journal};
use crate::replay::script::Script;
use crate::replay::{own, strict};

/// Sessions of one server; each remembers how often every step has served.
const SESSIONS: usize = 10_000;

#[derive(Debug)]
pub(super) struct Stage {
    /// Never held over an await.
    state: Mutex<State>,
    pub(super) gates: Gates,
    pub(super) journal: Journal,
}

#[derive(Debug)]
struct State {
    script: Arc<Script>,
    /// How often the script was replaced.
    generation: usize,
    sessions: BTreeMap<String, Used>,
}

/// What a script looks like at one moment.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) script: Arc<Script>,
    pub(super) generation: usize,
    /// How often each step has served.
    pub(super) served: Vec<usize>,
}

// === impl Stage ===

impl Stage {
    pub(super) fn new(script: Script) -> Self {
        let state = State { script: Arc::new(script), generation: 0, sessions: BTreeMap::new() };
        Self { state: Mutex::new(state), gates: Gates::new(), journal: Journal::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
    pub(super) fn script(&self) -> Arc<Script> {
        Arc::clone(&self.state().script)
    }

    /// What becomes of a request, and its answer. `number` is how messages name it.
    pub(super) fn answer(
        &self,
        session: &str,
        question: &Question,
        body: &Bytes,
        number: usize,
    ) -> (Fate, Answer) {
        let missed = |slug: &str, why: &str| {
            let message = format!("request {number}: {why}");
            let answer = answer::unmatched(&message, slug);
            (Fate::Missed(message), answer)
        };
        let mut state = self.state();
        let State { script, sessions, .. } = &mut *state;
        if question.chat {
            if let Some((slug, why)) = find::lacks(&script.require, question) {
                return missed(slug, &why);
            }
            if let Some(why) = strict::refusal(body).filter(|_| script.strict) {
                let answer = answer::refused(&why);
                return (Fate::Refused(why), answer);
            }
        } else if let Some((name, answer)) = own::answer(script, &question.path, body) {
            return (Fate::Own(name), answer);
        }
        if !sessions.contains_key(session) && sessions.len() >= SESSIONS {
            return missed("too_many_sessions", "there are too many sessions: reset some");
        }
        let used = sessions.entry(session.to_owned()).or_insert_with(|| Used::new(script));
        match find::find(script, used, question) {
            Ok(found) => (Fate::Step(found.turn.step), answer::answer(&found, session, question)),
            Err(why) => missed("no_matching_step", &why),
        }
    }

    /// The step that would serve a request now, and each step held against it.
    pub(super) fn compare(&self, session: &str, question: &Question) -> (Option<usize>, Vec<Compared>) {
        let state = self.state();
        let fresh = Used::new(&state.script);
        find::compare(&state.script, state.sessions.get(session).unwrap_or(&fresh), question)
    }

    /// The script, with what one session has used up of it, or all together.
    pub(super) fn seen(&self, session: Option<&str>) -> Seen {
        let state = self.state();
        let mut served = vec![0; state.script.len()];
        for (_, used) in
            state.sessions.iter().filter(|(name, _)| session.is_none_or(|wanted| wanted == *name))
        {
            for (sum, count) in served.iter_mut().zip(&used.served) {
                *sum += count;
            }
        }
        Seen { script: Arc::clone(&state.script), generation: state.generation, served }
    }
    pub(super) fn sessions(&self) -> Vec<String> {
        self.state().sessions.keys().cloned().collect()
    }

    /// Plays one session from its beginning, or all.
    pub(super) fn reset(&self, session: Option<&str>) {
        self.state().sessions.retain(|name, _| session.is_some_and(|session| session != name));
        self.gates.reset(session);
        self.journal.reset(session);
    }
    /// Plays another script from now on, from its beginning in every session.
    pub(super) fn replace(&self, script: Script) {
        let mut state = self.state();
        state.script = Arc::new(script);
        state.generation += 1;
        state.sessions.clear();
    }

    /// Steps that never served in one session, or in any.
    pub(super) fn unused(&self, session: Option<&str>) -> Vec<String> {
        let Seen { script, served, .. } = self.seen(session);
        let steps = script.steps.iter().zip(served).enumerate();
        steps.filter(|(_, (_, served))| *served == 0).map(|(number, (step, _))| step.title(number)).collect()
    }
}
