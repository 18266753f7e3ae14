use std::sync::LazyLock;

use globset::{Glob, GlobSet, GlobSetBuilder};
use proptest::prelude::*;
use regex::Regex;

use super::*;
use crate::dialect::Dialect;
use crate::guard::arguments::Uncached;
use crate::guard::rules::{ArgumentRule, DenyRule, Normalise, ToolRule};

const TOOLS: &str = r#"
    {"type":"function","function":{"name":"git_prepare_worktree","parameters":{"type":"object","properties":{
        "branch_slug":{"type":"string","pattern":"^[a-z0-9]+(-[a-z0-9]+)*$","maxLength":48},
        "branch_kind":{"type":"string","enum":["fix","feature"]}},"required":["branch_slug"]}}},
    {"type":"function","function":{"name":"set_count","parameters":{"type":"object","properties":{
        "n":{"type":"integer"},"note":{"type":"string"}}}}},
    {"type":"function","function":{"name":"read_file","parameters":{"type":"object","properties":{
        "path":{"type":"string"}},"required":["path"]}}},
    {"type":"function","function":{"name":"list_all"}},
    {"type":"function","function":{"name":"bash","parameters":{"type":"object","properties":{
        "command":{"type":"string"}}}}},
    {"type":"custom","custom":{"name":"apply_patch"}}"#;

