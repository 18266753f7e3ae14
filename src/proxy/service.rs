//! What a request walks through, from the connection to the provider and back.
//!
//! It decides nothing about what is in a body: requests of a dialect go the guarded way, all others are streamed
//! through untouched, both ways.

use std::convert::Infallible;
use std::hash::BuildHasher as _;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use http::request::Parts;
use http::{Method, Request, Response};
use hyper::body::Incoming;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::Service;

use super::aside::Asides;
use super::body::Reply;
use super::door::{Door, Entry};
use super::exchange;
use super::failure::{Failure, Fault, Unsupported};
use super::server::Tasks;
use super::tunnel;
use super::upstream::headers;
use super::upstream::{Answer, UpstreamError, Upstreams, Way};
use crate::config::Plan;
use crate::dialect::Dialect;
use crate::guard::arguments::Schemas;
use crate::guard::rules::Mode;
use crate::observe::event::Events;

#[cfg(test)]
mod tests;

/// Everything that requests share.
pub(crate) struct House {
    pub(crate) plan: Plan,
    pub(crate) upstreams: Upstreams,
    pub(crate) events: Events,
    pub(crate) tasks: Tasks,
    /// What agents did not see.
    pub(crate) asides: Asides,
    pub(crate) schemas: Arc<dyn Schemas>,
    /// Tells this process's exchanges from those of others.
    pub(crate) run: String,
    door: Door,
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

/// The service of one connection.
#[derive(Clone)]
pub(super) struct Front {
    house: Arc<House>,
    /// Whether a whole request head has come over this connection.
    asked: Arc<AtomicBool>,
}

/// A panic, as a cause.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the task panicked")]
struct Panicked;

impl std::fmt::Debug for House {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("House").field("run", &self.run).finish_non_exhaustive()
    }
}

// === impl House ===

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
        let asides = Asides::new(&plan.state);
        let run = format!("{:08x}", std::hash::RandomState::new().hash_one(std::process::id()) >> 32);
        Ok(Self { plan, upstreams, events, tasks, asides, schemas, run, door, places })
    }

    /// Decides and records, and changes nothing.
    pub(crate) fn observes(&self) -> bool {
        self.plan.rules.mode == Mode::Observe
    }

    async fn answer(self: &Arc<Self>, request: Request<Incoming>) -> Response<Reply> {
        let dialect = Dialect::of_path(request.uri().path());
        match caught(self.walk(request)).await {
            Ok(response) => response,
            Err(failure) => {
                report(&failure);
                failure.response(dialect)
            }
        }
    }

    async fn walk(self: &Arc<Self>, request: Request<Incoming>) -> Result<Response<Reply>, Failure> {
        // Some agents try a WebSocket first: the sooner they hear that there is none, the sooner they fall back.
        let wants_socket = tunnel::is_asked_for(&request);
        if wants_socket && speaks_http_only(request.uri().path()) {
            return Err(Unsupported::WebSocket.into());
        }
        // Anyone could go anywhere through a proxy that connects to what it is told.
        if request.method() == Method::CONNECT {
            return Err(Unsupported::Connect.into());
        }
        // Who is it, and may they come in?
        let entry = self.door.admit(request.headers())?;
        // Is there room? The place is taken until the answer's last byte.
        let place = self.place()?;
        if wants_socket {
            return tunnel::open(self, request, entry, place).await;
        }
        let (parts, body) = request.into_parts();
        let admitted = Admitted { parts, body, entry };
        let response = match guarded(&admitted.parts) {
            Some(dialect) => exchange::run(Arc::clone(self), dialect, admitted).await,
            None => self.pass(admitted).await,
        }?;
        Ok(response.map(|body| body.holding(place)))
    }

    fn place(&self) -> Result<OwnedSemaphorePermit, Failure> {
        Arc::clone(&self.places).try_acquire_owned().map_err(|_| Failure::Overloaded)
    }

    /// The way through: streamed, and nothing read.
    pub(crate) async fn pass(&self, admitted: Admitted) -> Result<Response<Reply>, Failure> {
        let Admitted { parts, body, entry } = admitted;
        let target = self.upstreams.route(parts.uri.path(), None);
        let request = target.prepare(&parts, &entry.ours, Way::Through)?;
        Ok(relayed(target.stream(request, body).await?))
    }
}

/// A provider's answer as it goes to the agent: status, headers and body unchanged.
pub(crate) fn relayed(answer: Answer) -> Response<Reply> {
    let (head, body) = answer.into_parts();
    let mut response = Response::new(Reply::relayed(body));
    *response.status_mut() = head.status;
    *response.headers_mut() = headers::response(&head.headers);
    response
}

fn guarded(parts: &Parts) -> Option<Dialect> {
    Dialect::of_path(parts.uri.path()).filter(|_| parts.method == Method::POST)
}

/// Paths of APIs that this proxy guards, or will: their agents know how to do without a WebSocket.
fn speaks_http_only(path: &str) -> bool {
    let path = path.trim_end_matches('/');
    Dialect::of_path(path).is_some() || ["/responses", "/messages"].iter().any(|end| path.ends_with(end))
}

/// A bug in one request must not take the connection's other requests with it.
async fn caught<T>(future: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let mut future = pin!(future);
    std::future::poll_fn(|context| {
        std::panic::catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context)))
            .unwrap_or_else(|_| Poll::Ready(Err(Failure::Internal(Panicked.into()))))
    })
    .await
}

fn report(failure: &Failure) {
    let cause = failure as &dyn std::error::Error;
    match failure.fault() {
        Fault::Agent => tracing::debug!(code = failure.code(), cause, "refused a request"),
        Fault::Provider => tracing::warn!(code = failure.code(), cause, "the provider did not answer"),
        Fault::Proxy => tracing::error!(code = failure.code(), cause, "failed to serve a request"),
    }
}

// === impl Front ===

impl Front {
    pub(super) fn new(house: Arc<House>) -> Self {
        Self { house, asked: Arc::default() }
    }

    /// Tells later whether a request ever came.
    pub(super) fn asked(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.asked)
    }
}

impl Service<Request<Incoming>> for Front {
    type Response = Response<Reply>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Reply>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Incoming>) -> Self::Future {
        self.asked.store(true, Ordering::Relaxed);
        let house = Arc::clone(&self.house);
        Box::pin(async move { Ok(house.answer(request).await) })
    }
}
