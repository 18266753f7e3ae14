//! Who may come in, and what becomes of keys.

use remand::config::plan::Secret;

use super::rig::{OK, Provider, Proxy, STREAM, get, value};

fn with(header: &str) -> String {
    format!("GET /v1/models HTTP/1.1\r\nhost: p\r\n{header}\r\n\r\n")
}

#[tokio::test]
async fn without_a_key_of_this_proxy_nothing_reaches_the_provider() {
    let provider = Provider::listen().await;
    let mut plan = provider.plan();
    plan.listen.keys = vec![Secret::new("ours")];
    let proxy = Proxy::start(plan).await;
    for header in ["x-nothing: 1", "authorization: Bearer theirs", "api-key: our"] {
        let (head, body) = proxy.ask(&with(header)).await.answer().await;
        assert!(head.starts_with("http/1.1 401 "), "{head}");
        assert!(body.contains(r#""code":"invalid_key""#), "{body}");
        assert!(!body.contains("theirs"));
    }
}

#[tokio::test]
async fn a_key_of_this_proxy_opens_and_goes_no_further() {
    let provider = Provider::listen().await;
    let mut plan = provider.plan();
    plan.listen.keys = vec![Secret::new("ours")];
    let proxy = Proxy::start(plan).await;
    let _agent = proxy.ask(&with("x-api-key: ours\r\nauthorization: Bearer theirs")).await;
    let head = provider.accept().await.head().await;
    assert_eq!(value(&head, "authorization"), Some("bearer theirs"));
    assert!(!head.contains("ours"), "{head}");
}

#[tokio::test]
async fn past_the_limit_the_agent_is_asked_to_come_again() {
    let provider = Provider::listen().await;
    let mut plan = provider.plan();
    plan.listen.max_exchanges = 1;
    let proxy = Proxy::start(plan).await;
    let mut first = proxy.ask(&get("/v1/events")).await;
    let mut request = provider.accept().await;
    request.head().await;
    request.write(STREAM).await;
    first.head().await;

    // The head is out, and the exchange goes on.
    let (head, body) = proxy.ask(&get("/v1/models")).await.answer().await;
    assert!(head.starts_with("http/1.1 503 "), "{head}");
    assert_eq!(value(&head, "retry-after"), Some("1"));
    assert!(body.contains(r#""code":"overloaded""#), "{body}");

    request.write("0\r\n\r\n").await;
    first.until("0\r\n\r\n").await;
    first.write(&get("/v1/models")).await;
    request.head().await;
    request.write(OK).await;
    assert_eq!(first.answer().await.1, "ok");
}
