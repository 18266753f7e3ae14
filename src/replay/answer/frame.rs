//! Events as bytes: what each says is given, and how it is framed is up to the script's oddities.

use bytes::Bytes;

use crate::replay::fault::Piece;
use crate::replay::script::Odd;

/// A part of a stream before it is framed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Said {
    /// The data of an event.
    Data(String),
    /// An event that names its kind.
    Named(&'static str, String),
    Gate(String),
}

/// How events are written.
struct Frame<'a> {
    odd: &'a [Odd],
    line: &'static str,
    count: usize,
}

pub(super) fn frame(said: Vec<Said>, odd: &[Odd]) -> Vec<Piece> {
    let line = if odd.contains(&Odd::Crlf) {
        "\r\n"
    } else if odd.contains(&Odd::Cr) {
        "\r"
    } else {
        "\n"
    };
    let mut frame = Frame { odd, line, count: 0 };
    let mut pieces = Vec::new();
    for said in said {
        match said {
            Said::Gate(name) => pieces.push(Piece::Gate(name)),
            Said::Named(kind, data) => pieces.push(frame.event(Some(kind), &data)),
            Said::Data(data) => {
                pieces.push(frame.event(None, &data));
                frame.strays(&data, &mut pieces);
            }
        }
    }
    pieces
}

// === impl Frame ===

impl Frame<'_> {
    fn is(&self, odd: Odd) -> bool {
        self.odd.contains(&odd)
    }

    fn event(&mut self, kind: Option<&str>, data: &str) -> Piece {
        let (mut event, line) = (String::new(), self.line);
        if self.is(Odd::Bom) && self.count == 0 {
            event.push('\u{feff}');
        }
        if self.is(Odd::Comments) {
            event.extend([": keep-alive", line, line]);
        }
        if self.is(Odd::Fields) {
            let (kind, id) = (kind.unwrap_or("message"), self.count.to_string());
            event.extend(["event: ", kind, line, "id: ", &id, line]);
            if self.count == 0 {
                event.extend(["retry: 1000", line]);
            }
        } else if let Some(kind) = kind {
            event.extend(["event: ", kind, line]);
        }
        let key = if self.is(Odd::NoSpace) { "data:" } else { "data: " };
        match data.split_once('{') {
            Some((before, rest)) if self.is(Odd::MultiLine) => {
                event.extend([key, before, "{", line, key, rest, line, line]);
            }
            _ => event.extend([key, data, line, line]),
        }
        self.count += 1;
        Piece::Event(Bytes::from(event))
    }

    /// What comes once and belongs to no answer.
    fn strays(&mut self, data: &str, pieces: &mut Vec<Piece>) {
        let first = self.count == 1;
        if first && self.is(Odd::MalformedEvent) {
            let half = data.get(..data.floor_char_boundary(data.len() / 2)).unwrap_or_default();
            pieces.push(self.event(None, half));
        }
        if first && self.is(Odd::GarbageEvent) {
            pieces.push(self.event(None, "<html>not an event</html>"));
        }
        if self.count == 2 && self.is(Odd::DoubledEvent) {
            pieces.push(self.event(None, data));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(odd: &[Odd]) -> String {
        let said = vec![
            Said::Data("{\"a\":1}".to_owned()),
            Said::Data("{\"b\":2}".to_owned()),
            Said::Data("[DONE]".to_owned()),
        ];
        let pieces = frame(said, odd).into_iter().map(|piece| match piece {
            Piece::Event(event) => String::from_utf8(event.to_vec()).unwrap(),
            Piece::Gate(name) => name,
        });
        pieces.collect()
    }

    #[test]
    fn each_oddity_has_its_own_bytes() {
        let (one, two, done) = ("data: {\"a\":1}\n\n", "data: {\"b\":2}\n\n", "data: [DONE]\n\n");
        let plain = format!("{one}{two}{done}");
        for (odd, expected) in [
            (vec![], plain.clone()),
            (vec![Odd::Crlf], plain.replace('\n', "\r\n")),
            (vec![Odd::Cr], plain.replace('\n', "\r")),
            (vec![Odd::NoSpace], plain.replace(": ", ":")),
            (vec![Odd::MultiLine], plain.replace('{', "{\ndata: ")),
            (vec![Odd::Bom], format!("\u{feff}{plain}")),
            (vec![Odd::Comments], plain.replace("data", ": keep-alive\n\ndata")),
            (vec![Odd::MalformedEvent], format!("{one}data: {{\"a\n\n{two}{done}")),
            (vec![Odd::GarbageEvent], format!("{one}data: <html>not an event</html>\n\n{two}{done}")),
            (vec![Odd::DoubledEvent], format!("{one}{two}{two}{done}")),
            (
                vec![Odd::Fields],
                format!(
                    "event: message\nid: 0\nretry: 1000\n{one}event: message\nid: 1\n{two}event: message\nid: 2\n{done}"
                ),
            ),
        ] {
            assert_eq!(framed(&odd), expected, "{odd:?}");
        }
    }
}
