//! A provider's or a proxy's certificate, and both ends of TLS that go by it.

use std::sync::Arc;

use remand::config::plan::{Secret, Tls};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::rig::{Provider, soon};

/// A certificate for `localhost` that vouches for itself.
pub struct Identity {
    pub cert: String,
    key: String,
}

impl Identity {
    pub fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        Self { cert: made.cert.pem(), key: made.signing_key.serialize_pem() }
    }

    pub fn tls(&self) -> Tls {
        Tls { cert: self.cert.clone().into(), key: Secret::new(self.key.clone()) }
    }

    fn certificate(&self) -> CertificateDer<'static> {
        CertificateDer::from_pem_slice(self.cert.as_bytes()).unwrap()
    }

    pub fn acceptor(&self, protocols: &[&str]) -> TlsAcceptor {
        let key = PrivateKeyDer::from_pem_slice(self.key.as_bytes()).unwrap();
        let mut config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate()], key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(config).into()
    }

    /// The provider's end of a connection that is to come.
    pub async fn accept(
        &self,
        provider: &Provider,
        protocols: &[&str],
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let stream = provider.accept().await.into_inner();
        soon("the handshake", self.acceptor(protocols).accept(stream)).await
    }

    pub fn connector(&self, protocols: &[&str]) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate()).unwrap();
        let mut config = ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        Arc::new(config).into()
    }
}

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::aws_lc_rs::default_provider())
}
