//! Changes to a request: what the agent did not see put back, rounds appended, the model told to conclude.

use std::borrow::Cow;

use bytes::Bytes;

use crate::dialect::{CallKind, Element, Hidden, HiddenCall, Role, Transcript};
use crate::wire::canonical::{canonical, quote};
use crate::wire::span::{Json, Kind, Span};
use crate::wire::splice::{self, Splices};

/// Appends elements to the history. `false` where the request has none to append to.
pub(crate) fn append(transcript: &Transcript, elements: &[Bytes], edits: &mut Splices) -> bool {
    let Some(history) = transcript.history else { return false };
    let texts: Vec<_> =
        elements.iter().map(|element| std::str::from_utf8(element).unwrap_or_default()).collect();
    let (at, with) = splice::append(transcript.json(history), history.start, &texts.join(","));
    edits.insert(at, with);
    true
}

/// Tells the model to answer in words. Without tools there is nothing to tell: `tool_choice` would be refused.
pub(crate) fn conclude(transcript: &Transcript, edits: &mut Splices) {
    let Some(first) = transcript.tools.first() else { return };
    if let Some(at) = transcript.tool_choice_at {
        return edits.replace(at, r#""none""#);
    }
    let member =
        if first.kind == CallKind::Legacy { r#""function_call":"none""# } else { r#""tool_choice":"none""# };
    let body = transcript.text();
    let start = body.len() - body.trim_start().len();
    let (at, with) = splice::append(Json::trusted(body.trim()), start, member);
    edits.insert(at, with);
}

/// Puts back, around the answer at `index`, what the agent did not see of it.
pub(crate) fn restore(transcript: &Transcript, index: usize, hidden: &Hidden, edits: &mut Splices) {
    let Some(element) = transcript.elements.get(index) else { return };
    let rounds = || hidden.rounds.iter().flat_map(|round| &round.elements);
    if !hidden.rounds.is_empty() && says_nothing(transcript, element, hidden) {
        // Providers refuse an empty message, so it makes way for the rounds.
        return edits
            .replace(element.span, rounds().map(AsRef::as_ref).collect::<Vec<&[u8]>>().join(&b","[..]));
    }
    for round in rounds() {
        edits.insert(element.span.start, round.clone());
        edits.insert(element.span.start, ",");
    }
    if hidden.text > 0 {
        cut_text(transcript, element, hidden.text, edits);
    }
    cut_others(transcript, element, hidden, edits);
    restore_calls(transcript, element, &hidden.siblings, edits);
    restore_results(transcript, index, &hidden.siblings, edits);
}

/// Whether an answer holds nothing but what hidden rounds said: neither words of its own nor calls.
fn says_nothing(transcript: &Transcript, element: &Element, hidden: &Hidden) -> bool {
    const KNOWN: [&str; 5] = ["role", "content", "name", "tool_calls", "function_call"];
    let empty = |text: &str| text == "\"\"" || text == "[]";
    let mut members = transcript.json(element.span).members();
    transcript.content(element).len() <= hidden.text
        && transcript.calls(element).is_empty()
        && members.all(|(key, value)| {
            let name = key.name();
            let rest = own(&name, value, hidden);
            value.is_null() || KNOWN.contains(&&*name) || empty(rest.as_deref().unwrap_or(value.text()))
        })
}

/// The agent merged the text of all rounds; this answer keeps only its own.
fn cut_text(transcript: &Transcript, element: &Element, hidden: usize, edits: &mut Splices) {
    let Some(content) = element.content.map(|span| transcript.json(span)) else { return };
    let part = content.elements().find_map(|part| part.member("text"));
    let text = part.unwrap_or(content);
    let said = text.string().unwrap_or_default();
    let Some(rest) = said.get(hidden..) else { return };
    if !rest.is_empty() {
        return edits.replace(text.span_in(transcript.text()), quote(rest));
    }
    // No part may be empty, and only beside calls may there be no content at all.
    let nothing = if transcript.calls(element).is_empty() { "\"\"" } else { "null" };
    let whole = if content.elements().nth(1).is_some() { text } else { content };
    edits.replace(whole.span_in(transcript.text()), nothing);
}

/// So it is with members that come in pieces: strings, and lists that grew.
fn cut_others(transcript: &Transcript, element: &Element, hidden: &Hidden, edits: &mut Splices) {
    if hidden.rounds.iter().all(|round| round.others.is_empty()) {
        return;
    }
    for (key, value) in transcript.json(element.span).members() {
        if let Some(rest) = own(&key.name(), value, hidden) {
            edits.replace(value.span_in(transcript.text()), rest);
        }
    }
}

/// What of a member that came in pieces belongs to this answer; `None` where nothing of it is of hidden rounds.
fn own(name: &str, value: Json<'_>, hidden: &Hidden) -> Option<String> {
    let others = hidden.rounds.iter().flat_map(|round| &round.others);
    let pieces: Vec<_> =
        others.filter(|(other, _)| other == name).map(|(_, piece)| Json::trusted(piece)).collect();
    match value.kind() {
        _ if pieces.is_empty() => None,
        Kind::String => own_string(value, &pieces),
        Kind::Array => own_list(value, &pieces),
        _ => None,
    }
}

fn own_string(value: Json<'_>, before: &[Json<'_>]) -> Option<String> {
    let before: String = before.iter().filter_map(|piece| piece.string()).collect();
    value.string()?.strip_prefix(&before).map(quote)
}

fn own_list(value: Json<'_>, before: &[Json<'_>]) -> Option<String> {
    let mut own = value.elements();
    for earlier in before.iter().flat_map(|piece| piece.elements()) {
        let same = own.next().is_some_and(|next| canonical(next) == canonical(earlier));
        if !same {
            return None;
        }
    }
    let own: Vec<_> = own.map(Json::text).collect();
    Some(format!("[{}]", own.join(",")))
}

