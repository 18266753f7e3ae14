//! What is not guarded goes through as it came.

use super::rig::{OK, Provider, Proxy, STREAM, get, post, upstream, value};
use std::sync::Arc;

const ODD: &str = r#"{"z":1.10,"a":12345678901234567890, "u":"\ud800"}"#;

#[tokio::test]
async fn a_request_and_its_answer_keep_their_bytes() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.ask(&post("/v1/responses?x=%2F&y", ODD)).await;
    let mut request = provider.accept().await;
    let head = request.head().await;
    assert!(head.starts_with("post /v1/responses?x=%2f&y http/1.1\r\n"), "{head}");
    assert_eq!(value(&head, "host"), Some(provider.address().to_string().as_str()));
    assert_eq!(value(&head, "content-length"), Some(ODD.len().to_string().as_str()));
    assert_eq!(request.exactly(ODD.len()).await, ODD);
    let error = "HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\ncontent-type: text/html\r\n\
                 x-ratelimit-remaining-tokens: 0\r\nset-cookie: a\r\nset-cookie: b\r\ncontent-length: 3\r\n\r\n<p>";
    request.write(error).await;
    let (head, body) = agent.answer().await;
    assert!(head.starts_with("http/1.1 429 "), "{head}");
    let kept: Vec<_> = head.lines().skip(1).filter(|line| !line.starts_with("date: ")).collect();
    let sent: Vec<_> = error.lines().skip(1).take_while(|line| !line.is_empty()).collect();
    assert_eq!(kept[..sent.len()], sent);
    assert_eq!(body, "<p>");
}

#[tokio::test]
async fn events_arrive_one_by_one() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.ask(&post("/v1/messages", "{}")).await;
    let mut request = provider.accept().await;
    request.until("{}").await;
    request.write(STREAM).await;
    for event in ["data: 1\n\n", ": note\r\n\r\n", "data: 2\n\n"] {
        request.write(&format!("{:x}\r\n{event}\r\n", event.len())).await;
        agent.until(event).await;
    }
    request.write("0\r\n\r\n").await;
    agent.until("0\r\n\r\n").await;
}

#[tokio::test]
async fn an_event_stream_is_marked_against_buffering() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.ask(&get("/v1/events")).await;
    let mut request = provider.accept().await;
    request.head().await;
    request.write(STREAM).await;
    let head = agent.head().await;
    assert_eq!(value(&head, "x-accel-buffering"), Some("no"));
    assert_eq!(value(&head, "cache-control"), Some("no-cache"));
}

#[tokio::test]
async fn a_body_is_passed_on_while_it_comes_in() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.ask("POST /v1/files HTTP/1.1\r\nhost: p\r\ncontent-length: 8\r\n\r\nhalf").await;
    let mut request = provider.accept().await;
    request.head().await;
    assert_eq!(request.exactly(4).await, "half");
    agent.write("rest").await;
    assert_eq!(request.exactly(4).await, "rest");
    request.write(OK).await;
    assert_eq!(agent.answer().await.1, "ok");
}

#[tokio::test]
async fn trailers_are_kept_both_ways() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let chunked = "POST /v1/files HTTP/1.1\r\nhost: p\r\nte: trailers\r\ntrailer: x-sum\r\n\
                   transfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\nx-sum: 1\r\n\r\n";
    let mut agent = proxy.ask(chunked).await;
    let mut request = provider.accept().await;
    let head = request.head().await;
    assert_eq!(value(&head, "te"), Some("trailers"));
    assert_eq!(request.until("0\r\n").await, "2\r\nab\r\n0\r\n");
    assert_eq!(request.head().await, "x-sum: 1\r\n\r\n");
    let answer = "HTTP/1.1 200 OK\r\ntrailer: x-sum\r\ntransfer-encoding: chunked\r\n\r\n\
                  2\r\ncd\r\n0\r\nx-sum: 2\r\n\r\n";
    request.write(answer).await;
    agent.head().await;
    assert_eq!(agent.until("\r\n\r\n").await, "2\r\ncd\r\n0\r\nx-sum: 2\r\n\r\n");
}

#[tokio::test]
async fn an_agent_that_asks_before_it_sends_is_told_to_go_on() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let asks = "POST /v1/files HTTP/1.1\r\nhost: p\r\nexpect: 100-continue\r\ncontent-length: 2\r\n\r\n";
    let mut agent = proxy.ask(asks).await;
    assert_eq!(agent.head().await, "http/1.1 100 continue\r\n\r\n");
    agent.write("ab").await;
    let mut request = provider.accept().await;
    let head = request.head().await;
    assert_eq!(value(&head, "expect"), None);
    assert_eq!(request.exactly(2).await, "ab");
}

#[tokio::test]
async fn the_answer_to_head_keeps_its_length() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.ask("HEAD /v1/models HTTP/1.1\r\nhost: p\r\n\r\n").await;
    let mut request = provider.accept().await;
    request.head().await;
    request.write("HTTP/1.1 200 OK\r\ncontent-length: 1234\r\n\r\n").await;
    let head = agent.head().await;
    assert_eq!(value(&head, "content-length"), Some("1234"));
}

#[tokio::test]
async fn a_post_without_a_body_keeps_its_length_of_nothing() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let _agent = proxy.ask(&post("/v1/threads", "")).await;
    let head = provider.accept().await.head().await;
    assert_eq!(value(&head, "content-length"), Some("0"));
}

#[tokio::test]
async fn what_the_agent_takes_is_asked_for() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent =
        proxy.ask("GET /v1/models HTTP/1.1\r\nhost: p\r\naccept-encoding: gzip, br\r\n\r\n").await;
    let mut request = provider.accept().await;
    let head = request.head().await;
    assert_eq!(value(&head, "accept-encoding"), Some("gzip, br"));
    request.write("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 3\r\n\r\n\x1f\x01\x02").await;
    let (head, body) = agent.answer().await;
    assert_eq!(value(&head, "content-encoding"), Some("gzip"));
    assert_eq!(body, "\x1f\x01\x02");
}

#[tokio::test]
async fn a_connection_that_the_provider_closed_is_not_used_again() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.connect().await;
    for _ in 0..3 {
        agent.write(&post("/v1/embeddings", "{}")).await;
        let mut request = provider.accept().await;
        request.until("{}").await;
        request.write(OK).await;
        assert_eq!(agent.answer().await.1, "ok");
    }
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.connect().await;
    agent.write(&get("/v1/models")).await;
    let mut request = provider.accept().await;
    for _ in 0..3 {
        request.head().await;
        request.write(OK).await;
        agent.answer().await;
        agent.write(&get("/v1/models")).await;
    }
}

#[tokio::test]
async fn a_path_finds_its_provider() {
    let (openai, anthropic) = (Provider::listen().await, Provider::listen().await);
    let mut plan = openai.plan();
    let mut other = upstream(&format!("http://{}", anthropic.address()));
    let glob = globset::Glob::new("/v1/messages*").unwrap();
    other.paths = Some(globset::GlobSetBuilder::new().add(glob).build().unwrap());
    plan.upstreams.insert(0, Arc::new(other));
    let proxy = Proxy::start(plan).await;
    let _agent = proxy.ask(&post("/v1/messages", "{}")).await;
    assert!(anthropic.accept().await.head().await.starts_with("post /v1/messages "));
    let _agent = proxy.ask(&get("/models")).await;
    assert!(openai.accept().await.head().await.starts_with("get /v1/models "));
}
