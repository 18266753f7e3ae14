//! What happened in one exchange, told as events. However it ends, the end is told once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::dialect::Usage;
use crate::guard::Reason;
use crate::observe::event::{Ended, Event, Events, Fact};
use crate::proxy::failure::Failure;
use crate::proxy::house::House;

/// The record of one exchange. Dropped before it was closed, it tells that the agent went away.
#[derive(Debug)]
pub(super) struct Account {
    events: Events,
    pub(super) id: Arc<str>,
    upstream: Arc<str>,
    model: Option<String>,
    pub(super) rounds: u32,
    pub(super) status: u16,
    pub(super) outcome: Ended,
    /// Tokens of all rounds together.
    pub(super) usage: Usage,
    bytes_in: usize,
    pub(super) bytes_out: usize,
    /// What was done, each once, in order.
    pub(super) actions: Vec<Reason>,
}

static EXCHANGES: AtomicU64 = AtomicU64::new(0);

impl Account {
    pub(super) fn open(house: &House, bytes_in: usize) -> Self {
        let number = EXCHANGES.fetch_add(1, Ordering::Relaxed);
        Self {
            events: house.events.clone(),
            id: format!("rx_{}_{number:x}", house.run).into(),
            upstream: "".into(),
            model: None,
            rounds: 0,
            status: 0,
            outcome: Ended::Abandoned,
            usage: Usage::default(),
            bytes_in,
            bytes_out: 0,
            actions: Vec::new(),
        }
    }

    pub(super) fn goes_to(&mut self, upstream: &Arc<str>, model: Option<String>) {
        self.upstream = Arc::clone(upstream);
        self.model = model;
    }

    /// The exchange ends in an error of ours: before its head, or behind it.
    pub(super) fn fails(&mut self, failure: &Failure) {
        if self.status == 0 {
            self.status = failure.status().as_u16();
            self.outcome = Ended::Failed;
        } else {
            self.outcome = Ended::Broken;
        }
    }

    pub(super) fn note(&self, fact: Fact) {
        self.events.emit(Event { exchange: Arc::clone(&self.id), fact });
    }

    pub(super) fn act(&mut self, reason: Reason) {
        if !self.actions.contains(&reason) {
            self.actions.push(reason);
        }
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        let (model, actions) = (self.model.take(), std::mem::take(&mut self.actions));
        self.note(Fact::Ended {
            upstream: Arc::clone(&self.upstream),
            model,
            rounds: self.rounds,
            status: self.status,
            outcome: self.outcome,
            actions,
            input_tokens: self.usage.input,
            output_tokens: self.usage.output,
            bytes_in: self.bytes_in,
            bytes_out: self.bytes_out,
        });
    }
}
