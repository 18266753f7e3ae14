//! Texts that are cut, unreadable or empty, and free text.

use super::*;

#[test]
fn what_is_cut_is_never_closed() {
    for arguments in [r#"{"n":5"#, r#"{"note":"a"#, "{", r#"{"n":"#, "```json\n{\"n\":5"] {
        let (reason, text) = refused("set_count", arguments);
        assert_eq!(reason, Reason::Truncated, "{arguments}");
        assert!(text.contains("cut at the output limit"), "{text}");
    }
}

#[test]
fn the_text_says_whether_it_was_cut_and_the_end_only_where_there_is_none() {
    let transcript = request("", "");
    let rules = rules();
    let cut = Circumstances { cut: true, too_large: false };
    let judge =
        |name, arguments| Bench::new(&transcript, &rules, &Uncached).judge(&call(name, arguments), cut);
    assert_eq!(judge("set_count", r#"{"n":5}"#), Verdict::Forward);
    assert_eq!(refusal(judge("list_all", "")).reason, Reason::Truncated);
    assert_eq!(refusal(judge("set_count", r#"{"n":5 nonsense"#)).reason, Reason::Truncated);
    assert_eq!(refusal(judge("nonsense", r#"{"n":"#)).reason, Reason::Truncated);
}

#[test]
fn what_cannot_be_read_without_guessing_is_refused() {
    for arguments in ["5", "\"text\"", "[1]", r#"{"n":}"#, r#"{"note":"a "b" c"}"#, r#"{"note":"C:\dir"}"#] {
        let refusal = refusal(judge("set_count", arguments));
        assert_eq!(refusal.reason, Reason::Unreadable, "{arguments}");
        assert_eq!(refusal.resort, Resort::Nothing);
        assert!(refusal.text.starts_with("Error: set_count was not run: the arguments "), "{}", refusal.text);
        assert!(refusal.text.ends_with(". Please fix your mistakes."), "{}", refusal.text);
    }
}

#[test]
fn nothing_is_an_empty_object_only_where_nothing_is_needed() {
    for arguments in ["", " \n", "null", "[]"] {
        let expected = rewritten("set_count", "{}", &[Reason::ArgumentsRepaired]);
        assert_eq!(judge("set_count", arguments), expected, "{arguments}");
        let refusal = refusal(judge("read_file", arguments));
        assert_eq!(refusal.reason, Reason::Unreadable);
        assert_eq!(
            refusal.text,
            "Error: read_file was not run: missing required \"path\" (string); received: nothing. Please fix your \
             mistakes."
        );
        assert_eq!(refusal.resort, Resort::Nothing);
    }
}

#[test]
fn without_repair_only_what_is_well_formed_is_read() {
    let mut rules = rules();
    rules.calls.repair = false;
    let transcript = request("", "");
    let judge = |name, arguments| judge_with(&transcript, &rules, &call(name, arguments));
    assert_eq!(judge("set_count", r#"{"n":5}"#), Verdict::Forward);
    assert_eq!(refusal(judge("set_count", "{'n':5}")).reason, Reason::Unreadable);
    assert_eq!(refusal(judge("list_all", "")).reason, Reason::Unreadable);
    assert_eq!(refusal(judge("set_count", r#"{"n":"5"}"#)).reason, Reason::Invalid);
    assert_eq!(refusal(judge("set_count", r#"{"n":5"#)).reason, Reason::Truncated);
    let slug = judge("git_prepare_worktree", r#"{"branch_slug":"PJ1"}"#);
    assert!(matches!(slug, Verdict::Rewrite(_)), "the operator's own operations still run");
}

#[test]
fn custom_tools_are_checked_by_name_and_policy_only() {
    let mut rules = rules();
    let rm = DenyRule { at: "/x".into(), pattern: Regex::new("rm -rf").unwrap(), reason: "No.".into() };
    rules.tools.push(ToolRule { deny: vec![rm], ..block("apply_patch") });
    let transcript = request("", "");
    let custom =
        |name: &'static str, input: &'static str| Call { kind: CallKind::Custom, ..call(name, input) };
    let judge = |call: &Call<'_>| judge_with(&transcript, &rules, call);
    assert_eq!(judge(&custom("apply_patch", "*** Begin {{{")), Verdict::Forward);
    assert_eq!(judge(&custom("apply_patch", "")), Verdict::Forward);
    assert_eq!(
        judge(&custom("functions.apply_patch", "{'a'")),
        rewritten("apply_patch", "{'a'", &[Reason::NameRepaired])
    );
    assert_eq!(refusal(judge(&custom("apply_patch", "x rm -rf y"))).reason, Reason::Denied);
    assert_eq!(refusal(judge(&custom("patch_it", "x"))).reason, Reason::UnknownTool);
    let cut = Circumstances { cut: true, too_large: false };
    let mut bench = Bench::new(&transcript, &rules, &Uncached);
    assert_eq!(refusal(bench.judge(&custom("apply_patch", "*** Beg"), cut)).reason, Reason::Truncated);
}

#[test]
fn what_grew_too_large_is_refused() {
    let transcript = request("", "");
    let rules = rules();
    let large = Circumstances { cut: false, too_large: true };
    let mut bench = Bench::new(&transcript, &rules, &Uncached);
    assert_eq!(refusal(bench.judge(&call("set_count", r#"{"n":5"#), large)).reason, Reason::TooLarge);
}

#[test]
fn an_odd_number_or_half_a_character_is_no_reason_to_refuse() {
    for arguments in [r#"{"n":1e999}"#, r#"{"note":"\ud83d"}"#, r#"{"n":123456789012345678901234567890}"#] {
        assert_eq!(judge("set_count", arguments), Verdict::Forward, "{arguments}");
    }
    let deep = format!(r#"{{"note":"a","deep":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(judge("set_count", &deep), Verdict::Forward);
}
