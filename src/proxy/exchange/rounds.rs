//! An exchange as it runs: what is known so far of its rounds.
//!
//! What is done with it stands beside: `run` goes round, `ask` asks the provider, `carry` takes its answers in and
//! lets them out, `judge` decides on calls, `words` ends an answer in the model's place, `failed` makes the best of
//! what went wrong, `overhear` only watches, and `pulse` sends, and says that nobody is forgotten.

use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use tokio::time::Instant;

use crate::dialect::Answer;
use crate::guard::{Bench, Refusal};

use super::Exchange;
use super::outlet::{Head, Outlet};

/// Bytes of one event at most, and of a whole answer.
pub(super) const LARGEST: usize = 64 << 20;

/// One exchange as it runs.
pub(super) struct Rounds<'a> {
    pub(super) exchange: &'a Exchange,
    pub(super) bench: Bench<'a>,
    pub(super) answer: Answer,
    pub(super) outlet: Outlet,
    /// How often calls went back to the model. Asking anew for an answer that was none does not count.
    pub(super) returns: u32,
    /// What was refused in this round.
    pub(super) refusals: Vec<Refusal>,
    /// The same by choice, where nothing is asked again.
    pub(super) refused_in: Vec<(u32, String)>,
    /// What was refused in the round before.
    pub(super) told: Vec<Refusal>,
    /// Elements that the agent does not see, at the end of the history.
    pub(super) appended: Vec<Bytes>,
    /// This round's answer is to be in words.
    pub(super) concludes: bool,
    /// The round before this one was cut at the output limit.
    pub(super) was_cut: bool,
    /// Calls that were judged when the aside was last stored.
    pub(super) remembered: Option<usize>,
    pub(super) judged: usize,
    /// This round's answer was an error in which the provider refused a call: that error.
    pub(super) unseen: Option<(Head, Bytes)>,
    /// The head of the last streamed answer.
    pub(super) head: Option<Head>,
    /// The head of the last whole answer.
    pub(super) whole: Option<Head>,
    pub(super) next_heartbeat: Option<Instant>,
    /// A provider's body ended without the blank line that ends an event: what follows begins with it.
    pub(super) open_event: bool,
}

impl<'a> Rounds<'a> {
    pub(super) fn new(exchange: &'a Exchange, outlet: Outlet) -> Self {
        let house = &exchange.house;
        let bench = Bench::new(&exchange.transcript, &house.plan.rules, &*house.schemas)
            .with_refused_before(exchange.refused_before.clone());
        Self {
            exchange,
            bench,
            answer: Answer::new(exchange.told(), house.plan.listen.max_held).made_at(now()),
            outlet,
            returns: 0,
            refusals: Vec::new(),
            refused_in: Vec::new(),
            told: Vec::new(),
            appended: Vec::new(),
            concludes: false,
            was_cut: false,
            remembered: None,
            judged: 0,
            unseen: None,
            head: None,
            whole: None,
            next_heartbeat: None,
            open_event: false,
        }
    }

    /// This round continues the answer of one before it.
    pub(super) fn continues(&self) -> bool {
        !self.appended.is_empty()
    }
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
