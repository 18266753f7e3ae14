//! What a test asks the server itself, over the wire.

#![expect(clippy::disallowed_methods, reason = "what a test looks at is not sent on")]

use serde_json::{Value, json};

use super::*;

async fn call(server: &Server, method: &str, path: &str, body: &str) -> (StatusCode, String) {
    let request = Request::builder()
        .method(method)
        .uri(format!("http://{}/__replay/{path}", server.address()))
        .body(Full::from(body.to_owned()))
        .unwrap();
    let response = agent().request(request).await.unwrap();
    (response.status(), text(response).await)
}

async fn see(server: &Server, path: &str) -> Value {
    let (status, text) = call(server, "GET", path, "").await;
    assert!(status == 200 || status == 409, "{path}: {text}");
    serde_json::from_str(&text).unwrap()
}

/// Asks as `session`, by its path.
async fn ask(server: &Server, session: &str, user: &str) -> (StatusCode, String) {
    let body = json!({"model": "m", "messages": [{"role": "user", "content": user}]});
    let request = Request::post(format!("{}/chat/completions?key=s3cret", server.session_url(session)))
        .header("authorization", "Bearer s3cret")
        .body(Full::from(body.to_string()))
        .unwrap();
    let response = agent().request(request).await.unwrap();
    (response.status(), text(response).await)
}

fn script() -> Script {
    let first = Step::new().named("first").on_user("hi").say("one");
    Script::new().step(first).step(Step::new().named("second").on_user("hi").say("two"))
}

