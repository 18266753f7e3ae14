use super::*;

fn rule(at: &str, pattern: &str) -> DenyRule {
    DenyRule { at: at.into(), pattern: Regex::new(pattern).unwrap(), reason: "no".into() }
}

fn meets(arguments: &str, at: &str, pattern: &str) -> bool {
    denied(arguments, &[&rule(at, pattern)]).is_some()
}

#[test]
fn looks_at_the_string_at_its_pointer_and_at_no_other() {
    for (arguments, expected) in [
        (r#"{"command":"git log"}"#, true),
        (r#"{"command":"git\u0020log"}"#, true),
        (r#"{"\u0063ommand":"git log"}"#, true),
        (r#"{"note":"git log"}"#, false),
        (r#"{"command":"git status","note":"git log"}"#, false),
        (r#"{"a":{"command":"git log"}}"#, false),
        (r#"{"command":5}"#, false),
        (r"{}", false),
    ] {
        assert_eq!(meets(arguments, "/command", r"^git\s+log$"), expected, "{arguments}");
    }
}

#[test]
fn looks_at_every_leaf_below() {
    for (arguments, expected) in [
        (r#"{"command":["sh",["-c",{"x":"git log"}]]}"#, true),
        (r#"{"command":[[[["git log"]]]],"b":1}"#, true),
        (r#"{"command":[[[["git"]]]],"b":["git log"]}"#, false),
        (r#"{"command":{"git log":"x"}}"#, false),
    ] {
        assert_eq!(meets(arguments, "/command", r"^git\s+log$"), expected, "{arguments}");
    }
    assert!(meets(r#"{"a":{"b":["git log"]}}"#, "", "^git log$"));
}

#[test]
fn a_member_that_stands_twice_is_looked_at_twice() {
    for arguments in [
        r#"{"command":"git log","command":"ls"}"#,
        r#"{"command":"ls","command":"git log"}"#,
        r#"{"command":["git log"],"command":"ls"}"#,
    ] {
        assert!(meets(arguments, "/command", "^git log$"), "{arguments}");
    }
}

#[test]
fn pointers_lead_through_arrays_and_escaped_names() {
    assert!(meets(r#"{"a":["x",{"b/c~d":"bad"}]}"#, "/a/1/b~1c~0d", "bad"));
    assert!(!meets(r#"{"a":["x",{"b/c~d":"bad"}]}"#, "/a/0/b~1c~0d", "bad"));
    assert!(!meets(r#"{"a":["bad","x"]}"#, "/a/1", "bad"));
    assert!(!meets(r#"{"a":["x","bad"]}"#, "/a/01", "bad"));
}

#[test]
fn what_is_not_an_object_is_matched_in_every_way_it_could_be_meant() {
    for arguments in [
        r#"{"command":"git log"#,
        r"{'command': 'git log'}",
        r#"{"command":"git log"}{"command":"ls"}"#,
        r#"{"command":"ls"}{"command":"git log"}"#,
        r#"{"command":"git\u0020log"#,
        r#""{\"command\":\"git log\"}""#,
        r#""{\"command\":\"git\\u0020log\"}""#,
        r#"["git log"]"#,
        "git log",
        "```json\n{\"command\":\"git log\"}\n```",
    ] {
        assert!(meets(arguments, "/command", "^git log$"), "{arguments}");
    }
    for arguments in ["", "{", "null", r#"{"command":"git status"#, r#""\ud83d \u12 \q \"#] {
        assert!(!meets(arguments, "/command", "^git log$"), "{arguments}");
    }
}

#[test]
fn the_first_rule_that_is_met_counts() {
    let (first, second) = (rule("/a", "x"), rule("/b", "y"));
    let rules = [&first, &second];
    assert_eq!(denied(r#"{"a":"x","b":"y"}"#, &rules).map(|rule| rule.at.as_str()), Some("/a"));
    assert_eq!(denied(r#"{"a":"z","b":"y"}"#, &rules).map(|rule| rule.at.as_str()), Some("/b"));
    assert!(denied(r#"{"a":"z","b":"z"}"#, &rules).is_none());
    assert!(denied(r#"{"a":"x"}"#, &[]).is_none());
}

#[test]
fn free_text_is_matched_whole_and_as_json_where_it_is_json() {
    let rule = rule("/command", "(?s)^rm -rf.*$");
    assert!(denied_input("rm -rf /\n", &[&rule]).is_some());
    assert!(denied_input(r#"{"command":"rm -rf /"}"#, &[&rule]).is_some());
    assert!(denied_input("echo rm -rf /", &[&rule]).is_none());
}

#[test]
fn depth_costs_no_stack() {
    let deep = format!(r#"{{"command":{}"git log"{}}}"#, "[".repeat(200_000), "]".repeat(200_000));
    assert!(meets(&deep, "/command", "^git log$"));
    assert!(!meets(&deep, "/command", "^git status$"));
}

#[test]
fn undoes_escapes_as_json_means_them() {
    assert_eq!(unescape(r"a\n\t\/\\\u00e9\ud83d\ude00\x"), "a\n\t/\\é😀\\x");
    assert_eq!(unescape(r"\ud83d\u12 \u"), "\u{fffd}u12 u");
}
