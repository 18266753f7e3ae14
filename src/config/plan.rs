//! The configuration as it is meant: addresses parsed, secrets read, globs and patterns compiled. Nothing is
//! left to interpret while requests run.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use globset::GlobSet;
use http::{HeaderName, HeaderValue, Uri};

use crate::guard::Rules;

/// Everything that is in force.
#[derive(Clone, Debug)]
pub struct Plan {
    pub listen: Listen,
    /// Never empty. The last one without `models` and `paths` is the default.
    pub upstreams: Vec<Arc<Upstream>>,
    pub rules: Arc<Rules>,
    pub state: State,
    pub events: Events,
}

/// Where agents come in, and what they may do.
#[derive(Clone, Debug)]
pub struct Listen {
    pub address: SocketAddr,
    /// PEM files, read at start.
    pub tls: Option<Tls>,
    /// If not empty, an agent must present one of these. None is ever forwarded. Each can be a header value.
    pub keys: Vec<Secret>,
    /// Bytes of a request body after decompression.
    pub max_body: usize,
    /// Exchanges in flight.
    pub max_exchanges: usize,
    /// No byte from the provider for so long ends an answer. There is no total limit.
    pub idle_timeout: Duration,
    /// While a call is held; `None`: never.
    pub heartbeat: Option<Duration>,
    /// How long running exchanges may take to finish once the process is told to stop.
    pub drain: Duration,
    /// Bytes of one answer's calls that are held at most.
    pub max_held: usize,
}

#[derive(Clone, Debug)]
pub struct Tls {
    pub cert: Vec<u8>,
    pub key: Secret,
}

/// A provider.
#[derive(Clone, Debug)]
pub struct Upstream {
    pub name: String,
    /// Scheme (`http` or `https`), host, and the path that requests are joined to; no query, and no slash at the
    /// end unless there is no path.
    pub base_url: Uri,
    /// Which models go here; `None`: any.
    pub models: Option<GlobSet>,
    /// Which request paths go here; `None`: any.
    pub paths: Option<GlobSet>,
    /// Goes out in the place of the agent's own key. Can be a header value.
    pub key: Option<Secret>,
    /// Added to each request; none of the connection's own.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// PEM of the roots to trust besides the platform's: one at least.
    pub ca: Option<Vec<u8>>,
    pub http: HttpVersion,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HttpVersion {
    #[default]
    One,
    Two,
    /// What the provider prefers.
    Auto,
}

/// What is kept between requests.
#[derive(Clone, Debug)]
pub struct State {
    /// Bytes of memory for asides.
    pub memory: usize,
    pub ttl: Duration,
    /// Key of tenants; random for each process unless set.
    pub secret: Secret,
}

/// Where events go besides the log.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Events {
    #[default]
    Off,
    Stdout,
    File(PathBuf),
}

/// Bytes that are never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Vec<u8>);

impl Secret {
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }
    pub fn expose(&self) -> &[u8] {
        &self.0
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret(…)")
    }
}
