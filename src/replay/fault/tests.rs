use proptest::prelude::*;

use super::*;

fn event(text: &str) -> Piece {
    Piece::Event(Bytes::copy_from_slice(text.as_bytes()))
}

fn write(text: &str) -> Act {
    Act::Write(Bytes::copy_from_slice(text.as_bytes()))
}

fn gate(name: &str) -> Halt {
    Halt::Gate(name.to_owned())
}

fn stop(at: Place, what: Halt) -> Stop {
    Stop { at, what }
}

#[test]
fn writes_one_event_at_a_time() {
    let acts = lay_out(
        vec![event("ab"), Piece::Gate("g".to_owned()), event(""), event("cd")],
        &[],
        None,
        Pace::default(),
    );
    assert_eq!(acts.body, [write("ab"), Act::Stop(gate("g")), write("cd")]);
}

#[test]
fn finds_every_place() {
    let places = [
        (Place::End, "end"),
        (Place::BeforeHead, "before"),
        (Place::AfterHead, "after"),
        (Place::Events(1), "events"),
        (Place::Bytes(3), "bytes"),
        (Place::Events(9), "beyond"),
        (Place::Events(0), "none"),
    ];
    let stops: Vec<_> = places.into_iter().map(|(at, name)| stop(at, gate(name))).collect();
    let acts = lay_out(vec![event("ab"), event("cd")], &stops, None, Pace::default());
    assert_eq!(acts.before_head, [gate("before")]);
    let at = |name| Act::Stop(gate(name));
    assert_eq!(
        acts.body,
        [
            at("after"),
            at("none"),
            write("ab"),
            at("events"),
            write("c"),
            at("bytes"),
            write("d"),
            at("end"),
            at("beyond"),
        ]
    );
    assert!(acts.halts_at_end());
}

#[test]
fn cuts_wherever_it_falls() {
    let cut = NonZeroUsize::new(3);
    let acts = lay_out(
        vec![event("abcd"), event("ef")],
        &[stop(Place::Events(1), Halt::Reset)],
        cut,
        Pace::default(),
    );
    assert_eq!(acts.body, [write("abc"), write("d"), Act::Stop(Halt::Reset), write("ef")]);
    assert!(!acts.halts_at_end());
    assert_eq!(lay_out(vec![event("abcdef")], &[], cut, Pace::default()).body, [write("abc"), write("def")]);
}

#[test]
fn each_event_is_due_at_its_own_time() {
    let milliseconds = std::time::Duration::from_millis;
    let pace = Pace { first: milliseconds(50), every: milliseconds(20) };
    let acts = lay_out(vec![event("ab"), event("cd"), event("ef")], &[], None, pace);
    let due = |time| Act::Stop(Halt::Due(milliseconds(time)));
    assert_eq!(acts.body, [write("ab"), due(70), write("cd"), due(90), write("ef")]);
}

#[test]
fn an_empty_answer_does_nothing() {
    assert_eq!(lay_out(Vec::new(), &[], NonZeroUsize::new(1), Pace::default()), Acts::default());
    assert_eq!(length(&[event("ab"), Piece::Gate("g".to_owned()), event("c")]), 3);
}

proptest! {
    #[test]
    fn no_byte_is_lost_whatever_is_laid_between(
        events in prop::collection::vec("[a-z]{0,9}", 0..6),
        places in prop::collection::vec(0usize..40, 0..4),
        cut in 0usize..5,
    ) {
        let stops: Vec<_> = places.iter().map(|&at| stop(Place::Bytes(at), Halt::Hang)).collect();
        let pieces = events.iter().map(|text| event(text)).collect();
        let acts = lay_out(pieces, &stops, NonZeroUsize::new(cut), Pace::default());
        let mut bytes = Vec::new();
        let mut halts = 0;
        for act in &acts.body {
            match act {
                Act::Write(write) => {
                    prop_assert!(!write.is_empty());
                    prop_assert!(cut == 0 || write.len() <= cut);
                    bytes.extend_from_slice(write);
                }
                Act::Stop(_) => halts += 1,
            }
        }
        prop_assert_eq!(bytes, events.concat().into_bytes());
        prop_assert_eq!(halts, stops.len());
    }
}
