//! What came in, and what became of it.
//!
//! Requests are numbered from 0 in the order in which their heads came. Each has an [`Entry`], which goes with
//! the answer: when hyper drops it before the answer has ended, the peer has gone away, and the journal says
//! so. Everything that is waited for here is told by the entry, never by a clock.
//!
//! It keeps the last [`KEPT`] requests, and of those no more than [`WEIGHT`] of bodies.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{AUTHORIZATION, COOKIE, HeaderName, PROXY_AUTHORIZATION};
use http::{HeaderMap, Method};
use tokio::sync::watch;

/// Requests and misses that are kept.
const KEPT: usize = 10_000;

/// Bytes of bodies that are kept; the last request's own is, however large.
const WEIGHT: usize = 256 << 20;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// Counted from 0.
    pub number: usize,
    /// Empty for the one that has no name.
    pub session: String,
    pub method: Method,
    /// With its query.
    pub path: String,
    /// As they came; credentials are kept out of `Debug`.
    pub headers: HeaderMap,
    /// Empty until `progress` is beyond [`Progress::Reading`].
    pub body: Bytes,
    /// Which connection it came on, counted from 0.
    pub connection: usize,
    /// The step that answers it, counted from 0; none before the body has come, and for a miss.
    pub step: Option<usize>,
    /// Why a strict script did not let it come to a step.
    pub refused: Option<String>,
    /// Why no step answered it.
    pub missed: Option<String>,
    /// What the server knows to answer without a script: `models` or `embeddings`.
    pub own: Option<&'static str>,
    pub progress: Progress,
    /// Grows with each change in the journal.
    version: u64,
}

/// What becomes of a request once its body is here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fate {
    Step(usize),
    /// As a real provider would.
    Refused(String),
    Missed(String),
    Own(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Its body is not all here.
    Reading,
    /// Its answer is not all out.
    Answering,
    /// All of its answer was handed to the connection.
    Ended,
    /// The script broke the connection.
    Broken,
    /// The peer went away before the answer had ended.
    Aborted,
}

/// Headers whose values are shown nowhere.
const SECRET: [HeaderName; 5] = [
    AUTHORIZATION,
    PROXY_AUTHORIZATION,
    COOKIE,
    HeaderName::from_static("api-key"),
    HeaderName::from_static("x-api-key"),
];

#[derive(Clone, Debug)]
pub(super) struct Journal {
    state: Arc<watch::Sender<State>>,
}

#[derive(Debug, Default)]
struct State {
    requests: VecDeque<Recorded>,
    /// The number of the first that is kept.
    first: usize,
    /// Bytes of the bodies that are kept.
    weight: usize,
    /// With their sessions.
    misses: VecDeque<(String, String)>,
    version: u64,
}

/// One request while it runs.
#[derive(Debug)]
pub(super) struct Entry {
    journal: Journal,
    number: usize,
}

// === impl Recorded ===

impl Recorded {
    /// The body as text; empty where it is not UTF-8.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap_or_default()
    }
}

// === impl Journal ===

impl Journal {
    pub(super) fn new() -> Self {
        Self { state: Arc::new(watch::Sender::new(State::default())) }
    }

    pub(super) fn open(
        &self,
        head: &http::request::Parts,
        path: String,
        session: &str,
        connection: usize,
    ) -> Entry {
        let mut headers = head.headers.clone();
        for name in SECRET {
            if let Some(value) = headers.get_mut(name) {
                value.set_sensitive(true);
            }
        }
        let mut recorded = Recorded {
            number: 0,
            session: session.to_owned(),
            method: head.method.clone(),
            path,
            headers,
            body: Bytes::new(),
            connection,
            step: None,
            refused: None,
            missed: None,
            own: None,
            progress: Progress::Reading,
            version: 0,
        };
        let mut number = 0;
        self.state.send_modify(|state| {
            number = state.first + state.requests.len();
            recorded.number = number;
            recorded.version = state.next_version();
            state.requests.push_back(recorded);
            state.forget();
        });
        Entry { journal: self.clone(), number }
    }

