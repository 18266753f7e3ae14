//! An agent that leaves stops what runs for it at the provider, in every phase.

use super::rig::{Provider, Proxy, STREAM, get, post};

#[tokio::test]
async fn an_agent_that_leaves_while_it_waits_stops_the_request() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let agent = proxy.ask(&post("/v1/embeddings", "{}")).await;
    let mut request = provider.accept().await;
    request.until("{}").await;
    drop(agent);
    assert_eq!(request.rest().await, "");
}

#[tokio::test]
async fn an_agent_that_leaves_in_a_stream_stops_it() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.ask(&get("/v1/events")).await;
    let mut request = provider.accept().await;
    request.head().await;
    request.write(STREAM).await;
    request.write("9\r\ndata: 1\n\n\r\n").await;
    agent.until("data: 1\n\n").await;
    drop(agent);
    assert_eq!(request.rest().await, "");
}

#[tokio::test]
async fn an_agent_that_leaves_while_it_sends_stops_the_request() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let agent = proxy.ask("POST /v1/files HTTP/1.1\r\nhost: p\r\ncontent-length: 8\r\n\r\nhalf").await;
    let mut request = provider.accept().await;
    request.until("half").await;
    drop(agent);
    assert_eq!(request.rest().await, "");
}

#[tokio::test]
async fn a_place_is_free_again_once_the_agent_has_left() {
    let provider = Provider::listen().await;
    let mut plan = provider.plan();
    plan.listen.max_exchanges = 1;
    let proxy = Proxy::start(plan).await;
    for _ in 0..3 {
        let agent = proxy.ask(&post("/v1/embeddings", "{}")).await;
        let mut request = provider.accept().await;
        request.until("{}").await;
        drop(agent);
        request.rest().await;
    }
}
