//! The provider dies, falls silent or leaves something out: the agent sees a whole answer or a visible error.

use std::time::Duration;

use http::StatusCode;
use remand::observe::event::Ended;
use remand::replay::{Place, Script, Step};
use serde_json::Value;

use super::scene::{Got, pass, request, user};
use super::watched::Watched;

const TOOL: (&str, &str) =
    ("look", r#"{"type":"object","properties":{"at":{"type":"string"}},"required":["at"]}"#);
const GOOD: &str = r#"{"at": "the tree"}"#;
const INVALID: &str = r#"{"att": "the tree"}"#;
const UNREADABLE: &str = r#"{"at": "the "big" tree"}"#;

async fn send(script: Script, listen: &str, stream: bool) -> (Got, Ended, usize) {
    let watched = Watched::new(script, listen, "").await;
    let got = watched.scene.send(request(&[&user("go")], &[TOOL], stream)).await;
    let (outcome, _) = watched.ended().await;
    (got, outcome, watched.scene.sent().len())
}

/// An answer that broke off after its head: what was said, an error that every client reads, no clean end.
fn assert_broken(got: &Got, said: &str, code: &str) {
    let text = got.text();
    assert!(!got.clean && !text.contains("[DONE]"), "{text}");
    let events: Vec<Value> = text
        .split("\n\n")
        .filter(|event| !event.trim().is_empty())
        .map(|event| serde_json::from_str(event.trim_start().strip_prefix("data: ").unwrap()).unwrap())
        .collect();
    let error = &events.last().unwrap()["error"];
    assert_eq!((&error["type"], &error["code"]), (&"remand_error".into(), &code.into()), "{text}");
    let words: String =
        events.iter().filter_map(|event| event["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(words, said);
}

#[tokio::test]
async fn before_the_first_event_it_is_a_bad_gateway() {
    for stream in [true, false] {
        for place in [Place::BeforeHead, Place::AfterHead] {
            for step in [Step::new().say("Hi").die(place), Step::new().say("Hi").close(place)] {
                let (got, outcome, asked) = send(Script::new().step(step), "", stream).await;
                got.assert_ours(StatusCode::BAD_GATEWAY, "upstream_unreachable");
                assert_eq!((outcome, asked), (Ended::Failed, 1));
            }
        }
    }
}

#[tokio::test]
async fn so_it_is_for_a_request_that_nobody_reads() {
    for (step, status, expected) in [
        (Step::new().say("Hi").die(Place::BeforeHead), StatusCode::BAD_GATEWAY, Ended::Failed),
        (Step::new().say("Hi"), StatusCode::OK, Ended::Complete),
    ] {
        let watched = Watched::new(Script::new().step(step), "", "").await;
        let got = watched.scene.send("no JSON").await;
        assert_eq!((got.status, watched.ended().await.0), (status, expected));
    }
}

#[tokio::test]
async fn a_whole_answer_that_is_cut_is_a_bad_gateway() {
    let text = Step::new().say("Once upon a time").die(Place::Bytes(70));
    let call = Step::new().call("look", GOOD).die(Place::Bytes(200));
    let cleanly_cut = [
        r#"{"id":"a","choices":[{"index":0,"message":{"role":"assistant","content":"Once up"#,
        r#"{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"look","arguments":"{\"at\":\"tr"#,
    ];
    let clean = cleanly_cut.map(|body| Step::new().raw("application/json", [body]));
    for step in clean.into_iter().chain([text, call]) {
        let (got, outcome, _) = send(Script::new().step(step), "", false).await;
        got.assert_ours(StatusCode::BAD_GATEWAY, "upstream_unreachable");
        assert_eq!(outcome, Ended::Failed);
    }
}

#[tokio::test]
async fn after_the_head_the_stream_visibly_breaks() {
    let held = || Step::new().say("Looking.").call("look", GOOD).chunk(8);
    let cases = [
        ("Once upon ", Step::new().say("Once upon ").say("a time").die(Place::Events(2))),
        ("Once upon ", Step::new().say("Once upon ").say("a time").close(Place::Bytes(500))),
        ("Looking.", held().die(Place::Events(4))),
        ("Looking.", held().close(Place::Events(5))),
        // All of the call is there, but not that it is all.
        ("Looking.", Step::new().say("Looking.").call("look", GOOD).die(Place::Events(4))),
    ];
    for (said, step) in cases {
        let (got, outcome, asked) = send(Script::new().step(step), "", true).await;
        assert_broken(&got, said, "upstream_unreachable");
        assert!(!got.text().contains("look"), "no half call: {}", got.text());
        assert_eq!((outcome, asked), (Ended::Broken, 1));
    }
}

#[tokio::test]
async fn a_call_that_was_released_is_whole_though_the_stream_breaks() {
    // Role, two events of the call, the finish.
    let step = Step::new().call("look", GOOD).die(Place::Events(4));
    let (got, outcome, _) = send(Script::new().step(step), "", true).await;
    assert_broken(&got, "", "upstream_unreachable");
    assert!(got.text().contains(r#"{\"at\": \"the tree\"}"#));
    assert_eq!(outcome, Ended::Broken);
}

#[tokio::test]
async fn what_breaks_behind_the_end_takes_nothing_away() {
    for step in [Step::new().say("Hi.").die(Place::End), Step::new().call("look", GOOD).close(Place::End)] {
        let (got, outcome, _) = send(Script::new().step(step), "", true).await;
        assert!(got.clean && got.message().dones == 1, "{}", got.text());
        assert_eq!(outcome, Ended::Complete);
    }
    let refused = Step::new().call("look", UNREADABLE).die(Place::End);
    let again = Step::new().on_result("Please fix").say("No.");
    let (got, outcome, asked) = send(Script::new().step(refused).step(again), "", true).await;
    assert_eq!((got.message().text.as_str(), outcome, asked), ("No.", Ended::Complete, 2));
}

fn event(delta: &str, finish: &str) -> String {
    format!(r#"data: {{"id":"a","choices":[{{"index":0,"delta":{delta},"finish_reason":{finish}}}]}}"#)
}

#[tokio::test]
async fn a_clean_end_in_the_middle_is_no_end() {
    let role = event(r#"{"role":"assistant","content":"On"}"#, "null");
    let call = event(
        r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"look","arguments":"{\"at\": \"the tree\"}"}}]}"#,
        "null",
    );
    let half = |event: &str| event.chars().take(event.len() - 20).collect::<String>();
    let words = event(r#"{"content":"ce upon"}"#, "null");
    let cases = [
        ("On", format!("{role}\n\n")),
        ("On", role.clone()),
        ("On", format!("{role}\n\n{call}\n\n")),
        ("On", format!("{role}\n\n{call}")),
        ("On", format!("{role}\n\n{}", half(&call))),
        ("On", format!("{role}\n\n{}", half(&words))),
        ("Once upon", format!("{role}\n\n{words}")),
    ];
    for (said, body) in cases {
        for cut in [0, 7] {
            let step = Step::new().raw_events([body.clone()]).cut(cut);
            let (got, outcome, _) = send(Script::new().step(step), "", true).await;
            assert_broken(&got, said, "upstream_unreachable");
            assert!(!got.text().contains("look"), "{}", got.text());
            assert_eq!(outcome, Ended::Broken);
        }
    }
}

#[tokio::test]
async fn who_answers_with_nothing_at_all_is_asked_once_more() {
    let nothing = |kind| Step::new().raw(kind, Vec::<String>::new());
    for kind in ["text/event-stream", "application/json", "text/plain"] {
        for stream in [true, false] {
            let script = Script::new().step(nothing(kind)).step(Step::new().call("look", GOOD));
            let (got, outcome, asked) = send(script, "", stream).await;
            assert_eq!((got.message().calls[0].2.as_str(), outcome, asked), (GOOD, Ended::Complete, 2));

            // Twice is once too often, and no rounds are no rounds.
            for (rules, asks) in [("", 2), ("[guard]\nrounds = 0", 1), ("[guard]\nmode = \"observe\"", 1)] {
                let (got, _, asked) = send(Script::new().step(nothing(kind).repeat()), rules, stream).await;
                assert_eq!(asked, asks, "{kind} {rules}");
                assert!(!got.text().contains("finish_reason"), "{}", got.text());
            }
        }
    }
    // What is not nothing has gone out.
    let (got, _, asked) = send(Script::new().step(Step::new().raw_events([": hm\n\n"])), "", true).await;
    assert_eq!((asked, got.clean), (1, false));
    assert!(got.text().starts_with(": hm\n\ndata: {\"error\""), "{}", got.text());
}

#[tokio::test]
async fn a_further_round_that_says_nothing_is_asked_once_more_too() {
    for stream in [true, false] {
        let script = Script::new()
            .step(Step::new().call("look", UNREADABLE))
            .step(Step::new().raw("text/event-stream", Vec::<String>::new()))
            .step(Step::new().on_result("Please fix").call("look", GOOD));
        let (got, outcome, asked) = send(script, "", stream).await;
        assert_eq!((got.message().calls[0].2.as_str(), outcome, asked), (GOOD, Ended::Complete, 3));
    }
}

#[tokio::test]
async fn a_lax_end_is_made_whole() {
    let role = event(r#"{"role":"assistant","content":"Hi"}"#, "null");
    let stop = event("{}", "\"stop\"");
    for body in [
        format!("{role}\n\n{stop}\n\n"),
        format!("{role}\n\n{stop}"),
        format!("{role}\n\n{stop}\n"),
        format!("{role}\n\ndata: [DONE]\n\n"),
        format!("{role}\n\n{stop}\n\ndata: [DONE]"),
    ] {
        let (got, outcome, _) =
            send(Script::new().step(Step::new().raw_events([body.clone()])), "", true).await;
        let message = got.message();
        assert_eq!(
            (message.text.as_str(), message.finish.as_str(), message.dones),
            ("Hi", "stop", 1),
            "{body}"
        );
        assert!(got.clean);
        assert_eq!(outcome, Ended::Complete);
        assert!(!body.ends_with("[DONE]") || got.text() == body, "nothing was missing");
    }
}

#[tokio::test]
async fn an_error_in_the_stream_is_told_as_it_came_and_the_held_call_is_not() {
    let role = event(r#"{"role":"assistant","content":"Hi"}"#, "null");
    let call = event(
        r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"look","arguments":"{\"at\":"}}]}"#,
        "null",
    );
    for error in [
        "data: {\"error\":{\"message\":\"overloaded\",\"code\":502}}\n\n",
        "event: error\ndata: {\"error\":{\"message\":\"overloaded\"}}\n\n",
        "data: {\"error\":{\"code\":502},\"choices\":[{\"index\":0,\"delta\":{\"content\":\"\"},\"finish_reason\":\"error\"}]}\n\ndata: [DONE]\n\n",
    ] {
        let step = Step::new().raw_events([format!("{role}\n\n{call}\n\n{error}")]);
        let (got, outcome, asked) = send(Script::new().step(step), "", true).await;
        assert_eq!(got.text(), format!("{role}\n\n{error}"));
        assert_eq!((outcome, asked), (Ended::ProviderError, 1));
    }
}

#[tokio::test]
async fn a_second_round_that_fails_breaks_the_stream_where_nothing_may_go_on() {
    let first = || Step::new().say("Looking.").call("look", UNREADABLE);
    let second = || Step::new().on_result("Please fix");
    let later = || second().say("Again.").call("look", GOOD);
    let gone = "upstream_unreachable";
    for (said, code, step) in [
        ("Looking.", gone, later().die(Place::BeforeHead)),
        ("Looking.", gone, later().die(Place::AfterHead)),
        ("Looking.", "reask_failed", second().error(StatusCode::TOO_MANY_REQUESTS, "slow down")),
        ("Looking.\n\nAgain.", gone, later().close(Place::Events(3))),
        ("Looking.\n\nAgain.", gone, later().die(Place::Bytes(800))),
    ] {
        let (got, outcome, asked) = send(Script::new().step(first()).step(step), "", true).await;
        assert_broken(&got, said, code);
        assert!(!got.text().contains("look"), "{}", got.text());
        assert_eq!((outcome, asked), (Ended::Broken, 2));
    }
}

#[tokio::test]
async fn a_second_round_that_fails_lets_a_readable_call_go_on() {
    let first = Step::new().say("Looking.").call("look", INVALID);
    let second = Step::new().on_result("Please fix").die(Place::BeforeHead);
    let (got, outcome, _) = send(Script::new().step(first).step(second), "", true).await;
    let message = got.message();
    assert_eq!(
        (message.calls[0].2.as_str(), message.finish.as_str(), message.dones),
        (INVALID, "tool_calls", 1)
    );
    assert!(got.clean);
    assert_eq!(outcome, Ended::Complete);
    // Where no call was written, none goes on.
    let first = Step::new().say("Looking.").call("look", "");
    let second = Step::new().on_result("Please fix").die(Place::BeforeHead);
    let (got, ..) = send(Script::new().step(first).step(second), "", true).await;
    assert_broken(&got, "Looking.", "upstream_unreachable");
}

#[tokio::test]
async fn a_second_round_that_fails_before_the_head_is_told_as_it_is() {
    let first = |stream: bool| {
        // The first event of all is held, so that no head is out.
        let bad = event(
            r#"{"tool_calls":[{"index":0,"id":"c","function":{"name":"look","arguments":"{\"at\": oh}"}}]}"#,
            "\"tool_calls\"",
        );
        if stream {
            Step::new().raw_events([format!("{bad}\n\ndata: [DONE]\n\n")])
        } else {
            Step::new().call("look", UNREADABLE)
        }
    };
    for stream in [true, false] {
        let again = || Step::new().on_result("Please fix");
        let died = Script::new().step(first(stream)).step(again().die(Place::BeforeHead));
        send(died, "", stream).await.0.assert_ours(StatusCode::BAD_GATEWAY, "upstream_unreachable");
        let limited = again().error(StatusCode::TOO_MANY_REQUESTS, "slow down").header("retry-after", "7");
        let (got, outcome, _) = send(Script::new().step(first(stream)).step(limited), "", stream).await;
        assert_eq!((got.status, outcome), (StatusCode::TOO_MANY_REQUESTS, Ended::ProviderError));
        assert_eq!(got.headers["retry-after"], "7");
        assert!(got.text().contains("slow down") && got.clean);
    }
}

/// Longer than anything takes; it is never waited for.
const SILENCE: Duration = Duration::from_secs(9);

/// The provider stops at the gate `g`, and nothing comes of it for too long; then its request is given up.
async fn silenced(script: Script, stream: bool) -> (Got, Ended) {
    let watched = Watched::new(script, "idle_timeout = \"9s\"", "").await;
    let scene = &watched.scene;
    let silence = async {
        scene.provider.gate("g").wait_reached().await;
        pass(SILENCE).await;
    };
    let (got, ()) = tokio::join!(scene.send(request(&[&user("go")], &[TOOL], stream)), silence);
    scene.provider.aborted(scene.provider.requests().len() - 1).await;
    (got, watched.ended().await.0)
}

#[tokio::test]
async fn silence_before_the_head_is_a_timeout() {
    let places = [(true, Place::BeforeHead), (false, Place::BeforeHead), (false, Place::Bytes(60))];
    for (stream, place) in places {
        let step = Step::new().say("Once upon a time").gate("g", place);
        let (got, outcome) = silenced(Script::new().step(step), stream).await;
        got.assert_ours(StatusCode::GATEWAY_TIMEOUT, "upstream_timeout");
        assert_eq!(outcome, Ended::Failed);
    }
}

#[tokio::test]
async fn silence_in_a_stream_breaks_it_and_stops_the_request() {
    let held = Step::new().say("Looking.").call("look", GOOD).chunk(8).gate("g", Place::Events(4));
    let first = Step::new().say("Looking.").call("look", UNREADABLE);
    let second = Step::new().on_result("Please fix").gate("g", Place::BeforeHead);
    for script in [Script::new().step(held), Script::new().step(first).step(second)] {
        let (got, outcome) = silenced(script, true).await;
        assert_broken(&got, "Looking.", "upstream_timeout");
        assert_eq!(outcome, Ended::Broken);
    }
}
