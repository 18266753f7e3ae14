use proptest::prelude::*;

use super::*;

fn extended(string: &str, paragraphs: &[&str]) -> String {
    let mut text = string.to_owned();
    if let Some((at, with)) = extend(Json::parse(string).unwrap(), 0, paragraphs) {
        text.insert_str(at, &with);
    }
    text
}

#[test]
fn goes_behind_a_blank_line_within_the_quotes() {
    assert_eq!(extended(r#""S""#, &["T"]), r#""S\n\nT""#);
    assert_eq!(extended(r#""S""#, &["T", "U"]), r#""S\n\nT\n\nU""#);
    assert_eq!(extended(r#""\u0053\\""#, &["a \"b\"\n\u{1}é"]), r#""\u0053\\\n\na \"b\"\n\u0001é""#);
}

#[test]
fn an_empty_string_needs_no_blank_line() {
    assert_eq!(extended(r#""""#, &["T"]), r#""T""#);
}

#[test]
fn half_a_surrogate_pair_at_the_end_stays_as_it_is() {
    assert_eq!(extended(r#""a\ud83d""#, &["T"]), r#""a\ud83d\n\nT""#);
}

#[test]
fn what_stands_there_is_not_put_there_again() {
    for said in ["T", "S\n\nT", "T\n\nS", "S\n\nT\n\nU", "S\n\n\nT\n\n\n"] {
        assert_eq!(missing(said, &["T"]), None, "{said:?}");
    }
    assert_eq!(missing("S\n\nT", &["T", "U"]).as_deref(), Some("U"));
    assert_eq!(missing("S\n\nU", &["T", "U", "V"]).as_deref(), Some("T\n\nV"));
    assert_eq!(missing("S", &["T", "T", ""]).as_deref(), Some("T"));
    assert_eq!(extended(r#""S\u000a\u000aT""#, &["T"]), r#""S\u000a\u000aT""#);
}

#[test]
fn the_same_words_within_a_paragraph_do_not_count() {
    for said in ["", "Never say T", "S\nT", "S\n\nT ", "S\n\nT\nU", "TT", "S\n T"] {
        assert_eq!(missing(said, &["T"]).as_deref(), Some("T"), "{said:?}");
    }
}

#[test]
fn a_paragraph_may_hold_blank_lines_itself() {
    assert_eq!(missing("xA\n\nA\n\nA", &["A\n\nA"]), None);
    assert_eq!(missing("S\n\nB", &["B", "A\n\nB"]).as_deref(), Some("A\n\nB"));
}

#[test]
fn only_strings_are_extended() {
    assert_eq!(extend(Json::trusted("[]"), 0, &["T"]), None);
    assert_eq!(extend(Json::trusted("null"), 0, &["T"]), None);
}

proptest! {
    #[test]
    fn twice_is_once(said in "[ab\\\\\"\n]{0,8}", paragraphs in prop::collection::vec("[ab]{0,2}", 0..4)) {
        let paragraphs: Vec<&str> = paragraphs.iter().map(String::as_str).collect();
        let once = extended(&quote(&said), &paragraphs);
        prop_assert_eq!(extended(&once, &paragraphs), once.clone());
        let value = Json::parse(&once).unwrap().string().unwrap().into_owned();
        prop_assert!(value.starts_with(&said));
        let told = |paragraph: &&&str| !paragraph.is_empty();
        prop_assert!(paragraphs.iter().filter(told).all(|paragraph| stands(paragraph, &value)));
        prop_assert_eq!(missing(&value, &paragraphs), None);
    }
}
