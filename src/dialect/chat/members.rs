//! Members that nobody here knows, as they come in pieces: kept by name, in the order in which they first came.

use std::collections::HashMap;

use crate::wire::span::{Json, Kind};

/// Names and values as JSON, names without quotes.
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    list: Vec<(String, String)>,
    /// Where in the list each name stands, so that no piece looks through all of them.
    places: HashMap<String, usize>,
}

// === impl Members ===

impl Members {
    /// What came last counts.
    pub(super) fn set(&mut self, key: &str, value: &str) {
        match self.known(key) {
            Some(known) => value.clone_into(known),
            None => self.add(key, value),
        }
    }

    /// Strings and lists grow with each piece; of all else the last counts.
    pub(super) fn grow(&mut self, key: &str, piece: Json<'_>) {
        match self.known(key) {
            Some(known) => join(known, piece),
            None if piece.text() == "[]" => {}
            None => self.add(key, piece.text()),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &(String, String)> {
        self.list.iter()
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// Those that come in pieces, which an agent merges over all rounds it sees.
    pub(super) fn in_pieces(self) -> Vec<(String, String)> {
        self.list.into_iter().filter(|(_, value)| value.starts_with(['"', '['])).collect()
    }

    fn known(&mut self, key: &str) -> Option<&mut String> {
        let place = self.places.get(bare(key))?;
        self.list.get_mut(*place).map(|(_, value)| value)
    }

    fn add(&mut self, key: &str, value: &str) {
        self.places.insert(bare(key).to_owned(), self.list.len());
        self.list.push((bare(key).to_owned(), value.to_owned()));
    }
}

fn bare(key: &str) -> &str {
    key.trim_matches('"')
}

fn join(known: &mut String, piece: Json<'_>) {
    let inside = |list: &str| list.get(1..list.len() - 1).unwrap_or_default().trim().to_owned();
    let is_filled = |list: &str| list.bytes().skip(1).find(|byte| !byte.is_ascii_whitespace()) != Some(b']');
    match (Json::trusted(known).kind(), piece.kind()) {
        (Kind::String, Kind::String) => {
            known.pop();
            known.push_str(piece.raw_string().unwrap_or_default());
            known.push('"');
        }
        (Kind::Array, Kind::Array) if is_filled(piece.text()) => {
            let comma = if is_filled(known) { "," } else { "" };
            known.pop();
            known.push_str(comma);
            known.push_str(&inside(piece.text()));
            known.push(']');
        }
        (Kind::Array, Kind::Array) => {}
        _ => piece.text().clone_into(known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_lists_grow_and_of_all_else_the_last_counts() {
        let mut members = Members::default();
        for (key, piece) in [
            ("\"a\"", "\"x\""),
            ("\"list\"", "[]"),
            ("\"list\"", "[ 1]"),
            ("\"b\"", "1"),
            ("\"a\"", "\"\\ny\""),
            ("\"list\"", "[ ]"),
            ("\"list\"", "[2, 3]"),
            ("\"b\"", "2"),
        ] {
            members.grow(key, Json::trusted(piece));
        }
        members.set("\"c\"", "1");
        members.set("\"c\"", "\"2\"");
        let told: Vec<_> = members.iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(told, ["a=\"x\\ny\"", "list=[ 1,2, 3]", "b=2", "c=\"2\""]);
        assert!(members.contains("list") && !members.contains("d"));
        assert_eq!(members.in_pieces().len(), 3);
    }
}
