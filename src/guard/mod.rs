//! Decides. Pure: no clock, no I/O, no async, no locks.
//!
//! [`Rules`] are what the operator wants, compiled. A [`Bench`] holds what is needed to judge the calls of one
//! exchange: the rules, the tools offered, and the ledger of what has failed. The same calls before the same
//! bench get the same verdicts.

pub mod arguments;
pub mod bench;
pub mod classify;
pub mod constrain;
pub mod grounds;
pub mod inspect;
pub mod ledger;
pub mod mend;
pub mod names;
pub mod notice;
pub mod policy;
pub mod reason;
pub mod results;
pub mod rules;

pub use bench::Bench;
pub use grounds::Grounds;
pub use ledger::Key;
pub use reason::Reason;
pub use rules::Rules;

/// What is to become of a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It goes on as the model wrote it.
    Forward,
    /// It goes on, changed without loss.
    Rewrite(Rewrite),
    /// It does not go on; the model is told why.
    Refuse(Refusal),
    /// It is refused once more and goes on all the same, as its [`Refusal::resort`] says: the model insists,
    /// and a wrong refusal must not lock an agent.
    GiveUp(Refusal),
}

/// The call or calls that stand in the place of one that the model wrote.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rewrite {
    /// One, or several where calls had been glued together. The first keeps the id.
    pub calls: Vec<Replacement>,
    /// What was done, in order, without repeats.
    pub reasons: Vec<Reason>,
}

/// One call as it goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement {
    pub name: String,
    pub arguments: String,
}

/// An error result in answer to one call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    pub reason: Reason,
    /// What the model reads.
    pub text: String,
    /// The call's identity (tool and canonical arguments), where the arguments could be read.
    pub key: Option<ledger::Key>,
    /// What an agent gets of it where the refusal is given up.
    pub resort: Resort,
}

/// What may reach an agent of a refused call once nobody tries to have it mended any more.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Resort {
    /// Nothing: it is forbidden, unknown, or cannot be read.
    #[default]
    Nothing,
    /// The call, byte for byte as the model wrote it.
    AsWritten,
    /// What the model wrote, made readable: a mended name, quotes put right, glued calls apart.
    Calls(Vec<Replacement>),
}

// === impl Refusal ===

impl Refusal {
    /// Whether the call may go on in the end, should the model not mend it.
    pub fn may_go_on(&self) -> bool {
        self.reason.may_go_on() && self.resort != Resort::Nothing
    }
}