    pub(super) fn requests(&self) -> Vec<Recorded> {
        self.state.borrow().requests.iter().cloned().collect()
    }
    /// What was missed in one session, or in all.
    pub(super) fn misses(&self, session: Option<&str>) -> Vec<String> {
        let state = self.state.borrow();
        let misses = state.misses.iter().filter(|(of, _)| session.is_none_or(|session| session == of));
        misses.map(|(_, message)| message.clone()).collect()
    }
    /// Forgets what was missed in one session, or in all, and then every request too that is answered.
    pub(super) fn reset(&self, session: Option<&str>) {
        self.state.send_modify(|state| {
            state.misses.retain(|(of, _)| session.is_some_and(|session| session != of));
            if session.is_none() {
                let open = state.requests.iter().position(|recorded| !recorded.progress.is_over());
                for _ in 0..open.unwrap_or(state.requests.len()) {
                    state.drop_first();
                }
            }
        });
    }
    /// The requests that have changed since a version, and the version that is now.
    pub(super) fn since(&self, version: u64) -> (Vec<Recorded>, u64) {
        let state = self.state.borrow();
        let changed = state.requests.iter().filter(|recorded| recorded.version > version);
        (changed.cloned().collect(), state.version)
    }
    /// Resolves once something has changed since a version.
    pub(super) async fn changed(&self, version: u64) {
        let changed = self.state.subscribe().wait_for(|state| state.version > version).await.map(drop);
        // The sender lives in `self`.
        drop(changed);
    }
    pub(super) fn request(&self, number: usize) -> Option<Recorded> {
        let state = self.state.borrow();
        state.requests.get(number.checked_sub(state.first)?).cloned()
    }

    /// Resolves once the body of request `number` has come.
    pub(super) async fn arrived(&self, number: usize) -> Recorded {
        self.wait(number, |progress| progress != Progress::Reading).await
    }
    /// Resolves once request `number` has got its answer, or will never get it.
    pub(super) async fn settled(&self, number: usize) -> Recorded {
        self.wait(number, Progress::is_over).await
    }
    /// Resolves once the peer has gone away from request `number`; never, if it got its answer.
    pub(super) async fn aborted(&self, number: usize) -> Recorded {
        self.wait(number, |progress| progress == Progress::Aborted).await
    }

