//! What was understood of the requests seen last: a later one begins with most of their bytes, and what was read
//! once is not read again.
//!
//! A request is found by some of the bytes it begins with; what it has in common with a later one is then seen by
//! comparing all of them. So a miss costs time, and a wrong hit is no more than a miss.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use quick_cache::Weighter;
use quick_cache::sync::Cache;

use super::door::Tenant;
use crate::config::plan::State;
use crate::dialect::{Element, Tool, Transcript};
use crate::wire::canonical::Chain;

#[cfg(test)]
mod tests;

/// The requests seen last, bounded by bytes and by age.
#[derive(Debug)]
pub(crate) struct Prefixes {
    known: Cache<u128, Arc<Understood>, Weight>,
    /// Bytes that are kept in all.
    memory: usize,
    ttl: Duration,
}

/// A request that was read.
#[derive(Debug)]
pub(crate) struct Understood {
    pub(crate) transcript: Arc<Transcript>,
    /// Nothing in its history had to be told otherwise.
    pub(crate) as_it_is: bool,
    since: Instant,
}

/// Where a request is kept, and what was found for it.
#[derive(Debug, Default)]
pub(crate) struct Trace {
    /// For each block, from the first on, what the blocks up to its end are known by.
    places: Vec<u128>,
    /// The place something was found in.
    found: Option<u128>,
}

#[derive(Clone, Debug)]
struct Weight;

/// A body that came at once lies in the memory that it was read into, which is as large as this at least.
const READ: usize = 16 << 10;

/// Requests are told apart at every so many bytes. Shorter ones are read as fast as they are found.
const BLOCK: usize = 4096;

/// So many bytes of a block tell it from others: those that differ only elsewhere are told apart when all is compared.
const SAMPLE: usize = 128;

/// Bytes that are kept in all, or less where less is to be remembered. A request that would take up more than a sixteenth
/// is not kept.
const MEMORY: usize = 64 << 20;

// === impl Prefixes ===

impl Prefixes {
    pub(crate) fn new(state: &State) -> Self {
        let memory = state.memory.min(MEMORY);
        Self { known: Cache::with_weighter(256, memory as u64, Weight), memory, ttl: state.ttl }
    }

    /// The request known that has most in common with the beginning of `body`, as far as can be told at once.
    pub(crate) fn find(&self, tenant: &Tenant, body: &Bytes) -> (Option<Arc<Understood>>, Trace) {
        if self.memory == 0 {
            return (None, Trace::default());
        }
        // What a tenant is known by is a secret already.
        let mut chain = Chain::new([0; 16]);
        chain.link(tenant.bytes());
        let blocks = body.chunks_exact(BLOCK).filter_map(<[u8]>::last_chunk::<SAMPLE>);
        let places: Vec<u128> = blocks
            .map(|sample| {
                chain.link(sample);
                chain.value()
            })
            .collect();
        let fresh = |known: &Arc<Understood>| known.since.elapsed() < self.ttl;
        let look = |place: &u128| Some((*place, self.known.get(place).filter(fresh)?));
        let (found, known) = places.iter().rev().find_map(look).unzip();
        (known, Trace { places, found })
    }

    /// Keeps a request for those that will begin with it, in place of the one that it begins with itself.
    pub(crate) fn keep(&self, trace: &Trace, transcript: Arc<Transcript>, as_it_is: bool) {
        let end = transcript.elements.last().map_or(0, |last| last.span.end);
        let place = (end / BLOCK).checked_sub(1).and_then(|last| trace.places.get(last));
        let Some(place) = place.filter(|_| weight(&transcript) <= self.memory / 16) else { return };
        if let Some(found) = trace.found.filter(|found| found != place) {
            self.known.remove(&found);
        }
        self.known.insert(*place, Arc::new(Understood { transcript, as_it_is, since: Instant::now() }));
    }
}

/// Bytes held, about.
fn weight(transcript: &Transcript) -> usize {
    let read = transcript.elements.len() * size_of::<Element>() + transcript.tools.len() * size_of::<Tool>();
    transcript.body().len().max(READ) + read + size_of::<Understood>()
}

// === impl Weight ===

impl Weighter<u128, Arc<Understood>> for Weight {
    fn weight(&self, _place: &u128, known: &Arc<Understood>) -> u64 {
        weight(&known.transcript) as u64
    }
}
