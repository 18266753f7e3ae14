//! What all requests share, and a request that was let in.

use std::hash::BuildHasher as _;
use std::sync::Arc;

use http::request::Parts;
use hyper::body::Incoming;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::aside::Asides;
use super::door::{Door, Entry};
use super::failure::Failure;
use super::prefix::Prefixes;
use super::tasks::Tasks;
use super::upstream::{UpstreamError, Upstreams};
use crate::config::Plan;
use crate::guard::arguments::Schemas;
use crate::guard::rules::Mode;
use crate::observe::event::Events;

/// Everything that requests share.
pub(crate) struct House {
    pub(crate) plan: Plan,
    pub(crate) upstreams: Upstreams,
    pub(crate) events: Events,
    pub(crate) tasks: Tasks,
    /// What agents did not see.
    pub(crate) asides: Asides,
    /// What was understood of requests before.
    pub(crate) prefixes: Prefixes,
    pub(crate) schemas: Arc<dyn Schemas>,
    /// Tells this process's exchanges from those of others.
    pub(crate) run: String,
    pub(super) door: Door,
    /// Places for exchanges in flight.
    places: Arc<Semaphore>,
}

/// A request that was let in.
#[derive(Debug)]
pub(crate) struct Admitted {
    /// As the agent sent them.
    pub(crate) parts: Parts,
    /// Not yet read.
    pub(crate) body: Incoming,
    pub(crate) entry: Entry,
}

// === impl House ===

impl std::fmt::Debug for House {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("House").field("run", &self.run).finish_non_exhaustive()
    }
}

impl House {
    pub(super) fn new(
        plan: Plan,
        events: Events,
        tasks: Tasks,
        schemas: Arc<dyn Schemas>,
    ) -> Result<Self, UpstreamError> {
        let upstreams = Upstreams::new(&plan)?;
        let door = Door::new(&plan);
        let places = Arc::new(Semaphore::new(plan.listen.max_exchanges.min(Semaphore::MAX_PERMITS)));
        let (asides, prefixes) = (Asides::new(&plan.state), Prefixes::new(&plan.state));
        let run = format!("{:08x}", std::hash::RandomState::new().hash_one(std::process::id()) >> 32);
        Ok(Self { plan, upstreams, events, tasks, asides, prefixes, schemas, run, door, places })
    }

    /// Decides and records, and changes nothing.
    pub(crate) fn observes(&self) -> bool {
        self.plan.rules.mode == Mode::Observe
    }

    /// A place among the exchanges in flight, if there is one.
    pub(super) fn place(&self) -> Result<OwnedSemaphorePermit, Failure> {
        Arc::clone(&self.places).try_acquire_owned().map_err(|_| Failure::Overloaded)
    }
}
