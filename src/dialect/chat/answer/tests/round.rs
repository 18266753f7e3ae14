//! Answers of several rounds: to the agent they are one.

use super::*;

/// How a model begins that says nothing but a call: the role comes with it.
fn opening(id: &str, name: &str) -> String {
    event(
        &format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"index":0,"id":"{id}","type":"function","function":{{"name":"{name}","arguments":""}}}}],"refusal":null}}"#
        ),
        "null",
    )
}

fn one_call(id: &str, name: &str) -> String {
    [opening(id, name).as_str(), &more(0, "{}"), FINISH, DONE].concat()
}

#[test]
fn the_role_is_told_once_whatever_it_comes_with() {
    let mut run = Run::new().with(&one_call("a", "bad"));
    run.remand();
    assert_eq!(run.took(), "");
    run = run.with(&one_call("b", "bad"));
    run.remand();
    run = run.with(&one_call("c", "good"));
    assert_eq!(run.took(), one_call("c", "good"));

    let begins = event(r#"{"role":"assistant","content":""}"#, "null");
    let mut told = Run::new().with(&[begins.as_str(), &one_call("a", "bad")].concat());
    told.remand();
    told = told.with(&[begins.as_str(), &one_call("b", "good")].concat());
    let without = one_call("b", "good").replace("\"role\":\"assistant\",", "");
    assert_eq!(told.took(), [begins.as_str(), &without].concat());
}

#[test]
fn words_of_our_own_begin_an_answer_that_nothing_began() {
    let mut unseen = Run::new();
    unseen.answer.refuse_unseen("bad", "{", "no".to_owned());
    let mut called = Run::new().with(&one_call("a", "bad"));
    for (run, role) in [
        (&mut unseen, r#""delta":{"role":"assistant","content":"No."}"#),
        (&mut called, r#""delta":{"content":"No."}"#),
    ] {
        run.remand();
        assert_eq!(run.took(), "");
        let mut out = Vec::new();
        run.answer.say_instead("No.", &mut out);
        run.keep(&out);
        let out = run.took();
        assert!(out.contains(role), "{out}");
        assert_eq!(out.matches("role").count(), 1, "{out}");
    }

    let mut resumed = Run::new().with(&one_call("a", "bad"));
    resumed.remand();
    let mut out = Vec::new();
    resumed.answer.resume(vec![Decision::Forward], &mut out);
    resumed.keep(&out);
    let out = resumed.took();
    assert!(
        out.starts_with(&event(r#"{"role":"assistant","content":null,"refusal":null}"#, "null")),
        "{out}"
    );
    assert!(out.contains(r#""delta":{"tool_calls":[{"index":0,"id":"a""#), "{out}");
}

/// What may still become an error is not begun.
#[test]
fn a_role_alone_waits_for_what_it_begins() {
    let mut run = Run::new();
    let two = [opening("a", "bad").as_str(), &more(0, "{}"), &begin(1, "b", "bad", "{}")].concat();
    run.round(&two).unwrap_err();
    assert_eq!(run.took(), "");
    run.round(&[begin(2, "c", "good", "{}").as_str(), FINISH, DONE].concat()).unwrap();
    let role = event(r#"{"role":"assistant","content":null,"refusal":null}"#, "null");
    assert_eq!(run.took(), [role.as_str(), &begin(0, "c", "good", "{}"), FINISH, DONE].concat());
}

#[test]
fn a_role_told_with_each_event_makes_no_noise_where_a_call_is_gone() {
    let with_role = |event: String| event.replace("\"delta\":{", "\"delta\":{\"role\":\"assistant\",");
    let stream = [
        with_role(say("Hm.")),
        with_role(begin(0, "a", "bad", "{")),
        with_role(more(0, "}")),
        with_role(begin(1, "b", "good", "{}")),
    ];
    let mut run = Run::new().with(&[stream.concat().as_str(), FINISH, DONE].concat());
    let kept = [stream[0].clone(), with_role(begin(0, "b", "good", "{}"))];
    assert_eq!(run.took(), [kept.concat().as_str(), FINISH, DONE].concat());
}

#[test]
fn no_two_rounds_make_the_same_id() {
    let nameless =
        |name: &str| [begin(0, "", name, "{}").replace("\"id\":\"\",", "").as_str(), FINISH, DONE].concat();
    let mut run = Run::new().with(&nameless("bad"));
    let first = run.answer.calls.slots[0].id.clone();
    run.remand();
    run = run.with(&nameless("good"));
    let second = run.answer.calls.slots[0].id.clone();
    assert!(first.starts_with("call_") && second.starts_with("call_") && first != second);
    assert!(run.took().contains(&second));
}

#[test]
fn a_byte_order_mark_stays_out_of_the_middle() {
    let mut run = Run::new().with(&format!("\u{feff}{}", one_call("a", "bad")));
    run.remand();
    run = run.with(&format!("\u{feff}{}", one_call("b", "good")));
    assert_eq!(run.took(), one_call("b", "good"));
}

#[test]
fn usage_is_told_as_of_each_event() {
    let said = |text: &str, output: u32| {
        say(text).replace(
            "\"choices\"",
            &format!("\"usage\":{{\"prompt_tokens\":9,\"completion_tokens\":{output},\"total_tokens\":{}}},\"choices\"", 9 + output),
        )
    };
    let mut run = Run::new().with(&[said("Hm.", 5), one_call("a", "bad")].concat());
    run.remand();
    run.took();
    let call = begin(0, "b", "good", "{}");
    run = run.with(&[said("Now", 3).as_str(), &call, &said("!", 7), FINISH, DONE].concat());
    let expected = [said("\\n\\nNow", 8).as_str(), &call, &said("!", 12), FINISH, DONE].concat();
    assert_eq!(run.took(), expected);
}

#[test]
fn the_head_is_that_of_the_first_round_that_had_one() {
    let mut run = Run::new();
    run.answer.refuse_unseen("bad", "{", "no".to_owned());
    run.remand();
    run = run.with(&[opening("b", "good").as_str(), &more(0, "{}"), DONE].concat());
    let out = run.took();
    assert!(out.starts_with(&opening("b", "good")), "{out}");
    assert!(out.ends_with(
        "data: {\"id\":\"A\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"
    ), "{out}");
}

#[test]
fn what_came_in_pieces_is_remembered_for_streams_only() {
    let thought = event(r#"{"reasoning":"a","details":[{"n":1}],"annotations":[]}"#, "null");
    let mut run = Run::new().with(&[thought.as_str(), &thought, &one_call("a", "bad")].concat());
    let elements = run.remand();
    assert!(elements[0].contains(r#""reasoning":"aa","details":[{"n":1},{"n":1}]"#), "{}", elements[0]);
    run = run.with(&one_call("b", "good"));
    let (hidden, _) = run.answer.aside().unwrap();
    let expected = [("reasoning", "\"aa\""), ("details", r#"[{"n":1},{"n":1}]"#)];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(hidden.rounds[0].others, expected);

    let whole = WHOLE.replace("\"content\"", "\"reasoning\":\"a\",\"content\"");
    let mut whole_run = Run::new().whole(&whole.replace("NAME", "bad"));
    whole_run.remand();
    whole_run = whole_run.whole(&whole.replace("NAME", "good"));
    assert_eq!(whole_run.answer.aside().unwrap().0.rounds[0].others, []);
}

#[test]
fn an_answer_is_a_stream_or_one_piece_in_all_of_its_rounds() {
    let mut run = Run::new().with(&one_call("a", "bad"));
    run.remand();
    let body = Bytes::from(WHOLE.replace("NAME", "good"));
    assert_eq!(run.feed(Frame::of_whole(body), true), Err(Broken::Mixed));
    let mut whole = Run::new().whole(&WHOLE.replace("NAME", "bad"));
    whole.remand();
    assert_eq!(whole.round(&one_call("b", "good")), Err(Broken::Mixed));
    assert_eq!((run.took().as_str(), whole.took().as_str()), ("", ""));
}
