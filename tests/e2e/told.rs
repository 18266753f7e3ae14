//! What is said of an exchange besides its answer: events, headers, usage.

use http::StatusCode;
use remand::guard::Reason;
use remand::observe::event::{Ended, Event, Fact, Judged};
use remand::replay::{Script, Step};

use super::scene::{Scene, elements, request, result, user};
use super::watched::Watched;

const TOOL: (&str, &str) =
    ("edit", r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#);
const GOOD: &str = r#"{"path":"/a"}"#;
const BAD: &str = r#"{"path":{}}"#;

/// One line for each fact.
fn lines(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| line(&event.fact)).collect()
}

fn line(fact: &Fact) -> String {
    let codes = |reasons: &[Reason]| reasons.iter().map(|reason| reason.code()).collect::<Vec<_>>().join(",");
    match fact {
        Fact::Judged { round, position, call_id, verdict, reasons, .. } => {
            format!("{round}.{position} {call_id} {} {}", verdict.code(), codes(reasons))
                .trim_end()
                .to_owned()
        }
        Fact::Prepared { reason, count } => format!("prepared {} {count}", reason.code()),
        Fact::Remanded { round, refused } => format!("{round} remanded {refused}"),
        Fact::Ended { rounds, status, outcome, actions, input_tokens, output_tokens, .. } => {
            let actions = codes(actions);
            format!("{} {status} in {rounds} {input_tokens}+{output_tokens} {actions}", outcome.code())
                .trim_end()
                .to_owned()
        }
        Fact::Unjudged { reason, .. } => format!("unjudged {}", reason.code()),
    }
}

