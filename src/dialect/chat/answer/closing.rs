//! How a round ends: the answer is over, another round follows, or the proxy has the last word.

use bytes::Bytes;

use crate::dialect::{Broken, Call, Closing, Decision, HiddenRound};
use crate::wire::canonical::{escaped, quote};
use crate::wire::span::unescape;
use crate::wire::sse::Frame;

use super::super::calls::Slot;
use super::super::event::Finish;
use super::super::write;
use super::queue::Queue;
use super::{APART, Answer, DONE, Head, Last, Round, Texts, Vain};

impl Answer {
    /// Says how one of several choices ends should it lose all of its calls. It may be said anew with each call
    /// that is refused.
    pub fn close_choice(&mut self, choice: u32, words: String) {
        self.words.retain(|(of, _)| *of != choice);
        if !self.texts.is_filtered_in(choice) {
            self.words.push((choice, words));
        }
    }

    /// The provider's body has ended. Gives what is missing from a complete stream.
    pub fn end(&mut self, out: &mut Vec<Bytes>) -> Result<(), Broken> {
        if self.whole || self.now.failed || self.now.done {
            return Ok(());
        }
        if !self.texts.are_finished() || !self.calls.are_decided() {
            return Err(Broken::Unfinished);
        }
        self.now.done = true;
        out.push(Bytes::from_static(DONE));
        Ok(())
    }

    /// Everything of this round was refused: gives the elements that tell the model so, and begins the next
    /// round. What the model said besides goes out.
    pub fn remand(&mut self, out: &mut Vec<Bytes>) -> Vec<Bytes> {
        while let Some(held) = self.queue.next(&self.calls, true) {
            if !self.whole {
                self.render_held(held, true, out);
            }
        }
        let text = std::mem::take(&mut self.texts).into_first();
        let elements = write::round(&text, &self.calls.slots);
        // Of whole answers the agent gets the last round's members, merged with nothing.
        let others = if self.whole { Vec::new() } else { text.others.in_pieces() };
        self.hidden.rounds.push(HiddenRound { elements: elements.clone(), others });
        let hidden_text = std::mem::replace(&mut self.hidden.text, unescape(&self.told.sent).len());
        let usage = std::mem::take(&mut self.now).usage;
        self.spent = self.spent.plus(usage);
        self.last = Some(Last { calls: self.calls.next_round(), hidden_text, usage });
        self.round += 1;
        self.told.to_set_apart = !self.told.sent.is_empty();
        elements
    }

    /// This round is [vain](Self::is_vain), and is asked for once more. Nobody waits for a better one after that.
    pub fn begin_anew(&mut self) {
        let begun = self.round > 0 || self.told.begun;
        self.vain = Some(Vain {
            queue: std::mem::take(&mut self.queue),
            texts: std::mem::take(&mut self.texts),
            now: std::mem::take(&mut self.now),
            begun,
        });
        self.patient = false;
        if begun {
            self.round += 1;
        } else {
            (self.head, self.heard) = (Head::default(), false);
        }
    }

    /// Asking once more has failed, and nothing of it went out, so that the end of what came first can.
    pub fn can_take_back(&self) -> bool {
        self.is_silent() && self.vain.as_ref().is_some_and(|vain| vain.begun || !self.told.begun)
    }

    /// The answer ends as it did at first. Only where [`can_take_back`](Self::can_take_back) says so.
    pub fn take_back(&mut self) {
        let Some(vain) = self.vain.take() else { return };
        self.round -= usize::from(vain.begun);
        (self.queue, self.texts, self.now) = (vain.queue, vain.texts, vain.now);
    }