#[tokio::test]
async fn sessions_do_not_take_each_others_steps() {
    let server = Server::start(script()).unwrap();
    for session in ["a", "b"] {
        for said in ["one", "two"] {
            let (_, answer) = ask(&server, session, "hi").await;
            assert!(answer.contains(said) && answer.contains(&format!("chatcmpl-{session}-")), "{answer}");
        }
    }
    assert_eq!(ask(&server, "a", "hi").await.0, 422);
    let named = Request::post(format!("{}/chat/completions", server.base_url()))
        .header("x-replay-session", "c")
        .body(Full::from(r#"{"messages":[{"role":"user","content":"hi"}]}"#))
        .unwrap();
    assert!(text(agent().request(named).await.unwrap()).await.contains("chatcmpl-c-1-1"));
    ask(&server, "d%20e", "hi").await;
    assert_eq!(see(&server, "sessions").await, json!(["a", "b", "c", "d e"]));
    assert_eq!(server.requests()[0].path, "/v1/chat/completions?key=s3cret");
}

#[tokio::test]
async fn verify_tells_what_was_missed_and_what_never_served() {
    let server = Server::start(script()).unwrap();
    ask(&server, "a", "hi").await;
    assert_eq!(ask(&server, "b", "bye").await.0, 422);
    let (status, _) = call(&server, "GET", "verify", "").await;
    assert_eq!(status, StatusCode::CONFLICT);
    let verdict = see(&server, "verify?session=a").await;
    assert_eq!(verdict, json!({"ok": false, "misses": [], "unused": ["step 2 (second)"]}));
    let verdict = see(&server, "verify?session=b").await;
    assert!(verdict["misses"][0].as_str().unwrap().contains("last_user_contains"), "{verdict}");
    ask(&server, "a", "hi").await;
    assert_eq!(see(&server, "verify?session=a").await["ok"], true);
    assert_eq!(see(&server, "verify").await["unused"], json!([]));
}

#[tokio::test]
async fn a_reset_plays_from_the_beginning() {
    let server = Server::start(script()).unwrap();
    ask(&server, "a", "hi").await;
    ask(&server, "b", "bye").await;
    call(&server, "POST", "reset?session=b", "").await;
    assert_eq!(see(&server, "verify?session=b").await["misses"], json!([]));
    assert!(ask(&server, "a", "hi").await.1.contains("two"), "the other goes on");
    call(&server, "POST", "reset", "").await;
    assert!(ask(&server, "a", "hi").await.1.contains("one"));
    assert_eq!(see(&server, "journal").await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_journal_is_filtered_and_holds_no_secret() {
    let server = Server::start(script()).unwrap();
    ask(&server, "a", "hi").await;
    ask(&server, "b", "bye").await;
    let whole = see(&server, "journal").await;
    assert!(!whole.to_string().contains("s3cret"), "{whole}");
    assert_eq!(whole[0]["headers"]["authorization"], "•••");
    assert_eq!(whole[0]["path"], "/v1/chat/completions?key=•••");
    assert!(whole[0]["body"].as_str().unwrap().contains("\"hi\""));
    for (filter, numbers) in [
        ("session=a", json!([0])),
        ("outcome=missed", json!([1])),
        ("step=0", json!([0])),
        ("since=1", json!([1])),
        ("limit=1", json!([1])),
        ("path=files", json!([])),
    ] {
        let found = see(&server, &format!("journal?{filter}")).await;
        let found: Vec<_> = found.as_array().unwrap().iter().map(|shown| shown["number"].clone()).collect();
        assert_eq!(json!(found), numbers, "{filter}");
    }
}

#[tokio::test]
async fn gates_are_waited_for_and_opened_over_the_wire() {
    let server = Server::start(Script::new().step(Step::new().say("one").wait("g 1").say("two"))).unwrap();
    let asking = ask(&server, "a", "hi");
    let opening = async {
        let reached = see(&server, "gates/wait?name=g%201&session=a").await;
        assert_eq!(reached, 1);
        let closed = json!([{"session": "a", "name": "g 1", "reached": 1, "open": false}]);
        assert_eq!(see(&server, "gates").await, closed);
        call(&server, "POST", "gates/release?name=g%201&session=a", "").await;
    };
    let ((_, answer), ()) = tokio::join!(asking, opening);
    assert!(answer.contains("onetwo"), "{answer}");
    assert_eq!(server.gate_of("a", "g 1").reached(), 1);
}

#[tokio::test]
async fn explains_which_step_would_answer_and_why_the_others_would_not() {
    let server = Server::start(script()).unwrap();
    ask(&server, "a", "bye").await;
    let (_, by_number) = call(&server, "POST", "explain", r#"{"number":0}"#).await;
    let pasted = r#"{"body":{"messages":[{"role":"user","content":"bye"}]}}"#;
    let (_, by_text) = call(&server, "POST", "explain?session=a", pasted).await;
    assert_eq!(by_number, by_text);
    let explained: Value = serde_json::from_str(&by_number).unwrap();
    assert_eq!(explained["serves"], Value::Null);
    let failed = json!([{"condition": "last_user_contains", "expected": "\"hi\"", "got": "\"bye\""}]);
    assert_eq!(explained["steps"][1]["failed"], failed);
    let pasted = pasted.replace("bye", "hi");
    let (_, answer) = call(&server, "POST", "explain", &pasted).await;
    assert!(answer.contains("\"serves\":0"), "{answer}");
    assert_eq!(server.requests().len(), 1, "nothing was played");
    for (body, status) in [("{}x", 400), (r#"{"number":7}"#, 404)] {
        assert_eq!(call(&server, "POST", "explain", body).await.0, status);
    }
}

#[tokio::test]
async fn tells_what_happens_as_it_happens() {
    let server = Server::start(Script::new().step(Step::new().say("a").gate("g", Place::Events(1)))).unwrap();
    let request = Request::get(format!("http://{}/__replay/events", server.address()));
    let mut events = agent().request(request.body(Full::default()).unwrap()).await.unwrap().into_body();
    let mut seen = String::new();
    let sending = send(&server, true);
    let reading = async {
        for progress in ["answering", "ended"] {
            while !seen.contains(&format!("\"progress\":\"{progress}\"")) {
                let frame = events.frame().await.unwrap().unwrap().into_data().unwrap();
                seen.push_str(std::str::from_utf8(&frame).unwrap());
            }
            server.gate("g").release();
        }
        assert!(!seen.contains("secret"), "{seen}");
    };
    let (_, ()) = tokio::join!(async { text(sending.await).await }, reading);
}

#[tokio::test]
async fn a_script_is_replaced_while_it_plays() {
    let server = Server::start(script()).unwrap();
    ask(&server, "a", "hi").await;
    let shown = see(&server, "scripts").await;
    assert_eq!((&shown["generation"], &shown["steps"][0]["served"]), (&json!(0), &json!(1)));
    server.replace(Script::new().step(Step::new().say("three")));
    assert!(ask(&server, "a", "hi").await.1.contains("three"));
    let shown = see(&server, "scripts").await;
    assert_eq!((&shown["generation"], shown["steps"].as_array().unwrap().len()), (&json!(1), 1));
}

#[tokio::test]
async fn what_is_not_there_is_said_so() {
    let server = Server::start(script()).unwrap();
    assert_eq!(call(&server, "GET", "nothing", "").await.0, 404);
    assert_eq!(call(&server, "POST", "journal", "").await.0, 405);
    assert_eq!(call(&server, "POST", "gates/release", "").await.0, 400);
    let (status, page) = call(&server, "GET", "", "").await;
    assert!(status == 200 && page.starts_with("<!doctype html>"));
    let foreign = Request::post(format!("http://{}/__replay/reset", server.address()))
        .header("origin", "http://evil.example")
        .body(Full::default())
        .unwrap();
    assert_eq!(agent().request(foreign).await.unwrap().status(), 403);
}

#[tokio::test]
async fn answers_without_a_script_what_needs_none() {
    let server = Server::start(Script::new()).unwrap();
    for (path, body, holds) in [
        ("/v1/models", "", "\"id\":\"replay\""),
        ("/v1/embeddings", r#"{"input":"a","dimensions":2}"#, "\"embedding\":["),
        ("/health", "", "ok"),
    ] {
        let request =
            Request::post(format!("http://{}{path}", server.address())).body(Full::from(body)).unwrap();
        let response = agent().request(request).await.unwrap();
        assert_eq!(response.status(), 200);
        assert!(text(response).await.contains(holds), "{path}");
    }
    server.verify().unwrap();
    assert_eq!(server.requests()[1].own, Some("embeddings"));
}

#[tokio::test]
async fn what_the_script_requires_is_missed_with_a_stable_name() {
    let require = crate::replay::Require { bearer: Some("other".to_owned()), ..Default::default() };
    let server = Server::start(script().require(require)).unwrap();
    let (status, answer) = ask(&server, "a", "hi").await;
    assert!(status == 422 && answer.contains("\"code\":\"require_bearer\""), "{answer}");
    assert_eq!(server.misses().len(), 1);
}
