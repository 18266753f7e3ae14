use std::borrow::Cow;

use proptest::prelude::*;

use super::*;
use crate::dialect::Rewritten;

const MARKER: &str = "/_terminal_failure";

/// A result's text without what is wanted, and the changes that make it so.
#[track_caller]
fn stripped(text: &str, marker: Option<&str>, strip: &[&str]) -> String {
    let wanted = Wanted { marker, strip: strip.to_vec() };
    let mut drafts = [Draft::new(Cow::Borrowed(text))];
    let found = super::strip(&mut drafts, &wanted);
    let [draft] = drafts;
    let now = draft.text().to_owned();
    let Rewritten::Changed(changes) = draft.rewritten() else { panic!("nothing is dropped here") };
    assert_eq!(changed(text, &changes), now);
    assert_eq!(found, now != text, "{text}");
    now
}

#[track_caller]
fn unmarked(text: &str) -> String {
    stripped(text, Some(MARKER), &[])
}

#[test]
fn a_marker_goes_and_the_rest_keeps_its_bytes() {
    for (text, left) in [
        (r#"{"_terminal_failure":"gone","a":1.10}"#, r#"{"a":1.10}"#),
        (r#"{ "a" : "\u00e9", "_terminal_failure" : "gone" }"#, r#"{ "a" : "\u00e9" }"#),
        (r#"{"a":1,"_terminal_failure":"gone","b":2}"#, r#"{"a":1,"b":2}"#),
        ("\n{\"_terminal_failure\":\"gone\"}\n", "\n{}\n"),
        ("\u{feff} {\"_terminal_failure\":\"gone\"}", "\u{feff} {}"),
        (r#"{"_terminal_failure":null,"a":1,"_terminal_failure":"gone"}"#, r#"{"a":1}"#),
    ] {
        assert_eq!(unmarked(text), left);
    }
}

#[test]
fn what_is_no_marker_stays() {
    for text in [
        r#"{"_terminal_failure":""}"#,
        r#"{"_terminal_failure":" \n"}"#,
        r#"{"_terminal_failure":true}"#,
        r#"{"_terminal_failure":null}"#,
        r#"{"_terminal_failure":{"a":"b"}}"#,
        r#"{"_terminal_failure":"gone","_terminal_failure":false}"#,
        r#"{"a":{"_terminal_failure":"gone"}}"#,
        r#"{"path":"a.json","content":"{\"_terminal_failure\":\"gone\"}"}"#,
        r#"[{"_terminal_failure":"gone"}]"#,
        r#"grep: a.json: {"_terminal_failure":"gone"}"#,
        r#"{"_terminal_failure":"gone""#,
        "_terminal_failure",
    ] {
        assert_eq!(unmarked(text), text);
    }
    assert_eq!(stripped(r#"{"_terminal_failure":"gone"}"#, None, &[]), r#"{"_terminal_failure":"gone"}"#);
}

#[test]
fn a_marker_goes_from_within_what_wraps_it() {
    for (text, left) in [
        (r#""{\"_terminal_failure\":\"x\",\"a\":\"\\u00e9\"}""#, r#""{\"a\":\"\\u00e9\"}""#),
        (
            r#"[{"type":"text","text":"{\"_terminal_failure\":\"x\",\"a\":1}"}]"#,
            r#"[{"type":"text","text":"{\"a\":1}"}]"#,
        ),
        (
            r#"[{"type":"text","text":"one"},{"type":"text","text":"{\"_terminal_failure\":\"x\"}"}]"#,
            r#"[{"type":"text","text":"one"},{"type":"text","text":"{}"}]"#,
        ),
        (
            r#"{"content":[{"type":"text","text":"{\"_terminal_failure\":\"x\"}"}],"structuredContent":{"_terminal_failure":"x","a":1},"isError":true}"#,
            r#"{"content":[{"type":"text","text":"{}"}],"structuredContent":{"a":1},"isError":true}"#,
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"result":{"_terminal_failure":"x","n":1}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{"n":1}}"#,
        ),
        (r#"{"result":"\"{\\\"_terminal_failure\\\":\\\"x\\\"}\""}"#, r#"{"result":"\"{}\""}"#),
        (
            r#"{"_terminal_failure":"x","content":[{"type":"text","text":"{\"_terminal_failure\":\"x\"}"}]}"#,
            r#"{"content":[{"type":"text","text":"{}"}]}"#,
        ),
    ] {
        assert_eq!(unmarked(text), left);
    }
}

#[test]
fn what_python_printed_becomes_json_where_something_goes() {
    assert_eq!(unmarked("{'_terminal_failure': 'x', 'ok': True}"), r#"{"ok":true}"#);
    assert_eq!(
        unmarked("[TextContent(type='text', text='{\"_terminal_failure\":\"x\",\"a\":1}')]"),
        r#"[{"type":"text","text":"{\"a\":1}"}]"#
    );
    assert_eq!(unmarked("{'_terminal_failure': None}"), "{'_terminal_failure': None}");
}

#[test]
fn pointers_go_whatever_they_hold() {
    let text = r#"{"id":7,"_internal":{"a":[1]},"list":[{"k":1,"secret":2},{"secret":3}],"a/b":null}"#;
    for (strip, left) in [
        (vec!["/_internal"], r#"{"id":7,"list":[{"k":1,"secret":2},{"secret":3}],"a/b":null}"#),
        (
            vec!["/list/0/secret", "/list/1/secret"],
            r#"{"id":7,"_internal":{"a":[1]},"list":[{"k":1},{}],"a/b":null}"#,
        ),
        (vec!["/list/0"], r#"{"id":7,"_internal":{"a":[1]},"list":[{"secret":3}],"a/b":null}"#),
        (vec!["/a~1b", "/id", "/list"], r#"{"_internal":{"a":[1]}}"#),
        (
            vec!["/_internal", "/_internal/a", "/_internal/a/0", "/id"],
            r#"{"list":[{"k":1,"secret":2},{"secret":3}],"a/b":null}"#,
        ),
        (vec!["/nothing", "/id/x", "/list/9"], text),
        (vec![""], text),
    ] {
        assert_eq!(stripped(text, None, &strip), left, "{strip:?}");
    }
    assert_eq!(stripped(text, Some("/id"), &["/id"]), stripped(text, None, &["/id"]));
}

#[test]
fn depth_is_bounded() {
    let mut text = r#"{"_terminal_failure":"x"}"#.to_owned();
    for _ in 0..40 {
        text = crate::wire::canonical::quote(&text);
        if text.len() > 200_000 {
            break;
        }
    }
    assert_eq!(unmarked(&text), text);
    let deep = format!("{}{}", "[".repeat(50_000), r#""_terminal_failure""#);
    assert_eq!(unmarked(&deep), deep);
}

/// JSON of these members, wrapped in these ways.
fn wrapped_in(members: &[(&str, &str)], ways: &[u8]) -> String {
    let members: Vec<_> = members.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    ways.iter().fold(format!("{{{}}}", members.join(", ")), |inner, way| {
        let quoted = crate::wire::canonical::quote(&inner);
        match way {
            0 => quoted,
            1 => format!(r#"[{{"type":"text", "text":{quoted}}}]"#),
            _ => format!(r#"{{"isError":false,"content":[{{"type":"text","text":{quoted}}}]}}"#),
        }
    })
}

#[test]
fn what_counts_goes_and_what_does_not_stays() {
    use crate::guard::classify::{Outcome, classify};
    for ways in 0..=DEPTH + 2 {
        for way in 0..3 {
            let text = wrapped_in(&[("_terminal_failure", "\"gone\"")], &vec![way; ways]);
            let outcome = classify(&text, &crate::guard::rules::ToolPolicy::default(), MARKER);
            let counts = matches!(outcome, Outcome::Failure(failure) if failure.terminal);
            assert_eq!(counts, ways <= DEPTH, "{ways} of {way}");
            assert_eq!(unmarked(&text) != text, counts, "{ways} of {way}");
        }
    }
}

proptest! {
    #[test]
    fn what_is_left_is_what_never_held_it(
        members in prop::collection::vec((prop::sample::select(vec!["a", "é", "b\\n"]), prop::sample::select(vec!["1.10", "\"\\u00e9\"", "[1, {}]"])), 0..4),
        at in 0usize..4,
        ways in prop::collection::vec(0u8..3, 0..=DEPTH),
    ) {
        let mut with = members.clone();
        with.insert(at.min(members.len()), ("_terminal_failure", "\"gone\""));
        let left = unmarked(&wrapped_in(&with, &ways));
        prop_assert_eq!(&left, &wrapped_in(&members, &ways));
        prop_assert_eq!(&unmarked(&left), &left);
    }

    #[test]
    fn nothing_that_comes_in_makes_it_panic(text in r#"[\[\]{}()'"\\:,=a_ \n<>é]{0,20}(_terminal_failure)?[\[\]{}()'"\\:,=x \n]{0,20}"#) {
        let once = unmarked(&text);
        prop_assert_eq!(unmarked(&once), once);
    }
}
