//! Answers that end well and hold nothing: neither words nor calls. Many agents take one for the end of their work.

use http::StatusCode;
use remand::guard::Reason;
use remand::observe::event::Fact;
use remand::replay::{Place, Script, Step};

use super::scene::{Got, request, user};
use super::watched::{Coming, Watched};

const LOOK: (&str, &str) = ("look", r#"{"type":"object","properties":{"at":{"type":"integer"}}}"#);
const USAGE: &str = r#"{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}"#;

/// A whole answer of one message.
fn whole(message: &str, finish: &str) -> String {
    format!(
        r#"{{"id":"V","created":1,"choices":[{{"index":0,"message":{message},"finish_reason":{finish}}}],"usage":{USAGE}}}"#
    )
}

/// A stream of these deltas. What is known of its end comes with the last.
fn stream(deltas: &[&str], finish: &str) -> String {
    let event = |delta: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"V\",\"created\":1,\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let deltas: String = deltas.iter().map(|delta| event(delta, "null")).collect();
    let usage = format!("data: {{\"id\":\"V\",\"created\":1,\"choices\":[],\"usage\":{USAGE}}}\n\n");
    format!("{deltas}{}{usage}data: [DONE]\n\n", event("{}", finish))
}

fn step(body: &str) -> Step {
    let kind = if body.starts_with("data:") { "text/event-stream" } else { "application/json" };
    Step::new().raw(kind, [body.to_owned()])
}

/// Bodies of answers that say nothing.
fn vain() -> Vec<String> {
    vec![
        whole(r#"{"role":"assistant","content":""}"#, "\"stop\""),
        whole(r#"{"role":"assistant","content":null,"refusal":null,"annotations":[]}"#, "\"stop\""),
        whole(r#"{"role":"assistant","reasoning_content":"","tool_calls":[]}"#, "\"tool_calls\""),
        whole(r#"{"role":"assistant","content":""}"#, "null"),
        stream(&[r#"{"role":"assistant","content":""}"#], "\"stop\""),
        stream(&[r#"{"role":"assistant"}"#], "\"tool_calls\""),
        stream(&[], "\"stop\""),
    ]
}

/// Streams that say nothing, and do not end as they should, or say so more than once.
fn lax() -> Vec<String> {
    vec![
        stream(&[r#"{"role":"assistant","content":null}"#], "null"),
        stream(&[r#"{"role":"assistant","content":""}"#, r#"{"content":""}"#], "\"stop\""),
        stream(&[r#"{"role":"assistant","content":""}"#], "\"stop\"").replace("data: [DONE]\n\n", ""),
    ]
}

fn is_stream(body: &str) -> bool {
    body.starts_with("data:")
}

fn asked(body: &str) -> String {
    request(&[&user("go")], &[LOOK], is_stream(body))
}

async fn send(script: Script, rules: &str, body: &str) -> (Watched, Got, Vec<Fact>) {
    let watched = Watched::new(script, "", rules).await;
    let got = watched.scene.send(asked(body)).await;
    let facts = watched.facts().await;
    (watched, got, facts)
}

fn actions(facts: &[Fact]) -> (Vec<Reason>, u32, u64) {
    match facts.last() {
        Some(Fact::Ended { actions, rounds, output_tokens, .. }) => {
            (actions.clone(), *rounds, *output_tokens)
        }
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn an_answer_that_says_nothing_is_asked_for_once_more() {
    for body in vain().into_iter().chain(lax()) {
        for answer in [Step::new().say("Well."), Step::new().call("look", r#"{"at": 1}"#)] {
            let script = Script::new().step(step(&body)).step(answer.usage(20, 5));
            let (watched, got, facts) = send(script, "", &body).await;
            let message = got.message();
            assert!(message.text == "Well." || message.calls[0].2 == r#"{"at": 1}"#, "{}", got.text());
            assert_eq!((message.roles, message.finishes, message.dones), (1, 1, 1), "{}", got.text());
            assert!(got.clean && message.ids.len() <= 1, "{}", got.text());
            let sent = watched.scene.sent();
            assert_eq!((sent.len(), &sent[0]), (2, &sent[1]), "{body}");
            assert_eq!(actions(&facts), (vec![Reason::AskedAnew], 2, 6), "{body}");
            if !is_stream(&body) {
                assert_eq!(got.headers["x-remand-rounds"], "2");
                assert_eq!(got.headers["x-remand-actions"], "asked_anew");
            }
        }
    }
}

#[tokio::test]
async fn one_that_says_nothing_twice_is_the_agents_byte_for_byte() {
    for body in vain() {
        let (watched, got, facts) = send(Script::new().step(step(&body).repeat()), "", &body).await;
        assert_eq!((got.text(), got.clean), (body.as_str(), true));
        assert_eq!(watched.scene.sent().len(), 2, "{body}");
        assert_eq!(actions(&facts), (vec![Reason::AskedAnew], 2, 2), "{body}");
    }
}

#[tokio::test]
async fn one_that_says_something_or_why_it_does_not_is_not() {
    for (message, finish) in [
        (r#"{"role":"assistant","content":"Hm."}"#, "\"stop\""),
        (r#"{"role":"assistant","content":" "}"#, "\"stop\""),
        (r#"{"role":"assistant","content":null,"reasoning_content":"Hm."}"#, "\"stop\""),
        (r#"{"role":"assistant","content":null,"refusal":"No."}"#, "\"stop\""),
        (r#"{"role":"assistant","content":""}"#, "\"length\""),
        (r#"{"role":"assistant","content":""}"#, "\"content_filter\""),
        (r#"{"role":"assistant","content":""}"#, "\"refusal\""),
        (r#"{"role":"assistant","content":""}"#, "\"SAFETY\""),
    ] {
        for body in [whole(message, finish), stream(&[message], finish)] {
            let (watched, got, facts) = send(Script::new().step(step(&body)), "", &body).await;
            assert_eq!((got.text(), watched.scene.sent().len()), (body.as_str(), 1));
            assert_eq!(actions(&facts).0, [], "{body}");
        }
    }
    // An error of the provider, and what is no answer at all, say so themselves.
    for body in [r#"{"error":{"message":"no"}}"#, r#"{"choices":[]}"#, "{}"] {
        let (watched, got, _) = send(Script::new().step(step(body)), "", body).await;
        assert_eq!((got.text(), watched.scene.sent().len()), (body, 1));
    }
}

#[tokio::test]
async fn nothing_is_asked_where_nothing_is_to_be_asked_again() {
    for body in vain() {
        for rules in ["[guard]\nrounds = 0", "[guard]\nmode = \"observe\""] {
            let (watched, got, facts) = send(Script::new().step(step(&body)), rules, &body).await;
            assert_eq!((got.text(), watched.scene.sent().len()), (body.as_str(), 1), "{rules}");
            assert_eq!(actions(&facts).0, [], "{body}");
        }
        // Several choices: each ends by itself.
        let watched = Watched::new(Script::new().step(step(&body)), "", "").await;
        let several = asked(&body).replacen('{', "{\"n\":2,", 1);
        assert_eq!(watched.scene.send(several).await.text(), body);
        assert_eq!(watched.scene.sent().len(), 1);
    }
}

#[tokio::test]
async fn a_lax_stream_that_says_nothing_twice_is_made_whole() {
    for body in lax() {
        let (watched, got, _) = send(Script::new().step(step(&body).repeat()), "", &body).await;
        let message = got.message();
        assert_eq!((message.roles, message.finishes, message.dones), (1, 1, 1), "{}", got.text());
        assert_eq!((message.text.as_str(), message.usage, got.clean), ("", Some((9, 1)), true));
        assert_eq!(watched.scene.sent().len(), 2, "{body}");
    }
}

/// What comes of asking once more.
fn failures() -> [Step; 3] {
    [
        Step::new().error(StatusCode::TOO_MANY_REQUESTS, "slow down"),
        Step::new().die(Place::BeforeHead),
        Step::new().say("Hm.").die(Place::Events(1)),
    ]
}

#[tokio::test]
async fn should_asking_fail_a_stream_ends_as_it_did_and_else_the_error_is_the_agents() {
    for body in vain() {
        for (failure, status) in failures().into_iter().zip([
            StatusCode::TOO_MANY_REQUESTS,
            StatusCode::BAD_GATEWAY,
            StatusCode::OK,
        ]) {
            let script = Script::new().step(step(&body)).step(failure);
            let (watched, got, facts) = send(script, "", &body).await;
            assert_eq!(watched.scene.sent().len(), 2);
            if body.contains("\"delta\":{\"") {
                assert_eq!((got.text(), got.clean), (body.as_str(), true));
                assert_eq!(actions(&facts).0, [Reason::AskedAnew, Reason::ReaskFailed]);
            } else if status == StatusCode::OK {
                assert!(!got.text().contains("finish_reason\":\"stop"), "{}", got.text());
            } else {
                assert_eq!(got.status, status, "{}", got.text());
            }
        }
    }
}

#[tokio::test]
async fn the_beginning_of_a_stream_does_not_wait_for_what_it_says() {
    let begin = stream(&[r#"{"role":"assistant","content":""}"#], "\"stop\"");
    let (begin, _) = begin.split_once("\n\n").unwrap();
    let script = Script::new().step(Step::new().raw_events([format!("{begin}\n\n")]).hang(Place::End));
    let watched = Watched::new(script, "", "").await;
    let mut coming = Coming::open(&watched.scene, &asked(begin)).await;
    assert_eq!(coming.until("\n\n").await, format!("{begin}\n\n"));
}

#[tokio::test]
async fn a_further_round_that_says_nothing_is_asked_for_once_more_too() {
    for body in vain() {
        let bad = r#"{"at": "x"}"#;
        let script = Script::new()
            .step(Step::new().say("Hm.").call("look", bad))
            .step(step(&body))
            .step(Step::new().on_result("Please fix").say("Well."));
        let (watched, got, facts) = send(script, "", &body).await;
        let message = got.message();
        assert_eq!((message.text.as_str(), message.finishes, message.dones), ("Hm.\n\nWell.", 1, 1));
        assert_eq!((watched.scene.sent().len(), got.clean), (3, true));
        assert!(actions(&facts).0.contains(&Reason::AskedAnew));
    }
}

/// An asking that came to nothing is no going back: a bad call is told all the same, and the last telling concludes.
#[tokio::test]
async fn it_takes_no_round_from_the_calls() {
    let empty = whole(r#"{"role":"assistant","content":""}"#, "\"stop\"");
    let bad = || Step::new().call("nowhere", "{}");
    let script = Script::new().step(step(&empty)).step(bad()).step(Step::new().say("Well."));
    let (watched, got, facts) = send(script, "[guard]\nrounds = 1", &empty).await;
    assert_eq!(got.message().text, "Well.");
    assert_eq!(actions(&facts).0, [Reason::AskedAnew, Reason::UnknownTool, Reason::Concluded]);
    let sent = watched.scene.sent();
    assert_eq!(sent.len(), 3);
    assert!(sent[2].contains(r#""tool_choice":"none""#), "{}", sent[2]);

    let script =
        Script::new().step(bad()).step(bad()).step(step(&empty)).step(bad()).step(Step::new().say("Well."));
    let (watched, got, _) = send(script, "[guard]\nrounds = 3", &empty).await;
    assert_eq!(got.message().text, "Well.");
    let sent = watched.scene.sent();
    assert_eq!(
        sent.iter().map(|body| body.contains(r#""tool_choice":"none""#)).collect::<Vec<_>>(),
        [false, false, false, false, true]
    );
}
