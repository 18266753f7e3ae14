//! Judges the calls of one exchange.

use crate::dialect::{Call, Transcript};

use super::arguments::Schemas;
use super::{Rules, Verdict};

/// What is needed to judge the calls of one exchange.
pub struct Bench<'a> {
    transcript: &'a Transcript,
    rules: &'a Rules,
    schemas: &'a dyn Schemas,
}

/// What is known of a call besides its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Circumstances {
    /// The answer ended at the output limit with this call open.
    pub cut: bool,
    /// It grew past what may be held.
    pub too_large: bool,
}

impl<'a> Bench<'a> {
    pub fn new(transcript: &'a Transcript, rules: &'a Rules, schemas: &'a dyn Schemas) -> Self {
        Self { transcript, rules, schemas }
    }
    /// Begins a new answer: what its siblings may have changed is forgotten.
    pub fn next_answer(&mut self) {
        todo!()
    }
    /// Judges the next call of the answer.
    pub fn judge(&mut self, call: &Call<'_>, circumstances: Circumstances) -> Verdict {
        todo!()
    }
}
