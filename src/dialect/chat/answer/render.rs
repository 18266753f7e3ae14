//! How events go out: as they came, or with the smallest change.

use bytes::Bytes;

use crate::dialect::{CallKind, NewCall, Usage};
use crate::wire::span::{Json, Span};
use crate::wire::splice::{Splices, append, without};
use crate::wire::sse::Frame;

use super::super::calls::State;
use super::super::event::{self, Choice, Event, Finish, Fragment};
use super::super::write;
use super::queue::{Held, Touched};
use super::{APART, Answer, frame, usage_of};

/// Changes to one event's data, and whether what is left says anything to an agent.
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not states of one thing")]
struct Draft<'a> {
    data: &'a str,
    edits: Splices,
    says: bool,
    /// What is left can begin an assistant's message.
    begins: bool,
    /// It names the role, which the agent was not told before.
    opens: bool,
    /// Said before the event, in events of our own.
    before: Vec<Bytes>,
    /// The round is not the last: its end is not told.
    strip: bool,
}

/// What becomes of one piece of a call.
enum Piece {
    AsItIs,
    Text(String),
    Gone,
}

impl Answer {
    /// The calls of a held event are decided: lets it out. `strip`: without the round's end.
    pub(super) fn render_held(&mut self, held: Held, strip: bool, out: &mut Vec<Bytes>) {
        let plain = !strip && self.round == 0 && !held.about.ends && held.is_plain(&self.calls, self.whole);
        if !plain {
            return self.render(&held.event, &held.about.calls, strip, out);
        }
        if held.about.begins {
            out.extend(self.told.opening.take());
            self.told.begun = true;
        }
        self.start(&held.about.calls);
        out.push(held.raw());
    }

    fn start(&mut self, calls: &Touched) {
        if let Touched::One(position) = calls
            && let Some(slot) = self.calls.slots.get_mut(*position)
        {
            slot.started = true;
        }
    }

    fn render(&mut self, frame: &Frame, calls: &Touched, strip: bool, out: &mut Vec<Bytes>) {
        let data = frame.data.as_deref().and_then(|data| std::str::from_utf8(data).ok());
        if frame::is_done(frame) {
            return self.render_done(frame, strip, out);
        }
        let Some((data, Ok(event))) = data.map(|data| (data, event::read(data, self.whole))) else {
            return out.push(frame.raw.clone());
        };
        let mut draft = Draft {
            data,
            edits: Splices::default(),
            says: self.whole || event.error,
            begins: false,
            opens: false,
            before: Vec::new(),
            strip,
        };
        self.render_event(&event, calls, &mut draft);
        out.append(&mut draft.before);
        if draft.says || !strip && draft.edits.is_empty() {
            if draft.says && !draft.opens {
                out.extend(self.told.opening.take());
            }
            if draft.opens {
                self.told.opening = None;
            }
            self.told.begun |= draft.begins || draft.opens;
            out.push(frame::put(frame, &draft.edits));
        } else if draft.opens {
            self.told.opening = Some(frame::put(frame, &draft.edits));
        }
    }

    fn render_event(&mut self, event: &Event, calls: &Touched, draft: &mut Draft<'_>) {
        if self.round > 0 {
            let head = &self.head;
            for (at, first) in
                [(event.id, &head.id), (event.created, &head.created), (event.model, &head.model)]
            {
                if let (Some(at), Some(first)) = (at, first)
                    && at.of(draft.data) != first
                {
                    draft.edits.replace(at, first.clone());
                }
            }
        }
        let mut piece = 0;
        for choice in &event.choices {
            let before = draft.edits.count();
            self.render_calls(choice, calls, &mut piece, draft);
            if self.whole {
                self.render_whole_text(choice, draft);
            }
            self.render_text(choice, draft);
            self.render_finish(choice, draft);
            if let Some(echo) = choice.echo.filter(|_| draft.edits.count() != before) {
                // It repeats what was changed.
                let object = Json::trusted(choice.at.of(draft.data));
                for cut in without(object, choice.at.start, &[echo]) {
                    draft.edits.remove(cut);
                }
            }
        }
        if let Some(usage) = event.usage {
            self.render_usage(usage, draft);
        }
    }

