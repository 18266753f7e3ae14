use bytes::Bytes;

use crate::dialect::Dialect;

use super::*;

/// A request's tools with `T` told of each.
fn described(tools: &str) -> String {
    let body = Bytes::from(format!("{{{tools},\"messages\":[]}}"));
    let transcript = Dialect::Chat.read(body.clone()).unwrap();
    let mut edits = Splices::default();
    for tool in &transcript.tools {
        let before = edits.changed();
        let changed = describe(&transcript, tool, "T\"", &mut edits);
        assert_eq!(changed, edits.changed() > before);
    }
    let after = String::from_utf8(edits.apply(&body).to_vec()).unwrap();
    after.strip_prefix('{').unwrap().strip_suffix(",\"messages\":[]}").unwrap().to_owned()
}

fn becomes(before: &str, after: &str) {
    assert_eq!(described(before), after);
    assert_eq!(described(after), after, "told twice");
}

#[test]
fn a_description_is_extended_within_its_quotes() {
    becomes(
        r#""tools":[ {"type":"function", "function":{"description" : "\u0044" , "name":"f","x":{"description":"no"}}} ]"#,
        r#""tools":[ {"type":"function", "function":{"description" : "\u0044\n\nT\"" , "name":"f","x":{"description":"no"}}} ]"#,
    );
    becomes(
        r#""functions":[{"name":"f","description":""}]"#,
        r#""functions":[{"name":"f","description":"T\""}]"#,
    );
}

#[test]
fn where_there_is_none_there_is_one_then() {
    becomes(
        r#""tools":[{"type":"function","function":{"name":"f","parameters":{} }},{"type":"custom","custom":{"name":"g"}}]"#,
        r#""tools":[{"type":"function","function":{"name":"f","parameters":{},"description":"T\"" }},{"type":"custom","custom":{"name":"g","description":"T\""}}]"#,
    );
    becomes(
        r#""functions":[{"name":"f","description":null}]"#,
        r#""functions":[{"name":"f","description":"T\""}]"#,
    );
}

#[test]
fn of_a_member_given_twice_the_last_counts() {
    becomes(
        r#""functions":[{"name":"f","description":"A","description":"B"}]"#,
        r#""functions":[{"name":"f","description":"A","description":"B\n\nT\""}]"#,
    );
}

#[test]
fn what_is_no_text_or_no_tool_stays() {
    for tools in [
        r#""tools":[{"type":"function","function":{"name":"f","description":["D"]}}]"#,
        r#""tools":[{"type":"web_search"},7,{"type":"function","function":{"name":"f"},"defer_loading":true}]"#,
    ] {
        becomes(tools, tools);
    }
}

#[test]
fn a_tool_is_strict_where_it_says_so() {
    for (strict, expected) in [("true", true), ("false", false), ("null", false), ("\"true\"", false)] {
        let body = format!(r#"{{"tools":[{{"function":{{"name":"f","strict":{strict}}}}}]}}"#);
        let transcript = Dialect::Chat.read(Bytes::from(body)).unwrap();
        assert_eq!(is_strict(&transcript, &transcript.tools[0]), expected, "{strict}");
    }
}
