//! The rounds of an exchange: ask, carry the answer, and ask again where every call was refused.
//!
//! An exchange goes back to the model a bounded number of times, and the last time it concludes. Once a call
//! went out to the agent there is no going back.

use crate::dialect::Closing;
use crate::guard::{Reason, Refusal};
use crate::observe::event::{Ended, Fact};
use crate::proxy::failure::{Failure, Misanswer};

use super::ask::{Answered, Asked, Failed};
use super::rounds::Rounds;

impl Rounds<'_> {
    pub(super) async fn run(&mut self) -> Result<(), Failure> {
        let result = self.rounds().await;
        let account = &mut self.outlet.account;
        account.usage = self.answer.total();
        if let Err(failure) = &result {
            account.fails(failure);
        }
        result
    }

    async fn rounds(&mut self) -> Result<(), Failure> {
        loop {
            self.outlet.account.rounds += 1;
            let carried = match self.ask().await {
                Asked::Answer(answered) if self.exchange.house.observes() => self.overhear(answered).await,
                Asked::Answer(answered) if self.is_of_another_form(&answered) => {
                    Err(self.misanswered(Misanswer::Form))
                }
                Asked::Answer(answered) if answered.is_stream => self.stream(answered).await,
                Asked::Answer(answered) => self.whole(answered).await,
                Asked::Refused => Ok(()),
                Asked::Failed(_) if self.may_take_back() => return self.take_back().await,
                Asked::Failed(failed) if self.continues() => return self.reask_failed(failed).await,
                Asked::Failed(failed) => return self.pass_on(failed).await,
            };
            match carried {
                Err(_) if self.may_take_back() => return self.take_back().await,
                Err(failure) if self.continues() => {
                    return self.reask_failed(Failed::Failure(failure)).await;
                }
                Err(failure) => return self.break_off(failure).await,
                Ok(()) => {}
            }
            if self.exchange.house.observes() || !self.answer.must_wait() {
                let failed = self.answer.has_failed();
                self.outlet.account.outcome = if failed { Ended::ProviderError } else { Ended::Complete };
                return Ok(());
            }
            if self.answer.is_vain() {
                self.outlet.account.act(Reason::AskedAnew);
                self.answer.begin_anew();
            } else if !self.go_back().await? {
                return Ok(());
            }
        }
    }

    /// A stream cannot go on as a body, nor a body as a stream.
    fn is_of_another_form(&self, answered: &Answered) -> bool {
        let was_stream = self.head.is_some();
        (self.continues() || self.outlet.is_open())
            && if answered.is_stream { self.whole.is_some() } else { was_stream }
    }

    /// An answer that said nothing was asked for once more, and that failed. The agent has its beginning already.
    fn may_take_back(&self) -> bool {
        !self.continues() && self.outlet.is_open() && self.answer.can_take_back()
    }

    /// The agent gets the end of the answer that said nothing.
    async fn take_back(&mut self) -> Result<(), Failure> {
        self.outlet.account.act(Reason::ReaskFailed);
        self.answer.take_back();
        let mut out = Vec::new();
        while self.answer.release(&mut out) {}
        self.finish(out).await;
        Ok(())
    }

    /// Every call was refused. Begins another round, or ends the answer: whether it is another round.
    async fn go_back(&mut self) -> Result<bool, Failure> {
        let rounds = self.exchange.house.plan.rules.rounds;
        let cut = self.refusals.iter().any(|refusal| refusal.reason == Reason::Truncated);
        let exhausted = self.returns >= rounds || self.concludes;
        let closing = if self.answer.is_filtered() {
            Closing::AsItIs
        } else if cut && (self.was_cut || exhausted) {
            Closing::Length
        } else if exhausted {
            Closing::Words(self.last_words())
        } else {
            self.remand(cut).await;
            return Ok(true);
        };
        match self.unseen.take() {
            Some((head, body)) if !self.outlet.is_open() && !self.concludes => {
                self.pass_on(Failed::Read { head, body, is_call: true }).await?;
            }
            Some(_) => self.say_instead().await,
            None => self.close(closing).await,
        }
        Ok(false)
    }

    async fn remand(&mut self, cut: bool) {
        let mut out = Vec::new();
        self.appended.extend(self.answer.remand(&mut out));
        self.send(out).await;
        let (round, refused) = (self.outlet.account.rounds, self.refusals.len());
        self.outlet.account.note(Fact::Remanded { round, refused });
        self.told = std::mem::take(&mut self.refusals);
        self.was_cut = cut;
        self.returns += 1;
        let is_last = self.returns == self.exchange.house.plan.rules.rounds;
        // What may go on does in the end, and what was cut ends as cut. All else ends in words.
        let needs_words = |refusal: &Refusal| !refusal.may_go_on() && refusal.reason != Reason::Truncated;
        self.concludes = is_last && self.told.iter().any(needs_words);
        if self.concludes {
            self.outlet.account.act(Reason::Concluded);
        }
        self.bench.next_answer();
    }
}
