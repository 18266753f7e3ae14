//! An answer as it comes: events go in, what the agent may see goes out, calls wait in between.
//!
//! The event is the unit. One that holds a piece of an undecided call waits, and all that come after it queue
//! behind it in order. What nothing was done to goes out as the bytes it came in as; what waits is packed, so
//! that it takes little more memory than the calls' input. One answer to the agent may be made of several rounds: each
//! further one continues the first.

mod closing;
mod frame;
mod head;
mod pack;
mod queue;
mod render;
mod text;

use std::sync::Arc;

use bytes::Bytes;

use crate::dialect::{
    Broken, Closing, Decision, Hidden, HiddenCall, Pending, RefusedCall, Transcript, Usage, Visible,
};
use crate::wire::span::{Json, Span, unescape};
use crate::wire::sse::{Frame, ends_blank};

use super::calls::{Calls, Slot, State};
use super::event::{self, Event, Finish, Unclear};
use super::{refused, value, write};
use head::{Head, Own};
use pack::Piece;
use queue::{About, Queue, Touched};
pub(super) use text::Text;
use text::Texts;

/// Reads one answer, over all of its rounds.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not states of one thing")]
pub struct Answer {
    /// One body instead of events.
    whole: bool,
    /// The model can be asked again. Otherwise each choice ends by itself.
    single: bool,
    /// The call is told in the API's first form.
    legacy: bool,
    /// Rounds that were refused whole before this one.
    round: usize,
    head: Head,
    own: Own,
    calls: Calls,
    queue: Queue,
    /// What each choice of this round says.
    texts: Texts,
    now: Round,
    told: Told,
    /// Something of this or an earlier round has come.
    heard: bool,
    hidden: Hidden,
    closing: Option<Closing>,
    /// Where several choices were asked for: the words in which one ends that lost all of its calls.
    words: Vec<(u32, String)>,
    /// Tokens of earlier rounds.
    spent: Usage,
    /// The agent wants to be told the usage of a stream.
    tells_usage: bool,
    /// The round before this one, in case this one comes to nothing.
    last: Option<Last>,
    /// Should this round come to nothing, its end waits.
    patient: bool,
    /// A round that came to nothing and is asked for once more, in case that fails.
    vain: Option<Vain>,
}

/// How far this round has come.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not states of one thing")]
struct Round {
    /// Something of it has come.
    came: bool,
    /// It has said something.
    speaks: bool,
    /// It has announced its end.
    done: bool,
    /// The provider's own error took its place.
    failed: bool,
    /// The provider refused a call of it, in an event that says so: the call, and that event.
    unseen: Option<(RefusedCall, Bytes)>,
    /// Nothing that comes behind that event counts.
    cut_short: bool,
    /// Something of it cannot be read.
    unclear: bool,
    usage: Usage,
}

/// What the agent was told, over all rounds.
#[derive(Debug, Default)]
struct Told {
    /// The role in the first choice, or something that came without one.
    begun: bool,
    /// An event of which nothing but the role is left. It goes out before the next that says something: until then
    /// the answer may still become an error.
    opening: Option<Bytes>,
    /// The first choice's text: escaped, without quotes.
    sent: String,
    /// An earlier round has said something, and what this one says first must be set apart from it when it goes
    /// out.
    to_set_apart: bool,
    /// Choices that ended in words said in the model's place.
    closed: Vec<u32>,
}

/// What is kept of a refused round while the next one runs.
#[derive(Debug)]
struct Last {
    calls: Calls,
    /// As in [`Hidden::text`], before that round.
    hidden_text: usize,
    usage: Usage,
}

/// What is kept of a round that came to nothing while it is asked for once more.
#[derive(Debug)]
struct Vain {
    /// Its end.
    queue: Queue,
    texts: Texts,
    now: Round,
    /// Its beginning has gone out, and the next one goes on from there.
    begun: bool,
}

/// Between what two rounds say; escaped.
const APART: &str = "\\n\\n";

/// Bytes beside the calls' input that may wait and do not count.
const BESIDE: usize = 48 << 10;

/// Bytes that are let out at once, about.
const AT_ONCE: usize = 64 << 10;

const DONE: &[u8] = b"data: [DONE]\n\n";

// === impl Answer ===

