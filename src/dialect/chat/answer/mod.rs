//! An answer as it comes: events go in, what the agent may see goes out, calls wait in between.
//!
//! The event is the unit. One that holds a piece of an undecided call waits, and all that come after it queue
//! behind it in order. What nothing was done to goes out as the bytes it came in as; a row of waiting events
//! of one call is kept as one piece of memory. One answer to the agent may be made of several rounds: each
//! further one continues the first.

mod queue;
mod render;
mod text;

use bytes::Bytes;
use memchr::memmem;

use crate::dialect::{
    Broken, Call, Closing, Decision, Hidden, HiddenCall, HiddenRound, Pending, Transcript, Usage, Visible,
};
use crate::wire::canonical::quote;
use crate::wire::span::Json;
use crate::wire::sse::{Frame, ends_blank};

use super::calls::{Calls, Slot, State};
use super::event::{self, Event, Finish};
use super::{value, write};
use queue::Queue;
pub(super) use text::Text;

/// Reads one answer, over all of its rounds.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not states of one thing")]
pub struct Answer {
    /// One body instead of events.
    whole: bool,
    /// The agent asked for one choice: only then is the model asked again.
    single: bool,
    /// The call is told in the API's first form.
    legacy: bool,
    /// Rounds that were refused whole before this one.
    round: usize,
    head: Head,
    calls: Calls,
    queue: Queue,
    /// What each choice of this round says, by index.
    texts: Vec<Text>,
    /// What the agent was told in the first choice, over all rounds: escaped, without quotes.
    sent: String,
    /// This round has said something.
    speaks: bool,
    /// An earlier round has said something, and what this one says first must be set apart from it when it goes
    /// out.
    to_set_apart: bool,
    hidden: Hidden,
    closing: Option<Closing>,
    /// Where several choices were asked for: the words in which one ends that lost all of its calls.
    words: Vec<(u32, String)>,
    /// The words of [`Closing::Words`] went out.
    closed: Vec<u32>,
    done: bool,
    failed: bool,
    /// Events of the first round that tell whose answer this is, and have not been dropped.
    roles: usize,
    /// None of them went out: the first of a later round does.
    owes_role: bool,
    usage: Usage,
    /// Tokens of earlier rounds.
    spent: Usage,
    /// The agent wants to be told the usage of a stream.
    tells_usage: bool,
    /// The round before this one, in case this one comes to nothing.
    last: Option<Last>,
}

/// What is kept of a refused round while the next one runs.
#[derive(Debug)]
struct Last {
    calls: Vec<Slot>,
    /// As in [`Hidden::text`], before that round.
    hidden_text: usize,
    usage: Usage,
}

/// What is the same in all events of one answer: raw values of the first round.
#[derive(Clone, Debug, Default)]
struct Head {
    id: Option<String>,
    created: Option<String>,
    model: Option<String>,
}

/// Between what two rounds say; escaped.
const APART: &str = "\\n\\n";

/// Names under which calls are told.
const CALLS: [&[u8]; 2] = [b"tool_calls", b"function_call"];

const DONE: &[u8] = b"data: [DONE]\n\n";

// === impl Answer ===

impl Answer {
    /// `limit`: bytes of call input that may wait undecided.
    pub fn new(transcript: &Transcript, limit: usize) -> Self {
        let offered = transcript.tools.iter().map(|tool| tool.name.clone()).collect();
        let seed = value::seed(transcript);
        Self {
            whole: !transcript.stream,
            single: transcript.choices == 1,
            legacy: false,
            round: 0,
            head: Head::default(),
            calls: Calls::new(offered, limit, seed),
            queue: Queue::default(),
            texts: Vec::new(),
            sent: String::new(),
            speaks: false,
            to_set_apart: false,
            hidden: Hidden::default(),
            closing: None,
            words: Vec::new(),
            closed: Vec::new(),
            done: false,
            failed: false,
            roles: 0,
            owes_role: false,
            usage: Usage::default(),
            spent: Usage::default(),
            tells_usage: transcript.usage,
            last: None,
        }
    }

