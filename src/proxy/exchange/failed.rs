//! What becomes of an exchange when the provider does not answer as it should.
//!
//! Before anything reached the agent, the provider's error goes through as it came. Afterwards there are three
//! ways: the refused calls go on if they may, words are said in the model's place, or the stream visibly breaks.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;

use crate::dialect::{Broken, RefusedCall};
use crate::guard::{Grounds, Reason, Refusal};
use crate::observe::event::{Ended, Fact, Judged};
use crate::proxy::body::BoxError;
use crate::proxy::failure::{Failure, Misanswer};
use crate::proxy::upstream::{self, headers};

use super::ask::{Asked, Failed};
use super::inflow::Inflow;
use super::outlet::Head;
use super::rounds::Rounds;

/// Bytes of an error that are looked at.
const LARGEST_ERROR: usize = 1 << 20;

impl Rounds<'_> {
    /// Reads an error of the provider as far as it may be about a call that the model wrote.
    pub(super) async fn read_error(&mut self, answered: upstream::Answer) -> Asked {
        let told = [StatusCode::BAD_REQUEST, StatusCode::INTERNAL_SERVER_ERROR].contains(&answered.status());
        let judges = told && headers::is_json(answered.headers()) && Inflow::reads(answered.headers());
        if !judges || self.exchange.house.observes() || !self.exchange.transcript.can_go_back() {
            return Asked::Failed(Failed::Answer(answered));
        }
        let head = Head::of(&answered);
        let read = async {
            let mut inflow = Inflow::new(answered, self.exchange.target.name())?;
            let (raw, plain, is_whole) = inflow.up_to(LARGEST_ERROR).await?;
            Ok((inflow, raw, plain, is_whole))
        };
        let (rest, raw, plain, is_whole) = match read.await {
            Ok(read) => read,
            Err(failure) => return Asked::Failed(Failed::Failure(failure)),
        };
        if !is_whole {
            return Asked::Failed(Failed::Long { head, read: raw, rest });
        }
        let text = std::str::from_utf8(&plain).unwrap_or_default();
        match self.exchange.transcript.dialect().refused_call(text) {
            Some(refused) if !self.concludes => {
                self.refuse_unseen(&refused);
                self.unseen = Some((head, raw));
                Asked::Refused
            }
            call => Asked::Failed(Failed::Read { head, body: raw, is_call: call.is_some() }),
        }
    }

    /// The provider refused a call of the model: so do we.
    pub(super) fn refuse_unseen(&mut self, refused: &RefusedCall) {
        let RefusedCall { call, said } = refused;
        let notices = &self.exchange.house.plan.rules.notices;
        let refusal = Refusal::new(notices, &call.name, Grounds::ProviderRefused { said });
        let id = self.answer.refuse_unseen(&call.name, &call.arguments, refusal.text.clone());
        self.record((0, &call.name, &id), Judged::Refused, &[refusal.reason]);
        self.refusals.push(refusal);
    }

    /// The first round failed: the agent gets what the provider said.
    pub(super) async fn pass_on(&mut self, failed: Failed) -> Result<(), Failure> {
        let (head, read, rest) = match failed {
            Failed::Failure(failure) => {
                self.outlet.account.outcome = Ended::ProviderError;
                return Err(failure);
            }
            Failed::Read { head, body, .. } => (head, body, None),
            Failed::Long { head, read, rest } => (head, read, Some(rest)),
            Failed::Answer(answered) => {
                let head = Head::of(&answered);
                (head, Bytes::new(), Some(Inflow::unread(answered, self.exchange.target.name())))
            }
        };
        let account = &mut self.outlet.account;
        account.outcome = if head.status.is_success() { Ended::Complete } else { Ended::ProviderError };
        if head.status.is_success() {
            let detail = "an answer of a form that is not read here".to_owned();
            account.note(Fact::Unjudged { reason: Reason::Uninspected, detail });
        }
        self.relay(&head, read, rest).await
    }

    /// Passes on what the provider sent, as it came.
    async fn relay(&mut self, head: &Head, read: Bytes, rest: Option<Inflow>) -> Result<(), Failure> {
        self.outlet.open(head, None);
        if !read.is_empty() {
            self.outlet.send(&mut vec![read]).await;
        }
        let Some(mut rest) = rest else { return Ok(()) };
        while let Some((raw, _)) = rest.heard().await? {
            if !raw.is_empty() {
                self.outlet.send(&mut vec![raw]).await;
            }
        }
        Ok(())
    }

    /// A further round failed.
    pub(super) async fn reask_failed(&mut self, failed: Failed) -> Result<(), Failure> {
        self.outlet.account.act(Reason::ReaskFailed);
        if self.concludes && failed.refuses() {
            self.say_instead().await;
            return Ok(());
        }
        if !self.outlet.is_open() && !failed.is_unread() {
            return self.pass_on(failed).await;
        }
        if self.may_resume() {
            self.resume().await;
            return Ok(());
        }
        let failure = failed.into_failure(self.exchange.target.name());
        self.break_off(failure).await
    }

    /// The calls refused in the round before may go on in the end, and can.
    pub(super) fn may_resume(&self) -> bool {
        self.continues()
            && self.outlet.is_open()
            && !self.told.is_empty()
            && self.told.iter().all(Refusal::may_go_on)
            && self.answer.can_resume()
    }

    async fn resume(&mut self) {
        let (told, mut out) = (std::mem::take(&mut self.told), Vec::new());
        let calls = self.answer.resume(told.iter().map(super::judge::resort).collect(), &mut out);
        for (position, (call, refusal)) in calls.iter().zip(&told).enumerate() {
            let reasons = [refusal.reason, Reason::GaveUp];
            self.record((position, &call.name, &call.id), Judged::GaveUp, &reasons);
        }
        self.finish(out).await;
    }

    /// An answer cannot be carried on. What the agent has seen of it must not look complete.
    pub(super) async fn break_off(&mut self, failure: Failure) -> Result<(), Failure> {
        if self.outlet.is_open() && !self.exchange.house.observes() {
            let error = self.exchange.transcript.dialect().error(failure.code(), &failure.message());
            self.send(vec![Bytes::from(format!("data: {error}\n\n"))]).await;
        }
        Err(failure)
    }

    pub(super) fn broken(&self, broken: Broken) -> Failure {
        self.unreachable(broken.into())
    }

    pub(super) fn misanswered(&self, how: Misanswer) -> Failure {
        Failure::Misanswered { upstream: Arc::clone(self.exchange.target.name()), how }
    }

    pub(super) fn unreachable(&self, source: BoxError) -> Failure {
        Failure::Unreachable { upstream: Arc::clone(self.exchange.target.name()), source }
    }
}
