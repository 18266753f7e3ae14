//! Observing, the heartbeat, and what may be held.

use std::time::Duration;

use remand::guard::Reason;
use remand::observe::event::{Ended, Judged};
use remand::replay::{Place, Script, Step};

use super::scene::{Scene, pass, request, user};
use super::watched::{Coming, Watched, verdicts};

const LOOK: (&str, &str) = (
    "look",
    r#"{"type":"object","properties":{"at":{"type":"string"},"depth":{"type":"integer"}},"required":["at"]}"#,
);

const OBSERVE: &str = "[guard]\nmode = \"observe\"";

fn question(stream: bool) -> String {
    request(&[&user("go")], &[LOOK], stream)
}

fn call(arguments: &str) -> String {
    let arguments = serde_json::Value::from(arguments);
    format!(
        r#"{{"index":0,"id":"c","type":"function","function":{{"name":"look","arguments":{arguments}}}}}"#
    )
}

/// A stream of one call, with oddities that no proxy need keep and this one does.
fn odd_stream(arguments: &str) -> Vec<u8> {
    let events = [
        "\u{feff}: hello\r\n\r\n".to_owned(),
        "data:{\"id\":\"a\",\"x\":1.10,\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}\r\n\r\n".to_owned(),
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{}]}}}}]}}\n\n", call(arguments)),
        "event: x\ndata: {\"choices\":[{\"index\":0,\ndata: \"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n".to_owned(),
        "data: nonsense\n\ndata: [DONE]\n\n: bye\n\ndata: after".to_owned(),
    ];
    events.concat().into_bytes()
}

fn odd_whole(arguments: &str) -> Vec<u8> {
    format!(" {{\"x\":1.10,\"choices\":[{{\"index\":0,\"message\":{{\"tool_calls\":[{}]}}, \"finish_reason\":\"tool_calls\"}}]}}\n", call(arguments)).into_bytes()
}

