use bytes::Bytes;
use proptest::prelude::*;

use super::*;

/// A schema with overlays (pointer, schema) laid into it; the text around it is there to be left alone.
fn laid(schema: &str, overlays: &[(&str, &str)]) -> String {
    let overlays: Vec<Overlay> = overlays.iter().flat_map(|(at, overlay)| Overlay::of(at, overlay)).collect();
    let text = format!("<{schema}>");
    let mut edits = Splices::default();
    let changed = lay(Json::parse(schema).unwrap(), 1, &overlays.iter().collect::<Vec<_>>(), &mut edits);
    assert_eq!(changed, !edits.is_empty());
    let after = String::from_utf8(edits.apply(&Bytes::from(text)).to_vec()).unwrap();
    let after = after.strip_prefix('<').unwrap().strip_suffix('>').unwrap();
    assert!(Json::parse(after).is_ok(), "{after}");
    after.to_owned()
}

fn becomes(schema: &str, overlays: &[(&str, &str)], after: &str) {
    assert_eq!(laid(schema, overlays), after);
    assert_eq!(laid(after, overlays), after, "laid twice");
}

/// The same for the one argument `a`.
fn argument(own: &str, overlay: &str, after: &str) {
    let schema = |own: &str| format!(r#"{{"type":"object", "properties":{{ "a" : {own} }} }}"#);
    becomes(&schema(own), &[("/a", overlay)], &schema(after));
}

#[test]
fn what_is_not_said_yet_is_added_at_the_end() {
    argument(
        r#"{ "type":"string" }"#,
        r#"{"pattern":"^[a-z]+$","maxLength":48}"#,
        r#"{ "type":"string","pattern":"^[a-z]+$","maxLength":48 }"#,
    );
    argument("{}", r#"{"minimum":1}"#, r#"{"minimum":1}"#);
    argument(
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        r#"{"maxLength":4}"#,
        r#"{"anyOf":[{"type":"string"},{"type":"null"}],"maxLength":4}"#,
    );
}

#[test]
fn what_is_said_already_stays_as_it_is() {
    argument(
        r#"{"enum":[ "a", {"x":1, "y":2} ]}"#,
        r#"{"enum":["a",{"y":2,"x":1}]}"#,
        r#"{"enum":[ "a", {"x":1, "y":2} ]}"#,
    );
}

#[test]
fn of_two_limits_the_stricter_counts() {
    argument(r#"{"maxLength" : 64, "x":1}"#, r#"{"maxLength":48}"#, r#"{"maxLength" : 48, "x":1}"#);
    argument(r#"{"maxLength":40}"#, r#"{"maxLength":48}"#, r#"{"maxLength":40}"#);
    argument(r#"{"minimum":1}"#, r#"{"minimum":2.5}"#, r#"{"minimum":2.5}"#);
    argument(r#"{"minimum":3}"#, r#"{"minimum":2.5}"#, r#"{"minimum":3}"#);
    argument(r#"{"maxItems":4.0}"#, r#"{"maxItems":4}"#, r#"{"maxItems":4.0}"#);
}

#[test]
fn what_cannot_be_said_in_one_keyword_stands_apart() {
    argument(
        r#"{"pattern":"^a","type":"string"}"#,
        r#"{"type":"string","pattern":"b$","maxLength":9}"#,
        r#"{"pattern":"^a","type":"string","maxLength":9,"allOf":[{"pattern":"b$"}]}"#,
    );
    argument(
        r#"{"exclusiveMaximum":true,"maximum":3}"#,
        r#"{"exclusiveMaximum":2}"#,
        r#"{"exclusiveMaximum":true,"maximum":3,"allOf":[{"exclusiveMaximum":2}]}"#,
    );
    argument(
        r#"{"type":"string","allOf":[ {"pattern":"c"} ]}"#,
        r#"{"type":["string","null"],"allOf":[{"minLength":1}]}"#,
        r#"{"type":"string","allOf":[ {"pattern":"c"},{"minLength":1},{"type":["string","null"]} ]}"#,
    );
    argument(r#"{"pattern":"a","allOf":7}"#, r#"{"pattern":"b"}"#, r#"{"pattern":"a","allOf":7}"#);
}

#[test]
fn names_are_joined_and_words_follow_words() {
    becomes(
        r#"{"properties":{"a":{},"b":{}},"required":[ "a" ]}"#,
        &[("", r#"{"required":["b","a"]}"#)],
        r#"{"properties":{"a":{},"b":{}},"required":[ "a","b" ]}"#,
    );
    argument(
        r#"{"description":"\u0041.","title":"A"}"#,
        r#"{"description":"Lower case.","title":"B"}"#,
        r#"{"description":"\u0041.\n\nLower case.","title":"B"}"#,
    );
    argument(r#"{"description":7}"#, r#"{"description":"Lower case."}"#, r#"{"description":7}"#);
}

#[test]
fn keywords_that_share_a_meaning_are_added_together_or_not_at_all() {
    argument(
        r#"{"type":"array"}"#,
        r#"{"items":{"type":"integer"},"minItems":1}"#,
        r#"{"type":"array","minItems":1,"items":{"type":"integer"}}"#,
    );
    argument(
        r#"{"items":{"type":"string"}}"#,
        r#"{"items":{"pattern":"a"},"contains":{"const":"a"}}"#,
        r#"{"items":{"type":"string"},"allOf":[{"items":{"pattern":"a"},"contains":{"const":"a"}}]}"#,
    );
    argument(
        r#"{"items":{"type":"string"}}"#,
        r#"{"items":{ "type":"string" }}"#,
        r#"{"items":{"type":"string"}}"#,
    );
}

#[test]
fn at_the_top_only_what_providers_take_there() {
    let schema = r#"{"type":"object","properties":{"a":{}}}"#;
    becomes(
        schema,
        &[("", r#"{"anyOf":[{"required":["a"]}],"not":{},"type":["object"],"additionalProperties":false}"#)],
        schema,
    );
    becomes(
        schema,
        &[("", r#"{"minProperties":1,"oneOf":[{}]}"#)],
        r#"{"type":"object","properties":{"a":{}},"minProperties":1}"#,
    );
}

#[test]
fn a_place_that_is_not_there_or_leads_elsewhere_is_left_alone() {
    for own in ["true", "7", "null", r##"{"$ref":"#/$defs/a"}"##] {
        argument(own, r#"{"minimum":1}"#, own);
    }
    for schema in [
        r#"{"type":"object"}"#,
        r#"{"properties":{"b":{}}}"#,
        r#"{"properties":[{"a":{}}]}"#,
        r##"{"$ref":"#/$defs/a","$defs":{"a":{"properties":{"a":{}}}}}"##,
        "7",
    ] {
        becomes(schema, &[("/a", r#"{"minimum":1}"#)], schema);
    }
    becomes(r##"{"$ref":"#/$defs/a"}"##, &[("", r#"{"minProperties":1}"#)], r##"{"$ref":"#/$defs/a"}"##);
}

#[test]
fn reaches_through_nested_members_with_odd_names() {
    becomes(
        r#"{"properties":{"a/b":{"properties":{"~":{"type":"string"}}}}}"#,
        &[("/a~1b/~0", r#"{"minLength":1}"#), ("/a~1b", r#"{"minProperties":1}"#)],
        r#"{"properties":{"a/b":{"properties":{"~":{"type":"string","minLength":1}},"minProperties":1}}}"#,
    );
}

#[test]
fn several_overlays_of_one_place_add_up() {
    becomes(
        r#"{"properties":{"a":{"maxLength":9,"description":"A"}}}"#,
        &[
            ("/a", r#"{"maxLength":7,"pattern":"a","description":"B"}"#),
            ("", r#"{"properties":{"a":{"maxLength":8,"pattern":"b","description":"C"}}}"#),
        ],
        r#"{"properties":{"a":{"maxLength":7,"description":"A\n\nB\n\nC","pattern":"a","allOf":[{"pattern":"b"}]}}}"#,
    );
}

#[test]
fn of_a_keyword_given_twice_the_last_counts() {
    argument(r#"{"maxLength":1,"maxLength":9}"#, r#"{"maxLength":7}"#, r#"{"maxLength":1,"maxLength":7}"#);
}

fn keyword() -> impl Strategy<Value = String> {
    prop_oneof![
        "(maxLength|minLength|minItems)\":[0-3]".prop_map(|text| format!("\"{text}")),
        "(pattern|format|title|description)\":\"[ab]\"".prop_map(|text| format!("\"{text}")),
        "(required|enum|examples)\":\\[\"[ab]\"\\]".prop_map(|text| format!("\"{text}")),
        "(items|contains|additionalProperties|not)\":\\{\"const\":[01]\\}"
            .prop_map(|text| format!("\"{text}")),
        "(allOf|anyOf)\":\\[\\{\"const\":[01]\\}\\]".prop_map(|text| format!("\"{text}")),
    ]
}

fn keywords() -> impl Strategy<Value = String> {
    prop::collection::vec(keyword(), 0..5).prop_map(|all| format!("{{{}}}", all.join(",")))
}

fn accepts(schema: &str, value: &serde_json::Value) -> bool {
    let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
    jsonschema::validator_for(&schema).unwrap().is_valid(value)
}

proptest! {
    #[test]
    fn laid_twice_is_laid_once_and_both_stay_true(
        own in keywords(),
        overlays in prop::collection::vec(keywords(), 1..3),
        value in prop_oneof![
            "[ab]{0,3}".prop_map(serde_json::Value::from),
            prop::collection::vec("[ab]", 0..3).prop_map(serde_json::Value::from),
            (0..2).prop_map(serde_json::Value::from),
            Just(serde_json::Value::Object(serde_json::Map::new())),
            Just(serde_json::from_str(r#"{"a":1,"b":0}"#).unwrap()),
        ],
    ) {
        let schema = format!(r#"{{"properties":{{"a":{own}}}}}"#);
        let laid_in: Vec<_> = overlays.iter().map(|overlay| ("/a", overlay.as_str())).collect();
        let once = laid(&schema, &laid_in);
        prop_assert_eq!(laid(&once, &laid_in), once.clone());
        let merged = Json::parse(&once).unwrap().pointer("/properties/a").unwrap().text();
        let both = std::iter::once(&own).chain(&overlays).all(|schema| accepts(schema, &value));
        prop_assert_eq!(accepts(merged, &value), both, "{}", merged);
    }
}