impl Answer {
    /// `limit`: bytes that may wait undecided: calls' input, and what waits with it beyond a little.
    pub fn new(transcript: &Transcript, limit: usize) -> Self {
        let offered: Arc<[String]> = transcript.tools.iter().map(|tool| tool.name.clone()).collect();
        let seed = value::Seed::of(transcript);
        Self {
            whole: !transcript.stream,
            single: transcript.can_go_back(),
            legacy: false,
            round: 0,
            head: Head::default(),
            own: Own::of(transcript),
            calls: Calls::new(offered, limit, seed),
            queue: Queue::default(),
            texts: Texts::default(),
            now: Round::default(),
            told: Told::default(),
            heard: false,
            hidden: Hidden::default(),
            closing: None,
            words: Vec::new(),
            spent: Usage::default(),
            tells_usage: transcript.usage,
            last: None,
            patient: false,
            vain: None,
        }
    }

    /// When the answer is made, in seconds since 1970: there is no clock here.
    #[must_use]
    pub fn made_at(mut self, seconds: u64) -> Self {
        self.own.created = seconds;
        self
    }

    /// Takes the next event of a stream, or the body of a whole answer as one frame.
    pub fn push(&mut self, mut frame: Frame, whole: bool) -> Result<(), Broken> {
        let first = !std::mem::replace(&mut self.heard, true);
        if !first && self.whole != whole {
            return Err(Broken::Mixed);
        }
        if self.now.cut_short {
            return Ok(());
        }
        let beside = self.queue.weight().saturating_sub(BESIDE);
        if !self.calls.make_room(beside) {
            return Err(Broken::TooMuch);
        }
        self.whole = whole;
        self.now.done |= whole;
        if !std::mem::replace(&mut self.now.came, true) && self.round > 0 {
            frame = frame::without_mark(frame);
        }
        if frame::is_done(&frame) {
            self.now.done = true;
            self.finish_all();
            let about = About { calls: Touched::None, begins: false, ends: true, first };
            self.queue.push(frame, about, None);
            return Ok(());
        }
        let data = frame.data.clone().unwrap_or_default();
        let text = simdutf8::basic::from_utf8(&data).unwrap_or_default();
        let event = match event::read(text, whole) {
            Ok(event) => event,
            Err(unclear) => {
                let is_cut = matches!(unclear, Unclear::NotJson(malformed) if malformed.truncated);
                self.doubt(&frame, is_cut && !text.is_empty())?;
                self.now.unclear |= frame.data.is_some();
                let about = About { calls: Touched::None, begins: false, ends: self.is_ending(), first };
                self.queue.push(frame, about, None);
                return Ok(());
            }
        };
        if event.error && self.is_refusal(&frame, text) {
            return Ok(());
        }
        let fragments = self.take(&event, text)?;
        let begins = event.choices.iter().any(|choice| choice.index == 0 && choice.begins());
        let calls = Touched::new(fragments);
        let piece = self.piece(&frame, &event, text, &calls);
        self.queue.push(frame, About { calls, begins, ends: self.is_ending(), first }, piece);
        Ok(())
    }

    /// The one piece of input in an event that was taken, where its call holds it in the very bytes.
    fn piece(&self, frame: &Frame, event: &Event, data: &str, calls: &Touched) -> Option<Piece> {
        let ([choice], Touched::One(position)) = (event.choices.as_slice(), calls) else { return None };
        let [fragment] = choice.fragments.as_slice() else { return None };
        let input = fragment.input?;
        let text = Json::trusted(input.of(data)).raw_string()?;
        let slot = self.calls.slots.get(*position)?;
        let held = slot.raw_input();
        let start = held.len().checked_sub(text.len()).filter(|start| held.has_at(*start, text));
        let at = Span::new(input.start + 1, input.end - 1).shifted(frame.data_at?.start);
        (start.is_some() || slot.wants_no_more()).then_some(Piece { at, start })
    }

    /// Whether the provider's error is its refusal of a call that the model wrote: that does not end the answer, as
    /// long as no call of it went out.
    fn is_refusal(&mut self, frame: &Frame, data: &str) -> bool {
        if !self.single || self.whole || self.has_let_call_out() {
            return false;
        }
        let Some(refused) = refused::read(data) else { return false };
        self.calls.abandon();
        (self.now.done, self.now.cut_short) = (true, true);
        self.now.unseen = Some((refused, frame.raw.clone()));
        true
    }