#[tokio::test]
async fn observing_passes_every_byte_and_records_what_it_would_have_done() {
    for (arguments, verdict, reasons) in [
        (r#"{"at":"x"}"#, Judged::Forwarded, vec![]),
        (r#"{"at":"x","depth":"5"}"#, Judged::Rewritten, vec![Reason::ArgumentsCoerced]),
        (r#"{"depth":5}"#, Judged::Refused, vec![Reason::Invalid]),
        (r#"{"at":"x"#, Judged::Refused, vec![Reason::Truncated]),
        (r#"{"at":}"#, Judged::Refused, vec![Reason::Unreadable]),
    ] {
        for stream in [true, false] {
            let body = if stream { odd_stream(arguments) } else { odd_whole(arguments) };
            let kind = if stream { "text/event-stream" } else { "application/json" };
            for cut in [0, 5] {
                let step = Step::new().raw(kind, [body.clone()]).cut(cut);
                let watched = Watched::new(Script::new().step(step), "", OBSERVE).await;
                let got = watched.scene.send(question(stream)).await;
                assert_eq!(got.body, body);
                assert!(got.clean);
                assert_eq!(
                    watched.scene.sent(),
                    [question(stream)],
                    "the request is the agent's, and there is one"
                );
                let facts = watched.facts().await;
                assert_eq!(verdicts(&facts), [(verdict, reasons.clone())], "{arguments} {stream} {cut}");
            }
        }
    }
}

#[tokio::test]
async fn observing_holds_nothing() {
    let step = Step::new().call("look", r#"{"at": "the tree"}"#).chunk(4).gate("g", Place::Events(3));
    let scene = Scene::new(Script::new().step(step), OBSERVE).await;
    let mut coming = Coming::open(&scene, &question(true)).await;
    let seen = coming.until(r#""arguments":"{\"at"#).await;
    assert!(!seen.contains("tree"), "half a call is here: {seen}");
    pass(EVERY).await;
    scene.provider.gate("g").release();
    let got = coming.rest().await;
    assert_eq!(got.message().calls[0].2, r#"{"at": "the tree"}"#);
    assert!(!got.text().contains("keep-alive"));
}

#[tokio::test]
async fn observing_leaves_a_broken_stream_as_broken_as_it_is() {
    let body = odd_stream(r#"{"at":"x"}"#);
    let step = Step::new().raw_events([body.clone()]).die(Place::Bytes(150));
    let watched = Watched::new(Script::new().step(step), "", OBSERVE).await;
    let got = watched.scene.send(question(true)).await;
    assert_eq!(got.body, body[..150]);
    assert!(!got.clean);
    assert_eq!(watched.ended().await, (Ended::Broken, 1));
}

/// How often a heartbeat comes where nothing else is said.
const EVERY: Duration = Duration::from_secs(10);

/// What has come once two heartbeats in a row have.
async fn two_beats(coming: &mut Coming) -> String {
    pass(EVERY).await;
    coming.until(": keep-alive\n\n").await;
    pass(EVERY).await;
    coming.until(": keep-alive\n\n: keep-alive\n\n").await.to_owned()
}

/// All that came are events, comments among them.
fn assert_events(text: &str) {
    for event in text.split_terminator("\n\n") {
        assert!(event == ": keep-alive" || event.starts_with("data: ") && !event.contains('\n'), "{event:?}");
    }
}

#[tokio::test]
async fn a_held_call_keeps_the_stream_alive() {
    let step = Step::new().say("Looking.").call("look", r#"{"at": "the tree"}"#).chunk(8);
    let step = step.gate("g", Place::Events(4)).cut(40);
    let scene = Scene::new(Script::new().step(step), "").await;
    let mut coming = Coming::open(&scene, &question(true)).await;
    scene.provider.gate("g").wait_reached().await;
    let seen = two_beats(&mut coming).await;
    assert!(!seen.contains("look"), "{seen}");
    assert_events(&seen);
    scene.provider.gate("g").release();
    let got = coming.rest().await;
    assert_events(got.text());
    assert_eq!(got.message().calls[0].2, r#"{"at": "the tree"}"#);
    assert!(got.clean);
}

#[tokio::test]
async fn the_head_goes_out_with_the_first_heartbeat() {
    let event =
        format!(r#"{{"choices":[{{"index":0,"delta":{{"tool_calls":[{}]}}}}]}}"#, call(r#"{"at":"x"}"#));
    let pieces = [format!("data: {event}\n\n"), "data: [DONE]\n\n".to_owned()];
    let step = Step::new().raw_events(pieces).gate("g", Place::Events(1));
    let scene = Scene::new(Script::new().step(step), "").await;
    // Nothing else could bring the head: the gate is closed.
    let asked = question(true);
    let (mut coming, ()) = tokio::join!(Coming::open(&scene, &asked), async {
        scene.provider.gate("g").wait_reached().await;
        pass(EVERY).await;
    });
    assert!(coming.until("\n\n").await.starts_with(": keep-alive\n\n"));
    scene.provider.gate("g").release();
    assert_eq!(coming.rest().await.message().calls[0].2, r#"{"at":"x"}"#);
}

#[tokio::test]
async fn a_further_round_keeps_the_stream_alive() {
    for place in [Place::BeforeHead, Place::AfterHead] {
        let first = Step::new().say("Looking.").call("look", "{}");
        let second = Step::new().on_result("Please fix").call("look", r#"{"at":"x"}"#).gate("g", place);
        let scene = Scene::new(Script::new().step(first).step(second), "").await;
        let mut coming = Coming::open(&scene, &question(true)).await;
        scene.provider.gate("g").wait_reached().await;
        two_beats(&mut coming).await;
        scene.provider.gate("g").release();
        let got = coming.rest().await;
        assert_events(got.text());
        assert_eq!((got.message().calls.len(), got.message().dones), (1, 1));
    }
}

#[tokio::test]
async fn there_is_no_heartbeat_where_none_is_wanted() {
    for (listen, stream) in [("heartbeat = \"off\"", true), ("", false)] {
        let first = Step::new().say("Looking.").call("look", "{}").chunk(2);
        let second = Step::new().on_result("Please fix").call("look", r#"{"at":"x"}"#).cut(9);
        let second = second.gate("g", Place::Bytes(20));
        let scene = Scene::with(Script::new().step(first).step(second), listen, "").await;
        let (got, ()) = tokio::join!(scene.send(question(stream)), async {
            scene.provider.gate("g").wait_reached().await;
            pass(EVERY).await;
            scene.provider.gate("g").release();
        });
        assert!(!got.text().contains("keep-alive"));
        assert_eq!(got.message().calls.len(), 1);
    }
}

#[tokio::test]
async fn a_call_beyond_what_may_be_held_is_refused_and_let_go() {
    let large = format!(r#"{{"at": "{}"}}"#, "x".repeat(200_000));
    for stream in [true, false] {
        let first =
            Step::new().call("look", r#"{"at":"y"}"#).say("And all of it.").call("look", &large).chunk(1000);
        let alone = Step::new().call("look", &large).chunk(1000);
        let second = Step::new().on_result("larger than can be taken").call("look", r#"{"at":"x"}"#);
        let script = Script::new().step(alone).step(second).step(first);
        let watched = Watched::new(script, "max_held = \"8KiB\"", "").await;
        let message = watched.scene.send(question(stream)).await.message();
        assert_eq!(message.calls.iter().map(|call| call.2.as_str()).collect::<Vec<_>>(), [r#"{"at":"x"}"#]);
        assert_eq!(verdicts(&watched.facts().await)[0], (Judged::Refused, vec![Reason::TooLarge]));
        let sent = watched.scene.sent();
        assert!(sent[1].len() < sent[0].len() + 3000, "the model is not shown it again: {}", sent[1].len());

        let message = watched.scene.send(question(stream)).await.message();
        assert_eq!(message.calls.iter().map(|call| call.2.as_str()).collect::<Vec<_>>(), [r#"{"at":"y"}"#]);
        assert_eq!(message.text, "And all of it.");
    }
}
