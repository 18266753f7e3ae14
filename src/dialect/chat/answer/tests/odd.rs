//! Streams as providers send them that have never read how they should.

use super::*;

/// A piece with whatever members.
fn piece(members: &str) -> String {
    event(&format!(r#"{{"tool_calls":[{{{members}}}]}}"#), "null")
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

/// Some agents take the first of two, some the last, some both; some take a list's place for the list.
#[test]
fn what_two_agents_would_read_in_two_ways_is_not_let_through() {
    let call = r#""index":0,"id":"a""#;
    let good = r#""function":{"name":"good","arguments":"{}"}"#;
    let bad = r#""function":{"name":"bad","arguments":"{"}"#;
    let choice = |members: &str| format!("data: {{\"choices\":[{{\"index\":0,{members}}}]}}\n\n");
    let delta = |members: &str| choice(&format!("\"delta\":{{{members}}}"));
    let calls = |members: &str| delta(&format!("\"tool_calls\":[{{{call},{members}}}]"));
    for odd in [
        format!(r#"data: {{"choices":[{{"delta":{{"tool_calls":[{{{call},{bad}}}]}}}}],"choices":[]}}"#)
            + "\n\n",
        format!(r#"data: {{"choices":{{"0":{{"delta":{{"tool_calls":[{{{call},{bad}}}]}}}}}}}}"#) + "\n\n",
        choice(&format!(r#""delta":{{"tool_calls":[{{{call},{bad}}}]}},"delta":{{"content":"Hm."}}"#)),
        choice(&format!(r#""delta":{{"content":"Hm."}},"message":{{"tool_calls":[{{{call},{bad}}}]}}"#)),
        choice(&format!(
            r#""delta":{{"tool_calls":[{{{call},{good}}}]}},"message":{{"tool_calls":[{{{call},{bad}}}]}}"#
        )),
        choice(&format!(r#""delta":[{{"tool_calls":[{{{call},{bad}}}]}}]"#)),
        delta(&format!(r#""tool_calls":[{{{call},{bad}}}],"tool_calls":[{{{call},{good}}}]"#)),
        delta(&format!(r#""Tool_Calls":[{{{call},{bad}}}]"#)),
        delta(r#""function_call":{"name":"bad","arguments":"{"},"function_call":null"#),
        calls(&format!("{bad},{good}")),
        calls(&format!(r#"{good},"index":1"#)),
        calls(&format!(r#"{good},"name":"bad""#)),
        calls(&format!(r#"{good},"custom":{{"name":"bad","input":"{{"}}"#)),
        calls(r#""function":{"name":"bad","name":"good","arguments":"{}"}"#),
        calls(r#""function":{"name":"good","arguments":"{","arguments":"{}"}"#),
        calls(r#""function":{"name":"good","arguments":"{}","input":"{"}"#),
        calls(r#""function":{"name":"good","Arguments":"{"}"#),
        calls(r#""function":{"name":"good","argument\u0073":"{","arguments":"{}"}"#),
        calls(good)
            .replace("\"index\":0,\"delta\"", "\"at\":NaN,\"delta\"")
            .replace("tool_calls", "tool\\u005fcalls"),
    ] {
        let mut run = Run::new();
        assert_eq!(run.round(&odd), Err(Broken::Unreadable), "{odd}");
        assert_eq!(run.took(), "");
    }
}

#[test]
fn members_given_twice_that_hold_no_call_are_no_matter() {
    let twice = r#"{"content":"Hm.","content":"Hm."}"#;
    let stream = [
        event(twice, "null"),
        event(r#"{"content":"Hm."},"delta":{"content":"Hm."}"#, "null"),
        event(r#"{"content":"Hm."},"message":{"role":"assistant","content":"Hm."}"#, "null"),
    ];
    let stream = [stream.concat().as_str(), STOP, DONE].concat();
    assert_eq!(Run::new().with(&stream).took(), stream);
}

#[test]
fn a_call_that_stands_in_no_function_is_judged_as_one() {
    let flat = |name: &str| {
        event(
            &format!(
                r#"{{"tool_calls":[{{"index":0,"id":"a","function":null,"name":"{name}","arguments":"{{}}"}}]}}"#
            ),
            "null",
        )
    };
    let good = [flat("good").as_str(), FINISH, DONE].concat();
    assert_eq!(Run::new().with(&good).took(), good);
    for bad in [flat("bad"), flat("good").replace("{}\"", "{\"")] {
        let run = Run::new().with(&[bad.as_str(), FINISH, DONE].concat());
        assert!(run.answer.must_wait() && run.out.is_empty(), "{}", run.out);
    }
}

/// Some agents of streams read `message` where there is no `delta`.
#[test]
fn a_message_in_a_stream_is_read_where_there_is_no_delta() {
    let message = |name: &str| {
        begin(0, "a", name, "{}").replace("\"delta\"", "\"message\"").replace("\"index\":0,\"id\"", "\"id\"")
    };
    let good = [message("good").as_str(), FINISH, DONE].concat();
    assert_eq!(Run::new().with(&good).took(), good);
    let refused = Run::new().with(&[message("bad").as_str(), FINISH, DONE].concat());
    assert!(refused.answer.must_wait() && refused.out.is_empty());

    // The whole answer once more, at the end.
    let call = r#"{"id":"a","type":"function","function":{"name":"NAME","arguments":"{\"x\":1}"}}"#;
    let again = format!(
        "data: {{\"choices\":[{{\"index\":0,\"finish_reason\":\"tool_calls\",\"message\":{{\"content\":\"Hm.\",\"tool_calls\":[{call}]}}}}]}}\n\n"
    );
    let told = |name: &str| {
        let pieces = [say("Hm."), begin(0, "a", name, ""), more(0, "{\"x\":1}"), again.replace("NAME", name)];
        [pieces.concat().as_str(), DONE].concat()
    };
    let mut run = Run::new().with(&told("good"));
    assert_eq!(run.took(), told("good"));
    assert_eq!(run.answer.told.sent, "Hm.");
    let mut run = Run::new().with(&told("bad"));
    assert_eq!(run.took(), say("Hm."));
    assert_eq!(run.remand().len(), 2);
    let other = told("good").replace("{\\\"x\\\":1}\"}}]}}]}", "{\\\"x\\\":\"}}]}}]}");
    assert_ne!(other, told("good"));
    let mut run = Run::new().with(&other);
    assert_eq!(run.took().matches("\\\"x\\\"").count(), 1, "the cut one is refused");
}

#[test]
fn what_says_again_what_delta_says_goes_with_it() {
    let twice = |name: &str, finish: &str| {
        let call = format!(
            r#"{{"tool_calls":[{{"index":0,"id":"a","function":{{"name":"{name}","arguments":"{{}}"}}}}]}}"#
        );
        event(&format!("{call},\"message\":{call}"), finish)
    };
    let good = [twice("good", "null").as_str(), FINISH, DONE].concat();
    assert_eq!(Run::new().with(&good).took(), good);
    let upper = [twice("upper", "null").as_str(), FINISH, DONE].concat();
    assert_eq!(Run::new().with(&upper).took(), [begin(0, "a", "good", "{}").as_str(), FINISH, DONE].concat());
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
