//! What a dialect's reading of an answer gives to those who carry it, and what they tell it back.

use bytes::Bytes;

use crate::wire::canonical::Digest;

use super::Call;

/// What becomes of one call of an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decision {
    /// It goes out as it came.
    Forward,
    /// These go out in its place; the first keeps its id. Never empty.
    Replace(Vec<NewCall>),
    /// It does not go out. The text is the result the model gets.
    Refuse(String),
}

/// A call as it goes out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewCall {
    pub name: String,
    pub arguments: String,
}

/// A call that is complete and waits for its decision.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    /// Its place in the answer, from 0: what a decision refers to.
    pub position: usize,
    /// The choice it belongs to.
    pub choice: u32,
    pub call: Call<'static>,
    /// The answer ended at the output limit, and this call may be cut.
    pub cut: bool,
    /// It outgrew what may be held; its arguments are not whole.
    pub too_large: bool,
}

/// How an answer ends when all of its calls were refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Closing {
    /// As cut at the output limit, without the call.
    Length,
    /// In these words, said in the model's place.
    Words(String),
    /// As the provider ended it, without the calls.
    AsItIs,
}

/// Why an answer cannot be carried on: it must not end cleanly.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Broken {
    #[error("the provider's stream ended before the answer did")]
    Unfinished,
    #[error("the provider answered once as a stream and once in one piece")]
    Mixed,
    #[error("the provider sent what cannot be read and may hold a call")]
    Unreadable,
    #[error("the provider went on with call {position} after it was complete")]
    Reopened { position: usize },
    #[error("the provider sent more than may wait")]
    TooMuch,
    #[error("the provider told an error in its stream")]
    Failed,
}

/// What the agent sees of an answer, for finding it again in a later request.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Visible {
    /// The ids of the calls, in order.
    pub ids: Vec<String>,
    /// The text and the calls by value: arguments canonical, so that an agent may write them anew.
    pub digest: Digest,
}

/// What of an exchange the agent did not see: put back, in place, into its later requests.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Hidden {
    /// Rounds that were refused whole, oldest first.
    pub rounds: Vec<HiddenRound>,
    /// Calls refused beside others that went out, in order of position.
    pub siblings: Vec<HiddenCall>,
    /// How many bytes of the visible text belong to hidden rounds, separators included.
    pub text: usize,
}

/// One refused round as the provider was shown it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HiddenRound {
    /// The assistant's element, then one result for each of its calls.
    pub elements: Vec<Bytes>,
    /// Streamed members besides the text (reasoning), by name: the agent got them merged into one.
    pub others: Vec<(String, String)>,
}

/// One refused call of an answer whose other calls went out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HiddenCall {
    /// Its place among all calls of the answer, those that were split counted as they went out.
    pub position: usize,
    /// The call as an entry of the assistant's element.
    pub call: Bytes,
    /// The element that answers it.
    pub result: Bytes,
}

/// Tokens as the provider counts them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    pub input: u64,
    pub output: u64,
}

// === impl Usage ===

impl Usage {
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let (input, output) = (self.input, self.output);
        Self { input: input.saturating_add(other.input), output: output.saturating_add(other.output) }
    }

    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        let (input, output) = (self.input, self.output);
        Self { input: input.saturating_sub(other.input), output: output.saturating_sub(other.output) }
    }
}

// === impl Hidden ===

impl Hidden {
    pub fn is_empty(&self) -> bool {
        self.rounds.is_empty() && self.siblings.is_empty()
    }

    /// Bytes held, about.
    pub fn weight(&self) -> usize {
        let rounds = self.rounds.iter().map(|round| {
            let others = round.others.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
            others + round.elements.iter().map(Bytes::len).sum::<usize>()
        });
        let siblings = self.siblings.iter().map(|sibling| sibling.call.len() + sibling.result.len());
        rounds.sum::<usize>() + siblings.sum::<usize>() + size_of::<Self>()
    }
}
