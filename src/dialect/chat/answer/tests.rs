mod odd;
mod room;
mod round;

use bytes::Bytes;

use crate::dialect::chat::event;
use crate::dialect::{Answer, Broken, CallKind, Closing, Decision, Dialect, NewCall, Transcript};
use crate::wire::lenient::{Shape, shape};
use crate::wire::sse::{Frame, Framer};

fn transcript(extra: &str) -> Transcript {
    let tools = ["good", "bad", "edit_existing_file"]
        .map(|name| format!(r#"{{"type":"function","function":{{"name":"{name}"}}}}"#))
        .join(",");
    let body = format!(
        r#"{{"stream":true,"messages":[{{"role":"user","content":"go"}}],"tools":[{tools}]{extra}}}"#
    );
    Dialect::Chat.read(body.into()).unwrap()
}

/// One answer, read to its end; calls of `bad` are refused.
struct Run {
    answer: Answer,
    out: String,
}

impl Run {
    fn new() -> Self {
        Self { answer: Answer::new(&transcript(""), 1 << 20), out: String::new() }
    }

    fn with(mut self, round: &str) -> Self {
        self.round(round).unwrap();
        self
    }

    fn round(&mut self, round: &str) -> Result<(), Broken> {
        let mut framer = Framer::new(usize::MAX);
        framer.push(Bytes::copy_from_slice(round.as_bytes()));
        while let Some(frame) = framer.next_frame().unwrap() {
            self.feed(frame, false)?;
        }
        let mut out = Vec::new();
        if !self.answer.must_wait() {
            self.answer.end(&mut out)?;
        }
        self.keep(&out);
        Ok(())
    }

    fn feed(&mut self, frame: Frame, whole: bool) -> Result<(), Broken> {
        self.answer.push(frame, whole)?;
        while let Some(pending) = self.answer.next_call() {
            let sound = shape(&pending.call.arguments) == Shape::Object && !pending.cut && !pending.too_large;
            let decision = match &*pending.call.name {
                "bad" => Decision::Refuse("no".to_owned()),
                "upper" => Decision::Replace(vec![NewCall {
                    name: "good".to_owned(),
                    arguments: pending.call.arguments.to_lowercase(),
                }]),
                "two" => Decision::Replace(vec![
                    NewCall { name: "good".to_owned(), arguments: r#"{"n":1}"#.to_owned() },
                    NewCall { name: "good".to_owned(), arguments: r#"{"n":2}"#.to_owned() },
                ]),
                _ if !sound => Decision::Refuse("unreadable".to_owned()),
                _ => Decision::Forward,
            };
            self.answer.decide(pending.position, decision);
        }
        let mut out = Vec::new();
        while self.answer.release(&mut out) {}
        self.keep(&out);
        Ok(())
    }

    fn whole(mut self, body: &str) -> Self {
        self.feed(Frame::of_whole(Bytes::copy_from_slice(body.as_bytes())), true).unwrap();
        self
    }

    fn remand(&mut self) -> Vec<String> {
        let mut out = Vec::new();
        let elements = self.answer.remand(&mut out);
        self.keep(&out);
        elements.iter().map(|element| String::from_utf8(element.to_vec()).unwrap()).collect()
    }

    fn close(&mut self, closing: Closing) {
        self.answer.close(closing);
        let mut out = Vec::new();
        while self.answer.release(&mut out) {}
        self.answer.end(&mut out).unwrap();
        self.keep(&out);
    }

    fn keep(&mut self, out: &[Bytes]) {
        for bytes in out {
            self.out.push_str(std::str::from_utf8(bytes).unwrap());
        }
    }

    fn took(&mut self) -> String {
        std::mem::take(&mut self.out)
    }
}

fn event(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"A\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
    )
}

fn begin(index: usize, id: &str, name: &str, arguments: &str) -> String {
    let arguments = crate::wire::canonical::quote(arguments);
    event(
        &format!(
            r#"{{"tool_calls":[{{"index":{index},"id":"{id}","type":"function","function":{{"name":"{name}","arguments":{arguments}}}}}]}}"#
        ),
        "null",
    )
}

fn more(index: usize, arguments: &str) -> String {
    let arguments = crate::wire::canonical::quote(arguments);
    event(
        &format!(r#"{{"tool_calls":[{{"index":{index},"function":{{"arguments":{arguments}}}}}]}}"#),
        "null",
    )
}

fn say(text: &str) -> String {
    event(&format!(r#"{{"content":"{text}"}}"#), "null")
}

const FINISH: &str =
    "data: {\"id\":\"A\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";
const STOP: &str =
    "data: {\"id\":\"A\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
const DONE: &str = "data: [DONE]\n\n";

fn ended(stream: &[String]) -> String {
    [stream.concat().as_str(), FINISH, DONE].concat()
}

#[test]
fn what_is_good_goes_out_as_it_came() {
    let stream = [
        ": hello\r\n\r\n".to_owned(),
        event(r#"{"role":"assistant","content":""}"#, "null"),
        say("Preparing \\ud83d\\ude00"),
        begin(0, "a", "good", ""),
        more(0, r#"{"x": "#),
        more(0, "1.10}"),
        begin(1, "b", "good", "{}"),
        FINISH.to_owned(),
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n".to_owned(),
        DONE.to_owned(),
    ]
    .concat();
    let mut run = Run::new().with(&stream);
    assert_eq!(run.took(), stream);
    assert!(run.answer.is_over());
    assert_eq!(run.answer.aside(), None);
}

#[test]
fn a_call_is_held_until_the_next_one_starts_or_the_end_comes() {
    let mut run = Run::new();
    run.round(&[begin(0, "a", "good", "{}")].concat()).unwrap_err();
    assert_eq!(run.took(), "");
    assert!(run.answer.is_holding());
    run.round(&begin(1, "b", "good", "{")).unwrap_err();
    assert_eq!(run.took(), begin(0, "a", "good", "{}"));
    run.round(&[more(1, "}"), STOP.replace("stop", "tool_calls"), DONE.to_owned()].concat()).unwrap();
    assert_eq!(
        run.took(),
        [begin(1, "b", "good", "{"), more(1, "}"), FINISH.to_owned(), DONE.to_owned()].concat()
    );
}

#[test]
fn a_refused_sibling_leaves_no_trace_and_the_numbers_stay_dense() {
    let stream = [
        begin(0, "a", "good", "{}"),
        begin(1, "b", "bad", r#"{"x":1}"#),
        begin(2, "c", "good", "{}"),
        FINISH.to_owned(),
        DONE.to_owned(),
    ];
    let mut run = Run::new().with(&stream.concat());
    let third = stream[2].replace("\"index\":2", "\"index\":1");
    assert_eq!(run.took(), [stream[0].as_str(), &third, FINISH, DONE].concat());
    let (hidden, visible) = run.answer.aside().unwrap();
    assert_eq!(visible.ids, ["a", "c"]);
    assert_eq!(hidden.siblings[0].position, 1);
    assert_eq!(
        hidden.siblings[0].call,
        r#"{"id":"b","type":"function","function":{"name":"bad","arguments":"{\"x\":1}"}}"#
    );
    assert_eq!(hidden.siblings[0].result, r#"{"role":"tool","tool_call_id":"b","content":"no"}"#);
}

#[test]
fn a_refused_call_in_one_event_with_a_good_one_is_cut_out() {
    let stream = [
        event(
            r#"{"role":"assistant","content":"Hi","tool_calls":[{"index":0,"id":"b","function":{"name":"bad","arguments":"{}"}}, {"index":1,"id":"a","function":{"name":"good","arguments":"{}"}}]}"#,
            "\"tool_calls\"",
        ),
        DONE.to_owned(),
    ];
    let mut run = Run::new().with(&stream.concat());
    let expected = event(
        r#"{"role":"assistant","content":"Hi","tool_calls":[{"index":0,"id":"a","function":{"name":"good","arguments":"{}"}}]}"#,
        "\"tool_calls\"",
    );
    assert_eq!(run.took(), [expected.as_str(), DONE].concat());
}

#[test]
fn a_further_round_continues_the_first_ones_answer() {
    let mut run = Run::new().with(
        &[
            event(r#"{"role":"assistant","content":""}"#, "null"),
            say("Preparing."),
            begin(0, "call_1", "bad", r#"{"x":1}"#),
            FINISH.to_owned(),
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":20}}\n\n"
                .to_owned(),
            DONE.to_owned(),
        ]
        .concat(),
    );
    assert_eq!(
        run.took(),
        [event(r#"{"role":"assistant","content":""}"#, "null"), say("Preparing.")].concat()
    );
    assert!(run.answer.must_wait());
    assert_eq!(
        run.remand(),
        [
            r#"{"role":"assistant","content":"Preparing.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"bad","arguments":"{\"x\":1}"}}]}"#,
            r#"{"role":"tool","tool_call_id":"call_1","content":"no"}"#
        ]
    );
    assert_eq!(run.took(), "");
    let second = [
        event(r#"{"role":"assistant","content":""}"#, "null"),
        say("Retrying."),
        begin(0, "call_2", "good", "{}"),
        FINISH.to_owned(),
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":150,\"completion_tokens\":25,\"total_tokens\":175}}\n\n"
            .to_owned(),
        DONE.to_owned(),
    ]
    .concat();
    run = run.with(&second.replace("\"id\":\"A\"", "\"id\":\"B\""));
    assert_eq!(
        run.took(),
        [
            say("\\n\\nRetrying."),
            begin(0, "call_2", "good", "{}"),
            FINISH.to_owned(),
            "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":150,\"completion_tokens\":45,\"total_tokens\":195}}\n\n"
                .to_owned(),
            DONE.to_owned()
        ]
        .concat()
    );
    let (hidden, visible) = run.answer.aside().unwrap();
    assert_eq!(
        (hidden.rounds.len(), hidden.text, visible.ids),
        (1, "Preparing.\n\n".len(), vec!["call_2".to_owned()])
    );
}

#[test]
fn a_replaced_call_goes_out_in_one_piece_and_may_become_two() {
    let stream = [
        begin(0, "a", "upper", ""),
        more(0, r#"{"X":"Y"}"#),
        begin(1, "b", "two", "{}"),
        FINISH.to_owned(),
        DONE.to_owned(),
    ];
    let mut run = Run::new().with(&stream.concat());
    let out = run.took();
    assert!(out.starts_with(&begin(0, "a", "good", r#"{"x":"y"}"#)), "{out}");
    assert!(out.contains(r#"{"index":1,"id":"b","type":"function","function":{"name":"good","arguments":"{\"n\":1}"}},{"index":2,"id":"call_"#));
    assert_eq!(out.matches("data: ").count(), 4);
}

#[test]
fn oddly_numbered_and_named_pieces_find_their_calls() {
    for (name, stream, expected) in [
        (
            "one index for all",
            [begin(0, "a", "good", "{}"), begin(0, "b", "good", "{}")],
            [begin(0, "a", "good", "{}"), begin(1, "b", "good", "{}")],
        ),
        (
            "the name repeated",
            [begin(0, "a", "good", "{"), begin(0, "a", "good", "}")],
            [begin(0, "a", "good", "{"), more(0, "}")],
        ),
        (
            "the name in parts",
            [begin(0, "a", "edit_ex", ""), begin(0, "", "isting_file", "{}")],
            [begin(0, "a", "edit_existing_file", ""), more(0, "{}")],
        ),
        (
            "an empty id later",
            [begin(0, "a", "good", "{"), begin(0, "", "", "}")],
            [begin(0, "a", "good", "{"), more(0, "}")],
        ),
        (
            "no index",
            [
                begin(0, "a", "good", "{").replace("\"index\":0,\"id\"", "\"id\""),
                more(0, "}").replace("\"index\":0,\"function\"", "\"function\""),
            ],
            [begin(0, "a", "good", "{"), more(0, "}")],
        ),
        (
            "numbers from 1",
            [begin(1, "a", "good", "{}"), begin(2, "b", "good", "{}")],
            [begin(0, "a", "good", "{}"), begin(1, "b", "good", "{}")],
        ),
        (
            "pieces of two calls in turn",
            [begin(0, "a", "good", "{") + &begin(1, "b", "good", "{"), more(0, "}") + &more(1, "}")],
            [begin(0, "a", "good", "{") + &begin(1, "b", "good", "{"), more(0, "}") + &more(1, "}")],
        ),
    ] {
        let mut run = Run::new().with(&[stream.concat().as_str(), FINISH, DONE].concat());
        assert_eq!(run.took(), [expected.concat().as_str(), FINISH, DONE].concat(), "{name}");
    }
}

#[test]
fn the_end_tells_the_truth() {
    let call = begin(0, "a", "good", "{}");
    let mut wrong_label = Run::new().with(&[&call, STOP, DONE].concat());
    assert_eq!(wrong_label.took(), [&call, FINISH, DONE].concat());
    let mut no_done = Run::new().with(&[&call, FINISH].concat());
    assert_eq!(no_done.took(), [&call, FINISH, DONE].concat());
    let mut no_finish = Run::new().with(&[&call, DONE].concat());
    assert!(no_finish.took().contains("\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]"));
    let mut neither = Run::new();
    assert_eq!(neither.round(&call), Err(Broken::Unfinished));
    assert_eq!(neither.took(), "");
}

#[test]
fn a_cut_call_is_never_let_out() {
    for finish in ["length", "stop", "tool_calls"] {
        let stream = [begin(0, "a", "good", r#"{"path":"x"#), STOP.replace("stop", finish), DONE.to_owned()];
        let mut run = Run::new().with(&stream.concat());
        assert_eq!(run.took(), "", "{finish}");
        run.close(Closing::Length);
        assert_eq!(run.took(), [STOP.replace("stop", "length").as_str(), DONE].concat());
    }
}

#[test]
fn words_may_stand_in_the_models_place() {
    let mut run = Run::new()
        .with(&[say("Hm."), begin(0, "a", "bad", "{}"), FINISH.to_owned(), DONE.to_owned()].concat());
    run.close(Closing::Words("It was \"refused\".".to_owned()));
    let out = run.took();
    assert!(out.contains(r#""delta":{"content":"\n\nIt was \"refused\"."}"#), "{out}");
    assert!(out.ends_with(&[STOP, DONE].concat()));
}

#[test]
fn what_repeats_a_released_call_is_dropped_and_what_goes_on_with_it_breaks_the_stream() {
    let calls = [begin(0, "a", "good", r#"{"n":1}"#), begin(1, "b", "good", "{}")].concat();
    let mut run = Run::new().with(&[&calls, &more(0, r#"{"n":1}"#), FINISH, DONE].concat());
    let out = run.took();
    assert_eq!(out.matches(r#"{\"n\":1}"#).count(), 1, "{out}");
    let mut other = Run::new();
    assert_eq!(other.round(&[calls, more(0, r#"{"n":2}"#)].concat()), Err(Broken::Reopened { position: 0 }));
}

#[test]
fn past_the_limit_a_call_is_refused_and_its_text_let_go() {
    let mut run = Run { answer: Answer::new(&transcript(""), 64), out: String::new() };
    let stream = [
        begin(0, "a", "good", "{\"x\":\""),
        more(0, &"y".repeat(100)),
        more(0, "\"}"),
        FINISH.to_owned(),
        DONE.to_owned(),
    ];
    run.round(&stream.concat()).unwrap();
    assert_eq!(run.took(), "");
    assert!(run.answer.must_wait());
}

#[test]
fn an_error_of_the_provider_ends_what_is_held() {
    let error = "data: {\"error\":{\"message\":\"overloaded\",\"code\":502}}\n\n";
    let mut run = Run::new().with(&[&begin(0, "a", "good", "{"), error].concat());
    assert_eq!(run.took(), error);
}

#[test]
fn words_come_behind_what_their_event_says() {
    let call = r#""tool_calls":[{"index":0,"id":"a","function":{"name":"bad","arguments":"{}"}}]"#;
    for (delta, expected) in [
        (format!(r#"{{"role":"assistant",{call}}}"#), r#"{"role":"assistant","content":"No."}"#),
        (
            format!(r#"{{"role":"assistant","content":null,{call}}}"#),
            r#"{"role":"assistant","content":"No."}"#,
        ),
        (format!(r#"{{{call},"content":"Hm."}}"#), r#"{"content":"Hm.\n\nNo."}"#),
    ] {
        let mut run = Run::new().with(&[event(&delta, "\"tool_calls\""), DONE.to_owned()].concat());
        assert_eq!(run.took(), "");
        run.close(Closing::Words("No.".to_owned()));
        assert_eq!(run.took(), [event(expected, "\"stop\"").as_str(), DONE].concat());
    }
}

#[test]
fn an_error_of_the_provider_is_not_made_a_good_end() {
    let end = "data: {\"error\":{\"code\":502},\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"error\"}]}\n\ndata: [DONE]\n\n";
    let before = [begin(0, "a", "good", "{}"), begin(1, "b", "good", "{")].concat();
    let mut run = Run::new().with(&[&before, end].concat());
    assert_eq!(run.took(), [&begin(0, "a", "good", "{}"), end].concat());
    assert_eq!(run.answer.aside(), None);
}

#[test]
fn what_cannot_be_read_goes_on_unless_it_may_hold_a_call() {
    let odd = "data: ping\n\ndata: {\"choices\":[NaN]}\n\n";
    let mut run = Run::new().with(&[odd, "data: [DONE]\n\n"].concat());
    assert_eq!(run.took(), [odd, "data: [DONE]\n\n"].concat());
    assert_eq!(Run::new().whole("maintenance").took(), "maintenance");
    let call = begin(0, "a", "good", "{}").replace("\"index\":0", "\"index\":NaN");
    assert_eq!(Run::new().round(&call), Err(Broken::Unreadable));
}

#[test]
fn a_call_is_what_it_holds_whatever_it_says_of_itself() {
    let event = |call: &str| format!("{{\"choices\":[{{\"delta\":{{\"tool_calls\":[{call}]}}}}]}}");
    let kind = |call: &str| {
        let read = event::read(&event(call), false).ok()?;
        Some(read.choices.first()?.fragments.first()?.kind)
    };
    let arguments = r#""function":{"name":"good","arguments":"{}"}"#;
    let free = r#""custom":{"name":"good","input":"{"}"#;
    assert_eq!(kind(&format!(r#"{{"type":"custom",{arguments}}}"#)), Some(CallKind::Function));
    assert_eq!(kind(&format!(r#"{{{free},"type":"function"}}"#)), Some(CallKind::Custom));
    assert_eq!(kind(r#"{"type":"custom","id":"a"}"#), Some(CallKind::Custom));
    assert_eq!(kind(&format!("{{{arguments},{free}}}")), None);
    let streamed = |calls: [&str; 2]| calls.map(|call| format!("data: {}\n\n", event(call))).concat();
    let changed =
        streamed([r#"{"index":0,"id":"a","type":"custom"}"#, &format!(r#"{{"index":0,{arguments}}}"#)]);
    assert_eq!(Run::new().round(&changed), Err(Broken::Unreadable));
}

const WHOLE: &str = r#"{ "id":"W", "choices":[{"index":0,"message":{"role":"assistant","content":"Hm","tool_calls":[{"id":"a","type":"function","function":{"name":"NAME","arguments":"{\"X\":1}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}"#;

#[test]
fn a_whole_answer_is_a_stream_of_one_event() {
    let mut good = Run::new().whole(&WHOLE.replace("NAME", "good"));
    assert_eq!(good.took(), WHOLE.replace("NAME", "good"));
    let mut upper = Run::new().whole(&WHOLE.replace("NAME", "upper"));
    assert_eq!(upper.took(), WHOLE.replace("NAME", "good").replace('X', "x"));
    let mut bad = Run::new().whole(&WHOLE.replace("NAME", "bad"));
    assert_eq!(bad.took(), "");
    bad.remand();
    bad = bad.whole(&WHOLE.replace("NAME", "good").replace("Hm", "Again"));
    assert_eq!(
        bad.took(),
        WHOLE
            .replace("NAME", "good")
            .replace("Hm", "Hm\\n\\nAgain")
            .replace(":2,\"total_tokens\":3", ":4,\"total_tokens\":5")
    );
}

#[test]
fn a_whole_answer_can_end_in_words() {
    let mut bad = Run::new().whole(&WHOLE.replace("NAME", "bad"));
    bad.close(Closing::Words("No.".to_owned()));
    let out = bad.took();
    assert!(
        out.contains(r#""message":{"role":"assistant","content":"Hm\n\nNo."},"finish_reason":"stop""#),
        "{out}"
    );
}
