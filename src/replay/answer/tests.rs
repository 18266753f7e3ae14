#![expect(clippy::disallowed_methods, reason = "what a test looks at is not sent on")]

use serde_json::{Value, json};

use super::*;
use crate::replay::fault::Act;

fn question(stream: bool, usage: bool) -> Question {
    Question {
        path: "/v1/chat/completions".to_owned(),
        chat: true,
        model: Some("m".to_owned()),
        stream,
        include_usage: usage,
        ..Question::default()
    }
}

const TURN: Turn = Turn { step: 1, served: 0 };

fn body(answer: &Answer) -> String {
    let writes = answer.acts.body.iter().map(|act| match act {
        Act::Write(bytes) => std::str::from_utf8(bytes).unwrap(),
        Act::Stop(_) => "",
    });
    writes.collect()
}

fn streamed(step: &Step) -> String {
    body(&answer(step, TURN, &question(true, false)))
}

fn whole(step: &Step) -> Value {
    serde_json::from_str(&body(&answer(step, TURN, &question(false, false)))).unwrap()
}

/// The message that a client assembles of choice `index`, and its finish.
fn assembled(stream: &str, index: u64) -> Value {
    let mut message = json!({"role": null, "content": null, "refusal": null});
    let mut finish = Value::Null;
    let mut calls: Vec<Value> = Vec::new();
    for data in stream.split_terminator("\n\n").filter_map(|event| event.strip_prefix("data: ")) {
        if data == "[DONE]" {
            continue;
        }
        let chunk: Value = serde_json::from_str(data).unwrap();
        for choice in chunk["choices"].as_array().unwrap().iter().filter(|choice| choice["index"] == index) {
            let delta = &choice["delta"];
            if delta["role"].is_string() {
                message["role"] = delta["role"].clone();
            }
            for key in ["content", "reasoning_content"] {
                if let Some(text) = delta[key].as_str().filter(|text| !text.is_empty()) {
                    let before = message[key].as_str().unwrap_or_default();
                    message[key] = json!(format!("{before}{text}"));
                }
            }
            for call in delta["tool_calls"].as_array().into_iter().flatten() {
                let at = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
                let kind = if call["custom"].is_object() { "custom" } else { "function" };
                let field = if kind == "custom" { "input" } else { "arguments" };
                if at == calls.len() {
                    let mut call = call.clone();
                    call.as_object_mut().unwrap().remove("index");
                    calls.push(call);
                } else {
                    let text = call[kind][field].as_str().unwrap();
                    let before = calls[at][kind][field].as_str().unwrap().to_owned();
                    calls[at][kind][field] = json!(before + text);
                }
            }
            if choice["finish_reason"].is_string() {
                finish = choice["finish_reason"].clone();
            }
        }
    }
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({"index": index, "message": message, "logprobs": null, "finish_reason": finish})
}

