//! Whole conversations with a provider that fails in between, and a model that errs in every way: however an exchange
//! ends, the agent asks again, and what the provider is shown stays what providers accept.

use http::StatusCode;
use remand::guard::Reason;
use remand::observe::event::Fact;
use remand::replay::{Place, Script, Step};
use serde_json::{Value, json};

use super::assert_accepted;
use crate::scene::{Message, elements, request, result, user};
use crate::watched::Watched;

const RULES: &str = "[[tool]]\nname = [\"edit\"]\n[[tool.argument]]\nat = \"/mode\"\nnormalise = [\"lowercase\"]\n\
    [[tool.deny]]\nat = \"/path\"\nmatches = \"^/etc\"\nreason = \"Not there.\"\n";

const EDIT: (&str, &str) = (
    "edit",
    r#"{"type":"object","properties":{"path":{"type":"string"},"mode":{"enum":["a","b"]}},"required":["path"]}"#,
);
const LOOK: (&str, &str) = ("look", r#"{"type":"object","properties":{"at":{"type":"integer"}}}"#);

const TURNS: usize = 7;

/// Random enough, and the same each time.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}

/// How an agent writes what it saw.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each habit is one an agent has or has not")]
struct Habits {
    stream: bool,
    anew: bool,
    as_list: bool,
    keeps_reasoning: bool,
}

/// What a model may do in the place of a good call.
fn call(dice: &mut Dice, number: usize) -> (&'static str, String) {
    match dice.below(12) {
        0 => ("edit", r#"{"path": 7}"#.to_owned()),
        1 => ("edit", r#"{"mode":"c","path":"/x"}"#.to_owned()),
        2 => ("edit", r#"{"path":"/etc/passwd"}"#.to_owned()),
        3 => ("frobnicate", "{}".to_owned()),
        4 => ("edit", r#"{"path": "say "hi""}"#.to_owned()),
        5 => ("edit", format!(r#"{{"path":"/{number}","mode":"A"}}"#)),
        6 => ("look", format!(r#"{{"at": "{number}"}}"#)),
        7 => ("look", String::new()),
        8 => ("look", r#"{"at":1}{"at":2}"#.to_owned()),
        _ => ("edit", format!(r#"{{ "path": "/{number}" }}"#)),
    }
}

/// What a provider may do in the place of an answer.
fn fault(dice: &mut Dice, number: usize) -> Step {
    let cut = Step::new().say("Hm.").call("edit", "{\"path\":7}").chunk(3);
    match dice.below(6) {
        0 => Step::new().error(StatusCode::TOO_MANY_REQUESTS, "slow down"),
        1 => Step::new().error(StatusCode::BAD_REQUEST, "no"),
        2 => Step::new().die(Place::BeforeHead),
        3 => cut.die(Place::Events(usize::try_from(dice.below(7)).unwrap())),
        4 => cut.close(Place::Bytes(usize::try_from(dice.below(900)).unwrap())),
        _ => Step::new().status(StatusCode::BAD_REQUEST).raw("application/json", [format!(
            r#"{{"error":{{"code":"tool_use_failed","failed_generation":"<function=edit{{\"path\": {number}"}}}}"#
        )]),
    }
}

fn answer(dice: &mut Dice, number: usize, stream: bool) -> Step {
    if dice.one_in(4) {
        return fault(dice, number);
    }
    let mut step = Step::new().usage(10, 1).chunk(usize::try_from(dice.below(9)).unwrap());
    if dice.one_in(3) {
        step = step.reason(format!("Thought {number}. \u{1f9ea}"));
    }
    if dice.one_in(2) {
        step = step.say(format!("Step {number}: \u{e9}\"\n"));
    }
    let calls = dice.below(4);
    for place in 0..calls {
        let (name, arguments) = call(dice, number);
        // Some providers number the calls of each answer from 0.
        let id = if dice.one_in(2) { format!("call_{place}") } else { format!("call_{number}_{place}") };
        step = step.call_as(id, name, arguments);
    }
    if calls > 0 && dice.one_in(8) {
        return step.call_as(format!("cut_{number}"), "edit", r#"{"path":"/h"#).finish("length");
    }
    match dice.below(9) {
        0 => step.interleave(),
        1 => step.finish("stop"),
        2 => step.without_done(),
        3 if stream => step.without_finish(),
        _ => step,
    }
}

/// The elements that an agent adds to its history for an answer and its results.
fn added(message: &Message, reasoning: &str, habits: Habits) -> Vec<String> {
    let mut element: Value = serde_json::from_str(&message.element(habits.anew)).unwrap();
    if habits.as_list && !message.text.is_empty() {
        element["content"] = json!([{"type": "text", "text": message.text}]);
    }
    if habits.keeps_reasoning && !reasoning.is_empty() {
        element["reasoning_content"] = json!(reasoning);
    }
    let results = message.calls.iter().map(|(id, ..)| result(id, "done"));
    std::iter::once(element.to_string()).chain(results).collect()
}

fn reasoning(text: &str, stream: bool) -> String {
    if !stream {
        let body: Value = serde_json::from_str(text).unwrap();
        return body["choices"][0]["message"]["reasoning_content"].as_str().unwrap_or_default().to_owned();
    }
    let events = text.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]");
    let events = events.map(|data| serde_json::from_str::<Value>(data).unwrap());
    events
        .map(|event| {
            event["choices"][0]["delta"]["reasoning_content"].as_str().unwrap_or_default().to_owned()
        })
        .collect()
}

/// No message is empty but those that the agent itself wrote so.
fn assert_said(shown: &[String], agents: &[String], what: &str) {
    // An agent that gives back nothing as `null` is refused by providers: that is mended.
    let filled: Vec<_> =
        agents.iter().map(|element| element.replace(r#""content":null"#, r#""content":"""#)).collect();
    let is_agents = |element: &&String| agents.contains(element) || filled.contains(element);
    for element in shown.iter().filter(|element| !is_agents(element)) {
        let parsed: Value = serde_json::from_str(element).unwrap();
        let content = &parsed["content"];
        let says = content.as_array().map_or_else(
            || content.as_str().is_some_and(|text| !text.is_empty()),
            |parts| !parts.is_empty() && parts.iter().all(|part| part["text"] != ""),
        );
        assert!(says || parsed["tool_calls"].is_array(), "{what}: an empty message: {element}");
    }
}

async fn converse(seed: u64) {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let habits = Habits {
        stream: dice.one_in(2),
        anew: dice.one_in(2),
        as_list: dice.one_in(3),
        keeps_reasoning: dice.one_in(2),
    };
    let rounds = usize::try_from(dice.below(4)).unwrap();
    let script = (0..TURNS * 16)
        .fold(Script::new(), |script, number| script.step(answer(&mut dice, number, habits.stream)));
    let watched = Watched::new(script, "", &format!("[guard]\nrounds = {rounds}\n{RULES}")).await;
    let scene = &watched.scene;
    let mut history = vec![r#"{"role":"system","content":"S"}"#.to_owned(), user("go")];
    let (mut shown, mut asked): (Vec<String>, usize) = (Vec::new(), 0);
    let mut turn = 0;
    while turn < TURNS {
        let elements_of: Vec<_> = history.iter().map(String::as_str).collect();
        let got = scene.send(request(&elements_of, &[EDIT, LOOK], habits.stream)).await;
        let what = format!("seed {seed}, turn {turn}, {habits:?}, {rounds} rounds: {}", got.text());
        let sent = scene.sent();
        assert!(sent.len() - asked <= 1 + rounds, "{what}");
        let mut last = shown.clone();
        let asked_in_vain = failed_in_the_end(&watched.facts().await);
        let mut before_last = last.clone();
        for body in &sent[asked..] {
            before_last.clone_from(&last);
            let next = elements(body);
            assert_accepted(body, &what);
            assert_said(&next, &history, &what);
            assert_eq!(next[..last.len()], last[..], "{what}");
            last = next;
        }
        let rounds_made = u64::try_from(sent.len() - asked).unwrap();
        asked = sent.len();
        if !got.clean || got.status != StatusCode::OK {
            // An agent whose request fails sends it again.
            assert!(got.status != StatusCode::OK || !got.text().contains("[DONE]"), "{what}");
            continue;
        }
        let message = got.message();
        assert_message(&message, &what);
        assert!(message.usage.unwrap().1 <= rounds_made, "{what}");
        history.extend(added(&message, &reasoning(got.text(), habits.stream), habits));
        if message.calls.is_empty() || dice.one_in(4) {
            history.push(user(&format!("turn {turn}")));
        }
        // Calls that were given up because nobody answered stand in the history as what they are now.
        shown = if asked_in_vain { before_last } else { last };
        turn += 1;
    }
}

/// The last request of an exchange came to nothing.
fn failed_in_the_end(facts: &[Fact]) -> bool {
    matches!(facts.last(), Some(Fact::Ended { actions, .. }) if actions.contains(&Reason::ReaskFailed))
}

/// Complete, and nothing in it that an agent should not run.
fn assert_message(message: &Message, what: &str) {
    assert_eq!((message.roles, message.finishes, message.dones), (1, 1, 1), "{what}");
    assert!(message.ids.len() <= 1, "{what}");
    assert_eq!(message.finish == "tool_calls", !message.calls.is_empty(), "{what}");
    for (_, name, arguments) in &message.calls {
        assert!([EDIT.0, LOOK.0].contains(&name.as_str()) && !arguments.contains("/etc"), "{what}");
        assert!(serde_json::from_str::<Value>(arguments).is_ok_and(|value| value.is_object()), "{what}");
    }
}

#[tokio::test]
async fn whatever_fails_in_between_the_history_stays_valid_and_begins_as_it_began() {
    let seeds: u64 = std::env::var("SEEDS").map_or(25, |seeds| seeds.parse().unwrap());
    for seed in 1..=seeds {
        converse(seed).await;
    }
}
