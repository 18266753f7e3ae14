//! The APIs that nothing guards yet, files, and paths that nobody has heard of: streamed both ways, no byte changed.

use http::Method;
use remand::replay::{Script, Step};

use super::rig::{OK, Provider, Proxy, STREAM, post, value};
use crate::court::Cut;
use crate::scene::{Got, Scene};
use crate::streams::{Recorded, recorded};

/// Messages as that API sends them, with calls that would be refused on a guarded path.
const MESSAGES: &[&str] = &[
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"usage\":{\"input_tokens\":1}}}\n\n",
    "event: ping\ndata: {\"type\": \"ping\"}\n\n",
    "event: content_block_start\r\ndata: {\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"never_offered\",\"input\":{}}}\r\n\r\n",
    "event: content_block_delta\ndata: {\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"a\\\": tr\"}}\n\n",
    ": a comment\n\n",
    "event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":1e0}}\n\n",
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
];

const RESPONSES: &[&str] = &[
    "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"r\"}}\n\n",
    "event: response.output_item.added\ndata: {\"sequence_number\":1,\"item\":{\"type\":\"function_call\",\"name\":\"never_offered\",\"arguments\":\"\"}}\n\n",
    "event: response.function_call_arguments.delta\ndata: {\"sequence_number\":2,\"delta\":\"{\\\"a\\\":\"}\n\n",
    "data: {\"sequence_number\":2, \"odd\":1.10,\"u\":\"\\ud800\"}\r\r",
    "event: response.completed\ndata: {\"sequence_number\":12345678901234567890}\n\n",
];

#[tokio::test]
async fn each_event_is_with_the_agent_before_the_next_is_written() {
    for (path, events) in [
        ("/v1/messages", MESSAGES),
        ("/v1/messages?beta=true", MESSAGES),
        ("/v1/responses", RESPONSES),
        ("/v1/responses/r/cancel", RESPONSES),
        ("/v1/completions", MESSAGES),
        ("/v2/never/heard/of", RESPONSES),
    ] {
        let body = r#"{"z":1.10,"stream":true,"a":[12345678901234567890, "\ud800"],"z":null}"#;
        let provider = Provider::listen().await;
        let proxy = Proxy::start(provider.plan()).await;
        let mut agent = proxy.ask(&post(path, body)).await;
        let mut request = provider.accept().await;
        let line = request.until("\r\n").await;
        let expected = if path.starts_with("/v1") { path.to_owned() } else { format!("/v1{path}") };
        assert_eq!(line, format!("POST {expected} HTTP/1.1\r\n"));
        request.head().await;
        assert_eq!(request.exactly(body.len()).await, body);
        request.write(STREAM).await;
        assert_eq!(value(&agent.head().await, "content-type"), Some("text/event-stream"));
        for event in events {
            let chunk = format!("{:X}\r\n{event}\r\n", event.len());
            request.write(&chunk).await;
            assert_eq!(agent.exactly(chunk.len()).await, chunk);
        }
        request.write("0\r\n\r\n").await;
        assert_eq!(agent.until("0\r\n\r\n").await, "0\r\n\r\n");
    }
}

#[tokio::test]
async fn recorded_streams_of_other_apis_go_through_as_they_came() {
    let paths = [("anthropic", "/v1/messages"), ("responses", "/v1/responses")];
    let of = |(dialect, path)| recorded(dialect).into_iter().map(move |recorded| (path, recorded));
    let all: Vec<_> = paths.into_iter().flat_map(of).collect();
    // One conversation after another through one proxy: nothing of them is kept.
    let script = all.iter().fold(Script::new(), |script, (path, recorded)| {
        let pieces = Cut::Random(11).cut(&recorded.stream);
        script.step(Step::new().on_path(*path).raw_events(pieces).header("request-id", "req_1"))
    });
    let scene = Scene::new(script, "").await;
    for (number, (path, recorded)) in all.into_iter().enumerate() {
        let Recorded { name, request, stream, .. } = recorded;
        let headers = [("anthropic-version", "2023-06-01"), ("x-api-key", "sk-agent")];
        let got = Got::read(scene.ask(Method::POST, path, &headers, request.clone()).await).await;
        assert!(got.clean && got.body == stream, "{name}: {}", String::from_utf8_lossy(&got.body));
        assert_eq!(got.headers["request-id"], "req_1");
        assert!(!got.headers.keys().any(|header| header.as_str().starts_with("x-remand-")), "{name}");
        let sent = &scene.provider.requests()[number];
        assert_eq!((&sent.body, sent.path.as_str()), (&request.into(), path), "{name}");
        assert_eq!(sent.headers["anthropic-version"], "2023-06-01");
    }
}

