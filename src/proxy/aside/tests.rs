use std::time::Duration;

use bytes::Bytes;

use super::*;
use crate::config::plan::Secret;
use crate::dialect::{Dialect, HiddenCall};
use crate::proxy::door::Tenant;

fn asides(memory: usize, ttl: Duration) -> Asides {
    Asides::new(&State { memory, ttl, secret: Secret::new("s") })
}

fn read(messages: &str) -> Transcript {
    Dialect::Chat.read(format!(r#"{{"messages":[{messages}]}}"#).into()).unwrap()
}

fn hidden(text: &'static str) -> Hidden {
    let sibling = HiddenCall {
        position: 0,
        call: Bytes::from_static(b"{}"),
        result: Bytes::from_static(text.as_bytes()),
    };
    Hidden { siblings: vec![sibling], ..Hidden::default() }
}

const USER: &str = r#"{"role":"system","content":"S"},{"role":"user","content":"go"}"#;
const ANSWER: &str = r#"{"role":"assistant","content":"Hm","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":1,\"b\":2}"}}]}"#;

/// Remembers an aside around [`ANSWER`] to `history`.
fn remember(asides: &Asides, tenant: Tenant, history: &str, text: &'static str) {
    let before = asides.before(&tenant, &read(history));
    let seen = read(ANSWER);
    asides.remember(&tenant, before, seen.visible(&seen.elements[0]), hidden(text), Vec::new());
}

fn found(asides: &Asides, tenant: Tenant, messages: &str) -> Vec<usize> {
    asides.find(&tenant, &read(messages)).into_iter().map(|(place, _)| place).collect()
}

#[test]
fn is_found_however_the_agent_writes_what_it_saw() {
    let asides = asides(1 << 20, Duration::from_mins(1));
    let tenant = Tenant::for_tests(1);
    remember(&asides, tenant, USER, "x");
    for (what, messages) in [
        ("as it was", format!("{USER},{ANSWER}")),
        ("another system prompt", format!("{},{ANSWER}", USER.replace("\"S\"", "\"T\""))),
        (
            "arguments anew",
            format!("{USER},{}", ANSWER.replace(r#"{\"a\":1,\"b\":2}"#, r#"{\"b\": 2, \"a\": 1}"#)),
        ),
        (
            "a list of one part",
            format!(
                "{USER},{}",
                ANSWER.replace("\"Hm\"", r#"[{"type":"text","text":"Hm","cache_control":{}}]"#)
            ),
        ),
        (
            "with reasoning",
            format!("{USER},{}", ANSWER.replace("\"content\"", "\"reasoning_content\":\"r\",\"content\"")),
        ),
    ] {
        assert_eq!(found(&asides, tenant, &messages), [2], "{what}");
    }
}

#[test]
fn any_mismatch_is_a_miss() {
    let asides = asides(1 << 20, Duration::from_mins(1));
    let tenant = Tenant::for_tests(1);
    remember(&asides, tenant, USER, "x");
    for (what, messages) in [
        ("another user message", format!("{},{ANSWER}", USER.replace("\"go\"", "\"gone\""))),
        ("another text", format!("{USER},{}", ANSWER.replace("Hm", "Ah"))),
        ("another value", format!("{USER},{}", ANSWER.replace(r#"\"a\":1"#, r#"\"a\":1.0"#))),
        ("another id", format!("{USER},{}", ANSWER.replace("\"c\"", "\"d\""))),
        ("another place", format!("{USER},{{\"role\":\"user\",\"content\":\"and\"}},{ANSWER}")),
    ] {
        assert_eq!(found(&asides, tenant, &messages), [0; 0], "{what}");
    }
    assert_eq!(found(&asides, Tenant::for_tests(2), &format!("{USER},{ANSWER}")), [0; 0], "another tenant");
}

#[test]
fn the_same_again_is_kept_once() {
    let asides = asides(1 << 20, Duration::from_mins(1));
    let tenant = Tenant::for_tests(1);
    remember(&asides, tenant, USER, "first");
    remember(&asides, tenant, USER, "second");
    let kept = asides.find(&tenant, &read(&format!("{USER},{ANSWER}")));
    assert_eq!(kept.len(), 1);
    assert_eq!(kept[0].1.hidden.siblings[0].result, "second");
}

#[test]
fn is_forgotten_with_time_and_for_want_of_memory() {
    let tenant = Tenant::for_tests(1);
    let short = asides(1 << 20, Duration::ZERO);
    remember(&short, tenant, USER, "x");
    assert_eq!(found(&short, tenant, &format!("{USER},{ANSWER}")), [0; 0]);
    let small = asides(1, Duration::from_mins(1));
    remember(&small, tenant, USER, "x");
    assert_eq!(found(&small, tenant, &format!("{USER},{ANSWER}")), [0; 0]);
}

#[test]
fn what_is_too_old_does_not_stay_in_memory() {
    for (ttl, kept) in [(Duration::ZERO, 1), (Duration::from_mins(1), 3)] {
        let asides = asides(1 << 20, ttl);
        for tenant in 1..=3 {
            remember(&asides, Tenant::for_tests(tenant), USER, "x");
        }
        assert_eq!(asides.buckets.len(), kept);
    }
}