    /// Takes the next event of a stream, or the body of a whole answer as one frame.
    pub fn push(&mut self, frame: Frame, whole: bool) -> Result<(), Broken> {
        self.whole = whole;
        self.done |= whole;
        if frame.data.as_deref() == Some(b"[DONE]") {
            self.done = true;
            self.finish_all();
            self.queue.push(frame, Vec::new(), true);
            return Ok(());
        }
        let data = frame.data.clone();
        let text = data.as_deref().and_then(|data| simdutf8::basic::from_utf8(data).ok()).unwrap_or_default();
        let event = match event::read(text) {
            Ok(event) => event,
            Err(malformed) => {
                self.doubt(&frame, malformed.truncated && !text.is_empty())?;
                self.queue.push(frame, Vec::new(), false);
                return Ok(());
            }
        };
        let fragments = self.take(&event, text)?;
        let ends = event.choices.iter().any(|choice| choice.finish.is_some()) || self.is_ending();
        self.queue.push(frame, fragments, ends);
        Ok(())
    }

    /// An event that cannot be read goes on as it came: clients skip it, or say so. Not one that may hold a call
    /// (some clients read what is no JSON: `NaN`, bytes that are no text), and not half of one.
    fn doubt(&self, frame: &Frame, is_cut: bool) -> Result<(), Broken> {
        let Some(data) = &frame.data else { return Ok(()) };
        if CALLS.iter().any(|name| memmem::find(data, name).is_some()) {
            return Err(Broken::Unreadable);
        }
        let is_half = if self.whole { is_cut } else { !self.done && !ends_blank(&frame.raw) };
        if is_half { Err(Broken::Unfinished) } else { Ok(()) }
    }

    fn take(&mut self, event: &Event, data: &str) -> Result<Vec<Option<usize>>, Broken> {
        if !event.choices.is_empty() {
            self.head.keep(event, data);
        }
        if event.error {
            self.failed = true;
            self.calls.abandon();
        }
        if let Some(usage) = event.usage {
            self.usage = usage_of(Json::trusted(usage.of(data)), self.usage);
        }
        let mut fragments = Vec::new();
        for choice in &event.choices {
            self.roles += usize::from(self.round == 0 && choice.role.is_some());
            self.text(choice.index).take(choice, data);
            if let Some(content) = choice.content.filter(|_| choice.index == 0) {
                self.say(Json::trusted(content.of(data)).raw_string().unwrap_or_default());
            }
            for fragment in &choice.fragments {
                fragments.push(self.calls.take(choice.index, fragment, data, self.whole)?);
            }
            self.legacy |= choice.legacy.is_some() && !choice.fragments.is_empty();
            if let Some(finish) = choice.finish {
                self.text(choice.index).finish = Some(finish);
                self.calls.complete(choice.index, matches!(finish, Finish::Length | Finish::Filtered));
            }
        }
        if self.whole {
            self.finish_all();
        }
        Ok(fragments)
    }

    fn text(&mut self, choice: u32) -> &mut Text {
        let known = self.texts.iter().position(|text| text.choice == choice);
        let place = known.unwrap_or(self.texts.len());
        if known.is_none() {
            self.texts.push(Text::new(choice));
        }
        self.texts.get_mut(place).expect("it is there, or was just pushed")
    }

    fn finish_all(&mut self) {
        for text in &self.texts {
            self.calls.complete(text.choice, false);
        }
    }

    /// Remembers what the agent is told.
    fn say(&mut self, said: &str) {
        if !self.speaks && self.round > 0 && !self.sent.is_empty() && !said.is_empty() {
            self.sent.push_str(APART);
            self.hidden.text = text::unescaped_len(&self.sent);
        }
        self.speaks |= !said.is_empty();
        self.sent.push_str(said);
    }

    /// The next call that is complete and undecided. Calls are told in order.
    pub fn next_call(&self) -> Option<Pending> {
        for (position, slot) in self.calls.slots.iter().enumerate() {
            let (cut, too_large) = match slot.state {
                State::Open => return None,
                State::Complete { cut } => (cut, false),
                State::TooLarge => (false, true),
                _ => continue,
            };
            return Some(Pending { position, choice: slot.choice, call: slot.call(), cut, too_large });
        }
        None
    }

    pub fn decide(&mut self, position: usize, decision: Decision) {
        if let Some(slot) = self.calls.slots.get_mut(position) {
            slot.state = match decision {
                Decision::Forward => State::Forwarded,
                Decision::Replace(calls) => State::Replaced(calls),
                Decision::Refuse(text) => State::Refused(text),
            };
        }
    }