    /// What is no longer kept is never told.
    async fn wait(&self, number: usize, done: impl Fn(Progress) -> bool) -> Recorded {
        let mut changes = self.state.subscribe();
        loop {
            // A copy, so that no guard is held while waiting.
            drop(changes.borrow_and_update());
            let found = self.request(number);
            match found {
                Some(recorded) if done(recorded.progress) => return recorded,
                _ => {}
            }
            if changes.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

// === impl State ===

impl State {
    fn next_version(&mut self) -> u64 {
        self.version += 1;
        self.version
    }
    fn request(&mut self, number: usize) -> Option<&mut Recorded> {
        self.requests.get_mut(number.checked_sub(self.first)?)
    }
    fn forget(&mut self) {
        while self.requests.len() > KEPT || (self.weight > WEIGHT && self.requests.len() > 1) {
            self.drop_first();
        }
        while self.misses.len() > KEPT {
            self.misses.pop_front();
        }
    }
    fn drop_first(&mut self) {
        if let Some(gone) = self.requests.pop_front() {
            self.first += 1;
            self.weight = self.weight.saturating_sub(gone.body.len());
        }
    }
}

// === impl Progress ===

impl Progress {
    pub(super) fn is_over(self) -> bool {
        !matches!(self, Self::Reading | Self::Answering)
    }
    pub fn code(self) -> &'static str {
        match self {
            Self::Reading => "reading",
            Self::Answering => "answering",
            Self::Ended => "ended",
            Self::Broken => "broken",
            Self::Aborted => "aborted",
        }
    }
}

// === impl Entry ===

impl Entry {
    pub(super) fn number(&self) -> usize {
        self.number
    }
    /// The body is here, and it is known what becomes of it.
    pub(super) fn read(&self, body: Bytes, fate: Fate) {
        let weight = body.len();
        self.journal.state.send_modify(|state| {
            if let Fate::Missed(why) = &fate
                && let Some(recorded) = state.request(self.number)
            {
                let miss = (recorded.session.clone(), why.clone());
                state.misses.push_back(miss);
            }
            let version = state.next_version();
            let Some(recorded) = state.request(self.number) else { return };
            recorded.version = version;
            recorded.body = body;
            recorded.progress = Progress::Answering;
            match fate {
                Fate::Step(step) => recorded.step = Some(step),
                Fate::Refused(why) => recorded.refused = Some(why),
                Fate::Missed(why) => recorded.missed = Some(why),
                Fate::Own(name) => recorded.own = Some(name),
            }
            state.weight += weight;
            state.forget();
        });
    }
    /// The last byte was handed over.
    pub(super) fn ended(&self) {
        self.update(|recorded| recorded.progress = Progress::Ended);
    }
    /// The script ends the connection.
    pub(super) fn broken(&self) {
        self.update(|recorded| recorded.progress = Progress::Broken);
    }

    fn update(&self, change: impl FnOnce(&mut Recorded)) {
        self.journal.state.send_modify(|state| {
            let version = state.next_version();
            if let Some(recorded) = state.request(self.number) {
                recorded.version = version;
                change(recorded);
            }
        });
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.update(|recorded| {
            if !recorded.progress.is_over() {
                recorded.progress = Progress::Aborted;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn open(journal: &Journal, session: &str) -> Entry {
        let (head, ()) = Request::new(()).into_parts();
        journal.open(&head, "/".to_owned(), session, 0)
    }

    #[test]
    fn keeps_the_last_and_their_numbers() {
        let journal = Journal::new();
        for _ in 0..KEPT + 2 {
            drop(open(&journal, ""));
        }
        assert_eq!(journal.requests().len(), KEPT);
        assert_eq!(journal.requests()[0].number, 2);
        assert!(journal.request(1).is_none());
        assert_eq!(journal.request(2).unwrap().number, 2);
    }

    #[test]
    fn bodies_do_not_pile_up() {
        let journal = Journal::new();
        let body = Bytes::from(vec![0; WEIGHT / 2 + 1]);
        for _ in 0..2 {
            open(&journal, "").read(body.clone(), Fate::Step(0));
        }
        assert_eq!(journal.requests().len(), 1);
        let huge = Bytes::from(vec![0; WEIGHT + 1]);
        open(&journal, "").read(huge, Fate::Step(0));
        assert_eq!(journal.requests()[0].number, 2, "the last is kept");
    }

    #[test]
    fn a_reset_forgets_what_is_over() {
        let journal = Journal::new();
        open(&journal, "a").read(Bytes::new(), Fate::Missed("why".to_owned()));
        open(&journal, "b").read(Bytes::new(), Fate::Missed("how".to_owned()));
        let running = open(&journal, "a");
        journal.reset(Some("a"));
        assert_eq!((journal.misses(None), journal.requests().len()), (vec!["how".to_owned()], 3));
        journal.reset(None);
        assert_eq!((journal.misses(None).len(), journal.requests().len()), (0, 1));
        running.ended();
        assert_eq!(journal.request(2).unwrap().progress, Progress::Ended);
    }

    #[test]
    fn tells_what_has_changed() {
        let journal = Journal::new();
        let (first, second) = (open(&journal, ""), open(&journal, ""));
        let (seen, version) = journal.since(0);
        assert_eq!(seen.len(), 2);
        second.ended();
        let (seen, _) = journal.since(version);
        assert_eq!(seen.iter().map(|recorded| recorded.number).collect::<Vec<_>>(), [1]);
        drop(first);
    }
}