fn request(history: &str, rest: &str) -> Transcript {
    let body = format!(r#"{{"tools":[{TOOLS}],"messages":[{history}]{rest}}}"#);
    Dialect::Chat.read(body.into()).unwrap()
}

fn globs(glob: &str) -> GlobSet {
    GlobSetBuilder::new().add(Glob::new(glob).unwrap()).build().unwrap()
}

fn block(glob: &str) -> ToolRule {
    ToolRule {
        names: globs(glob),
        read_only: None,
        after: None,
        ignore: Vec::new(),
        arguments: Vec::new(),
        results: Vec::new(),
        deny: Vec::new(),
    }
}

fn rules() -> Rules {
    let slug = ArgumentRule {
        at: "/branch_slug".into(),
        normalise: vec![Normalise::Trim, Normalise::Lowercase],
        schema: None,
    };
    let no_git = DenyRule {
        at: "/command".into(),
        pattern: Regex::new(r"\bgit\s+log\b").unwrap(),
        reason: "Repositories are read through the Git tools only.".into(),
    };
    let tools = vec![
        ToolRule { arguments: vec![slug], ..block("git_*") },
        ToolRule { deny: vec![no_git], ..block("bash") },
    ];
    Rules { tools, ..Rules::default() }
}

fn call<'a>(name: &'a str, arguments: &'a str) -> Call<'a> {
    Call { id: "c".into(), name: name.into(), arguments: arguments.into(), kind: CallKind::Function }
}

fn judge_with(transcript: &Transcript, rules: &Rules, call: &Call<'_>) -> Verdict {
    Bench::new(transcript, rules, &Uncached).judge(call, Circumstances::default())
}

fn judge(name: &str, arguments: &str) -> Verdict {
    judge_with(&request("", ""), &rules(), &call(name, arguments))
}

fn rewritten(name: &str, arguments: &str, reasons: &[Reason]) -> Verdict {
    let calls = vec![Replacement { name: name.into(), arguments: arguments.into() }];
    Verdict::Rewrite(Rewrite { calls, reasons: reasons.to_vec() })
}

#[track_caller]
fn refusal(verdict: Verdict) -> Refusal {
    match verdict {
        Verdict::Refuse(refusal) => refusal,
        other => panic!("not refused: {other:?}"),
    }
}

fn refused(name: &str, arguments: &str) -> (Reason, String) {
    let refusal = refusal(judge(name, arguments));
    (refusal.reason, refusal.text)
}

#[test]
fn what_is_right_goes_on_as_written() {
    for (name, arguments) in [
        ("set_count", r#"{"n":5}"#),
        ("set_count", " {\"note\" : \"\\u0041\",\t\"n\": 2512292042121000001 , \"more\":1.10}\n"),
        ("git_prepare_worktree", r#"{"branch_slug":"pj1-x"}"#),
        ("list_all", r"{}"),
        ("list_all", r#"{"any":[1]}"#),
        ("bash", r#"{"command":"git status"}"#),
    ] {
        assert_eq!(judge(name, arguments), Verdict::Forward, "{name} {arguments}");
    }
}

#[test]
fn each_step_of_the_way_mends_what_it_may() {
    use Reason::{ArgumentsCoerced, ArgumentsNormalised, ArgumentsRepaired, NameRepaired};
    for (name, arguments, expected) in [
        ("functions.set_count", r#"{"n":5}"#, rewritten("set_count", r#"{"n":5}"#, &[NameRepaired])),
        ("list_all", "", rewritten("list_all", "{}", &[ArgumentsRepaired])),
        ("set_count", "{'n': 5,}", rewritten("set_count", r#"{"n": 5}"#, &[ArgumentsRepaired])),
        (
            "git_prepare_worktree",
            r#"{"branch_slug":"PJ1-project-git-extend"}"#,
            rewritten(
                "git_prepare_worktree",
                r#"{"branch_slug":"pj1-project-git-extend"}"#,
                &[ArgumentsNormalised],
            ),
        ),
        ("set_count", r#"{"n":"5"}"#, rewritten("set_count", r#"{"n":5}"#, &[ArgumentsCoerced])),
        (
            "Git-Prepare-Worktree",
            "{'branchSlug': ' PJ1', 'branch_kind': 'Fix'}",
            rewritten(
                "git_prepare_worktree",
                r#"{"branch_slug": "pj1", "branch_kind": "fix"}"#,
                &[NameRepaired, ArgumentsRepaired, ArgumentsCoerced, ArgumentsNormalised],
            ),
        ),
    ] {
        assert_eq!(judge(name, arguments), expected, "{name} {arguments}");
    }
}

#[test]
fn a_hopeless_slug_is_told_as_in_the_worked_example() {
    let (reason, text) = refused("git_prepare_worktree", r#"{"branch_slug":"PJ1--x","branch_kind":"fix"}"#);
    assert_eq!(reason, Reason::Invalid);
    assert_eq!(
        text,
        "Error: git_prepare_worktree was not run: /branch_slug must match ^[a-z0-9]+(-[a-z0-9]+)*$, got \
         \"pj1--x\". Please fix your mistakes."
    );
    for slug in ["", "-a", "a-", &"a".repeat(49)] {
        let (reason, _) = refused("git_prepare_worktree", &format!(r#"{{"branch_slug":"{slug}"}}"#));
        assert_eq!(reason, Reason::Invalid, "{slug}");
    }
}

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
fn an_unknown_name_is_told_the_nearest() {
    let refusal = refusal(judge("read_files", r#"{"path":"a"}"#));
    assert_eq!(refusal.reason, Reason::UnknownTool);
    assert_eq!(
        refusal.text,
        "Error: read_files was not run: no tool of that name is offered. Names to choose from: read_file. Please \
         fix your mistakes."
    );
    assert_eq!(refusal.resort, Resort::Nothing);
    let (_, text) = refused("weather", "{}");
    assert!(
        text.contains("git_prepare_worktree, set_count, read_file, list_all, bash, apply_patch."),
        "{text}"
    );
}

#[test]
fn without_tools_words_are_asked_for() {
    let forbidden = request("", r#","tool_choice":"none""#);
    let refusal = refusal(judge_with(&forbidden, &rules(), &call("set_count", r#"{"n":5}"#)));
    assert_eq!(refusal.reason, Reason::NoTools);
    assert!(refusal.text.ends_with("Answer in words."));
}

#[test]
fn the_operator_may_let_unknown_names_and_invalid_arguments_go() {
    let mut rules = rules();
    rules.calls.unknown_tool = Treatment::Forward;
    rules.calls.invalid = Treatment::Forward;
    let transcript = request("", "");
    let judge = |name, arguments| judge_with(&transcript, &rules, &call(name, arguments));
    assert_eq!(judge("weather", r#"{"at":"x"}"#), Verdict::Forward);
    assert_eq!(judge("set_count", r#"{"n":"five"}"#), Verdict::Forward);
    assert_eq!(refusal(judge("weather", "nonsense")).reason, Reason::Unreadable);
    // Nothing is the object with nothing in it, which does not meet the schema either.
    let calls = vec![Replacement { name: "read_file".into(), arguments: "{}".into() }];
    assert_eq!(
        judge("read_file", ""),
        Verdict::Rewrite(Rewrite { calls, reasons: vec![Reason::ArgumentsRepaired] })
    );
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
fn what_is_forbidden_comes_before_all_else() {
    for (name, arguments) in [
        ("bash", r#"{"command":"git log"}"#),
        ("bash", r#"{"command":"git log""#),
        ("bash", "git log"),
        ("bash", "{'command': 'git log'}"),
        ("bash", r#"{"command":"git\u0020log","n":}"#),
        ("bash", r#"{"command":"ls"}{"command":"git log"}"#),
        ("bash", r#"{"command":"git log","command":"ls"}"#),
        ("functions.bash", r#"{"command":"git log"}"#),
        ("Bash", r#"{"command":"git log"}"#),
        ("bash<|channel|>x", r#"{"command":["git log"]}"#),
        (
            "multi_tool_use.parallel",
            r#"{"tool_uses":[{"recipient_name":"nonsense","parameters":{}},
            {"recipient_name":"functions.bash","parameters":{"command":"git log"}}]}"#,
        ),
    ] {
        let refusal = refusal(judge(name, arguments));
        assert_eq!(refusal.reason, Reason::Denied, "{name} {arguments}");
        assert_eq!(
            refusal.text,
            "Error: bash was not run: this request is not allowed here. Repositories are read through the Git \
             tools only."
        );
        assert_eq!(refusal.resort, Resort::Nothing);
    }
}

#[test]
fn a_name_that_is_let_go_unmended_does_not_slip_past_a_rule() {
    let mut rules = rules();
    rules.calls.repair = false;
    rules.calls.unknown_tool = Treatment::Forward;
    let transcript = request("", "");
    for name in ["Bash", "functions.bash", "tool:BASH"] {
        let verdict = judge_with(&transcript, &rules, &call(name, r#"{"command":"git log"}"#));
        assert_eq!(refusal(verdict).reason, Reason::Denied, "{name}");
        let allowed = judge_with(&transcript, &rules, &call(name, r#"{"command":"ls"}"#));
        assert_eq!(allowed, Verdict::Forward);
    }
}

#[test]
fn what_is_forbidden_can_be_asked_alone() {
    let (rules, transcript) = (rules(), request("", ""));
    let bench = Bench::new(&transcript, &rules, &Uncached);
    let listed = |command: &str| {
        format!(
            r#"{{"tool_uses":[{{"recipient_name":"functions.bash","parameters":{{"command":"{command}"}}}}]}}"#
        )
    };
    for (name, text) in [
        ("bash", r#"{"command":"git log"}"#),
        ("Bash", r#"{"command":"git log"#),
        ("multi_tool_use.parallel", &listed("git log")),
    ] {
        let refusal = bench.forbidden(&call(name, text)).unwrap();
        assert_eq!((refusal.reason, refusal.resort), (Reason::Denied, Resort::Nothing), "{name}");
    }
    for (name, text) in [("bash", r#"{"command":"ls"}"#), ("multi_tool_use.parallel", &listed("ls"))] {
        assert_eq!(bench.forbidden(&call(name, text)), None);
    }
}

#[test]
fn what_becomes_forbidden_on_the_way_is_refused_too() {
    let mut rules = rules();
    rules.tools.push(ToolRule {
        arguments: vec![ArgumentRule {
            at: "/command".into(),
            normalise: vec![Normalise::CollapseSpace, Normalise::Lowercase],
            schema: None,
        }],
        ..block("bash")
    });
    let refusal = refusal(judge_with(&request("", ""), &rules, &call("bash", r#"{"command":"GIT  log"}"#)));
    assert_eq!(refusal.reason, Reason::Denied);
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
    assert_eq!(key("list_all", ""), key("list_all", "{}"));
    for arguments in ["{", "nonsense", r#"{"n":1}{"n":2}"#] {
        assert_eq!(key("set_count", arguments), None, "{arguments}");
    }
}

#[test]
fn what_may_go_on_in_the_end_is_readable() {
    let as_written = refusal(judge("set_count", r#"{"n": "five"}"#));
    assert!(as_written.reason.may_go_on());
    assert_eq!(as_written.resort, Resort::AsWritten);
    let mended = refusal(judge("functions.set_count", "{'n': 'five'}"));
    let calls = vec![Replacement { name: "set_count".into(), arguments: r#"{"n": "five"}"#.into() }];
    assert_eq!(mended.resort, Resort::Calls(calls));
    let apart = refusal(judge("set_count", r#"{"n":1}{"n":"five"}"#));
    assert!(matches!(apart.resort, Resort::Calls(calls) if calls.len() == 2));
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

#[test]
fn an_odd_number_or_half_a_character_is_no_reason_to_refuse() {
    for arguments in [r#"{"n":1e999}"#, r#"{"note":"\ud83d"}"#, r#"{"n":123456789012345678901234567890}"#] {
        assert_eq!(judge("set_count", arguments), Verdict::Forward, "{arguments}");
    }
    let deep = format!(r#"{{"note":"a","deep":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert_eq!(judge("set_count", &deep), Verdict::Forward);
}

proptest! {
    #[test]
    fn judges_the_same_twice_and_what_was_rewritten_goes_on_as_it_is(
        name in prop::sample::select(vec!["set_count", "functions.read_file", "Bash", "git_prepare_worktree"]),
        arguments in prop_oneof![
            "[{}\\[\\]\"':, a-zA-Z0-9\\\\]{0,24}",
            "\\{\"(n|path|branch_slug|note|command)\": ?(\"[A-Za-z0-9 -]{0,6}\"|[0-9]{1,3}|null|true)\\}",
        ],
    ) {
        // What takes long is to read the rules and the tools, which are the same for all.
        static ASKED: LazyLock<(Transcript, Rules)> = LazyLock::new(|| (request("", ""), rules()));
        let (transcript, rules) = &*ASKED;
        let judge = |name: &str, arguments: &str| judge_with(transcript, rules, &call(name, arguments));
        let first = judge(name, &arguments);
        prop_assert_eq!(&judge(name, &arguments), &first);
        if let Verdict::Rewrite(rewrite) = first {
            for call in rewrite.calls {
                prop_assert_eq!(judge(&call.name, &call.arguments), Verdict::Forward);
            }
        }
    }
}
