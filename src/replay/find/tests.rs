use super::*;

const BODY: &str = r#"{
    "model": "m", "stream": true, "stream_options": {"include_usage": true}, "odd": 1e999,
    "tool_choice": {"type": "function", "function": {"name": "f"}},
    "tools": [{"type": "function", "function": {"name": "f"}}, {"type": "custom", "custom": {"name": "p"}}, 5],
    "messages": [
        {"role": "system", "content": "S \ud800"},
        {"role": "user", "content": "first"},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "a"}]},
        {"role": "tool", "tool_call_id": "a", "content": "old"},
        {"role": "user", "content": [{"type": "text", "text": "se"}, {"type": "image_url"}, {"type": "text", "text": "cond"}]},
        {"role": "assistant", "content": "calling"},
        {"role": "tool", "tool_call_id": "b", "content": "new one"},
        {"role": "tool", "tool_call_id": "c", "content": "new two \udfff"}
    ]
}"#;

fn question() -> Question {
    Question::read("/v1/chat/completions", BODY.as_bytes())
}

fn ask(when: When) -> Vec<&'static str> {
    failures(&when, &question()).into_iter().map(|failed| failed.condition).collect()
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
    assert_eq!(question.results[0], "new one");
    assert!(question.results[1].starts_with("new two \u{fffd}"));
    assert_eq!(question.tools, ["f", "p"]);
    assert_eq!(question.tool_choice.as_deref(), Some("f"));
}

#[test]
fn reads_a_choice_given_as_a_word() {
    let question =
        Question::read("/chat/completions", br#"{"messages": [], "tool_choice": "none", "stream": null}"#);
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
    };
    assert_eq!(ask(near).len(), 11);
}

#[test]
fn serves_each_step_once_unless_it_repeats() {
    let script = Script::new().step(Step::new().say("a")).step(Step::new().say("b").repeat());
    let mut served = vec![0; 2];
    let turns: Vec<_> = (0..3).map(|_| find(&script, &mut served, &question()).unwrap()).collect();
    let turn = |step, served| Turn { step, served };
    assert_eq!(turns, [turn(0, 0), turn(1, 0), turn(1, 1)]);
}

#[test]
fn answers_other_paths_only_where_a_step_names_them() {
    let script =
        Script::new().step(Step::new().say("chat")).step(Step::new().on_path("/embeddings").say("other"));
    let mut served = vec![0; 2];
    let question = Question::read("/v1/embeddings", b"not json");
    assert_eq!(find(&script, &mut served, &question).unwrap().step, 1);
    let question = Question::read("/v1/files", b"");
    assert!(find(&script, &mut served, &question).is_err());
}

#[test]
fn answers_an_unreadable_body_only_where_nothing_is_asked_of_it() {
    let unread = Question::read("/v1/chat/completions", b"{\"messages\": 1}");
    assert!(unread.unread.is_some());
    let asks = Script::new().step(Step::new().on_turn(0).say("a"));
    let why = find(&asks, &mut [0], &unread).unwrap_err();
    assert!(why.contains("body: expected a chat completion, got "), "{why}");
    assert!(find(&Script::new().step(Step::new().say("a")), &mut [0], &unread).is_ok());
}

#[test]
fn a_miss_names_the_nearest_step_and_what_failed_there() {
    let script = Script::new()
        .step(Step::new().named("far").on_user("x").on_turn(7).say("a"))
        .step(Step::new().named("near").on_user("se").on_turn(3).say("b"))
        .step(Step::new().on_user("cond").say("c"));
    let mut served = vec![0, 0, 1];
    insta::assert_snapshot!(
        find(&script, &mut served, &question()).unwrap_err(),
        @"no step matches; the nearest is step 2 (near): turn: expected 3, got 2; used up: step 3"
    );
    assert_eq!(served, [0, 0, 1], "a miss uses up nothing");
}

#[test]
fn a_miss_says_when_the_step_has_been_used_up() {
    let script = Script::new().step(Step::new().say("a"));
    insta::assert_snapshot!(
        find(&script, &mut [1], &question()).unwrap_err(),
        @"no step matches; the nearest is step 1: it has served already and does not repeat"
    );
    assert_eq!(find(&Script::new(), &mut [], &question()).unwrap_err(), "the script has no steps");
}

#[test]
fn long_texts_are_cut_in_messages() {
    assert_eq!(quoted(&"é".repeat(121)), format!("\"{}…\"", "é".repeat(120)));
    assert_eq!(quoted(&"é".repeat(120)), format!("\"{}\"", "é".repeat(120)));
}