/// What is not read has no largest size: only its beginning is ever here.
#[tokio::test]
async fn a_file_larger_than_any_body_is_streamed_up() {
    let provider = Provider::listen().await;
    let mut plan = provider.plan();
    plan.listen.max_body = 1000;
    let proxy = Proxy::start(plan).await;
    let part = "x".repeat(64 << 10);
    let head = format!(
        "POST /v1/files HTTP/1.1\r\nhost: p\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: {}\r\n\r\n",
        part.len() * 32
    );
    let mut agent = proxy.ask(&head).await;
    let mut request = provider.accept().await;
    let head = request.head().await;
    assert_eq!(value(&head, "content-type"), Some("multipart/form-data; boundary=b"));
    for _ in 0..32 {
        agent.write(&part).await;
        assert!(request.exactly(part.len()).await == part, "as it is sent");
    }
    request.write(OK).await;
    assert_eq!(agent.answer().await.1, "ok");
}

#[tokio::test]
async fn a_file_is_streamed_down_as_it_comes() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let mut agent =
        proxy.ask("GET /v1/files/f/content HTTP/1.1\r\nhost: p\r\nrange: bytes=0-9\r\n\r\n").await;
    let mut request = provider.accept().await;
    assert_eq!(value(&request.head().await, "range"), Some("bytes=0-9"));
    let head = "HTTP/1.1 206 Partial Content\r\ncontent-type: audio/mpeg\r\ncontent-range: bytes 0-9/99\r\ncontent-length: 10\r\n\r\n";
    request.write(head).await;
    let head = agent.head().await;
    assert!(head.starts_with("http/1.1 206 "), "{head}");
    assert_eq!(value(&head, "content-range"), Some("bytes 0-9/99"));
    for part in ["01234", "56789"] {
        request.write(part).await;
        assert_eq!(agent.exactly(5).await, part);
    }
}

#[tokio::test]
async fn any_method_goes_through() {
    for method in ["PUT", "PATCH", "DELETE", "OPTIONS", "PURGE"] {
        let provider = Provider::listen().await;
        let proxy = Proxy::start(provider.plan()).await;
        let asked = format!("{method} /v1/threads/t HTTP/1.1\r\nhost: p\r\ncontent-length: 2\r\n\r\n{{}}");
        let mut agent = proxy.ask(&asked).await;
        let mut request = provider.accept().await;
        assert_eq!(request.until("\r\n").await, format!("{method} /v1/threads/t HTTP/1.1\r\n"));
        request.until("{}").await;
        request.write("HTTP/1.1 204 No Content\r\n\r\n").await;
        assert!(agent.head().await.starts_with("http/1.1 204 "), "{method}");
    }
}

/// A compressed body on a path that is not read stays compressed.
#[tokio::test]
async fn what_is_not_read_is_not_decoded() {
    let step = Step::new().on_path("/responses").raw("application/json", ["{}"]);
    let scene = Scene::new(Script::new().step(step), "").await;
    let body = zstd::encode_all(&b"{\"input\":\"go\"}"[..], 3).unwrap();
    let headers = [("content-encoding", "zstd"), ("accept-encoding", "br")];
    let got = Got::read(scene.ask(Method::POST, "/v1/responses", &headers, body.clone()).await).await;
    assert_eq!(got.text(), "{}");
    let sent = &scene.provider.requests()[0];
    assert_eq!((&sent.body, &sent.headers["content-encoding"]), (&body.into(), &"zstd".parse().unwrap()));
    assert_eq!(sent.headers["accept-encoding"], "br");
}
