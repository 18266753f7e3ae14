//! Some calls of an answer are good and some are not: the good ones run, the model is told of the others in place.

use std::time::Duration;

use http_body_util::BodyExt;
use remand::observe::Events;
use remand::proxy;
use remand::replay::{Place, Script, Server, Step};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::scene::{Got, Message, Scene, elements, request, result, user};

const TOOL: (&str, &str) =
    ("edit", r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#);
const BAD: &str = r#"{"path":  7}"#;

/// An answer with a call for each letter: `G`ood or `B`ad.
fn calls(pattern: &str) -> Step {
    pattern.chars().enumerate().fold(Step::new().say("Three at once."), |step, (place, letter)| {
        step.call_as(format!("c{place}"), TOOL.0, if letter == 'G' { good(place) } else { BAD.to_owned() })
    })
}

fn good(place: usize) -> String {
    format!(r#"{{"path":  "/{place}"}}"#)
}

/// The agent's history after an answer: its calls, and their results.
fn after(asked: &[String], message: &Message, anew: bool) -> Vec<String> {
    let mut history = asked.to_vec();
    history.push(message.element(anew));
    history.extend(message.calls.iter().map(|(id, ..)| result(id, &format!("edited by {id}"))));
    history
}

async fn send(scene: &Scene, history: &[String], stream: bool) -> (Message, Vec<String>) {
    let elements_of: Vec<_> = history.iter().map(String::as_str).collect();
    let message = scene.send(request(&elements_of, &[TOOL], stream)).await.message();
    (message, elements(scene.sent().last().unwrap()))
}

fn ids(element: &str) -> Vec<String> {
    let element: Value = serde_json::from_str(element).unwrap();
    element["tool_calls"]
        .as_array()
        .unwrap()
        .iter()
        .map(|call| call["id"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn the_first_is_with_the_agent_before_the_second_is_written() {
    let step = calls("GBG").gate("second", Place::Events(5));
    let scene = Scene::new(Script::new().step(step), "").await;
    let response = scene.open(request(&[&user("go")], &[TOOL], true)).await;
    let (head, mut body) = response.into_parts();
    let mut read = Vec::new();
    while !String::from_utf8_lossy(&read).contains("/0") {
        let frame = timeout(Duration::from_secs(20), body.frame()).await.unwrap().unwrap().unwrap();
        read.extend_from_slice(&frame.into_data().unwrap());
    }
    assert_eq!(scene.provider.gate("second").reached(), 1, "the provider waits in the second call");
    assert!(!String::from_utf8_lossy(&read).contains("c1"));
    scene.provider.gate("second").release();
    let rest = Got::read(http::Response::from_parts(head, body)).await;
    read.extend_from_slice(&rest.body);
    let message = Got { body: read.into(), ..rest }.message();
    let seen: Vec<_> =
        message.calls.iter().map(|(id, _, arguments)| (id.as_str(), arguments.clone())).collect();
    assert_eq!(seen, [("c0", good(0)), ("c2", good(2))]);
    assert_eq!((message.finish.as_str(), message.dones), ("tool_calls", 1));
    assert_eq!(scene.sent().len(), 1, "nothing is asked again");
}

#[tokio::test]
async fn the_model_sees_all_and_sees_the_same_ever_after() {
    for pattern in ["GBG", "BGG", "GGB", "BGB", "GBBG", "BBG", "GBGBG"] {
        for stream in [true, false] {
            for anew in [false, true] {
                let what = format!("{pattern}, streamed: {stream}, anew: {anew}");
                let script = Script::new().step(calls(pattern)).step(Step::new().say("Well.").repeat());
                let scene = Scene::new(script, "").await;
                let asked = vec![r#"{"role":"system","content":"S"}"#.to_owned(), user("go")];
                let (message, _) = send(&scene, &asked, stream).await;
                let good = pattern.matches('G').count();
                assert_eq!((message.calls.len(), message.finish.as_str()), (good, "tool_calls"), "{what}");

                let mut history = after(&asked, &message, anew);
                let (_, shown) = send(&scene, &history, stream).await;
                let all: Vec<_> = (0..pattern.len()).map(|place| format!("c{place}")).collect();
                assert_eq!(ids(&shown[2]), all, "{what}");
                assert!(shown[2].contains("Three at once."), "{what}");
                assert_eq!(shown.len(), 3 + pattern.len(), "{what}");
                for (place, letter) in pattern.chars().enumerate() {
                    let answer: Value = serde_json::from_str(&shown[3 + place]).unwrap();
                    assert_eq!(answer["tool_call_id"], format!("c{place}"), "{what}");
                    let text = answer["content"].as_str().unwrap();
                    if letter == 'G' {
                        assert_eq!(text, format!("edited by c{place}"));
                    } else {
                        assert!(text.ends_with("Please fix your mistakes."), "{what}: {text}");
                    }
                }
                for turn in 0..3 {
                    history.extend([
                        r#"{"role":"assistant","content":"Well."}"#.to_owned(),
                        user(&format!("{turn}")),
                    ]);
                    let (_, later) = send(&scene, &history, stream).await;
                    assert_eq!(later[..shown.len()], shown[..], "{what}, turn {turn}");
                    assert_eq!(
                        later.len(),
                        history.len() + pattern.matches('B').count(),
                        "{what}, turn {turn}"
                    );
                }
            }
        }
    }
}

#[tokio::test]
async fn refused_rounds_and_refused_siblings_are_put_back_together() {
    for stream in [true, false] {
        let script = Script::new()
            .step(Step::new().say("First.").call_as("r", TOOL.0, BAD))
            .step(calls("GBG"))
            .step(Step::new().say("Well.").repeat());
        let scene = Scene::new(script, "").await;
        let asked = vec![user("go")];
        let (message, second) = send(&scene, &asked, stream).await;
        assert_eq!(message.text, "First.\n\nThree at once.");
        let (_, shown) = send(&scene, &after(&asked, &message, true), stream).await;
        assert_eq!(shown[..3], second[..], "as the second round was asked");
        assert_eq!(
            (ids(&shown[1]), ids(&shown[3])),
            (vec!["r".to_owned()], ["c0", "c1", "c2"].map(String::from).to_vec())
        );
        assert!(shown[3].contains(r#""content":"Three at once.""#), "{}", shown[3]);
        assert_eq!(shown.len(), 7);
    }
}

#[tokio::test]
async fn after_a_restart_without_memory_the_history_is_valid_all_the_same() {
    for stream in [true, false] {
        let first = Scene::new(Script::new().step(calls("GBG")), "").await;
        let (message, _) = send(&first, &[user("go")], stream).await;
        let history = after(&[user("go")], &message, false);
        drop(first);
        let second = Scene::new(Script::new().step(Step::new().say("Well.").repeat()), "").await;
        let (_, shown) = send(&second, &history, stream).await;
        assert_eq!(shown, history, "it goes on as it is");
    }
}

#[tokio::test]
async fn no_conversation_sees_what_another_did_not() {
    // Equal calls, ids and texts; another word of the user, another earlier result, one turn more.
    let first = vec![user("go")];
    let others: Vec<Vec<String>> = vec![
        vec![user("go on")],
        vec![user("go"), r#"{"role":"assistant","content":"Well?"}"#.to_owned(), user("go")],
        vec![],
    ];
    for stream in [true, false] {
        let script = Script::new().step(calls("GBG")).step(calls("GGG").repeat());
        let scene = Scene::new(script, "").await;
        let (message, _) = send(&scene, &first, stream).await;
        for other in &others {
            let history = after(other, &message, false);
            let (_, shown) = send(&scene, &history, stream).await;
            assert_eq!(shown, history);
        }
        let own = after(&first, &message, false);
        let body = request(&own.iter().map(String::as_str).collect::<Vec<_>>(), &[TOOL], stream);
        let _ = Got::read(scene.open_as("sk-another", body.clone()).await).await;
        assert_eq!(*scene.sent().last().unwrap(), body, "another tenant sees nothing of it");
        let (_, shown) = send(&scene, &own, stream).await;
        assert_eq!(shown.len(), own.len() + 1, "its own does");
    }
}

#[tokio::test]
async fn two_conversations_with_equal_answers_keep_their_own() {
    for stream in [true, false] {
        // The visible answers are equal; what was refused beside them is not.
        let wide = |word, bad: &str| {
            Step::new().on_user(word).on_turn(0).call_as("a", TOOL.0, good(0)).call_as("b", TOOL.0, bad)
        };
        let script = Script::new()
            .step(wide("one", r#"{"path":1}"#))
            .step(wide("two", r#"{"path":2}"#))
            .step(Step::new().say("Well.").repeat());
        let scene = Scene::new(script, "").await;
        for (word, own, foreign) in
            [("one", r#"{\"path\":1}"#, r#"{\"path\":2}"#), ("two", r#"{\"path\":2}"#, r#"{\"path\":1}"#)]
        {
            let asked = vec![user(word)];
            let (message, _) = send(&scene, &asked, stream).await;
            let (_, shown) = send(&scene, &after(&asked, &message, false), stream).await;
            assert!(shown[1].contains(own) && !shown[1].contains(foreign), "{}", shown[1]);
        }
    }
}

#[tokio::test]
async fn agents_write_what_they_saw_in_many_ways() {
    for stream in [true, false] {
        let script = Script::new()
            .step(Step::new().say("First.").call_as("r", TOOL.0, BAD))
            .step(calls("GB"))
            .step(Step::new().say("Well.").repeat());
        let scene = Scene::new(script, "").await;
        let asked = vec![user("go")];
        let (message, second) = send(&scene, &asked, stream).await;
        let element: Value = serde_json::from_str(&message.element(false)).unwrap();
        let with = |content: Value| {
            let mut element = element.clone();
            element["content"] = content;
            vec![asked[0].clone(), element.to_string(), result("c0", "edited by c0")]
        };
        let text = message.text.as_str();
        for (what, content, own) in [
            ("as it was", json!(text), r#""content":"Three at once.""#),
            (
                "a list of one part",
                json!([{"type": "text", "text": text}]),
                r#""content":[{"text":"Three at once.","type":"text"}]"#,
            ),
            (
                "with a cache mark",
                json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]),
                r#""text":"Three at once.""#,
            ),
        ] {
            let (_, shown) = send(&scene, &with(content), stream).await;
            assert_eq!(shown[..3], second[..], "{what}");
            assert_eq!((shown.len(), ids(&shown[3])), (6, vec!["c0".to_owned(), "c1".to_owned()]), "{what}");
            assert!(shown[3].contains(own), "{what}: {}", shown[3]);
        }
        // An agent that keeps no text beside calls, or another text: a valid history without the aside.
        for content in [Value::Null, json!(""), json!("Three at once.")] {
            let history = with(content);
            let (_, shown) = send(&scene, &history, stream).await;
            assert_eq!(shown, history);
        }
    }
}

#[tokio::test]
async fn an_answer_that_says_no_more_than_its_hidden_rounds_leaves_no_empty_message() {
    for content in ["a string", "a list"] {
        for stream in [true, false] {
            let script = Script::new()
                .step(Step::new().say("First.").call_as("r", TOOL.0, BAD))
                .step(Step::new().call_as("g", TOOL.0, good(0)))
                .step(Step::new().say("Cut.").call(TOOL.0, r#"{"path":"/"#).finish("length"))
                .step(Step::new().call(TOOL.0, r#"{"path":"/"#).finish("length"))
                .step(Step::new().say("Well.").repeat());
            let scene = Scene::new(script, "").await;
            let form = |message: &Message| {
                let mut element: Value = serde_json::from_str(&message.element(false)).unwrap();
                if content == "a list" {
                    element["content"] = json!([{"type": "text", "text": message.text}]);
                }
                element.to_string()
            };
            let (message, second) = send(&scene, &[user("go")], stream).await;
            assert_eq!(message.text, "First.");
            let history = vec![user("go"), form(&message), result("g", "done"), user("more")];
            let (cut, third) = send(&scene, &history, stream).await;
            assert_eq!((cut.text.as_str(), cut.finish.as_str()), ("Cut.", "length"));
            assert_eq!(third[..3], second[..]);
            assert!(third[3].contains(r#""content":null"#) && third[3].contains("/0"), "{}", third[3]);
            let later = [history, vec![form(&cut), user("and?")]].concat();
            let (_, shown) = send(&scene, &later, stream).await;
            assert_eq!(shown[..third.len()], third[..]);
            assert_eq!(shown.len(), third.len() + 1, "{shown:?}");
            assert_eq!(*shown.last().unwrap(), user("and?"));
            assert!(shown.iter().all(|element| element.contains("tool_calls") || !element.contains("null")));
        }
    }
}

#[tokio::test]
async fn what_memory_has_no_room_for_is_a_valid_history_too() {
    for (memory, ttl) in [(1, Duration::from_hours(1)), (1 << 20, Duration::ZERO)] {
        let script = Script::new().step(calls("GBG")).step(Step::new().say("Well.").repeat());
        let provider = Server::start(script).unwrap();
        let mut plan = Scene::plan(&provider, "", "");
        (plan.state.memory, plan.state.ttl) = (memory, ttl);
        let scene =
            Scene::around(provider, proxy::server::Server::bind(plan, Events::default()).await.unwrap());
        let asked = vec![user("go")];
        let (message, _) = send(&scene, &asked, true).await;
        let history = after(&asked, &message, false);
        let (_, shown) = send(&scene, &history, true).await;
        assert_eq!(shown, history);
    }
}
