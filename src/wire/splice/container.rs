//! Children of JSON objects and arrays, taken out or added, together with the commas that go with them.

use crate::wire::span::{Json, Span};

/// What to cut from `container`, an object or array at `offset` in a larger text, so that the children at
/// the positions in `drop` are gone and the rest is well-formed. Children are counted from 0 in the order written.
///
/// The spans are sorted and apart from each other, one for each run of neighbours. What stays keeps the white
/// space before it, and the closing bracket the white space before that; when nothing stays, nothing is left
/// between the brackets. Positions that no child has are passed over.
pub fn without(container: Json<'_>, offset: usize, drop: &[usize]) -> Vec<Span> {
    let mut drop = drop.to_vec();
    drop.sort_unstable();
    let mut drop = drop.into_iter().peekable();
    let mut cuts = Vec::new();
    // Where the run that is being dropped began, and where the last child ended that stays, if one does.
    let mut run: Option<usize> = None;
    let mut kept_end: Option<usize> = None;
    let mut last_end = 0;
    for (position, child) in children(container).enumerate() {
        let mut dropped = false;
        while drop.next_if(|next| *next <= position).is_some() {
            dropped = true;
        }
        if dropped {
            run.get_or_insert(child.start);
        } else {
            // The run's commas go with it, up to the child that now stands in its place.
            cuts.extend(run.take().map(|start| Span::new(start, child.start)));
            kept_end = Some(child.end);
        }
        last_end = child.end;
    }
    if run.is_some() {
        cuts.push(match kept_end {
            Some(end) => Span::new(end, last_end),
            None => Span::new(1, container.text().len().saturating_sub(1)),
        });
    }
    for cut in &mut cuts {
        *cut = Span::new(cut.start + offset, cut.end + offset);
    }
    cuts
}

/// Where in the larger text to put `child` so that it is the last of `container`, an object or array at
/// `offset`, and what to put there: `child` with a comma if one is due. For an object `child` is `"name":value`.
///
/// The place is right behind the last child, or behind the opening bracket where there is none. It reckons with
/// all children that are there: if a cut takes the last ones out, the place holds, unless it takes out all.
pub fn append(container: Json<'_>, offset: usize, child: &str) -> (usize, String) {
    let text = container.text();
    debug_assert!(text.starts_with(['{', '[']), "only containers have children");
    let before_closing = text.get(..text.len().saturating_sub(1)).unwrap_or_default();
    let end = before_closing.trim_end_matches([' ', '\n', '\r', '\t']).len();
    let comma = if end > 1 { "," } else { "" };
    (offset + end, format!("{comma}{child}"))
}

/// Where each child lies in the container's own text: an element, or a member from its name on.
fn children(container: Json<'_>) -> impl Iterator<Item = Span> {
    let text = container.text();
    let members =
        container.members().map(move |(key, value)| Span::new(key.span.start, value.span_in(text).end));
    members.chain(container.elements().map(move |element| element.span_in(text)))
}
