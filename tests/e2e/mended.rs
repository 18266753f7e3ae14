//! Histories that a provider refuses, and with them every later request of the session: they go on.

use http::StatusCode;
use remand::guard::Reason;
use remand::observe::event::Fact;
use remand::replay::{Script, Step};

use super::scene::{Got, Message, elements, request, result, user};
use super::watched::Watched;

const LOOK: (&str, &str) = ("look", r#"{"type":"object","properties":{"at":{"type":"integer"}}}"#);

/// An answer that calls `look` under these ids.
fn calls(ids: &[&str], arguments: &str) -> String {
    let arguments = serde_json::Value::from(arguments);
    let call = |id: &&str| {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"look","arguments":{arguments}}}}}"#)
    };
    let calls: Vec<_> = ids.iter().map(call).collect();
    format!(r#"{{"role":"assistant","content":null,"tool_calls":[{}]}}"#, calls.join(","))
}

/// Histories that real providers refuse, and what was done to them.
fn broken() -> Vec<(&'static str, Vec<String>, &'static str)> {
    let good = calls(&["a"], "{}");
    let two = calls(&["a", "b"], "{}");
    let ok = result("a", "ok");
    let steer = user("also docx");
    vec![
        ("a lost result", vec![good.clone(), steer.clone()], "mended_missing"),
        ("half of the results", vec![two, ok.clone(), steer.clone()], "mended_missing"),
        ("a lost call", vec![ok.clone(), steer.clone()], "mended_orphan"),
        ("a steering message", vec![good.clone(), steer.clone(), ok.clone()], "mended_moved"),
        ("two results", vec![good.clone(), ok.clone(), ok.clone(), steer.clone()], "mended_duplicate"),
        ("arguments", vec![calls(&["a"], r#"{"at"#), ok, steer.clone()], "mended_arguments"),
        ("an empty result", vec![good, result("a", ""), steer.clone()], "mended_empty"),
        (
            "no answer",
            vec![r#"{"role":"assistant","content":null}"#.to_owned(), steer.clone()],
            "mended_empty",
        ),
        ("half an emoji", vec![r#"{"role":"user","content":"\ud83d"}"#.to_owned(), steer], "mended_text"),
    ]
}

fn body(history: &[String], stream: bool) -> String {
    let elements: Vec<_> = history.iter().map(String::as_str).collect();
    request(&elements, &[LOOK], stream)
}

fn says_well() -> Script {
    Script::new().strict().step(Step::new().say("Well.").repeat())
}

fn actions(got: &Got) -> &str {
    got.headers.get("x-remand-actions").map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn a_session_that_would_be_refused_for_ever_goes_on() {
    for (what, mut history, code) in broken() {
        history.insert(0, user("go"));
        for stream in [true, false] {
            let watched = Watched::new(says_well(), "", "").await;
            let scene = &watched.scene;
            let refused = scene.straight(body(&history, stream)).await;
            assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{what}");

            let got = scene.send(body(&history, stream)).await;
            assert_eq!((got.status, got.message().text.as_str()), (StatusCode::OK, "Well."), "{what}");
            assert_eq!(actions(&got), code, "{what}");
            let facts = watched.facts().await;
            let prepared =
                |fact: &Fact| matches!(fact, Fact::Prepared { reason, count: 1 } if reason.code() == code);
            assert_eq!(facts.iter().filter(|fact| prepared(fact)).count(), 1, "{what}: {facts:?}");

            // The agent knows of nothing, and what was told is told again.
            let first = elements(scene.sent().last().unwrap());
            let later = [history.clone(), vec![got.message().element(false), user("and?")]].concat();
            assert_eq!(scene.send(body(&later, stream)).await.message().text, "Well.", "{what}");
            let told = elements(scene.sent().last().unwrap());
            assert_eq!(told[..first.len()], first[..], "{what}");
            assert_eq!(told.len(), first.len() + 2, "{what}");
        }
    }
}

#[tokio::test]
async fn observing_or_told_not_to_it_changes_nothing() {
    for (what, mut history, code) in broken() {
        history.insert(0, user("go"));
        for (rules, done) in [("[guard]\nmode = \"observe\"", code), ("[guard.history]\nmend = false", "")] {
            let body = body(&history, false);
            let watched = Watched::new(says_well(), "", rules).await;
            let got = watched.scene.send(body.clone()).await;
            assert_eq!(got.status, StatusCode::BAD_REQUEST, "{what}");
            assert_eq!(watched.scene.sent(), [body], "{what}");
            assert!(!got.headers.contains_key("x-remand-actions"), "{what}");
            let facts = watched.facts().await;
            let Some(Fact::Ended { actions, .. }) = facts.last() else { panic!("{facts:?}") };
            assert_eq!(actions[..], [], "{what}");
            let told = |fact: &Fact| match fact {
                Fact::Prepared { reason, .. } => Some(reason.code()),
                _ => None,
            };
            assert_eq!(facts.iter().filter_map(told).collect::<Vec<_>>().join(","), done, "{what}");
        }
    }
}

/// The history after an answer: its calls, and their results.
fn after(asked: &[String], message: &Message) -> Vec<String> {
    let mut history = asked.to_vec();
    history.push(message.element(true));
    history.extend(message.calls.iter().map(|(id, ..)| result(id, "seen")));
    history
}

#[tokio::test]
async fn what_the_agent_did_not_see_is_put_back_into_a_mended_history() {
    // Before the answer with a hidden round and a hidden sibling: an orphan, a lost result, a moved one, a duplicate.
    let asked = vec![
        result("gone", "old news"),
        user("go"),
        calls(&["x"], "{}"),
        user("wait"),
        calls(&["y"], "{}"),
        user("steer"),
        result("y", "ok"),
        result("y", "ok"),
        user("now"),
    ];
    for stream in [true, false] {
        let script = Script::new()
            .strict()
            .step(Step::new().say("First.").call_as("r", "look", r#"{"at":"x"}"#))
            .step(
                Step::new()
                    .call_as("c0", "look", r#"{"at":0}"#)
                    .call_as("c1", "look", r#"{"at":"x"}"#)
                    .call_as("c2", "look", r#"{"at":2}"#),
            )
            .step(Step::new().say("Well.").repeat());
        let watched = Watched::new(script, "", "").await;
        let scene = &watched.scene;
        let got = scene.send(body(&asked, stream)).await;
        let message = got.message();
        let ids: Vec<_> = message.calls.iter().map(|(id, ..)| id.as_str()).collect();
        assert_eq!(ids, ["c0", "c2"]);
        let second = elements(&scene.sent()[1]);

        let later = after(&asked, &message);
        let got = scene.send(body(&later, stream)).await;
        assert_eq!(got.message().text, "Well.");
        let mends = "mended_orphan,mended_missing,mended_moved,mended_duplicate";
        assert_eq!(actions(&got), format!("{mends},restored"));
        let told = elements(scene.sent().last().unwrap());
        assert_eq!(told[..second.len()], second[..], "as the second round was asked");
        // The answer with all of its calls, and a result for each.
        assert!(
            ["c0", "c1", "c2"].iter().all(|id| told[second.len()].contains(id)),
            "{}",
            told[second.len()]
        );
        let results: Vec<_> = told[second.len() + 1..].iter().collect();
        assert_eq!(results.len(), 3);
        assert!(results[1].contains("c1") && results[1].contains("was not run"), "{}", results[1]);

        let on = [later, vec![got.message().element(false), user("and?")]].concat();
        let _ = scene.send(body(&on, stream)).await;
        let again = elements(scene.sent().last().unwrap());
        assert_eq!(again[..told.len()], told[..]);
    }
}

#[tokio::test]
async fn a_round_is_appended_to_the_history_as_it_was_told() {
    for stream in [true, false] {
        let script = Script::new()
            .strict()
            .step(Step::new().call_as("r", "look", r#"{"at":"x"}"#))
            .step(Step::new().on_result("Please fix").say("Well."));
        let watched = Watched::new(script, "", "").await;
        // Nothing follows the call: its result was lost, and it is the last thing that is known.
        let got = watched.scene.send(body(&[user("go"), calls(&["a"], "{}")], stream)).await;
        assert_eq!(got.message().text, "Well.");
        let sent = watched.scene.sent();
        assert_eq!(elements(&sent[1])[..3], elements(&sent[0])[..]);
        let facts = watched.facts().await;
        assert!(facts.contains(&Fact::Prepared { reason: Reason::MendedMissing, count: 1 }), "{facts:?}");
    }
}
