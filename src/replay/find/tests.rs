#![expect(clippy::disallowed_methods, reason = "what a test looks at is not sent on")]

use bytes::Bytes;
use http::HeaderMap;
use serde_json::json;

use super::condition::quoted;
use super::*;
use crate::replay::script::{At, ResultWhen, When};
use crate::replay::{Script, Step};

const BODY: &str = r#"{
    "model": "m", "stream": true, "stream_options": {"include_usage": true}, "odd": 1e999,
    "tool_choice": {"type": "function", "function": {"name": "f"}},
    "tools": [{"type": "function", "function": {"name": "f"}}, {"type": "custom", "custom": {"name": "p"}}, 5],
    "messages": [
        {"role": "system", "content": "S \ud800"},
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "a"}, {"id": "b", "function": {"name": "f"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "old"},
        {"role": "user", "content": [{"type": "text", "text": "se"}, {"type": "image_url"}, {"type": "text", "text": "cond"}]},
        {"role": "assistant", "content": "calling"},
        {"role": "tool", "tool_call_id": "b", "content": "{\"id\": 7, \"to\": \"new one\"}"},
        {"role": "tool", "tool_call_id": "c", "is_error": true, "content": "new two \udfff"}
    ]
}"#;

fn read(path: &str, body: &'static str) -> Question {
    Question::read(path, HeaderMap::new(), Bytes::from_static(body.as_bytes()))
}

fn question() -> Question {
    let mut question = read("/v1/chat/completions", BODY);
    question.headers.insert("x-team", "blue".parse().unwrap());
    question
}

fn ask(when: When) -> Vec<&'static str> {
    let step = Step::new().when(when);
    let failed = failures(&step, &question());
    assert_eq!(failed.is_empty(), meets(&step.when, &question()), "found and explained the same way");
    failed.into_iter().map(|failed| failed.condition).collect()
}

fn turn(script: &Script, used: &mut Used, question: &Question) -> Turn {
    find(script, used, question).unwrap().turn
}

#[expect(clippy::unnecessary_wraps, reason = "conditions are optional")]
fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn reads_what_conditions_ask_for() {
    let question = question();
    assert_eq!(question.unread, None);
    assert_eq!(question.model.as_deref(), Some("m"));
    assert!(question.stream && question.include_usage && question.chat);
    assert_eq!(question.turn, 2);
    assert_eq!(question.last_role.as_deref(), Some("tool"));
    assert_eq!(question.last_user.as_deref(), Some("se\ncond"));
    assert!(question.results[1].text.starts_with("new two \u{fffd}"));
    assert_eq!(question.results[0].tool.as_deref(), Some("f"));
    assert_eq!(question.tools, ["f", "p"]);
    assert_eq!(question.tool_choice.as_deref(), Some("f"));
}

