//! What becomes of an exchange when the provider does not answer as it should.
//!
//! Before anything reached the agent, the provider's error goes through as it came. Afterwards there are three
//! ways: the refused calls go on if they may, words are said in the model's place, or the stream visibly breaks.

use bytes::Bytes;
use http::StatusCode;

use crate::dialect::Broken;
use crate::guard::notice::Notice;
use crate::guard::{Reason, Refusal, Resort};
use crate::observe::event::Ended;
use crate::proxy::failure::Failure;
use crate::proxy::upstream::{self, headers};

use super::inflow::Inflow;
use super::outlet::Head;
use super::rounds::{Asked, Rounds};

/// What came in the place of an answer.
pub(super) enum Failed {
    /// An error of the provider, or something that is unknown here.
    Answer(upstream::Answer),
    /// The same, already read.
    Read(Head, Bytes),
    /// An error of ours.
    Failure(Failure),
}

/// What the model reads of a call that its provider refused: more is not known here.
const NO_CALL: &str = "It was no call with one JSON object as its arguments.";

/// Bytes of an error that are looked at.
const LARGEST_ERROR: usize = 1 << 20;

impl Rounds<'_> {
    /// Reads an error of the provider as far as it may be about a call that the model wrote.
    pub(super) async fn read_error(&mut self, answered: upstream::Answer) -> Asked {
        let told = [StatusCode::BAD_REQUEST, StatusCode::INTERNAL_SERVER_ERROR].contains(&answered.status());
        let judges = told && headers::is_json(answered.headers()) && Inflow::reads(answered.headers());
        if !judges || self.exchange.house.observes() || self.exchange.transcript.choices > 1 {
            return Asked::Failed(Failed::Answer(answered));
        }
        let head = Head::of(&answered, true);
        let body = match Inflow::new(answered) {
            Ok(mut inflow) => inflow.whole_as_it_came(LARGEST_ERROR).await,
            Err(failure) => Err(failure),
        };
        let (raw, plain) = match body {
            Ok(read) => read,
            Err(failure) => return Asked::Failed(Failed::Failure(failure)),
        };
        let text = std::str::from_utf8(&plain).unwrap_or_default();
        let dialect = self.exchange.transcript.dialect();
        match dialect.refused_call(text).filter(|_| !self.concludes) {
            Some(call) => {
                let notices = &self.exchange.house.plan.rules.notices;
                let values = [("tool", &*call.name), ("problems", NO_CALL)];
                let text = notices.text(Notice::ProviderRefused, &values);
                self.answer.refuse_unseen(&call.name, &call.arguments, text.clone());
                self.outlet.account.act(Reason::ProviderRefused);
                self.refusals.push(Refusal {
                    reason: Reason::ProviderRefused,
                    text,
                    key: None,
                    resort: Resort::Nothing,
                });
                self.unseen = Some((head, raw));
                Asked::Refused
            }
            None => Asked::Failed(Failed::Read(head, raw)),
        }
    }

    /// The first round failed: the agent gets what the provider said.
    pub(super) async fn pass_on(&mut self, failed: Failed) -> Result<(), Failure> {
        self.outlet.account.outcome = Ended::ProviderError;
        match failed {
            Failed::Failure(failure) => Err(failure),
            Failed::Read(head, body) => {
                self.outlet.open(&head, None);
                self.outlet.send(&mut vec![body]).await;
                Ok(())
            }
            Failed::Answer(answered) => {
                self.outlet.open(&Head::of(&answered, true), None);
                let mut inflow = Inflow::unread(answered);
                while let Some(piece) = inflow.next().await? {
                    self.outlet.send(&mut vec![piece.raw]).await;
                }
                Ok(())
            }
        }
    }

    /// A further round failed.
    pub(super) async fn reask_failed(&mut self, failed: Failed) -> Result<(), Failure> {
        self.outlet.account.act(Reason::ReaskFailed);
        if self.concludes && failed.refuses() {
            self.outlet.account.act(Reason::FellBack);
            let (words, mut out) = (self.last_words(), Vec::new());
            self.answer.say_instead(&words, &mut out);
            self.outlet.account.outcome = Ended::Complete;
            self.finish(out).await;
            return Ok(());
        }
        if !self.outlet.is_open() {
            return self.pass_on(failed).await;
        }
        if self.told.iter().all(Refusal::may_go_on) {
            self.outlet.account.act(Reason::GaveUp);
            let mut out = Vec::new();
            let decisions = self.told.iter().map(super::judge::resort).collect();
            self.answer.resume(decisions, &mut out);
            self.outlet.account.outcome = Ended::Complete;
            self.finish(out).await;
            return Ok(());
        }
        let failure = failed.into_failure(self.exchange.target.name());
        self.break_off(failure).await
    }

    /// An answer cannot be carried on. What the agent has seen of it must not look complete.
    pub(super) async fn break_off(&mut self, failure: Failure) -> Result<(), Failure> {
        if self.outlet.is_open() {
            let error = self.exchange.transcript.dialect().error(failure.code(), &failure.message());
            self.send(vec![Bytes::from(format!("data: {error}\n\n"))]).await;
        }
        Err(failure)
    }

    pub(super) fn broken(&self, broken: Broken) -> Failure {
        Failure::Unreachable {
            upstream: std::sync::Arc::clone(self.exchange.target.name()),
            source: broken.into(),
        }
    }
}

// === impl Failed ===

impl Failed {
    /// The provider understood the request and will not have it.
    fn refuses(&self) -> bool {
        let status = match self {
            Self::Answer(answered) => answered.status(),
            Self::Read(head, _) => head.status,
            Self::Failure(_) => return false,
        };
        status.is_client_error()
            && status != StatusCode::TOO_MANY_REQUESTS
            && status != StatusCode::REQUEST_TIMEOUT
    }

    fn into_failure(self, upstream: &std::sync::Arc<str>) -> Failure {
        let status = match self {
            Self::Answer(answered) => answered.status(),
            Self::Read(head, _) => head.status,
            Self::Failure(failure) => return failure,
        };
        let source = format!("it answered {status} when it was asked again").into();
        Failure::Unreachable { upstream: std::sync::Arc::clone(upstream), source }
    }
}