#[tokio::test]
async fn every_step_is_an_event_and_usage_is_added_up() {
    for stream in [true, false] {
        let script = Script::new()
            .step(Step::new().call_as("a", TOOL.0, BAD).usage(100, 20))
            .step(Step::new().call_as("b", "edti", GOOD).usage(150, 25))
            .step(Step::new().call_as("c", TOOL.0, GOOD).call_as("d", TOOL.0, BAD).usage(200, 30))
            .step(Step::new().say("Done.").usage(300, 5));
        let watched = Watched::new(script, "", "").await;
        let scene = &watched.scene;
        let got = scene.send(request(&[&user("go")], &[TOOL], stream)).await;
        let message = got.message();
        assert_eq!(message.usage, Some((200, 75)), "the last round's input, the output of all");
        if !stream {
            assert!(got.text().contains(r#""total_tokens":275"#), "{}", got.text());
        }
        let events = watched.events().await;
        assert_eq!(
            lines(&events),
            [
                "1.0 a refused invalid",
                "1 remanded 1",
                "2.0 b refused unknown_tool",
                "2 remanded 1",
                "3.0 c forwarded",
                "3.1 d refused invalid",
                "complete 200 in 3 450+75 invalid,unknown_tool"
            ]
        );
        let id = got.headers["x-remand-exchange"].to_str().unwrap();
        assert!(events.iter().all(|event| &*event.exchange == id), "{id}");

        let (element, done) = (message.element(false), result("c", "done"));
        let got = scene.send(request(&[&user("go"), &element, &done], &[TOOL], stream)).await;
        assert_eq!(
            lines(&watched.events().await),
            ["prepared restored 1", "complete 200 in 1 300+5 restored"]
        );
        assert_eq!(
            got.headers["x-remand-actions"], "restored",
            "what was done to the request is told in any form"
        );
    }
}

#[tokio::test]
async fn heads_say_what_is_known_when_they_go_out() {
    let plain = || Step::new().say("Hi.");
    let twice = || vec![Step::new().say("Hm.").call(TOOL.0, BAD), Step::new().call(TOOL.0, GOOD)];
    for (what, steps, stream, rounds, actions) in [
        ("a plain answer", vec![plain()], false, Some("1"), None),
        ("a plain stream", vec![plain()], true, None, None),
        ("a remanded answer", twice(), false, Some("2"), Some("invalid")),
        ("a remanded stream", twice(), true, None, None),
    ] {
        let scene = Scene::new(steps.into_iter().fold(Script::new(), Script::step), "").await;
        let got = scene.send(request(&[&user("go")], &[TOOL], stream)).await;
        let header = |name: &str| got.headers.get(name).map(|value| value.to_str().unwrap());
        assert!(header("x-remand-exchange").is_some_and(|id| id.starts_with("rx_")), "{what}");
        assert_eq!(header("x-remand-rounds"), rounds, "{what}");
        assert_eq!(header("x-remand-actions"), actions, "{what}");
        if !stream {
            assert_eq!(header("content-length"), Some(got.body.len().to_string().as_str()), "{what}");
        }
    }
}

#[tokio::test]
async fn what_ends_an_exchange_is_told() {
    let bad = || Step::new().say("Hm.").call_as("a", TOOL.0, BAD).usage(10, 1);
    let unknown = || Step::new().say("Hm.").call_as("a", "nothing_like_it", GOOD).usage(10, 1);
    let error = |status| Step::new().error(status, "no").repeat();
    let last = |steps: Vec<Step>| steps.into_iter().fold(Script::new(), Script::step);
    for (what, script, end) in [
        (
            "given up",
            last(vec![bad(), error(StatusCode::BAD_GATEWAY)]),
            "complete 200 in 2 10+1 invalid,reask_failed,gave_up",
        ),
        (
            "broken",
            last(vec![unknown(), error(StatusCode::BAD_GATEWAY)]),
            "broken 200 in 2 10+1 unknown_tool,reask_failed",
        ),
        (
            "fell back",
            last(vec![unknown(), unknown(), unknown(), error(StatusCode::BAD_REQUEST)]),
            "complete 200 in 4 30+3 unknown_tool,concluded,reask_failed,fell_back",
        ),
        (
            "an error of the provider",
            last(vec![error(StatusCode::IM_A_TEAPOT)]),
            "provider_error 418 in 1 0+0",
        ),
    ] {
        let watched = Watched::new(script, "", "").await;
        let scene = &watched.scene;
        scene.send(request(&[&user("go")], &[TOOL], true)).await;
        let events = watched.events().await;
        assert_eq!(lines(&events).last().unwrap(), end, "{what}");
        let given_up = events.iter().filter(|event| {
            matches!(&event.fact, Fact::Judged { verdict: Judged::GaveUp, call_id, .. } if call_id == "a")
        });
        assert_eq!(given_up.count(), usize::from(what == "given up"), "{what}");
    }
}

#[tokio::test]
async fn observing_changes_not_one_byte_and_tells_all() {
    for stream in [true, false] {
        let step = || {
            Step::new()
                .say("Hm.")
                .call_as("a", TOOL.0, BAD)
                .call_as("b", TOOL.0, r#"{"path":"#)
                .chunk(3)
                .usage(5, 2)
        };
        let asked = request(&[&user("go")], &[TOOL], stream);
        let watched = Watched::new(Script::new().step(step()), "", "[guard]\nmode = \"observe\"\n").await;
        let scene = &watched.scene;
        let straight = Scene::new(Script::new().step(step()), "").await.straight(asked.clone()).await;
        let got = scene.send(asked.clone()).await;
        assert_eq!(got.text(), straight.text(), "streamed: {stream}");
        assert_eq!(scene.sent(), [asked]);
        assert_eq!(
            lines(&watched.events().await),
            ["1.0 a refused invalid", "1.1 b refused truncated", "complete 200 in 1 5+2 invalid,truncated"]
        );
    }
}

#[tokio::test]
async fn calls_glued_together_are_split_only_where_several_may_be_made() {
    let glued = r#"{"path":"/a"}{"path":"/b"}"#;
    for stream in [true, false] {
        let script = || {
            Script::new().step(Step::new().call_as("g", TOOL.0, glued)).step(Step::new().call(TOOL.0, GOOD))
        };
        let asked = request(&[&user("go")], &[TOOL], stream);
        let scene = Scene::new(script(), "").await;
        let message = scene.send(asked.clone()).await.message();
        let seen: Vec<_> = message.calls.iter().map(|(_, _, arguments)| arguments.as_str()).collect();
        assert_eq!(seen, [r#"{"path":"/a"}"#, r#"{"path":"/b"}"#]);
        assert!(message.calls[0].0 == "g" && message.calls[1].0.starts_with("call_"), "{message:?}");

        let scene = Scene::new(script(), "").await;
        let message = scene.send(asked.replacen('{', r#"{"parallel_tool_calls":false,"#, 1)).await.message();
        assert_eq!((message.calls.len(), message.calls[0].2.as_str()), (1, GOOD));
        let told = elements(&scene.sent()[1]).pop().unwrap();
        assert!(told.contains("hold several calls; make one call at a time"), "{told}");
    }
}

#[tokio::test]
async fn the_outcome_of_an_agent_that_left_is_told() {
    let script = Script::new().step(Step::new().say("Hm.").wait("never"));
    let watched = Watched::new(script, "", "").await;
    let scene = &watched.scene;
    let response = scene.open(request(&[&user("go")], &[TOOL], true)).await;
    drop(response);
    let events = watched.events().await;
    assert!(matches!(events.last().unwrap().fact, Fact::Ended { outcome: Ended::Abandoned, .. }));
}
