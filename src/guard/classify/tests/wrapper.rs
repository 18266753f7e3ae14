use proptest::prelude::*;

use super::*;
use crate::guard::classify::{layer, python};

#[test]
fn wrappers_are_looked_through() {
    for text in [
        r#"{"content":[{"type":"text","text":"Error: boom"}],"isError":false}"#,
        r#"{"content":[{"type":"text","text":"plain"}],"isError":true}"#,
        r#"[{"type":"text","text":"Error: boom"}]"#,
        r#"{"type":"text","text":"Error: boom"}"#,
        r#"[{"type":"image","data":"x"},{"type":"text","text":"Error: boom"}]"#,
        r#""{\"error\":\"boom\"}""#,
        r#""\"{\\\"error\\\":\\\"boom\\\"}\"""#,
        r#"{"result":"{\"success\":false}"}"#,
        r#"{"output":"Error: boom"}"#,
        r#"{"content":"Error: boom","tool_call_id":"c1","name":"x"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}],"isError":true}}"#,
        r#"{"type":"tool_result","content":"Error: boom"}"#,
        "meta=None content=[TextContent(type='text', text='Error: boom', annotations=None)] isError=False",
        "meta=None content=[TextContent(type='text', text='boom', annotations=None)] isError=True",
        "[TextContent(type='text', text='Error: boom')]",
        "CallToolResult(meta=None, content=[TextContent(type='text', text=\"it's\")], isError=True)",
        "content='Error: boom' name='x' tool_call_id='c1' status='error'",
        "content='boom' name='x' tool_call_id='c1' status='error'",
        "{'ok': False, 'data': None}",
        "{'error': 'it\\'s gone', 'n': 1}",
        r#"[TextContent(type='text', text='{\n  "isError": true,\n  "content": []\n}')]"#,
        "\u{feff}{\"error\":\"boom\"}",
    ] {
        assert!(matches!(plain(text), Outcome::Failure(_)), "{text} is {:?}", plain(text));
    }
}

#[test]
fn what_a_wrapper_holds_may_be_fine() {
    for text in [
        r#"{"content":[{"type":"text","text":"No errors found"}],"isError":false}"#,
        r#"[{"type":"text","text":"fine"}]"#,
        "meta=None content=[TextContent(type='text', text='fine', annotations=None)] isError=False",
        "{'ok': True, 'error': None, 'errors': []}",
        "[{'error': 'boom'}]",
        "content='fine' name='x' tool_call_id='c1' status='success'",
    ] {
        assert_eq!(plain(text), Outcome::Success, "{text}");
    }
}

#[test]
fn records_are_no_wrappers() {
    for text in [
        r#"{"id":1,"name":"a.log","content":"Error: boom"}"#,
        r#"{"text":"Error: boom","author":"x","metadata":{}}"#,
        r#"{"result":"Error: boom","took":3}"#,
        r#"{"type":"file","content":"Error: boom"}"#,
    ] {
        assert_eq!(plain(text), Outcome::Success, "{text}");
    }
}

#[test]
fn wrappers_are_opened_to_a_bounded_depth() {
    let mut text = "{\"error\":\"boom\"}".to_owned();
    for _ in 0..4 {
        text = format!("[{{\"type\":\"text\",\"text\":{}}}]", crate::wire::canonical::quote(&text));
    }
    assert!(matches!(plain(&text), Outcome::Failure(_)));
    for _ in 0..4 {
        text = format!("[{{\"type\":\"text\",\"text\":{}}}]", crate::wire::canonical::quote(&text));
    }
    assert_eq!(plain(&text), Outcome::Success);
}

#[test]
fn printed_values_become_json() {
    let cases = [
        ("{'a': 1, 'b': [True, None, -2.5]}", r#"{"a":1,"b":[true,null,-2.5]}"#),
        ("(1, 'x',)", r#"[1,"x"]"#),
        ("{1: 'x'}", r#"{"1":"x"}"#),
        ("a=1 b='x y'", r#"{"a":1,"b":"x y"}"#),
        ("P(x=1, y=Q(z='\\u00e9\\x41\\n'))", r#"{"x":1,"y":{"z":"éA\n"}}"#),
        ("P(1, k=<Color.RED: 1>)", r#"{"0":1,"k":"<Color.RED: 1>"}"#),
        ("{'t': datetime.datetime(2024, 5, 1)}", r#"{"t":{"0":2024,"1":5,"2":1}}"#),
        ("{}", "{}"),
    ];
    for (text, json) in cases {
        assert_eq!(python::to_json(text).as_deref(), Some(json), "{text}");
    }
}

#[test]
fn what_is_not_wholly_a_printed_value_stays_text() {
    for text in [
        "{'a': 1} and more",
        "{'a': 1",
        "{'a'}",
        "x = 1",
        "a=1; b=2",
        "def f(x): pass",
        "plain words",
        "{'a': 'line\nbreak'}",
        "{a: b c}",
        "('a' 'b')",
        "",
        "'x'",
    ] {
        assert_eq!(python::to_json(text), None, "{text}");
    }
    assert_eq!(python::to_json(&"[".repeat(100_000)), None);
}

proptest! {
    #[test]
    fn nothing_that_comes_in_makes_it_panic(text in any::<String>()) {
        let _outcome = plain(&text);
    }

    #[test]
    fn nothing_like_a_wrapper_makes_it_panic(text in r#"[\[\]{}()'"\\:,=a-cT1 \n<>é]{0,40}"#) {
        let layers = layer::peel(&text);
        prop_assert!(!layers.is_empty() && layers.len() <= 8);
        if let Some(json) = python::to_json(&text) {
            prop_assert!(crate::wire::span::Json::parse(&json).is_ok(), "{}", json);
        }
    }
}
