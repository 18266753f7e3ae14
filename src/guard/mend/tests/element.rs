//! What stands where it should, and cannot be sent as it is.

use super::*;
use crate::wire::canonical::quote;

/// An answer with one call, its function as given.
fn call(function: &str) -> String {
    format!(
        r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"a","type":"function","function":{function}}}]}}"#
    )
}

fn with_arguments(arguments: &str) -> String {
    call(&format!(r#"{{"name":"look","arguments":{arguments}}}"#))
}

#[track_caller]
fn check_answer(what: &str, given: &str, expected: &str, reasons: &[&str]) {
    let ok = result("a", "ok");
    check(what, &history(&[USER, given, &ok, STEER]), &history(&[USER, expected, &ok, STEER]), reasons);
}

#[test]
fn arguments_that_cannot_be_read_are_kept_as_text_in_an_object() {
    for (what, given) in [
        ("cut", r#"{"path":"a"#),
        ("a path of Windows", r#"{"path":"C:\dir"}"#),
        ("prose", "look at it"),
        ("a list", "[1]"),
        ("a number", "7"),
        ("a string", r#""x""#),
        ("two objects", r#"{"a":1}{"a":2}"#),
    ] {
        let kept = format!(r#"{{"_invalid_arguments":{}}}"#, quote(given));
        check_answer(
            what,
            &with_arguments(&quote(given)),
            &with_arguments(&quote(&kept)),
            &["mended_arguments"],
        );
    }
}

#[test]
fn a_call_that_is_told_in_both_forms_is_one_call() {
    let listed =
        r#""tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{\"at\":1}"}}]"#;
    let same = r#""function_call":{"arguments":"{\u0022at\":1}","name":"look"}"#;
    let told = format!(r#"{{"role":"assistant",{listed},"content":null}}"#);
    for given in [
        format!(r#"{{"role":"assistant",{listed},{same},"content":null}}"#),
        format!(r#"{{"role":"assistant",{same},{listed},"content":null}}"#),
    ] {
        check_answer("both forms", &given, &told, &["mended_duplicate"]);
    }
    let other = same.replace("look", "find");
    let given = format!(r#"{{"role":"assistant",{listed},{other},"content":null}}"#);
    check_sound("two calls", &body(&history(&[USER, &given, &result("a", "ok"), STEER])));
    let null = format!(r#"{{"role":"assistant",{listed},"function_call":null,"content":null}}"#);
    check_sound("one form", &body(&history(&[USER, &null, &result("a", "ok"), STEER])));
}

#[test]
fn arguments_that_mean_one_object_are_told_as_that_object() {
    for (what, given, expected) in [
        ("nothing", "\"\"", "{}"),
        ("white space", "\" \\n\"", "{}"),
        ("null in a string", "\"null\"", "{}"),
        ("an empty list", "\"[]\"", "{}"),
        ("null", "null", "{}"),
        ("no string", "{ \"at\":1}", "{ \"at\":1}"),
        ("encoded twice", r#""\"{\\\"a\\\":1}\"""#, r#"{"a":1}"#),
        ("a comma too many", r#""{\"a\":1,}""#, r#"{"a":1}"#),
        ("half an emoji", r#""{\"a\":\"x\\ud83d\"}""#, r#"{"a":"x\ufffd"}"#),
    ] {
        check_answer(what, &with_arguments(given), &with_arguments(&quote(expected)), &["mended_arguments"]);
    }
    let absent = call(r#"{"name":"look"}"#);
    check_answer("absent", &absent, &with_arguments("\"{}\""), &["mended_arguments"]);
    let old = r#"{"role":"assistant","content":null,"function_call":{"name":"look","arguments":"{"}}"#;
    let told = old.replace("\"{\"", r#""{\"_invalid_arguments\":\"{\"}""#);
    let ok = r#"{"role":"function","name":"look","content":"ok"}"#;
    check("the first form", &history(&[old, ok]), &history(&[&told, ok]), &["mended_arguments"]);
}

#[test]
fn arguments_that_can_be_read_keep_their_bytes() {
    let ok = result("a", "ok");
    for arguments in [
        r#"" {\"a\" : 1e5}\n""#,
        r#""{\"a\":1,\"a\":2}""#,
        r#""{\"\u00e9\":\"\\ud83d\\ude00\"}""#,
        r#""\u007b}""#,
    ] {
        check_sound(arguments, &body(&history(&[USER, &with_arguments(arguments), &ok])));
    }
    let custom = r#"{"role":"assistant","tool_calls":[{"id":"a","type":"custom","custom":{"name":"patch","input":"*** {"}},{"id":"b","type":"custom","custom":{"name":"patch","input":""}}]}"#;
    check_sound("free text", &body(&history(&[USER, custom, &ok, &result("b", "ok")])));
    let lost = result("b", &LOST_LOOK.replace("look", "patch"));
    check(
        "free text without a result",
        &history(&[USER, custom, &ok]),
        &history(&[USER, custom, &ok, &lost]),
        &["mended_missing"],
    );
}

#[test]
fn a_name_that_the_api_does_not_allow_is_made_legal_unless_it_is_offered() {
    let named = |name: &str| call(&format!(r#"{{"name":"{name}","arguments":"{{}}"}}"#));
    let (long, longest) = ("n".repeat(65), "n".repeat(64));
    for (given, told) in [
        ("functions.look<|x|>", "functions_look__x__"),
        ("", "unnamed"),
        (long.as_str(), longest.as_str()),
        ("\\u00e9 b", "__b"),
    ] {
        check_answer(given, &named(given), &named(told), &["mended_name"]);
    }
    let offered = |tools: &str| {
        let elements = history(&[USER, &named("files.read"), &result("a", "ok")]);
        format!("{{\"messages\":[{}],\"tools\":[{tools}]}}", elements.join(","))
    };
    let unseen = format!("{{\"messages\":[{USER},{},{}]}}", named("files.read"), result("a", "ok"));
    check_sound("no tools are seen", &unseen);
    check_sound("offered", &offered(r#"{"type":"function","function":{"name":"files.read"}}"#));
    check_sound("not all tools are seen", &offered(r#"{"type":"web_search"}"#));
    let other = offered(r#"{"type":"function","function":{"name":"look"}}"#);
    let mended = mend(&read(other.clone()), &Notices::default()).unwrap();
    assert_eq!(mended.transcript.text(), other.replace("files.read", "files_read"));

    let old = |name: &str| {
        [
            format!(
                r#"{{"role":"assistant","content":null,"function_call":{{"name":"{name}","arguments":"{{}}"}}}}"#
            ),
            format!(r#"{{"role":"function","name":"{name}","content":"ok"}}"#),
        ]
    };
    check("the first form", &old("a.b"), &old("a_b"), &["mended_name"]);
    let [call, _] = old("a.b");
    let [told, _] = old("a_b");
    let lost = LOST_LOOK.replace("look", "a.b");
    let lost = format!(r#"{{"role":"function","name":"a_b","content":"{lost}"}}"#);
    check("and no result", &history(&[call]), &[told, lost], &["mended_name", "mended_missing"]);
}

#[test]
fn a_result_that_says_nothing_says_so() {
    let one = calls(&["a"]);
    let filled = |member: &str| format!(r#"{{"role":"tool","tool_call_id":"a"{member}}}"#);
    let told = filled(&format!(r#","content":"{NOTHING}""#));
    for content in [
        r#","content":"""#,
        r#","content":null"#,
        r#","content":[]"#,
        r#","content":[{"type":"text","text":""},{"type":"text"}]"#,
        "",
    ] {
        check(content, &history(&[&one, &filled(content)]), &history(&[&one, &told]), &["mended_empty"]);
    }
    for content in [
        r#","content":" ""#,
        r#","content":{}"#,
        r#","content":[{"type":"text","text":"x"},{"type":"text","text":""}]"#,
        r#","content":[{"type":"audio"}]"#,
    ] {
        check_sound(content, &body(&history(&[&one, &filled(content)])));
    }
}

#[test]
fn an_empty_list_of_calls_goes() {
    for (given, told) in [
        (r#"{"role":"assistant","content":"x","tool_calls":[]}"#, r#"{"role":"assistant","content":"x"}"#),
        (r#"{"role":"assistant","tool_calls":[ ],"content":"x"}"#, r#"{"role":"assistant","content":"x"}"#),
        (r#"{"role":"assistant","content":null,"tool_calls":[]}"#, r#"{"role":"assistant","content":""}"#),
        (r#"{"role":"assistant","tool_calls":[]}"#, r#"{"role":"assistant","content":""}"#),
    ] {
        check(given, &history(&[USER, given, STEER]), &history(&[USER, told, STEER]), &["mended_empty"]);
    }
    let both = r#"{"role":"assistant","content":null,"tool_calls":[],"function_call":{"name":"look","arguments":"{}"}}"#;
    let ok = r#"{"role":"function","name":"look","content":"ok"}"#;
    let told = both.replace(r#","tool_calls":[]"#, "");
    check("beside the first form", &history(&[both, ok]), &history(&[&told, ok]), &["mended_empty"]);
}

#[test]
fn an_answer_without_calls_has_a_content() {
    let empty = r#"{"role":"assistant","content":""}"#;
    let call = with_arguments(r#""{}""#);
    check_answer("beside a call", &call.replace("null", "[]"), &call, &["mended_empty"]);
    for (given, told) in [
        (r#"{"role":"assistant","content":null}"#, empty),
        (r#"{"role":"assistant","content": [ ]}"#, r#"{"role":"assistant","content": ""}"#),
        (r#"{"role":"assistant"}"#, empty),
        (
            r#"{"content":null,"role":"assistant","tool_calls":null}"#,
            r#"{"content":"","role":"assistant","tool_calls":null}"#,
        ),
        (r#"{"role":"assistant","content":[],"tool_calls":[]}"#, empty),
        (
            r#"{"role":"assistant","content":null,"refusal":null,"reasoning_content":"Hm."}"#,
            r#"{"role":"assistant","content":"","refusal":null,"reasoning_content":"Hm."}"#,
        ),
    ] {
        check(given, &history(&[USER, given, STEER]), &history(&[USER, told, STEER]), &["mended_empty"]);
        check(given, &history(&[USER, given]), &history(&[USER, told]), &["mended_empty"]);
    }
    for given in [
        empty,
        r#"{"role":"assistant","content":" "}"#,
        r#"{"role":"assistant","content":null,"refusal":"No."}"#,
        r#"{"role":"assistant","content":null,"audio":{"id":"a"}}"#,
    ] {
        check_sound(given, &body(&history(&[USER, given, STEER])));
    }
}

#[test]
fn a_call_that_stands_in_the_content_too_is_told_once() {
    let calls = r#""tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}}]"#;
    let said = |content: &str| format!(r#"{{"role":"assistant","content":{content},{calls}}}"#);
    let used = r#"{"type":"tool_use","id":"a","name":"look","input":{}}"#;
    let text = r#"{"type":"text","text":"x"}"#;
    for (content, told) in [
        (format!("[{used}]"), "null".to_owned()),
        (format!("[{text},{used}]"), format!("[{text}]")),
        (format!("[{used}, {text}]"), format!("[{text}]")),
    ] {
        check_answer(&content, &said(&content), &said(&told), &["mended_duplicate"]);
    }
    let other = used.replace("\"a\"", "\"b\"");
    let ok = result("a", "ok");
    check_sound("another id", &body(&history(&[USER, &said(&format!("[{other}]")), &ok])));
}

#[test]
fn an_image_in_a_result_is_shown_by_the_user_behind_all_results() {
    let image = |name: &str| format!(r#"{{"type":"image_url","image_url":{{"url":"data:{name}"}}}}"#);
    let note = r#"{"type":"text","text":"(The image in this result follows below.)"}"#;
    let label = r#"{"type":"text","text":"The image from the result of look:"}"#;
    let parts =
        |id: &str, parts: &str| format!(r#"{{"role":"tool","tool_call_id":"{id}","content":[{parts}]}}"#);
    let two = calls(&["a", "b"]);
    let text = r#"{"type":"text","text":"t"}"#;
    let (one, more) = (image("1"), [image("2"), image("3")]);
    check(
        "in both results",
        &history(&[
            USER,
            &two,
            &parts("a", &format!("{text},{one}")),
            &parts("b", &format!("{},{text}, {}", more[0], more[1])),
            STEER,
        ]),
        &history(&[
            USER,
            &two,
            &parts("a", &format!("{text},{note}")),
            &parts("b", &format!("{note},{text}")),
            &format!(r#"{{"role":"user","content":[{label},{one},{label},{},{}]}}"#, more[0], more[1]),
            STEER,
        ]),
        &["mended_image"],
    );
    check(
        "in one that comes late",
        &history(&[USER, &two, &result("b", "ok"), STEER, &parts("a", &one)]),
        &history(&[
            USER,
            &two,
            &parts("a", note),
            &result("b", "ok"),
            &format!(r#"{{"role":"user","content":[{label},{one}]}}"#),
            STEER,
        ]),
        &["mended_image", "mended_moved"],
    );
    check_sound("text parts", &body(&history(&[&calls(&["a"]), &parts("a", &format!("{text},{text}"))])));
}
