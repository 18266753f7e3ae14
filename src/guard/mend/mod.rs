//! What is broken in a history, and what is to be done about it.
//!
//! Agents are interrupted, cut their windows, and keep what a model got wrong; providers then refuse the request,
//! and every one after it. [`mend`] finds what a provider would refuse and says how the history is to be told
//! instead: nothing is made up, nothing is lost but what was there twice. A mend is a function of the history up
//! to the place it is made at, so that later requests begin with the bytes of earlier ones.
//!
//! A history in which nothing is broken is walked once (`sound`) and is not changed by one byte.

mod arrange;
mod offered;
mod pairing;
mod sound;
#[cfg(test)]
mod tests;
mod touch;

use bytes::Bytes;

use super::Reason;
use super::notice::Notices;
use crate::dialect::{Piece, Transcript};
use crate::wire::splice::{Change, Splices};
use arrange::Arranger;
use offered::Offered;
use pairing::Pairing;
use touch::Touches;

/// A history as the provider is to be told it.
#[derive(Clone, Debug)]
pub struct Mended {
    pub transcript: Transcript,
    /// Where each element of the original stands now. What was left out has the place of what stands for it.
    pub places: Vec<usize>,
    /// What was done; never empty.
    pub done: Vec<Done>,
}

/// One thing that was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Done {
    pub reason: Reason,
    /// The element of the original it was done to, where it was one.
    pub element: Option<usize>,
}

/// The history without what is broken in it; `None` where nothing is.
///
/// # Panics
///
/// Where what was mended cannot be read, which would be a bug. Who calls this sends the history as it came then.
pub fn mend(transcript: &Transcript, notices: &Notices) -> Option<Mended> {
    if sound::is_sound(transcript) {
        return None;
    }
    let mut done = Vec::new();
    // First of all, since nobody can read further in a body that is refused as a whole. It moves nothing.
    let readable = transcript.readable();
    if readable.is_some() {
        done.push(Done { reason: Reason::MendedText, element: None });
    }
    let original = readable.as_ref().unwrap_or(transcript);
    let (body, pieces) = told(original, notices, &mut done);
    if done.is_empty() {
        return None;
    }
    let transcript = original.dialect().read(body).expect("a mended history can be read");
    let places = places(original.elements.len(), &pieces);
    Some(Mended { transcript, places, done })
}

/// The body as it is to be told, and what its history is made of.
fn told(original: &Transcript, notices: &Notices, done: &mut Vec<Done>) -> (Bytes, Vec<Piece>) {
    let pairing = Pairing::of(original, notices);
    let offered = Offered::of(original);
    let mut touches = Touches::new(original, notices, &offered);
    for index in 0..original.elements.len() {
        touches.element(index, &pairing);
    }
    done.append(&mut touches.done);
    let pieces = Arranger::new(original, notices, &offered, &pairing).arrange(done);
    done.sort_by_key(|done| done.element);
    let mut edits = Splices::default();
    let changes = |index: usize| -> &[Change] { touches.changes.get(&index).map_or(&[], Vec::as_slice) };
    original.rearranged(&pieces, changes, &mut edits);
    if original.is_bare() {
        original.without_tools(&mut edits);
        done.push(Done { reason: Reason::MendedEmpty, element: None });
    }
    (edits.apply(original.body()), pieces)
}

fn places(elements: usize, pieces: &[Piece]) -> Vec<usize> {
    let mut places = vec![None; elements];
    for (place, piece) in pieces.iter().enumerate() {
        let (Piece::Element(index) | Piece::Moved(index) | Piece::Instead(index, _)) = piece else {
            continue;
        };
        if let Some(known @ None) = places.get_mut(*index) {
            *known = Some(place);
        }
    }
    // What was left out stood behind what is still there.
    let mut last = 0;
    let place = |place: Option<usize>| {
        last = place.unwrap_or(last);
        last
    };
    places.into_iter().map(place).collect()
}
