use super::*;

fn met(schema: &str, value: &str) -> bool {
    let mut met = true;
    Schema::compile(schema, &[]).faults(&serde_json::from_str(value).unwrap(), &mut |_, _| met = false);
    met
}

#[test]
fn holds_a_value_against_the_tools_own_schema() {
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    assert!(met(schema, r#"{"n":5}"#));
    assert!(met(schema, r#"{"n":5.0,"more":1}"#));
    assert!(!met(schema, r#"{"n":"5"}"#));
    assert!(!met(schema, r"{}"));
}

#[test]
fn the_dialect_named_counts_and_the_newest_where_none_is() {
    // Up to draft 7 a list under `items` goes by position; from 2020-12 that is `prefixItems`.
    let items = r#""properties":{"a":{"items":[{"type":"string"}],"additionalItems":false}}"#;
    let old = format!(r#"{{"$schema":"http://json-schema.org/draft-07/schema#",{items}}}"#);
    assert!(!met(&old, r#"{"a":["x","y"]}"#));
    assert!(Schema::compile(&old, &[]).ignored().is_none());
    assert!(Schema::compile(&format!("{{{items}}}"), &[]).ignored().is_some());
    let own =
        r#"{"$schema":"https://example.com/mine","properties":{"a":{"prefixItems":[{"type":"string"}]}}}"#;
    assert!(!met(own, r#"{"a":[1]}"#));
}

#[test]
fn formats_and_encodings_are_not_asserted() {
    let schema = r#"{"$schema":"http://json-schema.org/draft-07/schema#","properties":{
        "a":{"format":"uuid"},"b":{"contentMediaType":"application/json","contentEncoding":"base64"}}}"#;
    assert!(met(schema, r#"{"a":"not one","b":"{"}"#));
}

#[test]
fn what_does_not_compile_accepts_any_object_and_says_so() {
    for schema in [
        "",
        "{",
        "5",
        r#"{"type":"nonsense"}"#,
        r#"{"properties":{"a":{"pattern":"("}}}"#,
        r#"{"properties":{"a":{"pattern":"^(?=x)"}}}"#,
        r#"{"properties":{"a":{"pattern":"(a)\\1"}}}"#,
        r##"{"properties":{"a":{"$ref":"#/$defs/none"}}}"##,
        r#"{"$ref":"https://example.com/schema.json"}"#,
        r#"{"$ref":"file:///etc/passwd"}"#,
        r#"{"title":"\ud83d"}"#,
    ] {
        let compiled = Schema::compile(schema, &[]);
        assert!(compiled.ignored().is_some(), "{schema}");
        assert!(met(schema, r#"{"a":1}"#), "{schema}");
    }
}

#[test]
fn no_schema_is_no_fault() {
    for schema in ["null", "{}", "true", " null "] {
        assert!(Schema::compile(schema, &[]).ignored().is_none(), "{schema}");
        assert!(met(schema, r#"{"a":1}"#));
    }
}

/// Were they not, this would not end: what is tried doubles with each letter.
#[test]
fn patterns_run_in_linear_time() {
    let text = "a".repeat(10_000);
    assert!(!met(r#"{"properties":{"a":{"pattern":"^(a+)+$"}}}"#, &format!(r#"{{"a":"{text}!"}}"#)));
}

#[test]
fn an_overlay_holds_besides_and_says_nothing_of_what_is_absent() {
    let overlay = [("/slug", r#"{"pattern":"^[a-z]+$"}"#), ("/deep/0", r#"{"type":"string"}"#)];
    let schema = Schema::compile(r#"{"required":["slug"]}"#, &overlay);
    let faults = |value: &str| {
        let mut places = Vec::new();
        schema.faults(&serde_json::from_str(value).unwrap(), &mut |base, fault| {
            places.push(format!("{base}{}", fault.instance_path()));
        });
        places
    };
    assert_eq!(faults(r#"{"slug":"abc"}"#), Vec::<String>::new());
    assert_eq!(faults(r#"{"slug":"ABC","deep":[1]}"#), ["/slug", "/deep/0"]);
    assert_eq!(faults(r"{}"), [""]);
}

#[test]
fn an_overlay_that_does_not_compile_leaves_the_rest_in_force() {
    let schema = Schema::compile(r#"{"required":["a"]}"#, &[("/a", "{")]);
    assert!(schema.ignored().is_some_and(|why| why.starts_with("/a: ")));
    let mut met = true;
    schema.faults(&Value::Object(serde_json::Map::new()), &mut |_, _| met = false);
    assert!(!met);
}

#[test]
fn references_that_lead_in_circles_end() {
    for schema in [
        r##"{"$ref":"#"}"##,
        r##"{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}"##,
        r##"{"properties":{"a":{"$ref":"#"}}}"##,
        r##"{"$defs":{"t":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/t"}},{"type":"string"}]}},
            "properties":{"a":{"$ref":"#/$defs/t"}}}"##,
        r##"{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##,
    ] {
        let compiled = Schema::compile(schema, &[]);
        let value = serde_json::from_str(r#"{"a":{"a":{"a":[["x"]]}}}"#).unwrap();
        compiled.faults(&value, &mut |_, _| ());
        compiled.accepts(&[Step::Member("a".into())], Accepted::String);
        compiled.names(&[]);
    }
}

#[test]
fn what_would_take_for_ever_is_not_begun() {
    let next = |level: usize| format!(r##"{{"$ref":"#/$defs/d{level}"}}"##);
    let level = |level: usize| format!(r#""d{level}":{{"allOf":[{0},{0},{0}]}}"#, next(level + 1));
    let levels: Vec<String> = (0..40).map(level).collect();
    let tower = format!(r#"{{"$defs":{{{},"d40":{{}}}},"allOf":[{}]}}"#, levels.join(","), next(0));
    assert!(Schema::compile(&tower, &[]).ignored().is_some());

    let circle =
        r##"{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}]}}}"##;
    assert!(!met(circle, r#"{"a":5}"#));
    let deep = format!("{}5{}", r#"{"a":"#.repeat(100), "}".repeat(100));
    assert!(met(circle, &deep));
}
