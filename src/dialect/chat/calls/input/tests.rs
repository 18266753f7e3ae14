use proptest::collection::vec;
use proptest::prelude::*;

use super::*;

fn written(input: &Input, stretch: Span) -> String {
    let mut out = BytesMut::new();
    input.write(stretch, &mut out);
    String::from_utf8(out.to_vec()).unwrap()
}

#[test]
fn a_long_text_moves_no_part_of_it() {
    let mut input = Input::default();
    let mut starts = Vec::new();
    for piece in 0..1000 {
        input.push(&format!("{piece:0>100}"));
        if let Some(last) = input.rest.last() {
            starts.resize(input.rest.len(), last.as_ptr());
        }
    }
    assert_eq!(input.len(), 100_000);
    assert_eq!(input.rest.iter().map(Vec::as_ptr).collect::<Vec<_>>(), starts);
    let room = input.head.capacity() + input.rest.iter().map(Vec::capacity).sum::<usize>();
    assert!(room < input.len() + 2 * PART, "{room}");
}

#[test]
fn what_comes_at_once_takes_no_more_than_it_is() {
    let mut input = Input::default();
    let text = "x".repeat(100_000);
    input.push(&text);
    assert_eq!((input.head.capacity(), input.rest.len()), (text.len(), 0));
    assert!(matches!(input.text(), Cow::Borrowed(_)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_is_the_text_of_its_pieces(
        pieces in vec(("[aé]{0,3}", 0..4000_usize), 0..20),
        from in 0..60_000_usize,
        length in 0..20_000_usize,
    ) {
        let (mut input, mut text) = (Input::default(), String::new());
        for (piece, times) in pieces {
            let piece = piece.repeat(times);
            input.push(&piece);
            text.push_str(&piece);
        }
        prop_assert_eq!(input.text(), text.as_str());
        prop_assert_eq!((input.len(), input.is_empty()), (text.len(), text.is_empty()));
        let from = text.floor_char_boundary(from.min(text.len()));
        let to = text.floor_char_boundary((from + length).min(text.len()));
        let stretch = Span::new(from, to);
        prop_assert_eq!(written(&input, stretch), stretch.of(&text));
        prop_assert!(input.has_at(from, stretch.of(&text)));
        let other = stretch.of(&text).to_owned() + "b";
        prop_assert!(!input.has_at(from, &other));
        prop_assert!(!input.has_at(text.len(), "a") && input.has_at(text.len(), ""));
    }
}
