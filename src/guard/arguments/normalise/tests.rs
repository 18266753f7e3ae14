use proptest::prelude::*;

use super::*;
use Normalise::{CollapseSpace, Kebab, Lowercase, Trim, Uppercase};

fn rule(at: &str, operations: &[Normalise]) -> ArgumentRule {
    ArgumentRule { at: at.to_owned(), normalise: operations.to_vec(), schema: None }
}

fn normal(text: &str, at: &str, operations: &[Normalise]) -> String {
    normalise(text, &[&rule(at, operations)]).unwrap_or_else(|| text.to_owned())
}

#[test]
fn each_operation_does_what_it_says_and_no_more() {
    for (operation, written, expected) in [
        (Trim, " \t a b \u{a0}", "a b"),
        (Lowercase, "PJ1-Ä_b", "pj1-ä_b"),
        (Uppercase, "pj1-ä_b", "PJ1-Ä_B"),
        (Kebab, "a b__c \t_d", "a-b-c-d"),
        (Kebab, "A--b", "A--b"),
        (Kebab, "a.b/c", "a.b/c"),
        (CollapseSpace, " a \n\t b", " a b"),
    ] {
        assert_eq!(apply(written, operation), expected, "{operation:?} {written}");
    }
}

#[test]
fn the_slug_of_the_field_is_lowered_and_a_hopeless_one_stays_hopeless() {
    let slug = |text: &str| normal(text, "/branch_slug", &[Trim, Lowercase]);
    assert_eq!(
        slug(r#"{"branch_slug": "PJ1-project-git-extend", "branch_kind":"Fix"}"#),
        r#"{"branch_slug": "pj1-project-git-extend", "branch_kind":"Fix"}"#
    );
    for hopeless in ["", "a--b", "-a", "a-"] {
        let text = format!(r#"{{"branch_slug":"{hopeless}"}}"#);
        assert_eq!(slug(&text), text);
    }
}

#[test]
fn only_strings_at_the_pointer_are_touched() {
    for text in [r#"{"a":5}"#, r#"{"a":["X"]}"#, r#"{"a":null}"#, r#"{"b":"X"}"#, r#"{"b":{"a":"X"}}"#, r"{}"]
    {
        assert_eq!(normal(text, "/a", &[Lowercase]), text);
    }
    assert_eq!(normal(r#"{"b":{"a":["X","Y"]}}"#, "/b/a/1", &[Lowercase]), r#"{"b":{"a":["X","y"]}}"#);
}

#[test]
fn a_string_that_is_normal_keeps_its_bytes() {
    for text in [r#"{"a":"\u0061\/b"}"#, r#"{ "a" : "x" }"#] {
        assert_eq!(normalise(text, &[&rule("/a", &[Trim, Lowercase])]), None);
    }
    assert_eq!(normal(r#"{"a":"\u0041\n\"\/"}"#, "/a", &[Lowercase]), r#"{"a":"a\n\"/"}"#);
}

#[test]
fn half_a_character_is_left_alone() {
    let text = r#"{"a":"X\ud83d"}"#;
    assert_eq!(normal(text, "/a", &[Lowercase]), text);
}

#[test]
fn operations_that_work_against_each_other_come_to_rest() {
    let once = normal(r#"{"a":" \u0130_x "}"#, "/a", &[Uppercase, Lowercase, Kebab, Trim]);
    assert_eq!(normal(&once, "/a", &[Uppercase, Lowercase, Kebab, Trim]), once);
}

proptest! {
    #[test]
    fn twice_is_once(
        text in any::<String>(),
        operations in prop::collection::vec(
            prop::sample::select(vec![Trim, Lowercase, Uppercase, Kebab, CollapseSpace]), 0..5),
    ) {
        let written = format!(r#"{{"a":{}}}"#, quote(&text));
        let once = normal(&written, "/a", &operations);
        prop_assert_eq!(normal(&once, "/a", &operations), once);
    }
}
