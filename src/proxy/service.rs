//! What a request walks through, from the connection to the provider and back.
//!
//! It decides nothing about what is in a body: requests of a dialect go the guarded way, all others are streamed
//! through untouched, both ways.

use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use http::request::Parts;
use http::{Method, Request, Response};
use hyper::body::Incoming;
use tower::Service;

use super::body::Reply;
use super::exchange;
use super::failure::{Failure, Fault, Unsupported};
use super::house::{Admitted, House};
use super::tunnel;
use super::upstream::{Way, relayed};
use crate::dialect::Dialect;

#[cfg(test)]
mod tests;

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

/// The way of a request.
impl House {
    async fn answer(self: &Arc<Self>, request: Request<Incoming>) -> Response<Reply> {
        let dialect = Dialect::of_path(request.uri().path());
        let walk = pin!(self.walk(request));
        match caught(walk).await {
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

    /// The way through: streamed, and nothing read.
    pub(crate) async fn pass(&self, admitted: Admitted) -> Result<Response<Reply>, Failure> {
        let Admitted { parts, body, entry } = admitted;
        let target = self.upstreams.route(parts.uri.path(), None);
        let request = target.prepare(&parts, &entry.ours, Way::Through)?;
        Ok(relayed(target.stream(request, body).await?))
    }
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
///
/// Pinned by who asks: a future that moved in here would be held twice.
async fn caught<T>(mut future: Pin<&mut impl Future<Output = Result<T, Failure>>>) -> Result<T, Failure> {
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
