//! TCP connections to a provider: straight, or through the proxy that the environment names.
//!
//! `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` are read as curl reads them, and hold for providers over TLS only: what
//! is in the tunnel is nobody's to read. This machine itself is never reached through a proxy.

use std::pin::Pin;
use std::task::{Context, Poll};

use http::Uri;
use http::uri::Scheme;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tower::Service;

use crate::proxy::body::BoxError;

#[cfg(test)]
mod tests;

/// Opens TCP connections to one provider.
#[derive(Clone, Debug)]
pub(super) enum Dialer {
    Straight(HttpConnector),
    Through(Tunnel<HttpConnector>),
}

/// The proxy wants to be spoken to in another way than over plain HTTP.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a proxy that is reached by `{0}` cannot be used: write http://, or name the provider in NO_PROXY")]
pub struct UnknownProxy(String);

// === impl Dialer ===

impl Dialer {
    pub(super) fn new(tcp: HttpConnector, provider: &Uri, proxies: &Matcher) -> Result<Self, UnknownProxy> {
        if provider.scheme() != Some(&Scheme::HTTPS) || is_loopback(provider) {
            return Ok(Self::Straight(tcp));
        }
        let Some(proxy) = proxies.intercept(provider) else { return Ok(Self::Straight(tcp)) };
        if proxy.uri().scheme() != Some(&Scheme::HTTP) {
            return Err(UnknownProxy(proxy.uri().scheme_str().unwrap_or_default().to_owned()));
        }
        let tunnel = Tunnel::new(proxy.uri().clone(), tcp);
        Ok(Self::Through(match proxy.basic_auth() {
            Some(credential) => tunnel.with_auth(credential.clone()),
            None => tunnel,
        }))
    }
}

impl Service<Uri> for Dialer {
    type Response = TokioIo<TcpStream>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        match self {
            Self::Straight(tcp) => tcp.poll_ready(context).map_err(Into::into),
            Self::Through(tunnel) => tunnel.poll_ready(context).map_err(Into::into),
        }
    }

    fn call(&mut self, address: Uri) -> Self::Future {
        match self {
            Self::Straight(tcp) => {
                let opening = tcp.call(address);
                Box::pin(async move { Ok(opening.await?) })
            }
            Self::Through(tunnel) => {
                let opening = tunnel.call(address);
                Box::pin(async move { Ok(opening.await?) })
            }
        }
    }
}

/// Whether an address is on this machine.
pub(super) fn is_loopback(address: &Uri) -> bool {
    let host = address.host().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}