fn samples() -> Vec<Step> {
    let mixed = Step::new()
        .reason("thinking…")
        .say("héllo 🌍, \"quoted\"\n")
        .call("f", r#"{"path":"C:\\temp\\é🌍"}"#)
        .call_as("mine", "g", r#"{"broken": "#)
        .custom("patch", "*** Begin 🌍")
        .call("h", "");
    vec![
        Step::new(),
        Step::new().say("hi").finish("length"),
        Step::new().say("a").say("b").in_choice(1).call("f", "{}").in_choice(1),
        mixed,
    ]
}

#[test]
fn a_stream_tells_the_same_as_a_whole_answer() {
    for step in samples() {
        let whole = whole(&step);
        for chunk in [0, 1, 2, 3, 4, 5, 7] {
            for step in [step.clone().chunk(chunk), step.clone().chunk(chunk).interleave()] {
                let stream = streamed(&step);
                for choice in whole["choices"].as_array().unwrap() {
                    assert_eq!(&assembled(&stream, choice["index"].as_u64().unwrap()), choice, "{stream}");
                }
            }
        }
    }
}

#[test]
fn a_stream_has_the_shape_of_the_api() {
    let step = Step::new().say("hi").call("f", "{}").usage(3, 4);
    insta::assert_snapshot!(body(&answer(&step, TURN, &question(true, true))), @r#"
    data: {"id":"chatcmpl-2-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null}

    data: {"id":"chatcmpl-2-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":{"content":"hi"},"logprobs":null,"finish_reason":null}],"usage":null}

    data: {"id":"chatcmpl-2-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_2_1_1","type":"function","function":{"name":"f","arguments":""}}]},"logprobs":null,"finish_reason":null}],"usage":null}

    data: {"id":"chatcmpl-2-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]},"logprobs":null,"finish_reason":null}],"usage":null}

    data: {"id":"chatcmpl-2-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}],"usage":null}

    data: {"id":"chatcmpl-2-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}

    data: [DONE]
    "#);
}

#[test]
fn a_whole_answer_has_the_shape_of_the_api() {
    let step = Step::new().say("hi").call("f", "{}").usage(3, 4);
    let answer = answer(&step, TURN, &question(false, false));
    assert_eq!(answer.length, Some(body(&answer).len() as u64));
    assert_eq!(answer.headers[header::CONTENT_TYPE], "application/json");
    insta::assert_snapshot!(body(&answer), @r#"{"id":"chatcmpl-2-1","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"hi","refusal":null,"tool_calls":[{"id":"call_2_1_1","type":"function","function":{"name":"f","arguments":"{}"}}]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}"#);
}

#[test]
fn a_stream_can_lack_its_end() {
    let text = streamed(&Step::new().say("hi").without_done());
    assert!(text.contains("\"finish_reason\":\"stop\"") && !text.contains("[DONE]"));
    let text = streamed(&Step::new().say("hi").without_finish());
    assert!(!text.contains("\"finish_reason\":\"stop\"") && text.contains("[DONE]"));
}

#[test]
fn calls_take_turns_only_where_they_are_neighbours() {
    let step = Step::new().call("a", "12").call("b", "34").say("then").call("c", "56").chunk(1).interleave();
    let text = streamed(&step);
    let places: Vec<_> =
        ["\"1\"", "\"3\"", "\"2\"", "\"4\"", "\"t\"", "\"5\""].map(|piece| text.find(piece)).into();
    assert!(places.is_sorted() && places.iter().all(Option::is_some), "{places:?} {text}");
}

#[test]
fn equal_requests_get_equal_bytes_and_a_repeated_step_new_ids() {
    let step = Step::new().call("f", "{}").repeat();
    let asked = question(true, true);
    let first = body(&answer(&step, TURN, &asked));
    assert_eq!(first, body(&answer(&step, TURN, &asked)));
    let second = body(&answer(&step, Turn { served: 1, ..TURN }, &asked));
    assert_eq!(first.replace("-2-1", "-2-2").replace("_2_1_", "_2_2_"), second);
}

#[test]
fn an_error_has_the_shape_of_the_api() {
    let step = Step::new().error(StatusCode::TOO_MANY_REQUESTS, "slow down").header("retry-after", "7");
    let answer = answer(&step, TURN, &question(true, false));
    assert_eq!(answer.status, 429);
    assert_eq!(answer.headers["retry-after"], "7");
    assert_eq!(answer.headers[header::CONTENT_TYPE], "application/json");
    assert_eq!(
        body(&answer),
        r#"{"error":{"message":"slow down","type":"rate_limit_error","param":null,"code":null}}"#
    );
}

#[test]
fn a_miss_asks_not_to_be_tried_again() {
    let answer = miss("why");
    assert_eq!(answer.status, 422);
    assert_eq!(answer.headers["x-should-retry"], "false");
    assert!(body(&answer).contains("\"message\":\"why\""));
}

#[test]
fn a_length_is_not_told_where_something_happens_behind_it() {
    let asked = question(false, false);
    let step = Step::new().say("a");
    assert!(answer(&step, TURN, &asked).length.is_some());
    let step = step.die(crate::replay::Place::End);
    assert!(answer(&step, TURN, &asked).length.is_none());
}
