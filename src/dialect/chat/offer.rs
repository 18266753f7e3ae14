//! What the model is told of a tool besides what the agent says of it.

use crate::dialect::{Tool, Transcript};
use crate::wire::canonical::quote;
use crate::wire::span::{Json, Kind};
use crate::wire::splice::{self, Splices, paragraph};

/// Adds a paragraph to the tool's description, or describes it with that. A description that is no text stays, and
/// so does one that ends so already.
pub(crate) fn describe(transcript: &Transcript, tool: &Tool, paragraph: &str, edits: &mut Splices) -> bool {
    let (definition, start) = (transcript.json(tool.definition), tool.definition.start);
    let Some(description) = definition.member("description") else {
        let member = format!("\"description\":{}", quote(paragraph));
        let (at, with) = splice::append(definition, start, &member);
        edits.insert(at, with);
        return true;
    };
    let place = description.span_in(definition.text());
    match description.kind() {
        Kind::Null => edits.replace(place.shifted(start), quote(paragraph)),
        _ => match paragraph::extend(description, start + place.start, &[paragraph]) {
            Some((at, with)) => edits.insert(at, with),
            None => return false,
        },
    }
    true
}

pub(crate) fn is_strict(transcript: &Transcript, tool: &Tool) -> bool {
    transcript.json(tool.definition).member("strict").and_then(Json::boolean) == Some(true)
}

#[cfg(test)]
mod tests;