    /// A call that the provider refused in its stream, and the event that says so. Who takes it has to
    /// [`refuse_unseen`](Self::refuse_unseen) it; otherwise the answer has failed.
    pub fn take_unseen(&mut self) -> Option<(RefusedCall, Bytes)> {
        self.now.unseen.take()
    }

    /// An event that cannot be read goes on as it came: clients skip it, or say so. Not one that may hold a call
    /// (some clients read what is no JSON: `NaN`, bytes that are no text), and not half of one.
    fn doubt(&self, frame: &Frame, is_cut: bool) -> Result<(), Broken> {
        let Some(data) = &frame.data else { return Ok(()) };
        if event::may_name_calls(data) {
            return Err(Broken::Unreadable);
        }
        let is_half = if self.whole { is_cut } else { !self.now.done && !ends_blank(&frame.raw) };
        if is_half { Err(Broken::Unfinished) } else { Ok(()) }
    }

    fn take(&mut self, event: &Event, data: &str) -> Result<Vec<Option<usize>>, Broken> {
        if !event.choices.is_empty() {
            self.head.keep(event, data);
        }
        if event.error {
            self.now.failed = true;
            self.calls.abandon();
        }
        if let Some(usage) = event.usage {
            self.now.usage = usage_of(Json::trusted(usage.of(data)), self.now.usage);
        }
        let mut fragments = Vec::new();
        for choice in &event.choices {
            let heard = choice.retold && !self.texts.of(choice.index).said.is_empty();
            if !heard {
                self.texts.of(choice.index).take(choice, data);
            }
            if let Some(content) = choice.content.filter(|_| choice.index == 0 && !heard) {
                self.say(Json::trusted(content.of(data)).raw_string().unwrap_or_default());
            }
            for fragment in &choice.fragments {
                let whole = self.whole || choice.retold;
                let told = if choice.retold { self.calls.told(choice.index, fragment, data) } else { None };
                fragments.push(match told {
                    None => self.calls.take(choice.index, fragment, data, whole)?,
                    told => told,
                });
            }
            self.legacy |= choice.legacy.is_some() && !choice.fragments.is_empty();
            if let Some(finish) = choice.finish {
                self.texts.finish(choice.index, finish);
                self.calls.complete(choice.index, matches!(finish, Finish::Length | Finish::Filtered));
            }
        }
        if self.whole {
            self.finish_all();
        }
        Ok(fragments)
    }

    fn finish_all(&mut self) {
        for choice in self.texts.choices() {
            self.calls.complete(choice, false);
        }
    }

    /// Remembers what the agent is told.
    fn say(&mut self, said: &str) {
        if !self.now.speaks && self.round > 0 && !self.told.sent.is_empty() && !said.is_empty() {
            self.told.sent.push_str(APART);
            self.hidden.text = unescape(&self.told.sent).len();
        }
        self.now.speaks |= !said.is_empty();
        self.told.sent.push_str(said);
    }

    /// The next call that is complete and undecided. Calls are told in order.
    pub fn next_call(&self) -> Option<Pending> {
        self.calls.next()
    }

    pub fn decide(&mut self, position: usize, decision: Decision) {
        self.calls.decide(position, decision);
    }

    /// Lets out what need not wait any longer: not much at a time, since it may take far more memory than it did
    /// when it waited. Whether there is more.
    pub fn release(&mut self, out: &mut Vec<Bytes>) -> bool {
        let (mut counted, mut length) = (out.len(), 0);
        while let Some(held) = self.queue.next(&self.calls, !self.must_wait()) {
            self.render_held(held, false, out);
            length += out.iter().skip(counted).map(Bytes::len).sum::<usize>();
            counted = out.len();
            if length > AT_ONCE {
                return true;
            }
        }
        if !self.whole {
            self.queue.pack();
        }
        false
    }

    /// Bytes that wait for a decision, about: the calls' input, and all else.
    pub fn held(&self) -> usize {
        self.calls.held() + self.queue.weight()
    }

    /// The end has come, and nobody has said yet how to go on. All calls were refused: with [`remand`](Self::remand)
    /// or [`close`](Self::close). Or it [`is_vain`](Self::is_vain): with [`begin_anew`](Self::begin_anew).
    pub fn must_wait(&self) -> bool {
        self.is_vain() || self.is_refused()
    }

    /// Whether the end waits of a round that says nothing, so that it can be asked for once more.
    pub fn be_patient(&mut self, patient: bool) {
        self.patient = patient;
    }

