//! TLS from agents and to providers.

use std::sync::Arc;

use remand::config::Plan;
use remand::config::plan::{HttpVersion, Secret, Tls};
use rustls::pki_types::ServerName;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, TlsConnector};

use super::rig::{OK, Provider, Proxy, Socket, get, plan, soon, value};

/// A certificate for `localhost` that vouches for itself.
struct Identity {
    cert: String,
    key: String,
}

impl Identity {
    fn new() -> Self {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        Self { cert: made.cert.pem(), key: made.signing_key.serialize_pem() }
    }

    fn tls(&self) -> Tls {
        Tls { cert: self.cert.clone().into(), key: Secret::new(self.key.clone()) }
    }

    fn certificate(&self) -> CertificateDer<'static> {
        CertificateDer::from_pem_slice(self.cert.as_bytes()).unwrap()
    }

    fn acceptor(&self, protocols: &[&str]) -> TlsAcceptor {
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

    fn connector(&self, protocols: &[&str]) -> TlsConnector {
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

async fn negotiated(proxy: &Proxy, identity: &Identity, protocols: &[&str]) -> Option<String> {
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let stream = identity.connector(protocols).connect(name, stream).await.unwrap();
    stream.get_ref().1.alpn_protocol().map(|name| String::from_utf8(name.to_vec()).unwrap())
}

/// A plan for a provider that is reached over TLS as `localhost`.
fn secured(provider: &Provider, ca: Option<&Identity>, http: HttpVersion) -> Plan {
    let mut plan = plan(&format!("https://localhost:{}/v1", provider.address().port()));
    let upstream = Arc::make_mut(&mut plan.upstreams[0]);
    upstream.ca = ca.map(|identity| identity.cert.clone().into());
    upstream.http = http;
    plan
}

#[tokio::test]
async fn agents_may_come_in_over_tls() {
    let identity = Identity::new();
    let provider = Provider::listen().await;
    let mut plan = provider.plan();
    plan.listen.tls = Some(identity.tls());
    let proxy = Proxy::start(plan).await;
    assert_eq!(negotiated(&proxy, &identity, &["h2", "http/1.1"]).await.as_deref(), Some("h2"));
    assert_eq!(negotiated(&proxy, &identity, &["http/1.1"]).await.as_deref(), Some("http/1.1"));

    let stream = TcpStream::connect(proxy.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut agent = Socket::over(identity.connector(&[]).connect(name, stream).await.unwrap());
    agent.write(&get("/v1/models")).await;
    let mut request = provider.accept().await;
    request.head().await;
    request.write(OK).await;
    assert_eq!(agent.answer().await.1, "ok");
}

#[tokio::test]
async fn an_agent_that_leaves_over_tls_stops_its_request() {
    let identity = Identity::new();
    let provider = Provider::listen().await;
    let mut plan = provider.plan();
    plan.listen.tls = Some(identity.tls());
    let proxy = Proxy::start(plan).await;
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut agent = Socket::over(identity.connector(&[]).connect(name, stream).await.unwrap());
    agent.write(&get("/v1/models")).await;
    let mut request = provider.accept().await;
    request.head().await;
    drop(agent);
    assert_eq!(request.rest().await, "");
}

#[tokio::test]
async fn a_provider_with_a_root_of_the_operators_is_trusted_by_its_own_name() {
    let identity = Identity::new();
    let provider = Provider::listen().await;
    let proxy = Proxy::start(secured(&provider, Some(&identity), HttpVersion::One)).await;
    let mut agent = proxy.ask(&get("/v1/models")).await;
    let stream = provider.accept().await.into_inner();
    let stream = soon("the handshake", identity.acceptor(&["h2", "http/1.1"]).accept(stream)).await.unwrap();
    assert_eq!(stream.get_ref().1.server_name(), Some("localhost"));
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(b"http/1.1".as_slice()));
    let mut request = Socket::over(stream);
    let head = request.head().await;
    let host = format!("localhost:{}", provider.address().port());
    assert_eq!(value(&head, "host"), Some(host.as_str()));
    request.write(OK).await;
    assert_eq!(agent.answer().await.1, "ok");
}

#[tokio::test]
async fn a_provider_that_nobody_vouches_for_is_not_talked_to() {
    let (identity, other) = (Identity::new(), Identity::new());
    for ca in [None, Some(&other)] {
        let provider = Provider::listen().await;
        let proxy = Proxy::start(secured(&provider, ca, HttpVersion::One)).await;
        let mut agent = proxy.ask(&get("/v1/models")).await;
        let stream = provider.accept().await.into_inner();
        assert!(soon("the handshake", identity.acceptor(&[]).accept(stream)).await.is_err());
        let (head, body) = agent.answer().await;
        assert!(head.starts_with("http/1.1 502 "), "{head}");
        assert!(body.contains("certificate"), "{body}");
    }
}

#[tokio::test]
async fn the_version_is_what_was_asked_for_or_what_the_provider_prefers() {
    let identity = Identity::new();
    for (http, expected) in
        [(HttpVersion::Two, "h2"), (HttpVersion::Auto, "h2"), (HttpVersion::One, "http/1.1")]
    {
        let provider = Provider::listen().await;
        let proxy = Proxy::start(secured(&provider, Some(&identity), http)).await;
        let _agent = proxy.ask(&get("/v1/models")).await;
        let stream = provider.accept().await.into_inner();
        let stream =
            soon("the handshake", identity.acceptor(&["h2", "http/1.1"]).accept(stream)).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(expected.as_bytes()), "{http:?}");
    }
}
