use bytes::Bytes;
use proptest::prelude::*;
use serde_json::Value;

use super::{Splices, append, without};
use crate::wire::span::{Json, Span};

const LETTERS: Bytes = Bytes::from_static(b"abcdefghij");

fn changed(change: impl FnOnce(&mut Splices)) -> String {
    let mut splices = Splices::default();
    change(&mut splices);
    assert_eq!(Bytes::from(splices.pieces(&LETTERS).concat()), splices.apply(&LETTERS));
    String::from_utf8(splices.apply(&LETTERS).to_vec()).expect("only letters went in")
}

#[test]
fn no_change_gives_back_the_original_itself() {
    let splices = Splices::default();
    assert!(splices.is_empty() && splices.changed() == 0);
    assert_eq!(splices.apply(&LETTERS).as_ptr(), LETTERS.as_ptr());
    assert_eq!(splices.pieces(&LETTERS), [LETTERS]);
    assert!(splices.pieces(&Bytes::new()).is_empty() && splices.apply(&Bytes::new()).is_empty());
}

#[test]
fn a_change_of_nothing_into_nothing_is_none() {
    let mut splices = Splices::default();
    splices.insert(3, "");
    splices.remove(Span::new(4, 4));
    assert!(splices.is_empty());
}

#[test]
fn replaces_inserts_and_removes() {
    assert_eq!(changed(|splices| splices.replace(Span::new(2, 4), "XYZ")), "abXYZefghij");
    assert_eq!(changed(|splices| splices.insert(0, "X")), "Xabcdefghij");
    assert_eq!(changed(|splices| splices.insert(10, "X")), "abcdefghijX");
    assert_eq!(changed(|splices| splices.remove(Span::new(0, 9))), "j");
    assert_eq!(changed(|splices| splices.remove(Span::new(0, 10))), "");
}

#[test]
fn the_order_of_making_does_not_matter_but_at_one_place() {
    let there = changed(|splices| {
        splices.insert(1, "1");
        splices.replace(Span::new(3, 5), "2");
        splices.remove(Span::new(7, 8));
    });
    let back = changed(|splices| {
        splices.remove(Span::new(7, 8));
        splices.replace(Span::new(3, 5), "2");
        splices.insert(1, "1");
    });
    assert_eq!((there.as_str(), back.as_str()), ("a1bc2fgij", "a1bc2fgij"));
    let same_place = changed(|splices| {
        splices.insert(5, "1");
        splices.insert(2, "0");
        splices.insert(5, "2");
        splices.insert(5, "3");
    });
    assert_eq!(same_place, "ab0cde123fghij");
}

#[test]
fn borders_touch_without_overlapping() {
    let text = changed(|splices| {
        splices.insert(2, "<");
        splices.replace(Span::new(2, 4), "X");
        splices.insert(2, "=");
        splices.insert(4, ">");
        splices.remove(Span::new(4, 6));
        splices.remove(Span::new(0, 2));
    });
    assert_eq!(text, "<X=>ghij");
}

#[test]
fn slices_of_the_original_are_not_copied() {
    let mut splices = Splices::default();
    splices.replace(Span::new(2, 4), "XYZ");
    splices.insert(4, "!");
    let pieces = splices.pieces(&LETTERS);
    assert_eq!(pieces, ["ab", "XYZ", "!", "efghij"]);
    assert_eq!(pieces[0].as_ptr(), LETTERS.as_ptr());
    assert_eq!(pieces[3].as_ptr(), LETTERS.slice(4..).as_ptr());
    assert_eq!(splices.changed(), 2 + 3 + 1);
}

#[test]
fn a_place_beyond_the_end_is_the_end() {
    assert_eq!(changed(|splices| splices.insert(99, "X")), "abcdefghijX");
    assert_eq!(changed(|splices| splices.replace(Span::new(8, 99), "X")), "abcdefghX");
}

