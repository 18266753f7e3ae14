//! How events go out: as they came, or with the smallest change.

use bytes::{BufMut, Bytes, BytesMut};

use crate::dialect::{CallKind, Closing, NewCall};
use crate::wire::canonical::quote;
use crate::wire::span::{Json, Span};
use crate::wire::splice::{Splices, append, without};
use crate::wire::sse::{Frame, Framer};

use super::super::calls::State;
use super::super::event::{self, Choice, Event, Finish, Fragment};
use super::super::write;
use super::queue::{Held, Raw, Touched};
use super::{APART, Answer, text};

/// Changes to one event's data, and whether what is left says anything to an agent.
struct Draft<'a> {
    data: &'a str,
    edits: Splices,
    says: bool,
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
    /// The calls of a held row are decided: lets it out. `strip`: without the round's end.
    pub(super) fn render_held(&mut self, held: &Held, strip: bool, out: &mut Vec<Bytes>) {
        let plain = !strip && self.round == 0 && !held.ends && held.is_plain(&self.calls, self.whole);
        match &held.raw {
            Raw::One(frame) if plain => self.pass(frame, &held.calls, out),
            Raw::Row(row) if plain => {
                self.start(&held.calls);
                out.push(Bytes::copy_from_slice(row));
            }
            Raw::One(frame) => self.render(frame, &held.calls, strip, out),
            Raw::Row(row) => {
                let mut framer = Framer::new(usize::MAX);
                framer.push(Bytes::copy_from_slice(row));
                while let Ok(Some(frame)) = framer.next_frame() {
                    self.render(&frame, &held.calls, strip, out);
                }
            }
        }
    }

    /// An event goes out as it came; what it says is remembered.
    fn pass(&mut self, frame: &Frame, calls: &Touched, out: &mut Vec<Bytes>) {
        self.start(calls);
        out.push(frame.raw.clone());
    }

    fn start(&mut self, calls: &Touched) {
        if let Touched::One(position) = calls
            && let Some(slot) = self.calls.slots.get_mut(*position)
        {
            slot.started = true;
        }
    }

    fn render(&mut self, frame: &Frame, calls: &Touched, strip: bool, out: &mut Vec<Bytes>) {
        let Some(data) = frame.data.as_deref().and_then(|data| std::str::from_utf8(data).ok()) else {
            return out.push(frame.raw.clone());
        };
        if data == "[DONE]" {
            return self.render_done(frame, strip, out);
        }
        let Ok(event) = event::read(data) else { return out.push(frame.raw.clone()) };
        let mut draft = Draft {
            data,
            edits: Splices::default(),
            says: self.whole || event.error,
            before: Vec::new(),
            strip,
        };
        self.render_event(&event, calls, &mut draft);
        out.append(&mut draft.before);
        if draft.edits.is_empty() {
            if !strip || draft.says {
                out.push(frame.raw.clone());
            }
        } else if draft.says {
            out.push(put(frame, &draft.edits));
        }
        let roles = event.choices.iter().filter(|choice| choice.role.is_some()).count();
        if strip && !draft.says {
            self.roles = self.roles.saturating_sub(roles);
        } else if roles > 0 {
            self.owes_role = false;
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
            self.render_calls(choice, calls, &mut piece, draft);
            if self.whole {
                self.render_whole_text(choice, draft);
            }
            self.render_text(choice, draft);
            self.render_finish(choice, draft);
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
        let usage = Json::trusted(at.of(draft.data));
        if self.spent.output == 0 {
            return;
        }
        let told = self.usage();
        let total = told.input.saturating_add(told.output);
        for (name, value) in [("completion_tokens", told.output), ("total_tokens", total)] {
            if let Some(old) = usage.member(name) {
                draft.edits.replace(old.span_in(draft.data), value.to_string());
            }
        }
    }

    fn render_text(&mut self, choice: &Choice, draft: &mut Draft<'_>) {
        draft.says |= !choice.others.is_empty() || choice.has_text();
        let Some(content) = choice.content.filter(|_| choice.index == 0 && choice.has_text() && !self.whole)
        else {
            return;
        };
        if std::mem::take(&mut self.to_set_apart) {
            draft.edits.insert(content.start + 1, APART);
        }
    }

    /// A whole answer tells what all rounds said, and the words that were put in the model's place.
    fn render_whole_text(&mut self, choice: &Choice, draft: &mut Draft<'_>) {
        let closing = self.closing_words(choice.index);
        if choice.index != 0 {
            if let Some(words) = closing {
                set_content(choice, &words, draft);
            }
        } else if closing.is_some() || (self.round > 0 && !self.sent.is_empty()) {
            let said = self.sent.clone();
            set_content(choice, &said, draft);
        }
    }

    fn render_calls(&mut self, choice: &Choice, calls: &Touched, piece: &mut usize, draft: &mut Draft<'_>) {
        let mut members: Vec<usize> = choice.role.filter(|_| self.role_was_told()).into_iter().collect();
        draft.says |= choice.role.is_some() && members.is_empty() && !draft.strip;
        let mut gone = Vec::new();
        let mut edits = Vec::new();
        let mut element = 0;
        for fragment in &choice.fragments {
            let position = calls.of(*piece);
            *piece += 1;
            let in_list = fragment.kind != CallKind::Legacy;
            match self.render_piece(position, fragment, draft) {
                Piece::AsItIs => draft.says = true,
                Piece::Text(text) => {
                    draft.says = true;
                    edits.push((fragment.at, text));
                }
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

    fn render_piece(&mut self, position: Option<usize>, fragment: &Fragment, draft: &mut Draft<'_>) -> Piece {
        let Some(position) = position else { return Piece::Gone };
        let number = self.calls.number(position);
        let outgoing = self.outgoing(position);
        let (whole, custom) = (self.whole, fragment.kind);
        let Some(slot) = self.calls.slots.get_mut(position) else { return Piece::Gone };
        let first = !std::mem::replace(&mut slot.started, true);
        let index = |offset: usize| (!whole && custom != CallKind::Legacy).then_some(number + offset);
        match &slot.state {
            State::Forwarded if slot.irregular => {
                Piece::Text(write::piece(slot, fragment, draft.data, index(0), first))
            }
            State::Forwarded => match fragment.index.filter(|(old, _)| !whole && *old as usize != number) {
                Some((_, at)) => {
                    draft.edits.replace(at, number.to_string());
                    Piece::AsItIs
                }
                None => Piece::AsItIs,
            },
            State::Replaced(_) if first => {
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
            State::Refused(_) => Vec::new(),
            _ => vec![(id(0), NewCall { name: slot.name.clone(), arguments: slot.arguments() })],
        }
    }

    fn render_finish(&mut self, choice: &Choice, draft: &mut Draft<'_>) {
        let (Some(at), Some(finish)) = (choice.finish_at, choice.finish) else { return };
        if draft.strip {
            return draft.edits.replace(at, "null");
        }
        draft.says = true;
        if let Some(label) = self.label(choice.index, finish) {
            draft.edits.replace(at, format!("\"{label}\""));
        }
        if self.whole {
            return;
        }
        // What begins the answer, or says something, goes before the words that end it.
        if let Some(content) = choice.content.filter(|_| choice.has_text()) {
            let words = self.closing_words(choice.index).unwrap_or_default();
            draft.edits.insert(content.start + content.len() - 1, words);
        } else if choice.role.is_some() && !self.role_was_told() {
            if let Some(words) = self.closing_words(choice.index) {
                set_content(choice, &words, draft);
            }
        } else {
            self.say_closing(choice.index, &mut draft.before);
        }
    }

    /// The agent knows whose answer this is.
    fn role_was_told(&self) -> bool {
        self.round > 0 && !self.whole && !self.owes_role
    }

    fn say_closing(&mut self, choice: u32, out: &mut Vec<Bytes>) {
        if let Some(words) = self.closing_words(choice) {
            let role = if choice == 0 { self.own_role() } else { "" };
            out.push(write::text_event(&self.head_members(), role, choice, &words));
        }
    }

    /// The words that end an answer whose calls were all refused, escaped, set apart from what was said before.
    /// They are given once.
    fn closing_words(&mut self, choice: u32) -> Option<String> {
        let Some(Closing::Words(words)) = self.closing.clone().filter(|_| self.is_emptied(choice)) else {
            return None;
        };
        if self.closed.contains(&choice) {
            return None;
        }
        self.closed.push(choice);
        let raw = quote(&words);
        let said = Json::trusted(&raw).raw_string().unwrap_or_default();
        if choice != 0 {
            return Some(said.to_owned());
        }
        let before = self.sent.len();
        if self.speaks {
            self.sent.push_str(APART);
        }
        self.say(said);
        self.sent.get(before..).map(str::to_owned)
    }

    /// The finish reason to tell where the provider's does not fit what goes out.
    fn label(&self, choice: u32, finish: Finish) -> Option<&'static str> {
        // An error is no end, and is not made one.
        if self.failed {
            return None;
        }
        let calls = if self.legacy { "function_call" } else { "tool_calls" };
        if self.calls.outgoing(choice) > 0 {
            let wrong = match finish {
                Finish::Stop | Finish::Other => true,
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

    fn render_done(&mut self, frame: &Frame, strip: bool, out: &mut Vec<Bytes>) {
        if strip {
            return;
        }
        let open = |text: &&text::Text| text.finish.is_none() && !self.failed;
        let unfinished: Vec<u32> = self.texts.iter().filter(open).map(|text| text.choice).collect();
        for choice in unfinished {
            self.say_closing(choice, out);
            let label = self.label(choice, Finish::Other).unwrap_or("stop");
            out.push(write::finish_event(&self.head_members(), choice, label));
        }
        out.push(frame.raw.clone());
    }

    /// The members that all events of the answer share, for events of our own.
    pub(super) fn head_members(&self) -> String {
        let known = [("id", &self.head.id), ("created", &self.head.created), ("model", &self.head.model)];
        let told = known
            .iter()
            .filter_map(|(name, value)| value.as_ref().map(|value| format!("\"{name}\":{value},")));
        told.collect::<Vec<_>>().concat()
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

/// The frame with its data changed.
fn put(frame: &Frame, edits: &Splices) -> Bytes {
    let Some(data) = &frame.data else { return frame.raw.clone() };
    let changed = edits.apply(data);
    let Some(at) = frame.data_at else {
        let mut out = BytesMut::with_capacity(changed.len() + 8);
        for line in changed.split(|byte| *byte == b'\n') {
            out.put_slice(b"data: ");
            out.put_slice(line);
            out.put_u8(b'\n');
        }
        out.put_u8(b'\n');
        return out.freeze();
    };
    let mut splice = Splices::default();
    splice.replace(at, changed);
    splice.apply(&frame.raw)
}
