//! Which headers go on with a judged exchange, both ways, and that errors of the provider are the provider's.

use http::{HeaderMap, Method, StatusCode};
use remand::replay::{Script, Step};

use crate::scene::{Got, Scene, request, user};

const COUNT: (&str, &str) =
    ("count", r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#);

/// What providers go by, and what no list knows.
const PASSED: &[(&str, &str)] = &[
    ("authorization", "Bearer sk-agent"),
    ("x-api-key", "sk-too"),
    ("content-type", "application/json; charset=utf-8"),
    ("accept", "text/event-stream"),
    ("user-agent", "OpenAI/Python 2.0"),
    ("x-stainless-lang", "python"),
    ("x-stainless-retry-count", "1"),
    ("openai-organization", "org"),
    ("openai-project", "proj"),
    ("openai-beta", "assistants=v2"),
    ("anthropic-version", "2023-06-01"),
    ("anthropic-beta", "a"),
    ("anthropic-beta", "b"),
    ("x-request-id", "of the agent"),
    ("idempotency-key", "1"),
    ("http-referer", "https://app.example"),
    ("x-title", "App"),
    ("x-openrouter-x", "1"),
    ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    ("x-unheard-of", "1"),
];

/// What is between the agent and this proxy.
const KEPT: &[(&str, &str)] = &[
    ("host", "localhost:8787"),
    ("cookie", "session=1"),
    ("origin", "http://localhost"),
    ("referer", "http://localhost/page"),
    ("forwarded", "for=10.0.0.1"),
    ("x-forwarded-for", "10.0.0.1"),
    ("x-forwarded-host", "agent.example"),
    ("x-forwarded-proto", "https"),
    ("x-real-ip", "10.0.0.1"),
    ("via", "1.1 inner"),
    ("proxy-authorization", "Basic eA=="),
    ("te", "trailers"),
    ("connection", "x-named"),
    ("x-named", "1"),
    ("accept-encoding", "gzip, br"),
];

fn values(headers: &HeaderMap, name: &str) -> Vec<String> {
    headers.get_all(name).iter().map(|value| value.to_str().unwrap().to_owned()).collect()
}

/// Two rounds: the second is sent with the same headers.
fn script() -> Script {
    Script::new()
        .step(Step::new().call("count", r#"{"n":"five"}"#))
        .step(Step::new().on_result("Please fix").call("count", r#"{"n":5}"#))
}

#[tokio::test]
async fn what_providers_go_by_goes_on_and_what_they_should_not_learn_stays() {
    for stream in [true, false] {
        let scene = Scene::new(script(), "").await;
        let asked = [PASSED, KEPT].concat();
        let got = scene.chat(&asked, request(&[&user("go")], &[COUNT], stream)).await;
        assert_eq!(got.message().calls.len(), 1);
        let requests = scene.provider.requests();
        assert_eq!(requests.len(), 2);
        for request in requests {
            for (name, _) in PASSED {
                let sent: Vec<_> =
                    PASSED.iter().filter(|header| header.0 == *name).map(|header| header.1).collect();
                assert_eq!(values(&request.headers, name), sent, "{name}");
            }
            assert_eq!(values(&request.headers, "host"), [scene.provider.address().to_string()]);
            assert_eq!(values(&request.headers, "accept-encoding"), ["identity"]);
            for (name, _) in KEPT.iter().filter(|(name, _)| !["host", "accept-encoding"].contains(name)) {
                assert!(!request.headers.contains_key(*name), "{name}");
            }
            let known = |name: &str| PASSED.iter().any(|header| header.0 == name);
            let new = request.headers.keys().filter(|name| !known(name.as_str()));
            let mut new: Vec<_> = new.map(http::HeaderName::as_str).collect();
            new.sort_unstable();
            assert_eq!(new, ["accept-encoding", "content-length", "host"], "nothing else is added");
        }
    }
}

#[tokio::test]
async fn the_key_of_this_proxy_opens_it_and_goes_no_further() {
    for stream in [true, false] {
        let scene = Scene::with(script(), "keys = [\"ours\"]", "").await;
        let headers = [("authorization", "Bearer ours"), ("api-key", "theirs")];
        let got = scene.chat(&headers, request(&[&user("go")], &[COUNT], stream)).await;
        assert_eq!(got.message().calls.len(), 1);
        for request in scene.provider.requests() {
            assert!(!request.headers.contains_key("authorization"));
            assert_eq!(request.headers["api-key"], "theirs");
        }
    }
}

/// What a provider tells of itself in its answer.
fn telling(step: Step) -> Step {
    step.header("x-request-id", "req_1")
        .header("openai-processing-ms", "12")
        .header("openai-version", "2020-10-01")
        .header("openai-organization", "org")
        .header("x-ratelimit-limit-requests", "500")
        .header("x-ratelimit-remaining-tokens", "0")
        .header("x-ratelimit-reset-tokens", "6m0s")
        .header("anthropic-ratelimit-requests-remaining", "1")
        .header("x-should-retry", "true")
        .header("retry-after-ms", "20")
        .header("set-cookie", "a=1")
        .header("set-cookie", "b=2")
        .header("cf-ray", "x")
}

/// The headers without those that differ from one answer to the next, and without those that are ours.
fn told(headers: &HeaderMap) -> Vec<(String, String)> {
    let ours = |name: &str| {
        name.starts_with("x-remand-") || ["date", "x-accel-buffering", "cache-control"].contains(&name)
    };
    let mut told: Vec<_> = headers
        .iter()
        .filter(|(name, _)| !ours(name.as_str()))
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
        .collect();
    told.sort();
    told
}

#[tokio::test]
async fn what_the_provider_tells_of_itself_comes_back() {
    for (arguments, what) in [(r#"{"n":5}"#, "untouched"), (r#"{"n":"5"}"#, "rewritten")] {
        for stream in [true, false] {
            let step = telling(Step::new().call("count", arguments)).repeat();
            let scene = Scene::new(Script::new().step(step), "").await;
            let body = request(&[&user("go")], &[COUNT], stream);
            let (straight, got) = (scene.straight(body.clone()).await, scene.send(body).await);
            let length = |told: Vec<(String, String)>| {
                let kept = |header: &(String, String)| what == "untouched" || header.0 != "content-length";
                told.into_iter().filter(kept).collect::<Vec<_>>()
            };
            assert_eq!(
                length(told(&got.headers)),
                length(told(&straight.headers)),
                "{what}, streamed: {stream}"
            );
            if !stream {
                assert_eq!(got.headers["content-length"], got.body.len().to_string().as_str());
            }
        }
    }
}

#[tokio::test]
async fn of_two_rounds_the_agent_hears_the_head_that_its_answer_began_with() {
    for (stream, id) in [(true, "first"), (false, "second")] {
        let first = Step::new().say("Hm.").call("count", r#"{"n":"five"}"#).header("x-request-id", "first");
        let second = Step::new().on_result("Please fix").call("count", r#"{"n":5}"#);
        let script = Script::new().step(first).step(second.header("x-request-id", "second"));
        let scene = Scene::new(script, "").await;
        let got = scene.send(request(&[&user("go")], &[COUNT], stream)).await;
        assert_eq!(
            (got.message().calls.len(), values(&got.headers, "x-request-id")),
            (1, vec![id.to_owned()])
        );
    }
}

/// Errors as providers and what stands before them send them.
const ERRORS: &[(u16, &str, &str)] = &[
    (
        400,
        "application/json",
        r#"{ "error":{"message":"bad \u00e4","type":"invalid_request_error","param":null,"code":1.10} }"#,
    ),
    (401, "application/json; charset=utf-8", r#"{"error":{"code":"invalid_api_key"}}"#),
    (403, "text/html", "<html>403</html>"),
    (404, "application/json", r#"{"error":"model not found"}"#),
    (408, "text/plain", ""),
    (413, "text/html", "<html>too large</html>"),
    (422, "application/problem+json", r#"{"detail":[{"loc":["body"],"msg":"x"}]}"#),
    (429, "application/json", r#"{"error":{"message":"slow down","type":"rate_limit_error"}}"#),
    (500, "application/json", "{\"error\":"),
    (502, "text/html; charset=iso-8859-1", "<center>nginx</center>"),
    (503, "application/json", "[]"),
    (504, "text/plain", "upstream request timeout"),
    (529, "application/json", r#"{"type":"error","error":{"type":"overloaded_error"}}"#),
];

#[tokio::test]
async fn an_error_of_the_provider_comes_as_it_was_sent() {
    for (status, kind, body) in ERRORS {
        for stream in [true, false] {
            let status = StatusCode::from_u16(*status).unwrap();
            let step =
                telling(Step::new().status(status).raw(kind, [*body]).header("retry-after", "7")).repeat();
            let scene = Scene::new(Script::new().step(step), "").await;
            let asked = request(&[&user("go")], &[COUNT], stream);
            let (straight, got) = (scene.straight(asked.clone()).await, scene.send(asked).await);
            assert_eq!((got.status, got.text(), got.clean), (status, *body, true));
            assert_eq!((straight.status, straight.text()), (status, *body));
            assert_eq!(told(&got.headers), told(&straight.headers), "{status}");
            assert_eq!(scene.provider.requests().len(), 2, "{status} is not asked again");
        }
    }
}

#[tokio::test]
async fn a_redirect_is_the_agents_to_follow() {
    let step = Step::new().status(StatusCode::PERMANENT_REDIRECT).raw("text/html", ["moved"]);
    let step = step.header("location", "https://elsewhere.example/v1").repeat();
    let scene = Scene::new(Script::new().step(step), "").await;
    let body = request(&[&user("go")], &[COUNT], false);
    let got = Got::read(scene.ask(Method::POST, "/v1/chat/completions", &[], body).await).await;
    assert_eq!((got.status, got.text()), (StatusCode::PERMANENT_REDIRECT, "moved"));
    assert_eq!(got.headers["location"], "https://elsewhere.example/v1");
    assert_eq!(scene.sent().len(), 1);
}