/// Release builds keep the change that came first; here it is enough that the slip is seen.
#[test]
fn overlaps_are_seen() {
    let spans = [(2, 6), (3, 4), (0, 3), (5, 7), (2, 3), (5, 6), (0, 9), (3, 3), (5, 5)];
    for (start, end) in spans {
        let mut splices = Splices::default();
        splices.insert(2, "before");
        splices.remove(Span::new(2, 6));
        splices.insert(2, "after");
        assert!(splices.overlaps(Span::new(start, end)), "{start}..{end}");
    }
    let mut splices = Splices::default();
    splices.insert(4, "X");
    splices.remove(Span::new(6, 8));
    for (start, end) in [(3, 5), (0, 7), (7, 9), (6, 7)] {
        assert!(splices.overlaps(Span::new(start, end)), "{start}..{end}");
    }
    for (start, end) in [(4, 4), (4, 6), (2, 4), (6, 6), (8, 8), (8, 9), (0, 1)] {
        assert!(!splices.overlaps(Span::new(start, end)), "{start}..{end}");
    }
}

#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "overlaps"))]
fn of_overlapping_changes_the_first_stays() {
    let text = changed(|splices| {
        splices.replace(Span::new(2, 6), "X");
        splices.replace(Span::new(5, 7), "Y");
    });
    assert_eq!(text, "abXghij");
}

#[test]
fn many_changes_in_the_worst_order_take_no_square_of_the_time() {
    let original = Bytes::from(vec![b'a'; 200_000]);
    let mut splices = Splices::default();
    for at in (0..200_000).rev() {
        splices.insert(at, Bytes::from_static(b"b"));
    }
    assert_eq!(splices.apply(&original).len(), 400_000);
}

fn cut(text: &str, drop: &[usize]) -> String {
    const AROUND: &str = "{\"é\": ";
    let whole = Bytes::from(format!("{AROUND}{text} }}"));
    let mut splices = Splices::default();
    for span in without(Json::parse(text).expect("well-formed"), AROUND.len(), drop) {
        splices.remove(span);
    }
    let cut = String::from_utf8(splices.apply(&whole).to_vec()).expect("cut between characters");
    cut.strip_prefix(AROUND)
        .and_then(|cut| cut.strip_suffix(" }"))
        .expect("nothing around was cut")
        .to_owned()
}

