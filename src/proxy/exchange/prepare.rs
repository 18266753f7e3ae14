//! What is done to a request before it is first asked. A bug of ours must not cost the agent its request: what was
//! being done then is left undone, and all else is done.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::dialect::Transcript;
use crate::guard::inspect;
use crate::guard::mend::Mended;
use crate::guard::rules::Rules;
use crate::guard::{Key, Reason};
use crate::observe::event::Fact;
use crate::proxy::aside::refused_in_a_row;
use crate::proxy::house::House;
use crate::wire::splice::Splices;

use super::Exchange;
use super::account::Account;

#[cfg(test)]
mod tests;

/// Changes to what is told to the provider of this name, and what was done.
type Tell = fn(&Transcript, &Rules, &str, &mut Splices) -> Vec<Reason>;

/// What of the history has to be mended.
pub(super) fn mended(house: &House, transcript: &Transcript, account: &Account) -> Option<Mended> {
    attempt(account, "the history", || inspect::mended(transcript, &house.plan.rules)).flatten()
}

impl Exchange {
    /// Changes what is told, and puts back what the agent did not see: each around its answer, found in what the
    /// agent sent.
    pub(super) fn prepare(&mut self, account: &Account, tell: Tell) {
        let changed = attempt(account, "the request", || {
            let mut edits = Splices::default();
            let done = tell(self.told(), &self.house.plan.rules, self.target.name(), &mut edits);
            (edits, done)
        });
        let (edits, done) = changed.unwrap_or_default();
        self.edits = edits;
        self.prepared_for.extend(done);
        let restored = attempt(account, "what the agent did not see", || self.restored());
        if let Some((edits, refused_before, count)) = restored.flatten() {
            (self.edits, self.refused_before) = (edits, refused_before);
            self.prepared_for.extend(std::iter::repeat_n(Reason::Restored, count));
        }
    }

    /// The changes with all that is put back, the calls that were refused just before, and how many answers it is
    /// about; `None` where the agent has seen everything.
    fn restored(&self) -> Option<(Splices, Vec<Key>, usize)> {
        let found = self.house.asides.find(&self.tenant, &self.transcript);
        if found.is_empty() {
            return None;
        }
        let mut edits = self.edits.clone();
        for (place, aside) in &found {
            let moved = self.mended.as_ref().and_then(|mended| mended.places.get(*place));
            self.told().restore(*moved.unwrap_or(place), &aside.hidden, &mut edits);
        }
        Some((edits, refused_in_a_row(&self.transcript, &found), found.len()))
    }
}

/// Does what a bug of ours may break off. Then an event says so, and nothing was done.
fn attempt<T>(account: &Account, what: &str, work: impl FnOnce() -> T) -> Option<T> {
    let done = catch_unwind(AssertUnwindSafe(work));
    if done.is_err() {
        let detail = format!("the guard failed on {what}");
        account.note(Fact::Unjudged { reason: Reason::Uninspected, detail });
    }
    done.ok()
}
