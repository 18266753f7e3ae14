//! The journal as events: each request anew whenever something has changed about it.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;

use super::view::Shown;
use crate::replay::answer::to_json;
use crate::replay::journal::Journal;

type Waiting = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Begins with all that is written down.
pub(in crate::replay::server) struct Live {
    journal: Journal,
    version: u64,
    waiting: Option<Waiting>,
    greeted: bool,
}

// === impl Live ===

impl Live {
    pub(super) fn new(journal: Journal) -> Self {
        Self { journal, version: 0, waiting: None, greeted: false }
    }

    pub(in crate::replay::server) fn poll_events(&mut self, context: &mut Context<'_>) -> Poll<Bytes> {
        if !std::mem::replace(&mut self.greeted, true) {
            return Poll::Ready(Bytes::from_static(b": the journal\n\n"));
        }
        loop {
            if let Some(waiting) = &mut self.waiting {
                ready!(waiting.as_mut().poll(context));
                self.waiting = None;
            }
            let (changed, version) = self.journal.since(self.version);
            self.version = version;
            let events = changed.iter().map(|recorded| {
                format!("event: request\ndata: {}\n\n", to_json(&Shown::without_body(recorded)))
            });
            let events: String = events.collect();
            if !events.is_empty() {
                return Poll::Ready(events.into());
            }
            let journal = self.journal.clone();
            self.waiting = Some(Box::pin(async move { journal.changed(version).await }));
        }
    }
}
