//! The proxy is played by hand here: each test sends the provider what the proxy should, or should not, send.

use bytes::Bytes;
use http::Request as HttpRequest;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

use super::*;
use crate::cli::demo::agent::Call;
use crate::replay::{Script, Step};

const SCENE: Scene = Scene {
    title: "t",
    what: "w",
    cancelled: None,
    user: "u",
    told: "",
    expected: &[
        Expected { id: "a", fate: Fate::Forwarded },
        Expected { id: "b", fate: Fate::Refused(&["why", "fix"]) },
        Expected { id: "c", fate: Fate::Rewritten("low") },
    ],
    requests: 2,
};

const FIRST: &str = r#"{"messages":[{"role":"user","content":"u"}]}"#;
const SECOND: &str = r#"{"messages":[{"role":"user","content":"u"},{"role":"assistant","content":"two"},{"role":"tool","tool_call_id":"a","content":"ready"},{"role":"tool","tool_call_id":"b","content":"why not; fix it"},{"role":"tool","tool_call_id":"c","content":"ready"}]}"#;

async fn story(requests: &[&str], turn: Turn) -> Story {
    story_after(None, requests, turn).await
}

async fn story_after(cancelled: Option<&Cancelled>, requests: &[&str], turn: Turn) -> Story {
    let script = Script::new()
        .step(Step::new().say("two").call_as("a", "f", "1").call_as("b", "f", "2").call_as("c", "f", "LOW"))
        .step(Step::new().say("done").repeat());
    let server = Server::start(script).unwrap();
    let client: Client<_, Full<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
    for body in requests {
        let url = format!("{}/chat/completions", server.base_url());
        let request = HttpRequest::post(url).body(Full::from((*body).to_owned())).unwrap();
        client.request(request).await.unwrap().into_body().collect().await.unwrap();
    }
    let turns = vec![(turn, 0..1), (Turn::default(), 1..requests.len())];
    Story::tell(&server, cancelled, turns).unwrap()
}

fn call(id: &str, arguments: &str) -> Call {
    Call { id: id.to_owned(), name: "f".to_owned(), arguments: arguments.to_owned() }
}

fn heard() -> Turn {
    Turn {
        asked: FIRST.as_bytes().to_vec(),
        calls: vec![call("a", "1"), call("c", "low")],
        heard: br#"{"id":"a"}"#.to_vec(),
        ..Turn::default()
    }
}

#[tokio::test]
async fn finds_nothing_where_all_went_as_told() {
    let story = story(&[FIRST, SECOND], heard()).await;
    assert_eq!(story.differences(&SCENE), [""; 0]);
    let became: Vec<_> = story.calls().map(|call| call.became.clone()).collect();
    assert_eq!(became, [Became::Forwarded, Became::Kept, Became::Rewritten("low".to_owned())]);
    assert_eq!(story.calls().nth(1).unwrap().result.as_deref(), Some("why not; fix it"));
}

#[tokio::test]
async fn finds_what_went_otherwise() {
    let leaked = Turn { heard: br#"{"id":"b"}"#.to_vec(), ..heard() };
    let unchanged = Turn { calls: vec![call("a", "1"), call("c", "LOW")], ..heard() };
    let late = SECOND
        .replace(r#""tool_call_id":"b","content":"why not; fix it""#, r#""tool_call_id":"b","content":"no""#);
    let swapped = SECOND.replace(r#""tool_call_id":"a""#, r#""tool_call_id":"x""#);
    let rewritten = SECOND.replace(r#""content":"u""#, r#""content": "u""#);
    for (requests, turn, expected) in [
        (vec![FIRST, SECOND], leaked, "the agent heard of b"),
        (vec![FIRST, SECOND], unchanged, "c: expected Rewritten(\"low\"), got Forwarded"),
        (vec![FIRST, SECOND], Turn::default(), "a: expected Forwarded, got Kept"),
        (vec![FIRST, &late], heard(), "b: expected Refused"),
        (vec![FIRST, &swapped], heard(), "the model saw results of [\"x\", \"b\", \"c\"]"),
        (vec![FIRST, &rewritten], heard(), "request 2 does not begin with request 1"),
        (vec![FIRST, SECOND, SECOND], heard(), "2 requests were to reach the provider, 3 did"),
        (vec![FIRST], heard(), "1 did"),
    ] {
        let differences = story(&requests, turn).await.differences(&SCENE);
        assert!(differences.iter().any(|found| found.contains(expected)), "{expected}: {differences:?}");
    }
}

#[tokio::test]
async fn finds_calls_that_the_scene_does_not_foresee() {
    let scene = Scene { expected: &[], ..SCENE };
    let differences = story(&[FIRST, SECOND], heard()).await.differences(&scene);
    assert_eq!(differences, ["the model was to make the calls [], it made [\"a\", \"b\", \"c\"]"]);
}

#[tokio::test]
async fn finds_a_lost_result_that_nobody_mended_or_that_was_never_lost() {
    let cancelled = Cancelled { user: "x", id: "x", name: "f", arguments: "{}" };
    let lost = [Expected { id: "x", fate: Fate::Lost(&["unknown"]) }];
    let expected: Vec<_> = lost.iter().chain(SCENE.expected).copied().collect();
    let scene = Scene { cancelled: Some(cancelled), expected: expected.leak(), ..SCENE };
    let mended = SECOND.replacen(
        r#"{"role":"assistant""#,
        r#"{"role":"tool","tool_call_id":"x","content":"outcome unknown"},{"role":"assistant""#,
        1,
    );
    let broken = r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"x","type":"function","function":{"name":"f","arguments":"{}"}}]}]}"#;
    let refused = Turn { asked: broken.as_bytes().to_vec(), ..heard() };
    let told = story_after(Some(&cancelled), &[FIRST, &mended], refused).await;
    assert_eq!(told.differences(&scene), [""; 0]);
    for (second, expected) in
        [(SECOND, "x: expected Lost([\"unknown\"])"), (&*mended, "a provider would have said None")]
    {
        let differences = story_after(Some(&cancelled), &[FIRST, second], heard()).await.differences(&scene);
        assert!(differences.iter().any(|found| found.contains(expected)), "{expected}: {differences:?}");
    }
}
