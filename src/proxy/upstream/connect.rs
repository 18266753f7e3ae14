//! Opening connections to a provider: name, TCP, a tunnel where there has to be one, TLS, all within one time limit.
//!
//! The certificates trusted are the platform's, or Mozilla's where the platform has none (an image from scratch),
//! and one more root where the operator names it. Nothing ever turns the check off.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use http::uri::Scheme;
use hyper_rustls::{DefaultServerNameResolver, HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use rustls::crypto::CryptoProvider;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use rustls_platform_verifier::Verifier;
use tokio::net::TcpStream;
use tower::Service;

use super::dialer::{Dialer, UnknownProxy};
use crate::config::plan::{HttpVersion, Upstream};
use crate::proxy::body::BoxError;

/// Name, TCP and TLS together.
pub(super) const CONNECT_LIMIT: Duration = Duration::from_secs(10);

const TCP_KEEPALIVE: Duration = Duration::from_mins(1);

/// Opens connections to one provider.
#[derive(Clone, Debug)]
pub(super) struct Connector(HttpsConnector<Dialer>);

/// No connection within [`CONNECT_LIMIT`].
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("no connection within {CONNECT_LIMIT:?}")]
pub(super) struct TooSlow;

/// Why no connection to a provider can ever be opened.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    #[error("`base_url` must begin with http:// or https:// and name a host")]
    Scheme,
    #[error(transparent)]
    Proxy(#[from] UnknownProxy),
    #[error("`ca` is not a PEM file")]
    Pem(#[from] rustls_pki_types::pem::Error),
    #[error("`ca` holds no certificate")]
    NoCertificate,
    #[error("the certificates cannot be used")]
    Tls(#[from] rustls::Error),
}

// === impl Connector ===

impl Connector {
    pub(super) fn new(upstream: &Upstream) -> Result<Self, ConnectError> {
        let secure = match upstream.base_url.scheme() {
            Some(scheme) if *scheme == Scheme::HTTPS => true,
            Some(scheme) if *scheme == Scheme::HTTP => false,
            _ => return Err(ConnectError::Scheme),
        };
        if upstream.base_url.host().is_none_or(str::is_empty) {
            return Err(ConnectError::Scheme);
        }
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(TCP_KEEPALIVE));
        let tcp = Dialer::new(tcp, &upstream.base_url, &Matcher::from_env())?;
        let tls = if secure { tls(upstream)? } else { plain()? };
        Ok(Self(HttpsConnector::new(tcp, tls, false, Arc::new(DefaultServerNameResolver::default()))))
    }
}

impl Service<Uri> for Connector {
    type Response = MaybeHttpsStream<TokioIo<TcpStream>>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, address: Uri) -> Self::Future {
        let opening = self.0.call(address);
        Box::pin(async move { tokio::time::timeout(CONNECT_LIMIT, opening).await.map_err(|_| TooSlow)? })
    }
}

/// The library's own provider, named: a process-wide default may be missing, or set by someone else.
pub(crate) fn crypto() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}

fn tls(upstream: &Upstream) -> Result<ClientConfig, ConnectError> {
    let extra = upstream.ca.as_deref().map(certificates).transpose()?.unwrap_or_default();
    let builder = ClientConfig::builder_with_provider(crypto()).with_safe_default_protocol_versions()?;
    let mut config = match Verifier::new(crypto()) {
        Ok(verifier) if extra.is_empty() => trusting(builder, verifier),
        Ok(_) => trusting(builder, Verifier::new_with_extra_roots(extra, crypto())?),
        Err(cause) => {
            tracing::info!(upstream = %upstream.name, %cause, "no certificates of the platform: using Mozilla's");
            let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
            for certificate in extra {
                roots.add(certificate)?;
            }
            builder.with_root_certificates(roots).with_no_client_auth()
        }
    };
    config.alpn_protocols = match upstream.http {
        HttpVersion::One => vec![b"http/1.1".to_vec()],
        HttpVersion::Two => vec![b"h2".to_vec()],
        HttpVersion::Auto => vec![b"h2".to_vec(), b"http/1.1".to_vec()],
    };
    Ok(config)
}

fn trusting(
    builder: rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>,
    verifier: Verifier,
) -> ClientConfig {
    // "Dangerous" is any verifier of one's own choice; this one is stricter than a list of roots.
    builder.dangerous().with_custom_certificate_verifier(Arc::new(verifier)).with_no_client_auth()
}

/// For a provider over plain HTTP: a configuration that trusts no one and is never asked.
fn plain() -> Result<ClientConfig, ConnectError> {
    let builder = ClientConfig::builder_with_provider(crypto()).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

fn certificates(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, ConnectError> {
    let found = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>()?;
    if found.is_empty() { Err(ConnectError::NoCertificate) } else { Ok(found) }
}
