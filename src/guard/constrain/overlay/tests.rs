use super::*;

fn apart(at: &str, schema: &str) -> Vec<(String, String)> {
    let overlays = Overlay::of(at, schema);
    let told = |(name, value): &(String, String)| format!("{name}={value}");
    overlays
        .into_iter()
        .map(|overlay| (overlay.at, overlay.keywords.iter().map(told).collect::<Vec<_>>().join(" ")))
        .collect()
}

fn one(at: &str, keywords: &str) -> (String, String) {
    (at.to_owned(), keywords.to_owned())
}

#[test]
fn keywords_keep_their_order_and_their_bytes() {
    let schema = r#" { "pattern": "^\u0061$", "maxLength" : 4.80e1, "enum": [ 12345678901234567890 ] } "#;
    assert_eq!(
        apart("/a~1b/c", schema),
        [one(
            "/properties/a~1b/properties/c",
            r#"pattern="^\u0061$" maxLength=4.80e1 enum=[ 12345678901234567890 ]"#
        )]
    );
    assert_eq!(apart("", r#"{"required":["a"]}"#), [one("", r#"required=["a"]"#)]);
}

#[test]
fn what_is_said_of_members_is_laid_into_those() {
    let schema = r#"{"properties":{"a/b":{"minimum":1,"properties":{"~":{"const":2}}},"c":{},"d":true},"minProperties":1}"#;
    assert_eq!(
        apart("/x", schema),
        [
            one("/properties/x/properties/a~1b/properties/~0", "const=2"),
            one("/properties/x/properties/a~1b", "minimum=1"),
            one("/properties/x", "minProperties=1"),
        ]
    );
}

#[test]
fn members_that_decide_about_others_stay_with_them() {
    let schema = r#"{"properties":{"a":{}},"additionalProperties":false}"#;
    assert_eq!(apart("", schema), [one("", r#"properties={"a":{}} additionalProperties=false"#)]);
}

#[test]
fn of_a_keyword_given_twice_the_last_counts() {
    assert_eq!(apart("", r#"{"minimum":1,"maximum":9,"minimum":2}"#), [one("", "maximum=9 minimum=2")]);
}

#[test]
fn what_refers_or_has_no_keywords_is_not_told() {
    for schema in [
        r##"{"$defs":{"a":{}},"$ref":"#/$defs/a"}"##,
        r##"{"items":[{"$ref":"#"}]}"##,
        r#"{"\u0024id":"x"}"#,
        "true",
        "false",
        "{}",
    ] {
        assert_eq!(apart("/a", schema), [], "{schema}");
    }
    assert_eq!(apart("", r#"{"const":"$ref"}"#).len(), 1);
}
