//! From a transcript to the ledger.

use bytes::Bytes;
use globset::{Glob, GlobSetBuilder};
use proptest::prelude::*;

use super::*;
use crate::dialect::Dialect;
use crate::guard::ledger::history::is_reminder;
use crate::guard::rules::{Reopen, ResultClass, ResultRule, ResultWhen, ToolRule};
use crate::wire::canonical::{digest, quote};
use crate::wire::span::Json;

fn transcript(messages: &[String]) -> Transcript {
    let body = format!(r#"{{"model":"m","messages":[{}]}}"#, messages.join(","));
    Dialect::Chat.read(Bytes::from(body)).unwrap()
}

/// An assistant's element with calls: id, tool, arguments.
fn asks(calls: &[(&str, &str, &str)]) -> String {
    let calls: Vec<String> = calls
        .iter()
        .map(|(id, name, arguments)| {
            format!(
                r#"{{"id":"{id}","type":"function","function":{{"name":"{name}","arguments":{}}}}}"#,
                quote(arguments)
            )
        })
        .collect();
    format!(r#"{{"role":"assistant","content":null,"tool_calls":[{}]}}"#, calls.join(","))
}

fn result(id: &str, text: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":{}}}"#, quote(text))
}

fn user(text: &str) -> String {
    format!(r#"{{"role":"user","content":{}}}"#, quote(text))
}

fn says(text: &str) -> String {
    format!(r#"{{"role":"assistant","content":{}}}"#, quote(text))
}

fn identity(call: &Call<'_>) -> Option<Key> {
    let arguments = Json::parse(&call.arguments).ok()?;
    Some(Key { tool: call.name.to_string(), digest: digest(arguments, &[]) })
}

/// A block for the tools that a glob names.
fn block(glob: &str) -> ToolRule {
    let names = GlobSetBuilder::new().add(Glob::new(glob).unwrap()).build().unwrap();
    ToolRule { names, ..ToolRule::default() }
}

fn fold(messages: &[String], rules: &Rules) -> Ledger {
    Ledger::fold(&transcript(messages), rules, &mut identity)
}

fn refuses(ledger: &Ledger, tool: &str, arguments: &str) -> bool {
    let call = call(tool, arguments);
    ledger.precedent(&identity(&call).unwrap(), &call, &ToolPolicy::default(), false).is_some()
}

/// One call that failed: `make_dir {"a":1}`.
fn failed_once() -> Vec<String> {
    vec![user("go"), asks(&[("c1", "make_dir", r#"{"a":1}"#)]), result("c1", "Error: no parent")]
}

fn stands_after(more: &[String]) -> bool {
    let messages = [failed_once(), more.to_vec()].concat();
    refuses(&fold(&messages, &Rules::default()), "make_dir", r#"{ "a" : 1 }"#)
}

#[test]
fn a_failure_in_the_history_stands() {
    assert!(stands_after(&[]));
    assert!(fold(&[user("go"), says("done")], &Rules::default()).is_empty());
}

#[test]
fn a_cloud_call_that_failed_for_good_stands_in_any_order_of_keys() {
    let class = ResultClass::Terminal;
    let when = ResultWhen { status: vec![(400, 499)], except: vec![408, 429], ..ResultWhen::default() };
    let tool = ToolRule { results: vec![ResultRule { when, class }], ..block("aliyun_*") };
    let rules = Rules { tools: vec![tool], ..Rules::default() };
    let ledger = fold(
        &[
            user("diagnose"),
            asks(&[("x1", "aliyun_api", r#"{"action":"GetStack","type":"ALIYUN::Milvus::Instance"}"#)]),
            result("x1", r#"{"status":400,"Code":"ResourceTypeNotFound","Message":"Unknown type."}"#),
            asks(&[("x2", "aliyun_api", r#"{"action":"ListStacks"}"#)]),
            result("x2", r#"{"status":429}"#),
        ],
        &rules,
    );
    let again = call("aliyun_api", r#"{"type":"ALIYUN::Milvus::Instance","action":"GetStack"}"#);
    let precedent =
        ledger.precedent(&identity(&again).unwrap(), &again, &ToolPolicy::default(), false).unwrap();
    assert_eq!(precedent.signature, "http_400:ResourceTypeNotFound");
    assert_eq!((precedent.excerpt.as_str(), precedent.terminal, precedent.count), ("Unknown type.", true, 1));
    assert!(!refuses(&ledger, "aliyun_api", r#"{"action":"ListStacks"}"#));
}

#[test]
fn a_parent_made_in_between_opens_the_way() {
    let parent = [asks(&[("c2", "make_dir", r#"{"a":0}"#)]), result("c2", "made")];
    let look = [asks(&[("c2", "read_file", r#"{"a":0}"#)]), result("c2", "text")];
    assert!(!stands_after(&parent));
    assert!(stands_after(&look));
}

#[test]
fn the_users_word_empties_the_ledger() {
    assert!(!stands_after(&[user("try again")]));
    assert!(!stands_after(&[says("it failed"), user("try again")]));
    assert!(!stands_after(&[r#"{"role":"user","content":[{"type":"image_url","image_url":{}}]}"#.into()]));
    assert!(!stands_after(&[user("<system-reminder>x</system-reminder> and do go on")]));
    assert!(!stands_after(&[user("")]));
}

#[test]
fn reminders_and_system_texts_are_not_the_users_word() {
    assert!(stands_after(&[user("<system-reminder>todo</system-reminder>")]));
    assert!(stands_after(&[user(
        "\n<system-reminder>a</system-reminder>\n<system-reminder>b</system-reminder> "
    )]));
    assert!(stands_after(&[r#"{"role":"developer","content":"be quick"}"#.into()]));
    assert!(stands_after(&[r#"{"role":"critic","content":"hm"}"#.into()]));
}

#[test]
fn a_reminder_has_to_be_whole() {
    assert!(is_reminder("<system-reminder></system-reminder>"));
    for text in [
        "",
        "<system-reminder>",
        "<system-reminder>a",
        "a</system-reminder>",
        "x <system-reminder>a</system-reminder>",
    ] {
        assert!(!is_reminder(text), "{text}");
    }
}

#[test]
fn the_operator_may_keep_the_ledger_closed() {
    let mut rules = Rules::default();
    rules.failures.reopen = Reopen::Never;
    let words = vec![user("try again")];
    let plain = [failed_once(), words.clone()].concat();
    assert!(!refuses(&fold(&plain, &rules), "make_dir", r#"{"a":1}"#), "the user may have changed anything");
    let gone = result("c1", r#"{"_terminal_failure":"gone"}"#);
    let for_good = [vec![user("go"), asks(&[("c1", "make_dir", r#"{"a":1}"#)])], vec![gone], words].concat();
    assert!(refuses(&fold(&for_good, &rules), "make_dir", r#"{"a":1}"#));
    assert!(!refuses(&fold(&for_good, &Rules::default()), "make_dir", r#"{"a":1}"#));
}

#[test]
fn the_operator_may_turn_it_off() {
    let mut rules = Rules::default();
    rules.failures.refuse = false;
    assert!(fold(&failed_once(), &rules).is_empty());
}

#[test]
fn our_own_words_are_neither_failure_nor_execution() {
    use crate::guard::notice::Notice;
    let rules = Rules::default();
    let refusal = rules.notices.text(Notice::Invalid, &[("tool", "make_dir"), ("problems", "/b is missing")]);
    assert!(rules.notices.wrote(&refusal));
    let refused = [asks(&[("c2", "make_dir", r#"{"a":2}"#)]), result("c2", &refusal)];
    assert!(stands_after(&refused));
    let ledger = fold(&[failed_once(), refused.to_vec()].concat(), &rules);
    assert!(!refuses(&ledger, "make_dir", r#"{"a":2}"#));
}

#[test]
fn a_call_without_a_result_may_have_changed_the_world() {
    assert!(!stands_after(&[asks(&[("c2", "make_dir", r#"{"a":2}"#)])]));
    assert!(stands_after(&[asks(&[("c2", "read_file", r#"{"a":2}"#)])]));
}

#[test]
fn results_belong_to_the_nearest_open_call_of_their_id() {
    let messages = [
        user("go"),
        asks(&[("x", "make_dir", r#"{"a":1}"#)]),
        result("x", "made"),
        asks(&[("x", "make_dir", r#"{"a":2}"#)]),
        result("x", "Error: no"),
    ];
    let ledger = fold(&messages, &Rules::default());
    assert!(refuses(&ledger, "make_dir", r#"{"a":2}"#) && !refuses(&ledger, "make_dir", r#"{"a":1}"#));
}

#[test]
fn equal_ids_in_one_answer_are_answered_in_order() {
    let messages = [
        asks(&[("x", "read_a", "{}"), ("x", "read_b", "{}")]),
        result("x", "Error: no"),
        result("x", "fine"),
    ];
    let ledger = fold(&messages, &Rules::default());
    assert!(refuses(&ledger, "read_a", "{}") && !refuses(&ledger, "read_b", "{}"));
}

#[test]
fn results_in_another_order_find_their_calls() {
    let messages = [
        asks(&[("a", "read_a", "{}"), ("b", "read_b", "{}")]),
        result("b", "Error: no"),
        result("a", "fine"),
        result("stranger", "Error: no"),
    ];
    let ledger = fold(&messages, &Rules::default());
    assert!(refuses(&ledger, "read_b", "{}") && !refuses(&ledger, "read_a", "{}"));
}

#[test]
fn a_second_result_does_not_count() {
    let messages = [asks(&[("a", "read_a", "{}")]), result("a", "fine"), result("a", "Error: no")];
    assert!(fold(&messages, &Rules::default()).is_empty());
}

#[test]
fn a_real_result_takes_the_place_of_our_own_words() {
    let rules = Rules::default();
    let ours =
        rules.notices.text(crate::guard::notice::Notice::Invalid, &[("tool", "read_a"), ("problems", "/b")]);
    let messages = [asks(&[("a", "read_a", "{}")]), result("a", &ours), result("a", "Error: no")];
    assert!(refuses(&fold(&messages, &rules), "read_a", "{}"));
}

#[test]
fn calls_written_an_element_each_are_siblings() {
    let messages = [
        asks(&[("a", "read_a", "{}")]),
        asks(&[("b", "make_b", "{}")]),
        result("a", "Error: no"),
        result("b", "fine"),
    ];
    assert!(fold(&messages, &Rules::default()).is_empty());
}

#[test]
fn words_between_a_call_and_its_result_change_nothing() {
    let messages = [asks(&[("a", "read_a", "{}")]), result("x", "?"), says("wait"), result("a", "Error: no")];
    assert!(refuses(&fold(&messages, &Rules::default()), "read_a", "{}"));
}

#[test]
fn what_fails_after_the_user_spoke_stands() {
    let messages = [
        user("go"),
        asks(&[("a", "read_a", "{}"), ("b", "read_b", "{}")]),
        result("a", "Error: before"),
        user("also as docx"),
        result("b", "Error: after"),
    ];
    let ledger = fold(&messages, &Rules::default());
    assert!(!refuses(&ledger, "read_a", "{}") && refuses(&ledger, "read_b", "{}"));
}

#[test]
fn a_call_of_the_first_form_is_answered_by_name() {
    let messages = [
        r#"{"role":"assistant","content":null,"function_call":{"name":"make_a","arguments":"{}"}}"#
            .to_owned(),
        r#"{"role":"function","name":"make_a","content":"Error: no"}"#.to_owned(),
    ];
    assert!(refuses(&fold(&messages, &Rules::default()), "make_a", "{}"));
    let other =
        [messages[0].clone(), r#"{"role":"function","name":"make_b","content":"Error: no"}"#.to_owned()];
    assert!(fold(&other, &Rules::default()).is_empty());
}

#[test]
fn complaints_of_arguments_outlive_changes_but_not_in_tools_that_check() {
    let complaint = "Input validation error: 'name' is a required property";
    let after_change = |tool: &str| {
        let messages = [
            asks(&[("a", tool, "{}")]),
            result("a", complaint),
            asks(&[("b", "write_file", "{}")]),
            result("b", "written"),
        ];
        refuses(&fold(&messages, &Rules::default()), tool, "{}")
    };
    assert!(after_change("make_branch"));
    assert!(!after_change("validate_config"));
    assert!(!after_change("bash"));
}

#[test]
fn only_what_follows_the_users_last_word_is_hashed() {
    let mut messages = Vec::new();
    for _ in 0..20 {
        messages.extend(failed_once());
    }
    let mut asked = 0;
    let ledger = Ledger::fold(&transcript(&messages), &Rules::default(), &mut |call| {
        asked += 1;
        identity(call)
    });
    assert!(!ledger.is_empty());
    assert_eq!(asked, 1);
}

#[test]
fn calls_that_cannot_be_read_never_enter() {
    let messages = [asks(&[("a", "read_a", "{")]), result("a", "Error: no")];
    assert!(fold(&messages, &Rules::default()).is_empty());
}

proptest! {
    /// Where the fold begins makes no difference: the last word of the user cuts the history in two.
    #[test]
    fn what_was_before_the_users_last_word_does_not_matter(
        before in proptest::collection::vec(0..6_usize, 0..12),
        after in proptest::collection::vec(0..6_usize, 0..12),
    ) {
        let pieces = |choices: &[usize]| -> Vec<String> {
            choices.iter().flat_map(|choice| piece(*choice)).collect()
        };
        let tail = [vec![user("go on")], pieces(&after)].concat();
        let whole = [pieces(&before), tail.clone()].concat();
        let (whole, tail) = (fold(&whole, &Rules::default()), fold(&tail, &Rules::default()));
        for tool in ["read_a", "make_a", "bash"] {
            prop_assert_eq!(refuses(&whole, tool, "{}"), refuses(&tail, tool, "{}"));
        }
    }
}

fn piece(choice: usize) -> Vec<String> {
    let (tool, text) = match choice {
        0 => ("read_a", "Error: no"),
        1 => ("make_a", "Error: no"),
        2 => ("bash", "Error: no"),
        3 => ("make_b", "fine"),
        4 => ("read_a", "fine"),
        _ => ("make_a", "MCP error -32602: no"),
    };
    vec![asks(&[("c", tool, "{}")]), result("c", text)]
}

#[test]
fn a_result_that_comes_after_the_next_call_is_not_counted() {
    let reminder = user("<system-reminder>be brief</system-reminder>");
    let late = [
        user("go"),
        asks(&[("c0", "make_dir", r#"{"a":1}"#)]),
        reminder.clone(),
        asks(&[("c1", "read_file", "{}")]),
        result("c1", "ok"),
        result("c0", "Error: no parent"),
    ];
    assert!(!refuses(&fold(&late, &Rules::default()), "make_dir", r#"{"a":1}"#));
    let [go, call, _, read, ok, error] = late;
    let in_time = [go, call, reminder, error, read, ok];
    assert!(refuses(&fold(&in_time, &Rules::default()), "make_dir", r#"{"a":1}"#));
}

#[test]
fn a_marker_counts_in_each_part_of_a_result() {
    let part = |text: &str| format!(r#"{{"type":"text","text":{}}}"#, quote(text));
    let result = |parts: &[String]| {
        format!(r#"{{"role":"tool","tool_call_id":"c1","content":[{}]}}"#, parts.join(","))
    };
    let marked = r#"{"_terminal_failure":"gone"}"#;
    for parts in [
        vec![part(marked)],
        vec![part("It did not work."), part(marked)],
        vec![part(marked), part("{\"a\":1}")],
    ] {
        let call = asks(&[("c1", "make_dir", r#"{"a":1}"#)]);
        let ledger = fold(&[user("go"), call.clone(), result(&parts)], &Rules::default());
        assert!(refuses(&ledger, "make_dir", r#"{"a":1}"#), "{parts:?}");
        // A rule of the operator's speaks first.
        let success = ResultRule { when: ResultWhen::default(), class: ResultClass::Success };
        let rule = ToolRule { results: vec![success], ..block("make_dir") };
        let rules = Rules { tools: vec![rule], ..Rules::default() };
        let ledger = fold(&[user("go"), call, result(&parts)], &rules);
        assert!(!refuses(&ledger, "make_dir", r#"{"a":1}"#), "{parts:?}");
    }
}
