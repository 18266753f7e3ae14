use bytes::Bytes;
use globset::{Glob, GlobSetBuilder};
use regex::Regex;

use super::*;
use crate::dialect::Dialect;
use crate::guard::rules::{ResultClass, ResultRule, ResultWhen, ToolRule};
use crate::wire::canonical::quote;

fn block(glob: &str) -> ToolRule {
    ToolRule {
        names: GlobSetBuilder::new().add(Glob::new(glob).unwrap()).build().unwrap(),
        ..ToolRule::default()
    }
}

/// `git_*`: 422 is correctable, a permission is a neutral error, `gone` is terminal, 429 is transient, an approval is
/// control. `cat`: without `_internal`, 300 bytes at most.
fn rules() -> Rules {
    let rule = |status: &[(u16, u16)], pattern: Option<&str>, class| {
        let matches = pattern.map(|pattern| Regex::new(pattern).unwrap());
        ResultRule { when: ResultWhen { status: status.to_vec(), matches, ..ResultWhen::default() }, class }
    };
    let git = ToolRule {
        results: vec![
            rule(&[(422, 422)], None, ResultClass::Correctable),
            rule(&[], Some("(?i)^permission"), ResultClass::Failed),
            rule(&[(410, 410)], None, ResultClass::Terminal),
            rule(&[(429, 429)], None, ResultClass::Transient),
            rule(&[], Some("^approval"), ResultClass::Control),
            rule(&[], Some("^nothing to commit"), ResultClass::Success),
        ],
        ..block("git_*")
    };
    let cat = ToolRule { strip: vec!["/_internal".to_owned()], max_result: Some(300), ..block("cat") };
    Rules { tools: vec![git, cat], ..Rules::default() }
}