    /// Lets out what need not wait any longer.
    pub fn release(&mut self, out: &mut Vec<Bytes>) {
        while let Some(held) = self.queue.next(&self.calls, !self.must_wait()) {
            self.render_held(&held, false, out);
        }
    }

    /// The end has come, all calls were refused, and nobody has said yet how to go on: with
    /// [`remand`](Self::remand) or [`close`](Self::close).
    pub fn must_wait(&self) -> bool {
        self.single
            && self.closing.is_none()
            && !self.failed
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
        self.failed
    }

    /// This round has let no call out, so that the refused calls of the one before it can still go on.
    pub fn can_resume(&self) -> bool {
        let is_out = |slot: &Slot| matches!(slot.state, State::Forwarded | State::Replaced(_));
        !self.whole && self.last.is_some() && !self.calls.slots.iter().any(is_out)
    }

    /// A call is waiting, or the end is.
    pub fn is_holding(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The stream has announced its end.
    pub fn is_done(&self) -> bool {
        self.done
    }

    fn is_ending(&self) -> bool {
        self.done || self.texts.iter().any(|text| text.finish.is_some())
    }

    /// The answer's last event is out or about to be.
    pub fn is_over(&self) -> bool {
        self.is_ending() && !self.must_wait()
    }

    /// The provider cut the answer for its content: nothing is asked again.
    pub fn is_filtered(&self) -> bool {
        self.texts.iter().any(|text| text.finish == Some(Finish::Filtered))
    }

    pub fn forwarded(&self) -> usize {
        self.calls
            .slots
            .iter()
            .map(|slot| slot.choice)
            .max()
            .map_or(0, |last| (0..=last).map(|choice| self.calls.outgoing(choice)).sum())
    }

    /// The choices that lost all of their calls.
    pub fn is_emptied(&self, choice: u32) -> bool {
        self.calls.refused(choice) > 0 && self.calls.outgoing(choice) == 0
    }

    /// Says how an answer ends whose calls were all refused.
    pub fn close(&mut self, closing: Closing) {
        self.closing = Some(closing);
    }

    /// Says how one of several choices ends should it lose all of its calls. It may be said anew with each call
    /// that is refused.
    pub fn close_choice(&mut self, choice: u32, words: String) {
        self.words.retain(|(of, _)| *of != choice);
        if !self.texts.iter().any(|text| text.choice == choice && text.finish == Some(Finish::Filtered)) {
            self.words.push((choice, words));
        }
    }

    /// The provider's body has ended. Gives what is missing from a complete stream.
    pub fn end(&mut self, out: &mut Vec<Bytes>) -> Result<(), Broken> {
        if self.whole || self.failed || self.done {
            return Ok(());
        }
        if self.texts.is_empty() || self.texts.iter().any(|text| text.finish.is_none()) {
            return Err(Broken::Unfinished);
        }
        self.done = true;
        out.push(Bytes::from_static(DONE));
        Ok(())
    }

    /// Everything of this round was refused: gives the elements that tell the model so, and begins the next
    /// round. What the model said besides goes out.
    pub fn remand(&mut self, out: &mut Vec<Bytes>) -> Vec<Bytes> {
        while let Some(held) = self.queue.next(&self.calls, true) {
            if !self.whole {
                self.render_held(&held, true, out);
            }
        }
        self.owes_role |= self.round == 0 && self.roles == 0;
        let mut text = std::mem::take(&mut self.texts).into_iter().next().unwrap_or_else(|| Text::new(0));
        let elements = write::round(&text, &self.calls.slots);
        self.hidden.rounds.push(HiddenRound { elements: elements.clone(), others: text.take_others() });
        let hidden_text = std::mem::replace(&mut self.hidden.text, text::unescaped_len(&self.sent));
        let usage = std::mem::take(&mut self.usage);
        self.spent = self.spent.plus(usage);
        let calls = self.calls.next_round();
        self.last = Some(Last { calls, hidden_text, usage });
        self.round += 1;
        (self.speaks, self.done, self.to_set_apart) = (false, false, !self.sent.is_empty());
        elements
    }

    /// This round came to nothing, and the refused calls of the one before it may go on: they do, as `decisions`
    /// say, in events of our own, and the stream is complete. Only where [`can_resume`](Self::can_resume) says so.
    /// Gives the calls as the model wrote them.
    pub fn resume(&mut self, decisions: Vec<Decision>, out: &mut Vec<Bytes>) -> Vec<Call<'static>> {
        let Some(last) = self.last.take() else { return Vec::new() };
        self.queue = Queue::default();
        self.texts.clear();
        (self.done, self.failed) = (false, false);
        self.hidden.rounds.pop();
        self.hidden.text = last.hidden_text;
        self.round -= 1;
        self.spent = self.spent.minus(last.usage);
        self.usage = last.usage;
        self.calls.resume(last.calls);
        for (position, decision) in decisions.into_iter().enumerate() {
            self.decide(position, decision);
        }
        let head = self.head_members();
        let mut role = self.own_role();
        for (position, slot) in self.calls.slots.iter().enumerate() {
            let number = self.calls.number(position);
            for (part, (id, call)) in self.outgoing(position).iter().enumerate() {
                let call = write::new_call(slot, id, call, Some(number + part));
                out.push(write::call_event(&head, std::mem::take(&mut role), &call));
            }
        }
        let label = if self.legacy { "function_call" } else { "tool_calls" };
        self.finish_with(label, &head, out);
        self.calls.slots.iter().map(Slot::call).collect()
    }

