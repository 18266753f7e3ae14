//! What is broken in a request beside its history.

use super::*;

#[track_caller]
fn check_body(given: &str, expected: &str, reasons: &[&str]) {
    let mended = mend(&read(given.to_owned()), &Notices::default()).expect(given);
    assert_eq!(mended.transcript.text(), expected, "{given}");
    assert_eq!(codes(&mended), reasons, "{given}");
    check_sound("mended again", expected);
}

#[test]
fn an_empty_list_of_tools_goes_and_with_it_what_is_said_of_them() {
    let reasons = &["mended_empty"];
    check_body(r#"{"messages":[],"tools":[]}"#, r#"{"messages":[]}"#, reasons);
    check_body(
        "\n{ \"tools\": [ ] , \"tool_choice\":\"auto\", \"model\":\"m\",\"parallel_tool_calls\":true}\n",
        "\n{ \"model\":\"m\"}\n",
        reasons,
    );
    check_body(
        r#"{"tool_choice":"none","messages":[],"functions":[],"function_call":"auto"}"#,
        r#"{"messages":[]}"#,
        reasons,
    );
    check_body(
        r#"{"tools":[{"type":"web_search"}],"functions":[],"tool_choice":"auto"}"#,
        r#"{"tools":[{"type":"web_search"}],"tool_choice":"auto"}"#,
        reasons,
    );
    for sound in [
        r#"{"messages":[],"tools":[null],"tool_choice":"auto"}"#,
        r#"{"messages":[],"tools":null,"tool_choice":"auto"}"#,
        r#"{"messages":[],"tool_choice":"auto"}"#,
        r#"{"messages":[],"tools":[],"tools":[{"type":"web_search"}]}"#,
    ] {
        check_sound(sound, sound);
    }
}

#[test]
fn half_an_emoji_is_made_readable_wherever_it_stands() {
    check_body(
        r#"{"user":"\ud83d","messages":[{"role":"user","content":"a\uDE00 \ud83d\ude00 \\ud83d"}]}"#,
        r#"{"user":"\ufffd","messages":[{"role":"user","content":"a\ufffd \ud83d\ude00 \\ud83d"}]}"#,
        &["mended_text"],
    );
    let whole = r#"{"messages":[{"role":"user","content":"\ud83d\ude00 \\ud83d"}]}"#;
    check_sound("whole ones stay", whole);
}

#[test]
fn only_what_is_broken_is_changed() {
    let given = format!(
        "\r\n{{ \"seed\":1234567890123456789,\"messages\" :\t[ {USER} ,{},\n{STEER}\t],\"tools\":[], \"x\":[-0,1e999]}} \n",
        calls(&["a"])
    );
    let told = given
        .replace(&format!(",\n{STEER}"), &format!(",{},\n{STEER}", lost("a")))
        .replace("\"tools\":[], ", "");
    check_body(&given, &told, &["mended_missing", "mended_empty"]);
}

#[test]
fn a_history_of_nothing_but_broken_elements_is_told_whole() {
    let told = format!("{{\"messages\":[ {{\"role\":\"user\",\"content\":\"{ORPHAN}\\nx\"}} ]}}");
    check_body(
        &format!("{{\"messages\":[ {}, {} ]}}", result("a", "x"), result("b", "")),
        &told,
        &["mended_orphan"],
    );
}
