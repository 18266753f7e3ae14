//! Leaves the middle of a long result out, and says how much that was.

use super::draft::Draft;
use crate::guard::notice::{Notice, Notices};
use crate::wire::span::Span;
use crate::wire::splice::{Change, changed};

/// What is left out of one of the texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Gap {
    /// In the text; empty where nothing is left out of it.
    at: Span,
    /// The text's own length.
    of: usize,
}

/// Cuts the texts, taken as one, down to `max` bytes, the mark included; whether they were longer.
pub(super) fn cut(drafts: &mut [Draft<'_>], max: usize, notices: &Notices) -> bool {
    let texts: Vec<&str> = drafts.iter().map(Draft::text).collect();
    let Some((gaps, mark)) = gaps(&texts, max, notices) else { return false };
    let mut mark = Some(mark);
    for (draft, gap) in drafts.iter_mut().zip(gaps) {
        if gap.at.is_empty() {
            continue;
        }
        match mark.take() {
            Some(mark) => draft.put(vec![gap.marked(&mark)]),
            None if gap.at.len() == gap.of => draft.drop(),
            None => draft.put(vec![Change::new(gap.at, "")]),
        }
    }
    true
}

/// A text cut down to `max` bytes; `None` where it is no longer.
pub(super) fn middle(text: &str, max: usize, notices: &Notices) -> Option<String> {
    let (gaps, mark) = gaps(&[text], max, notices)?;
    Some(changed(text, &[gaps.first()?.marked(&mark)]))
}

/// What is left out of each text, and the mark for it. `None` where all may stay, or the mark is no shorter.
fn gaps(texts: &[&str], max: usize, notices: &Notices) -> Option<(Vec<Gap>, String)> {
    let total: usize = texts.iter().map(|text| text.len()).sum();
    if total <= max {
        return None;
    }
    let mark = |bytes: usize| notices.text(Notice::ResultCut, &[("bytes", &bytes.to_string())]);
    // Two line breaks stand around it.
    let keep = max.saturating_sub(mark(total).len() + 2);
    let head_end = keep - keep / 2;
    let tail_start = total - keep / 2;
    let mut start = 0;
    let mut gaps = Vec::with_capacity(texts.len());
    for text in texts {
        let within = |place: usize| place.saturating_sub(start).min(text.len());
        let from = text.floor_char_boundary(within(head_end));
        let to = text.ceil_char_boundary(within(tail_start));
        gaps.push(Gap { at: Span::new(from, to), of: text.len() });
        start += text.len();
    }
    let missing: usize = gaps.iter().map(|gap| gap.at.len()).sum();
    let mark = mark(missing);
    (missing > mark.len() + 2).then_some((gaps, mark))
}

// === impl Gap ===

impl Gap {
    /// The mark in the gap's place, on a line of its own.
    fn marked(self, mark: &str) -> Change {
        let before = if self.at.start > 0 { "\n" } else { "" };
        let after = if self.at.end < self.of { "\n" } else { "" };
        Change { at: self.at, with: format!("{before}{mark}{after}") }
    }
}

#[cfg(test)]
mod tests;