    /// Usage of several rounds: the last one's input, the output of all.
    fn render_usage(&mut self, at: Span, draft: &mut Draft<'_>) {
        if draft.strip {
            return draft.edits.replace(at, "null");
        }
        draft.says = true;
        if self.spent.output == 0 {
            return;
        }
        let usage = Json::trusted(at.of(draft.data));
        // As of this event: the answer may have come further since.
        let told = usage_of(usage, Usage::default());
        let output = self.spent.output.saturating_add(told.output);
        let total = told.input.saturating_add(output);
        for (name, value) in [("completion_tokens", output), ("total_tokens", total)] {
            if let Some(old) = usage.member(name) {
                draft.edits.replace(old.span_in(draft.data), value.to_string());
            }
        }
    }

    fn render_text(&mut self, choice: &Choice, draft: &mut Draft<'_>) {
        let says = !choice.others.is_empty() || choice.has_text();
        draft.says |= says;
        draft.begins |= says && choice.index == 0;
        let Some(content) = choice.content.filter(|_| choice.index == 0 && choice.has_text() && !self.whole)
        else {
            return;
        };
        if std::mem::take(&mut self.told.to_set_apart) {
            draft.edits.insert(content.start + 1, APART);
        }
    }

    /// A whole answer tells what all rounds said, and the words that were put in the model's place.
    fn render_whole_text(&mut self, choice: &Choice, draft: &mut Draft<'_>) {
        let closing = self.closing_words(choice.index);
        if choice.index != 0 {
            if let Some(words) = closing {
                let said = self.texts.of(choice.index).said.clone() + &words;
                set_content(choice, &said, draft);
            }
        } else if closing.is_some() || (self.round > 0 && !self.told.sent.is_empty()) {
            let said = self.told.sent.clone();
            set_content(choice, &said, draft);
        }
    }

    fn render_calls(&mut self, choice: &Choice, calls: &Touched, piece: &mut usize, draft: &mut Draft<'_>) {
        let mut members = Vec::new();
        if self.round > 0 && !self.whole && self.told.begun {
            members.extend(choice.role);
        } else if choice.names_role && choice.index == 0 {
            draft.opens |= !self.told.begun;
        } else if choice.names_role {
            draft.says = true;
        }
        let mut gone = Vec::new();
        let mut edits = Vec::new();
        let mut element = 0;
        for fragment in &choice.fragments {
            let position = calls.of(*piece);
            *piece += 1;
            let in_list = fragment.kind != CallKind::Legacy;
            let rendered = self.render_piece(position, fragment, choice.retold, draft);
            let says = !matches!(rendered, Piece::Gone);
            draft.says |= says;
            draft.begins |= says && choice.index == 0;
            match rendered {
                Piece::AsItIs => {}
                Piece::Text(text) => edits.push((fragment.at, text)),
                Piece::Gone if in_list => gone.push(element),
                Piece::Gone => members.extend(choice.legacy),
            }
            element += usize::from(in_list);
        }
        if let Some(list) = choice.calls_at.filter(|_| !gone.is_empty()) {
            if gone.len() == element {
                members.extend(choice.calls);
            } else {
                let cuts = without(Json::trusted(list.of(draft.data)), list.start, &gone);
                for cut in cuts {
                    draft.edits.remove(cut);
                }
            }
        }
        members.sort_unstable();
        let delta = Json::trusted(choice.delta.of(draft.data));
        for cut in without(delta, choice.delta.start, &members) {
            draft.edits.remove(cut);
        }
        for (at, text) in edits {
            draft.edits.replace(at, text);
        }
    }