#[test]
fn reads_a_choice_given_as_a_word() {
    let question = read("/chat/completions", r#"{"messages": [], "tool_choice": "none", "stream": null}"#);
    assert_eq!(question.tool_choice.as_deref(), Some("none"));
    assert!(!question.stream);
    assert_eq!(question.last_role, None);
}

#[test]
fn holds_each_condition_against_the_request() {
    let none: [&str; 0] = [];
    let when = When {
        path: some("/chat/completions"),
        model: some("m"),
        stream: Some(true),
        turn: Some(2),
        last_user_contains: some("se\nco"),
        last_contains: some("two"),
        last_role: some("tool"),
        tool_result_contains: some("one"),
        has_tool_result: Some(true),
        tool_offered: some("p"),
        tool_choice: some("f"),
        ..When::default()
    };
    assert_eq!(ask(when), none);
    assert_eq!(ask(When::default()), none);
    let near = When {
        path: some("/responses"),
        model: some("m2"),
        stream: Some(false),
        turn: Some(1),
        last_user_contains: some("first"),
        last_contains: some("one"),
        last_role: some("user"),
        tool_result_contains: some("old"),
        has_tool_result: Some(false),
        tool_offered: some("q"),
        tool_choice: some("auto"),
        ..When::default()
    };
    assert_eq!(ask(near).len(), 11);
}

#[test]
fn serves_each_step_once_unless_it_repeats() {
    let script = Script::new().step(Step::new().say("a")).step(Step::new().say("b").repeat());
    let mut used = Used::new(&script);
    let turns: Vec<_> = (0..3).map(|_| turn(&script, &mut used, &question())).collect();
    let turn = |step, served| Turn { step, served };
    assert_eq!(turns, [turn(0, 0), turn(1, 0), turn(1, 1)]);
}

#[test]
fn answers_other_paths_only_where_a_step_names_them() {
    let script =
        Script::new().step(Step::new().say("chat")).step(Step::new().on_path("/embeddings").say("other"));
    let mut used = Used::new(&script);
    assert_eq!(turn(&script, &mut used, &read("/v1/embeddings", "not json")).step, 1);
    assert!(find(&script, &mut used, &read("/v1/files", "")).is_err());
}

#[test]
fn answers_an_unreadable_body_only_where_nothing_is_asked_of_it() {
    let unread = read("/v1/chat/completions", "{\"messages\": 1}");
    assert!(unread.unread.is_some());
    let asks = Script::new().step(Step::new().on_turn(0).say("a"));
    let why = find(&asks, &mut Used::new(&asks), &unread).unwrap_err();
    assert!(why.contains("body: expected a chat completion, got "), "{why}");
    let any = Script::new().step(Step::new().say("a"));
    assert!(find(&any, &mut Used::new(&any), &unread).is_ok());
}

#[test]
fn a_miss_names_the_nearest_step_and_what_failed_there() {
    let script = Script::new()
        .step(Step::new().named("far").on_user("x").on_turn(7).say("a"))
        .step(Step::new().named("near").on_user("se").on_turn(3).say("b"))
        .step(Step::new().on_user("cond").say("c"));
    let mut used = Used { served: vec![0, 0, 1], ..Used::new(&script) };
    let before = used.clone();
    insta::assert_snapshot!(
        find(&script, &mut used, &question()).unwrap_err(),
        @"no step matches; the nearest is step 2 (near): turn: expected 3, got 2; used up: step 3"
    );
    assert_eq!(used, before, "a miss uses up nothing");
}

#[test]
fn a_miss_says_when_the_step_has_been_used_up() {
    let script = Script::new().step(Step::new().say("a"));
    insta::assert_snapshot!(
        find(&script, &mut Used { served: vec![1], ..Used::default() }, &question()).unwrap_err(),
        @"no step matches; the nearest is step 1: it has served already and does not repeat"
    );
    let none = explain(&Script::new(), &Used::default(), &question());
    assert_eq!(none, "the script has no steps");
}

#[test]
fn long_texts_are_cut_in_messages() {
    assert_eq!(quoted(&"é".repeat(121)), format!("\"{}…\"", "é".repeat(120)));
    assert_eq!(quoted(&"é".repeat(120)), format!("\"{}\"", "é".repeat(120)));
}

#[test]
fn holds_equals_patterns_results_headers_and_places_against_the_request() {
    let result = |result: ResultWhen| When { result: vec![result], ..When::default() };
    let place =
        |at: &str, equals| When { body: vec![At { at: at.parse().unwrap(), equals }], ..When::default() };
    let header =
        |value: &str| When { headers: [("X-Team".to_owned(), value.to_owned())].into(), ..When::default() };
    let json = |tool: &str, at: &str, equals| {
        let at = Some(at.parse().unwrap());
        result(ResultWhen { tool: some(tool), at, equals: Some(equals), ..ResultWhen::default() })
    };
    let by_id = |id: &str, text: &str| {
        result(ResultWhen { id: some(id), contains: some(text), ..ResultWhen::default() })
    };
    let error = |id: &str, is_error| {
        result(ResultWhen { id: some(id), is_error: Some(is_error), ..ResultWhen::default() })
    };
    let pattern = |text: &str| Some(text.parse().unwrap());
    let none: [&str; 0] = [];
    for (holds, fails, name) in [
        (
            When { system_contains: some("S "), ..When::default() },
            When { system_contains: some("T"), ..When::default() },
            "system_contains",
        ),
        (
            When { last_user_equals: some("se\ncond"), ..When::default() },
            When { last_user_equals: some("se"), ..When::default() },
            "last_user_equals",
        ),
        (
            When { last_matches: pattern("^new (?<n>t.o)"), ..When::default() },
            When { last_matches: pattern("^two"), ..When::default() },
            "last_matches",
        ),
        (
            When { tools_offered: vec!["f".to_owned(), "p".to_owned()], ..When::default() },
            When { tools_offered: vec!["f".to_owned(), "q".to_owned()], ..When::default() },
            "tool_offered",
        ),
        (by_id("b", "one"), by_id("b", "two"), "result"),
        (error("c", true), error("b", true), "result"),
        (error("b", false), error("c", false), "result"),
        (json("f", "/id", json!(7)), json("f", "/id", json!("7")), "result"),
        (json("f", "/to", json!("new one")), json("g", "/to", json!("new one")), "result"),
        (header("blue"), header("red"), "headers"),
    ] {
        assert_eq!(ask(holds), none, "{name}");
        assert_eq!(ask(fails), [name]);
    }
    // The sample holds a number that no tree can: nothing is known of its places.
    assert_eq!(ask(place("/model", json!("m"))), ["body"]);
    let plain = read("/chat/completions", r#"{"messages": [], "n": 2, "metadata": {"a": ["x"]}}"#);
    for (at, equals, holds) in
        [("/n", json!(2), true), ("/metadata/a/0", json!("x"), true), ("/n", json!(1), false)]
    {
        assert_eq!(meets(&place(at, equals), &plain), holds, "{at}");
    }
}

#[test]
fn a_result_is_an_error_where_it_says_so() {
    let body = |content: &str| {
        format!(r#"{{"messages":[{{"role":"tool","tool_call_id":"a","content":{content:?}}}]}}"#)
    };
    for (content, is_error) in [
        ("Error: no", true),
        (r#"{"error":"no"}"#, true),
        (r#"{"is_error":true}"#, true),
        (r#"{"error":null}"#, false),
        (r#"{"is_error":false,"error":"x"}"#, false),
        ("fine", false),
    ] {
        let question = Question::read("/chat/completions", HeaderMap::new(), body(content).into());
        assert_eq!(question.results[0].is_error(), is_error, "{content}");
    }
}

#[test]
fn takes_over_from_the_request_and_misses_where_there_is_nothing() {
    let step = Step::new()
        .when(When { last_matches: Some("new (?<what>t.o)".parse().unwrap()), ..When::default() })
        .say("{{group:what}}, {{header:x-team}}, {{result:f/to}}, {{result:b/id}}");
    let script = Script::new().step(step.clone());
    let found = find(&script, &mut Used::new(&script), &question()).unwrap();
    assert_eq!(format!("{:?}", found.reply.blocks[0].part), r#"Text("two, blue, new one, 7")"#);
    let script = Script::new().step(Step::new().say("{{result:f/from}}"));
    insta::assert_snapshot!(
        find(&script, &mut Used::new(&script), &question()).unwrap_err(),
        @"no step matches; the nearest is step 1: block: expected a value for {{result:f/from}}, got none"
    );
}

#[test]
fn steps_in_order_serve_in_order() {
    let script = Script::new()
        .and_then(Step::new().say("a").repeat().on_turn(2))
        .and_then(Step::new().say("b").on_user("se"))
        .and_then(Step::new().say("c"));
    let mut used = Used::new(&script);
    assert_eq!(turn(&script, &mut used, &question()).step, 0);
    assert_eq!(turn(&script, &mut used, &question()).step, 0, "as long as it matches");
    let mut other = question();
    other.turn = 3;
    assert_eq!(turn(&script, &mut used, &other).step, 1);
    assert_eq!(turn(&script, &mut used, &question()).step, 2, "and never again");
    let why = find(&script, &mut used, &question()).unwrap_err();
    assert!(why.contains("its turn is over"), "{why}");
    let mut fresh = Used::new(&script);
    let why = find(&script, &mut fresh, &other).unwrap_err();
    assert!(why.contains("step 1: turn: expected 2, got 3"), "{why}");
}

#[test]
fn faults_come_first_and_use_up_nothing() {
    let step = Step::new()
        .say("a")
        .fault(2, Step::new().status(http::StatusCode::SERVICE_UNAVAILABLE))
        .fault(1, Step::new().finish("length"));
    let script = Script::new().step(step);
    let mut used = Used::new(&script);
    let mut seen = Vec::new();
    for _ in 0..4 {
        let found = find(&script, &mut used, &question()).unwrap();
        let says = found.reply.blocks.len();
        seen.push((found.step.status.as_u16(), found.reply.finish.clone(), says, found.turn.served));
    }
    let length = Some("length".to_owned());
    assert_eq!(seen, [(503, None, 0, 0), (503, None, 0, 1), (200, length, 1, 2), (200, None, 1, 3)]);
    assert!(find(&script, &mut used, &question()).is_err());
}

#[test]
fn what_is_required_has_stable_names() {
    let require = |bearer: Option<&str>, model: Option<&str>, stream| Require {
        bearer: bearer.map(str::to_owned),
        model: model.map(str::to_owned),
        stream,
    };
    let mut asked = question();
    let slug = |require: &Require, asked: &Question| lacks(require, asked).map(|(slug, _)| slug);
    assert_eq!(slug(&require(None, Some("m"), Some(true)), &asked), None);
    assert_eq!(slug(&require(None, Some("n"), None), &asked), Some("require_model"));
    assert_eq!(slug(&require(None, None, Some(false)), &asked), Some("require_stream"));
    assert_eq!(slug(&require(Some("*"), None, None), &asked), Some("require_bearer"));
    asked.headers.insert("authorization", "Bearer key".parse().unwrap());
    for (bearer, lacking) in [("*", None), ("key", None), ("s3cret", Some("require_bearer"))] {
        let found = lacks(&require(Some(bearer), None, None), &asked);
        assert_eq!(found.as_ref().map(|(slug, _)| *slug), lacking);
        assert!(found.is_none_or(|(_, words)| !words.contains("s3cret")), "no key is told");
    }
}
