//! A client that repeats its request: the same judgement, and nothing counted or remembered twice.

use remand::replay::{Place, Script, Step};

use super::scene::{Got, Message, Scene, elements, request, result, user};
use super::verdict::History;

const TOOL: (&str, &str) =
    ("edit", r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#);
const GOOD: &str = r#"{"path":"/a"}"#;
const BAD: &str = r#"{"path":7}"#;

fn pair() -> Step {
    Step::new().call_as("a", TOOL.0, GOOD).call_as("b", TOOL.0, BAD)
}

fn history(message: &Message) -> String {
    let (element, done) = (message.element(false), result("a", "done"));
    request(&[&user("go"), &element, &done], &[TOOL], true)
}

#[tokio::test]
async fn a_request_that_was_answered_is_judged_the_same_again() {
    for stream in [true, false] {
        let failed = History::new().call(TOOL.0, GOOD, "Error: disk full");
        let asked = failed.request_with(&[TOOL], stream);
        let insists = Step::new().call_as("n", TOOL.0, GOOD);
        let (mut script, says) = (Script::new(), Step::new().say("I see."));
        for _ in 0..4 {
            script = script.step(insists.clone()).step(says.clone());
        }
        let scene = Scene::new(script, "").await;
        let mut answers = Vec::new();
        for _ in 0..4 {
            answers.push(scene.send(asked.clone()).await.message());
        }
        let sent = scene.sent();
        assert_eq!(sent.len(), 8);
        for again in 1..4 {
            let ids = |message: &Message| Message { ids: Vec::new(), ..message.clone() };
            assert_eq!(ids(&answers[again]), ids(&answers[0]));
            assert_eq!(sent[again * 2..][..2], sent[..2], "the provider is told the same, byte for byte");
        }
    }
}

#[tokio::test]
async fn a_request_that_got_no_answer_is_judged_the_same_again() {
    let lost = [
        Step::new().error(http::StatusCode::TOO_MANY_REQUESTS, "slow down"),
        Step::new().die(Place::BeforeHead),
        pair().chunk(4).die(Place::Events(5)),
        pair().close(Place::End),
    ];
    for lost in lost {
        let script = Script::new().step(lost).step(pair()).step(Step::new().say("Well.").repeat());
        let scene = Scene::new(script, "").await;
        let asked = request(&[&user("go")], &[TOOL], true);
        scene.send(asked.clone()).await;
        let message = scene.send(asked.clone()).await.message();
        assert_eq!(message.calls, [("a".to_owned(), TOOL.0.to_owned(), GOOD.to_owned())]);
        assert_eq!(scene.sent()[..2], [asked.clone(), asked], "nothing is put into a repeated request");
        for _ in 0..2 {
            scene.send(history(&message)).await;
            assert_eq!(elements(scene.sent().last().unwrap()).len(), 4, "the refusal is put back once");
        }
    }
}

#[tokio::test]
async fn requests_at_one_time_do_not_disturb_each_other() {
    for stream in [true, false] {
        let script = Script::new().step(pair().gate("both", Place::Events(1)).repeat());
        let scene = Scene::new(script, "").await;
        let asked = request(&[&user("go")], &[TOOL], stream);
        let gate = scene.provider.gate("both");
        let ((), first, second) = tokio::join!(
            async {
                gate.wait_reached_times(2).await;
                gate.release();
            },
            scene.send(asked.clone()),
            scene.send(asked.clone())
        );
        assert_eq!(first.message().calls, second.message().calls);
        scene.send(history(&first.message())).await;
        let shown = elements(scene.sent().last().unwrap());
        assert_eq!(shown.len(), 4, "{shown:?}");
        assert_eq!(shown[1].matches(r#""id":"b""#).count(), 1);
    }
}

#[tokio::test]
async fn a_repeated_request_does_not_count_towards_the_rounds() {
    // Of three refusals in a row the next is let go. One answer asked for five times is one refusal.
    let scene = Scene::new(Script::new().step(pair().repeat()), "").await;
    let asked = request(&[&user("go")], &[TOOL], true);
    let mut last = Message::default();
    for _ in 0..5 {
        last = scene.send(asked.clone()).await.message();
        assert_eq!(last.calls.len(), 1);
    }
    for _ in 0..5 {
        let got = Got::read(scene.open(history(&last)).await).await;
        assert_eq!(got.message().calls.len(), 1, "the second refusal in a row is no more than the second");
    }
}
