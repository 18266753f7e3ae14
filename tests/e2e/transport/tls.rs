//! TLS from agents and to providers.

use std::sync::Arc;

use remand::config::Plan;
use remand::config::plan::HttpVersion;
use rustls::pki_types::ServerName;
use tokio::net::TcpStream;

use super::identity::Identity;
use super::rig::{OK, Provider, Proxy, Socket, get, plan, value};

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
    let stream = identity.accept(&provider, &["h2", "http/1.1"]).await.unwrap();
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
        assert!(identity.accept(&provider, &[]).await.is_err());
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
        let stream = identity.accept(&provider, &["h2", "http/1.1"]).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(expected.as_bytes()), "{http:?}");
    }
}
