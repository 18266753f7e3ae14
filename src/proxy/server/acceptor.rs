//! What a new socket is wrapped in: nothing, or TLS.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use crate::config::plan::Tls;
use crate::proxy::upstream::crypto;

/// TLS with one certificate, where the plan has one.
#[derive(Clone)]
pub(super) struct Acceptor(pub(super) Option<TlsAcceptor>);

/// Why a certificate or its key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("`cert` is not a PEM file of certificates")]
    Cert(#[source] rustls_pki_types::pem::Error),
    #[error("`cert` holds no certificate")]
    NoCert,
    #[error("`key` is not a PEM file with a private key")]
    Key(#[source] rustls_pki_types::pem::Error),
    #[error("`cert` and `key` cannot be used together")]
    Pair(#[from] rustls::Error),
}

// === impl Acceptor ===

impl Acceptor {
    pub(super) fn new(tls: Option<&Tls>) -> Result<Self, TlsError> {
        tls.map(config).transpose().map(|config| Self(config.map(|config| Arc::new(config).into())))
    }
}

fn config(tls: &Tls) -> Result<ServerConfig, TlsError> {
    let certificates =
        CertificateDer::pem_slice_iter(&tls.cert).collect::<Result<Vec<_>, _>>().map_err(TlsError::Cert)?;
    if certificates.is_empty() {
        return Err(TlsError::NoCert);
    }
    let key = PrivateKeyDer::from_pem_slice(tls.key.expose()).map_err(TlsError::Key)?;
    let mut config = ServerConfig::builder_with_provider(crypto())
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_single_cert(certificates, key)?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}
