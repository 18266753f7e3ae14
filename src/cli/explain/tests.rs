use std::path::Path;

use super::*;
use crate::config::Plan;

const TOOLS: &str = r#"[{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":{"at":{"type":"integer"}},"required":["at"]}}}]"#;

fn plan(rules: &str) -> Plan {
    config::parse("rules.toml", rules, Path::new(""), &Overrides::default(), &|_| None).unwrap()
}

fn request(messages: &str) -> crate::dialect::Transcript {
    Dialect::Chat.read(format!(r#"{{"model":"m","messages":[{messages}],"tools":{TOOLS}}}"#).into()).unwrap()
}

fn account(rules: &str, messages: &str) -> Account {
    Account::of(&request(messages), &plan(rules).rules, "provider")
}

const GO: &str = r#"{"role":"user","content":"go"}"#;

fn call(id: &str, name: &str) -> String {
    format!(
        r#"{{"role":"assistant","tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"{name}","arguments":"{{\"at\":1}}"}}}}]}}"#
    )
}

fn result(id: &str, text: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"{text}"}}"#)
}

#[test]
fn a_conversation_is_told_with_outcomes_and_epochs() {
    let messages = [
        GO.to_owned(),
        call("a", "make"),
        result("a", "Error: no"),
        call("b", "read"),
        result("b", "ok"),
        r#"{"role":"user","content":"<system-reminder>x</system-reminder>"}"#.to_owned(),
        r#"{"role":"user","content":"again"}"#.to_owned(),
    ];
    let account = account("", &messages.join(","));
    let told: Vec<_> = account
        .messages
        .iter()
        .map(|message| (message.role, message.epoch, message.outcome.as_deref()))
        .collect();
    assert_eq!(
        told,
        [
            ("user", 1, None),
            ("assistant", 1, None),
            ("tool", 1, Some("failure, failed")),
            ("assistant", 2, None),
            ("tool", 2, Some("success")),
            ("user", 2, None),
            ("user", 3, None),
        ]
    );
    assert_eq!(account.messages[2].tool.as_deref(), Some("make"));
    assert!(!account.changes() && account.failures.is_empty(), "{account:?}");
}

#[test]
fn each_change_has_a_place_and_a_reason() {
    let rules = "[[constraint]]\ntext = \"Be brief.\"\n[[tool]]\nname = [\"look\"]\ndescribe = \"Looks.\"\nmax_result = 300\n";
    let messages =
        [GO.to_owned(), call("a", "look"), result("a", &"x".repeat(500)), call("b", "look"), GO.to_owned()];
    let account = account(rules, &messages.join(","));
    let told: Vec<_> =
        account.changes.iter().map(|edit| (edit.place.as_str(), edit.reasons.as_slice())).collect();
    assert_eq!(
        told,
        [
            ("new message", &["constrained"][..]),
            ("message 3", &["result_cut"]),
            ("new message", &["mended_missing"]),
            ("tool look", &["described"]),
        ]
    );
    let done = [("mended_missing", 1), ("result_cut", 1), ("constrained", 1), ("described", 1)];
    assert_eq!(account.done, done);
}

#[test]
fn a_streamed_answer_is_judged_like_a_whole_one() {
    let transcript = request(GO);
    let plan = plan("");
    let call =
        r#"{"index":0,"id":"a","type":"function","function":{"name":"look","arguments":"{\"at\":\"x\"}"}}"#;
    let event = |delta: &str, finish: &str| {
        format!(
            "data: {{\"id\":\"i\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
        )
    };
    let streamed = event(&format!("{{\"role\":\"assistant\",\"tool_calls\":[{call}]}}"), "null")
        + &event("{}", "\"tool_calls\"")
        + "data: [DONE]\n\n";
    let whole = format!(
        r#"{{"choices":[{{"index":0,"message":{{"role":"assistant","content":null,"tool_calls":[{call}]}},"finish_reason":"tool_calls"}}]}}"#
    );
    for answer in [streamed.clone(), whole] {
        let calls = answer::judged(&transcript, &plan, answer.into()).unwrap();
        let [judged] = calls.as_slice() else { panic!("{calls:?}") };
        assert_eq!((judged.verdict, judged.reasons.as_slice()), ("refused", &["invalid"][..]));
        assert!(judged.told.as_ref().unwrap().contains("/at"), "{judged:?}");
    }
    let cut = streamed.split("data: [DONE]").next().unwrap().replace("\"tool_calls\"}", "null}");
    assert!(answer::judged(&transcript, &plan, cut.into()).is_err(), "it ends early");
    assert_eq!(
        answer::judged(&transcript, &plan, "<html>".into()).unwrap_err(),
        "it is neither JSON nor a stream of events"
    );
}

#[test]
fn colour_adds_nothing_but_colour() {
    let mut account = account("", &[GO.to_owned(), call("a", "look"), GO.to_owned()].join(","));
    account.answer = Some(Vec::new());
    let plain = Page { colour: false }.text(&account, "x").unwrap();
    let coloured = Page { colour: true }.text(&account, "x").unwrap();
    assert!(plain.contains("no calls: it goes on as it came"), "{plain}");
    let mut bare = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        bare.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    assert_eq!(bare + rest, plain);
}
