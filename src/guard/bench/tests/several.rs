//! Several calls in the place of one.

use super::*;

#[test]
fn glued_calls_are_taken_apart_and_judged_each() {
    let verdict = judge("set_count", r#"{"n":1}{"n":"2"}"#);
    let Verdict::Rewrite(rewrite) = verdict else { panic!("{verdict:?}") };
    let texts: Vec<_> = rewrite.calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(texts, [r#"{"n":1}"#, r#"{"n":2}"#]);
    assert_eq!(rewrite.reasons, [Reason::CallsSplit, Reason::ArgumentsCoerced]);
    assert_eq!(refused("set_count", r#"{"n":1}{"n":"two"}"#).0, Reason::Invalid);
    assert_eq!(
        judge("set_count", r#"{"n":1}{"n":1}"#),
        rewritten("set_count", r#"{"n":1}"#, &[Reason::ArgumentsRepaired])
    );
}

#[test]
fn one_call_at_a_time_is_not_taken_apart() {
    let single = request("", r#","parallel_tool_calls":false"#);
    let refusal = refusal(judge_with(&single, &rules(), &call("set_count", r#"{"n":1}{"n":2}"#)));
    assert_eq!(refusal.reason, Reason::Unreadable);
    assert!(refusal.text.contains("one call at a time"), "{}", refusal.text);
    let legacy = Call { kind: CallKind::Legacy, ..call("set_count", r#"{"n":1}{"n":2}"#) };
    assert!(matches!(judge_with(&request("", ""), &rules(), &legacy), Verdict::Refuse(_)));
    let legacy = Call { kind: CallKind::Legacy, ..call("set_count", r#"{"n":"1"}"#) };
    assert!(matches!(judge_with(&request("", ""), &rules(), &legacy), Verdict::Rewrite(_)));
}

#[test]
fn a_wrapper_is_expanded_where_every_recipient_is_offered() {
    let verdict = judge(
        "functions.multi_tool_use.parallel",
        r#"{"tool_uses":[{"recipient_name":"functions.set_count","parameters":{"n": 1}},
            {"recipient_name":"read_file","parameters":"{\"path\":\"a\"}"},{"recipient_name":"list_all"}]}"#,
    );
    let Verdict::Rewrite(rewrite) = verdict else { panic!("{verdict:?}") };
    let calls: Vec<_> =
        rewrite.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
    assert_eq!(calls, [("set_count", r#"{"n": 1}"#), ("read_file", r#"{"path":"a"}"#), ("list_all", "{}")]);
    assert_eq!(rewrite.reasons, [Reason::CallsExpanded, Reason::ArgumentsRepaired]);
}

#[test]
fn a_wrapper_that_is_wrong_in_one_place_is_wrong() {
    for (arguments, reason) in [
        (r#"{"tool_uses":[{"recipient_name":"functions.set_counts","parameters":{}}]}"#, Reason::UnknownTool),
        (
            r#"{"tool_uses":[{"recipient_name":"multi_tool_use.parallel","parameters":{}}]}"#,
            Reason::UnknownTool,
        ),
        (r#"{"tool_uses":[{"recipient_name":"apply_patch","parameters":{}}]}"#, Reason::UnknownTool),
        (r#"{"tool_uses":[{"recipient_name":"read_file","parameters":{}}]}"#, Reason::Invalid),
        (r#"{"tool_uses":[]}"#, Reason::Unreadable),
        (r#"{"tool_uses":[{"name":"read_file"}]}"#, Reason::Unreadable),
        (r#"{"tool_uses":[{"recipient_name":"read_file","parameters":[1]}]}"#, Reason::Unreadable),
        (r#"{"uses":1}"#, Reason::Unreadable),
        ("", Reason::Unreadable),
        (r#"{"tool_uses":["#, Reason::Truncated),
    ] {
        assert_eq!(refused("multi_tool_use.parallel", arguments).0, reason, "{arguments}");
    }
}
