//! What came in, and what became of it.
//!
//! Requests are numbered from 0 in the order in which their heads came. Each has an [`Entry`], which goes with
//! the answer: when hyper drops it before the answer has ended, the peer has gone away, and the journal says
//! so. Everything that is waited for here is told by the entry, never by a clock.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, Method, header};
use tokio::sync::watch;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Recorded {
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
    pub progress: Progress,
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

#[derive(Clone, Debug)]
pub(super) struct Journal {
    state: Arc<watch::Sender<State>>,
}

#[derive(Debug, Default)]
struct State {
    requests: Vec<Recorded>,
    misses: Vec<String>,
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

    pub(super) fn open(&self, head: &http::request::Parts, connection: usize) -> Entry {
        let mut headers = head.headers.clone();
        for name in [header::AUTHORIZATION, header::COOKIE, header::HeaderName::from_static("api-key")] {
            if let Some(value) = headers.get_mut(name) {
                value.set_sensitive(true);
            }
        }
        let recorded = Recorded {
            method: head.method.clone(),
            path: head.uri.path_and_query().map_or_else(|| head.uri.path().to_owned(), ToString::to_string),
            headers,
            body: Bytes::new(),
            connection,
            step: None,
            refused: None,
            progress: Progress::Reading,
        };
        let mut number = 0;
        self.state.send_modify(|state| {
            number = state.requests.len();
            state.requests.push(recorded);
        });
        Entry { journal: self.clone(), number }
    }

    pub(super) fn requests(&self) -> Vec<Recorded> {
        self.state.borrow().requests.clone()
    }
    pub(super) fn misses(&self) -> Vec<String> {
        self.state.borrow().misses.clone()
    }
    pub(super) fn miss(&self, message: String) {
        self.state.send_modify(|state| state.misses.push(message));
    }

    /// Resolves once the body of request `number` has come.
    pub(super) async fn arrived(&self, number: usize) -> Recorded {
        self.wait(number, |progress| progress != Progress::Reading).await
    }
    /// Resolves once request `number` has got its answer, or will never get it.
    pub(super) async fn settled(&self, number: usize) -> Recorded {
        let open = [Progress::Reading, Progress::Answering];
        self.wait(number, |progress| !open.contains(&progress)).await
    }
    /// Resolves once the peer has gone away from request `number`; never, if it got its answer.
    pub(super) async fn aborted(&self, number: usize) -> Recorded {
        self.wait(number, |progress| progress == Progress::Aborted).await
    }

    async fn wait(&self, number: usize, done: impl Fn(Progress) -> bool) -> Recorded {
        let mut changes = self.state.subscribe();
        loop {
            // A copy, so that no guard is held while waiting.
            let found = changes.borrow_and_update().requests.get(number).cloned();
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

// === impl Entry ===

impl Entry {
    pub(super) fn number(&self) -> usize {
        self.number
    }
    /// The body is here, and the step that answers it is known; `None` for a miss.
    pub(super) fn read(&self, body: Bytes, step: Option<usize>) {
        self.update(|recorded| {
            recorded.body = body;
            recorded.step = step;
            recorded.progress = Progress::Answering;
        });
    }
    /// It is no request that a real provider would answer.
    pub(super) fn refused(&self, why: String) {
        self.update(|recorded| recorded.refused = Some(why));
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
            if let Some(recorded) = state.requests.get_mut(self.number) {
                change(recorded);
            }
        });
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        self.update(|recorded| {
            if matches!(recorded.progress, Progress::Reading | Progress::Answering) {
                recorded.progress = Progress::Aborted;
            }
        });
    }
}
