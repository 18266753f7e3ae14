//! However the path of a guarded API is written, what is answered there is judged.

use super::rig::{Provider, Proxy, post};

#[tokio::test]
async fn the_path_of_a_guarded_api_is_known_however_it_is_written() {
    for path in
        ["/v1/%63hat/completions", "/v1/chat%2Fcompletions", "/v1/Chat/Completions", "/v1/chat//completions/"]
    {
        let provider = Provider::listen().await;
        let mut plan = provider.plan();
        plan.rules = std::sync::Arc::new(remand::guard::Rules { rounds: 0, ..Default::default() });
        let proxy = Proxy::start(plan).await;
        let mut agent = proxy.ask(&post(path, r#"{"messages":[]}"#)).await;
        let mut request = provider.accept().await;
        let head = request.until("\r\n\r\n").await;
        assert!(head.starts_with(&format!("POST {path} HTTP/1.1\r\n")), "it goes on as it came: {head}");
        let call = r#"{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"look","arguments":"{\"at\": tree}"}}]}}]}"#;
        let length = call.len();
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{call}"
        );
        request.write(&answer).await;
        let (_, body) = agent.answer().await;
        assert!(!body.contains("tool_calls") && body.contains("could not be run"), "{path}: {body}");
    }
}
