//! Answers whose type says nothing, or in an encoding that nobody asked for: a call in them is judged, or it does
//! not reach the agent.

use http::StatusCode;
use remand::guard::Reason;
use remand::observe::event::{Ended, Fact};
use remand::replay::{Script, Step};

use super::scene::{Got, Scene, request, user};
use super::uninspected::{answer, step};
use super::watched::{Watched, verdicts};

const LOOK: (&str, &str) =
    ("look", r#"{"type":"object","properties":{"at":{"type":"string"}},"required":["at"]}"#);
const GOOD: &str = r#"{ "at":"x" }"#;
const BAD: &str = r#"{"at": the tree}"#;

/// What is no JSON and no event stream by its name. The last is no name at all.
const TYPES: [&str; 6] = [
    "text/plain",
    "text/html; charset=utf-8",
    "application/octet-stream",
    "application/x-ndjson",
    "text/json",
    "",
];

fn question(stream: bool) -> String {
    request(&[&user("go")], &[LOOK], stream)
}

/// The same answer, behind what is no part of it.
fn led(body: &str) -> Vec<String> {
    ["", "\n", " \r\n\t", "\u{feff}"].map(|lead| format!("{lead}{body}")).into()
}

#[tokio::test]
async fn a_call_is_judged_whatever_the_type_says() {
    for kind in TYPES {
        for stream in [true, false] {
            for body in led(&answer(&[("look", BAD)], stream)) {
                let script = Script::new()
                    .step(Step::new().raw(kind, [body]).cut(5))
                    .step(Step::new().on_result("Please fix").call("look", GOOD));
                let scene = Scene::new(script, "").await;
                let got = scene.send(question(stream)).await;
                assert!(got.clean && !got.text().contains("tree"), "{kind}: {}", got.text());
                assert_eq!(scene.sent().len(), 2, "{kind}");
                let text = got.text().trim_start_matches('\u{feff}').to_owned();
                let message = Got { body: text.into(), ..got }.message();
                assert_eq!(message.calls[0].2, GOOD, "{kind}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_right_goes_through_as_it_came() {
    for kind in TYPES {
        for stream in [true, false] {
            for body in led(&answer(&[("look", GOOD)], stream)) {
                for cut in [0, 1] {
                    let step = Step::new().raw(kind, [body.clone()]).cut(cut);
                    let scene = Scene::new(Script::new().step(step), "").await;
                    let got = scene.send(question(stream)).await;
                    assert_eq!((got.text(), got.clean), (body.as_str(), true), "{kind}");
                    assert_eq!(got.headers["content-type"], kind);
                }
            }
        }
    }
}

/// No agent can take a call from these.
#[tokio::test]
async fn what_is_neither_an_object_nor_a_stream_goes_through_unread() {
    for body in
        ["<html>tool_calls</html>", "Bad Gateway", "[{\"tool_calls\":[]}]", "", "  \n", "dat", "\u{feff}"]
    {
        for kind in TYPES {
            let step = Step::new().raw(kind, [body]).cut(2).header("x-odd", "kept").repeat();
            let watched = Watched::new(Script::new().step(step), "", "").await;
            let got = watched.scene.send(question(true)).await;
            assert_eq!((got.status, got.text(), got.clean), (StatusCode::OK, body, true));
            assert_eq!(got.headers["x-odd"], "kept");
            let facts = watched.facts().await;
            assert!(matches!(&facts[0], Fact::Unjudged { reason: Reason::Uninspected, .. }), "{facts:?}");
            assert!(matches!(facts.last(), Some(Fact::Ended { outcome: Ended::Complete, .. })));
        }
    }
}

#[tokio::test]
async fn behind_a_byte_order_mark_only_the_call_changes() {
    let tool = ("look", r#"{"type":"object","properties":{"depth":{"type":"integer"}}}"#);
    let (odd, right) = (r#"{"depth":"5"}"#, r#"{"depth":5}"#);
    for (kind, stream) in [("application/json", false), ("text/event-stream", true)] {
        let marked = |arguments| format!("\u{feff}{}", answer(&[("look", arguments)], stream));
        let script = Script::new().step(Step::new().raw(kind, [marked(odd)]).cut(1));
        let scene = Scene::new(script, "").await;
        let got = scene.send(request(&[&user("go")], &[tool], stream)).await;
        assert!(got.clean && got.text().starts_with('\u{feff}'), "{}", got.text());
        let calls = |text: &str| {
            let plain = text.trim_start_matches('\u{feff}').to_owned();
            Got { status: got.status, headers: got.headers.clone(), body: plain.into(), clean: true }
                .message()
        };
        assert_eq!(calls(got.text()), calls(&marked(right)));
    }
}

#[tokio::test]
async fn one_object_after_another_is_no_answer_and_its_calls_do_not_pass() {
    let line = answer(&[("look", GOOD)], false);
    let step = Step::new().raw("application/x-ndjson", [format!("{line}\n{line}\n")]);
    let scene = Scene::new(Script::new().step(step), "").await;
    let got = scene.send(question(true)).await;
    assert_eq!(got.status, StatusCode::BAD_GATEWAY);
    assert!(!got.text().contains("look"), "{}", got.text());
}

#[tokio::test]
async fn an_answer_in_an_unknown_encoding_is_an_error_of_its_own() {
    for stream in [true, false] {
        let answered = || step(&[("look", GOOD)], stream).header("content-encoding", "lzma");
        let watched = Watched::new(Script::new().step(answered()), "", "").await;
        let got = watched.scene.send(question(stream)).await;
        assert_eq!(got.status, StatusCode::BAD_GATEWAY);
        assert!(got.text().contains(r#""code":"upstream_encoding""#), "{}", got.text());
        assert!(got.text().contains("unknown content encoding `lzma`"), "{}", got.text());
        assert_eq!(watched.ended().await.0, Ended::Failed);
        let sent = watched.scene.provider.requests();
        assert_eq!(sent[0].headers["accept-encoding"], "identity", "nothing was asked for but plain text");

        // Who only observes has nothing to enforce.
        let scene = Scene::new(Script::new().step(answered()), "[guard]\nmode = \"observe\"").await;
        let got = scene.send(question(stream)).await;
        assert_eq!((got.text(), got.status), (answer(&[("look", GOOD)], stream).as_str(), StatusCode::OK));
        assert_eq!(got.headers["content-encoding"], "lzma");
    }
}

#[tokio::test]
async fn an_error_in_an_unknown_encoding_is_the_agents() {
    let step = Step::new().error(StatusCode::TOO_MANY_REQUESTS, "slow").header("content-encoding", "lzma");
    let scene = Scene::new(Script::new().step(step), "").await;
    let got = scene.send(question(true)).await;
    assert_eq!(
        (got.status, got.headers["content-encoding"].to_str().unwrap()),
        (StatusCode::TOO_MANY_REQUESTS, "lzma")
    );
    assert!(got.text().contains("slow"));
}

#[tokio::test]
async fn observing_passes_every_type_on_and_judges_it() {
    for kind in TYPES {
        for stream in [true, false] {
            let body = answer(&[("look", BAD)], stream);
            let script = Script::new().step(Step::new().raw(kind, [body.clone()]).cut(3));
            let watched = Watched::new(script, "", "[guard]\nmode = \"observe\"").await;
            let got = watched.scene.send(question(stream)).await;
            assert_eq!((got.text(), got.clean), (body.as_str(), true), "{kind}");
            let facts = watched.facts().await;
            assert_eq!(verdicts(&facts).len(), 1, "{kind}: {facts:?}");
        }
    }
}

#[tokio::test]
async fn a_further_round_that_is_an_error_is_told_as_one() {
    let denied =
        "[[tool]]\nname = [\"look\"]\n[[tool.deny]]\nat = \"/at\"\nmatches = \"x\"\nreason = \"No.\"";
    for (again, told) in [
        (
            Step::new().error(StatusCode::TOO_MANY_REQUESTS, "slow down"),
            "answered 429 Too Many Requests when it was asked again",
        ),
        (Step::new().raw("text/html", ["<html>"]), "answered in another form when it was asked again"),
        (Step::new().raw("application/json", [answer(&[("look", "{}")], false)]), "answered in another form"),
    ] {
        let first = Step::new().say("Well.").call("look", GOOD);
        let scene = Scene::new(Script::new().step(first).step(again), denied).await;
        let got = scene.send(question(true)).await;
        assert!(!got.clean && got.text().contains(r#""code":"reask_failed""#), "{}", got.text());
        assert!(got.text().contains(told) && !got.text().contains("cannot be reached"), "{}", got.text());
    }
}
