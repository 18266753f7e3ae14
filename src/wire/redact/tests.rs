use std::borrow::Cow;

use proptest::prelude::*;

use super::redact;

#[track_caller]
fn assert_redacted(text: &str, to: &str) {
    assert_eq!(redact(text), to);
    assert!(matches!(redact(to), Cow::Borrowed(_)), "{to} is left alone");
}

#[test]
fn credentials_in_headers_are_replaced() {
    assert_redacted("authorization: Bearer abc", "authorization: [redacted]");
    assert_redacted("Authorization: Basic dXNlcjpwdw==\r\nhost: x", "Authorization: [redacted]\r\nhost: x");
    assert_redacted("Proxy-Authorization: secret", "Proxy-Authorization: [redacted]");
    assert_redacted("X-API-Key: k1", "X-API-Key: [redacted]");
    assert_redacted(r#"{"authorization":"Bearer a.b-c_d"}"#, r#"{"authorization":"[redacted]"}"#);
    assert_redacted(r#""{\"api-key\":\"0123\"}""#, r#""{\"api-key\":\"[redacted]\"}""#);
    assert_redacted(r#"("authorization", "token abc")"#, r#"("authorization", "[redacted]")"#);
}

#[test]
fn bearer_tokens_are_replaced_wherever_they_stand() {
    assert_redacted("sent Bearer abcdef.123, got 401", "sent Bearer [redacted], got 401");
    assert_redacted("bearer  0123456789", "bearer  [redacted]");
}

#[test]
fn keys_are_known_by_their_beginning() {
    assert_redacted(
        "Incorrect API key provided: sk-proj-abc_DEF-123.",
        "Incorrect API key provided: [redacted].",
    );
    assert_redacted("(sk-ant-api03-xyz)", "([redacted])");
    assert_redacted("gsk_0123456789abcdefXYZ", "[redacted]");
    assert_redacted("AIzaSyA0123456789abcdef", "[redacted]");
}

#[test]
fn secrets_in_queries_and_environments_are_replaced() {
    assert_redacted("https://x/v1?api_key=abc&model=m", "https://x/v1?api_key=[redacted]&model=m");
    assert_redacted("/v1?key=0123456789abcdef0123&alt=sse", "/v1?key=[redacted]&alt=sse");
    assert_redacted("OPENAI_API_KEY=abc PATH=/bin", "OPENAI_API_KEY=[redacted] PATH=/bin");
    assert_redacted(r#"{"client_secret": "abc"}"#, r#"{"client_secret": "[redacted]"}"#);
    assert_redacted("redis://user:pw@host:6379/0", "redis://[redacted]@host:6379/0");
    assert_redacted("redis://:pw@host", "redis://[redacted]@host");
}

#[test]
fn what_only_resembles_a_secret_is_borrowed() {
    for text in [
        "",
        "a task-force for risk-assessments",
        "sk-1",
        "the bearer of news",
        "Bearer token required",
        "max_tokens=4096 and key=id",
        "the key: value pairs, \"key\": \"0123456789abcdef0123\"",
        "authorization failed",
        "http://127.0.0.1:8080/v1/chat/completions",
        "mailto:a@b.c",
        "{\"prompt_tokens\":100,\"branch_slug\":\"pj1-project-git-extend\"}",
        "keyboard=abcdefghijklmnopqrstuvwxyz",
    ] {
        assert!(matches!(redact(text), Cow::Borrowed(_)), "{text}: {}", redact(text));
    }
}

#[test]
fn text_around_secrets_keeps_its_bytes() {
    assert_redacted("é sk-0123456789 \u{1f600} sk-abcdefghij\n", "é [redacted] \u{1f600} [redacted]\n");
}

proptest! {
    #[test]
    fn what_was_redacted_is_left_alone(
        words in prop::collection::vec(
            "authorization|api_key|key|Bearer |sk-|://|[:=@\"'& ]|[a-z0-9]{1,20}|\\[redacted\\]", 0..12
        ),
    ) {
        let text = words.concat();
        let once = redact(&text).into_owned();
        let twice = redact(&once).into_owned();
        prop_assert_eq!(redact(&twice), twice.as_str());
    }

    #[test]
    fn a_key_never_comes_through(before in "[ a-z\"(:=]{0,10}[ \"(:=]", key in "sk-[A-Za-z0-9]{20,40}") {
        let text = format!("{before}{key}");
        prop_assert!(!redact(&text).contains(&key));
    }
}
