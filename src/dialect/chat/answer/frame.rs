//! One event's bytes: looked at from outside, or with its data changed.

use bytes::{BufMut, Bytes, BytesMut};
use memchr::memchr2;

use crate::wire::span::Span;
use crate::wire::splice::Splices;
use crate::wire::sse::Frame;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The event that ends a stream.
pub(super) fn is_done(frame: &Frame) -> bool {
    frame.data.as_deref().is_some_and(|data| data.trim_ascii() == b"[DONE]")
}

/// A stream that continues another begins without a byte order mark: in the middle it would spoil a line.
pub(super) fn without_mark(mut frame: Frame) -> Frame {
    let length = BYTE_ORDER_MARK.len();
    if frame.raw.starts_with(BYTE_ORDER_MARK) {
        frame.raw = frame.raw.slice(length..);
        frame.data_at = frame.data_at.map(|at| Span::new(at.start - length, at.end - length));
    }
    frame
}

/// The frame with its data changed; its other fields stay as they are.
pub(super) fn put(frame: &Frame, edits: &Splices) -> Bytes {
    let Some(data) = &frame.data else { return frame.raw.clone() };
    let changed = edits.apply(data);
    if let Some(at) = frame.data_at {
        let mut splice = Splices::default();
        splice.replace(at, changed);
        return splice.apply(&frame.raw);
    }
    let mut out = BytesMut::with_capacity(frame.raw.len() + changed.len());
    let mut rest = &frame.raw[..];
    if let Some(text) = rest.strip_prefix(BYTE_ORDER_MARK) {
        out.put_slice(BYTE_ORDER_MARK);
        rest = text;
    }
    let mut left = Some(changed);
    while !rest.is_empty() {
        let (line, ending, after) = split_line(rest);
        rest = after;
        if !is_data(line) {
            out.put_slice(line);
            out.put_slice(ending);
            continue;
        }
        // All lines of data stand where the first one stood.
        for data in left.take().iter().flat_map(|data| data.split(|byte| *byte == b'\n')) {
            out.put_slice(b"data: ");
            out.put_slice(data);
            out.put_slice(if ending.is_empty() { b"\n" } else { ending });
        }
    }
    out.freeze()
}

fn is_data(line: &[u8]) -> bool {
    line.strip_prefix(b"data").is_some_and(|rest| rest.is_empty() || rest.starts_with(b":"))
}

/// The first line, what ends it, and what follows.
fn split_line(bytes: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let end = memchr2(b'\n', b'\r', bytes).unwrap_or(bytes.len());
    let (line, rest) = bytes.split_at_checked(end).unwrap_or((bytes, b""));
    let length = if rest.starts_with(b"\r\n") { 2 } else { rest.len().min(1) };
    let (ending, after) = rest.split_at_checked(length).unwrap_or((rest, b""));
    (line, ending, after)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::wire::sse::Framer;

    fn frame(raw: &str) -> Frame {
        let mut framer = Framer::new(usize::MAX);
        framer.push(Bytes::copy_from_slice(raw.as_bytes()));
        framer.finish().unwrap()
    }

    fn changed(raw: &str) -> String {
        let frame = frame(raw);
        let data = String::from_utf8(frame.data.clone().unwrap().to_vec()).unwrap();
        let at = data.find("old").unwrap();
        let mut edits = Splices::default();
        edits.replace(Span::new(at, at + 3), "new");
        String::from_utf8(put(&frame, &edits).to_vec()).unwrap()
    }

    #[test]
    fn only_the_data_changes() {
        for (raw, expected) in [
            ("data:{old}\r\n\r\n", "data:{new}\r\n\r\n"),
            ("\u{feff}id: 7\ndata: {old}\n\n", "\u{feff}id: 7\ndata: {new}\n\n"),
            (
                "event: x\r\ndata: {\r\ndata: old,\r\nid: 1\r\ndata:}\r\n\r\n",
                "event: x\r\ndata: {\r\ndata: new,\r\ndata: }\r\nid: 1\r\n\r\n",
            ),
            ("\u{feff}data\ndata: old\n\n", "\u{feff}data: \ndata: new\n\n"),
        ] {
            assert_eq!(changed(raw), expected);
        }
    }

    #[test]
    fn the_mark_is_taken_off_with_its_place() {
        let plain = without_mark(frame("\u{feff}data: 1\n\n"));
        assert_eq!(plain, frame("data: 1\n\n"));
        assert!(is_done(&frame("data:  [DONE] \n\n")) && !is_done(&frame("data: DONE\n\n")));
    }
}
