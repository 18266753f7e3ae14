use proptest::prelude::*;

use super::*;

/// Every kind of place that a coercion looks at, once.
const SCHEMA: &str = r##"{
    "$defs":{"count":{"type":"integer"},"unit":{"enum":["celsius","fahrenheit"]}},
    "type":"object",
    "properties":{
        "text":{"type":"string"},
        "any":{},
        "n":{"type":"integer"},
        "x":{"type":"number"},
        "flag":{"type":"boolean"},
        "maybe":{"anyOf":[{"type":"integer"},{"type":"null"}]},
        "either":{"anyOf":[{"type":"integer"},{"type":"string","pattern":"^a"}]},
        "list":{"type":"array","items":{"type":"integer"}},
        "texts":{"type":"array","items":{"type":"string"}},
        "lists":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},
        "opt_list":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/count"}},{"type":"null"}]},
        "loose_list":{"type":["array","boolean"]},
        "object":{"type":"object","properties":{"n":{"type":"integer"}}},
        "unit":{"$ref":"#/$defs/unit"},
        "cased":{"enum":["Up","UP","down"]},
        "mixed":{"enum":["5","a",7]}
    }
}"##;

fn coerced(text: &str) -> Option<String> {
    coerce(text, &Schema::compile(SCHEMA, &[]), &|_| None)
}

fn with(schema: &str, text: &str) -> Option<String> {
    let schema = Schema::compile(schema, &[]);
    assert_eq!(schema.ignored(), None);
    coerce(text, &schema, &|_| None)
}

