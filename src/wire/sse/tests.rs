use bytes::Bytes;
use proptest::prelude::*;

use super::{Frame, Framer, TooLarge, ends_blank};

/// All frames of a stream that comes in the given pieces.
fn frames_of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Frame> {
    let mut framer = Framer::new(1 << 24);
    let mut frames = Vec::new();
    for piece in pieces {
        framer.push(Bytes::copy_from_slice(piece));
        while let Some(frame) = framer.next_frame().unwrap() {
            frames.push(frame);
        }
    }
    frames.extend(std::iter::from_fn(|| framer.finish()));
    assert_eq!(framer.pending(), 0);
    frames
}

fn frames(text: &str) -> Vec<Frame> {
    frames_of([text.as_bytes()])
}

fn string(bytes: &Bytes) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn raws(text: &str) -> Vec<String> {
    frames(text).iter().map(|frame| string(&frame.raw)).collect()
}

/// The data of each frame, `-` where there is none.
fn data(text: &str) -> Vec<String> {
    frames(text).iter().map(|frame| frame.data.as_ref().map_or_else(|| "-".to_owned(), string)).collect()
}

fn at_once(text: &str) -> Option<String> {
    let mut framer = Framer::new(1000);
    framer.push(Bytes::copy_from_slice(text.as_bytes()));
    framer.next_frame().unwrap().map(|frame| string(&frame.raw))
}

#[test]
fn cuts_at_blank_lines_whatever_ends_a_line() {
    assert_eq!(raws("data: 1\n\ndata: 2\n\n"), ["data: 1\n\n", "data: 2\n\n"]);
    assert_eq!(raws("data: 1\r\n\r\ndata: 2\r\n\r\n"), ["data: 1\r\n\r\n", "data: 2\r\n\r\n"]);
    assert_eq!(raws("data: 1\r\rdata: 2\r\r"), ["data: 1\r\r", "data: 2\r\r"]);
    assert_eq!(raws("data: 1\n\rdata: 2\r\n\n"), ["data: 1\n\r", "data: 2\r\n\n"]);
}

#[test]
fn a_line_end_that_is_not_followed_by_a_blank_line_ends_no_frame() {
    assert_eq!(raws("event: a\ndata: 1\r\nid: 2\rretry: 3\n\n").len(), 1);
    assert_eq!(raws("data: 1\n \n\n").len(), 1);
    assert_eq!(raws("data: 1\r\ndata: 2\r\n\r\n").len(), 1);
}

#[test]
fn a_blank_line_with_nothing_before_it_is_a_frame_of_its_own() {
    assert_eq!(raws("\n\r\n\ndata: 1\n\n\n"), ["\n", "\r\n", "\n", "data: 1\n\n", "\n"]);
    assert_eq!(data("\n\ndata: 1\n\n"), ["-", "-", "1"]);
}

#[test]
fn data_is_read_with_and_without_the_space() {
    assert_eq!(data("data: 1\n\ndata:2\n\ndata:  3\n\ndata:\n\ndata\n\n"), ["1", "2", " 3", "", ""]);
}

#[test]
fn several_data_lines_are_joined_by_lf() {
    assert_eq!(data("data: {\r\ndata:\r\ndata: }\r\n\r\n"), ["{\n\n}"]);
    assert_eq!(frames("data: {\ndata: }\n\n")[0].data_at, None);
}

#[test]
fn other_fields_and_comments_are_no_data() {
    assert_eq!(data(": OPENROUTER PROCESSING\n\nretry: 3\n\nDATA: 1\n\n data: 1\n\ndatax: 1\n\n"), ["-"; 5]);
    assert_eq!(data(": data: 1\ndata: 2\n: 3\n\n"), ["2"]);
}

#[test]
fn the_last_event_field_counts() {
    let frame = frames("event: ping\nevent:error\ndata: x:y\n\n").remove(0);
    assert_eq!(frame.event.as_deref(), Some(&b"error"[..]));
    assert_eq!(frame.data.as_deref(), Some(&b"x:y"[..]));
    assert_eq!(frames("data: 1\n\n")[0].event, None);
}

#[test]
fn one_line_of_data_has_a_place() {
    for text in ["data: {}\n\n", "id: 7\r\ndata:{}\r\n\r\n", "\u{feff}data: {}\n\n", "data:\n\n"] {
        let frame = frames(text).remove(0);
        let at = frame.data_at.unwrap();
        assert_eq!(frame.raw.slice(at.start..at.end), frame.data.unwrap(), "{text:?}");
    }
    assert_eq!(frames("data\n\n")[0].data_at, None, "nothing can be put after a name without a colon");
}

#[test]
fn a_bom_is_skipped_at_the_start_only() {
    assert_eq!(data("\u{feff}data: 1\n\n\u{feff}data: 2\n\n"), ["1", "-"]);
    assert_eq!(data("\u{feff}\ndata: 1\n\n"), ["1"]);
    assert_eq!(raws("\u{feff}data: 1\n\n"), ["\u{feff}data: 1\n\n"]);
}

