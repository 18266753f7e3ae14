//! One call of an answer, as its pieces come.

use std::borrow::Cow;

use crate::dialect::{Broken, Call, CallKind, NewCall};
use crate::wire::canonical::{escaped, quote};
use crate::wire::lenient::{self, Shape};
use crate::wire::span::{Json, Kind, unescape};

use super::super::members::Members;
use super::input::Input;
use super::progress::Progress;

/// One call of the answer.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts, not states of one thing")]
pub(in super::super) struct Slot {
    pub(in super::super) choice: u32,
    /// The provider's number of the call, where it gave one.
    pub(in super::super) index: Option<u32>,
    /// The id it goes by: the provider's, or one made here where that has none or uses it twice.
    pub(in super::super) id: String,
    /// The id as the provider gave it.
    pub(super) given: String,
    pub(in super::super) name: String,
    pub(in super::super) kind: CallKind,
    /// The argument text as it stands between the quotes of its strings, pieces joined: joining escaped text
    /// is exact even where a surrogate pair was cut in two.
    pub(super) input: Input,
    progress: Progress,
    /// Where `progress` has ended: the text is one well-formed object.
    sound: bool,
    /// Members that this version does not know; what came last counts.
    pub(in super::super) others: Members,
    pub(in super::super) state: State,
    /// Some piece cannot go out as it came.
    pub(in super::super) irregular: bool,
    /// Some piece of a stream has no number: it needs one to go out.
    pub(in super::super) unnumbered: bool,
    /// Its first piece went out.
    pub(in super::super) started: bool,
    /// How much of the input came a second time after the call was complete.
    echoed: usize,
    /// Once decided: its number on the agent's wire, dense whatever was refused before it.
    pub(in super::super) number: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(in super::super) enum State {
    Open,
    /// No more is expected; the output limit may have cut it.
    Complete {
        cut: bool,
    },
    /// It outgrew what may be held; its input was let go.
    TooLarge,
    Forwarded,
    Replaced(Vec<NewCall>),
    /// With the result that the model gets.
    Refused(String),
    /// The provider's error took the place of the rest of it.
    Lost,
}

/// What a piece of input did.
pub(super) enum Taken {
    /// It was added: so many bytes.
    Added(usize),
    /// It was added, and with it the text is one whole object.
    Completed(usize),
    /// It is not wanted any more.
    Ignored,
    /// It only repeats what was said.
    Repeated,
}

/// What is kept of a call that outgrew what may be held: for the model to know it again.
const KEPT: usize = 1024;

// === impl Slot ===

impl Slot {
    pub(super) fn new(choice: u32, index: Option<u32>, kind: CallKind) -> Self {
        Self {
            choice,
            index,
            id: String::new(),
            given: String::new(),
            name: String::new(),
            kind,
            input: Input::default(),
            progress: Progress::default(),
            sound: false,
            others: Members::default(),
            state: State::Open,
            irregular: false,
            unnumbered: false,
            started: false,
            echoed: 0,
            number: 0,
        }
    }

    /// A call that came in an error of the provider.
    pub(super) fn unseen(id: String, name: &str, arguments: &str) -> Self {
        Self {
            id,
            name: name.to_owned(),
            input: escaped(arguments).into(),
            irregular: true,
            ..Self::new(0, None, CallKind::Function)
        }
    }

    pub(in super::super) fn call(&self) -> Call<'static> {
        Call {
            id: Cow::Owned(self.id.clone()),
            name: Cow::Owned(self.name.clone()),
            arguments: Cow::Owned(self.arguments()),
            kind: self.kind,
        }
    }

    /// The argument text, unescaped.
    pub(in super::super) fn arguments(&self) -> String {
        unescape(&self.input.text()).into_owned()
    }

    /// The argument text as it stands in JSON, without quotes.
    pub(in super::super) fn raw_input(&self) -> &Input {
        &self.input
    }

    /// What still comes of its input is let go: it will not go out.
    pub(in super::super) fn wants_no_more(&self) -> bool {
        matches!(self.state, State::TooLarge | State::Refused(_) | State::Lost)
    }

    pub(in super::super) fn is_decided(&self) -> bool {
        matches!(self.state, State::Forwarded | State::Replaced(_) | State::Refused(_) | State::Lost)
    }

    /// It takes up room while it waits for its decision.
    pub(super) fn is_waiting(&self) -> bool {
        matches!(self.state, State::Open | State::Complete { .. })
    }

    /// How many calls go out in its place; undecided, it counts as one.
    pub(super) fn outgoing(&self) -> usize {
        match &self.state {
            State::Replaced(calls) => calls.len(),
            State::Refused(_) | State::Lost => 0,
            _ => 1,
        }
    }

    /// Its text is one whole object.
    pub(super) fn is_whole(&self) -> bool {
        self.sound && self.progress.has_ended()
    }

    /// A name comes once, or again with each piece, or in parts. It cannot grow once there is input.
    pub(super) fn take_name(&mut self, name: &str, begins: bool, offered: &[String]) {
        if begins || self.name.is_empty() {
            self.irregular |= !begins;
            name.clone_into(&mut self.name);
            return;
        }
        self.irregular = true;
        let is_offered = offered.contains(&self.name);
        let repeats = self.name == name;
        if !self.input.is_empty() || repeats && is_offered {
            return;
        }
        let joined = format!("{}{name}", self.name);
        let grows = offered.iter().any(|tool| tool.starts_with(&joined));
        if grows || !is_offered && !repeats {
            self.name = joined;
        }
    }

    pub(super) fn take_input(&mut self, position: usize, input: Json<'_>) -> Result<Taken, Broken> {
        let quoted;
        let input = if input.kind() == Kind::String {
            input
        } else {
            self.irregular = true;
            quoted = quote(input.text());
            Json::trusted(&quoted)
        };
        let piece = input.raw_string().unwrap_or_default();
        if piece.is_empty() || self.wants_no_more() {
            return Ok(Taken::Ignored);
        }
        if self.state != State::Open {
            if self.repeats(piece) {
                return Ok(Taken::Repeated);
            }
            if self.is_decided() {
                return Err(Broken::Reopened { position });
            }
            self.state = State::Open;
        }
        self.input.push(piece);
        if self.kind != CallKind::Custom && self.progress.take(&input.string().unwrap_or_default()) {
            self.sound = lenient::shape(&self.arguments()) == Shape::Object;
            return Ok(Taken::Completed(piece.len()));
        }
        Ok(Taken::Added(piece.len()))
    }

    /// Whether a piece that comes late says again what was said.
    fn repeats(&mut self, piece: &str) -> bool {
        if piece.trim().is_empty() {
            return true;
        }
        let again = self.input.has_at(self.echoed, piece);
        if again {
            self.echoed += piece.len();
        }
        again
    }

    /// Lets the input go but for its beginning.
    pub(super) fn outgrow(&mut self) {
        let text = self.input.text();
        let mut keep = text.floor_char_boundary(KEPT);
        // No escape is cut in two: the longest has six bytes.
        let tail = keep.saturating_sub(6);
        let escape = text.get(tail..keep).and_then(|tail| tail.find('\\'));
        keep = escape.map_or(keep, |at| tail + at);
        self.input = text.get(..keep).unwrap_or_default().to_owned().into();
        self.sound = false;
        self.state = State::TooLarge;
    }
}
