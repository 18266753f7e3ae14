//! What one choice of an answer says besides its calls.

use crate::wire::span::{Json, Kind};

use super::super::event::{Choice, Finish};

/// One choice's words, pieces joined.
#[derive(Clone, Debug)]
pub(in super::super) struct Text {
    pub(in super::super) choice: u32,
    /// Escaped, without quotes.
    pub(in super::super) said: String,
    /// Members that this version does not know (reasoning among them): name and value as JSON. Strings and
    /// lists grow with each piece; of all else the last counts.
    pub(in super::super) others: Vec<(String, String)>,
    pub(in super::super) finish: Option<Finish>,
}

impl Text {
    pub(in super::super) fn new(choice: u32) -> Self {
        Self { choice, said: String::new(), others: Vec::new(), finish: None }
    }

    pub(super) fn take(&mut self, choice: &Choice, data: &str) {
        if let Some(content) = choice.content {
            self.said.push_str(Json::trusted(content.of(data)).raw_string().unwrap_or_default());
        }
        for (key, value) in &choice.others {
            let (key, value) = (key.of(data).trim_matches('"'), Json::trusted(value.of(data)));
            match self.others.iter_mut().find(|(known, _)| known == key) {
                Some((_, known)) => join(known, value),
                None if value.text() == "[]" => {}
                None => self.others.push((key.to_owned(), value.text().to_owned())),
            }
        }
    }

    /// The members that come in pieces, which an agent merges over all rounds it sees.
    pub(super) fn take_others(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.others)
            .into_iter()
            .filter(|(_, value)| value.starts_with(['"', '[']))
            .collect()
    }
}

fn join(known: &mut String, piece: Json<'_>) {
    let before = Json::trusted(known).kind();
    match piece.kind() {
        Kind::String if before == Kind::String => {
            known.pop();
            known.push_str(piece.raw_string().unwrap_or_default());
            known.push('"');
        }
        Kind::Array if before == Kind::Array && piece.elements().next().is_some() => {
            let inner = piece.text().get(1..piece.text().len() - 1).unwrap_or_default();
            let filled = Json::trusted(known).elements().next().is_some();
            known.pop();
            known.push_str(if filled { "," } else { "" });
            known.push_str(inner);
            known.push(']');
        }
        Kind::Array if before == Kind::Array => {}
        _ => piece.text().clone_into(known),
    }
}

/// The meaning of escaped text.
pub(super) fn unescaped(raw: &str) -> String {
    let quoted = format!("\"{raw}\"");
    Json::trusted(&quoted).string().unwrap_or_default().into_owned()
}

pub(super) fn unescaped_len(raw: &str) -> usize {
    if raw.contains('\\') { unescaped(raw).len() } else { raw.len() }
}
