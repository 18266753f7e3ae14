use bytes::Bytes;
use globset::{Glob, GlobSet, GlobSetBuilder};

use crate::dialect::Dialect;

use super::*;

fn globs(glob: &str) -> GlobSet {
    GlobSetBuilder::new().add(Glob::new(glob).unwrap()).build().unwrap()
}

fn constraint(text: &str) -> Constraint {
    Constraint { text: text.to_owned(), ..Constraint::default() }
}

fn about(glob: &str, describe: &str) -> ToolAddition {
    let describe = Some(describe.to_owned()).filter(|text| !text.is_empty());
    ToolAddition { names: globs(glob), describe, overlays: Vec::new() }
}

fn schema(glob: &str, at: &str, schema: &str) -> ToolAddition {
    ToolAddition { overlays: Overlay::of(at, schema), ..about(glob, "") }
}

fn done(body: &str, constraints: Vec<Constraint>, tools: Vec<ToolAddition>) -> (String, Vec<Reason>) {
    let rules = Rules { additions: Additions { constraints, tools }, ..Rules::default() };
    let body = Bytes::copy_from_slice(body.as_bytes());
    let transcript = Dialect::Chat.read(body.clone()).unwrap();
    let mut edits = Splices::default();
    let done = constrain(&transcript, &rules, "near", &mut edits);
    (String::from_utf8(edits.apply(&body).to_vec()).unwrap(), done)
}

const BODY: &str = r#"{"model":"gpt-x","messages":[{"role":"system","content":"S"}],"tools":[{"type":"function","function":{"name":"git_log","parameters":{"properties":{"n":{}}}}},{"type":"function","function":{"name":"ls"}}]}"#;

/// Whether a constraint applies to [`BODY`].
fn applies(constraint: Constraint) -> bool {
    let (after, done) = done(BODY, vec![constraint], Vec::new());
    assert_eq!(after != BODY, done == [Reason::Constrained]);
    after != BODY
}

#[test]
fn all_that_is_given_must_hold() {
    let text = || constraint("T");
    assert!(applies(text()));
    for (glob, expected) in [("git_*", true), ("ls", true), ("rm", false), ("GIT_*", false)] {
        assert_eq!(applies(Constraint { tools: Some(globs(glob)), ..text() }), expected, "{glob}");
    }
    for (glob, expected) in [("gpt-*", true), ("o?-*", false)] {
        assert_eq!(applies(Constraint { models: Some(globs(glob)), ..text() }), expected, "{glob}");
    }
    for (glob, expected) in [("near", true), ("far", false)] {
        let near = Constraint { upstreams: Some(globs(glob)), tools: Some(globs("ls")), ..text() };
        assert_eq!(applies(near), expected, "{glob}");
    }
    let split = Constraint { tools: Some(globs("git_*")), models: Some(globs("o1")), ..text() };
    assert!(!applies(split));
}

#[test]
fn several_are_told_in_the_order_written() {
    let none = Constraint { tools: Some(globs("rm")), ..constraint("N") };
    let (after, _) = done(BODY, vec![constraint("B"), none, constraint("A")], Vec::new());
    assert_eq!(after, BODY.replace(r#""S""#, r#""S\n\nB\n\nA""#));
}

#[test]
fn a_request_without_tools_is_left_alone() {
    for tools in ["", r#","tools":[]"#, r#","tools":null"#, r#","functions":[],"tool_choice":"none""#] {
        let body = format!(r#"{{"messages":[{{"role":"user","content":"A title!"}}]{tools}}}"#);
        let unchanged = done(&body, vec![constraint("T")], vec![about("*", "D")]);
        assert_eq!(unchanged, (body.clone(), Vec::new()));
    }
}

#[test]
fn tools_that_only_the_provider_knows_are_tools() {
    let body = r#"{"messages":[{"role":"user","content":"U"}],"tools":[{"type":"web_search"}]}"#;
    assert_eq!(done(body, vec![constraint("T")], Vec::new()).1, [Reason::Constrained]);
    let narrow = Constraint { tools: Some(globs("*")), ..constraint("T") };
    assert_eq!(done(body, vec![narrow], Vec::new()).1, []);
}

#[test]
fn a_model_that_is_not_named_matches_nothing() {
    let body = r#"{"messages":[{"role":"user","content":"U"}],"tools":[{"function":{"name":"ls"}}]}"#;
    let models = Constraint { models: Some(globs("*")), ..constraint("T") };
    assert_eq!(done(body, vec![models], Vec::new()).1, []);
}

#[test]
fn of_words_the_later_win_and_schemas_add_up() {
    let tools = vec![
        about("*", "D"),
        schema("git_*", "/n", r#"{"minimum":1}"#),
        about("git_*", "E"),
        schema("*", "/n", r#"{"maximum":9}"#),
    ];
    let (after, done) = done(BODY, Vec::new(), tools);
    let expected = BODY
        .replace(r#""n":{}}}"#, r#""n":{"minimum":1,"maximum":9}}},"description":"E""#)
        .replace(r#""ls"}"#, r#""ls","description":"D"}"#);
    assert_eq!(after, expected);
    assert_eq!(done, [Reason::Described, Reason::Described]);
}

#[test]
fn a_tool_that_nothing_is_changed_of_is_not_told_of() {
    let tools = vec![schema("*", "/n", r#"{"minimum":1}"#)];
    assert_eq!(done(BODY, Vec::new(), tools).1, [Reason::Described]);
    assert_eq!(done(BODY, Vec::new(), vec![about("rm", "D")]), (BODY.to_owned(), Vec::new()));
}

#[test]
fn a_strict_schema_stays_as_it_is_and_its_tool_is_described() {
    let body = BODY.replace(r#""name":"git_log","#, r#""name":"git_log","strict":true,"#);
    let both = ToolAddition { describe: Some("D".to_owned()), ..schema("git_*", "/n", r#"{"minimum":1}"#) };
    let (after, done) = done(&body, Vec::new(), vec![both]);
    assert_eq!(after, body.replace(r#""n":{}}}"#, r#""n":{}}},"description":"D""#));
    assert_eq!(done, [Reason::Described]);
}

#[test]
fn tools_of_the_first_form_and_free_text_tools_are_told_of_too() {
    let body = r#"{"messages":[],"functions":[{"name":"a","parameters":{"properties":{"n":{}}}}],"tools":[{"type":"custom","custom":{"name":"b","format":{"type":"text"}}}]}"#;
    let both = ToolAddition { describe: Some("D".to_owned()), ..schema("*", "/n", r#"{"minimum":1}"#) };
    let (after, _) = done(body, vec![constraint("T")], vec![both]);
    let expected = body
        .replace(r#""n":{}}}"#, r#""n":{"minimum":1}}},"description":"D""#)
        .replace(r#""text"}"#, r#""text"},"description":"D""#);
    assert_eq!(after, expected);
}

#[test]
fn what_is_done_once_is_not_done_again() {
    let additions = || {
        let both = ToolAddition { describe: Some("D".to_owned()), ..schema("*", "/n", r#"{"minimum":1}"#) };
        (vec![constraint("A"), constraint("B")], vec![both])
    };
    let (constraints, tools) = additions();
    let (once, _) = done(BODY, constraints, tools);
    let (constraints, tools) = additions();
    assert_eq!(done(&once, constraints, tools), (once.clone(), Vec::new()));
}