    /// This round came to nothing, and the refused calls of the one before it may go on: they do, as `decisions`
    /// say, in events of our own, and the stream is complete. Only where [`can_resume`](Self::can_resume) says so.
    /// Gives the calls as the model wrote them.
    pub fn resume(&mut self, decisions: Vec<Decision>, out: &mut Vec<Bytes>) -> Vec<Call<'static>> {
        let Some(last) = self.last.take() else { return Vec::new() };
        self.queue = Queue::default();
        self.texts = Texts::default();
        self.hidden.rounds.pop();
        self.hidden.text = last.hidden_text;
        self.round -= 1;
        self.spent = self.spent.minus(last.usage);
        self.now = Round { came: true, speaks: self.now.speaks, usage: last.usage, ..Round::default() };
        self.calls = last.calls;
        self.calls.reopen();
        for (position, decision) in decisions.into_iter().enumerate() {
            self.decide(position, decision);
        }
        for position in 0..self.calls.slots.len() {
            for (part, (id, call)) in self.outgoing(position).into_iter().enumerate() {
                let Some(slot) = self.calls.slots.get(position) else { continue };
                let call = write::new_call(slot, &id, &call, Some(slot.number + part));
                self.tell(0, &format!("\"tool_calls\":[{call}]"), "null", out);
            }
        }
        self.finish_with(if self.legacy { "function_call" } else { "tool_calls" }, out);
        self.calls.slots.iter().map(Slot::call).collect()
    }

    /// The next round did not come about: the answer ends in words said in the model's place.
    pub fn say_instead(&mut self, words: &str, out: &mut Vec<Bytes>) {
        if let Some(last) = self.last.take() {
            self.spent = self.spent.minus(last.usage);
            self.now.usage = last.usage;
        }
        let before = self.told.sent.len();
        self.say(&escaped(words));
        if self.whole {
            out.push(write::whole(&self.head_members(), &self.told.sent, self.usage()));
            return;
        }
        let told = self.told.sent.get(before..).unwrap_or_default().to_owned();
        self.tell(0, &format!("\"content\":\"{told}\""), "null", out);
        self.finish_with("stop", out);
    }

    fn finish_with(&mut self, label: &str, out: &mut Vec<Bytes>) {
        self.tell(0, "", &quote(label), out);
        if self.tells_usage {
            out.push(write::usage_event(&self.head_members(), self.usage()));
        }
        out.push(Bytes::from_static(DONE));
        self.texts.finish(0, Finish::Stop);
        self.now.done = true;
    }

    /// The provider itself refused a call that the model wrote: it counts as one of this round. Gives the id it
    /// gets.
    pub fn refuse_unseen(&mut self, name: &str, arguments: &str, text: String) -> String {
        self.texts.finish(0, Finish::ToolCalls);
        self.calls.refuse_unseen(name, arguments, text)
    }

    /// An event of our own; it begins the answer where nothing else has.
    fn tell(&mut self, choice: u32, members: &str, finish: &str, out: &mut Vec<Bytes>) {
        let opening = self.told.opening.take();
        let names_role = choice == 0 && !self.told.begun && opening.is_none();
        self.told.begun |= choice == 0;
        out.extend(opening);
        let role = if names_role { "\"role\":\"assistant\"" } else { "" };
        let comma = if names_role && !members.is_empty() { "," } else { "" };
        out.push(write::event(&self.head_members(), choice, &format!("{role}{comma}{members}"), finish));
    }

    pub(super) fn say_closing(&mut self, choice: u32, out: &mut Vec<Bytes>) {
        if let Some(words) = self.closing_words(choice) {
            self.tell(choice, &format!("\"content\":\"{words}\""), "null", out);
        }
    }

    /// The words that end an answer whose calls were all refused, escaped, set apart from what was said before.
    /// They are given once.
    pub(super) fn closing_words(&mut self, choice: u32) -> Option<String> {
        if !self.is_emptied(choice) || self.told.closed.contains(&choice) {
            return None;
        }
        let own = self.words.iter().find(|(of, _)| *of == choice).map(|(_, words)| words);
        let ((Some(words), _) | (None, Some(Closing::Words(words)))) = (own, &self.closing) else {
            return None;
        };
        let said = escaped(words);
        self.told.closed.push(choice);
        if choice != 0 {
            let apart = if self.texts.of(choice).said.is_empty() { "" } else { APART };
            return Some(format!("{apart}{said}"));
        }
        let before = self.told.sent.len();
        if self.now.speaks {
            self.told.sent.push_str(APART);
        }
        self.say(&said);
        self.told.sent.get(before..).map(str::to_owned)
    }

    /// The finish reason to tell where the provider's does not fit what goes out.
    pub(super) fn label(&self, choice: u32, finish: Finish) -> Option<&'static str> {
        // An error is no end, and is not made one.
        if self.now.failed {
            return None;
        }
        let calls = if self.legacy { "function_call" } else { "tool_calls" };
        if self.calls.outgoing(choice) > 0 {
            let wrong = match finish {
                Finish::Stop | Finish::Other => true,
                Finish::FunctionCall => !self.legacy,
                Finish::Length => self.calls.refused(choice) > 0,
                Finish::ToolCalls | Finish::Filtered => false,
            };
            return wrong.then_some(calls);
        }
        if self.calls.refused(choice) == 0 {
            return None;
        }
        match (&self.closing, finish) {
            (Some(Closing::Length), Finish::Length) | (Some(Closing::AsItIs), _) | (_, Finish::Filtered) => {
                None
            }
            (Some(Closing::Length), _) => Some("length"),
            _ => (finish != Finish::Stop).then_some("stop"),
        }
    }

    pub(super) fn render_done(&mut self, frame: &Frame, strip: bool, out: &mut Vec<Bytes>) {
        if strip {
            return;
        }
        let unfinished = if self.now.failed { Vec::new() } else { self.texts.unfinished() };
        for choice in unfinished {
            self.say_closing(choice, out);
            let label = self.label(choice, Finish::Other).unwrap_or("stop");
            self.tell(choice, "", &quote(label), out);
        }
        out.push(frame.raw.clone());
    }

    /// The members that all events of the answer share, for events of our own.
    fn head_members(&self) -> String {
        self.head.members(&self.own)
    }
}