fn call(id: &str, name: &str) -> String {
    format!(r#"{{"id":"{id}","type":"function","function":{{"name":"{name}","arguments":"{{}}"}}}}"#)
}

fn answer(calls: &[(&str, &str)]) -> String {
    let calls: Vec<_> = calls.iter().map(|(id, name)| call(id, name)).collect();
    format!(r#"{{"role":"assistant","content":null,"tool_calls":[{}]}}"#, calls.join(","))
}

fn result(id: &str, content: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":{content}}}"#)
}

fn body(elements: &[String]) -> Bytes {
    Bytes::from(format!(r#"{{"messages":[{}]}}"#, elements.join(",")))
}

fn rewritten(body: &Bytes, rules: &Rules) -> (Bytes, Vec<Reason>) {
    let transcript = Dialect::Chat.read(body.clone()).unwrap();
    let mut edits = Splices::default();
    let done = rewrite(&transcript, rules, &mut edits);
    let new = edits.apply(body);
    Dialect::Chat.read(new.clone()).unwrap();
    (new, done)
}

/// The content that the model reads of a result of `tool`, and what was done. All else stays.
#[track_caller]
fn read(tool: &str, content: &str) -> (String, Vec<Reason>) {
    let before = body(&[answer(&[("a", tool)]), result("a", "@")]);
    let (before, after) = std::str::from_utf8(&before).unwrap().split_once('@').unwrap();
    let body = Bytes::from(format!("{before}{content}{after}"));
    let (new, done) = rewritten(&body, &rules());
    assert_eq!(new == body, done.is_empty(), "{content}");
    assert_eq!(rewritten(&new, &rules()), (new.clone(), Vec::new()), "twice is once");
    let new = std::str::from_utf8(&new).unwrap();
    (new.strip_prefix(before).unwrap().strip_suffix(after).unwrap().to_owned(), done)
}

#[test]
fn a_rule_gives_an_error_its_words() {
    for (content, expected) in [
        (r#""422: bad slug""#, r#""Error: 422: bad slug. Please fix your mistakes.""#),
        (
            r#"[{"type":"text","text":"422: bad slug","cache_control":{}}]"#,
            r#"[{"type":"text","text":"Error: 422: bad slug. Please fix your mistakes.","cache_control":{}}]"#,
        ),
        (
            r#"[{"type":"text","text":"422: bad"},{"type":"text","text":"and \"x\""},{"type":"image_url"}]"#,
            r#"[{"type":"text","text":"Error: 422: bad\nand \"x\". Please fix your mistakes."},{"type":"image_url"}]"#,
        ),
        (
            r#""{\"status\":422,\"message\":\"b\u00e9\"}""#,
            r#""Error: HTTP 422: bé. Please fix your mistakes.""#,
        ),
        (r#"{"status":422,"message":"bad"}"#, r#""Error: HTTP 422: bad. Please fix your mistakes.""#),
        (r#""permission denied""#, r#""Error: permission denied""#),
        (
            r#""HTTP 410: gone""#,
            r#""Error: git_push failed for good: HTTP 410: gone. An equivalent request will fail the same way, so do not send it again. Find the cause first; then change the request, take a path that does not depend on the rejected input, or state plainly what you conclude.""#,
        ),
    ] {
        assert_eq!(read("git_push", content), (expected.to_owned(), vec![Reason::ResultTold]));
    }
}

#[test]
fn all_else_passes_byte_for_byte() {
    for content in [
        r#""HTTP 429: slow down""#,
        r#""approval needed: Error: push to main""#,
        r#""nothing to commit, Error: exit code 1""#,
        r#""ValueError: bad slug""#,
        r#""Error: unknown""#,
        r#""pushed \u00e9\/ 422 objects""#,
        r#""{\"_terminal_failure\":true,\"a\":1}""#,
        r#""{\"_terminal_failure\":\"\"}""#,
        r#""Error: git_push was not run: /slug is bad. Please fix your mistakes.""#,
        r#""Error: 422: bad\n Please fix your mistakes.""#,
        r#""Error: Permission denied""#,
        r#""""#,
        "null",
        "[]",
        r#"[{"type":"image_url","image_url":{}}]"#,
    ] {
        assert_eq!(read("git_push", content), (content.to_owned(), vec![]));
    }
    for content in [r#""422: bad slug""#, r#""permission denied""#, r#""HTTP 410: gone""#] {
        assert_eq!(read("svn_push", content), (content.to_owned(), vec![]));
    }
}

#[test]
fn a_marker_never_reaches_the_model_and_what_it_says_is_still_known() {
    for (tool, content, expected) in [
        ("other", r#""{\"_terminal_failure\":\"x\",\"a\":\"\\u00e9\"}""#, r#""{\"a\":\"\\u00e9\"}""#),
        ("other", r#"{"a":1.10,"_terminal_failure":"x"}"#, r#"{"a":1.10}"#),
        (
            "other",
            r#"[{"type":"text","text":"one"},{"text":"{\"_terminal_failure\":\"x\"}","type":"text"}]"#,
            r#"[{"type":"text","text":"one"},{"text":"{}","type":"text"}]"#,
        ),
    ] {
        assert_eq!(read(tool, content), (expected.to_owned(), vec![Reason::ResultStripped]));
    }
    let told = read("git_push", r#""{\"status\":422,\"_terminal_failure\":\"x\",\"message\":\"bad\"}""#);
    assert_eq!(
        told,
        (
            r#""Error: HTTP 422: bad. Please fix your mistakes.""#.to_owned(),
            vec![Reason::ResultStripped, Reason::ResultTold]
        )
    );
}

#[test]
fn another_marker_and_none() {
    let mut rules = rules();
    let body = body(&[
        answer(&[("a", "x")]),
        result("a", r#""{\"_terminal_failure\":\"x\",\"meta\":{\"dead\":\"x\"}}""#),
    ]);
    rules.failures.marker = "/meta/dead".to_owned();
    let (new, _) = rewritten(&body, &rules);
    assert!(std::str::from_utf8(&new).unwrap().contains(r#"{\"_terminal_failure\":\"x\",\"meta\":{}}"#));
    rules.failures.marker = String::new();
    assert_eq!(rewritten(&body, &rules), (body, vec![]));
}

#[test]
fn strip_and_max_result_are_for_their_tools() {
    let internal = r#""{\"_internal\":[1],\"a\":1}""#;
    assert_eq!(read("cat", internal), (r#""{\"a\":1}""#.to_owned(), vec![Reason::ResultStripped]));
    assert_eq!(read("dog", internal), (internal.to_owned(), vec![]));
    let long = format!(r#""{}{}""#, "a\\n".repeat(200), "\\u00e9".repeat(200));
    let (cut, done) = read("cat", &long);
    assert_eq!(done, [Reason::ResultCut]);
    assert!(cut.starts_with(r#""a\na\n"#) && cut.ends_with(r#"\u00e9\u00e9""#), "{cut}");
    assert!(cut.contains(r"\n[… 531 bytes left out …]\n"), "{cut}");
    assert_eq!(read("dog", &long), (long, vec![]));
    // 400 bytes as it is written, 200 as it reads.
    let escaped = format!(r#""{}""#, "\\n".repeat(200));
    assert_eq!(read("cat", &escaped), (escaped, vec![]));
    let both = quote(&format!(r#"{{"_internal":1,"a":"{}"}}"#, "x".repeat(400)));
    let (cut, done) = read("cat", &both);
    assert_eq!(done, [Reason::ResultStripped, Reason::ResultCut]);
    assert!(cut.starts_with(r#""{\"a\":\"xx"#) && cut.ends_with(r#"xx\"}""#), "{cut}");
}

#[test]
fn no_result_is_longer_than_its_tool_may_send() {
    let mut rules = rules();
    for rule in &mut rules.tools {
        rule.max_result = Some(300);
    }
    let long = "x".repeat(5_000);
    for (tool, text) in [
        ("git_push", format!("422: {long}")),
        ("git_push", format!(r#"{{"status":422,"error":"Error: {long}"}}"#)),
        ("git_push", format!("HTTP 410: {long}")),
        ("git_push", format!(r#"{{"error":"permission denied: {long}"}}"#)),
        ("git_push", format!("Error: 422 {long} Please fix your mistakes.")),
        ("cat", format!("Error: {long} Please fix your mistakes.")),
    ] {
        let body = body(&[answer(&[("a", tool)]), result("a", &quote(&text))]);
        let (new, done) = rewritten(&body, &rules);
        assert_eq!(done.len(), 1, "{text}");
        assert_eq!(rewritten(&new, &rules), (new.clone(), vec![]), "{text}");
        let transcript = Dialect::Chat.read(new).unwrap();
        let read = transcript.content(&transcript.elements[1]);
        assert!(read.len() <= 300 && read.contains(" bytes left out …]"), "{read}");
    }
}

#[test]
fn a_result_is_of_the_nearest_call_under_its_id() {
    let bad = |id: &str| result(id, r#""422: bad""#);
    let told = |id: &str| result(id, r#""Error: 422: bad. Please fix your mistakes.""#);
    let named =
        r#"{"role":"tool","tool_call_id":"nobody","name":"git_push","content":"422: bad"}"#.to_owned();
    let legacy = [
        r#"{"role":"assistant","content":null,"function_call":{"name":"git_push","arguments":"{}"}}"#
            .to_owned(),
        r#"{"role":"function","name":"git_push","content":"422: bad"}"#.to_owned(),
    ];
    for (what, before, after) in [
        (
            "ids come again",
            vec![answer(&[("a", "git_push")]), bad("a"), answer(&[("a", "ls")]), bad("a")],
            vec![answer(&[("a", "git_push")]), told("a"), answer(&[("a", "ls")]), bad("a")],
        ),
        (
            "equal ids are answered in order",
            vec![answer(&[("a", "ls"), ("a", "git_push")]), bad("a"), bad("a"), bad("a")],
            vec![answer(&[("a", "ls"), ("a", "git_push")]), bad("a"), told("a"), told("a")],
        ),
        (
            "nobody called",
            vec![answer(&[("a", "git_push")]), bad("b")],
            vec![answer(&[("a", "git_push")]), bad("b")],
        ),
        (
            "it names its tool",
            vec![named.clone()],
            vec![named.replace("422: bad", "Error: 422: bad. Please fix your mistakes.")],
        ),
        (
            "the first form of the API",
            legacy.to_vec(),
            vec![
                legacy[0].clone(),
                legacy[1].replace("422: bad", "Error: 422: bad. Please fix your mistakes."),
            ],
        ),
    ] {
        assert_eq!(rewritten(&body(&before), &rules()).0, body(&after), "{what}");
    }
}

#[test]
fn each_result_is_counted_by_what_was_done() {
    let elements = [
        answer(&[("a", "git_push"), ("b", "git_push"), ("c", "x")]),
        result("a", r#""422: bad""#),
        result("b", r#""422: worse""#),
        result("c", r#""{\"_terminal_failure\":\"x\"}""#),
    ];
    let (_, done) = rewritten(&body(&elements), &rules());
    assert_eq!(done, [Reason::ResultTold, Reason::ResultTold, Reason::ResultStripped]);
}

#[test]
fn what_was_sent_once_is_sent_again() {
    let contents = [
        r#""422: bad""#,
        r#""fine""#,
        r#""{\"_terminal_failure\":\"x\",\"n\":1}""#,
        r#"[{"type":"text","text":"permission denied"},{"type":"text","text":"really"}]"#,
    ];
    let mut elements = Vec::new();
    let mut before: Option<Bytes> = None;
    for (turn, content) in contents.iter().cycle().take(12).enumerate() {
        let id = format!("c{}", turn % 5);
        elements.push(answer(&[(id.as_str(), if turn % 3 == 0 { "cat" } else { "git_push" })]));
        elements.push(result(&id, content));
        let (now, _) = rewritten(&body(&elements), &rules());
        if let Some(before) = before {
            assert!(now.starts_with(before.strip_suffix(b"]}").unwrap()), "turn {turn}");
        }
        before = Some(now);
    }
}

/// The recorded conversations, where there are any: `REMAND_DATA` names the folder. Each reads as a request.
fn recorded() -> Vec<Bytes> {
    let Some(data) = std::env::var_os("REMAND_DATA") else {
        println!("skipped: REMAND_DATA is not set");
        return Vec::new();
    };
    let files = std::fs::read_dir(std::path::Path::new(&data).join("trajectories")).unwrap();
    let paths = files.map(|file| file.unwrap().path());
    let texts = paths.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    let texts = texts.map(|path| std::fs::read_to_string(path).unwrap());
    texts
        .flat_map(|text| text.lines().map(|line| Bytes::copy_from_slice(line.as_bytes())).collect::<Vec<_>>())
        .collect()
}

#[test]
fn recorded_conversations_pass_byte_for_byte_without_a_rule() {
    for body in recorded() {
        assert_eq!(rewritten(&body, &Rules::default()), (body, vec![]));
    }
}

#[test]
fn recorded_errors_are_told_once() {
    let matches = Some(Regex::new("^Error|^Failed|isError=True").unwrap());
    let when = ResultWhen { matches, ..ResultWhen::default() };
    let results = vec![ResultRule { when, class: ResultClass::Correctable }];
    let all = ToolRule { results, strip: vec!["/0/text".to_owned()], max_result: Some(2_000), ..block("*") };
    let rules = Rules { tools: vec![all], ..Rules::default() };
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for body in recorded() {
        let (once, done) = rewritten(&body, &rules);
        assert_eq!(rewritten(&once, &rules).0, once);
        for reason in done {
            *counts.entry(reason.code()).or_default() += 1;
        }
    }
    println!("{counts:?}");
}
