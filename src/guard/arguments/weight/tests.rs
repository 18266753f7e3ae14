use super::*;

fn weigh(schema: &str) -> Option<Weight> {
    Weight::of(&serde_json::from_str(schema).unwrap())
}

/// Definitions that each stand for the next one so many times.
fn tower(levels: usize, times: usize) -> String {
    let mut defs: Vec<String> = (0..levels)
        .map(|level| {
            let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, level + 1);
            format!(r#""d{level}":{{"allOf":[{}]}}"#, vec![next; times].join(","))
        })
        .collect();
    defs.push(format!(r#""d{levels}":{{"type":"object"}}"#));
    format!(r##"{{"$defs":{{{}}},"$ref":"#/$defs/d0"}}"##, defs.join(","))
}

#[test]
fn ordinary_schemas_are_light_and_held_against_anything() {
    for schema in [
        r#"{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}"#,
        r##"{"$defs":{"a":{"type":"string"}},"properties":{"x":{"$ref":"#/$defs/a"},"y":{"$ref":"#/$defs/a"}}}"##,
        r##"{"properties":{"children":{"type":"array","items":{"$ref":"#"}}}}"##,
        &tower(8, 2),
    ] {
        assert_eq!(weigh(schema).unwrap().deepest(), None, "{schema}");
    }
}

#[test]
fn a_tower_of_references_is_too_heavy() {
    assert!(weigh(&tower(40, 3)).is_none());
    assert!(weigh(&tower(64, 2)).is_none());
}

#[test]
fn a_long_chain_is_too_deep() {
    assert!(weigh(&tower(20, 1)).is_some());
    assert!(weigh(&tower(10_000, 1)).is_none());
}

#[test]
fn a_schema_that_leads_back_in_several_ways_is_held_against_shallow_arguments_only() {
    let node = r##"{"properties":{"node":{"anyOf":[
        {"properties":{"and":{"items":{"$ref":"#"}}}},{"properties":{"or":{"items":{"$ref":"#"}}}}]}}}"##;
    let deepest = weigh(node).unwrap().deepest().unwrap();
    assert!((12..24).contains(&deepest), "{deepest}");
    let many = format!(r#"{{"anyOf":[{}]}}"#, vec![r##"{"$ref":"#"}"##; 100].join(","));
    assert_eq!(weigh(&many).unwrap().deepest(), Some(SHALLOW));
}

#[test]
fn counts_depth() {
    for (value, expected) in [("5", 0), ("{}", 1), (r#"{"a":[[1],2],"b":{}}"#, 3)] {
        assert_eq!(depth(&serde_json::from_str(value).unwrap()), expected, "{value}");
    }
}
