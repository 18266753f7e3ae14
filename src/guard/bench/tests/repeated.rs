//! Calls that were made before, or refused before.

use super::*;

fn failed(name: &str, arguments: &str, result: &str) -> String {
    let quote = crate::wire::canonical::quote;
    format!(
        r#"{{"role":"user","content":"do it"}},{{"role":"assistant","content":null,"tool_calls":[{{"id":"h1",
        "type":"function","function":{{"name":"{name}","arguments":{}}}}}]}},
        {{"role":"tool","tool_call_id":"h1","content":{}}}"#,
        quote(arguments),
        quote(result)
    )
}

const FAILURE: &str = r#"{"status":400,"Code":"ResourceTypeNotFound","Message":"no such type"}"#;

#[test]
fn an_equivalent_of_what_failed_is_refused_however_it_is_written() {
    let history = failed("set_count", r#"{"n":"7","note":"x"}"#, FAILURE);
    let transcript = request(&history, "");
    let rules = rules();
    for arguments in [
        r#"{"n":7,"note":"x"}"#,
        r#"{ "note":"\u0078", "n":7 }"#,
        r#"{"n":"7","note":"x"}"#,
        r"{'n': 7, 'note': 'x'}",
    ] {
        let refusal = refusal(judge_with(&transcript, &rules, &call("set_count", arguments)));
        assert_eq!(refusal.reason, Reason::Repeated, "{arguments}");
        assert!(
            refusal.text.starts_with(
                "Error: set_count was not run. An equivalent request already failed with \
                 http_400:ResourceTypeNotFound: \""
            ),
            "{}",
            refusal.text
        );
        assert!(refusal.key.is_some() && !refusal.reason.may_go_on());
    }
    for arguments in [r#"{"n":8,"note":"x"}"#, r#"{"n":7}"#] {
        assert_eq!(judge_with(&transcript, &rules, &call("set_count", arguments)), Verdict::Forward);
    }
}

#[test]
fn an_error_that_says_nothing_is_told_as_that() {
    let transcript = request(
        &failed("set_count", r#"{"n":7}"#, r#"{"isError":true,"content":[{"type":"text","text":""}]}"#),
        "",
    );
    let text = refusal(judge_with(&transcript, &rules(), &call("set_count", r#"{"n":7}"#))).text;
    assert!(text.contains("already failed with an error without a message. Sending"), "{text}");
}

#[test]
fn a_forwarded_sibling_that_may_change_the_world_reopens() {
    let transcript = request(&failed("set_count", r#"{"n":7}"#, FAILURE), "");
    let rules = rules();
    let mut bench = Bench::new(&transcript, &rules, &Uncached);
    let judge = |bench: &mut Bench<'_>, name: &str, arguments: &str| {
        bench.judge(&call(name, arguments), Circumstances::default())
    };
    assert_eq!(judge(&mut bench, "read_file", r#"{"path":"a"}"#), Verdict::Forward);
    refusal(judge(&mut bench, "set_count", r#"{"n":7}"#));
    assert_eq!(judge(&mut bench, "bash", r#"{"command":"make"}"#), Verdict::Forward);
    assert_eq!(judge(&mut bench, "set_count", r#"{"n":7}"#), Verdict::Forward);
    bench.next_answer();
    refusal(judge(&mut bench, "set_count", r#"{"n":7}"#));
}

#[test]
fn a_key_is_the_same_for_the_history_and_for_a_new_call() {
    let transcript = request("", "");
    let rules = rules();
    let mut bench = Bench::new(&transcript, &rules, &Uncached);
    let mut key = |name: &str, arguments: &str| bench.key(&call(name, arguments));
    let expected = key("git_prepare_worktree", r#"{"branch_slug":"a","branch_kind":"fix"}"#);
    assert!(expected.is_some());
    for arguments in [
        r#"{"branch_kind":"fix","branch_slug":" A"}"#,
        r"{'branch_slug': 'A', 'branch_kind': 'FIX'}",
        r#"{"branchSlug":"A","branch_kind":"fix"}"#,
    ] {
        assert_eq!(key("functions.git_prepare_worktree", arguments), expected, "{arguments}");
    }
    assert_ne!(key("git_prepare_worktree", r#"{"branch_slug":"b","branch_kind":"fix"}"#), expected);
    let listed = key("list_all", "");
    assert_eq!(listed, key("list_all", "{}"));
    for arguments in ["{", "nonsense", r#"{"n":1}{"n":2}"#] {
        assert_eq!(key("set_count", arguments), None, "{arguments}");
    }
}

#[test]
fn who_insists_beside_good_siblings_is_let_go_after_so_many_answers() {
    let transcript = request("", "");
    let rules = rules();
    let bad = call("set_count", r#"{"n":"five"}"#);
    let key = Bench::new(&transcript, &rules, &Uncached).key(&bad).unwrap();
    for (times, goes) in [(0, false), (2, false), (3, true), (4, true)] {
        let mut bench =
            Bench::new(&transcript, &rules, &Uncached).with_refused_before(vec![key.clone(); times]);
        let verdict = bench.judge(&bad, Circumstances::default());
        assert_eq!(matches!(verdict, Verdict::GiveUp(_)), goes, "{times}");
        let other = bench.judge(&call("set_count", r#"{"n":"six"}"#), Circumstances::default());
        assert!(matches!(other, Verdict::Refuse(_)));
    }
}
