use proptest::prelude::*;

use super::*;
use crate::guard::rules::Normalise;

const SCHEMA: &str = r#"{"properties":{"branch_slug":{"type":"string","pattern":"^[a-z0-9]+(-[a-z0-9]+)*$"},
    "unit":{"enum":["Celsius","kelvin"]},"n":{"type":"integer"}},"required":["branch_slug"]}"#;

fn rule(at: &str, operations: &[Normalise]) -> ArgumentRule {
    ArgumentRule { at: at.to_owned(), normalise: operations.to_vec(), schema: None }
}

fn prepared(text: &str) -> Prepared<'_> {
    let rules = [
        rule("/branch_slug", &[Normalise::Trim, Normalise::Lowercase]),
        rule("/unit", &[Normalise::Lowercase]),
    ];
    prepare(text, &rules.each_ref(), &Schema::compile(SCHEMA, &[]), true)
}

#[test]
fn what_is_right_is_borrowed() {
    let prepared = prepared(r#" {"branch_slug":"a-b", "n": 5 } "#);
    assert!(matches!(prepared.text, Cow::Borrowed(_)));
    assert_eq!((prepared.steps, prepared.is_valid), (vec![], true));
}

#[test]
fn operations_reach_a_member_that_gets_its_name_on_the_way() {
    for (written, expected) in [
        (r#"{"branchSlug":" PJ1 ","n":"5"}"#, r#"{"branch_slug":"pj1","n":5}"#),
        (r#"{"BRANCH_SLUG":"pj1"}"#, r#"{"branch_slug":"pj1"}"#),
    ] {
        let prepared = prepared(written);
        assert_eq!(prepared.text, expected);
        assert!(prepared.is_valid);
        assert_eq!(prepared.steps.first(), Some(&Reason::ArgumentsCoerced));
    }
}

#[test]
fn where_operation_and_schema_disagree_the_schema_is_met() {
    for unit in ["Celsius", "celsius", "CELSIUS"] {
        let written = format!(r#"{{"branch_slug":"a","unit":"{unit}"}}"#);
        let prepared = prepared(&written);
        assert_eq!(prepared.text, r#"{"branch_slug":"a","unit":"Celsius"}"#);
        assert!(prepared.is_valid);
        assert_eq!(prepared.steps.is_empty(), unit == "Celsius", "{unit}");
    }
}

#[test]
fn what_stays_invalid_is_normalised_and_not_coerced() {
    let prepared = prepared(r#"{"branch_slug":"PJ1--x","n":"5"}"#);
    assert_eq!(prepared.text, r#"{"branch_slug":"pj1--x","n":"5"}"#);
    assert_eq!(prepared.steps, [Reason::ArgumentsNormalised]);
    assert_eq!(
        problems(&prepared.text, &Schema::compile(SCHEMA, &[]), &Notices::default()),
        r#"/branch_slug must match ^[a-z0-9]+(-[a-z0-9]+)*$, got "pj1--x"; /n must be integer, got "5""#
    );
}

#[test]
fn without_repair_nothing_is_coerced() {
    let schema = Schema::compile(SCHEMA, &[]);
    let prepared = prepare(r#"{"branch_slug":"a","n":"5"}"#, &[], &schema, false);
    assert_eq!(prepared.text, r#"{"branch_slug":"a","n":"5"}"#);
    assert!(!prepared.is_valid);
}

#[test]
fn what_no_value_can_hold_is_let_go() {
    let deep = format!(r#"{{"branch_slug":{}1{}}}"#, "[".repeat(1_000), "]".repeat(1_000));
    for text in [r#"{"n":1e999}"#, r#"{"branch_slug":"\ud83d"}"#, deep.as_str()] {
        let prepared = prepared(text);
        assert_eq!((prepared.text.as_ref(), prepared.is_valid), (text, true));
    }
}

#[test]
fn without_repair_only_an_object_is_read() {
    assert_eq!(read(r#" {"a":1} "#, false), Reading::Exact);
    assert_eq!(read(r#"{"a":"#, false), Reading::Truncated);
    for text in ["", "null", "[]", "{'a':1}", r#"{"a":1}{"a":2}"#, "```{}```"] {
        assert!(matches!(read(text, false), Reading::Unreadable(_)), "{text}");
    }
}

proptest! {
    #[test]
    fn twice_is_once(
        name in prop::sample::select(vec!["branch_slug", "branchSlug", "BRANCH-SLUG", "slug"]),
        slug in "[a-zA-Z0-9 -]{0,6}",
        unit in prop::sample::select(vec!["\"celsius\"", "\"KELVIN\"", "null", "\"x\"", "5"]),
        n in prop::sample::select(vec!["5", "\"5\"", "\"[5]\"", "null", "5.0", "\"5.0\""]),
    ) {
        let text = format!(r#"{{ "{name}":"{slug}","unit" :{unit}, "n":{n} }}"#);
        let once = prepared(&text).text.into_owned();
        prop_assert_eq!(prepared(&once).text, once.as_str());
    }
}
