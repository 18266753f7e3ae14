use std::borrow::Cow;

use proptest::prelude::*;

use super::*;
use crate::dialect::Rewritten;

/// What is left of the texts; those that are dropped are `None`.
fn left(texts: &[&str], max: usize) -> Vec<Option<String>> {
    let mut drafts: Vec<_> = texts.iter().map(|text| Draft::new(Cow::Borrowed(text))).collect();
    let cut = cut(&mut drafts, max, &Notices::default());
    let texts_now = drafts.iter().map(|draft| draft.text().to_owned()).collect::<Vec<_>>();
    let kept = drafts.into_iter().map(|draft| draft.rewritten() != Rewritten::Dropped);
    let left: Vec<_> = texts_now.into_iter().zip(kept).map(|(text, kept)| kept.then_some(text)).collect();
    let as_before = left.iter().map(Option::as_deref).eq(texts.iter().map(|text| Some(*text)));
    assert_eq!(cut, !as_before);
    left
}

fn only(text: &str, max: usize) -> String {
    left(&[text], max).remove(0).unwrap()
}

#[test]
fn head_and_tail_stay_and_what_is_missing_is_named() {
    let text = format!("{}{}{}", "a".repeat(15), "b".repeat(100), "c".repeat(15));
    // The mark for 130 bytes takes 30 with its line breaks.
    assert_eq!(only(&text, 60), format!("{}\n[… 100 bytes left out …]\n{}", "a".repeat(15), "c".repeat(15)));
    assert_eq!(only(&text, 130), text);
    // The mark has a digit less than it was given room for.
    assert_eq!(only(&text, 129).len(), 128);
}

#[test]
fn characters_stay_whole_and_bytes_are_counted() {
    let text = "é".repeat(100);
    let cut = only(&text, 62);
    let (head, rest) = cut.split_once("\n[… ").unwrap();
    let (missing, tail) = rest.split_once(" bytes left out …]\n").unwrap();
    assert_eq!(head.len() + tail.len() + missing.parse::<usize>().unwrap(), 200);
    assert!(cut.len() <= 62 && head.len() >= 12, "{cut}");
}

#[test]
fn parts_are_cut_as_one_text() {
    let (a, b, c) = ("a".repeat(60), "b".repeat(60), "c".repeat(60));
    assert_eq!(
        left(&[&a, &b, &c], 70),
        [Some(format!("{}\n[… 140 bytes left out …]", "a".repeat(20))), None, Some("c".repeat(20))]
    );
    assert_eq!(left(&["", &a, "x"], 1_000), [Some(String::new()), Some(a.clone()), Some("x".to_owned())]);
    let wide = left(&[&"a".repeat(20), &"b".repeat(200), &"c".repeat(20)], 70);
    assert_eq!(wide[0], Some("a".repeat(20)));
    assert_eq!(wide[1].as_deref(), Some("[… 200 bytes left out …]"));
    assert_eq!(wide[2], Some("c".repeat(20)));
}

#[test]
fn a_cut_that_saves_nothing_is_not_made() {
    assert_eq!(only("a long line of words", 5), "a long line of words");
    assert_eq!(only(&"a".repeat(100), 0), "[… 100 bytes left out …]");
}

proptest! {
    #[test]
    fn what_was_cut_fits_and_is_not_cut_again(texts in prop::collection::vec("[aé😀\n]{0,200}", 1..5), max in 64usize..400) {
        let texts: Vec<_> = texts.iter().map(String::as_str).collect();
        let once: Vec<_> = left(&texts, max).into_iter().flatten().collect();
        prop_assert!(once.iter().map(String::len).sum::<usize>() <= max);
        let again: Vec<_> = left(&once.iter().map(String::as_str).collect::<Vec<_>>(), max);
        prop_assert_eq!(again.into_iter().flatten().collect::<Vec<_>>(), once);
    }
}
