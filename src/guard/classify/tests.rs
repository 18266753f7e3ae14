mod phrase;
pub(in crate::guard) mod recorded;
mod rule;
mod said;
mod wrapper;

use super::*;
use crate::guard::rules::FailureRules;

/// Classes a text as it is without any rules.
fn plain(text: &str) -> Outcome {
    classify(text, &ToolPolicy::default(), &FailureRules::default().marker)
}

fn failure(text: &str) -> Failure {
    match plain(text) {
        Outcome::Failure(failure) => failure,
        other => panic!("{text:?} is {other:?}"),
    }
}

fn assert_failures(texts: &[&str]) {
    for text in texts {
        assert!(matches!(plain(text), Outcome::Failure(_)), "{text:?} is {:?}", plain(text));
    }
}

fn assert_all(expected: &Outcome, texts: &[&str]) {
    for text in texts {
        assert_eq!(plain(text), *expected, "{text:?}");
    }
}

#[test]
fn explicit_flags_tell_a_failure() {
    assert_failures(&[
        r#"{"isError":true,"content":[]}"#,
        r#"{"is_error":true}"#,
        r#"{"success":false}"#,
        r#"{"ok":false,"data":null}"#,
        r#"{"status":400}"#,
        r#"{"status":"404"}"#,
        r#"{"status":"403 Forbidden"}"#,
        r#"{"statusCode":422}"#,
        r#"{"status_code":401}"#,
        r#"{"code":404,"message":"gone"}"#,
        r#"{"error":"boom"}"#,
        r#"{"error":{"message":"boom"}}"#,
        r#"{"errors":["boom"]}"#,
        r#"{"errors":[{"message":"boom"}],"data":null}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}"#,
        r#"{"output":"no such target","metadata":{"exit_code":2}}"#,
        r#"{"stdout":"","stderr":"boom","exit_code":1}"#,
        r#"{"error":true}"#,
        r#"{"error":"No error handler found for /x"}"#,
        r#"{"error":"None of the files found"}"#,
        r#"{"success":true,"isError":true}"#,
        r#"{"success":false,"error":"none"}"#,
    ]);
}

#[test]
fn false_friends_of_the_flags_are_successes() {
    assert_all(
        &Outcome::Success,
        &[
            r#"{"error":""}"#,
            r#"{"error":null,"data":[1]}"#,
            r#"{"error":"none"}"#,
            r#"{"isError":false,"content":[{"type":"text","text":"fine"}]}"#,
            r#"{"errors":[]}"#,
            r#"{"error":{}}"#,
            r#"{"error":{"code":0,"message":""}}"#,
            r#"{"error":false}"#,
            r#"{"rmse":0.4,"error":0.13}"#,
            r#"{"errors":3,"warnings":1}"#,
            r#"{"status":200,"code":0}"#,
            r#"{"status":399}"#,
            r#"{"status":600}"#,
            r#"{"status":"active"}"#,
            r#"{"status":"4000"}"#,
            r#"{"items":[{"status":404,"error":"broken link"}]}"#,
            r#"[{"error":"boom"}]"#,
            r#"{"log":"Error: boom"}"#,
            r#"{"path":"a.log","content":"Error: boom"}"#,
            r#"{"content":"Error: boom"}"#,
            r#"{"success":true,"output":"Error: boom, says the log"}"#,
            r#"{"success":true,"code":404}"#,
            r#"{"success":true,"error":"deprecated field used"}"#,
            r#"{"ok":true,"errors":[{"code":0}]}"#,
            r#"{"error":{"code":0,"message":"OK"}}"#,
            r#"{"error":"No errors found"}"#,
            r#"{"error":"no error."}"#,
            r#"{"errors":"none found"}"#,
            r#"{"output":"done","error":"1 warning","exit_code":0}"#,
            "Error: no errors found",
            r#"{"output":"Error: boom, says the log","metadata":{"exit_code":0}}"#,
        ],
    );
}

