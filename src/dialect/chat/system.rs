//! What the model is told at the head of the history, besides what the agent tells it.
//!
//! Only the first element counts: it is the same in every later request, wherever else an agent may put a system
//! message by then, and the history has to begin with the same bytes each time.

use crate::dialect::{Element, Role, Transcript};
use crate::wire::canonical::quote;
use crate::wire::span::{Json, Kind, Span};
use crate::wire::splice::{self, Splices, paragraph};

/// Ends the system or developer message that the history begins with in `paragraphs`, or begins it with one of
/// our own: where there is none, and where its content is nothing that can be added to. Those that are there
/// already are not told again. A request without a history is left alone.
pub(crate) fn instruct(transcript: &Transcript, paragraphs: &[&str], edits: &mut Splices) -> bool {
    let (Some(history), Some(first)) = (transcript.history, transcript.elements.first()) else {
        return false;
    };
    if let Some(at) = extendable(transcript, first) {
        return extend(transcript.json(at), at.start, paragraphs, edits);
    }
    let Some(text) = paragraph::missing("", paragraphs) else { return false };
    // Every provider takes `system`, and those that prefer `developer` read it as that; not the other way round.
    // Behind the bracket, so that nothing that is put before the first element gets in front of it.
    edits.insert(history.start + 1, format!(r#"{{"role":"system","content":{}}},"#, quote(&text)));
    true
}

/// The content of a system message, if it is text or a list of parts.
fn extendable(transcript: &Transcript, first: &Element) -> Option<Span> {
    let content = first.content.filter(|_| first.role == Role::System)?;
    matches!(transcript.json(content).kind(), Kind::String | Kind::Array).then_some(content)
}

fn extend(content: Json<'_>, start: usize, paragraphs: &[&str], edits: &mut Splices) -> bool {
    let spliced = match content.kind() {
        Kind::Array => extend_list(content, start, paragraphs),
        _ => paragraph::extend(content, start, paragraphs),
    };
    let Some((at, with)) = spliced else { return false };
    edits.insert(at, with);
    true
}

/// A list gets a part of its own. What it says at its end may be spread over several.
fn extend_list(content: Json<'_>, start: usize, paragraphs: &[&str]) -> Option<(usize, String)> {
    let parts = content.elements().filter_map(|part| part.member("text").and_then(Json::string));
    let said: Vec<_> = parts.collect();
    let text = paragraph::missing(&said.join(paragraph::BLANK_LINE), paragraphs)?;
    Some(splice::append(content, start, &format!(r#"{{"type":"text","text":{}}}"#, quote(&text))))
}

#[cfg(test)]
mod tests;
