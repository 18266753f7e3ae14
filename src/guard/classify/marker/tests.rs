use super::*;
use crate::guard::classify::{Failure, Outcome, classify};
use crate::guard::rules::ToolPolicy;

const MARKER: &str = "/_terminal_failure";

#[test]
fn a_marker_counts_in_whatever_a_wrapper_holds() {
    for text in [
        r#"[{"type":"text","text":"one"},{"type":"text","text":"{\"_terminal_failure\":\"x\"}"}]"#,
        r#"[{"type":"text","text":"{\"_terminal_failure\":\"x\"}"},{"type":"text","text":"one"}]"#,
        r#"{"content":[{"type":"text","text":"one"}],"structuredContent":{"_terminal_failure":"x"},"isError":false}"#,
        r#"{"result":"[{\"type\":\"text\",\"text\":\"one\"},{\"type\":\"text\",\"text\":\"{\\\"_terminal_failure\\\":\\\"x\\\"}\"}]"}"#,
        "[TextContent(type='text', text='one'), TextContent(type='text', text='{\"_terminal_failure\":\"x\"}')]",
    ] {
        let outcome = classify(text, &ToolPolicy::default(), MARKER);
        let Outcome::Failure(Failure { signature, terminal, .. }) = outcome else {
            panic!("{text} is {outcome:?}")
        };
        assert!(terminal && signature == "x", "{text}");
    }
}

#[test]
fn what_no_wrapper_holds_is_no_marker() {
    for text in [
        r#"[{"type":"text","text":"one"},{"type":"file","text":"{\"_terminal_failure\":\"x\"}"}]"#,
        r#"[{"type":"text","text":"one"},{"type":"text","text":"{\"_terminal_failure\":\"\"}"}]"#,
        r#"[{"id":1},{"_terminal_failure":"x"}]"#,
        r#"{"path":"a","content":"{\"_terminal_failure\":\"x\"}"}"#,
    ] {
        assert_eq!(classify(text, &ToolPolicy::default(), MARKER), Outcome::Success, "{text}");
    }
}

#[test]
fn the_letters_of_a_pointer_are_written_alike_everywhere() {
    for (pointer, found) in [
        (MARKER, "_terminal_failure"),
        ("/a/secret-key", "secret-key"),
        ("/list/0", "list"),
        ("/0", ""),
        ("/é", ""),
        ("/éab\"cde", "cde"),
        ("/ab~1cdef", "ab"),
        ("", ""),
    ] {
        assert_eq!(letters(pointer), found, "{pointer}");
    }
    assert!(may_hold(br#"{\\\"secret\\\":1}"#, "/x/secret") && !may_hold(b"{}", "/x/secret"));
    assert!(may_hold(b"{}", "/0"));
}