#[test]
fn json_is_scanned_to_its_end() {
    let filler = "x".repeat(20_000);
    assert_failures(&[&format!(r#"{{"data":"{filler}","success":false}}"#)]);
}

#[test]
fn a_cut_object_says_what_came_whole() {
    assert_eq!(failure(r#"{"status":400,"Code":"Bad","Message":"it was cut h"#).signature, "http_400:Bad");
    assert_all(&Outcome::Success, &[r#"{"data":{"status":400,"Code":"Bad"#]);
}

#[test]
fn the_last_of_equal_members_counts() {
    assert_all(&Outcome::Success, &[r#"{"error":"boom","error":null}"#]);
    assert_failures(&[r#"{"err\u006fr":"boom"}"#]);
}

#[test]
fn signatures_hold_status_and_code() {
    let cases = [
        (r#"{"status":400,"Code":"ResourceTypeNotFound","Message":"…"}"#, "http_400:ResourceTypeNotFound"),
        (r#"{"status":404}"#, "http_404"),
        (r#"{"code":404}"#, "http_404"),
        (r#"{"status":422,"code":"invalid_slug"}"#, "http_422:invalid_slug"),
        (r#"{"status":422,"error":{"code":"a.b:c-d_e","message":"m"}}"#, "http_422:a.b:c-d_e"),
        (r#"{"status":401,"error":"invalid_token"}"#, "http_401:invalid_token"),
        (r#"{"status":401,"error":"the token is not valid"}"#, "http_401"),
        (r#"{"status":401,"code":"-starts-badly"}"#, "http_401"),
        (r#"{"error":{"code":400,"message":"m"}}"#, "http_400"),
        (r#"{"success":false,"code":"E1"}"#, "failed"),
        ("HTTP 404: no such page", "http_404"),
        (
            "Error code: 400 - {'error': {'message': 'too long', 'code': 'context_length'}}",
            "http_400:context_length",
        ),
        ("Failed to fetch https://a.b - status code 403", "http_403"),
        ("Error: boom", "failed"),
    ];
    for (text, signature) in cases {
        assert_eq!(failure(text).signature, signature, "{text}");
    }
    let long = "c".repeat(128);
    assert_eq!(
        failure(&format!(r#"{{"status":400,"code":"{long}"}}"#)).signature,
        format!("http_400:{long}")
    );
    assert_eq!(failure(&format!(r#"{{"status":400,"code":"{long}c"}}"#)).signature, "http_400");
}

#[test]
fn excerpts_quote_the_message() {
    let cases = [
        (r#"{"status":400,"Message":"The type\n  is unknown."}"#, "The type is unknown."),
        (r#"{"status":400,"message":"m","error":"e"}"#, "m"),
        (r#"{"error":{"message":"deep"}}"#, "deep"),
        (r#"{"error":"plain"}"#, "plain"),
        (r#"{"status":422,"detail":[{"loc":["a"],"msg":"bad"}]}"#, r#"[{"loc":["a"],"msg":"bad"}]"#),
        (r#"{"isError":true,"content":[{"type":"text","text":"inner words"}]}"#, "inner words"),
        ("Error: first\tline\r\nsecond", "Error: first line second"),
        ("Traceback (most recent call last):\n  File \"a\"\nValueError: bad slug\n", "ValueError: bad slug"),
    ];
    for (text, excerpt) in cases {
        assert_eq!(failure(text).excerpt, excerpt, "{text}");
    }
}

#[test]
fn excerpts_end_on_a_character_within_their_limit() {
    let excerpt = failure(&format!("Error: {}", "é".repeat(500))).excerpt;
    assert_eq!(excerpt.chars().count(), 200);
    assert_eq!(quote::line(&"ab ".repeat(100)).chars().count(), 200);
    assert_eq!(quote::line(" \u{0}\u{7}\n"), "");
}

#[test]
fn complaints_of_the_arguments_are_terminal() {
    let cases = [
        "MCP error -32602: Invalid arguments for tool x",
        "Error executing tool x: 1 validation error for xArguments\nbranch\n  Field required [type=missing]",
        "1 validation error for call[x]\nextra\n  Unexpected keyword argument [type=unexpected_keyword_argument]",
        "Error: x() got an unexpected keyword argument 'y'",
        "Input validation error: 'branch' is a required property",
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params"}}"#,
        r#"{"isError":true,"content":[{"type":"text","text":"MCP error -32602: bad"}]}"#,
    ];
    for text in cases {
        let failure = failure(text);
        assert!(failure.terminal && failure.arguments, "{text}");
    }
}

#[test]
fn complaints_in_other_peoples_words_are_not_terminal() {
    let cases = [
        "Traceback (most recent call last):\nTypeError: f() got an unexpected keyword argument 'y'",
        "TypeError: f() got an unexpected keyword argument 'y'\nexit code: 1",
        "Error: 2 tests failed\n'name' is a required property",
        "MCP error -32603: Internal",
        "Error: x-326021",
    ];
    for text in cases {
        assert!(!failure(text).terminal, "{text}");
    }
}
