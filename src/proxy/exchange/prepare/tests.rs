use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Receiver;

use bytes::Bytes;
use http::Request;

use super::*;
use crate::config::{self, Overrides};
use crate::dialect::{Dialect, Hidden, HiddenRound};
use crate::guard::arguments::Uncached;
use crate::guard::inspect::told_anew;
use crate::observe::event::{Event, Events};
use crate::proxy::door::Tenant;
use crate::proxy::tasks::Tasks;
use crate::proxy::upstream::Way;

const RULES: &str = "[[constraint]]\ntext = \"Be brief.\"\n";
const SYSTEM: &str = r#"{"role":"system","content":"S"}"#;
const TOLD: &str = r#"{"role":"system","content":"S\n\nBe brief."}"#;
const ANSWER: &str = r#"{"role":"assistant","content":"Hm."}"#;
const HIDDEN: &str = r#"{"role":"assistant","content":"hidden"}"#;
/// A result of no call, and what it is told as.
const STRAY: &str = r#"{"role":"tool","tool_call_id":"x","content":"old"}"#;
const WORDS: &str = r#"{"role":"user","content":"The result of an earlier tool call that is no longer part of this conversation:\nold"}"#;
const TOOLS: &str = r#""tools":[{"type":"function","function":{"name":"look"}}]"#;

fn read(messages: &[&str]) -> Transcript {
    Dialect::Chat.read(format!(r#"{{"messages":[{}],{TOOLS}}}"#, messages.join(",")).into()).unwrap()
}

/// A house that remembers of [`ANSWER`] what the agent did not see.
fn house() -> (Arc<House>, Receiver<Event>) {
    let plan = config::parse("rules.toml", RULES, Path::new(""), &Overrides::default(), &|_| None).unwrap();
    let (events, told) = Events::collect();
    let house = House::new(plan, events, Tasks::default(), Arc::new(Uncached)).unwrap();
    let (tenant, seen) = (Tenant::for_tests(1), read(&[ANSWER]));
    let rounds = vec![HiddenRound { elements: vec![Bytes::from_static(HIDDEN.as_bytes())], others: vec![] }];
    let before = house.asides.before(&tenant, &read(&[SYSTEM, STRAY]));
    let visible = seen.visible(&seen.elements[0]);
    house.asides.remember(&tenant, before, visible, Hidden { rounds, ..Hidden::default() }, Vec::new());
    (Arc::new(house), told)
}

/// What the provider is told of a history that is broken, and that lacks something; what was done; and what events
/// tell of bugs.
fn prepared(tell: Tell) -> (String, Vec<&'static str>, Vec<(&'static str, String)>) {
    let (house, told) = house();
    let account = Account::open(&house, 0);
    let target = Arc::clone(house.upstreams.route("/v1/chat/completions", None));
    let parts = Request::post("/v1/chat/completions").body(()).unwrap().into_parts().0;
    let transcript = read(&[SYSTEM, STRAY, ANSWER]);
    let mended = mended(&house, &transcript, &account);
    assert!(mended.is_some());
    let mut exchange = Exchange {
        tenant: Tenant::for_tests(1),
        transcript: Arc::new(transcript),
        mended,
        edits: Splices::default(),
        prepared: target.prepare(&parts, &[], Way::Guarded).unwrap(),
        target,
        refused_before: Vec::new(),
        prepared_for: Vec::new(),
        house,
    };
    exchange.prepare(&account, tell);
    let body = exchange.body(&[], false).concat();
    let done = exchange.prepared_for.iter().map(|reason| reason.code()).collect();
    let bugs = told.try_iter().map(|event| match event.fact {
        Fact::Unjudged { reason, detail } => (reason.code(), detail),
        fact => panic!("{fact:?}"),
    });
    (String::from_utf8(body).unwrap(), done, bugs.collect())
}

fn body(messages: &[&str]) -> String {
    read(messages).text().to_owned()
}

#[test]
fn a_request_is_told_with_all_that_belongs_to_it() {
    let (told, done, bugs) = prepared(told_anew);
    assert_eq!(told, body(&[TOLD, WORDS, HIDDEN, ANSWER]));
    assert_eq!((done, bugs), (vec!["constrained", "restored"], vec![]));
}

/// As a panic, but without a word on the terminal.
fn bug() -> ! {
    std::panic::resume_unwind(Box::new("a bug"))
}

#[test]
fn though_the_guard_fails_what_is_mended_and_put_back_goes_on() {
    let fails: Tell = |told, rules, upstream, edits| {
        told_anew(told, rules, upstream, edits);
        bug()
    };
    let (told, done, bugs) = prepared(fails);
    assert_eq!(told, body(&[SYSTEM, WORDS, HIDDEN, ANSWER]), "nothing that was half done");
    let bug = ("uninspected", "the guard failed on the request".to_owned());
    assert_eq!((done, bugs), (vec!["restored"], vec![bug]));
}

#[test]
fn what_fails_leaves_undone_what_it_did_and_says_so_once() {
    let (house, told) = house();
    let account = Account::open(&house, 0);
    assert_eq!(attempt(&account, "x", || 1), Some(1));
    assert_eq!(attempt(&account, "x", || bug()), None::<()>);
    let facts: Vec<_> = told.try_iter().map(|event| event.fact).collect();
    let detail = "the guard failed on x".to_owned();
    assert_eq!(facts, [Fact::Unjudged { reason: Reason::Uninspected, detail }]);
}
