//! Carrying an answer: what the provider sends goes in, what the agent may see goes out.

use bytes::Bytes;

use crate::dialect::{Broken, Decision};
use crate::guard::Key;
use crate::proxy::failure::Failure;
use crate::wire::sse::{Frame, Framer, ends_blank};

use super::ask::Answered;
use super::inflow::Inflow;
use super::rounds::{LARGEST, Rounds};

impl Rounds<'_> {
    pub(super) async fn stream(&mut self, answered: Answered) -> Result<(), Failure> {
        let Answered { head, mut body, .. } = answered;
        self.head = Some(head.for_another_body());
        let ended = self.pump(&mut body).await;
        if self.answer.must_wait() {
            // Its calls are told and refused: what broke behind them would not have gone out.
            return Ok(());
        }
        ended?;
        let mut out = Vec::new();
        self.answer.end(&mut out).map_err(|broken| self.broken(broken))?;
        self.send(out).await;
        if let Some(head) = &self.head {
            self.outlet.open(head, None);
        }
        Ok(())
    }

    /// Carries a stream to its end.
    async fn pump(&mut self, inflow: &mut Inflow) -> Result<(), Failure> {
        let mut framer = Framer::new(LARGEST);
        loop {
            match self.next_piece(inflow).await {
                Ok(Some(piece)) => framer.push(piece.plain),
                Ok(None) => break,
                // The connection broke behind the answer: nothing of that is missing.
                Err(_) if self.answer.is_done() => break,
                Err(failure) => return Err(failure),
            }
            let mut more = true;
            while more {
                let mut out = Vec::new();
                let fed = self.feed_all(&mut framer, &mut out);
                // What came before a fault is not part of it.
                self.send(out).await;
                more = fed?;
            }
        }
        let mut out = Vec::new();
        let fed = framer.finish().map_or(Ok(()), |frame| self.feed(frame, false, &mut out));
        while self.answer.release(&mut out) {}
        let open = out.last().is_some_and(|last| !ends_blank(last));
        self.send(out).await;
        self.open_event = open;
        fed
    }

    /// Gives the answer all events that have come, unless so much is to go out that it should be sent first. Whether
    /// it is.
    pub(super) fn feed_all(&mut self, framer: &mut Framer, out: &mut Vec<Bytes>) -> Result<bool, Failure> {
        while !self.answer.release(out) {
            let Some(frame) = framer.next_frame().map_err(|large| self.unreachable(large.into()))? else {
                return Ok(false);
            };
            self.feed(frame, false, out)?;
        }
        Ok(true)
    }

    /// Gives an event to the answer, judges what is complete, and takes what may go out.
    pub(super) fn feed(&mut self, frame: Frame, whole: bool, out: &mut Vec<Bytes>) -> Result<(), Failure> {
        self.answer.push(frame, whole).map_err(|broken| self.broken(broken))?;
        if let Some(head) = self.head.clone()
            && let Some((refused, event)) = self.answer.take_unseen()
        {
            self.refuse_unseen(&refused);
            self.unseen = Some((head, event));
        }
        if self.answer.has_failed() && self.may_resume() {
            return Err(self.broken(Broken::Failed));
        }
        while let Some(pending) = self.answer.next_call() {
            let decision = self.judge(&pending);
            self.judged += 1;
            if let Decision::Refuse(text) = &decision
                && !self.exchange.transcript.can_go_back()
            {
                self.refuse_in(pending.choice, text.clone());
            }
            self.answer.decide(pending.position, decision);
        }
        self.answer.release(out);
        let observes = self.exchange.house.observes();
        if !observes && self.answer.is_over() && self.remembered != Some(self.judged) {
            self.remember();
        }
        Ok(())
    }

    pub(super) async fn whole(&mut self, answered: Answered) -> Result<(), Failure> {
        let Answered { head, mut body, .. } = answered;
        let head = head.for_another_body();
        let body = body.whole(LARGEST).await?;
        let mut out = Vec::new();
        self.feed(Frame::of_whole(body), true, &mut out)?;
        if !self.answer.must_wait() {
            self.outlet.open(&head, Some(out.iter().map(Bytes::len).sum()));
        }
        self.whole = Some(head);
        self.outlet.send(&mut out).await;
        Ok(())
    }

    pub(super) fn remember(&mut self) {
        self.remembered = Some(self.judged);
        let Some((hidden, visible)) = self.answer.aside() else { return };
        let siblings = !hidden.siblings.is_empty();
        let mut refused: Vec<Key> = Vec::new();
        for key in self.refusals.iter().filter(|_| siblings).filter_map(|refusal| refusal.key.as_ref()) {
            if !refused.contains(key) {
                refused.push(key.clone());
            }
        }
        let (asides, tenant) = (&self.exchange.house.asides, &self.exchange.tenant);
        let before = asides.before(tenant, &self.exchange.transcript);
        asides.remember(tenant, before, visible, hidden, refused);
    }
}
