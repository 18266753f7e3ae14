use std::path::Path;

use super::*;
use crate::config::Plan;

fn plan(rules: &str) -> Plan {
    config::parse("rules.toml", rules, Path::new(""), &Overrides::default(), &|_| None).unwrap()
}

/// Judges these lines.
fn judged(lines: &[String]) -> Tally {
    let (plan, schemas) = (plan(""), Kept::default());
    let mut judge = Judge::new(&plan.rules, &schemas);
    for (number, text) in lines.iter().enumerate() {
        judge.line(Place { file: "f".to_owned(), line: number + 1 }, text.clone());
    }
    judge.tally
}

const TOOLS: &str = r#"[{"type":"function","function":{"name":"make_dir","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}},{"type":"function","function":{"name":"read_file","parameters":{}}}]"#;
const USER: &str = r#"{"role":"user","content":"go"}"#;
const FAILED: &str = "Error: Parent directory does not exist";

fn call(tool: &str, arguments: &str) -> String {
    let arguments = crate::wire::canonical::quote(arguments);
    format!(
        r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c","type":"function","function":{{"name":"{tool}","arguments":{arguments}}}}}]}}"#
    )
}

fn result(text: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"c","content":{}}}"#, crate::wire::canonical::quote(text))
}

fn conversation(messages: &[String]) -> String {
    format!(r#"{{"tools":{TOOLS},"messages":[{USER},{}]}}"#, messages.join(","))
}

fn make() -> String {
    call("make_dir", r#"{"path":"a/b"}"#)
}

#[test]
fn a_repeat_is_held_against_what_came_of_it() {
    let after = |more: &[String]| conversation(&[&[make(), result(FAILED)], more].concat());
    let other = [call("make_dir", r#"{"path":"a"}"#), result("ok")];
    let tally = judged(&[
        after(&[make(), result(FAILED)]),
        after(&[make(), result("ok")]),
        after(&[make()]),
        after(&[&other[..], &[make(), result(FAILED)]].concat()),
        after(&[USER.to_owned(), make(), result(FAILED)]),
        after(&[&other[..], &[make(), result("ok")]].concat()),
        conversation(&[make(), result("Tool call timed out."), make(), result(FAILED)]),
    ]);
    let places = |cases: &[tally::Case]| {
        cases.iter().map(|case| (case.at.place.line, case.at.message)).collect::<Vec<_>>()
    };
    assert_eq!(places(&tally.refused_rightly), [(1, 4)]);
    assert_eq!(places(&tally.refused_wrongly), [(2, 4)]);
    assert_eq!(places(&tally.refused_unknown), [(3, 4)]);
    let missed: Vec<_> = tally.missed.iter().map(|(why, cases)| (why.as_str(), places(cases))).collect();
    assert_eq!(
        missed,
        [
            ("a call came between that may have changed something", vec![(4, 6)]),
            ("it was told that it may work again", vec![(7, 4)]),
            ("the user spoke", vec![(5, 5)]),
        ]
    );
    assert_eq!((tally.let_through, tally.refused(), tally.was_wrong()), (1, 3, true));
    assert_eq!(tally.verdicts["refused: repeated"], 3);
}

#[test]
fn what_is_refused_for_itself_and_worked_is_a_mistake() {
    let bad = call("make_dir", r#"{"path":["a"]}"#);
    let tally = judged(&[
        conversation(&[bad.clone(), result("ok")]),
        conversation(&[bad, result("Error: path must be a string")]),
        conversation(&[call("make_dir", r#"{"path":"a",}"#), result("ok")]),
        conversation(&[call("remove", "{}"), result("Error: unknown tool")]),
    ]);
    assert_eq!(tally.remanded_wrongly.len(), 1);
    let verdicts: Vec<_> = tally.verdicts.iter().map(|(name, count)| (name.as_str(), *count)).collect();
    let expected =
        [("refused: invalid", 2), ("refused: unknown_tool", 1), ("rewritten: arguments_repaired", 1)];
    assert_eq!(verdicts, expected);
}

#[test]
fn where_tools_are_not_told_any_may_be_called() {
    let tally = judged(&[format!(r#"{{"tools":null,"messages":[{USER},{}]}}"#, call("anything", "{}"))]);
    assert_eq!(tally.verdicts["forwarded"], 1);
}

#[test]
fn a_request_and_its_response_are_a_conversation() {
    let line = format!(
        r#"{{"id":1,"request":{{"tools":{TOOLS},"messages":[{USER}]}},"response":{{"choices":[{{"message":{}}}]}}}}"#,
        call("make_dir", "{}")
    );
    let tally = judged(&[line, format!(r#"{{"request":{{"messages":[{USER}]}},"response":null}}"#)]);
    assert_eq!((tally.conversations, tally.calls, tally.verdicts["refused: invalid"]), (2, 1, 1));
    assert!(tally.changed.is_empty(), "the answer is in nobody's history yet");
}

#[test]
fn what_says_outright_whether_it_failed_is_compared() {
    let flagged = |member: &str, text: &str| result(text).replacen('{', &format!("{{{member},"), 1);
    let tally = judged(&[
        conversation(&[make(), flagged(r#""is_error":true"#, FAILED)]),
        conversation(&[make(), flagged(r#""is_error":false"#, FAILED)]),
        conversation(&[make(), flagged(r#""status":"success""#, "ok")]),
    ]);
    assert_eq!(tally.flags["is_error"], (1, 2));
    assert_eq!(tally.flags["status"], (1, 1));
    assert_eq!((tally.disagreed.len(), tally.disagreed[0].why.as_str()), (1, "is_error, taken for: failure"));
}

#[test]
fn broken_lines_are_counted_and_named() {
    let tally = judged(&[
        "{\"messages\":[".to_owned(),
        "7".to_owned(),
        String::new(),
        "{}".to_owned(),
        conversation(&[make()]),
    ]);
    let lines: Vec<_> = tally.unreadable.iter().map(|(place, _)| place.to_string()).collect();
    assert_eq!((tally.conversations, lines), (1, vec!["f:1".to_owned(), "f:2".to_owned(), "f:4".to_owned()]));
}

#[test]
fn all_cores_find_what_one_does_in_the_order_of_the_input() {
    let folder = std::env::temp_dir().join(format!("remand-backtest-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("many.jsonl");
    let line = conversation(&[make(), result(FAILED), make(), result(FAILED)]);
    std::fs::write(&path, vec![line; 300].join("\n")).unwrap();
    let files = [path.clone(), folder.join("nowhere.jsonl")];
    let tally = over(&files, &plan("").rules, &Progress::of(&files));
    let stopped = Progress::of(&files);
    stopped.stopped.store(true, Ordering::Relaxed);
    let cut = over(&files, &plan("").rules, &stopped);
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!((tally.conversations, tally.unreadable.len(), tally.stopped), (300, 1, false));
    assert!(tally.refused_rightly.is_sorted_by_key(|case| case.at.place.line));
    assert_eq!((cut.conversations, cut.stopped), (0, true));
    assert!(page::text(&cut).unwrap().contains("stopped before the end"));
    assert!(page::text(&tally).unwrap().contains("… and 280 more (all with --json)"));
}

#[test]
fn two_configurations_are_told_side_by_side() {
    let lines = [
        conversation(&[make(), result(FAILED), make(), result(FAILED)]),
        conversation(&[call("remove", "{}")]),
    ];
    let schemas = Kept::default();
    let tally = |rules: &str| {
        let plan = plan(rules);
        let mut judge = Judge::new(&plan.rules, &schemas);
        for text in &lines {
            judge.line(Place { file: "f".to_owned(), line: 1 }, text.clone());
        }
        judge.tally
    };
    let other = tally("[guard.failures]\nrefuse = false\n[guard.calls]\nunknown_tool = \"forward\"\n");
    let told = page::compared(&tally(""), &other).unwrap();
    let row = |name: &str| {
        let line = told.lines().find(|line| line.trim_start().starts_with(name)).expect(name);
        line.split_whitespace()
            .rev()
            .take(3)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(row("forwarded"), "1 3 +2");
    assert_eq!(row("refused: repeated"), "1 0 -1");
    assert_eq!(row("repeats let through"), "0 1 +1");
    assert_eq!(row("calls that worked, refused"), "refused 0 0");
}

#[test]
fn the_report_shows_text_as_text_and_needs_nothing_beside_it() {
    let evil = r#"{"path":"<script>alert(1)</script>'&"}"#;
    let tally = judged(&[conversation(&[
        call("make_dir", evil),
        result("Error: <b>no</b>"),
        call("make_dir", evil),
        result("Error: <b>no</b>"),
    ])]);
    let page = report::html(&tally).unwrap();
    assert!(
        page.contains("&lt;script&gt;alert(1)&lt;/script&gt;&#39;&amp;") && page.contains("&lt;b&gt;no"),
        "{page}"
    );
    for absent in ["<script", "<b>no", "http://", "https://", "url("] {
        assert!(!page.contains(absent), "{absent}");
    }
    assert!(page.contains("<b>1</b><span>repeats refused</span>"), "{page}");
    assert!(
        page.contains("<div class='figure good'><b>0</b><span>calls that worked, refused</span>"),
        "{page}"
    );
}
