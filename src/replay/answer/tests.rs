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

fn answer(step: &Step, turn: Turn, question: &Question) -> Answer {
    let reply = Cow::Borrowed(&step.reply);
    super::answer(&Found { turn, step, is_fault: false, reply }, "", question)
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
fn of_every_script_that_ships_a_stream_tells_the_same_as_a_whole_answer_under_one_id() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut seen, paths) = (0, ["replay/demo.toml", "tests/clients/scripts"]);
    for path in paths {
        for step in &crate::replay::Script::load(&root.join(path)).unwrap().steps {
            if step.instead.is_some() {
                continue;
            }
            let (whole, stream) = (whole(step), streamed(step));
            assert_eq!(assembled(&stream, 0), whole["choices"][0], "{}", step.title(0));
            let data = stream.split_terminator("\n\n").filter_map(|event| event.strip_prefix("data: {"));
            for data in data {
                let chunk: Value = serde_json::from_str(&format!("{{{data}")).unwrap();
                for key in ["id", "model", "created"] {
                    assert_eq!(chunk[key], whole[key], "{}", step.title(0));
                }
            }
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen}");
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
    let answer = unmatched("why", "no_matching_step");
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

#[test]
fn a_session_has_ids_of_its_own() {
    let step = Step::new().call("f", "{}");
    let found = Found { turn: TURN, step: &step, is_fault: false, reply: Cow::Borrowed(&step.reply) };
    let answer = super::answer(&found, "blue", &question(true, false));
    assert_eq!(answer.headers["x-request-id"], "req_blue_2_1");
    let text = body(&answer);
    assert!(text.contains("\"chatcmpl-blue-2-1\"") && text.contains("\"call_blue_2_1_1\""), "{text}");
}

/// The deltas of the calls in a stream with an oddity.
fn call_deltas(odd: Odd) -> String {
    let step = Step::new().call_as("a", "look", "12").call_as("b", "go", "3").chunk(1).odd(odd);
    let text = streamed(&step);
    let events = text.split_terminator("\n\n").filter_map(|event| event.strip_prefix("data: "));
    let chunks = events.filter_map(|data| serde_json::from_str::<Value>(data).ok());
    let deltas = chunks.filter_map(|chunk| {
        let delta = &chunk["choices"][0]["delta"];
        match (&delta["tool_calls"][0], &delta["function_call"]) {
            (Value::Null, Value::Null) => None,
            (Value::Null, _) => Some(delta.to_string()),
            (call, _) => Some(call.to_string()),
        }
    });
    let deltas: Vec<String> = deltas.map(|delta| format!("\n  {delta}")).collect();
    format!("{odd:?}{}", deltas.concat())
}

#[test]
fn calls_are_numbered_as_odd_as_providers_do() {
    let all = [
        Odd::IndexMissing,
        Odd::IndexZero,
        Odd::IndexFromOne,
        Odd::IdEmpty,
        Odd::IdRepeated,
        Odd::IdChanging,
        Odd::IdLate,
        Odd::IdMissing,
    ];
    insta::assert_snapshot!(all.map(call_deltas).join("\n"), @r#"
    IndexMissing
      {"function":{"arguments":"","name":"look"},"id":"a","type":"function"}
      {"function":{"arguments":"1"}}
      {"function":{"arguments":"2"}}
      {"function":{"arguments":"","name":"go"},"id":"b","type":"function"}
      {"function":{"arguments":"3"}}
    IndexZero
      {"function":{"arguments":"","name":"look"},"id":"a","index":0,"type":"function"}
      {"function":{"arguments":"1"},"index":0}
      {"function":{"arguments":"2"},"index":0}
      {"function":{"arguments":"","name":"go"},"id":"b","index":0,"type":"function"}
      {"function":{"arguments":"3"},"index":0}
    IndexFromOne
      {"function":{"arguments":"","name":"look"},"id":"a","index":1,"type":"function"}
      {"function":{"arguments":"1"},"index":1}
      {"function":{"arguments":"2"},"index":1}
      {"function":{"arguments":"","name":"go"},"id":"b","index":2,"type":"function"}
      {"function":{"arguments":"3"},"index":2}
    IdEmpty
      {"function":{"arguments":"","name":"look"},"id":"a","index":0,"type":"function"}
      {"function":{"arguments":"1"},"id":"","index":0}
      {"function":{"arguments":"2"},"id":"","index":0}
      {"function":{"arguments":"","name":"go"},"id":"b","index":1,"type":"function"}
      {"function":{"arguments":"3"},"id":"","index":1}
    IdRepeated
      {"function":{"arguments":"","name":"look"},"id":"a","index":0,"type":"function"}
      {"function":{"arguments":"1"},"id":"a","index":0}
      {"function":{"arguments":"2"},"id":"a","index":0}
      {"function":{"arguments":"","name":"go"},"id":"b","index":1,"type":"function"}
      {"function":{"arguments":"3"},"id":"b","index":1}
    IdChanging
      {"function":{"arguments":"","name":"look"},"id":"a","index":0,"type":"function"}
      {"function":{"arguments":"1"},"id":"a_1","index":0}
      {"function":{"arguments":"2"},"id":"a_2","index":0}
      {"function":{"arguments":"","name":"go"},"id":"b","index":1,"type":"function"}
      {"function":{"arguments":"3"},"id":"b_1","index":1}
    IdLate
      {"function":{"arguments":"","name":"look"},"index":0,"type":"function"}
      {"function":{"arguments":"1"},"index":0}
      {"function":{"arguments":"2"},"id":"a","index":0}
      {"function":{"arguments":"","name":"go"},"index":1,"type":"function"}
      {"function":{"arguments":"3"},"id":"b","index":1}
    IdMissing
      {"function":{"arguments":"","name":"look"},"index":0,"type":"function"}
      {"function":{"arguments":"1"},"index":0}
      {"function":{"arguments":"2"},"index":0}
      {"function":{"arguments":"","name":"go"},"index":1,"type":"function"}
      {"function":{"arguments":"3"},"index":1}
    "#);
}

#[test]
fn calls_are_named_as_odd_as_providers_do() {
    let all = [Odd::NameEmpty, Odd::NameRepeated, Odd::NameSplit, Odd::LegacyFunctionCall];
    insta::assert_snapshot!(all.map(call_deltas).join("\n"), @r#"
    NameEmpty
      {"function":{"arguments":"","name":"look"},"id":"a","index":0,"type":"function"}
      {"function":{"arguments":"1","name":""},"index":0}
      {"function":{"arguments":"2","name":""},"index":0}
      {"function":{"arguments":"","name":"go"},"id":"b","index":1,"type":"function"}
      {"function":{"arguments":"3","name":""},"index":1}
    NameRepeated
      {"function":{"arguments":"","name":"look"},"id":"a","index":0,"type":"function"}
      {"function":{"arguments":"1","name":"look"},"index":0}
      {"function":{"arguments":"2","name":"look"},"index":0}
      {"function":{"arguments":"","name":"go"},"id":"b","index":1,"type":"function"}
      {"function":{"arguments":"3","name":"go"},"index":1}
    NameSplit
      {"function":{"arguments":"","name":"lo"},"id":"a","index":0,"type":"function"}
      {"function":{"arguments":"","name":"ok"},"index":0}
      {"function":{"arguments":"1"},"index":0}
      {"function":{"arguments":"2"},"index":0}
      {"function":{"arguments":"","name":"g"},"id":"b","index":1,"type":"function"}
      {"function":{"arguments":"","name":"o"},"index":1}
      {"function":{"arguments":"3"},"index":1}
    LegacyFunctionCall
      {"function_call":{"arguments":"","name":"look"}}
      {"function_call":{"arguments":"1"}}
      {"function_call":{"arguments":"2"}}
      {"function":{"arguments":"","name":"go"},"id":"b","index":1,"type":"function"}
      {"function":{"arguments":"3"},"index":1}
    "#);
}

#[test]
fn roles_usage_and_choices_come_as_odd_as_providers_send_them() {
    let shown = |odd| {
        let step = Step::new().say("hi").usage(1, 2).odd(odd);
        let text = body(&answer(&step, TURN, &question(true, true)));
        let begin = "{\"id\":\"chatcmpl-2-1\",\"object\":\"chat.completion.chunk\",\"created\":1700000000,\"model\":\"m\",";
        format!("{odd:?}\n{}", text.replace(begin, "{").replace("\n\n", "\n"))
    };
    let all = [
        Odd::RoleMissing,
        Odd::RoleNull,
        Odd::RoleEmpty,
        Odd::RoleRepeated,
        Odd::UsageFirst,
        Odd::UsageInFinish,
        Odd::ChoicesMissing,
    ];
    insta::assert_snapshot!(all.map(shown).join("\n"), @r#"
    RoleMissing
    data: {"choices":[{"index":0,"delta":{"content":""},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{"content":"hi"},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}
    data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}
    data: [DONE]

    RoleNull
    data: {"choices":[{"index":0,"delta":{"role":null,"content":""},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{"content":"hi"},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}
    data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}
    data: [DONE]

    RoleEmpty
    data: {"choices":[{"index":0,"delta":{"role":"","content":""},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{"content":"hi"},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}
    data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}
    data: [DONE]

    RoleRepeated
    data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"hi"},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{"role":"assistant"},"logprobs":null,"finish_reason":"stop"}],"usage":null}
    data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}
    data: [DONE]

    UsageFirst
    data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}
    data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{"content":"hi"},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}
    data: [DONE]

    UsageInFinish
    data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{"content":"hi"},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}
    data: [DONE]

    ChoicesMissing
    data: {"prompt_filter_results":[],"usage":null}
    data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{"content":"hi"},"logprobs":null,"finish_reason":null}],"usage":null}
    data: {"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}
    data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}
    data: [DONE]
    "#);
}

