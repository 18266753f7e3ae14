//! What is done to a request before it is first asked, in the order in which it is done: what is broken in its history
//! is mended, results are put into the words that the model is to read, and what the operator wants it to know is
//! added.

use crate::dialect::Transcript;
use crate::wire::splice::Splices;

use super::constrain::constrain;
use super::mend::{Done, Mended, mend};
use super::results;
use super::{Reason, Rules};

/// The history without what is broken in it; `None` where nothing is, or nobody is to look.
///
/// # Panics
///
/// As [`mend`] does.
pub fn mended(transcript: &Transcript, rules: &Rules) -> Option<Mended> {
    let mended = rules.history.mend.then(|| mend(transcript, &rules.notices)).flatten()?;
    Some(tidied(transcript, rules, &mended).unwrap_or(mended))
}

/// The history mended as `mended` is, without what no model is to read of the results that became words in it.
fn tidied(transcript: &Transcript, rules: &Rules, mended: &Mended) -> Option<Mended> {
    let strays = mended.done.iter().filter(|done| done.reason == Reason::MendedOrphan);
    let strays: Vec<_> = strays.filter_map(|done| done.element).collect();
    if strays.is_empty() {
        return None;
    }
    let mut edits = Splices::default();
    let done = results::tidy(transcript, rules, &strays, &mut edits);
    if done.is_empty() {
        return None;
    }
    let tidied = transcript.dialect().read(edits.apply(transcript.body())).expect("it could be read before");
    let mut mended = mend(&tidied, &rules.notices)?;
    mended.done.extend(done.into_iter().map(|reason| Done { reason, element: None }));
    Some(mended)
}

/// Changes to what is told to the provider of this name, and what was done.
pub fn told_anew(told: &Transcript, rules: &Rules, upstream: &str, edits: &mut Splices) -> Vec<Reason> {
    let mut done = results::rewrite(told, rules, edits);
    done.extend(constrain(told, rules, upstream, edits));
    done
}
