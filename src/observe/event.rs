//! What happened, as typed events. [`super::line`] says how each is written down.

use std::sync::Arc;

use crate::guard::Reason;

pub use super::sink::Events;

/// One fact. No content, no secret: names, sizes, reasons.
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    /// The exchange it belongs to.
    pub exchange: Arc<str>,
    pub fact: Fact,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Fact {
    /// A call of the model was judged.
    Judged {
        /// The provider's answer within the exchange, from 1.
        round: u32,
        /// The call's place in that answer, from 0.
        position: usize,
        tool: String,
        call_id: String,
        verdict: Judged,
        reasons: Vec<Reason>,
    },
    /// Something was done to the request before it went out.
    Prepared { reason: Reason, count: usize },
    /// The exchange went back to the model.
    Remanded { round: u32, refused: usize },
    /// The exchange is over.
    Ended {
        upstream: Arc<str>,
        model: Option<String>,
        rounds: u32,
        status: u16,
        outcome: Ended,
        /// All that was done, each once, in order.
        actions: Vec<Reason>,
        /// Tokens over all rounds, as far as the provider told.
        input_tokens: u64,
        output_tokens: u64,
        bytes_in: usize,
        bytes_out: usize,
    },
    /// A body or a call that the guard left alone, and why.
    Unjudged { reason: Reason, detail: String },
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    Forwarded,
    Rewritten,
    Refused,
    /// Refused before, and let go because the model insists.
    GaveUp,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    Complete,
    /// The provider answered with an error of its own, passed on unchanged.
    ProviderError,
    /// The provider's answer broke off.
    Broken,
    /// The agent went away.
    Abandoned,
    /// An error of ours.
    Failed,
}

// === impl Judged ===

impl Judged {
    pub fn code(self) -> &'static str {
        match self {
            Self::Forwarded => "forwarded",
            Self::Rewritten => "rewritten",
            Self::Refused => "refused",
            Self::GaveUp => "gave_up",
        }
    }
}

// === impl Ended ===

impl Ended {
    pub fn code(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::ProviderError => "provider_error",
            Self::Broken => "broken",
            Self::Abandoned => "abandoned",
            Self::Failed => "failed",
        }
    }
}
