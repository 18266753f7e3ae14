//! Where a request goes: base URL and path meet, and what is at an Azure-shaped path is judged like all else.

use remand::replay::{Script, Server, Step};

use super::rig::{OK, Provider, Proxy, get, plan};
use crate::scene::{Got, Scene, request, user};

/// Below which path the provider is, what the agent asks for, and what the provider is asked for.
const TABLE: &[(&str, &str, &str)] = &[
    ("/v1", "/v1/models", "/v1/models"),
    ("/v1", "/models", "/v1/models"),
    ("/v1/", "/v1/models", "/v1/models"),
    ("/v1//", "//models", "/v1/models"),
    ("", "/v1/models", "/v1/models"),
    ("/", "/models", "/models"),
    ("/api/v1", "/v1/models", "/api/v1/models"),
    ("/api/v1/", "/models", "/api/v1/models"),
    ("/api/v1", "/api/v1/models", "/api/v1/models"),
    ("/api/paas/v4", "/v1/models", "/api/paas/v4/models"),
    ("/v1beta/openai/", "/v1/models", "/v1beta/openai/models"),
    ("/openai/v1/", "/v1/models?api-version=preview", "/openai/v1/models?api-version=preview"),
    ("/vision", "/v1/models", "/vision/v1/models"),
    ("/v1", "/v10/models", "/v1/v10/models"),
    ("/v1", "/v1/files?after=/v1/x&q=%2Fv1", "/v1/files?after=/v1/x&q=%2Fv1"),
    ("/v1", "/models/a%2Fb?", "/v1/models/a%2Fb?"),
];

#[tokio::test]
async fn base_url_and_path_meet() {
    for (base, asked, expected) in TABLE {
        let provider = Provider::listen().await;
        let proxy = Proxy::start(plan(&format!("http://{}{base}", provider.address()))).await;
        let mut agent = proxy.ask(&get(asked)).await;
        let mut request = provider.accept().await;
        let line = request.until("\r\n").await;
        assert_eq!(line, format!("GET {expected} HTTP/1.1\r\n"), "{base} + {asked}");
        request.head().await;
        request.write(OK).await;
        let (head, _) = agent.answer().await;
        assert!(
            head.starts_with("http/1.1 200 "),
            "no agent is sent elsewhere, for its body would be lost: {head}"
        );
    }
}

const COUNT: (&str, &str) =
    ("count", r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#);

/// A call that cannot be, then one that is coerced: whoever is judged hears of the second only.
fn script() -> Script {
    Script::new()
        .step(Step::new().call("count", r#"{"n":"five"}"#))
        .step(Step::new().on_result("Please fix").call("count", r#"{"n":"5"}"#))
}

async fn assert_judged(base: &str, asked: &str, expected: &str) {
    for stream in [true, false] {
        let provider = Server::start(script()).unwrap();
        let base_url = format!("http://{}{base}", provider.address());
        let scene = Scene::by_way_of(provider, &base_url, "").await;
        let headers = [("api-key", "azure-secret"), ("content-type", "application/json")];
        let body = request(&[&user("go")], &[COUNT], stream);
        let got = Got::read(scene.ask(http::Method::POST, asked, &headers, body.clone()).await).await;
        let calls = got.message().calls;
        assert_eq!((calls.len(), calls[0].2.as_str()), (1, r#"{"n":5}"#), "{asked}: {}", got.text());
        let requests = scene.provider.requests();
        assert_eq!((requests.len(), requests[0].text()), (2, body.as_str()));
        for request in requests {
            assert_eq!(request.path, expected, "{base} + {asked}");
            assert_eq!(request.headers["api-key"], "azure-secret");
            assert_eq!(request.headers["host"], scene.provider.address().to_string().as_str());
            assert!(!request.headers.contains_key("authorization"), "no other key is made of it");
        }
    }
}

#[tokio::test]
async fn a_chat_on_an_azure_shaped_path_is_judged_and_keeps_its_query() {
    for path in [
        "/openai/deployments/NAME/chat/completions?api-version=2024-10-21",
        "/openai/deployments/gpt%2D5.mini/chat/completions?api-version=2025-04-01-preview&x=%2F",
    ] {
        assert_judged("", path, path).await;
        assert_judged("/", path, path).await;
        assert_judged("/team-a", path, &format!("/team-a{path}")).await;
    }
}

#[tokio::test]
async fn a_chat_is_judged_with_and_without_a_version() {
    for (base, asked, expected) in [
        ("/v1", "/chat/completions", "/v1/chat/completions"),
        ("/v1/", "//v1/chat/completions", "/v1/chat/completions"),
        ("", "/chat/completions", "/chat/completions"),
        (
            "/openai/v1",
            "/v1/chat/completions?api-version=preview",
            "/openai/v1/chat/completions?api-version=preview",
        ),
        ("/api/paas/v4", "/v1/chat/completions", "/api/paas/v4/chat/completions"),
    ] {
        assert_judged(base, asked, expected).await;
    }
}

#[tokio::test]
async fn the_operators_key_goes_out_in_the_header_that_the_agent_chose() {
    let provider = Server::start(script()).unwrap();
    let base_url = format!("http://{}", provider.address());
    let scene = Scene::by_way_of(provider, &base_url, "key = \"operators\"\n").await;
    let path = "/openai/deployments/NAME/chat/completions?api-version=1";
    let body = request(&[&user("go")], &[COUNT], false);
    let got = Got::read(scene.ask(http::Method::POST, path, &[("api-key", "placeholder")], body).await).await;
    assert_eq!(got.message().calls.len(), 1);
    for request in scene.provider.requests() {
        assert_eq!(request.headers["api-key"], "operators");
        assert!(!request.headers.contains_key("authorization"));
    }
}
