#![expect(clippy::disallowed_methods, reason = "schemas written out in place, no bodies")]

use super::*;
use serde_json::json;

fn path(places: &[&str]) -> Vec<Step> {
    let step = |place: &&str| match place.parse() {
        Ok(index) => Step::Element(index),
        Err(_) => Step::Member((*place).to_owned()),
    };
    places.iter().map(step).collect()
}

fn kinds(schema: &Value, places: &[&str]) -> Vec<&'static str> {
    let path = path(places);
    let accepted = Accepted::KINDS.iter().filter(|kind| accepts_at(schema, &path, **kind));
    accepted.map(|kind| kind.name()).collect()
}

const ANY: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];

#[test]
fn reads_types_lists_and_constants() {
    assert_eq!(kinds(&json!({"type":"integer"}), &[]), ["integer"]);
    assert_eq!(kinds(&json!({"type":"number"}), &[]), ["number", "integer"]);
    assert_eq!(kinds(&json!({"type":["string","null"]}), &[]), ["string", "null"]);
    assert_eq!(kinds(&json!({"enum":["a",5]}), &[]), ["string", "number", "integer"]);
    assert_eq!(kinds(&json!({"const":true}), &[]), ["boolean"]);
    assert_eq!(kinds(&json!(false), &[]), [""; 0]);
    assert_eq!(kinds(&json!({"minimum":5}), &[]), ANY);
}

#[test]
fn a_listed_string_is_not_a_free_one() {
    assert!(accepts_at(&json!({"type":"string"}), &[], Accepted::FreeString));
    assert!(!accepts_at(&json!({"enum":["a"]}), &[], Accepted::FreeString));
    assert!(accepts_at(&json!({"anyOf":[{"enum":["a"]},{"type":"string"}]}), &[], Accepted::FreeString));
}

#[test]
fn follows_members_and_elements() {
    let schema = json!({
        "type":"object",
        "properties":{
            "a":{"type":"array","items":{"type":"integer"}},
            "row":{"prefixItems":[{"type":"string"}],"items":{"type":"boolean"}},
            "old":{"items":[{"type":"string"}],"additionalItems":{"type":"null"}},
        },
        "additionalProperties":{"type":"number"},
    });
    assert_eq!(kinds(&schema, &["a"]), ["array"]);
    assert_eq!(kinds(&schema, &["a", "7"]), ["integer"]);
    assert_eq!(kinds(&schema, &["row", "0"]), ["string"]);
    assert_eq!(kinds(&schema, &["row", "1"]), ["boolean"]);
    assert_eq!(kinds(&schema, &["old", "0"]), ["string"]);
    assert_eq!(kinds(&schema, &["old", "1"]), ["null"]);
    assert_eq!(kinds(&schema, &["other"]), ["number", "integer"]);
    assert_eq!(kinds(&schema, &["a", "x"]), [""; 0]);
}

#[test]
fn follows_references_inside_the_text_and_takes_others_for_anything() {
    let schema = json!({
        "$defs":{"n":{"type":"integer"}},
        "definitions":{"opt":{"anyOf":[{"type":"null"},{"type":"object","properties":{"x":{"$ref":"#/$defs/n"}}}]}},
        "properties":{
            "n":{"$ref":"#/$defs/n"},
            "all":{"allOf":[{"$ref":"#/$defs/n"}],"default":1},
            "opt":{"$ref":"#/definitions/opt"},
            "away":{"$ref":"other.json"},
            "lost":{"$ref":"#/$defs/none"},
        },
    });
    assert_eq!(kinds(&schema, &["n"]), ["integer"]);
    assert_eq!(kinds(&schema, &["all"]), ["integer"]);
    assert_eq!(kinds(&schema, &["opt", "x"]), ["integer"]);
    assert_eq!(kinds(&schema, &["away"]), ANY);
    assert_eq!(kinds(&schema, &["lost"]), ANY);
}

#[test]
fn any_branch_of_a_choice_that_accepts_is_enough_and_every_part_of_a_sum_must() {
    let choice = json!({"anyOf":[{"type":"integer"},{"type":"string","pattern":"^x"}]});
    assert_eq!(kinds(&choice, &[]), ["string", "integer"]);
    let sum = json!({"allOf":[{"type":["integer","string"]},{"type":["integer","null"]}]});
    assert_eq!(kinds(&sum, &[]), ["integer"]);
    let one = json!({"type":"object","oneOf":[
        {"properties":{"v":{"type":"integer"}}},{"properties":{"v":{"type":"string"}}}]});
    assert_eq!(kinds(&one, &["v"]), ["string", "integer"]);
}

#[test]
fn patterns_of_names_leave_everything_open() {
    let schema = json!({"patternProperties":{"^n":{"type":"integer"}},"additionalProperties":false});
    assert_eq!(kinds(&schema, &["n1"]), ANY);
    assert_eq!(names_at(&schema, &[]), None);
}

#[test]
fn circles_and_towers_end_in_anything() {
    let circle = json!({"allOf":[{"$ref":"#"}]});
    assert_eq!(kinds(&circle, &[]), ANY);
    let wide = json!({"anyOf":[{"$ref":"#"},{"$ref":"#"},{"$ref":"#"}]});
    assert_eq!(kinds(&wide, &["a", "b"]), ANY);
    let mut defs = serde_json::Map::new();
    for level in 0..40 {
        let next = json!({"$ref":format!("#/$defs/d{}", level + 1)});
        defs.insert(format!("d{level}"), json!({"allOf":[next, next, next]}));
    }
    defs.insert("d40".into(), json!({"type":"integer"}));
    assert!(accepts_at(&json!({"$defs":defs,"$ref":"#/$defs/d0"}), &[], Accepted::Integer));
}

#[test]
fn gathers_options_and_names_from_all_branches() {
    let schema = json!({"properties":{"u":{"anyOf":[{"enum":["a","b",1]},{"enum":["c"]},{"type":"null"}]}},
        "allOf":[{"properties":{"w":{}}}]});
    assert_eq!(options_at(&schema, &path(&["u"])), ["a", "b", "c"]);
    assert_eq!(names_at(&schema, &[]).unwrap(), ["u", "w"]);
    assert_eq!(names_at(&json!({"$ref":"elsewhere"}), &[]), None);
}

#[test]
fn tells_what_leads_on_from_a_pointer() {
    let whole = path(&["a/b", "0", "c"]);
    assert_eq!(after("", &whole), Some(&whole[..]));
    assert_eq!(after("/a~1b/0", &whole), Some(&whole[2..]));
    assert_eq!(after("/a~1b/0/c", &whole), Some(&whole[3..]));
    assert_eq!(after("/a~1b/1", &whole), None);
    assert_eq!(after("/a~1b/0/c/d", &whole), None);
}
