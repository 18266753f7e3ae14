use bytes::Bytes;

use super::*;

fn transcript(body: &str) -> Transcript {
    read(Bytes::copy_from_slice(body.as_bytes()), None).unwrap()
}

#[test]
fn notes_what_the_guard_asks_for() {
    let transcript = transcript(
        r#"{"model":"m","n":2,"stream":true,"stream_options":{"include_usage":true},"parallel_tool_calls":false,
        "tool_choice":"required","messages":[{"role":"user","content":"hi"}],
        "tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}},{"type":"custom","custom":{"name":"patch"}}]}"#,
    );
    assert_eq!(transcript.model().as_deref(), Some("m"));
    assert_eq!((transcript.choices, transcript.stream, transcript.usage), (2, true, true));
    assert_eq!(
        (transcript.parallel, transcript.tool_choice, transcript.closed),
        (false, ToolChoice::Required, true)
    );
    let kinds: Vec<_> = transcript.tools.iter().map(|tool| (tool.name.as_str(), tool.kind)).collect();
    assert_eq!(kinds, [("f", CallKind::Function), ("patch", CallKind::Custom)]);
    assert_eq!(transcript.json(transcript.tools[0].schema.unwrap()).text(), r#"{"type":"object"}"#);
}

#[test]
fn reads_calls_and_the_results_that_answer_them() {
    let transcript = transcript(
        r#"{"messages":[
          {"role":"assistant","content":null,"tool_calls":[
            {"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 1}"}},
            {"id":"b","type":"custom","custom":{"name":"patch","input":"*** Begin"}},
            {"id":"c","type":"function","function":{"name":"g","arguments":{"x":1}}}]},
          {"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}]}"#,
    );
    let calls = transcript.calls(&transcript.elements[0]);
    let read: Vec<_> =
        calls.iter().map(|call| (&*call.id, &*call.name, &*call.arguments, call.kind)).collect();
    assert_eq!(
        read,
        [
            ("a", "f", r#"{"x": 1}"#, CallKind::Function),
            ("b", "patch", "*** Begin", CallKind::Custom),
            ("c", "g", r#"{"x":1}"#, CallKind::Function),
        ]
    );
    assert_eq!(transcript.answers(&transcript.elements[1]).as_deref(), Some("a"));
    assert_eq!(transcript.content(&transcript.elements[1]), "one\ntwo");
}

#[test]
fn reads_the_first_form_of_calls() {
    let transcript = transcript(
        r#"{"functions":[{"name":"f"}],"messages":[
          {"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},
          {"role":"function","name":"f","content":"done"}]}"#,
    );
    assert_eq!(transcript.calls(&transcript.elements[0])[0].kind, CallKind::Legacy);
    assert_eq!(transcript.result_name(&transcript.elements[1]).as_deref(), Some("f"));
    assert_eq!(transcript.elements[1].role, Role::Tool);
}

#[test]
fn a_hosted_or_deferred_tool_leaves_the_catalogue_open() {
    assert!(!transcript(r#"{"tools":[{"type":"web_search"}],"messages":[]}"#).closed);
    assert!(
        !transcript(r#"{"tools":[{"function":{"name":"f"},"defer_loading":true}],"messages":[]}"#).closed
    );
    assert!(transcript(r#"{"messages":[]}"#).closed);
}

#[test]
fn leaves_what_it_does_not_understand() {
    let odd = transcript(
        r#"{"messages":["x",{"role":7},{"role":"critic","content":{"a":1}}],"tools":null,"n":-3}"#,
    );
    assert!(odd.elements.iter().all(|element| element.role == Role::Other));
    assert_eq!(odd.choices, 1);
    assert!(matches!(read(Bytes::from_static(b"[1]"), None), Err(Unread::NotAnObject)));
    assert!(
        matches!(read(Bytes::from_static(b"{\"a\":1"), None), Err(Unread::NotJson(malformed)) if malformed.truncated)
    );
    assert!(matches!(read(Bytes::from_static(b"{\"a\":\"\xff\"}"), None), Err(Unread::NotUtf8)));
}

#[test]
fn passes_over_lone_surrogates_and_long_numbers() {
    let transcript = transcript(
        r#"{"messages":[{"role":"user","content":"\ud83d","id":12345678901234567890,"x":1e999}]}"#,
    );
    assert_eq!(transcript.content(&transcript.elements[0]), "\u{fffd}");
}

/// Joined anew for each part, this copies some 90 GB, and the test does not come to its end.
#[test]
fn many_parts_are_joined_in_one_text() {
    let parts = vec![r#""a""#; 300_000].join(",");
    let body = format!(r#"{{"messages":[{{"role":"tool","tool_call_id":"c","content":[{parts}]}}]}}"#);
    let transcript = read(Bytes::from(body), None).unwrap();
    assert_eq!(transcript.content(&transcript.elements[0]), vec!["a"; 300_000].join("\n"));
}
