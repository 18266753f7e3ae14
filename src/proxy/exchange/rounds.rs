//! The rounds of an exchange: ask, carry the answer, and ask again where every call was refused.
//!
//! An exchange goes back to the model a bounded number of times, and the last time it concludes. Once a call
//! went out to the agent there is no going back.

use bytes::Bytes;
use http::HeaderValue;
use tokio::time::{Instant, sleep_until, timeout};

use crate::dialect::{Answer, Broken, Closing, Decision};
use crate::guard::notice::Notice;
use crate::guard::{Bench, Key, Reason, Refusal};
use crate::observe::event::{Ended, Fact};
use crate::proxy::failure::Failure;
use crate::proxy::upstream::{self, headers};
use crate::wire::sse::{Frame, Framer, ends_blank};

use super::Exchange;
use super::failed::Failed;
use super::inflow::Inflow;
use super::outlet::{Head, Outlet};

/// Bytes of one event at most, and of a whole answer.
pub(super) const LARGEST: usize = 64 << 20;

/// How long to wait for a stream's end after it was announced: to reuse its connection is worth no more.
const LINGER: std::time::Duration = std::time::Duration::from_millis(100);

/// Refusals of one choice that its last words tell of.
const TOLD: usize = 16;

const APPLICATION_JSON: HeaderValue = HeaderValue::from_static("application/json");
const EVENT_STREAM: HeaderValue = HeaderValue::from_static("text/event-stream");

/// One exchange as it runs.
pub(super) struct Rounds<'a> {
    pub(super) exchange: &'a Exchange,
    pub(super) bench: Bench<'a>,
    pub(super) answer: Answer,
    pub(super) outlet: Outlet,
    /// What was refused in this round.
    pub(super) refusals: Vec<Refusal>,
    /// The same by choice, where several were asked for.
    refused_in: Vec<(u32, String)>,
    /// What was refused in the round before.
    pub(super) told: Vec<Refusal>,
    /// Elements that the agent does not see, at the end of the history.
    appended: Vec<Bytes>,
    /// This round's answer is to be in words.
    pub(super) concludes: bool,
    /// The round before this one was cut at the output limit.
    was_cut: bool,
    /// Calls that were judged when the aside was last stored.
    remembered: Option<usize>,
    judged: usize,
    /// This round's answer was an error in which the provider refused a call: that error.
    pub(super) unseen: Option<(Head, Bytes)>,
    /// The head of the last streamed answer.
    pub(super) head: Option<Head>,
    /// The head of the last whole answer.
    pub(super) whole: Option<Head>,
    next_heartbeat: Option<Instant>,
    /// A provider's body ended without the blank line that ends an event: what follows begins with it.
    open_event: bool,
}

/// What came of asking.
pub(super) enum Asked {
    Answer(upstream::Answer),
    /// The provider refused a call that the model wrote: that is a refusal of the call, not an end.
    Refused,
    Failed(Failed),
}

