//! The WebSocket: none where an API is guarded, a tunnel elsewhere.

use super::rig::{OK, Provider, Proxy, value};

fn asking(path: &str, protocol: &str) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nhost: p\r\nconnection: Upgrade, HTTP2-Settings\r\nhttp2-settings: AAM\r\n\
         upgrade: {protocol}\r\nsec-websocket-key: dGhl\r\nsec-websocket-version: 13\r\n\r\n"
    )
}

#[tokio::test]
async fn the_paths_of_apis_answer_at_once_that_they_have_none() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    for path in
        ["/v1/responses", "/chat/completions", "/openai/deployments/d/chat/completions?v=1", "/v1/messages/"]
    {
        let (head, body) = proxy.ask(&asking(path, "websocket")).await.answer().await;
        assert!(head.starts_with("http/1.1 426 "), "{path}: {head}");
        assert_eq!(value(&head, "upgrade"), Some("http/1.1"));
        assert!(body.contains(r#""code":"websocket_unsupported""#), "{body}");
    }
}

#[tokio::test]
async fn other_paths_are_joined_to_the_provider() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.ask(&asking("/v1/realtime?model=m", "websocket")).await;
    let mut request = provider.accept().await;
    let head = request.head().await;
    assert!(head.starts_with("get /v1/realtime?model=m "), "{head}");
    assert_eq!(value(&head, "upgrade"), Some("websocket"));
    assert_eq!(value(&head, "sec-websocket-key"), Some("dghl"));
    request
        .write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: x\r\n\r\n")
        .await;
    let head = agent.head().await;
    assert!(head.starts_with("http/1.1 101 "), "{head}");
    assert_eq!(value(&head, "sec-websocket-accept"), Some("x"));
    agent.write("ping").await;
    assert_eq!(request.exactly(4).await, "ping");
    request.write("pong").await;
    assert_eq!(agent.exactly(4).await, "pong");
    drop(agent);
    assert_eq!(request.rest().await, "");
}

#[tokio::test]
async fn a_provider_that_has_none_says_so_itself() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.ask(&asking("/v1/realtime", "websocket")).await;
    let mut request = provider.accept().await;
    request.head().await;
    request.write("HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\nno").await;
    let (head, body) = agent.answer().await;
    assert!(head.starts_with("http/1.1 404 "), "{head}");
    assert_eq!(body, "no");
}

#[tokio::test]
async fn a_client_that_would_rather_speak_http2_is_served_all_the_same() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.ask(&asking("/v1/responses", "h2c")).await;
    let mut request = provider.accept().await;
    let head = request.head().await;
    assert_eq!(value(&head, "upgrade"), None);
    assert_eq!(value(&head, "http2-settings"), None);
    request.write(OK).await;
    assert_eq!(agent.answer().await.1, "ok");
}

#[tokio::test]
async fn a_tunnel_ends_with_the_process() {
    let provider = Provider::listen().await;
    let mut plan = provider.plan();
    plan.listen.drain = std::time::Duration::ZERO;
    let mut proxy = Proxy::start(plan).await;
    let mut agent = proxy.ask(&asking("/v1/realtime", "websocket")).await;
    let mut request = provider.accept().await;
    request.head().await;
    request
        .write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n")
        .await;
    agent.head().await;
    proxy.stop();
    proxy.ended().await;
    assert_eq!(agent.rest().await + &request.rest().await, "");
}
