use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use globset::{Glob, GlobSet, GlobSetBuilder};
use http::{HeaderMap, Method, Request};
use http_body_util::BodyExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;
use crate::config::plan::{Events, HttpVersion, Listen, Secret, State};
use crate::guard::Rules;
use crate::proxy::failure::Failure;

fn globs(patterns: &[&str]) -> Option<GlobSet> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(Glob::new(pattern).unwrap());
    }
    (!patterns.is_empty()).then(|| set.build().unwrap())
}

fn upstream(name: &str, models: &[&str], paths: &[&str]) -> Upstream {
    Upstream {
        name: name.into(),
        base_url: "http://127.0.0.1:1/v1".parse().unwrap(),
        models: globs(models),
        paths: globs(paths),
        key: None,
        headers: Vec::new(),
        ca: None,
        http: HttpVersion::One,
    }
}

fn upstreams(list: Vec<Upstream>) -> Result<Upstreams, UpstreamError> {
    Upstreams::new(&Plan {
        listen: Listen {
            address: ([127, 0, 0, 1], 0).into(),
            tls: None,
            keys: Vec::new(),
            max_body: 1,
            max_exchanges: 1,
            idle_timeout: Duration::from_mins(1),
            heartbeat: None,
            drain: Duration::ZERO,
            max_held: 1,
        },
        upstreams: list.into_iter().map(Arc::new).collect(),
        rules: Arc::new(Rules::default()),
        state: State { memory: 1, ttl: Duration::ZERO, secret: Secret::new("s") },
        events: Events::Off,
    })
}

#[test]
fn a_request_goes_to_the_first_that_asks_for_it_else_to_the_default() {
    let upstreams = upstreams(vec![
        upstream("first", &[], &[]),
        upstream("claude", &["claude-*"], &[]),
        upstream("messages", &[], &["/v1/messages*"]),
        upstream("both", &["gpt-*"], &["/v1/responses"]),
        upstream("last", &[], &[]),
        upstream("late", &["gpt-4*"], &[]),
    ])
    .unwrap();
    let route = |path, model| upstreams.route(path, model).name().to_string();
    assert_eq!(route("/v1/chat/completions", Some("claude-5")), "claude");
    assert_eq!(route("/v1/messages", None), "messages");
    assert_eq!(route("/messages/batches", Some("m")), "messages");
    assert_eq!(route("/v1/responses", Some("gpt-5")), "both");
    assert_eq!(route("/v1/responses", Some("o9")), "last");
    assert_eq!(route("/v1/chat/completions", Some("gpt-4.1")), "late");
    assert_eq!(route("/v1/models", None), "last");
}

#[test]
fn where_every_one_is_choosy_the_last_takes_the_rest() {
    let upstreams = upstreams(vec![upstream("a", &["a"], &[]), upstream("b", &["b"], &[])]).unwrap();
    assert_eq!(upstreams.route("/v1/models", None).name().as_ref(), "b");
    assert_eq!(upstreams.route("/v1/models", Some("a")).name().as_ref(), "a");
}

#[test]
fn what_can_never_be_reached_is_told_at_start() {
    let told = |change: fn(&mut Upstream)| {
        let mut upstream = upstream("odd", &[], &[]);
        change(&mut upstream);
        match upstreams(vec![upstream]) {
            Err(UpstreamError::Unusable { name, source }) => format!("{name}: {source}"),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        told(|upstream| upstream.base_url = "/v1".parse().unwrap()),
        "odd: `base_url` must begin with http:// or https:// and name a host"
    );
    assert!(told(|upstream| upstream.base_url = "ftp://host".parse().unwrap()).contains("base_url"));
    let with_ca = |ca: &'static str| {
        let mut upstream = upstream("odd", &[], &[]);
        upstream.base_url = "https://host".parse().unwrap();
        upstream.ca = Some(ca.into());
        upstreams(vec![upstream]).unwrap_err()
    };
    for ca in ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        assert!(matches!(with_ca(ca), UpstreamError::Unusable { .. }), "{ca}");
    }
    assert!(matches!(upstreams(Vec::new()), Err(UpstreamError::None)));
}

/// A provider at a port of this machine, and the way to it.
async fn target(silence: Duration) -> (TcpListener, Target, Prepared) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let mut upstream = upstream("openai", &[], &[]);
    upstream.base_url = format!("http://{}/v1", listener.local_addr().unwrap()).parse().unwrap();
    let target = Target::new(Arc::new(upstream), silence).unwrap();
    let (asked, ()) = Request::post("/v1/chat/completions").body(()).unwrap().into_parts();
    let prepared = target.prepare(&asked, &[], Way::Guarded).unwrap();
    (listener, target, prepared)
}

