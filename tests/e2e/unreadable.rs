//! Arguments that cannot be read never reach an agent: whatever the finish says, however often the model
//! insists, and though the guard fails.

use std::sync::Arc;

use remand::guard::Reason;
use remand::guard::arguments::{Schema, Schemas, Uncached};
use remand::observe::event::{Ended, Fact, Judged};
use remand::replay::{Script, Step};

use super::scene::{Got, Message, Scene, elements, request, result, user};
use super::watched::{Watched, verdicts};

const LOOK: (&str, &str) = (
    "look",
    r#"{"type":"object","properties":{"at":{"type":"string"},"depth":{"type":"integer"}},"required":["at"]}"#,
);
const BASH: (&str, &str) = ("bash", r#"{"type":"object","properties":{"command":{"type":"string"}}}"#);

/// No `git` in a shell.
pub const DENY: &str = r#"
[[tool]]
name = ["bash"]
[[tool.deny]]
at = "/command"
matches = '\bgit\b'
reason = "Use the Git tools."
"#;

fn question(stream: bool) -> String {
    request(&[&user("go")], &[LOOK, BASH], stream)
}

/// No piece of a call is in the answer, and it is a whole answer.
fn assert_no_call(got: &Got) {
    let text = got.text();
    assert!(got.clean && !text.contains("\"tool_calls\"") && !text.contains("look"), "{text}");
    assert_eq!((got.message().finishes, got.message().dones), (1, 1));
}

#[tokio::test]
async fn a_call_cut_twice_ends_at_the_output_limit_whatever_the_finish_says() {
    for arguments in [r#"{"at": "the tr"#, r#"{"at": "x", "depth":"#, "{", r#"{"at": "x\"#] {
        for finish in ["length", "tool_calls", "stop"] {
            for stream in [true, false] {
                let cut =
                    Step::new().say("Looking.").call("look", arguments).finish(finish).chunk(3).repeat();
                let scene = Scene::new(Script::new().step(cut), "").await;
                let got = scene.send(question(stream)).await;
                assert_no_call(&got);
                assert_eq!(got.message().finish, "length");
                assert_eq!(scene.sent().len(), 2, "{arguments} {finish} {stream}");
                assert!(scene.sent()[1].contains("cut at the output limit"), "{}", scene.sent()[1]);
            }
        }
    }
}

#[tokio::test]
async fn an_empty_text_at_the_output_limit_is_a_cut_call() {
    for stream in [true, false] {
        let cut = Step::new().call("bash", "").finish("length").repeat();
        let scene = Scene::new(Script::new().step(cut), "").await;
        let got = scene.send(question(stream)).await;
        assert_no_call(&got);
        assert_eq!((got.message().finish.as_str(), scene.sent().len()), ("length", 2));
        // Elsewhere it is a call of a tool that needs nothing.
        let scene = Scene::new(Script::new().step(Step::new().call("bash", "")), "").await;
        let message = scene.send(question(stream)).await.message();
        assert_eq!((message.calls[0].2.as_str(), message.finish.as_str()), ("{}", "tool_calls"));
    }
}

#[tokio::test]
async fn a_cut_call_is_refused_though_no_finish_was_told() {
    let cut = Step::new().call("look", r#"{"at": "the tr"#).without_finish().repeat();
    let scene = Scene::new(Script::new().step(cut), "").await;
    let got = scene.send(question(true)).await;
    assert_no_call(&got);
    assert_eq!((got.message().finish.as_str(), scene.sent().len()), ("length", 2));
}

#[tokio::test]
async fn complete_siblings_of_a_cut_call_still_go() {
    for stream in [true, false] {
        let step = Step::new()
            .call_as("one", "look", r#"{"at": "x"}"#)
            .call_as("two", "look", r#"{"at": "the tr"#)
            .finish("length");
        let scene = Scene::new(Script::new().step(step), "").await;
        let got = scene.send(question(stream)).await;
        let message = got.message();
        assert_eq!(message.calls, [("one".to_owned(), "look".to_owned(), r#"{"at": "x"}"#.to_owned())]);
        assert_eq!((message.finish.as_str(), scene.sent().len()), ("tool_calls", 1));
        assert!(!got.text().contains("two"), "{}", got.text());
    }
}

const UNREADABLE: [&str; 5] =
    [r#"{"at": "the "big" tree"}"#, r#"{"at": "C:\data\x"}"#, r#"{"at": }"#, r#"["the tree"]"#, "the tree"];

#[tokio::test]
async fn a_model_that_insists_is_asked_so_often_and_no_more() {
    for arguments in UNREADABLE {
        for (rules, asked) in [("", 4), ("[guard]\nrounds = 1", 2), ("[guard]\nrounds = 0", 1)] {
            for stream in [true, false] {
                let scene =
                    Scene::new(Script::new().step(Step::new().call("look", arguments).repeat()), rules).await;
                let got = scene.send(question(stream)).await;
                assert!(got.clean, "{}", got.text());
                let message = got.message();
                assert_eq!((message.calls.len(), message.finish.as_str(), message.finishes), (0, "stop", 1));
                assert!(
                    message.text.contains("could not be run") && message.text.contains("look"),
                    "{}",
                    message.text
                );
                let sent = scene.sent();
                assert_eq!(sent.len(), asked);
                let concluding: Vec<bool> =
                    sent.iter().map(|body| body.contains(r#""tool_choice":"none""#)).collect();
                assert!(concluding.iter().rev().skip(1).all(|concludes| !concludes));
                assert_eq!(concluding.last(), Some(&(asked > 1)));
            }
        }
    }
}

#[tokio::test]
async fn the_model_is_shown_its_text_in_an_object_that_every_provider_takes() {
    for arguments in UNREADABLE {
        let script = Script::new()
            .step(Step::new().call("look", arguments))
            .step(Step::new().on_result("Please fix your mistakes.").say("No."));
        let scene = Scene::new(script, "").await;
        scene.send(question(true)).await;
        let shown = elements(&scene.sent()[1]);
        let call: serde_json::Value = serde_json::from_str(&shown[1]).unwrap();
        let kept = call["tool_calls"][0]["function"]["arguments"].as_str().unwrap();
        let kept: serde_json::Value = serde_json::from_str(kept).unwrap();
        assert_eq!(kept["_invalid_arguments"], arguments);
    }
}

/// A guard with a bug.
struct Fails;

impl Schemas for Fails {
    fn schema(&self, _text: &str, _overlays: &[(&str, &str)]) -> Arc<Schema> {
        // As a panic, but without a word on the terminal.
        std::panic::resume_unwind(Box::new("a bug"))
    }
}

async fn with_a_bug(script: Script) -> Watched {
    Watched::with_schemas(script, "", DENY, Arc::new(Fails)).await
}

#[tokio::test]
async fn though_the_guard_fails_a_readable_call_goes_on_unchanged() {
    for arguments in [r#"{"at": "x", "depth": "5"}"#, r#"{ "att":1.10 }"#, r#"{"command":"ls"}"#] {
        for stream in [true, false] {
            let step = Step::new().say("Hm.").call("look", arguments).call("bash", arguments);
            let watched = with_a_bug(Script::new().step(step)).await;
            let got = watched.scene.send(question(stream)).await;
            let message = got.message();
            assert!(message.calls.iter().all(|(_, _, written)| written == arguments), "{message:?}");
            assert_eq!((message.calls.len(), message.finish.as_str()), (2, "tool_calls"));
            let facts = watched.facts().await;
            let unjudged = |fact: &&Fact| matches!(fact, Fact::Unjudged { reason: Reason::Unjudged, .. });
            assert_eq!(facts.iter().filter(unjudged).count(), 2, "{facts:?}");
            assert!(verdicts(&facts).iter().all(|(verdict, _)| *verdict == Judged::Forwarded));
        }
    }
}

#[tokio::test]
async fn though_the_guard_fails_nothing_unreadable_goes_on() {
    let cut = r#"{"at": "the tr"#;
    for arguments in UNREADABLE.into_iter().chain([
        cut,
        "",
        "null",
        r#"{"at":"x"}{"at":"y"}"#,
        "```json\n{\"at\":\"x\"}\n```",
    ]) {
        for stream in [true, false] {
            let watched = with_a_bug(Script::new().step(Step::new().call("look", arguments).repeat())).await;
            let got = watched.scene.send(question(stream)).await;
            assert!(got.clean && got.message().calls.is_empty(), "{arguments}: {}", got.text());
            assert!(!got.text().contains("\"tool_calls\""), "{}", got.text());
            let asked = if arguments == cut { 2 } else { 4 };
            assert_eq!(watched.scene.sent().len(), asked, "{arguments}");
            assert_eq!(watched.ended().await.0, Ended::Complete);
        }
    }
}

#[tokio::test]
async fn though_the_guard_fails_nothing_forbidden_goes_on() {
    let forbidden = r#"{"command": "git log"}"#;
    let listed =
        r#"{"tool_uses": [{"recipient_name": "functions.bash", "parameters": {"command": "git log"}}]}"#;
    for (name, arguments) in [
        ("bash", forbidden),
        ("functions.bash", forbidden),
        ("Bash", forbidden),
        ("bash", r#"{"command": ["ls", "\u0067it log"]}"#),
        ("multi_tool_use.parallel", listed),
    ] {
        for stream in [true, false] {
            let watched = with_a_bug(Script::new().step(Step::new().call(name, arguments).repeat())).await;
            let got = watched.scene.send(question(stream)).await;
            assert!(got.message().calls.is_empty() && !got.text().contains("git"), "{}", got.text());
            let facts = watched.facts().await;
            assert_eq!(verdicts(&facts)[0], (Judged::Refused, vec![Reason::Denied]), "{name} {arguments}");
            assert!(watched.scene.sent()[1].contains("Use the Git tools."));
        }
    }
}

/// A guard that fails on one tool only.
struct FailsOnWrite;

impl Schemas for FailsOnWrite {
    fn schema(&self, text: &str, overlays: &[(&str, &str)]) -> Arc<Schema> {
        if text.contains("into") {
            std::panic::resume_unwind(Box::new("a bug"))
        }
        Uncached.schema(text, overlays)
    }
}

#[tokio::test]
async fn a_call_that_went_out_unjudged_may_have_changed_the_world() {
    let tools = [LOOK, ("write", r#"{"type":"object","properties":{"into":{"type":"string"}}}"#)];
    let failed = Message {
        calls: vec![("c".to_owned(), "look".to_owned(), r#"{"at":"x"}"#.to_owned())],
        ..Message::default()
    };
    let history = [user("go"), failed.element(false), result("c", "Error: no such tree")];
    let history: Vec<_> = history.iter().map(String::as_str).collect();
    let again = || Step::new().call("look", r#"{"at":"x"}"#);
    for stream in [true, false] {
        let script =
            Script::new().step(Step::new().call("write", r#"{"into":"x"}"#).call("look", r#"{"at":"x"}"#));
        let watched = Watched::with_schemas(script, "", "", Arc::new(FailsOnWrite)).await;
        let message = watched.scene.send(request(&history, &tools, stream)).await.message();
        assert_eq!(message.calls.len(), 2, "the second is no repeat for nothing");

        let script = Script::new().step(again()).step(Step::new().on_result("already failed").say("No."));
        let watched = Watched::with_schemas(script, "", "", Arc::new(FailsOnWrite)).await;
        assert_eq!(watched.scene.send(request(&history, &tools, stream)).await.message().text, "No.");
    }
}

#[tokio::test]
async fn where_invalid_calls_go_on_so_does_one_that_says_nothing() {
    for (rules, goes) in [("[guard.calls]\ninvalid = \"forward\"", true), ("", false)] {
        for stream in [true, false] {
            let script = Script::new().step(Step::new().call("look", "")).step(Step::new().say("No."));
            let scene = Scene::new(script, rules).await;
            let message = scene.send(question(stream)).await.message();
            let expected: &[&str] = if goes { &["{}"] } else { &[] };
            assert_eq!(message.calls.iter().map(|call| call.2.as_str()).collect::<Vec<_>>(), expected);
        }
    }
}

#[tokio::test]
async fn an_event_that_is_no_json_and_may_hold_a_call_breaks_the_stream() {
    let event = |index: &str, at: &[u8]| {
        let (before, after) = (
            format!(
                r#"data: {{"choices":[{{"index":{index},"delta":{{"tool_calls":[{{"index":0,"id":"c","function":{{"name":"look","arguments":"{{\"at\":\""#
            ),
            "\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
        );
        [before.as_bytes(), at, after.as_bytes()].concat()
    };
    // Python reads `NaN`, JavaScript bytes that are no text.
    for body in [event("NaN", b"tree"), event("0", b"tr\xffee")] {
        let role = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}\n\n";
        let body = [role.as_bytes(), &body].concat();
        let watched = Watched::new(Script::new().step(Step::new().raw_events([body])), "", "").await;
        let got = watched.scene.send(question(true)).await;
        assert!(!got.clean && !got.text().contains("look"), "{}", got.text());
        assert!(got.text().contains("upstream_unreachable"), "{}", got.text());
        assert_eq!(watched.ended().await.0, Ended::Broken);
    }
}
