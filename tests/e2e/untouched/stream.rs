//! Streams in every dress that providers give them.

use std::sync::LazyLock;

use remand::replay::{Script, Step};

use super::asking;
use crate::court::{Court, Cut, transcript};
use crate::scene::Scene;

/// An event of the first choice, with an id, a number that no float holds, and a member nobody knows.
fn event(delta: &str, finish: &str) -> String {
    format!(
        "data: {{\"id\":\"c-1\",\"created\":1234567890123456789,\"x\":{{\"p\":1.10}},\"choices\":[{{\"delta\":{delta},\"index\":0,\"finish_reason\":{finish}}}]}}\n\n"
    )
}

fn call(index: u32, id: &str, arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).unwrap();
    event(
        &format!(
            r#"{{"tool_calls":[{{"index":{index},"id":"{id}","type":"function","function":{{"name":"look","arguments":{arguments}}}}}]}}"#
        ),
        "null",
    )
}

fn more(index: u32, raw: &str) -> String {
    event(&format!(r#"{{"tool_calls":[{{"index":{index},"function":{{"arguments":"{raw}"}}}}]}}"#), "null")
}

fn say(raw: &str) -> String {
    event(&format!(r#"{{"content":"{raw}"}}"#), "null")
}

fn finish(reason: &str) -> String {
    event("{}", &format!("\"{reason}\""))
}

const ROLE: &str = r#"{"role":"assistant","content":""}"#;
const DONE: &str = "data: [DONE]\n\n";

/// What is right, however it is written: its name, and the stream.
fn clean() -> Vec<(&'static str, String)> {
    let mut clean = framed();
    clean.extend(called());
    clean.extend(told());
    clean
}

/// Begins, says something, calls, ends.
fn usual() -> String {
    [WORDS.as_str(), &CALLS, &END].concat()
}

static BEGIN: LazyLock<String> = LazyLock::new(|| event(ROLE, "null"));
static WORDS: LazyLock<String> = LazyLock::new(|| [BEGIN.as_str(), &say("Hm, "), &say("go on.")].concat());
static CALLS: LazyLock<String> =
    LazyLock::new(|| [call(0, "a", ""), more(0, r#"{\"at\": 1234567890123456789"#), more(0, "}")].concat());
static END: LazyLock<String> = LazyLock::new(|| [finish("tool_calls").as_str(), DONE].concat());

/// How events are written.
fn framed() -> Vec<(&'static str, String)> {
    let all = usual();
    let fields = "\n: OPENROUTER PROCESSING\n\n:\nevent: x\nid: 7\nretry: 10\nnonsense\ndata: ";
    let parts = [r#"{\"at\": \"\\u00e9 \ud83d"#, r#"\ude00 \\ud800\"}"#].map(|part| more(0, part)).concat();
    let escapes = [say("\\u00fc\\ud83d\\ude00 \\/ \\ud800"), call(0, "a", ""), parts, END.clone()];
    let wide = [say("äöü 日本 🙂"), call(0, "a", "{\"at\":\"日本 🙂\"}"), END.clone()];
    vec![
        ("a plain chat", [WORDS.as_str(), &finish("stop"), DONE].concat()),
        ("a call", all.clone()),
        ("CRLF", all.replace('\n', "\r\n")),
        ("CR", all.replace('\n', "\r")),
        ("no space behind the colon", all.replace("data: ", "data:")),
        ("a byte order mark", format!("\u{feff}{all}")),
        ("comments, fields and blank lines", format!(": hello\n\n{}", all.replace("data: ", fields))),
        ("one event in several lines", all.replace(",\"choices\"", "\ndata: ,\"choices\"")),
        ("white space", all.replace(":{", " :\t{ ").replace("},", " } , ")),
        ("duplicate keys", all.replace("\"index\":0,\"finish", "\"index\":1,\"index\":0,\"finish")),
        ("escapes", escapes.concat()),
        ("characters of several bytes", wide.concat()),
        (
            "data that is no JSON",
            [&BEGIN, "data: ping\n\ndata\n\ndata:\n\n", &say("Hm"), &finish("stop"), DONE].concat(),
        ),
        ("something behind the end", all + ": bye\n\ndata: {\"choices\":[],\"late\":true}\n\n"),
        ("no blank line at the end", [WORDS.as_str(), &finish("stop"), "data: [DONE]"].concat()),
    ]
}

/// How calls are told.
fn called() -> Vec<(&'static str, String)> {
    let ended = |events: &[&str]| [events.concat().as_str(), &END].concat();
    let delta = |delta: &str| event(delta, "null");
    let first_form = |inner: &str| delta(&format!("{{\"function_call\":{{{inner}}}}}"));
    let look = r#"{"index":0,"id":"a","type":"function","function":{"name":"look","arguments":"{}"}}"#;
    let two = format!("{{\"tool_calls\":[{look},{}]}}", look.replace(":0", ":1").replace("\"a\"", "\"b\""));
    let nulls = look.replace("\"a\"", "null").replace("\"look\"", "null").replace("\"function\",", "null,");
    let later = delta(&format!("{{\"tool_calls\":[{nulls}]}}"));
    let untyped = call(0, "a", "").replace("\"type\":\"function\",", "");
    let extra = "\"extra_content\":{\"s\":[1.0,\"\\u0041\"]},\"index\":0,\"id\"";
    let details = "\"delta\":{\"reasoning_details\":[{\"t\":1e400}],";
    let unknown = CALLS.replace("\"index\":0,\"id\"", extra).replace("\"delta\":{", details);
    let none = [
        r#"{"content":"Hm","tool_calls":[]}"#,
        r#"{"content":"Hm","tool_calls":null}"#,
        r#"{"content":"","function_call":null}"#,
    ];
    vec![
        (
            "parallel calls, in turn",
            ended(&[&call(0, "a", ""), &call(1, "b", ""), &more(0, "{"), &more(1, "{}"), &more(0, "}")]),
        ),
        ("several pieces in one event", [event(&two, "\"tool_calls\"").as_str(), DONE].concat()),
        ("no type, and later an id and a name that are null", ended(&[&untyped, &later])),
        (
            "arguments that are null at first",
            ended(&[&call(0, "a", "").replace("\"\"", "null"), &more(0, "{}")]),
        ),
        ("no calls, in every way", [none.map(delta).concat().as_str(), &finish("stop"), DONE].concat()),
        ("text behind a call", ended(&[&CALLS, &say("So.")])),
        (
            "text and a call in one event",
            ended(&[&call(0, "a", "{}").replace("{\"tool_calls\"", "{\"content\":\"So.\",\"tool_calls\"")]),
        ),
        ("members nobody knows", ended(&[&unknown])),
        (
            "the first form of calls",
            [
                first_form(r#""name":"look","arguments":"""#).as_str(),
                &first_form(r#""arguments":"{}""#),
                &finish("function_call"),
                DONE,
            ]
            .concat(),
        ),
    ]
}

/// What else is told.
fn told() -> Vec<(&'static str, String)> {
    let all = usual();
    let usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n";
    let calls = finish("tool_calls");
    let bare = "data: {\"id\":\"\",\"choices\":[],\"prompt_filter_results\":[]}\n\ndata: {\"id\":\"\"}\n\ndata: {\"choices\":null}\n\n";
    let thinking = r#"{"role":"assistant","content":[{"type":"thinking","thinking":[]}]}"#;
    let error = "event: error\ndata: {\"error\":{\"message\":\"overloaded\",\"code\":502}}\n\n";
    let two = [
        r#"{"index":1,"delta":{"content":"B"}},{"index":0,"delta":{"content":"A"}}"#,
        r#"{"index":0,"delta":{},"finish_reason":"stop"},{"index":1,"delta":{},"finish_reason":"stop"}"#,
    ];
    let counted = all.split_inclusive("\n\n").enumerate().map(|(count, event)| {
        let usage = format!("\"usage\":{{\"completion_tokens\":{count}}},\"choices\"");
        event.replace("\"choices\"", &usage)
    });
    let ended = |events: &[&str]| [events.concat().as_str(), DONE].concat();
    vec![
        ("usage in each event, counting up", counted.collect::<Vec<_>>().concat()),
        ("the role with each event", all.replace("\"delta\":{\"", "\"delta\":{\"role\":\"assistant\",\"")),
        ("the role null", all.replace(r#""role":"assistant","#, r#""role":null,"#)),
        ("no choices at first and at last", ended(&[bare, &WORDS, &CALLS, &calls, usage])),
        ("the finish twice, then usage", ended(&[&WORDS, &CALLS, &calls, &calls, usage])),
        ("no key for the finish until it comes", all.replace(",\"finish_reason\":null", "")),
        (
            "the finish in the event of the call",
            ended(&[&call(0, "a", "{}").replace("finish_reason\":null", "finish_reason\":\"tool_calls\"")]),
        ),
        ("a call whole at the output limit", ended(&[&CALLS, &finish("length")])),
        ("text cut at the output limit", ended(&[&WORDS, &finish("length")])),
        ("a filter", ended(&[&WORDS, &finish("content_filter")])),
        ("content in parts", ended(&[&event(thinking, "null"), &CALLS, &calls])),
        ("an error in the middle", [WORDS.as_str(), error].concat()),
        (
            "two choices where one was asked for",
            ended(
                &two.map(|choices| format!("data: {{\"choices\":[{choices}]}}\n\n"))
                    .each_ref()
                    .map(String::as_str),
            ),
        ),
    ]
}

#[test]
fn what_is_right_goes_through_as_it_came_wherever_it_is_cut() {
    let transcript = transcript(asking(true));
    for (name, stream) in clean() {
        for cut in Cut::ALL.into_iter().chain((2..40).map(Cut::Bytes)) {
            let mut court = Court::new(&transcript);
            court.hear(&cut.cut(stream.as_bytes())).unwrap();
            assert_eq!(String::from_utf8(court.out).unwrap(), stream, "{name}, {cut:?}");
            assert!(court.refused.is_empty() && court.rewritten.is_empty(), "{name}");
        }
    }
}

#[tokio::test]
async fn over_sockets_what_is_right_goes_through_as_it_came() {
    // A provider may send events where none were asked for.
    for asked in [true, false] {
        for (name, stream) in clean() {
            let script = Script::new().step(Step::new().raw_events(Cut::Random(3).cut(stream.as_bytes())));
            let scene = Scene::new(script, "").await;
            let got = scene.send(asking(asked)).await;
            assert_eq!(got.text(), stream, "{name}");
            assert!(got.clean, "{name}");
            assert_eq!(scene.sent(), [asking(asked)], "{name}");
        }
    }
}

/// What is changed, and the least change that does it.
fn mended() -> Vec<(&'static str, String, String)> {
    let begin = event(ROLE, "null");
    let done = |events: &[&str]| [events.concat().as_str(), DONE].concat();
    let whole = call(0, "a", "{}");
    let end = finish("tool_calls");
    let second =
        r#"{"tool_calls":[{"index":0,"id":"","type":"function","function":{"name":"","arguments":"}"}}]}"#;
    vec![
        ("no number", done(&[&whole.replace("\"index\":0,\"id\"", "\"id\""), &end]), done(&[&whole, &end])),
        (
            "numbers from 1",
            done(&[&call(1, "a", "{}"), &call(2, "b", "{}"), &end]),
            done(&[&whole, &call(1, "b", "{}"), &end]),
        ),
        (
            "one number for all",
            done(&[&whole, &call(0, "b", "{}"), &end]),
            done(&[&whole, &call(1, "b", "{}"), &end]),
        ),
        (
            "ids and names that are empty later",
            done(&[&call(0, "a", "{"), &event(second, "null"), &end]),
            done(&[&call(0, "a", "{"), &more(0, "}"), &end]),
        ),
        (
            "the id and the name with each piece",
            done(&[&call(0, "a", "{"), &call(0, "a", "}"), &end]),
            done(&[&call(0, "a", "{"), &more(0, "}"), &end]),
        ),
        (
            "the name in parts",
            done(&[
                &call(0, "a", "").replace("look", "lo"),
                &call(0, "a", "").replace("look", "ok"),
                &more(0, "{}"),
                &end,
            ]),
            done(&[&call(0, "a", ""), &more(0, ""), &more(0, "{}"), &end]),
        ),
        (
            "arguments that are an object",
            done(&[&whole.replace("\"{}\"", "{\"at\": 1.10}"), &end]),
            done(&[&whole.replace("{}\"", "{\\\"at\\\": 1.10}\""), &end]),
        ),
        ("a finish that is not true", done(&[&whole, &finish("stop")]), done(&[&whole, &end])),
        ("the first form's finish", done(&[&whole, &finish("function_call")]), done(&[&whole, &end])),
        ("no end", [whole.as_str(), &end].concat(), done(&[&whole, &end])),
        ("no end of a chat", [begin.as_str(), &finish("stop")].concat(), done(&[&begin, &finish("stop")])),
    ]
}

#[test]
fn what_is_odd_is_put_right_and_no_byte_more() {
    let transcript = transcript(asking(true));
    for (name, stream, expected) in mended() {
        for cut in Cut::ALL {
            let mut court = Court::new(&transcript);
            court.hear(&cut.cut(stream.as_bytes())).unwrap();
            assert_eq!(String::from_utf8(court.out).unwrap(), expected, "{name}, {cut:?}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_has_no_clean_end() {
    let begin = event(ROLE, "null");
    for (name, stream, relayed) in [
        ("in text", [begin.as_str(), &say("Hm")].concat(), [begin.as_str(), &say("Hm")].concat()),
        ("in a call", [begin.as_str(), &call(0, "a", "{}")].concat(), begin.clone()),
        ("in an event", [begin.as_str(), "data: {\"choi"].concat(), begin.clone()),
    ] {
        let script = Script::new().step(Step::new().raw_events([stream]));
        let got = Scene::new(script, "").await.send(asking(true)).await;
        assert!(got.text().starts_with(&relayed), "{name}: {}", got.text());
        assert!(!got.clean && !got.text().contains("[DONE]") && !got.text().contains("look"), "{name}");
    }
}