#[test]
fn a_stream_without_its_last_blank_line_gives_the_rest_at_the_end() {
    assert_eq!(data("data: 1\n\ndata: 2\n"), ["1", "2"]);
    assert_eq!(data("data: 1\n\ndata: 2"), ["1", "2"]);
    assert_eq!(data("data: 1\r\n\r"), ["1"]);
    assert_eq!(frames(""), []);
}

#[test]
fn finish_gives_whole_frames_that_were_not_fetched_one_by_one() {
    let mut framer = Framer::new(100);
    framer.push(Bytes::from_static(b"data: 1\n\ndata: 2\n\nda"));
    framer.push(Bytes::from_static(b"ta: 3"));
    assert_eq!(framer.pending(), 25);
    let all: Vec<_> =
        std::iter::from_fn(|| framer.finish()).map(|frame| string(&frame.data.unwrap())).collect();
    assert_eq!(all, ["1", "2", "3"]);
}

#[test]
fn an_event_is_not_held_back_once_its_blank_line_is_known() {
    assert_eq!(at_once("data: 1\n\n").as_deref(), Some("data: 1\n\n"));
    assert_eq!(at_once("data: 1\r\n\r\n").as_deref(), Some("data: 1\r\n\r\n"));
    assert_eq!(at_once("data: 1\r\r").as_deref(), Some("data: 1\r\r"));
    assert_eq!(at_once("data: 1\r\n\r"), None, "the LF of this line end is still to come");
    assert_eq!(at_once("data: 1\n"), None);
}

#[test]
fn a_frame_within_one_piece_is_not_copied() {
    let piece = Bytes::from_static(b"data: 1\n\ndata: 22\n\n");
    let mut framer = Framer::new(100);
    framer.push(piece.clone());
    let first = framer.next_frame().unwrap().unwrap();
    let second = framer.next_frame().unwrap().unwrap();
    assert_eq!(first.raw.as_ptr(), piece.as_ptr());
    assert_eq!(second.raw.as_ptr(), piece.slice(9..).as_ptr());
    assert_eq!(second.data.unwrap().as_ptr(), piece.slice(15..).as_ptr());
}

#[test]
fn a_frame_past_the_limit_is_an_error_and_its_bytes_are_kept() {
    let mut framer = Framer::new(9);
    framer.push(Bytes::from_static(b"data: 1\n\n"));
    assert!(framer.next_frame().unwrap().is_some(), "exactly the limit passes");
    framer.push(Bytes::from_static(b"data: 22"));
    assert_eq!(framer.next_frame(), Ok(None));
    framer.push(Bytes::from_static(b"\n\n"));
    assert_eq!(framer.next_frame(), Err(TooLarge { limit: 9 }));
    assert_eq!(framer.next_frame(), Err(TooLarge { limit: 9 }));
    assert_eq!(framer.finish().unwrap().raw, "data: 22\n\n");
    assert_eq!(framer.finish(), None);
}

#[test]
fn a_frame_that_never_ends_is_an_error() {
    let mut framer = Framer::new(100);
    let failed = (0..20).any(|_| {
        framer.push(Bytes::from_static(b"data: 1234"));
        framer.next_frame().is_err()
    });
    assert!(failed);
    assert_eq!(framer.pending(), 110);
}

#[test]
fn a_large_event_in_small_pieces_is_scanned_once() {
    let event = format!("data: {}\n\n", "x".repeat(8 << 20));
    let frames = frames_of(event.as_bytes().chunks(1400));
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].raw, event);
}

#[test]
fn only_a_blank_line_ends_an_event() {
    for ended in ["\n", "\r", "data: 1\n\n", "data: 1\r\n\r\n", "data: 1\r\r", "data: 1\n\r"] {
        assert!(ends_blank(ended.as_bytes()), "{ended:?}");
    }
    for open in ["", "data: 1", "data: 1\n", "data: 1\r", "data: 1\r\n"] {
        assert!(!ends_blank(open.as_bytes()), "{open:?}");
    }
}

proptest! {
    #[test]
    fn any_cut_gives_the_same_frames_and_loses_no_byte(
        text in "(\u{feff})?([\n\r:]|data|event|: |x|é){0,40}",
        cuts in prop::collection::vec(1_usize..5, 1..60),
    ) {
        let bytes = text.as_bytes();
        let whole = frames_of([bytes]);
        let joined: Vec<u8> = whole.iter().flat_map(|frame| frame.raw.to_vec()).collect();
        prop_assert_eq!(&joined, bytes);
        let mut rest = bytes;
        let mut pieces = Vec::new();
        for cut in cuts.into_iter().cycle() {
            if rest.is_empty() {
                break;
            }
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            pieces.push(piece);
            rest = after;
        }
        prop_assert_eq!(frames_of(pieces), whole);
    }
}
