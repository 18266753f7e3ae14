//! How far an argument text has come: told piece by piece, so that no text is read again for each piece.

use memchr::memchr2;

/// Follows one JSON object through its pieces. What it takes for the end is the end only if the whole text is
/// well-formed: that is for others to check, once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    /// Objects and arrays that are open.
    depth: usize,
    place: Place,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Place {
    #[default]
    Before,
    Inside,
    String,
    /// Behind a backslash.
    Escape,
    Ended,
    /// No object, or more than one thing.
    Lost,
}

// === impl Progress ===

impl Progress {
    /// Takes the next piece; whether the object ended in it.
    pub(super) fn take(&mut self, piece: &str) -> bool {
        let had_ended = self.has_ended();
        let mut rest = piece.as_bytes();
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            self.place = match self.place {
                Place::String => match byte {
                    b'"' => Place::Inside,
                    b'\\' => Place::Escape,
                    _ => {
                        let end = memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
                        rest = rest.get(end..).unwrap_or_default();
                        Place::String
                    }
                },
                Place::Escape => Place::String,
                place if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') => place,
                Place::Before if byte == b'{' => self.inside(byte),
                Place::Inside => self.inside(byte),
                Place::Before | Place::Ended | Place::Lost => {
                    self.place = Place::Lost;
                    break;
                }
            };
        }
        !had_ended && self.has_ended()
    }

    fn inside(&mut self, byte: u8) -> Place {
        match byte {
            b'"' => return Place::String,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        if self.depth == 0 { Place::Ended } else { Place::Inside }
    }

    /// The object is closed, and nothing but white space came after it.
    pub(super) fn has_ended(self) -> bool {
        self.place == Place::Ended
    }
}

#[cfg(test)]
mod tests {
    use super::Progress;

    fn ended(pieces: &[&str]) -> (usize, bool) {
        let mut progress = Progress::default();
        let times = pieces.iter().filter(|piece| progress.take(piece)).count();
        (times, progress.has_ended())
    }

    #[test]
    fn an_object_ends_where_its_last_bracket_closes() {
        for pieces in [
            &["{}"][..],
            &[" ", "{", "\"a\":", "[{}]", "} "],
            &[r#"{"a":"}"#, r"\", "\"}\"", "}", "\n", " "],
            &[r#"{"a":"\\""#, "}"],
        ] {
            assert_eq!(ended(pieces), (1, true), "{pieces:?}");
        }
    }

    #[test]
    fn what_is_open_or_more_than_one_object_has_not_ended() {
        for (pieces, times) in [
            (&[""][..], 0),
            (&["{"], 0),
            (&[r#"{"a":"}"#], 0),
            (&["[]"], 0),
            (&["x{}"], 0),
            (&["{}", "{}"], 1),
            (&["{}{}"], 0),
            (&["{}", "x", "{}"], 1),
        ] {
            assert_eq!(ended(pieces), (times, false), "{pieces:?}");
        }
    }
}
