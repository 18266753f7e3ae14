//! A judged exchange is the same over every transport: both versions of HTTP, with and without TLS, on both sides.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Version};
use http_body_util::Full;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use remand::config::plan::HttpVersion;
use remand::observe::Events;
use remand::proxy::server::Server;
use remand::replay::{self, Script, Step};
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use super::identity::Identity;
use super::rig::soon;
use crate::scene::{Got, Scene, request, user};

const COUNT: (&str, &str) =
    ("count", r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#);

/// Text, a call that cannot be, then one that is coerced.
fn script() -> Script {
    Script::new()
        .step(Step::new().say("One moment.").call("count", r#"{"n":"five"}"#).chunk(3))
        .step(Step::new().on_result("Please fix").call("count", r#"{"n":"5"}"#).chunk(3))
}

/// How the two sides are spoken to.
#[derive(Clone, Copy, Debug)]
struct Transport {
    agent: Version,
    agent_tls: bool,
    provider: HttpVersion,
    provider_tls: bool,
}

/// TLS in front of the scripted provider, which speaks both versions.
async fn terminate(listener: TcpListener, identity: Arc<Identity>, provider: std::net::SocketAddr) {
    let mut running = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        let identity = Arc::clone(&identity);
        running.spawn(async move {
            let mut stream = identity.acceptor(&["h2", "http/1.1"]).accept(stream).await.unwrap();
            let mut plain = TcpStream::connect(provider).await.unwrap();
            drop(tokio::io::copy_bidirectional(&mut stream, &mut plain).await);
        });
    }
}

/// One request over a connection of its own.
async fn send<S>(stream: S, version: Version, host: &str, body: String) -> Got
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let request = Request::post(format!("http://{host}/v1/chat/completions")).header("host", host);
    let request = request.body(Full::new(Bytes::from(body))).unwrap();
    let mut running = JoinSet::new();
    let io = TokioIo::new(stream);
    let response = if version == Version::HTTP_2 {
        let (mut agent, connection) = http2::handshake(TokioExecutor::new(), io).await.unwrap();
        running.spawn(async { drop(connection.await) });
        let response = soon("the head", agent.send_request(request)).await.unwrap();
        return soon("the answer", Got::read(response)).await;
    } else {
        let (mut agent, connection) = http1::handshake(io).await.unwrap();
        running.spawn(async { drop(connection.await) });
        soon("the head", agent.send_request(request)).await.unwrap()
    };
    soon("the answer", Got::read(response)).await
}

async fn judged(transport: Transport, identity: &Arc<Identity>, stream: bool) {
    let mut running = JoinSet::new();
    let provider = replay::Server::start(script()).unwrap();
    let base_url = if transport.provider_tls {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        running.spawn(terminate(listener, Arc::clone(identity), provider.address()));
        format!("https://localhost:{port}/v1")
    } else {
        provider.base_url()
    };
    let mut plan = Scene::plan_for(&base_url, "", "");
    plan.listen.tls = transport.agent_tls.then(|| identity.tls());
    let upstream = Arc::make_mut(&mut plan.upstreams[0]);
    upstream.http = transport.provider;
    upstream.ca = transport.provider_tls.then(|| identity.cert.clone().into());
    let server = Server::bind(plan, Events::default()).await.unwrap();
    let address = server.address();
    running.spawn(server.run(std::future::pending()));

    let body = request(&[&user("go")], &[COUNT], stream);
    let (socket, host) = (TcpStream::connect(address).await.unwrap(), address.to_string());
    let got = if transport.agent_tls {
        let protocol = if transport.agent == Version::HTTP_2 { "h2" } else { "http/1.1" };
        let name = ServerName::try_from("localhost").unwrap();
        let socket = identity.connector(&[protocol]).connect(name, socket).await.unwrap();
        send(socket, transport.agent, &host, body.clone()).await
    } else {
        send(socket, transport.agent, &host, body.clone()).await
    };

    let message = got.message();
    let calls: Vec<_> = message.calls.iter().map(|call| call.2.as_str()).collect();
    assert_eq!((got.clean, calls), (true, vec![r#"{"n":5}"#]), "{transport:?}: {}", got.text());
    assert_eq!(
        (message.finish.as_str(), message.finishes, message.dones),
        ("tool_calls", 1, 1),
        "{transport:?}"
    );
    assert!(got.headers.contains_key("x-remand-exchange"));
    let requests = provider.requests();
    assert_eq!((requests.len(), requests[0].text()), (2, body.as_str()), "{transport:?}");
    let is_two = transport.provider == HttpVersion::Two
        || (transport.provider == HttpVersion::Auto && transport.provider_tls);
    assert_eq!(requests[0].connection, requests[1].connection, "one connection serves both rounds");
    // HTTP/2 has no `host`: it names the provider in `:authority`.
    assert_eq!(requests[0].headers.contains_key("host"), !is_two, "{transport:?}");
}

#[tokio::test]
async fn over_any_transport_the_judgement_is_the_same() {
    let identity = Arc::new(Identity::new());
    let providers = [
        (HttpVersion::One, false),
        (HttpVersion::Two, false),
        (HttpVersion::Auto, false),
        (HttpVersion::One, true),
        (HttpVersion::Two, true),
        (HttpVersion::Auto, true),
    ];
    let agents = [(Version::HTTP_11, false), (Version::HTTP_2, false), (Version::HTTP_2, true)];
    for (place, (agent, agent_tls)) in agents.into_iter().enumerate() {
        // One agent meets every provider, the others those that speak as they do.
        for (provider, provider_tls) in providers
            .into_iter()
            .filter(|pair| place == 0 || [(HttpVersion::Two, false), (HttpVersion::Two, true)].contains(pair))
        {
            for stream in [true, false] {
                judged(Transport { agent, agent_tls, provider, provider_tls }, &identity, stream).await;
            }
        }
    }
}
