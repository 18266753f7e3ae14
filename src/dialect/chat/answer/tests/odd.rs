//! Streams as providers send them that have never read how they should.

use super::*;

/// A piece with whatever members.
fn piece(members: &str) -> String {
    event(&format!(r#"{{"tool_calls":[{{{members}}}]}}"#), "null")
}

fn ended(stream: &[String]) -> String {
    [stream.concat().as_str(), FINISH, DONE].concat()
}

#[test]
fn what_is_said_in_delta_and_message_is_said_once() {
    let call = r#"{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"NAME","arguments":"{}"}}]}"#;
    let both = format!(
        "data: {{\"choices\":[{{\"index\":0,\"message\":{call},\"delta\":{call},\"logprobs\":null}}]}}\n\n"
    );
    let clean = ended(&[both.replace("NAME", "good")]);
    assert_eq!(Run::new().with(&clean).took(), clean);
    let mut upper = Run::new().with(&ended(&[both.replace("NAME", "upper")]));
    let alone = format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{call},\"logprobs\":null}}]}}\n\n");
    assert_eq!(upper.took(), ended(&[alone.replace("NAME", "good")]));
    let mut bad = Run::new().with(&ended(&[both.replace("NAME", "bad"), begin(1, "b", "good", "{}")]));
    assert_eq!(bad.took(), ended(&[begin(0, "b", "good", "{}")]));
}

#[test]
fn pieces_find_their_calls_however_they_are_marked() {
    for (name, stream, expected) in [
        (
            "the id with each piece",
            vec![begin(0, "a", "good", "{"), piece(r#""index":0,"id":"a","function":{"arguments":"}"}"#)],
            vec![begin(0, "a", "good", "{"), more(0, "}")],
        ),
        (
            "another id with each piece",
            vec![begin(0, "a", "good", "{"), piece(r#""index":0,"id":"x","function":{"arguments":"}"}"#)],
            vec![begin(0, "a", "good", "{"), more(0, "}")],
        ),
        (
            "another id with each piece, and no number",
            vec![
                piece(r#""id":"a","type":"function","function":{"name":"good","arguments":"{"}"#),
                piece(r#""id":"x","function":{"arguments":"}"}"#),
            ],
            vec![begin(0, "a", "good", "{"), more(0, "}")],
        ),
        (
            "one id for two calls",
            vec![
                begin(0, "a", "good", "{}"),
                begin(1, "a", "edit_existing_file", "{"),
                piece(r#""index":1,"id":"a","function":{"arguments":"}"}"#),
            ],
            vec![begin(0, "a", "good", "{}"), begin(1, "MINTED", "edit_existing_file", "{"), more(1, "}")],
        ),
        (
            "no ids, one number",
            vec![
                piece(r#""index":0,"id":"a","type":"function","function":{"name":"good","arguments":"{}"}"#),
                piece(r#""index":0,"function":{"name":"edit_existing_file","arguments":""}"#),
                piece(r#""index":0,"function":{"arguments":"{}"}"#),
            ],
            vec![begin(0, "a", "good", "{}"), begin(1, "MINTED", "edit_existing_file", ""), more(1, "{}")],
        ),
        (
            "a name repeated with nothing more to say",
            vec![
                piece(r#""id":"a","type":"function","function":{"name":"good","arguments":"{}"}"#),
                piece(r#""function":{"name":"good","arguments":""}"#),
            ],
            vec![begin(0, "a", "good", "{}"), more(0, "")],
        ),
        (
            "a number only from the second piece on",
            vec![
                piece(r#""id":"a","type":"function","function":{"name":"good","arguments":"{"}"#),
                more(0, "}"),
            ],
            vec![begin(0, "a", "good", "{"), more(0, "}")],
        ),
    ] {
        let mut run = Run::new().with(&ended(&stream));
        let minted = run.answer.calls.slots.last().unwrap().id.clone();
        assert_eq!(run.took(), ended(&expected).replace("MINTED", &minted), "{name}");
    }
}

#[test]
fn a_name_that_is_offered_does_not_grow_by_being_repeated() {
    let twice = [begin(0, "a", "good", ""), begin(0, "", "good", "{}")];
    let body = r#"{"messages":[],"tools":[{"function":{"name":"good"}},{"function":{"name":"goodgood"}}]}"#;
    let transcript = Dialect::Chat.read(body.into()).unwrap();
    let run = Run { answer: Answer::new(&transcript, 1 << 20), out: String::new() };
    assert_eq!(run.with(&ended(&twice)).answer.calls.slots[0].name, "good");
}

#[test]
fn a_piece_that_says_nothing_is_no_call() {
    let nothing = event(r#"{"content":null,"tool_calls":[null]}"#, "null");
    let mut run = Run::new().with(&[nothing.as_str(), &say("Hm."), STOP, DONE].concat());
    assert_eq!(run.took(), [say("Hm.").as_str(), STOP, DONE].concat());
    for members in [r#""tool_calls":[]"#, r#""tool_calls":null"#] {
        let stream =
            [event(&format!(r#"{{"content":"Hm.",{members}}}"#), "null").as_str(), STOP, DONE].concat();
        assert_eq!(Run::new().with(&stream).took(), stream, "{members}");
    }
}

#[test]
fn an_event_that_cannot_be_read_holds_no_call_or_breaks_the_stream() {
    let mut other = Run::new().with(&["data: {\"progress\": NaN}\n\n", STOP, DONE].concat());
    assert!(other.took().starts_with("data: {\"progress\": NaN}\n\n"));
    let call = begin(0, "a", "good", "{}");
    for unreadable in
        [call.replace("\"A\"", "NaN"), call.replace("\"A\"", "\"\\x\""), call.replace("}]}", "")]
    {
        let mut run = Run::new();
        assert_eq!(run.round(&unreadable), Err(Broken::Unreadable), "{unreadable}");
        assert_eq!(run.took(), "");
    }
    let mut answer = Answer::new(&transcript(""), 1 << 20);
    let mut framer = Framer::new(usize::MAX);
    framer.push(Bytes::from([call.as_bytes(), b"data: \xff tool_calls\n\n"].concat()));
    answer.push(framer.next_frame().unwrap().unwrap(), false).unwrap();
    assert_eq!(answer.push(framer.next_frame().unwrap().unwrap(), false), Err(Broken::Unreadable));
}

#[test]
fn a_call_that_begins_behind_the_finish_must_end_as_well() {
    let late = [begin(0, "a", "good", "{}").as_str(), FINISH, &begin(1, "b", "good", "{}")].concat();
    let mut run = Run::new();
    assert_eq!(run.round(&late), Err(Broken::Unfinished));
    assert!(!run.took().contains("\"b\""));
    let mut whole = Run::new().with(&[late.as_str(), DONE].concat());
    assert_eq!(whole.took(), [late.as_str(), DONE].concat());
}

#[test]
fn the_end_may_be_written_with_blanks_and_told_twice() {
    let call = begin(0, "a", "good", "{}");
    let stream = [call.as_str(), FINISH, FINISH, "data:  [DONE] \r\n\r\n"].concat();
    assert_eq!(Run::new().with(&stream).took(), stream);
    let first_form = STOP.replace("stop", "function_call");
    let mut run = Run::new().with(&[&call, &first_form, DONE].concat());
    assert_eq!(run.took(), [&call, FINISH, DONE].concat());
}

#[test]
fn a_whole_answer_with_calls_says_that_it_ended_with_calls() {
    let good = WHOLE.replace("NAME", "good");
    for (finish, expected) in [
        (r#""finish_reason":null"#, r#""finish_reason":"tool_calls""#),
        (r#""finish_reason":"""#, r#""finish_reason":"tool_calls""#),
        (r#""finish_reason":"stop""#, r#""finish_reason":"tool_calls""#),
        (r#""finish_reason":"length""#, r#""finish_reason":"length""#),
        (r#""logprobs":1"#, r#""logprobs":1,"finish_reason":"tool_calls""#),
    ] {
        let odd = good.replace(r#""finish_reason":"tool_calls""#, finish);
        let told = good.replace(r#""finish_reason":"tool_calls""#, expected);
        assert_eq!(Run::new().whole(&odd).took(), told, "{finish}");
    }
    let plain = r#"{"choices":[{"message":{"role":"assistant","content":"Hm"},"finish_reason":null}]}"#;
    assert_eq!(Run::new().whole(plain).took(), plain);
}

#[test]
fn a_member_given_twice_counts_as_it_was_given_last() {
    let call = |name: &str| {
        format!(r#"{{"index":0,"id":"{name}","function":{{"name":"{name}","arguments":"{{}}"}}}}"#)
    };
    let twice =
        event(&format!(r#"{{"tool_calls":[{}],"tool_calls":[{}]}}"#, call("bad"), call("good")), "null");
    let mut run = Run::new().with(&[twice.as_str(), FINISH, DONE].concat());
    assert_eq!(run.took(), [twice.as_str(), FINISH, DONE].concat());
}

#[test]
fn what_is_kept_of_a_call_past_the_limit_is_not_cut_in_an_escape() {
    for pad in 0..8 {
        let mut run = Run { answer: Answer::new(&transcript(""), 2048), out: String::new() };
        let text = format!("{{}}{}{}", " ".repeat(pad), "\n".repeat(2000));
        run.round(&ended(&[begin(0, "a", "good", &text)])).unwrap();
        let elements = run.remand().join(",");
        assert!(serde_json::from_str::<serde_json::Value>(&format!("[{elements}]")).is_ok(), "{elements}");
    }
}

/// Each piece costs what it holds, whatever came before it. Nothing here counts that: were each to cost what all
/// before it hold, this would take minutes.
#[test]
fn many_pieces_and_many_calls_take_no_longer_each_than_few() {
    let bad = ended(&[begin(0, "a", "bad", "{}")]);
    let pieces: Vec<_> = (0..10_000).map(|_| more(0, "xxxxxxxx}{")).collect();
    let long = [begin(0, "b", "good", "{\"x\":\""), pieces.concat(), more(0, "\"}")];
    let mut run = Run::new().with(&bad);
    run.remand();
    run = run.with(&ended(&long));
    assert!(run.took().len() > 1 << 19);
    let calls: Vec<_> = (0..10_000).map(|index| begin(index, &format!("c{index}"), "good", "{}")).collect();
    assert_eq!(Run::new().with(&ended(&calls)).took(), ended(&calls));
}

#[test]
fn calls_in_an_object_are_not_let_through_unjudged() {
    let odd =
        event(r#"{"tool_calls":{"index":0,"id":"a","function":{"name":"good","arguments":"{"}}}"#, "null");
    assert_eq!(Run::new().round(&odd), Err(Broken::Unreadable));
}
