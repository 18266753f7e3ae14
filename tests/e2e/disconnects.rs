//! The agent leaves: what runs for it at the provider is stopped, and nothing more is asked.

use std::time::Duration;

use remand::observe::event::Ended;
use remand::replay::{Place, Script, Step};
use tokio::time::timeout;

use super::scene::{request, user};
use super::watched::{Agent, Watched};

const TOOL: (&str, &str) =
    ("look", r#"{"type":"object","properties":{"at":{"type":"string"}},"required":["at"]}"#);

/// What the first round says before the model is asked again.
fn refused() -> Step {
    Step::new().say("Looking.").call("look", r#"{"att": 1}"#)
}

fn question(stream: bool) -> String {
    request(&[&user("go")], &[TOOL], stream)
}

/// The provider is left alone with its request. There is no telling otherwise but that it takes for ever.
async fn assert_aborted(watched: &Watched, number: usize) {
    let provider = &watched.scene.provider;
    let aborted = timeout(Duration::from_secs(20), provider.aborted(number)).await;
    assert!(aborted.is_ok(), "{:?}", provider.requests()[number].progress);
}

/// The agent leaves once it has read `read`, if that is anything, and the provider stands at the gate `g`.
async fn leaves(script: Script, stream: bool, read: &str, rounds: u32) {
    let watched = Watched::new(script, "", "").await;
    let provider = &watched.scene.provider;
    let mut agent = Agent::ask(&watched.scene, &question(stream)).await;
    provider.gate("g").wait_reached().await;
    let seen = agent.until(read).await;
    assert!(!seen.contains("look"), "no piece of a call that is not judged: {seen}");
    drop(agent);
    let asked = rounds as usize - 1;
    assert_aborted(&watched, asked).await;
    assert_eq!(watched.ended().await, (Ended::Abandoned, rounds));
    assert_eq!(provider.requests().len(), asked + 1, "nothing more is asked");
}

#[tokio::test]
async fn while_its_request_is_being_sent() {
    for stream in [true, false] {
        let script = Script::new().gate_reading("g").step(Step::new().say("Too late."));
        let watched = Watched::new(script, "", "").await;
        let provider = &watched.scene.provider;
        // More than sockets hold on their way: some of it is still to be sent.
        let body = request(&[&user(&"x".repeat(5 << 20))], &[TOOL], stream);
        let agent = Agent::ask(&watched.scene, &body).await;
        provider.gate("g").wait_reached().await;
        drop(agent);
        assert_eq!(watched.ended().await, (Ended::Abandoned, 1));
        provider.gate("g").release();
        assert_aborted(&watched, 0).await;
        assert_eq!(provider.requests().len(), 1);
    }
}

#[tokio::test]
async fn while_the_head_is_awaited() {
    for stream in [true, false] {
        let step = Step::new().say("Too late.").gate("g", Place::BeforeHead);
        leaves(Script::new().step(step), stream, "", 1).await;
    }
}

#[tokio::test]
async fn before_the_first_event() {
    for stream in [true, false] {
        let step = Step::new().say("Too late.").gate("g", Place::AfterHead);
        leaves(Script::new().step(step), stream, "", 1).await;
    }
}

#[tokio::test]
async fn while_a_call_is_held() {
    let step = Step::new().say("Looking.").call("look", r#"{"at": "the tree"}"#).chunk(8);
    // Role, text, begin of the call, one piece of it.
    leaves(Script::new().step(step.gate("g", Place::Events(4))), true, "Looking.", 1).await;
}

#[tokio::test]
async fn in_the_text() {
    let step = Step::new().say("Once upon ").wait("g").say("a time");
    leaves(Script::new().step(step), true, "Once upon ", 1).await;
    let step = Step::new().say("Once upon a time").gate("g", Place::Bytes(60));
    leaves(Script::new().step(step), false, "", 1).await;
}

#[tokio::test]
async fn while_the_model_is_asked_again() {
    for (stream, read) in [(true, "Looking."), (false, "")] {
        for place in [Place::BeforeHead, Place::AfterHead] {
            let again = Step::new().on_result("Please fix").say("Again.").gate("g", place);
            leaves(Script::new().step(refused()).step(again), stream, read, 2).await;
        }
    }
}

#[tokio::test]
async fn in_the_second_round() {
    let held = Step::new().on_result("Please fix").say("Again.").call("look", r#"{"at": "x"}"#);
    let held = held.gate("g", Place::Events(3));
    leaves(Script::new().step(refused()).step(held), true, "Again.", 2).await;
    let text = Step::new().on_result("Please fix").say("In the").wait("g").say(" end");
    leaves(Script::new().step(refused()).step(text), true, "In the", 2).await;
    let whole = Step::new().on_result("Please fix").say("In the end").gate("g", Place::Bytes(60));
    leaves(Script::new().step(refused()).step(whole), false, "", 2).await;
}

#[tokio::test]
async fn while_the_rest_of_a_released_call_streams() {
    let step = Step::new().call("look", r#"{"at": "x"}"#).call("look", r#"{"at": "y"}"#);
    // Role, two events of the first call, the begin of the second: the first is out.
    let script = Script::new().step(step.gate("g", Place::Events(4)));
    let watched = Watched::new(script, "", "").await;
    let mut agent = Agent::ask(&watched.scene, &question(true)).await;
    let seen = agent.until("{\\\"at\\\": \\\"x\\\"}").await;
    assert!(!seen.contains(r#""index":1"#), "{seen}");
    drop(agent);
    assert_aborted(&watched, 0).await;
    assert_eq!(watched.ended().await, (Ended::Abandoned, 1));
}
