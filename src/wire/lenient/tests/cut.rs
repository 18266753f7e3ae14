//! What is open at its end, and what only looks so.

use super::super::{Reading, Shape, read, shape};

#[test]
fn shape_tells_without_repairing() {
    assert_eq!(shape(""), Shape::Empty);
    assert_eq!(shape(" \n"), Shape::Empty);
    assert_eq!(shape(r#" {"a":[1]} "#), Shape::Object);
    for text in ["null", "[]", "1", "\"{}\"", "true"] {
        assert_eq!(shape(text), Shape::Other, "{text}");
    }
    for text in [
        "{'a':1}",
        "{}{}",
        "```\n{}\n```",
        "{\"a\":1,}",
        "{\"a\":1}}",
        "[]]",
        "None",
        "nul",
        "{a:1}",
        "{} //",
    ] {
        assert_eq!(shape(text), Shape::Malformed, "{text}");
    }
}

#[test]
fn what_is_open_at_its_end_is_cut() {
    for text in [
        "{",
        "[",
        "\"",
        "{\"",
        r#"{"path":"a","content":"line1\nli"#,
        r#"{"commands":["npm install","npm test""#,
        r#"{"a":1"#,
        r#"{"a":1,"#,
        r#"{"a":tr"#,
        r#"{"a":"\"#,
        r#"{"a":"\u00"#,
        r#"{"a":"x}"#,
        r#""{\"a\":1"#,
        r#"{"a":1}{"b":"#,
        "{'a': 'b",
        "{'a': 'it's fi",
        "{'a': True, 'b",
        "{'a': 'b'",
        "```json\n{\"a\":1",
        "```json\n",
        "```",
        "{\"a\":1 // }",
        "{\"a\":1 /* }",
        r#"{"a":1 "b": "cut"#,
        r#"{"a":"C:\dir","b":"cut"#,
    ] {
        assert_eq!(read(text), Reading::Truncated, "{text}");
        assert_eq!(shape(text), Shape::Truncated, "{text}");
    }
}

#[test]
fn quotes_and_brackets_in_bare_text_do_not_open_anything() {
    for text in [
        r#"{"a":1,"cmd":echo it's}"#,
        r#"{"a":1,"cmd":echo "it}"#,
        r#"{"a": "5" tall"}"#,
        r#"{"a": test [ -f x}"#,
        r#"{{"a":1}"#,
        r#"{"a":[1,2}"#,
        r#"{"a":1} said "hi"#,
        "Don't",
    ] {
        assert!(matches!(read(text), Reading::Unreadable(_)), "{text}");
    }
}

#[test]
fn any_depth_is_read() {
    let depth = 60_000;
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(read(&deep), Reading::Exact);
    assert_eq!(shape(&"[".repeat(depth)), Shape::Truncated);
    assert_eq!(shape(&"{\"a\":".repeat(depth)), Shape::Truncated);
    assert_eq!(shape(&"{".repeat(depth)), Shape::Truncated);
    assert!(matches!(
        read(&format!("{}{}", "{\"a\":[".repeat(depth), "}".repeat(depth))),
        Reading::Unreadable(_)
    ));
}

#[test]
fn hostile_texts_are_read_in_linear_time() {
    let many = 1 << 14;
    for text in ["'", "' ", "/*", "//\n", "{}", "\"", "{\"a\":1,", "\\", "`", "{'a':'\n'}", "/**/", "[1,/**/"]
    {
        let text = text.repeat(many);
        assert_ne!(read(&text), Reading::Exact);
        assert_ne!(read(&format!("{{\"a\":{text}")), Reading::Exact);
        assert_ne!(read(&format!("{{'a':'{text}")), Reading::Exact);
    }
}