    /// `retold`: the fragment is a whole call, which may have gone out in pieces.
    fn render_piece(
        &mut self,
        position: Option<usize>,
        fragment: &Fragment,
        retold: bool,
        draft: &mut Draft<'_>,
    ) -> Piece {
        let Some(position) = position else { return Piece::Gone };
        let Some(slot) = self.calls.slots.get_mut(position) else { return Piece::Gone };
        let first = !std::mem::replace(&mut slot.started, true);
        let numbered = !self.whole && !retold && fragment.kind != CallKind::Legacy;
        let number = slot.number;
        let index = |part: usize| numbered.then_some(number + part);
        match &slot.state {
            State::Forwarded if slot.irregular && (first || !retold) => {
                Piece::Text(write::piece(slot, fragment, draft.data, index(0), first))
            }
            State::Forwarded => {
                match fragment.index {
                    Some((old, at)) if numbered && old as usize != number => {
                        draft.edits.replace(at, number.to_string());
                    }
                    None if numbered => {
                        draft.edits.insert(fragment.at.start + 1, format!("\"index\":{number},"));
                    }
                    _ => {}
                }
                Piece::AsItIs
            }
            State::Replaced(_) if first => {
                let outgoing = self.outgoing(position);
                let Some(slot) = self.calls.slots.get(position) else { return Piece::Gone };
                let calls = outgoing.iter().enumerate();
                let texts: Vec<_> =
                    calls.map(|(part, (id, call))| write::new_call(slot, id, call, index(part))).collect();
                Piece::Text(texts.join(","))
            }
            _ => Piece::Gone,
        }
    }

    /// The calls that go out in the place of call `position`, each with its id.
    pub(super) fn outgoing(&self, position: usize) -> Vec<(String, NewCall)> {
        let Some(slot) = self.calls.slots.get(position) else { return Vec::new() };
        let id = |part: usize| if part == 0 { slot.id.clone() } else { self.calls.mint(position, part) };
        match &slot.state {
            State::Replaced(calls) => {
                calls.iter().cloned().enumerate().map(|(part, call)| (id(part), call)).collect()
            }
            State::Refused(_) | State::Lost => Vec::new(),
            _ => vec![(id(0), NewCall { name: slot.name.clone(), arguments: slot.arguments() })],
        }
    }

    fn render_finish(&mut self, choice: &Choice, draft: &mut Draft<'_>) {
        // A whole answer has ended, whether it says how or not.
        let Some(finish) = choice.finish.or(self.whole.then_some(Finish::Other)) else { return };
        if draft.strip {
            if let Some(at) = choice.finish_at {
                draft.edits.replace(at, "null");
            }
            return;
        }
        draft.says = true;
        if let Some(label) = self.label(choice.index, finish) {
            if let Some(at) = choice.finish_at {
                draft.edits.replace(at, format!("\"{label}\""));
            } else {
                let object = Json::trusted(choice.at.of(draft.data));
                let member = format!("\"finish_reason\":\"{label}\"");
                let (at, with) = append(object, choice.at.start, &member);
                draft.edits.insert(at, with);
            }
        }
        if self.whole {
            return;
        }
        // What begins the answer, or says something, goes before the words that end it.
        if let Some(content) = choice.content.filter(|_| choice.has_text()) {
            let words = self.closing_words(choice.index).unwrap_or_default();
            draft.edits.insert(content.start + content.len() - 1, words);
        } else if choice.names_role && !(self.round > 0 && self.told.begun) {
            if let Some(words) = self.closing_words(choice.index) {
                set_content(choice, &words, draft);
            }
        } else {
            self.say_closing(choice.index, &mut draft.before);
        }
    }
}

fn set_content(choice: &Choice, said: &str, draft: &mut Draft<'_>) {
    let (delta, said) = (Json::trusted(choice.delta.of(draft.data)), format!("\"{said}\""));
    if let Some(old) = delta.member("content") {
        draft.edits.replace(old.span_in(draft.data), said);
    } else {
        let (at, with) = append(delta, choice.delta.start, &format!("\"content\":{said}"));
        draft.edits.insert(at, with);
    }
}