impl<'a> Rounds<'a> {
    pub(super) fn new(exchange: &'a Exchange, outlet: Outlet) -> Self {
        let house = &exchange.house;
        let bench = Bench::new(&exchange.transcript, &house.plan.rules, &*house.schemas)
            .with_refused_before(exchange.refused_before.clone());
        Self {
            exchange,
            bench,
            answer: Answer::new(exchange.told(), house.plan.listen.max_held),
            outlet,
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

    /// How often this exchange has gone back to the model.
    pub(super) fn returns(&self) -> u32 {
        self.outlet.account.rounds.saturating_sub(1)
    }

    pub(super) async fn run(mut self) -> Result<(), Failure> {
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
                    Err(self.unreachable("it answered in another form when it was asked again".into()))
                }
                Asked::Answer(answered) if is_stream(&answered) => self.stream(answered).await,
                Asked::Answer(answered) => self.whole(answered).await,
                Asked::Refused => Ok(()),
                Asked::Failed(failed) if self.returns() > 0 => return self.reask_failed(failed).await,
                Asked::Failed(failed) => return self.pass_on(failed).await,
            };
            match carried {
                Err(failure) if self.returns() > 0 => {
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
            if !self.go_back().await? {
                return Ok(());
            }
        }
    }

    /// A stream cannot go on as a body, nor a body as a stream.
    fn is_of_another_form(&self, answered: &upstream::Answer) -> bool {
        let was_stream = self.head.is_some();
        self.returns() > 0 && if is_stream(answered) { self.whole.is_some() } else { was_stream }
    }

    /// Every call was refused. Begins another round, or ends the answer: whether it is another round.
    async fn go_back(&mut self) -> Result<bool, Failure> {
        let rounds = self.exchange.house.plan.rules.rounds;
        let cut = self.refusals.iter().any(|refusal| refusal.reason == Reason::Truncated);
        let exhausted = self.returns() >= rounds || self.concludes;
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
            Some((head, body)) if !self.outlet.is_open() => {
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
        let is_last = self.returns() + 1 == self.exchange.house.plan.rules.rounds;
        // What may go on does in the end, and what was cut ends as cut. All else ends in words.
        let needs_words = |refusal: &Refusal| !refusal.may_go_on() && refusal.reason != Reason::Truncated;
        self.concludes = is_last && self.told.iter().any(needs_words);
        if self.concludes {
            self.outlet.account.act(Reason::Concluded);
        }
        self.bench.next_answer();
    }

    async fn close(&mut self, closing: Closing) {
        if matches!(closing, Closing::Words(_)) {
            self.outlet.account.act(Reason::FellBack);
        }
        self.answer.close(closing);
        let mut out = Vec::new();
        self.answer.release(&mut out);
        self.finish(out).await;
    }

    /// The model will not end in words: they are said in its place.
    pub(super) async fn say_instead(&mut self) {
        self.outlet.account.act(Reason::FellBack);
        let (words, mut out) = (self.last_words(), Vec::new());
        self.answer.say_instead(&words, &mut out);
        self.finish(out).await;
    }

    /// Sends the end of an answer that was held.
    pub(super) async fn finish(&mut self, mut out: Vec<Bytes>) {
        if let Err(broken) = self.answer.end(&mut out) {
            tracing::debug!(%broken, "an answer was closed before its end");
        }
        self.remember();
        self.outlet.account.outcome = Ended::Complete;
        if self.answer.is_whole() {
            let head = self.whole.take().unwrap_or_else(|| Head::own(&APPLICATION_JSON));
            self.outlet.open(&head, Some(out.iter().map(Bytes::len).sum()));
        } else if self.head.is_none() {
            self.head = Some(Head::own(&EVENT_STREAM));
        }
        self.send(out).await;
    }

    /// What is said in the model's place: what was refused, and why.
    pub(super) fn last_words(&self) -> String {
        let refusals = if self.refusals.is_empty() || self.concludes { &self.told } else { &self.refusals };
        self.words(refusals.iter().map(|refusal| refusal.text.as_str()))
    }

    fn words<'t>(&self, refusals: impl Iterator<Item = &'t str>) -> String {
        let texts: Vec<_> = refusals.collect();
        self.exchange.house.plan.rules.notices.text(Notice::FellBack, &[("refusals", &texts.join("\n"))])
    }

    /// A call of one of several choices was refused: should all of that choice be, it ends in words of its own.
    fn refuse_in(&mut self, choice: u32, text: String) {
        if self.refused_in.iter().filter(|(of, _)| *of == choice).count() == TOLD {
            return;
        }
        self.refused_in.push((choice, text));
        let mine = self.refused_in.iter().filter(|(of, _)| *of == choice).map(|(_, text)| text.as_str());
        let words = self.words(mine);
        self.answer.close_choice(choice, words);
    }

    /// Asks the provider. While a further round is asked, the agent hears that it is not forgotten.
    async fn ask(&mut self) -> Asked {
        self.unseen = None;
        let body = self.exchange.body(&self.appended, self.concludes);
        let mut sending = Box::pin(self.exchange.target.send(&self.exchange.prepared, body));
        let answered = loop {
            let at = if self.head.is_some() { self.heartbeat_at() } else { None };
            let Some(at) = at else { break sending.await };
            tokio::select! {
                biased;
                answered = &mut sending => break answered,
                () = sleep_until(at) => self.beat().await,
            }
        };
        match answered {
            Ok(answered) if is_readable(&answered) => Asked::Answer(answered),
            Ok(answered) => self.read_error(answered).await,
            Err(failure) => Asked::Failed(Failed::Failure(failure)),
        }
    }

    fn heartbeat_at(&mut self) -> Option<Instant> {
        let every = self.exchange.house.plan.listen.heartbeat?;
        let first = Instant::now().checked_add(every)?;
        Some(*self.next_heartbeat.get_or_insert(first))
    }

    async fn beat(&mut self) {
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

    async fn stream(&mut self, answered: upstream::Answer) -> Result<(), Failure> {
        self.head = Some(Head::of(&answered, false));
        let mut inflow = Inflow::new(answered, self.exchange.target.name())?;
        let ended = self.pump(&mut inflow).await;
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
            let mut out = Vec::new();
            let fed = self.feed_all(&mut framer, &mut out);
            // What came before a fault is not part of it.
            self.send(out).await;
            fed?;
        }
        let mut out = Vec::new();
        let fed = framer.finish().map_or(Ok(()), |frame| self.feed(frame, false, &mut out));
        let open = out.last().is_some_and(|last| !ends_blank(last));
        self.send(out).await;
        self.open_event = open;
        fed
    }

    pub(super) fn feed_all(&mut self, framer: &mut Framer, out: &mut Vec<Bytes>) -> Result<(), Failure> {
        while let Some(frame) = framer.next_frame().map_err(|large| self.unreachable(large.into()))? {
            self.feed(frame, false, out)?;
        }
        Ok(())
    }

    /// The next piece of a stream; heartbeats go out while something is held. A stream that has announced its
    /// end, and is not relayed, is waited for no longer than its connection is worth.
    async fn next_piece(&mut self, inflow: &mut Inflow) -> Result<Option<super::inflow::Piece>, Failure> {
        if self.answer.must_wait() && self.answer.is_done() {
            return timeout(LINGER, inflow.next()).await.unwrap_or(Ok(None));
        }
        loop {
            if !self.answer.is_holding() && self.returns() == 0 {
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

    /// Gives an event to the answer, judges what is complete, and takes what may go out.
    pub(super) fn feed(&mut self, frame: Frame, whole: bool, out: &mut Vec<Bytes>) -> Result<(), Failure> {
        self.answer.push(frame, whole).map_err(|broken| self.broken(broken))?;
        if self.answer.has_failed() && self.may_resume() {
            return Err(self.broken(Broken::Failed));
        }
        while let Some(pending) = self.answer.next_call() {
            let decision = self.judge(&pending);
            self.judged += 1;
            if let Decision::Refuse(text) = &decision
                && self.exchange.transcript.choices > 1
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

    async fn whole(&mut self, answered: upstream::Answer) -> Result<(), Failure> {
        let head = Head::of(&answered, false);
        let body = Inflow::new(answered, self.exchange.target.name())?.whole(LARGEST).await?;
        let mut out = Vec::new();
        self.feed(Frame::of_whole(body), true, &mut out)?;
        if !self.answer.must_wait() {
            self.outlet.open(&head, Some(out.iter().map(Bytes::len).sum()));
        }
        self.whole = Some(head);
        self.outlet.send(&mut out).await;
        Ok(())
    }

    fn remember(&mut self) {
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

/// A successful answer in a form that can be judged.
fn is_readable(answered: &upstream::Answer) -> bool {
    let known = is_stream(answered) || headers::is_json(answered.headers());
    answered.status().is_success() && known && Inflow::reads(answered.headers())
}

pub(super) fn is_stream(answered: &upstream::Answer) -> bool {
    headers::is_event_stream(answered.headers())
}