fn restore_calls(transcript: &Transcript, element: &Element, siblings: &[HiddenCall], edits: &mut Splices) {
    let Some(list) =
        element.calls.map(|span| transcript.json(span)).filter(|list| list.kind() == Kind::Array)
    else {
        return;
    };
    let shown: Vec<_> = list.elements().map(|call| call.span_in(transcript.text())).collect();
    for (before, sibling) in siblings.iter().enumerate() {
        let place = sibling.position.saturating_sub(before);
        if let Some(next) = shown.get(place) {
            edits.insert(next.start, sibling.call.clone());
            edits.insert(next.start, ",");
        } else if let Some(last) = shown.last() {
            edits.insert(last.end, ",");
            edits.insert(last.end, sibling.call.clone());
        }
    }
}

/// Results stand in the order of their calls, as well as the agent's own order of them allows.
fn restore_results(transcript: &Transcript, index: usize, siblings: &[HiddenCall], edits: &mut Splices) {
    let Some(element) = transcript.elements.get(index) else { return };
    let ids: Vec<Cow<'_, str>> = transcript.calls(element).into_iter().map(|call| call.id).collect();
    let block = transcript.elements.iter().skip(index + 1).take_while(|element| element.role == Role::Tool);
    let place = |id: Cow<'_, str>| ids.iter().position(|known| *known == id);
    let results: Vec<(Span, Option<usize>)> =
        block.map(|result| (result.span, transcript.answers(result).and_then(place))).collect();
    for (before, sibling) in siblings.iter().enumerate() {
        let earlier = sibling.position.saturating_sub(before);
        let at = last_in_order(&results, earlier).unwrap_or(element.span).end;
        edits.insert(at, ",");
        edits.insert(at, sibling.result.clone());
    }
}

/// The result behind which one has the fewest on its wrong side, of those that belong before it: of the calls up to
/// and without `earlier`. `None`: right behind the answer.
fn last_in_order(results: &[(Span, Option<usize>)], earlier: usize) -> Option<Span> {
    // Counted from those that are wrong where none is before it.
    let (mut wrong, mut fewest, mut best) = (0_isize, 0, None);
    for (span, place) in results {
        match place {
            Some(place) if *place < earlier => wrong -= 1,
            Some(_) => wrong += 1,
            None => {}
        }
        if place.is_some_and(|place| place < earlier) && wrong <= fewest {
            (fewest, best) = (wrong, Some(*span));
        }
    }
    best
}

#[cfg(test)]
mod tests;
