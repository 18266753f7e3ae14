//! Generated conversations over sockets, in which nothing fails but the model's calls: what the provider was shown
//! once, it is shown again, byte for byte, and whatever was said is in it once.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use remand::replay::{Script, Step};

use super::assert_accepted;
use crate::scene::{Scene, elements, request, result, user};

const TOOL: (&str, &str) = (
    "prepare",
    r#"{"type":"object","properties":{"slug":{"type":"string","pattern":"^[a-z0-9-]+$"},"n":{"type":"integer"}},"required":["slug","n"]}"#,
);

/// How one call comes out of the model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Made {
    Good,
    /// Goes on coerced.
    Coerced,
    Invalid,
    Unknown,
    Unreadable,
}

/// One answer of the model.
#[derive(Clone, Debug)]
struct Said {
    text: bool,
    reasons: bool,
    calls: Vec<Made>,
    chunk: usize,
}

/// What the model says between two of the user's messages, and how the agent writes.
#[derive(Clone, Debug)]
struct Turn {
    answers: Vec<Said>,
    stream: bool,
    anew: bool,
    /// The agent gives the reasoning back.
    echoes: bool,
}

fn made() -> impl Strategy<Value = Made> {
    prop_oneof![
        3 => Just(Made::Good),
        1 => Just(Made::Coerced),
        2 => Just(Made::Invalid),
        1 => Just(Made::Unknown),
        1 => Just(Made::Unreadable),
    ]
}

fn turn() -> impl Strategy<Value = Turn> {
    let said = (any::<bool>(), any::<bool>(), vec(made(), 0..4), 0..9_usize).prop_map(
        |(text, reasons, calls, chunk)| Said { text: text || calls.is_empty(), reasons, calls, chunk },
    );
    (vec(said, 1..4), any::<[bool; 3]>()).prop_map(|(mut answers, [stream, anew, echoes])| {
        let goes_out = |said: &Said| said.calls.iter().any(|made| matches!(made, Made::Good | Made::Coerced));
        // Two answers in a row that are refused whole, then one that is not: no exchange has to conclude.
        let mut refused = 0;
        for said in &mut answers {
            refused = if goes_out(said) || said.calls.is_empty() { 0 } else { refused + 1 };
            if refused == 3 {
                said.calls.push(Made::Good);
                refused = 0;
            }
        }
        // Nothing comes behind an answer in words.
        if let Some(end) = answers.iter().position(|said| said.calls.is_empty()) {
            answers.truncate(end);
        }
        answers.push(Said { text: true, reasons: false, calls: Vec::new(), chunk: 3 });
        Turn { answers, stream, anew, echoes }
    })
}

/// The provider's script: each answer once, in order.
fn script(turns: &[Turn]) -> Script {
    let mut script = Script::new();
    let mut number = 0;
    for said in turns.iter().flat_map(|turn| &turn.answers) {
        number += 1;
        let mut step = Step::new().chunk(said.chunk).usage(100, 10);
        if said.reasons {
            step = step.reason(format!("Thinking {number}."));
        }
        if said.text {
            step = step.say(format!("Saying \"{number}\" ü."));
        }
        for (place, made) in said.calls.iter().enumerate() {
            let id = format!("call_{number}_{place}");
            let (name, arguments) = match made {
                Made::Good => ("prepare", format!(r#"{{"slug": "s-{number}", "n": {place}}}"#)),
                Made::Coerced => ("prepare", format!(r#"{{"slug": "s-{number}", "n": "{place}"}}"#)),
                Made::Invalid => ("prepare", format!(r#"{{"slug": "S {number}", "n": {place}}}"#)),
                Made::Unknown => ("imagined", format!(r#"{{"slug": "s-{number}", "n": {place}}}"#)),
                Made::Unreadable => ("prepare", format!(r#"{{"slug": s-{number}, "n": {place}}}"#)),
            };
            step = step.call_as(id, name, arguments);
        }
        script = script.step(step);
    }
    script
}

async fn converse(turns: &[Turn]) -> Result<(), TestCaseError> {
    let scene = Scene::new(script(turns), "").await;
    let mut history = vec![r#"{"role":"system","content":"S"}"#.to_owned()];
    // The last request of each exchange, as elements.
    let mut shown: Vec<String> = Vec::new();
    let mut seen = 0;
    for (number, turn) in turns.iter().enumerate() {
        history.push(user(&format!("Do {number}.")));
        loop {
            let parts: Vec<_> = history.iter().map(String::as_str).collect();
            let body = request(&parts, &[TOOL], turn.stream);
            let got = scene.send(body).await;
            let message = got.message();
            let sent = scene.sent();
            let first = elements(&sent[seen]);
            prop_assert!(first.starts_with(&shown), "shown {:#?}\nnow {:#?}", shown, first);
            for pair in sent[seen..].windows(2) {
                prop_assert!(elements(&pair[1]).starts_with(&elements(&pair[0])));
            }
            shown = elements(sent.last().unwrap());
            seen = sent.len();
            assert_accepted(sent.last().unwrap(), "the last request");
            let mut element = message.element(turn.anew);
            let thoughts = reasoning(got.text());
            if turn.echoes && !thoughts.is_empty() {
                let end = element.len() - 1;
                element.insert_str(end, &format!(",\"reasoning_content\":\"{thoughts}\""));
            }
            history.push(element);
            if message.calls.is_empty() {
                break;
            }
            for (id, name, arguments) in &message.calls {
                prop_assert_eq!(name, "prepare");
                prop_assert!(serde_json::from_str::<serde_json::Value>(arguments).is_ok());
                history.push(result(id, "fine"));
            }
        }
    }
    let shown = shown.concat();
    let said = turns.iter().flat_map(|turn| &turn.answers);
    for (number, said) in said.enumerate().take(seen - 1).map(|(place, said)| (place + 1, said)) {
        let times = |text: &str| shown.matches(text).count();
        prop_assert_eq!(times(&format!("Saying \\\"{number}\\\"")), usize::from(said.text), "{}", shown);
        prop_assert!(times(&format!("Thinking {number}.")) <= usize::from(said.reasons), "{}", shown);
    }
    let answers: usize = turns.iter().map(|turn| turn.answers.len()).sum();
    prop_assert_eq!(seen, answers, "every answer of the script was asked for");
    Ok(())
}

/// The reasoning of an answer, as an agent puts it together.
fn reasoning(body: &str) -> String {
    let parts = body.split("\"reasoning_content\":\"").skip(1);
    parts.map(|part| part.split('"').next().unwrap()).collect()
}

#[test]
fn what_the_provider_was_shown_stays_as_it_was() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    // Each case is some tens of requests over sockets.
    let cases = Config::default().cases / 8;
    let mut runner = TestRunner::new(Config { cases, max_shrink_iters: 200, ..Config::default() });
    let turns = vec(turn(), 1..4);
    runner.run(&turns, |turns| runtime.block_on(converse(&turns))).unwrap_or_else(|error| panic!("{error}"));
}