#[test]
fn arguments_end_early_with_the_finish_that_says_so_or_lies() {
    let step = Step::new().call("f", r#"{"path":"a"}"#).cut_arguments(9);
    for (step, finish) in [(step.clone(), "length"), (step.finish("tool_calls"), "tool_calls")] {
        let choice = &whole(&step)["choices"][0];
        assert_eq!(choice["message"]["tool_calls"][0]["function"]["arguments"], r#"{"path":""#);
        assert_eq!(choice["finish_reason"], finish);
        assert_eq!(&assembled(&streamed(&step), 0), choice);
    }
}

#[test]
fn a_stream_can_end_in_an_error() {
    let text = streamed(&Step::new().say("hi").error_event("gone"));
    let end = r#"event: error
data: {"error":{"message":"gone","type":"server_error","param":null,"code":null}}

"#;
    assert!(text.ends_with(end) && text.contains("hi") && !text.contains("[DONE]"), "{text}");
}

#[test]
fn an_answer_can_come_in_the_form_that_was_not_asked_for() {
    let told = |odd, stream| {
        let answer = answer(&Step::new().say("hi").odd(odd), TURN, &question(stream, false));
        (answer.headers[header::CONTENT_TYPE].clone(), body(&answer))
    };
    let (kind, text) = told(Odd::Whole, true);
    assert!(kind == "application/json" && text.starts_with('{'));
    let (kind, text) = told(Odd::Streamed, false);
    assert!(kind == "text/event-stream; charset=utf-8" && text.starts_with("data: "));
}

#[test]
fn lengths_and_bodies_can_be_wrong() {
    let told = |odd| answer(&Step::new().say("hi").odd(odd), TURN, &question(false, false));
    let plain = answer(&Step::new().say("hi"), TURN, &question(false, false)).length.unwrap();
    assert_eq!(told(Odd::LengthLong).length, Some(plain + 10));
    assert_eq!(told(Odd::LengthShort).length, Some(plain - 10));
    assert_eq!(told(Odd::EmptyBody).acts.body, []);
    assert_eq!(told(Odd::EmptyBody).length, Some(0));
}

#[test]
fn a_compressed_stream_can_be_read_event_by_event() {
    let step = Step::new().say("hi").odd(Odd::Gzip);
    let answer = answer(&step, TURN, &question(true, false));
    assert_eq!(answer.headers[header::CONTENT_ENCODING], "gzip");
    let mut unpacker = flate2::write::GzDecoder::new(Vec::new());
    for (written, act) in answer.acts.body.iter().enumerate() {
        let Act::Write(bytes) = act else { panic!("no stop") };
        unpacker.write_all(bytes).unwrap();
        unpacker.flush().unwrap();
        let events = std::str::from_utf8(unpacker.get_ref()).unwrap().matches("\n\n").count();
        assert_eq!(events, (written + 1).min(4), "as soon as it is there");
    }
    assert_eq!(unpacker.finish().unwrap(), streamed(&Step::new().say("hi")).into_bytes());
}