#[test]
fn each_right_value_is_read_as_what_it_says() {
    for (written, expected) in [
        (r#"{"n":"5"}"#, r#"{"n":5}"#),
        (r#"{"n":"-12"}"#, r#"{"n":-12}"#),
        (r#"{"n":"2512292042121000001"}"#, r#"{"n":2512292042121000001}"#),
        (r#"{"x":"1.10"}"#, r#"{"x":1.10}"#),
        (r#"{"x":"5"}"#, r#"{"x":5}"#),
        (r#"{"x":"1e5"}"#, r#"{"x":1e5}"#),
        (r#"{"flag":"true"}"#, r#"{"flag":true}"#),
        (r#"{"flag":"false"}"#, r#"{"flag":false}"#),
        (r#"{"maybe":"5"}"#, r#"{"maybe":5}"#),
        (r#"{"list":"[1,2]"}"#, r#"{"list":[1,2]}"#),
        (r#"{"list":" [1, 2] "}"#, r#"{"list":[1, 2]}"#),
        (r#"{"list":"[\"1\",2]"}"#, r#"{"list":[1,2]}"#),
        (r#"{"list":["1","2"]}"#, r#"{"list":[1,2]}"#),
        (r#"{"list":5}"#, r#"{"list":[5]}"#),
        (r#"{"list":"5"}"#, r#"{"list":[5]}"#),
        (r#"{"texts":"a b"}"#, r#"{"texts":["a b"]}"#),
        (r#"{"texts":"5"}"#, r#"{"texts":["5"]}"#),
        (r#"{"opt_list":"[\"1\"]"}"#, r#"{"opt_list":[1]}"#),
        (r#"{"object":"{\"n\":\"5\"}"}"#, r#"{"object":{"n":5}}"#),
        (r#"{"object":{"n":"5"}}"#, r#"{"object":{"n":5}}"#),
        (r#"{"object":{"n":null,"m":1}}"#, r#"{"object":{"m":1}}"#),
        (r#"{"text":"a","n":null}"#, r#"{"text":"a"}"#),
        (r#"{"n":null}"#, r"{}"),
        (r#"{"unit":"Celsius"}"#, r#"{"unit":"celsius"}"#),
    ] {
        assert_eq!(coerced(written).as_deref(), Some(expected), "{written}");
    }
}

#[test]
fn no_near_miss_is() {
    for written in [
        r#"{"n":"5.0"}"#,
        r#"{"n":"1e3"}"#,
        r#"{"n":" 5"}"#,
        r#"{"n":"+5"}"#,
        r#"{"n":"05"}"#,
        r#"{"n":"0x5"}"#,
        r#"{"n":"five"}"#,
        r#"{"n":""}"#,
        r#"{"n":5.5}"#,
        r#"{"n":true}"#,
        r#"{"n":[5]}"#,
        r#"{"x":"1."}"#,
        r#"{"x":"NaN"}"#,
        r#"{"x":"1e999"}"#,
        r#"{"flag":"True"}"#,
        r#"{"flag":"yes"}"#,
        r#"{"flag":"1"}"#,
        r#"{"flag":1}"#,
        r#"{"maybe":"null"}"#,
        r#"{"either":"5"}"#,
        r#"{"text":5}"#,
        r#"{"list":"[1,"}"#,
        r#"{"list":"1,2"}"#,
        r#"{"list":"[a]"}"#,
        r#"{"list":{"n":1}}"#,
        r#"{"texts":""}"#,
        r#"{"texts":"[not json"}"#,
        r#"{"texts":null,"lists":1}"#,
        r#"{"lists":5}"#,
        r#"{"opt_list":"5"}"#,
        r#"{"loose_list":"a"}"#,
        r#"{"object":"n=5"}"#,
        r#"{"object":"[]"}"#,
        r#"{"unit":"kelvin"}"#,
        r#"{"unit":"Celsius "}"#,
        r#"{"cased":"uP"}"#,
        r#"{"mixed":"7"}"#,
        r#"{"list":[null]}"#,
        r#"{"n":"1","n":"2"}"#,
        r#"{"n":null,"n":null}"#,
    ] {
        assert_eq!(coerced(written), None, "{written}");
    }
}

#[test]
fn a_string_that_looks_like_something_else_stays_where_a_string_is_accepted() {
    let schema = r#"{"properties":{"text":{"type":"string"},"any":{},"n":{"type":"integer"}}}"#;
    let written = r#"{"text":"[1]","any":"true","n":"5"}"#;
    assert_eq!(with(schema, written).as_deref(), Some(r#"{"text":"[1]","any":"true","n":5}"#));
}

#[test]
fn what_is_not_meant_keeps_its_bytes() {
    let written = "{ \"x\" : 1.10 ,\n\"text\":\"\\u0041\", \"n\" : \"5\" , \"big\":12345678901234567890123 }";
    let expected = written.replace("\"5\"", "5");
    assert_eq!(coerced(written), Some(expected));
}

#[test]
fn all_or_nothing() {
    assert_eq!(coerced(r#"{"n":"5","x":"five"}"#), None);
    assert_eq!(coerced(r#"{"n":"5","x":"5"}"#).as_deref(), Some(r#"{"n":5,"x":5}"#));
}

#[test]
fn null_is_dropped_only_where_it_is_optional_and_not_accepted() {
    let schema = r#"{"properties":{"a":{"type":"string"},"b":{"type":["string","null"]},"c":{"type":"integer"}},
        "required":["a"]}"#;
    assert_eq!(with(schema, r#"{"a":"x","c":null,"b":null}"#).as_deref(), Some(r#"{"a":"x","b":null}"#));
    assert_eq!(with(schema, r#"{"a":null}"#), None);
    assert_eq!(with(schema, r#"{"a":null,"A":"x"}"#), None);
}

const NAMES: &str = r#"{"properties":{"file_path":{"type":"string"},"limit":{"type":"integer"}},
    "required":["file_path"]}"#;

#[test]
fn one_missing_and_one_unknown_name_that_are_one_but_for_writing() {
    for (written, expected) in [
        (r#"{"filePath":"a"}"#, r#"{"file_path":"a"}"#),
        (r#"{ "File-Path" : "a", "limit":"5"}"#, r#"{ "file_path" : "a", "limit":5}"#),
        (r#"{"file\u0050ath":"a","limit":null}"#, r#"{"file_path":"a"}"#),
    ] {
        assert_eq!(with(NAMES, written).as_deref(), Some(expected), "{written}");
    }
    let closed = r#"{"properties":{"o":{"type":"object","properties":{"file_path":{}},"required":["file_path"],
        "additionalProperties":false}}}"#;
    assert_eq!(with(closed, r#"{"o":{"filepath":1}}"#).as_deref(), Some(r#"{"o":{"file_path":1}}"#));
}

#[test]
fn other_names_are_not_mended() {
    for written in [
        r#"{"path":"a"}"#,
        r#"{"filePath":"a","other":1}"#,
        r#"{"filePath":"a","FilePath":"b"}"#,
        r#"{"filePath":"a","filePath":"b"}"#,
        r#"{"filePath":5}"#,
        r#"{"filePath":null}"#,
        r#"{"Limit":"5"}"#,
        r"{}",
    ] {
        assert_eq!(with(NAMES, written), None, "{written}");
    }
    let two = r#"{"properties":{"a_b":{},"c_d":{}},"required":["a_b","c_d"]}"#;
    assert_eq!(with(two, r#"{"aB":1,"cD":2}"#), None);
    let open = r#"{"properties":{"a_b":{}},"patternProperties":{"^a":{}},"required":["a_b"]}"#;
    assert_eq!(with(open, r#"{"aB":1}"#), None);
}

#[test]
fn branches_of_a_choice_are_looked_into() {
    let schema = r#"{"properties":{"o":{"anyOf":[{"type":"null"},
        {"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}]}}}"#;
    assert_eq!(with(schema, r#"{"o":{"n":"5"}}"#).as_deref(), Some(r#"{"o":{"n":5}}"#));
    let either = r#"{"oneOf":[
        {"properties":{"k":{"const":"a"},"v":{"type":"integer"}}},
        {"properties":{"k":{"const":"b"},"v":{"type":"string"}}}]}"#;
    assert_eq!(with(either, r#"{"k":"a","v":"5"}"#), None);
}

#[test]
fn the_operators_schema_counts_too() {
    let schema = Schema::compile(r"{}", &[("/n", r#"{"type":"integer"}"#)]);
    assert_eq!(coerce(r#"{"n":"5","m":"5"}"#, &schema, &|_| None).as_deref(), Some(r#"{"n":5,"m":"5"}"#));
    let stricter =
        Schema::compile(r#"{"properties":{"n":{"type":"string"}}}"#, &[("/n", r#"{"pattern":"^a"}"#)]);
    assert_eq!(coerce(r#"{"n":"5"}"#, &stricter, &|_| None), None);
}

#[test]
fn one_walk_does_as_many_places_as_are_looked_at() {
    let items: Vec<String> = (0..1_000).map(|n| format!("\"{n}\"")).collect();
    let written = format!(r#"{{"list":"[{}]"}}"#, items.join(",").replace('"', "\\\""));
    let walks = std::cell::Cell::new(0);
    let coerced = coerce(&written, &Schema::compile(SCHEMA, &[]), &|_| {
        walks.set(walks.get() + 1);
        None
    });
    assert!(coerced.is_some_and(|text| text.starts_with(r#"{"list":[0,1,"#) && text.ends_with("998,999]}")));
    // A thousand in the list, and of one value not more faults are looked at than so many.
    assert_eq!(walks.get(), 1_000_usize.div_ceil(256));
}

#[test]
fn what_no_value_can_hold_is_not_made() {
    let deep = format!(r#"{{"lists":"{}{}"}}"#, "[".repeat(500), "]".repeat(500));
    assert_eq!(coerced(&deep), None);
}

/// Values as models write them into the places of [`SCHEMA`].
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        any::<bool>().prop_map(|value| value.to_string()),
        any::<i64>().prop_map(|value| value.to_string()),
        "[a-zA-Z0-9 .\\[\\]{},-]{0,8}".prop_map(|text| quote(&text)),
        any::<i32>().prop_map(|value| format!("\"{value}\"")),
        prop::collection::vec(any::<u8>(), 0..3).prop_map(|list| format!("\"{list:?}\"")),
        prop::collection::vec(
            "\"?[0-9]{1,3}\"?".prop_filter("quotes pair", |t| t.matches('"').count() != 1),
            0..3
        )
        .prop_map(|list| format!("[{}]", list.join(","))),
    ]
}

fn arguments() -> impl Strategy<Value = String> {
    let names = prop::sample::select(vec![
        "text", "any", "n", "x", "flag", "maybe", "either", "list", "texts", "lists", "opt_list", "object",
        "unit",
    ]);
    prop::collection::btree_map(names, value(), 0..5).prop_map(|members| {
        let members: Vec<String> =
            members.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
        format!("{{{}}}", members.join(" ,"))
    })
}

proptest! {
    #[test]
    fn what_was_coerced_is_valid_and_stays(text in arguments()) {
        if let Some(done) = coerced(&text) {
            prop_assert_eq!(coerced(&done), Some(done));
        }
    }
}
