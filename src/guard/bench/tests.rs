mod forbidden;
mod reading;
mod repeated;
mod several;

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
    ToolRule { names: globs(glob), ..ToolRule::default() }
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
