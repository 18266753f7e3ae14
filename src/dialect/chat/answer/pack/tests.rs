use proptest::prelude::*;

use super::*;
use crate::dialect::chat::answer::queue::Touched;

/// An event that waits: what stands before its piece of input, the piece, and what stands behind.
type Event = (String, Option<String>, String);

fn about(calls: Touched) -> About {
    About { calls, begins: false, ends: false, first: false }
}

fn event(before: &str, piece: &str, after: &str) -> Event {
    (before.to_owned(), Some(piece.to_owned()), after.to_owned())
}

struct Packed {
    pack: Pack,
    input: Input,
    raw: Vec<String>,
}

impl Packed {
    fn new(events: &[Event]) -> Self {
        let mut packed = Self { pack: Pack::default(), input: Input::default(), raw: Vec::new() };
        for event in events {
            packed.push(event);
        }
        packed
    }

    fn push(&mut self, (before, piece, after): &Event) {
        let text = piece.as_deref().unwrap_or_default();
        let at = Span::new(before.len(), before.len() + text.len());
        let told = piece.as_ref().map(|_| Piece { at, start: Some(self.input.len()) });
        let raw = format!("{before}{text}{after}");
        self.pack.push(raw.as_bytes(), told, about(Touched::One(0)));
        self.input.push(text);
        self.raw.push(raw);
    }

    fn pop(&mut self) -> String {
        let mut out = BytesMut::new();
        self.pack.pop(Some(&self.input), &mut out);
        String::from_utf8(out.to_vec()).unwrap()
    }

    fn assert_unpacks(mut self) {
        for raw in std::mem::take(&mut self.raw) {
            assert_eq!(self.pack.front(), Some(&about(Touched::One(0))));
            assert_eq!(self.pop(), raw);
        }
        assert_eq!((self.pack.front(), self.pack.weight()), (None, 0));
    }
}

/// A piece as one provider sends it: every event has as much noise as hides its length.
fn noisy(piece: &str, count: usize) -> Event {
    let noise = format!("{:08x}", count.wrapping_mul(2_654_435_761) & 0xffff_ffff);
    event(
        &format!(
            r#"data: {{"created":{count},"choices":[{{"index":0,"delta":{{"tool_calls":[{{"index":0,"function":{{"arguments":""#
        ),
        piece,
        &format!("\"}}}}]}}}}],\"obfuscation\":\"{noise}\"}}\n\n"),
    )
}

#[test]
fn four_bytes_a_piece_take_one_byte_an_event() {
    let events: Vec<_> = (0..10_000).map(|_| event("data: {\"d\":\"", "{\\\"a", "\"}\r\n\r\n")).collect();
    let packed = Packed::new(&events);
    assert!(packed.pack.weight() < 12 << 10, "{}", packed.pack.weight());
    packed.assert_unpacks();
}

#[test]
fn of_what_changes_from_event_to_event_only_that_is_kept() {
    let packed = Packed::new(&(0..10_000).map(|count| noisy("abcd", count)).collect::<Vec<_>>());
    // Of 150 bytes: at most five digits, eight letters, and a length each for those and the piece.
    assert!(packed.pack.weight() < 10_000 * 18, "{}", packed.pack.weight());
    packed.assert_unpacks();
}

#[test]
fn what_stands_between_costs_little() {
    let events = (0..5_000).flat_map(|_| {
        [event("data: {\"d\":\"", "abcd", "\"}\n\n"), (": keep-alive\n\n".to_owned(), None, String::new())]
    });
    let packed = Packed::new(&events.collect::<Vec<_>>());
    assert!(packed.pack.weight() < 5_000 * 8, "{}", packed.pack.weight());
    packed.assert_unpacks();
}

#[test]
fn what_is_wanted_no_more_is_let_go() {
    let (mut pack, mut out) = (Pack::default(), BytesMut::new());
    let piece = Piece { at: Span::new(2, 5), start: None };
    for raw in ["[\"abc\"]", "[\"def\"]"] {
        pack.push(raw.as_bytes(), Some(piece), about(Touched::None));
    }
    pack.pop(None, &mut out);
    pack.pop(None, &mut out);
    assert_eq!(&out[..], b"[\"\"][\"\"]");
}

#[test]
fn what_has_gone_takes_no_room() {
    let mut packed = Packed::new(&(0..10).map(|count| noisy("abcd", count)).collect::<Vec<_>>());
    for count in 10..10_000 {
        packed.push(&noisy("abcd", count));
        let first = packed.raw.remove(0);
        assert_eq!(packed.pop(), first);
    }
    assert!(packed.pack.weight() < 16 << 10, "{}", packed.pack.weight());
    packed.assert_unpacks();
}

#[test]
fn the_bytes_looked_at_for_an_event_do_not_grow_with_what_waits() {
    let mut packed = Packed::new(&[]);
    for count in 0..300 {
        packed.push(&event(&"\"\"".repeat(count), "x", ""));
    }
    assert_eq!(packed.pack.moulds.len(), 300);
    packed.assert_unpacks();
}

proptest! {
    #[test]
    fn unpacked_is_what_was_packed(
        events in prop::collection::vec(
            (
                prop::sample::select(vec!["", "data: {\"a\":\"", "{é\"\"\"", "\u{feff}data:\r\ndata: \"", "7\"\\"]),
                "[a-z\"\\\\0-9é\n ]{0,8}",
                prop::option::of("[a-zé\\\\\"]{0,200}"),
                prop::sample::select(vec!["", "\"}\n\n", "\",\"n\":1e5}\r\n\r\n", "\r\r: \"c"]),
                "[a-z0-9\"]{0,4}",
            ),
            0..60,
        ),
        taken in prop::collection::vec(any::<bool>(), 60),
    ) {
        let mut packed = Packed::new(&[]);
        let mut raw = std::collections::VecDeque::new();
        for ((before, odd, piece, after, odder), taken) in events.into_iter().zip(taken) {
            packed.push(&(format!("{odd}{before}"), piece, format!("{after}{odder}")));
            raw.push_back(packed.raw.pop().unwrap());
            if taken {
                prop_assert_eq!(Some(packed.pop()), raw.pop_front());
            }
        }
        for raw in raw {
            prop_assert_eq!(packed.pop(), raw);
        }
        prop_assert!(packed.pack.is_empty());
    }
}
