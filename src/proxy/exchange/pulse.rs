//! Sending to the agent, and the heartbeat that tells it that it is not forgotten.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, sleep_until, timeout};

use crate::proxy::failure::Failure;

use super::inflow::{Inflow, Piece};
use super::rounds::Rounds;

/// How long to wait for a stream's end after it was announced: to reuse its connection is worth no more.
const LINGER: Duration = Duration::from_millis(100);

impl Rounds<'_> {
    pub(super) fn heartbeat_at(&mut self) -> Option<Instant> {
        let every = self.exchange.house.plan.listen.heartbeat?;
        let first = Instant::now().checked_add(every)?;
        Some(*self.next_heartbeat.get_or_insert(first))
    }

    pub(super) async fn beat(&mut self) {
        self.next_heartbeat = None;
        self.send(vec![Bytes::from_static(b": keep-alive\n\n")]).await;
    }

    pub(super) async fn send(&mut self, mut out: Vec<Bytes>) {
        if out.is_empty() {
            return;
        }
        if std::mem::take(&mut self.open_event) {
            out.insert(0, Bytes::from_static(b"\n\n"));
        }
        if let Some(head) = &self.head {
            self.outlet.open(head, None);
        }
        self.outlet.send(&mut out).await;
    }

    /// The next piece of a stream; heartbeats go out while something is held. A stream that has announced its
    /// end, and is not relayed, is waited for no longer than its connection is worth.
    pub(super) async fn next_piece(&mut self, inflow: &mut Inflow) -> Result<Option<Piece>, Failure> {
        if self.answer.must_wait() && self.answer.is_done() {
            return timeout(LINGER, inflow.next()).await.unwrap_or(Ok(None));
        }
        loop {
            if !self.answer.is_holding() && !self.continues() {
                self.next_heartbeat = None;
                return inflow.next().await;
            }
            let Some(at) = self.heartbeat_at() else { return inflow.next().await };
            tokio::select! {
                biased;
                piece = inflow.next() => return piece,
                () = sleep_until(at) => self.beat().await,
            }
        }
    }
}