async fn until(socket: &mut TcpStream, end: &str) -> String {
    let mut read = Vec::new();
    while !read.ends_with(end.as_bytes()) {
        assert!(socket.read_buf(&mut read).await.unwrap() > 0, "{read:?}");
    }
    String::from_utf8(read).unwrap()
}

const MINUTE: Duration = Duration::from_mins(1);

#[tokio::test]
async fn a_request_can_be_sent_again_with_another_body_over_the_same_connection() {
    let (listener, target, prepared) = target(MINUTE).await;
    let provide = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        for (length, body) in [(4, "[12]"), (6, "[1234]")] {
            let request = until(&mut socket, body).await;
            assert!(request.starts_with("POST /v1/chat/completions HTTP/1.1\r\n"), "{request}");
            assert!(request.contains(&format!("content-length: {length}\r\n")), "{request}");
            assert!(request.contains("accept-encoding: identity\r\n"), "{request}");
            socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await.unwrap();
        }
    };
    let ask = async {
        for pieces in [vec!["[12", "", "]"], vec!["[12", "34", "]"]] {
            let pieces = pieces.into_iter().map(|piece: &'static str| Bytes::from(piece)).collect();
            let answer = target.send(&prepared, pieces).await.unwrap();
            assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), "ok");
        }
    };
    tokio::join!(provide, ask);
}

#[tokio::test]
async fn dropping_the_future_aborts_the_request() {
    let (listener, target, prepared) = target(MINUTE).await;
    let mut sending = Box::pin(target.send(&prepared, vec![Bytes::from_static(b"{}")]));
    let mut socket = tokio::select! {
        answer = &mut sending => panic!("{answer:?}"),
        accepted = listener.accept() => accepted.unwrap().0,
    };
    tokio::select! {
        answer = &mut sending => panic!("{answer:?}"),
        _ = until(&mut socket, "{}") => {}
    }
    drop(sending);
    assert_eq!(socket.read(&mut [0; 1]).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn dropping_the_body_aborts_the_answer() {
    let (listener, target, prepared) = target(MINUTE).await;
    let provide = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        until(&mut socket, "{}").await;
        socket.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok").await.unwrap();
        socket
    };
    let (mut socket, answer) = tokio::join!(provide, target.send(&prepared, vec![Bytes::from_static(b"{}")]));
    drop(answer.unwrap());
    assert_eq!(socket.read(&mut [0; 1]).await.unwrap_or(0), 0);
}

#[tokio::test]
async fn a_silent_provider_is_told_from_one_that_is_not_there() {
    let (listener, target, prepared) = target(MINUTE).await;
    let silent = async {
        let (mut socket, _) = listener.accept().await.unwrap();
        until(&mut socket, "{}").await;
        // Nothing but the limit is left to come.
        tokio::time::pause();
        socket
    };
    let (failure, _socket) = tokio::join!(target.send(&prepared, vec![Bytes::from_static(b"{}")]), silent);
    assert_eq!(failure.unwrap_err().message(), "the provider `openai` did not answer within 60s");
    tokio::time::resume();
    drop(listener);
    let failure = target.send(&prepared, Vec::new()).await.unwrap_err();
    assert!(matches!(failure, Failure::Unreachable { .. }), "{failure:?}");
}

#[tokio::test]
async fn a_connection_that_does_not_come_about_is_given_up() {
    // Full from the first: whoever connects waits for a place that never comes free.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind(([127, 0, 0, 1], 0).into()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    // More than there are places for: nobody ever accepts one of them.
    let mut waiting: Vec<_> = (0..32).map(|_| Box::pin(TcpStream::connect(address))).collect();
    for connecting in &mut waiting {
        let asked = std::future::poll_fn(|context| Poll::Ready(connecting.as_mut().poll(context).is_ready()));
        asked.await;
    }
    let mut upstream = upstream("full", &[], &[]);
    upstream.base_url = format!("http://{address}").parse().unwrap();
    let target = Target::new(Arc::new(upstream), MINUTE).unwrap();
    let prepared = Prepared {
        method: Method::GET,
        uri: format!("http://{address}/").parse().unwrap(),
        headers: HeaderMap::new(),
    };
    tokio::time::pause();
    let failure = target.send(&prepared, Vec::new()).await.unwrap_err();
    assert_eq!(failure.message(), "the provider `full` could not be connected to within 10s");
}
