//! Templates: words, and `{placeholders}` between them.

use std::borrow::Cow;

/// A text with places to fill.
#[derive(Clone, Debug)]
pub(super) struct Template<'t> {
    /// No two `Words` stand side by side, and none is empty.
    pieces: Vec<Piece<'t>>,
}

#[derive(Clone, Debug)]
enum Piece<'t> {
    Words(Cow<'t, str>),
    Placeholder(Cow<'t, str>),
}

// === impl Template ===

impl<'t> Template<'t> {
    /// Cuts a text at its placeholders. A brace that does not begin one is a word like others.
    pub(super) fn new(text: &'t str) -> Self {
        let mut pieces = Vec::new();
        let mut rest = text;
        let mut from = 0;
        while let Some(open) = rest.get(from..).and_then(|tail| tail.find('{')).map(|at| from + at) {
            let inner = rest.get(open + 1..).unwrap_or_default();
            let name = inner.split('}').next().unwrap_or_default();
            let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            if !is_name || name.len() == inner.len() {
                from = open + 1;
                continue;
            }
            let (words, after) = rest.split_at(open);
            if !words.is_empty() {
                pieces.push(Piece::Words(words.into()));
            }
            pieces.push(Piece::Placeholder(name.into()));
            rest = after.get(name.len() + 2..).unwrap_or_default();
            from = 0;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Words(rest.into()));
        }
        Self { pieces }
    }

    /// The names in braces, in order.
    pub(super) fn placeholders(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Placeholder(name) => Some(name.as_ref()),
            Piece::Words(_) => None,
        })
    }

    /// How much the words say, in letters. A Han character or a Hangul syllable says as much as two letters do:
    /// about nine bits where a letter has four.
    pub(super) fn weight(&self) -> usize {
        let of = |c: char| match c {
            '\u{3400}'..='\u{9fff}'
            | '\u{ac00}'..='\u{d7a3}'
            | '\u{f900}'..='\u{faff}'
            | '\u{20000}'..='\u{3ffff}' => 2,
            c => usize::from(c.is_alphanumeric()),
        };
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Words(words) => words.chars().map(of).sum(),
                Piece::Placeholder(_) => 0,
            })
            .sum()
    }

    /// The text, with each placeholder filled. One that no value is given for is left empty.
    pub(super) fn fill(&self, values: &[(&str, &str)]) -> String {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Words(words) => text.push_str(words),
                Piece::Placeholder(name) => {
                    let value = values.iter().find(|(key, _)| key == name);
                    text.push_str(value.map_or("", |(_, value)| value));
                }
            }
        }
        text
    }

    /// The words that any text of it holds, for [`fits`](Self::fits). Others trim what they pass on, so white
    /// space at its ends, or at the ends with an empty value there, is no part of them.
    pub(super) fn into_mould(mut self) -> Template<'static> {
        trim(&mut self.pieces, |words| words.trim_start());
        self.pieces.reverse();
        trim(&mut self.pieces, |words| words.trim_end());
        self.pieces.reverse();
        let owned = |piece| match piece {
            Piece::Words(words) => Piece::Words(Cow::Owned(words.into_owned())),
            Piece::Placeholder(name) => Piece::Placeholder(Cow::Owned(name.into_owned())),
        };
        Template { pieces: self.pieces.into_iter().map(owned).collect() }
    }

    /// Whether some values make `text` of this: its words in order, at both ends where it has words there.
    pub(super) fn fits(&self, text: &str) -> bool {
        let mut pieces = self.pieces.iter().peekable();
        let mut rest = text;
        let mut open = false;
        while let Some(piece) = pieces.next() {
            let Piece::Words(words) = piece else {
                open = true;
                continue;
            };
            if open && pieces.peek().is_none() {
                return rest.ends_with(words.as_ref());
            }
            // The first place that fits leaves the most for what follows, so no other has to be tried.
            let after = if open {
                rest.find(words.as_ref()).and_then(|at| rest.get(at + words.len()..))
            } else {
                rest.strip_prefix(words.as_ref())
            };
            let Some(after) = after else { return false };
            rest = after;
            open = false;
        }
        open || rest.is_empty()
    }
}

/// Trims the first words, also where a placeholder stands before them.
fn trim(pieces: &mut Vec<Piece<'_>>, way: impl Fn(&str) -> &str) {
    let Some(at) = pieces.iter().position(|piece| matches!(piece, Piece::Words(_))) else { return };
    let Some(Piece::Words(words)) = pieces.get_mut(at) else { return };
    *words = Cow::Owned(way(words).to_owned());
    if words.is_empty() {
        pieces.remove(at);
    }
}
