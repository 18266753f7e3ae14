//! One provider, and the requests that go to it.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_LENGTH;
use http::request::Parts;
use http::uri::PathAndQuery;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, Uri};
use hyper::body::Incoming;
use hyper_util::client::legacy::{Client, Error as ClientError};
use hyper_util::rt::{TokioExecutor, TokioTimer};

use super::connect::{CONNECT_LIMIT, ConnectError, Connector, TooSlow};
use super::dialer::is_loopback;
use super::headers::{self, Way};
use super::join::join;
use super::outgoing::{Outgoing, Upload};
use crate::config::plan::{HttpVersion, Upstream};
use crate::proxy::body::Idle;
use crate::proxy::failure::{Failure, Wait};

/// Local servers close what is idle after five seconds (uvicorn, Node); providers keep it for a minute and more.
const POOL_IDLE_LOOPBACK: Duration = Duration::from_secs(4);
const POOL_IDLE: Duration = Duration::from_secs(45);

/// A ping on quiet connections: a provider that went away without a word is noticed.
const H2_PING_EVERY: Duration = Duration::from_secs(30);

/// What one read of a provider may take, and its head. Read buffers grow to this, and two of them stay as long as a
/// stream does: the default (400 KiB) would weigh more than what most streams hold.
const BUFFER: usize = 8 << 10;

/// A provider's answer: its body ends in a [`Failure`] where it breaks off or falls silent.
pub type Answer = Response<Idle<Incoming>>;

/// A provider: where it is, and the connections to it.
#[derive(Debug)]
pub struct Target {
    upstream: Arc<Upstream>,
    /// As it stands in events.
    name: Arc<str>,
    client: Client<Connector, Outgoing>,
    /// How long the provider may be silent, before its answer and within.
    silence: Duration,
}

/// A request as it goes to a provider, without its body. It can be sent several times.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub method: Method,
    /// Absolute: the provider's.
    pub uri: Uri,
    pub headers: HeaderMap,
}

// === impl Target ===

impl Target {
    pub fn new(upstream: Arc<Upstream>, silence: Duration) -> Result<Self, ConnectError> {
        let connector = Connector::new(&upstream)?;
        let idle = if is_loopback(&upstream.base_url) { POOL_IDLE_LOOPBACK } else { POOL_IDLE };
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .timer(TokioTimer::new())
            .pool_idle_timeout(idle)
            // Only what provably never reached the provider is sent once more.
            .retry_canceled_requests(true)
            .http1_max_buf_size(BUFFER)
            .http2_only(upstream.http == HttpVersion::Two)
            .http2_keep_alive_interval(H2_PING_EVERY)
            .http2_adaptive_window(true)
            .build(connector);
        Ok(Self { name: Arc::from(upstream.name.as_str()), upstream, client, silence })
    }

    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    pub fn upstream(&self) -> &Upstream {
        &self.upstream
    }

    /// The agent's request in the provider's terms. `ours` as in [`headers::request`].
    pub fn prepare(&self, asked: &Parts, ours: &[HeaderName], way: Way) -> Result<Prepared, Failure> {
        let root = PathAndQuery::from_static("/");
        let path = asked.uri.path_and_query().unwrap_or(&root);
        let joined = join(&self.upstream.base_url, path).map_err(|cause| Failure::Internal(cause.into()))?;
        let mut parts = self.upstream.base_url.clone().into_parts();
        parts.path_and_query = Some(joined);
        let uri = Uri::from_parts(parts).map_err(|cause| Failure::Internal(cause.into()))?;
        let headers = headers::request(&asked.headers, ours, &self.upstream, way);
        Ok(Prepared { method: asked.method.clone(), uri, headers })
    }

    /// Sends a request with a body that is in memory: `pieces`, one after the other. Waits for the answer's head.
    pub async fn send(&self, request: &Prepared, pieces: Vec<Bytes>) -> Result<Answer, Failure> {
        let length: usize = pieces.iter().map(Bytes::len).sum();
        let mut request = request.with(Outgoing::pieces(pieces));
        request.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
        let answer = tokio::time::timeout(self.silence, self.client.request(request)).await;
        self.answer(answer.map_err(|_| self.late(Wait::Answer, self.silence))?)
    }

    /// Sends a request with the agent's body as it comes in. The provider's silence counts from the last byte.
    pub async fn stream(&self, request: Prepared, body: Incoming) -> Result<Answer, Failure> {
        let upload = Arc::new(Upload::default());
        let request = request.with(Outgoing::streamed(body, Arc::clone(&upload)));
        let mut answer = std::pin::pin!(self.client.request(request));
        loop {
            let sent = upload.frames();
            match tokio::time::timeout(self.silence, answer.as_mut()).await {
                Ok(answer) => return self.answer(answer),
                Err(_) if upload.frames() > sent => {}
                Err(_) => return Err(self.late(Wait::Answer, self.silence)),
            }
        }
    }

    fn answer(&self, answer: Result<Response<Incoming>, ClientError>) -> Result<Answer, Failure> {
        let answer = answer.map_err(|cause| self.unanswered(cause))?;
        Ok(answer.map(|body| Idle::new(body, Arc::clone(&self.name), self.silence)))
    }

    fn unanswered(&self, cause: ClientError) -> Failure {
        let mut deeper = cause.source();
        while let Some(error) = deeper {
            if error.is::<TooSlow>() {
                return self.late(Wait::Connect, CONNECT_LIMIT);
            }
            deeper = error.source();
        }
        Failure::Unreachable { upstream: Arc::clone(&self.name), source: cause.into() }
    }

    fn late(&self, waited_for: Wait, limit: Duration) -> Failure {
        Failure::Timeout { upstream: Arc::clone(&self.name), waited_for, limit }
    }
}

// === impl Prepared ===

impl Prepared {
    fn with(&self, body: Outgoing) -> Request<Outgoing> {
        let mut request = Request::new(body);
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request
    }
}