    /// The next round did not come about: the answer ends in words said in the model's place.
    pub fn say_instead(&mut self, words: &str, out: &mut Vec<Bytes>) {
        if let Some(last) = self.last.take() {
            self.spent = self.spent.minus(last.usage);
            self.usage = last.usage;
        }
        let head = self.head_members();
        let before = self.sent.len();
        let said = quote(words);
        self.say(Json::trusted(&said).raw_string().unwrap_or_default());
        if self.whole {
            out.push(write::whole(&head, &self.sent, self.usage()));
            return;
        }
        let role = self.own_role();
        let told = self.sent.get(before..).unwrap_or_default();
        out.push(write::text_event(&head, role, 0, told));
        self.finish_with("stop", &head, out);
    }

    /// The role, where the agent was not told it yet: what goes out next tells it.
    fn own_role(&mut self) -> &'static str {
        if std::mem::take(&mut self.owes_role) { write::ROLE } else { "" }
    }

    fn finish_with(&mut self, label: &str, head: &str, out: &mut Vec<Bytes>) {
        out.push(write::finish_event(head, 0, label));
        if self.tells_usage {
            out.push(write::usage_event(head, self.usage()));
        }
        out.push(Bytes::from_static(DONE));
        self.text(0).finish = Some(Finish::Stop);
        self.done = true;
    }

    /// The provider itself refused a call that the model wrote: it counts as one of this round.
    /// Gives the id it gets.
    pub fn refuse_unseen(&mut self, name: &str, arguments: &str, text: String) -> String {
        let id = self.calls.mint(0, 0);
        self.calls.slots.push(Slot::unseen(id.clone(), name, arguments, text));
        self.text(0).finish = Some(Finish::ToolCalls);
        id
    }

    /// What the agent does not see of this exchange, and what it does; `None` where it sees everything.
    pub fn aside(&self) -> Option<(Hidden, Visible)> {
        if !self.single || (self.hidden.is_empty() && self.calls.refused(0) == 0) {
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
                State::Refused(_) => {}
                _ => {
                    for (id, call) in self.outgoing(position) {
                        calls.push((id.clone(), call.name, call.arguments));
                        ids.push(id);
                        place += 1;
                    }
                }
            }
        }
        let digest = value::visible(&text::unescaped(&self.sent), &calls);
        let is_kept = self.single && !self.failed && !hidden.is_empty();
        is_kept.then_some((hidden, Visible { ids, digest }))
    }

    /// What the agent is told: the input of the last round, the output of all.
    pub fn usage(&self) -> Usage {
        Usage { input: self.usage.input, output: self.total().output }
    }

    /// What all rounds used together.
    pub fn total(&self) -> Usage {
        self.spent.plus(self.usage)
    }
}

// === impl Head ===

impl Head {
    fn keep(&mut self, event: &Event, data: &str) {
        let raw = |span: Option<crate::wire::span::Span>| span.map(|span| span.of(data).to_owned());
        self.id = self.id.take().or_else(|| raw(event.id));
        self.created = self.created.take().or_else(|| raw(event.created));
        self.model = self.model.take().or_else(|| raw(event.model));
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
