use proptest::prelude::*;

use super::*;

fn change(start: usize, end: usize, with: &str) -> Change {
    Change { at: Span::new(start, end), with: with.to_owned() }
}

/// A string with the changes that its value got.
fn string(text: &str, changes: &[Change]) -> String {
    changed(text, &within(Json::parse(text).unwrap(), changes))
}

#[test]
fn what_is_not_changed_keeps_its_escapes() {
    let written = r#""\u0061\/é\u00e9\ud83d\ude00\ttail""#;
    assert_eq!(Json::trusted(written).string().unwrap(), "a/éé😀\ttail");
    for (start, end, with, expected) in [
        (0, 1, "", r#""\/é\u00e9\ud83d\ude00\ttail""#),
        (1, 2, "", r#""\u0061é\u00e9\ud83d\ude00\ttail""#),
        (2, 4, "", r#""\u0061\/\u00e9\ud83d\ude00\ttail""#),
        (4, 6, "", r#""\u0061\/é\ud83d\ude00\ttail""#),
        (6, 10, "", r#""\u0061\/é\u00e9\ttail""#),
        (10, 11, "\n\"", r#""\u0061\/é\u00e9\ud83d\ude00\n\"tail""#),
        (15, 15, "!", r#""\u0061\/é\u00e9\ud83d\ude00\ttail!""#),
        (0, 15, "", r#""""#),
    ] {
        assert_eq!(string(written, &[change(start, end, with)]), expected, "{start}..{end}");
    }
}

#[test]
fn several_changes_stay_apart() {
    let changes = [change(0, 1, "A"), change(1, 1, "-"), change(2, 3, "")];
    assert_eq!(string(r#""\u0061bc""#, &changes), r#""A-b""#);
}

#[test]
fn half_a_pair_is_one_character_that_stays_as_it_is() {
    let written = r#""x\ud800y""#;
    assert_eq!(string(written, &[change(0, 1, "")]), r#""\ud800y""#);
    assert_eq!(string(written, &[change(1, 4, "")]), r#""xy""#);
    assert_eq!(string(written, &[change(4, 5, "")]), r#""x\ud800""#);
}

#[test]
fn only_a_string_holds_a_text() {
    assert_eq!(within(Json::trusted("[1]"), &[change(0, 1, "x")]), []);
}

proptest! {
    #[test]
    fn a_change_within_is_the_change_of_the_value(
        pieces in prop::collection::vec(prop::sample::select(vec!["a", "é", "\\n", "\\u00e9", "\\ud83d\\ude00", "😀", "\\\\", "\\\""]), 0..20),
        from in 0usize..30,
        length in 0usize..30,
        with in any::<String>(),
    ) {
        let written = format!("\"{}\"", pieces.concat());
        let value = Json::parse(&written).unwrap().string().unwrap().into_owned();
        let start = value.floor_char_boundary(from);
        let change = change(start, value.floor_char_boundary(start + length), &with);
        let expected = changed(&value, std::slice::from_ref(&change));
        let new = string(&written, &[change]);
        prop_assert_eq!(Json::parse(&new).unwrap().string().unwrap(), expected);
    }
}
