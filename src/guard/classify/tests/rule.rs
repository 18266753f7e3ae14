use regex::Regex;

use super::*;
use crate::guard::rules::{ResultRule, ResultWhen};

fn rule(class: ResultClass, when: ResultWhen) -> ResultRule {
    ResultRule { when, class }
}

fn matching(pattern: &str) -> ResultWhen {
    ResultWhen { matches: Some(Regex::new(pattern).unwrap()), ..ResultWhen::default() }
}

fn with_status(status: (u16, u16), except: &[u16]) -> ResultWhen {
    ResultWhen { status: vec![status], except: except.to_vec(), ..ResultWhen::default() }
}

fn ruled(text: &str, rules: &[ResultRule]) -> Outcome {
    let policy = ToolPolicy { results: rules.iter().collect(), ..ToolPolicy::default() };
    classify(text, &policy, "/_terminal_failure")
}

#[track_caller]
fn class(text: &str, rules: &[ResultRule]) -> (Option<ResultClass>, bool) {
    match ruled(text, rules) {
        Outcome::Failure(failure) => (failure.class, failure.terminal),
        other => panic!("{text:?} is {other:?}"),
    }
}

#[test]
fn a_status_meets_in_numbers_strings_and_text() {
    let rules = [rule(ResultClass::Terminal, with_status((400, 499), &[408, 409, 423, 425, 429]))];
    for text in [
        r#"{"status":400,"Code":"ResourceTypeNotFound"}"#,
        r#"{"statusCode":"404"}"#,
        r#"{"status_code":410}"#,
        r#"{"code":499}"#,
        "HTTP 404",
        "422: no",
        "Error code: 400",
        "status code 404",
        "400 Bad Request",
        r#"{"content":[{"type":"text","text":"{\"status\":404}"}]}"#,
    ] {
        assert_eq!(class(text, &rules), (Some(ResultClass::Terminal), true), "{text}");
    }
    assert_eq!(ruled(r#"{"status":429}"#, &rules), Outcome::Transient);
    assert_eq!(ruled(r#"{"status":500}"#, &rules), Outcome::Transient);
    assert_eq!(ruled(r#"{"status":200}"#, &rules), Outcome::Success);
    assert_eq!(class("Error: boom", &rules), (None, false));
}

#[test]
fn the_first_rule_that_matches_counts() {
    let rules = [
        rule(ResultClass::Correctable, with_status((422, 422), &[])),
        rule(ResultClass::Terminal, with_status((400, 499), &[])),
    ];
    assert_eq!(class(r#"{"status":422}"#, &rules), (Some(ResultClass::Correctable), false));
    assert_eq!(class(r#"{"status":404}"#, &rules), (Some(ResultClass::Terminal), true));
}

#[test]
fn every_class_has_its_outcome() {
    let told = |class| ruled("word", &[rule(class, matching("word"))]);
    assert_eq!(told(ResultClass::Success), Outcome::Success);
    assert_eq!(told(ResultClass::Transient), Outcome::Transient);
    assert_eq!(told(ResultClass::Control), Outcome::Control);
    let of = |class| super::rule::class("word", &[rule(class, matching("word"))]);
    assert_eq!(of(ResultClass::Correctable), (Some(ResultClass::Correctable), false));
    assert_eq!(of(ResultClass::Failed), (Some(ResultClass::Failed), false));
    assert_eq!(of(ResultClass::Terminal), (Some(ResultClass::Terminal), true));
}

#[test]
fn a_pattern_looks_through_wrappers() {
    let rules = [rule(ResultClass::Failed, matching("(?i)^permission"))];
    for text in [
        "Permission denied",
        r#"{"content":[{"type":"text","text":"permission needed"}]}"#,
        r#"{"error":"Permission denied"}"#,
        "meta=None content=[TextContent(type='text', text='Permission needed')] isError=False",
    ] {
        assert_eq!(class(text, &rules), (Some(ResultClass::Failed), false), "{text}");
    }
    assert_eq!(ruled("No permission", &rules), Outcome::Success);
}

#[test]
fn of_long_text_a_pattern_sees_the_ends() {
    let rules = [rule(ResultClass::Failed, matching("needle"))];
    let hay = "hay ".repeat(5_000);
    assert_eq!(class(&format!("needle {hay}"), &rules).0, Some(ResultClass::Failed));
    assert_eq!(class(&format!("{hay} needle"), &rules).0, Some(ResultClass::Failed));
    assert_eq!(ruled(&format!("{hay} needle {hay}"), &rules), Outcome::Success);
    assert_eq!(class(&format!(r#"{{"a":"{hay} needle {hay}"}}"#), &rules).0, Some(ResultClass::Failed));
    let anchored = [rule(ResultClass::Failed, matching("^tail"))];
    assert_eq!(ruled(&format!("{hay}{}", "tail".repeat(1024)), &anchored), Outcome::Success);
}

#[test]
fn a_pointer_wants_something_to_be_there() {
    let when = || ResultWhen { pointer: Some("/meta/refused".into()), ..ResultWhen::default() };
    let rules = [rule(ResultClass::Failed, when())];
    for text in
        [r#"{"meta":{"refused":true}}"#, r#"{"meta":{"refused":"why"}}"#, r#"{"meta":{"refused":[1]}}"#]
    {
        assert_eq!(class(text, &rules).0, Some(ResultClass::Failed), "{text}");
    }
    for text in [
        r#"{"meta":{"refused":false}}"#,
        r#"{"meta":{"refused":null}}"#,
        r#"{"meta":{"refused":""}}"#,
        r#"{"meta":{"refused":[]}}"#,
        r#"{"meta":{}}"#,
        "refused",
    ] {
        assert_eq!(ruled(text, &rules), Outcome::Success, "{text}");
    }
}

#[test]
fn all_that_a_rule_gives_must_hold() {
    let when = ResultWhen { status: vec![(400, 499)], ..matching("quota") };
    let rules = [rule(ResultClass::Terminal, when)];
    assert_eq!(
        class(r#"{"status":403,"message":"quota is used up"}"#, &rules).0,
        Some(ResultClass::Terminal)
    );
    assert_eq!(class(r#"{"status":403,"message":"no"}"#, &rules).0, None);
    assert_eq!(ruled("quota is used up", &rules), Outcome::Success);
}

#[test]
fn an_exception_stands_without_a_range() {
    let rules = [rule(ResultClass::Success, ResultWhen { except: vec![404], ..matching("page") })];
    assert_eq!(ruled(r#"{"status":410,"message":"page"}"#, &rules), Outcome::Success);
    assert_eq!(class(r#"{"status":404,"message":"page"}"#, &rules).0, None);
}

#[test]
fn a_rule_can_call_an_error_a_success() {
    let rules = [rule(ResultClass::Success, matching("nothing to commit"))];
    assert_eq!(ruled("Error: nothing to commit\nexit code: 1", &rules), Outcome::Success);
}

#[test]
fn a_marker_is_terminal_and_names_the_failure() {
    let Outcome::Failure(failure) = plain(r#"{"_terminal_failure":"stack_gone","message":"It is gone."}"#)
    else {
        panic!("a marker is a failure")
    };
    assert_eq!((failure.signature.as_str(), failure.terminal, failure.class), ("stack_gone", true, None));
    assert_eq!(failure.excerpt, "It is gone.");
    let wrapped = r#"[{"type":"text","text":"{\"_terminal_failure\":\"x\"}"}]"#;
    assert!(super::failure(wrapped).terminal);
    for text in
        [r#"{"_terminal_failure":""}"#, r#"{"_terminal_failure":true}"#, r#"{"a":{"_terminal_failure":"x"}}"#]
    {
        assert_eq!(plain(text), Outcome::Success, "{text}");
    }
}

#[test]
fn a_rule_goes_before_a_marker_and_a_marker_before_flags() {
    let text = r#"{"_terminal_failure":"gone","status":503}"#;
    assert!(failure(text).terminal);
    let rules = [rule(ResultClass::Failed, with_status((503, 503), &[]))];
    assert_eq!(class(text, &rules), (Some(ResultClass::Failed), false));
}

#[test]
fn without_a_marker_pointer_no_string_is_a_marker() {
    assert_eq!(classify(r#""word""#, &ToolPolicy::default(), ""), Outcome::Success);
}