    /// The end has come of a round that holds neither words nor calls nor anything else, and nothing says why.
    pub fn is_vain(&self) -> bool {
        self.patient
            && self.single
            && !self.has_failed()
            && !self.now.unclear
            && self.is_ending()
            && self.is_silent()
            && self.texts.are_uncut()
    }

    fn is_silent(&self) -> bool {
        self.texts.are_silent() && self.calls.slots.is_empty()
    }

    fn is_refused(&self) -> bool {
        self.single
            && self.closing.is_none()
            && !self.has_failed()
            && self.is_ending()
            && self.calls.refused(0) > 0
            && self.calls.outgoing(0) == 0
    }

    /// One body instead of events: as it came, or until it comes as the agent asked.
    pub fn is_whole(&self) -> bool {
        self.whole
    }

    /// The provider's own error took the answer's place.
    pub fn has_failed(&self) -> bool {
        self.now.failed || self.now.unseen.is_some()
    }

    /// This round has let no call out, so that the refused calls of the one before it can still go on.
    pub fn can_resume(&self) -> bool {
        !self.whole && self.last.is_some() && !self.has_let_call_out()
    }

    fn has_let_call_out(&self) -> bool {
        let is_out = |slot: &Slot| matches!(slot.state, State::Forwarded | State::Replaced(_));
        self.calls.slots.iter().any(is_out)
    }

    /// A call is waiting, or the end is.
    pub fn is_holding(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The stream has announced its end.
    pub fn is_done(&self) -> bool {
        self.now.done
    }

    fn is_ending(&self) -> bool {
        self.now.done || self.texts.is_ending()
    }

    /// The answer's last event is out or about to be.
    pub fn is_over(&self) -> bool {
        self.is_ending() && !self.must_wait()
    }

    /// The provider cut the answer for its content: nothing is asked again.
    pub fn is_filtered(&self) -> bool {
        self.texts.is_filtered()
    }

    /// The choices that lost all of their calls.
    fn is_emptied(&self, choice: u32) -> bool {
        self.calls.refused(choice) > 0 && self.calls.outgoing(choice) == 0
    }

    /// Says how an answer ends whose calls were all refused.
    pub fn close(&mut self, closing: Closing) {
        self.closing = Some(closing);
    }

    /// What the agent does not see of this exchange, and what it does; `None` where it sees everything.
    pub fn aside(&self) -> Option<(Hidden, Visible)> {
        if !self.single || self.now.failed || (self.hidden.is_empty() && self.calls.refused(0) == 0) {
            return None;
        }
        let mut hidden = self.hidden.clone();
        let mut place = 0;
        let mut ids = Vec::new();
        let mut calls = Vec::new();
        for (position, slot) in self.calls.slots.iter().enumerate() {
            match &slot.state {
                State::Refused(text) if self.calls.outgoing(0) > 0 => {
                    let (call, result) = (write::call(slot).into(), write::result(slot, text));
                    hidden.siblings.push(HiddenCall { position: place, call, result });
                    place += 1;
                }
                State::Refused(_) | State::Lost => {}
                _ => {
                    for (id, call) in self.outgoing(position) {
                        calls.push((id.clone(), call.name, call.arguments));
                        ids.push(id);
                        place += 1;
                    }
                }
            }
        }
        let digest = value::visible(&unescape(&self.told.sent), &calls);
        (!hidden.is_empty()).then_some((hidden, Visible { ids, digest }))
    }

    /// What the agent is told: the input of the last round, the output of all.
    pub fn usage(&self) -> Usage {
        Usage { input: self.now.usage.input, output: self.spent.plus(self.now.usage).output }
    }

    /// What all rounds used together.
    pub fn total(&self) -> Usage {
        let vain = self.vain.as_ref().map(|vain| vain.now.usage).unwrap_or_default();
        self.spent.plus(self.now.usage).plus(vain)
    }
}

fn usage_of(usage: Json<'_>, before: Usage) -> Usage {
    let tokens =
        |name| usage.member(name).and_then(Json::integer).and_then(|tokens| u64::try_from(tokens).ok());
    Usage {
        input: tokens("prompt_tokens").unwrap_or(before.input),
        output: tokens("completion_tokens").unwrap_or(before.output),
    }
}

#[cfg(test)]
mod tests;