#[test]
fn takes_children_out_with_one_comma_each() {
    for (drop, left) in [
        (vec![], "[1,2,3]"),
        (vec![0], "[2,3]"),
        (vec![1], "[1,3]"),
        (vec![2], "[1,2]"),
        (vec![0, 1], "[3]"),
        (vec![1, 2], "[1]"),
        (vec![0, 2], "[2]"),
        (vec![2, 0, 2, 9], "[2]"),
        (vec![0, 1, 2], "[]"),
        (vec![3], "[1,2,3]"),
    ] {
        assert_eq!(cut("[1,2,3]", &drop), left, "{drop:?}");
    }
    assert_eq!(cut(r#"{"a":1,"b":{"c":2},"d":3}"#, &[1]), r#"{"a":1,"d":3}"#);
    assert_eq!(cut(r#"{"a":1,"a":2}"#, &[0]), r#"{"a":2}"#);
    assert_eq!(cut("[]", &[0]), "[]");
    assert_eq!(cut("\"ab\"", &[0]), "\"ab\"");
}

#[test]
fn what_stays_keeps_its_lay_out() {
    let lines = "[\n  1,\n  2,\n  3\n]";
    assert_eq!(cut(lines, &[0]), "[\n  2,\n  3\n]");
    assert_eq!(cut(lines, &[1]), "[\n  1,\n  3\n]");
    assert_eq!(cut(lines, &[2]), "[\n  1,\n  2\n]");
    assert_eq!(cut(lines, &[0, 1, 2]), "[]");
    assert_eq!(cut("{ \"a\" : 1 , \"b\" : 2 }", &[1]), "{ \"a\" : 1 }");
    assert_eq!(cut("{ \"a\" : 1 , \"b\" : 2 }", &[0]), "{ \"b\" : 2 }");
}

fn appended(text: &str, child: &str) -> String {
    let (at, with) = append(Json::parse(text).expect("well-formed"), 0, child);
    let mut splices = Splices::default();
    splices.insert(at, with);
    String::from_utf8(splices.apply(&Bytes::copy_from_slice(text.as_bytes())).to_vec()).expect("still text")
}

#[test]
fn appends_behind_the_last_child() {
    assert_eq!(appended("[]", "1"), "[1]");
    assert_eq!(appended("[ ]", "1"), "[1 ]");
    assert_eq!(appended("[1]", "2"), "[1,2]");
    assert_eq!(appended("[\n  1\n]", "2"), "[\n  1,2\n]");
    assert_eq!(appended("{}", "\"a\":1"), "{\"a\":1}");
    assert_eq!(appended("{\"é\":[] }", "\"a\":1"), "{\"é\":[],\"a\":1 }");
    assert_eq!(append(Json::trusted("[1]"), 100, "2"), (102, ",2".to_owned()));
}

#[test]
fn takes_out_the_last_and_appends_at_once() {
    let text = "[1, 2 ]";
    let value = Json::parse(text).expect("well-formed");
    let mut splices = Splices::default();
    for span in without(value, 0, &[1]) {
        splices.remove(span);
    }
    let (at, with) = append(value, 0, "3");
    splices.insert(at, with);
    assert_eq!(splices.apply(&Bytes::from_static(text.as_bytes())), "[1,3 ]");
}

proptest! {
    #[test]
    fn pieces_say_what_plain_replacing_says(
        cuts in prop::collection::btree_set(0usize..60, 0..12),
        with in prop::collection::vec("[x-z]{0,3}", 12),
        backwards in any::<bool>(),
    ) {
        let original = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX";
        let cuts: Vec<_> = cuts.into_iter().collect();
        let spans: Vec<_> = cuts.chunks(2).filter_map(|pair| match pair {
            [start, end] => Some(Span::new(*start, *end)),
            _ => None,
        }).zip(with).collect();
        let mut expected = original.to_owned();
        for (span, with) in spans.iter().rev() {
            expected.replace_range(span.start..span.end, with);
        }
        let mut splices = Splices::default();
        let order: Vec<_> = if backwards { spans.iter().rev().collect() } else { spans.iter().collect() };
        for (span, with) in order {
            splices.replace(*span, with.clone());
        }
        prop_assert_eq!(splices.apply(&Bytes::from(original)), expected.as_bytes());
    }

    #[test]
    fn whatever_is_dropped_the_rest_stays(
        elements in prop::collection::vec(prop::sample::select(vec!["1", "\"a,]\"", "[1, 2]", "{\"b\":3}"]), 0..7),
        drop in prop::collection::vec(0usize..8, 0..8),
        space in prop::sample::select(vec!["", " ", "\n  "]),
        as_object in any::<bool>(),
    ) {
        let name = |position: usize| if as_object { format!("\"k{position}\":{space}") } else { String::new() };
        let children: Vec<_> = elements.iter().enumerate().map(|(at, text)| format!("{}{text}", name(at))).collect();
        let (open, close) = if as_object { ("{", "}") } else { ("[", "]") };
        let separator = format!("{space},{space}");
        let text = format!("{open}{space}{}{space}{close}", children.join(&separator));
        let kept: Vec<_> =
            children.iter().enumerate().filter(|(at, _)| !drop.contains(at)).map(|(_, child)| child.clone()).collect();
        let expected = format!("{open}{}{close}", kept.join(","));
        let left = cut(&text, &drop);
        let value = |text: &str| serde_json::from_str::<Value>(text).expect("well-formed");
        prop_assert_eq!(value(&left), value(&expected));
        if drop.iter().all(|at| *at >= elements.len()) {
            prop_assert_eq!(left, text);
        }
    }
}
