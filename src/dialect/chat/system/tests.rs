use bytes::Bytes;
use proptest::prelude::*;

use crate::dialect::Dialect;

use super::*;

const TEXT: &str = "Say \"no\".\nMean it.";

fn told(messages: &str, paragraphs: &[&str]) -> (String, bool) {
    let body = Bytes::from(format!(r#"{{"messages":{messages},"x":12345678901234567890}}"#));
    let transcript = Dialect::Chat.read(body.clone()).unwrap();
    let mut edits = Splices::default();
    let changed = instruct(&transcript, paragraphs, &mut edits);
    assert_eq!(changed, !edits.is_empty());
    let after = String::from_utf8(edits.apply(&body).to_vec()).unwrap();
    assert!(Dialect::Chat.read(Bytes::from(after.clone())).is_ok(), "{after}");
    let inner = after.strip_prefix(r#"{"messages":"#).unwrap();
    (inner.strip_suffix(r#","x":12345678901234567890}"#).unwrap().to_owned(), changed)
}

/// Told once it comes out so, and told twice it stays so.
fn becomes(messages: &str, after: &str) {
    assert_eq!(told(messages, &[TEXT]), (after.to_owned(), messages != after));
    assert_eq!(told(after, &[TEXT]), (after.to_owned(), false));
}

#[test]
fn a_text_is_extended_within_its_quotes() {
    becomes(
        r#"[ {"x":1, "content" : "\u0053." ,"role":"system","name":"n"} , {"role":"user","content":"U"}]"#,
        r#"[ {"x":1, "content" : "\u0053.\n\nSay \"no\".\nMean it." ,"role":"system","name":"n"} , {"role":"user","content":"U"}]"#,
    );
    becomes(
        r#"[{"role":"system","content":""}]"#,
        r#"[{"role":"system","content":"Say \"no\".\nMean it."}]"#,
    );
}

#[test]
fn a_developer_message_is_one_too() {
    becomes(
        r#"[{"role":"developer","content":"S"},{"role":"system","content":"T"}]"#,
        r#"[{"role":"developer","content":"S\n\nSay \"no\".\nMean it."},{"role":"system","content":"T"}]"#,
    );
}

#[test]
fn a_list_gets_a_further_part() {
    becomes(
        r#"[{"role":"system","content":[ {"type":"text","text":"S","cache_control":{"type":"ephemeral"}} ]}]"#,
        r#"[{"role":"system","content":[ {"type":"text","text":"S","cache_control":{"type":"ephemeral"}},{"type":"text","text":"Say \"no\".\nMean it."} ]}]"#,
    );
    becomes(
        r#"[{"role":"system","content":[ ]}]"#,
        r#"[{"role":"system","content":[{"type":"text","text":"Say \"no\".\nMean it."} ]}]"#,
    );
    becomes(
        r#"[{"role":"system","content":["S",{"type":"odd"}]}]"#,
        r#"[{"role":"system","content":["S",{"type":"odd"},{"type":"text","text":"Say \"no\".\nMean it."}]}]"#,
    );
}

#[test]
fn what_came_as_a_list_is_known_again_as_a_text_and_the_other_way_round() {
    for content in [r#""S\n\nA\n\nB""#, r#"[{"type":"text","text":"S\n\nA"},{"type":"text","text":"B"}]"#] {
        let messages = format!(r#"[{{"role":"system","content":{content}}}]"#);
        assert_eq!(told(&messages, &["A", "B"]), (messages, false));
    }
}

#[test]
fn without_a_system_message_at_the_head_there_is_a_new_one() {
    let new = r#"{"role":"system","content":"Say \"no\".\nMean it."},"#;
    for rest in [
        r#" {"role":"user","content":"U"} ]"#,
        r#"{"role":"user","content":"U"},{"role":"system","content":"S"}]"#,
        r#"{"role":"critic","content":"C"},{"role":"developer","content":"S"}]"#,
        r#"{"role":"system","content":null},{"role":"user","content":"U"}]"#,
        r#"{"role":"system"}]"#,
        r#"{"role":"system","content":{"text":"S"}}]"#,
        r#"{"role":"system","content":7}]"#,
        r#""S"]"#,
    ] {
        becomes(&format!("[{rest}"), &format!("[{new}{rest}"));
    }
}

#[test]
fn where_there_is_no_history_there_is_no_head() {
    for messages in ["[]", "[ ]", "null", r#""S""#, r#"{"role":"system","content":"S"}"#] {
        becomes(messages, messages);
    }
}

#[test]
fn the_head_stays_the_same_as_the_history_grows() {
    let first = told(r#"[{"role":"user","content":"U"}]"#, &[TEXT]).0;
    let later = told(
        r#"[{"role":"user","content":"U"},{"role":"assistant","content":"A"},{"role":"system","content":"S"}]"#,
        &[TEXT],
    );
    assert!(later.0.starts_with(first.trim_end_matches(']')), "{}", later.0);
}

#[test]
fn several_are_told_in_their_order_and_only_those_that_are_missing() {
    let system = |content: &str| format!(r#"[{{"role":"system","content":"{content}"}}]"#);
    for (before, after) in [
        ("S", r"S\n\nA\n\nB"),
        (r"S\n\nA", r"S\n\nA\n\nB"),
        (r"B\n\nS", r"B\n\nS\n\nA"),
        (r"S\n\nB\n\nA", r"S\n\nB\n\nA"),
    ] {
        assert_eq!(told(&system(before), &["A", "B"]).0, system(after));
    }
}

proptest! {
    #[test]
    fn whatever_the_history_it_is_told_once_and_nothing_else_is_touched(
        messages in prop::collection::vec((0..4_usize, 0..6_usize, "[ab\n\"\\\\]{0,6}"), 0..4),
        paragraphs in prop::collection::vec("[ab\"]{1,2}", 1..4),
    ) {
        let message = |(role, form, text): &(usize, usize, String)| {
            let (role, text) = (["system", "developer", "user", "assistant"][*role], quote(text));
            let content = match form {
                0 | 1 => text,
                2 => format!("[{{\"type\":\"text\", \"text\":{text}}} ]"),
                3 => "null".to_owned(),
                4 => "[]".to_owned(),
                _ => "{}".to_owned(),
            };
            format!("{{ \"role\":\"{role}\",\"content\":{content} }}")
        };
        let messages = format!("[{}]", messages.iter().map(message).collect::<Vec<_>>().join(", "));
        let paragraphs: Vec<&str> = paragraphs.iter().map(String::as_str).collect();
        let (after, changed) = told(&messages, &paragraphs);
        prop_assert_eq!(told(&after, &paragraphs), (after.clone(), false));
        prop_assert_eq!(changed, after != messages);
        let kept = messages.bytes().zip(after.bytes()).take_while(|(before, after)| before == after).count();
        let shared = messages.bytes().rev().zip(after.bytes().rev()).take_while(|(a, b)| a == b).count();
        prop_assert!(kept + shared >= messages.len(), "one stretch was put in: {} {}", messages, after);
    }
}
