//! What the proxy puts in: elements for the model, pieces and events for the agent.

use bytes::Bytes;

use crate::dialect::{CallKind, NewCall, Usage};
use crate::wire::canonical::quote;
use crate::wire::lenient::{self, Shape};

use super::answer::Text;
use super::calls::{Slot, State};
use super::event::Fragment;

/// A round that was refused whole: the assistant's element as the model wrote it, and a result for each call.
pub(super) fn round(text: &Text, slots: &[Slot]) -> Vec<Bytes> {
    let mut elements = vec![assistant(text, slots)];
    for slot in slots {
        if let State::Refused(said) = &slot.state {
            elements.push(result(slot, said));
        }
    }
    elements
}

fn assistant(text: &Text, slots: &[Slot]) -> Bytes {
    let mut members = vec![r#""role":"assistant""#.to_owned()];
    if !text.others.contains("content") {
        let content = if text.said.is_empty() { "null".to_owned() } else { format!("\"{}\"", text.said) };
        members.push(format!("\"content\":{content}"));
    }
    let calls: Vec<_> = slots.iter().filter(|slot| slot.state != State::Lost).map(call).collect();
    let joined = calls.join(",");
    members.push(match slots {
        [legacy] if legacy.kind == CallKind::Legacy => format!("\"function_call\":{joined}"),
        _ => format!("\"tool_calls\":[{joined}]"),
    });
    members.extend(text.others.iter().map(|(name, value)| format!("\"{name}\":{value}")));
    Bytes::from(format!("{{{}}}", members.join(",")))
}

/// A call as an entry of an assistant's element, as the model wrote it. A name that providers would refuse in
/// a history is made legal, arguments that they would not parse are kept as text in an object.
pub(super) fn call(slot: &Slot) -> String {
    let name = quote(&legal_name(&slot.name));
    let (id, input) = (quote(&slot.id), slot.raw_input().text());
    let (kind, inner) = match slot.kind {
        CallKind::Custom => ("custom", format!(r#"{{"name":{name},"input":"{input}"}}"#)),
        CallKind::Function => ("function", format!(r#"{{"name":{name},"arguments":{}}}"#, readable(slot))),
        CallKind::Legacy => return format!(r#"{{"name":{name},"arguments":{}}}"#, readable(slot)),
    };
    let mut members = vec![format!(r#""id":{id},"type":"{kind}","{kind}":{inner}"#)];
    members.extend(slot.others.iter().map(|(name, value)| format!("\"{name}\":{value}")));
    format!("{{{}}}", members.join(","))
}

/// Argument text that is no object, kept as text in one.
pub(super) fn wrapped(arguments: &str) -> String {
    format!(r#"{{"_invalid_arguments":{}}}"#, quote(arguments))
}

/// The argument text as a JSON string; what is no object is wrapped into one.
fn readable(slot: &Slot) -> String {
    let arguments = slot.arguments();
    match lenient::shape(&arguments) {
        Shape::Object => format!("\"{}\"", slot.raw_input().text()),
        Shape::Empty => "\"{}\"".to_owned(),
        _ => quote(&wrapped(&arguments)),
    }
}

/// `[A-Za-z0-9_-]`, 1 to 64 of them.
pub(super) fn legal_name(name: &str) -> String {
    let legal = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
    let name: String = name.chars().take(64).map(legal).collect();
    if name.is_empty() { "unnamed".to_owned() } else { name }
}

/// The element that answers a call.
pub(super) fn result(slot: &Slot, text: &str) -> Bytes {
    result_of(slot.kind, &slot.id, &legal_name(&slot.name), text)
}

/// The element that answers the call of that id, or of that name in the API's first form.
pub(super) fn result_of(kind: CallKind, id: &str, name: &str, text: &str) -> Bytes {
    let content = quote(text);
    Bytes::from(match kind {
        CallKind::Legacy => {
            format!(r#"{{"role":"function","name":{},"content":{content}}}"#, quote(name))
        }
        _ => format!(r#"{{"role":"tool","tool_call_id":{},"content":{content}}}"#, quote(id)),
    })
}

/// A piece of a call, written so that every client puts it together rightly: numbered, the id and the name
/// on the first piece only. `index`: its number, in streams.
pub(super) fn piece(
    slot: &Slot,
    fragment: &Fragment,
    data: &str,
    index: Option<usize>,
    first: bool,
) -> String {
    let input = fragment
        .input
        .map(|span| span.of(data))
        .map(|raw| if raw.starts_with('"') { raw.to_owned() } else { quote(raw) });
    let name = first.then(|| quote(&slot.name));
    entry(slot, first.then_some(slot.id.as_str()), name, input, index)
}

/// A call that stands in the place of what the model wrote, in one piece.
pub(super) fn new_call(slot: &Slot, id: &str, call: &NewCall, index: Option<usize>) -> String {
    entry(slot, Some(id), Some(quote(&call.name)), Some(quote(&call.arguments)), index)
}

fn entry(
    slot: &Slot,
    id: Option<&str>,
    name: Option<String>,
    input: Option<String>,
    index: Option<usize>,
) -> String {
    let (kind, member) =
        if slot.kind == CallKind::Custom { ("custom", "input") } else { ("function", "arguments") };
    let mut inner: Vec<String> = name.map(|name| format!("\"name\":{name}")).into_iter().collect();
    inner.extend(input.map(|input| format!("\"{member}\":{input}")));
    if slot.kind == CallKind::Legacy {
        return format!("{{{}}}", inner.join(","));
    }
    let mut members: Vec<String> = index.map(|index| format!("\"index\":{index}")).into_iter().collect();
    if let Some(id) = id {
        members.push(format!("\"id\":{},\"type\":\"{kind}\"", quote(id)));
    }
    if !inner.is_empty() {
        members.push(format!("\"{kind}\":{{{}}}", inner.join(",")));
    }
    if id.is_some() {
        members.extend(slot.others.iter().map(|(name, value)| format!("\"{name}\":{value}")));
    }
    format!("{{{}}}", members.join(","))
}

/// An event of our own: `delta` holds the members of the object called so, `finish` is JSON.
pub(super) fn event(head: &str, choice: u32, delta: &str, finish: &str) -> Bytes {
    Bytes::from(format!(
        "data: {{{head}\"object\":\"chat.completion.chunk\",\"choices\":[{{\"index\":{choice},\"delta\":{{{delta}}},\"finish_reason\":{finish}}}]}}\n\n"
    ))
}

pub(super) fn usage_event(head: &str, usage: Usage) -> Bytes {
    let usage = usage_members(usage);
    Bytes::from(format!(
        "data: {{{head}\"object\":\"chat.completion.chunk\",\"choices\":[],\"usage\":{{{usage}}}}}\n\n"
    ))
}

/// A whole answer of our own that says `text`, escaped and without quotes.
pub(super) fn whole(head: &str, text: &str, usage: Usage) -> Bytes {
    let usage = usage_members(usage);
    Bytes::from(format!(
        "{{{head}\"object\":\"chat.completion\",\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"{text}\"}},\"finish_reason\":\"stop\"}}],\"usage\":{{{usage}}}}}"
    ))
}

fn usage_members(usage: Usage) -> String {
    let (input, output) = (usage.input, usage.output);
    format!("\"prompt_tokens\":{input},\"completion_tokens\":{output},\"total_tokens\":{}", input + output)
}
