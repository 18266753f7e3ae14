//! What the agent is told when the provider does not play along.

use std::time::Duration;

use super::rig::{Provider, Proxy, STREAM, get, plan, post, value};
use crate::scene::pass;

/// Longer than anything takes; it is never waited for.
const SILENCE: Duration = Duration::from_secs(9);

#[tokio::test]
async fn a_provider_that_is_not_there_is_a_bad_gateway() {
    let gone = Provider::listen().await;
    let plan = gone.plan();
    drop(gone);
    let proxy = Proxy::start(plan).await;
    let (head, body) = proxy.ask(&post("/v1/embeddings", "{}")).await.answer().await;
    assert!(head.starts_with("http/1.1 502 "), "{head}");
    assert_eq!(value(&head, "content-type"), Some("application/json"));
    assert!(body.contains(r#""type":"remand_error""#), "{body}");
    assert!(body.contains(r#""code":"upstream_unreachable""#), "{body}");
    assert!(body.contains("provider"), "{body}");
}

#[tokio::test]
async fn a_provider_that_hangs_up_is_a_bad_gateway() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.ask(&post("/v1/embeddings", "{}")).await;
    provider.accept().await.until("{}").await;
    assert!(agent.answer().await.0.starts_with("http/1.1 502 "));
}

#[tokio::test]
async fn a_provider_that_says_nothing_is_a_timeout() {
    let provider = Provider::listen().await;
    let mut plan = provider.plan();
    plan.listen.idle_timeout = SILENCE;
    let proxy = Proxy::start(plan).await;
    let mut agent = proxy.ask(&get("/v1/models")).await;
    let mut request = provider.accept().await;
    request.head().await;
    pass(SILENCE).await;
    let (head, body) = agent.answer().await;
    assert!(head.starts_with("http/1.1 504 "), "{head}");
    assert!(body.contains(r#""code":"upstream_timeout""#), "{body}");
    assert_eq!(request.rest().await, "", "the request is given up");
}

#[tokio::test]
async fn a_stream_that_falls_silent_does_not_end_cleanly() {
    let provider = Provider::listen().await;
    let mut plan = provider.plan();
    plan.listen.idle_timeout = SILENCE;
    let proxy = Proxy::start(plan).await;
    let mut agent = proxy.ask(&get("/v1/events")).await;
    let mut request = provider.accept().await;
    request.head().await;
    request.write(STREAM).await;
    request.write("9\r\ndata: 1\n\n\r\n").await;
    agent.until("9\r\ndata: 1\n\n\r\n").await;
    pass(SILENCE).await;
    assert_eq!(agent.rest().await, "");
    assert_eq!(request.rest().await, "", "the request is given up");
}

#[tokio::test]
async fn a_stream_that_breaks_off_does_not_end_cleanly() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.ask(&get("/v1/events")).await;
    let mut request = provider.accept().await;
    request.head().await;
    request.write(STREAM).await;
    request.write("9\r\ndata: 1\n\n\r\n").await;
    drop(request);
    assert!(agent.rest().await.ends_with("9\r\ndata: 1\n\n\r\n"));
}

#[tokio::test]
async fn a_body_shorter_than_promised_does_not_end_cleanly() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.ask(&get("/v1/models")).await;
    let mut request = provider.accept().await;
    request.head().await;
    request.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc").await;
    drop(request);
    let answer = agent.rest().await;
    assert!(answer.contains("content-length: 9\r\n") && answer.ends_with("\r\n\r\nabc"), "{answer}");
}

#[tokio::test]
async fn this_is_no_forward_proxy() {
    let proxy = Proxy::start(plan("http://127.0.0.1:1/v1")).await;
    let connect = "CONNECT example.org:443 HTTP/1.1\r\nhost: example.org:443\r\n\r\n";
    assert!(proxy.ask(connect).await.head().await.starts_with("http/1.1 405 "));
}
