//! Paragraphs put at the end of a text, each once.
//!
//! A paragraph stands in a text where blank lines part it from the rest: "Be brief." does not stand in "Don't be:
//! Be brief.".

use crate::wire::canonical::quote;
use crate::wire::span::Json;

/// What parts paragraphs.
pub const BLANK_LINE: &str = "\n\n";

/// Those of `paragraphs` that do not stand in `text`, one after the other; `None` where all do. An empty one is never
/// missing, and one given twice is wanted once.
pub fn missing(text: &str, paragraphs: &[&str]) -> Option<String> {
    let mut wanted: Vec<&str> = Vec::new();
    for paragraph in paragraphs {
        if !paragraph.is_empty() && !wanted.contains(paragraph) && !stands(paragraph, text) {
            wanted.push(paragraph);
        }
    }
    (!wanted.is_empty()).then(|| wanted.join(BLANK_LINE))
}

/// Where in the larger text to put what, so that `paragraphs` stand in `string`, which is at `offset` there; `None`
/// where they do, or it is no string. What the string says already keeps its bytes.
pub fn extend(string: Json<'_>, offset: usize, paragraphs: &[&str]) -> Option<(usize, String)> {
    let said = string.string()?;
    let more = missing(&said, paragraphs)?;
    let parting = if said.is_empty() { "" } else { BLANK_LINE };
    let quoted = quote(&format!("{parting}{more}"));
    let inner = quoted.strip_prefix('"')?.strip_suffix('"')?;
    Some((offset + string.text().len() - 1, inner.to_owned()))
}

fn stands(paragraph: &str, text: &str) -> bool {
    let parted = |start: &usize| text.get(..*start).is_some_and(|before| before.ends_with(BLANK_LINE));
    let starts = text.match_indices('\n').map(|(at, _)| at + 1).filter(parted);
    std::iter::once(0).chain(starts).any(|start| {
        let after = text.get(start..).and_then(|rest| rest.strip_prefix(paragraph));
        after.is_some_and(|after| after.is_empty() || after.starts_with(BLANK_LINE))
    })
}

#[cfg(test)]
mod tests;
