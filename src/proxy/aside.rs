//! What agents did not see, kept so that it can be put back into their later requests.
//!
//! An aside is found by what surrounds it, never by a session: the tenant, everything that came before it by
//! value, and the answer that the agent did see. Two conversations with equal ids and texts differ in one of
//! these. Any mismatch is a miss, and a miss costs the model a lesson, not the agent its session. Who has no
//! aside pays for a look-up of call ids and nothing more.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sha2::{Digest as _, Sha256};

use crate::config::plan::State;
use crate::dialect::{Element, Hidden, Role, Transcript, Visible};
use crate::guard::ledger::Key;
use crate::wire::canonical::Chain;

use super::door::Tenant;

#[cfg(test)]
mod tests;

/// What passed between proxy and model around one answer.
#[derive(Clone, Debug)]
pub(crate) struct Aside {
    /// Digest of all that came before the answer.
    before: u128,
    visible: Visible,
    pub(crate) hidden: Hidden,
    /// The calls refused beside others that went out, each once.
    pub(crate) refused: Vec<Key>,
    since: Instant,
}

/// Asides that answers with equal call ids (or equal texts) share a place.
type Bucket = Arc<Vec<Arc<Aside>>>;

/// All asides of this process, bounded by bytes and by age.
#[derive(Debug)]
pub(crate) struct Asides {
    buckets: Cache<u128, Bucket, Weight>,
    /// Buckets are read, changed and put back: one at a time. When what is too old was last swept out.
    writing: Mutex<Instant>,
    key: [u8; 16],
    ttl: Duration,
}

#[derive(Clone, Debug)]
struct Weight;

/// Asides in one bucket; some providers number the calls of every answer from 0.
const BUCKET: usize = 1024;

/// How often in the time that asides are kept for those that are older are looked for.
const SWEEPS: u32 = 8;

// === impl Asides ===

impl Asides {
    pub(crate) fn new(state: &State) -> Self {
        let digest: [u8; 32] = Sha256::digest(state.secret.expose()).into();
        let (key, _) = digest.split_first_chunk().expect("a digest has 32 bytes");
        let buckets = Cache::with_weighter(1024, state.memory as u64, Weight);
        Self { buckets, writing: Mutex::new(Instant::now()), key: *key, ttl: state.ttl }
    }

    /// Digest of everything in `transcript` that came before an answer to it.
    pub(crate) fn before(&self, tenant: &Tenant, transcript: &Transcript) -> u128 {
        let mut chain = self.chain(tenant);
        for element in &transcript.elements {
            link(&mut chain, transcript, element);
        }
        chain.value()
    }

    pub(crate) fn remember(
        &self,
        tenant: &Tenant,
        before: u128,
        visible: Visible,
        hidden: Hidden,
        refused: Vec<Key>,
    ) {
        let ids: Vec<_> = visible.ids.iter().map(String::as_str).collect();
        let place = self.place(tenant, &ids, Some(&visible));
        let aside = Arc::new(Aside { before, visible, hidden, refused, since: Instant::now() });
        let mut swept = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        self.sweep(&mut swept);
        let mut bucket = self.buckets.get(&place).map(|bucket| bucket.to_vec()).unwrap_or_default();
        bucket.retain(|old| {
            !(old.before == aside.before && old.visible == aside.visible) && self.is_fresh(old)
        });
        if bucket.len() >= BUCKET {
            bucket.remove(0);
        }
        bucket.push(aside);
        self.buckets.insert(place, Arc::new(bucket));
    }

    /// Lets go of buckets in which all is too old. What is too old beside something that is not goes with the next
    /// that comes into its bucket.
    fn sweep(&self, swept: &mut Instant) {
        if swept.elapsed() >= self.ttl / SWEEPS {
            *swept = Instant::now();
            self.buckets.retain(|_, bucket| bucket.iter().any(|aside| self.is_fresh(aside)));
        }
    }

    /// The asides that belong to answers of this history, by the place of the answer.
    pub(crate) fn find(&self, tenant: &Tenant, transcript: &Transcript) -> Vec<(usize, Arc<Aside>)> {
        let mut found = Vec::new();
        if self.buckets.is_empty() {
            return found;
        }
        let (mut chain, mut linked) = (self.chain(tenant), 0);
        for (place, element) in transcript.elements.iter().enumerate() {
            if element.role != Role::Assistant {
                continue;
            }
            let ids = transcript.call_ids(element);
            let ids: Vec<_> = ids.iter().map(AsRef::as_ref).collect();
            // Only an answer without calls has to be read for its place.
            let known = ids.is_empty().then(|| transcript.visible(element));
            let place_of_answer = self.place(tenant, &ids, known.as_ref());
            let Some(bucket) = self.buckets.get(&place_of_answer) else { continue };
            let visible = known.unwrap_or_else(|| transcript.visible(element));
            for earlier in transcript.elements.iter().take(place).skip(linked) {
                link(&mut chain, transcript, earlier);
            }
            linked = place;
            let matches = |aside: &&Arc<Aside>| {
                aside.before == chain.value() && aside.visible == visible && self.is_fresh(aside)
            };
            if let Some(aside) = bucket.iter().rev().find(matches) {
                found.push((place, Arc::clone(aside)));
            }
        }
        found
    }

    fn is_fresh(&self, aside: &Aside) -> bool {
        aside.since.elapsed() < self.ttl
    }

    fn chain(&self, tenant: &Tenant) -> Chain {
        let mut chain = Chain::new(self.key);
        chain.link(tenant.bytes());
        chain
    }

    /// The bucket: call ids where there are calls, else the answer's text.
    fn place(&self, tenant: &Tenant, ids: &[&str], visible: Option<&Visible>) -> u128 {
        let mut chain = self.chain(tenant);
        if let Some(visible) = visible.filter(|_| ids.is_empty()) {
            chain.link(&visible.digest);
        }
        for id in ids {
            chain.link(id.as_bytes());
        }
        chain.value()
    }
}

fn link(chain: &mut Chain, transcript: &Transcript, element: &Element) {
    if element.role != Role::System {
        chain.link(&transcript.value(element));
    }
}

/// Calls that were refused in each of the answers just before the end of the history, oldest answer last; an
/// answer in which nothing was refused ends the row.
pub(crate) fn refused_in_a_row(transcript: &Transcript, found: &[(usize, Arc<Aside>)]) -> Vec<Key> {
    let answers =
        transcript.elements.iter().enumerate().rev().filter(|(_, element)| element.role == Role::Assistant);
    let asides = answers.map_while(|(place, _)| found.iter().find(|(at, _)| *at == place));
    asides
        .take_while(|(_, aside)| !aside.refused.is_empty())
        .flat_map(|(_, aside)| aside.refused.clone())
        .collect()
}

// === impl Aside ===

impl Aside {
    /// Bytes held, about.
    fn weight(&self) -> usize {
        let ids: usize = self.visible.ids.iter().map(|id| id.len() + size_of::<String>()).sum();
        let keys: usize = self.refused.iter().map(|key| key.tool.len() + size_of::<Key>()).sum();
        self.hidden.weight() + ids + keys + size_of::<Self>()
    }
}

// === impl Weight ===

impl Weighter<u128, Bucket> for Weight {
    fn weight(&self, _place: &u128, bucket: &Bucket) -> u64 {
        let asides = bucket.iter().map(|aside| aside.weight());
        asides.sum::<usize>().max(1) as u64
    }
}
