//! What holds of every answer and every conversation, tried on generated ones.

mod answer;
mod conversation;
mod faulty;
mod mended;

use remand::replay::strict;

use crate::scene::elements;

/// No provider refuses the request, and each call has its one result, in the order of the calls, directly behind them.
fn assert_accepted(body: &str, what: &str) {
    assert_eq!(strict::refusal(body.as_bytes()), None, "{what}: {body}");
    let mut open: Vec<String> = Vec::new();
    for element in elements(body) {
        let parsed: serde_json::Value = serde_json::from_str(&element).unwrap();
        if parsed["role"] == "tool" {
            assert!(!open.is_empty(), "{what}: a result without a call: {element}");
            assert_eq!(parsed["tool_call_id"], open.remove(0).as_str(), "{what}: {element}");
            continue;
        }
        assert!(open.is_empty(), "{what}: {open:?} are not answered before {element}");
        let calls = parsed["tool_calls"].as_array().into_iter().flatten();
        open.extend(calls.map(|call| call["id"].as_str().unwrap().to_owned()));
    }
}
