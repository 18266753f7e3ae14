//! What became of a call, told from its result.

use super::rules::{ResultClass, ToolPolicy};

/// What a result says happened. The proxy's own texts say nothing: [`Outcome::Unknown`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Success,
    Failure(Failure),
    /// It may work the next time: time-outs, conflicts, rate limits, 5xx.
    Transient,
    /// An interrupt or approval.
    Control,
    Unknown,
}

/// A failure that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// `http_<status>[:<code>]`, a marker's string, or `failed`.
    pub signature: String,
    /// A short piece of the error, to quote.
    pub excerpt: String,
    /// It outlives changes of the world.
    pub terminal: bool,
    /// What a rule called it, where one did.
    pub class: Option<ResultClass>,
}

/// Classes the text of a tool result. `marker` is the pointer of [`super::rules::FailureRules::marker`].
pub fn classify(text: &str, policy: &ToolPolicy<'_>, marker: &str) -> Outcome {
    todo!()
}
