//! Answers in one piece.

use remand::replay::{Script, Step};

use super::asking;
use crate::scene::Scene;

const CALL: &str = r#"{"id":"a","type":"function","function":{"name":"look","arguments":"{\"at\": 1234567890123456789}"},"extra":{"sig":"\u0041"}}"#;

fn answer(message: &str, finish: &str) -> String {
    format!(
        "{{ \"x\": 1.10,\r\n\t\"choices\" : [ {{\"index\":0,\"message\":{message},\"logprobs\":null,\"finish_reason\":{finish}}} ],\n\"id\":\"c-1\", \"created\":1234567890123456789,\"usage\":{{\"total_tokens\":3}}}}\n"
    )
}

fn clean() -> Vec<(&'static str, String)> {
    let with = |members: &str| format!(r#"{{"role":"assistant",{members}}}"#);
    vec![
        ("a plain chat", answer(&with(r#""content":"\u00fc \ud800 ü","refusal":null"#), "\"stop\"")),
        ("a call", answer(&with(&format!(r#""content":null,"tool_calls":[{CALL}]"#)), "\"tool_calls\"")),
        (
            "two calls",
            answer(
                &with(&format!(r#""tool_calls":[ {CALL} , {}]"#, CALL.replace("\"a\"", "\"b\""))),
                "\"tool_calls\"",
            ),
        ),
        ("no calls", answer(&with(r#""content":" ","tool_calls":[]"#), "\"stop\"")),
        ("null calls", answer(&with(r#""content":" ","tool_calls":null,"function_call":null"#), "null")),
        ("content in parts", answer(&with(r#""content":[{"type":"text","text":"x"}]"#), "\"stop\"")),
        (
            "the first form",
            answer(&with(r#""function_call":{"name":"look","arguments":"{}"}"#), "\"function_call\""),
        ),
        ("duplicate keys", answer(&with(r#""content":"a","content":"b""#), "\"length\"")),
        (
            "a byte order mark before a call",
            format!("\u{feff}{}", answer(&with(&format!(r#""tool_calls":[{CALL}]"#)), "\"tool_calls\"")),
        ),
        ("an error", r#"{"error":{"message":"no","code":1}}"#.to_owned()),
        ("no answer at all", "{}".to_owned()),
        ("no JSON", "<html>".to_owned()),
    ]
}

#[tokio::test]
async fn a_whole_answer_goes_through_as_it_came() {
    // A provider may answer in one piece where events were asked for.
    for asked in [false, true] {
        for (name, body) in clean() {
            let script = Script::new().step(Step::new().raw("application/json", [body.clone()]).cut(7));
            let scene = Scene::new(script, "").await;
            let got = scene.send(asking(asked)).await;
            assert_eq!(got.text(), body, "{name}");
            assert!(got.clean && !got.headers.contains_key("x-remand-actions"), "{name}");
            assert_eq!(scene.sent(), [asking(asked)], "{name}");
        }
    }
}

#[tokio::test]
async fn a_whole_answer_with_calls_ends_with_calls() {
    let message = format!(r#"{{"role":"assistant","content":null,"tool_calls":[{CALL}]}}"#);
    let right = answer(&message, "\"tool_calls\"");
    for odd in [answer(&message, "null"), answer(&message, "\"stop\""), answer(&message, "\"\"")] {
        let script = Script::new().step(Step::new().raw("application/json", [odd]));
        let got = Scene::new(script, "").await.send(asking(false)).await;
        assert_eq!(got.text(), right);
    }
}
