//! What may be broken in a history, and how it is written when it is not.

use std::borrow::Cow;
use std::collections::HashSet;

use bytes::Bytes;

use crate::dialect::{CallKind, Element, Entry, Transcript};
use crate::wire::canonical::quote;
use crate::wire::span::{Json, Key, Kind, Span};
use crate::wire::splice::{self, Change, Splices};

use super::request::input_text;
use super::write;

pub(crate) fn result(kind: CallKind, id: &str, name: &str, text: &str) -> Bytes {
    write::result_of(kind, id, name, text)
}

pub(crate) fn words(text: &str) -> Bytes {
    Bytes::from(format!(r#"{{"role":"user","content":{}}}"#, quote(text)))
}

pub(crate) fn wrapped(arguments: &str) -> String {
    write::wrapped(arguments)
}

pub(crate) fn legal_name(name: &str) -> Option<String> {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    let legal = (1..=64).contains(&name.len()) && name.bytes().all(is_legal);
    (!legal).then(|| write::legal_name(name))
}

/// Takes out an empty list of tools, and the members that are refused without one.
pub(crate) fn without_tools(transcript: &Transcript, edits: &mut Splices) {
    const WITH: [&str; 3] = ["tool_choice", "parallel_tool_calls", "function_call"];
    let body = transcript.text();
    let start = body.len() - body.trim_start().len();
    let request = Json::trusted(body.trim());
    let offers = |(key, value): (Key<'_>, Json<'_>)| {
        (key.is("tools") || key.is("functions")) && value.elements().next().is_some()
    };
    let offers = request.members().any(offers);
    let is_gone = |name: &str, value: Json<'_>| match name {
        "tools" | "functions" => is_empty_array(value),
        name => WITH.contains(&name) && !offers,
    };
    for cut in cut_members(request, start, &is_gone) {
        edits.remove(cut.at);
    }
}

fn is_empty_array(value: Json<'_>) -> bool {
    value.kind() == Kind::Array && value.elements().next().is_none()
}

/// Takes the members out of an object at `start` of the body of which `is_gone` says so.
fn cut_members(object: Json<'_>, start: usize, is_gone: &dyn Fn(&str, Json<'_>) -> bool) -> Vec<Change> {
    let members = object.members().enumerate();
    let gone = members.filter(|(_, (key, value))| is_gone(&key.name(), *value)).map(|(place, _)| place);
    cut(object, start, &gone.collect::<Vec<_>>())
}

fn cut(container: Json<'_>, start: usize, gone: &[usize]) -> Vec<Change> {
    let cuts = splice::without(container, start, gone).into_iter();
    cuts.map(|cut| Change::new(cut, "")).collect()
}

pub(crate) fn is_empty(transcript: &Transcript, element: &Element) -> bool {
    let Some(span) = element.content else { return true };
    match transcript.kind(span) {
        Kind::String => span.len() == 2,
        Kind::Array => transcript.json(span).elements().all(is_empty_part),
        _ => false,
    }
}

fn is_empty_part(part: Json<'_>) -> bool {
    match part.kind() {
        Kind::String => part.text() == "\"\"",
        Kind::Object => {
            let says = |text: Json<'_>| !text.is_null() && text.text() != "\"\"";
            is_of_type(part, "text") && !part.member("text").is_some_and(says)
        }
        _ => false,
    }
}

fn is_of_type(part: Json<'_>, name: &str) -> bool {
    part.member("type").and_then(Json::raw_string) == Some(name)
}

/// Gives an element its content: in the place of what stands there, be it `null`, or as a further member.
pub(crate) fn fill(transcript: &Transcript, element: &Element, text: &str) -> Change {
    set(transcript, transcript.json(element.span), "content", text)
}

/// What an answer that says nothing has in the place of a content.
pub(crate) fn silence(transcript: &Transcript, element: &Element) -> Change {
    match element.content.filter(|_| element.calls.is_some()) {
        Some(span) => Change::new(span, "null"),
        None => fill(transcript, element, ""),
    }
}

/// Gives an object's member its value, a string.
fn set(transcript: &Transcript, object: Json<'_>, name: &str, text: &str) -> Change {
    let given = object.members().filter(|(key, _)| key.is(name)).last();
    if let Some((_, value)) = given {
        return Change::new(transcript.place(value), quote(text));
    }
    let start = transcript.place(object).start;
    let (at, with) = splice::append(object, start, &format!("\"{name}\":{}", quote(text)));
    Change::new(Span::new(at, at), with)
}

pub(crate) fn has_void_id(transcript: &Transcript, entry: &Entry<'_>) -> bool {
    entry.id.is_none() && transcript.json(entry.whole).member("id").is_some()
}

pub(crate) fn with_id(transcript: &Transcript, entry: &Entry<'_>, id: &str) -> Change {
    set(transcript, transcript.json(entry.whole), "id", id)
}

pub(crate) fn with_answers(transcript: &Transcript, element: &Element, id: &str) -> Change {
    set(transcript, transcript.json(element.span), "tool_call_id", id)
}

fn is_image(part: Json<'_>) -> bool {
    part.kind() == Kind::Object && is_of_type(part, "image_url")
}

fn parts<'a>(transcript: &'a Transcript, element: &Element) -> impl Iterator<Item = Json<'a>> {
    let list = element.content.filter(|span| transcript.kind(*span) == Kind::Array);
    list.map(|span| transcript.json(span)).into_iter().flat_map(Json::elements)
}

pub(crate) fn has_images(transcript: &Transcript, element: &Element) -> bool {
    parts(transcript, element).any(is_image)
}

/// The text takes the place of the first image.
pub(crate) fn without_images(transcript: &Transcript, element: &Element, text: &str) -> Vec<Change> {
    let Some(span) = element.content else { return Vec::new() };
    let images: Vec<_> = parts(transcript, element).enumerate().filter(|(_, part)| is_image(*part)).collect();
    let Some(((_, first), others)) = images.split_first() else { return Vec::new() };
    let others: Vec<_> = others.iter().map(|(place, _)| *place).collect();
    let mut changes = cut(transcript.json(span), span.start, &others);
    changes.push(Change::new(transcript.place(*first), text_part(text)));
    changes
}

fn text_part(text: &str) -> String {
    format!(r#"{{"type":"text","text":{}}}"#, quote(text))
}

pub(crate) fn images(transcript: &Transcript, of: &[(String, &Element)]) -> Bytes {
    let mut all = Vec::new();
    for (label, element) in of {
        all.push(Cow::Owned(text_part(label)));
        let images = parts(transcript, element).filter(|part| is_image(*part));
        all.extend(images.map(|part| Cow::Borrowed(part.text())));
    }
    Bytes::from(format!(r#"{{"role":"user","content":[{}]}}"#, all.join(",")))
}

pub(crate) fn as_words(transcript: &Transcript, element: &Element, label: &str) -> Bytes {
    let Some(content) = element.content.map(|span| transcript.json(span)) else { return words(label) };
    if content.kind() == Kind::Array {
        let parts = content.elements().filter(|part| !is_empty_part(*part)).map(users_part);
        let all: Vec<_> = std::iter::once(Cow::Owned(text_part(label))).chain(parts).collect();
        return Bytes::from(format!(r#"{{"role":"user","content":[{}]}}"#, all.join(",")));
    }
    // As it is written: what it holds is not read here.
    let quoted =
        if content.kind() == Kind::String { content.text().to_owned() } else { quote(content.text()) };
    let label = quote(&format!("{label}\n"));
    let label = label.strip_suffix('"').unwrap_or_default();
    let said = quoted.strip_prefix('"').unwrap_or_default();
    Bytes::from(format!(r#"{{"role":"user","content":{label}{said}}}"#))
}

/// Parts that a user may send.
const OF_USERS: [&str; 4] = ["text", "image_url", "input_audio", "file"];

/// A part of a result as a part of the user's words: what no user may send is told as the text that it is.
fn users_part(part: Json<'_>) -> Cow<'_, str> {
    let text = part.member("text").map(Json::kind);
    match part.kind() {
        Kind::String => Cow::Owned(format!(r#"{{"type":"text","text":{}}}"#, part.text())),
        Kind::Object if is_of_type(part, "text") && text != Some(Kind::String) => {
            Cow::Owned(text_part(part.text()))
        }
        Kind::Object if OF_USERS.iter().any(|name| is_of_type(part, name)) => Cow::Borrowed(part.text()),
        _ => Cow::Owned(text_part(part.text())),
    }
}

pub(crate) fn without_calls(transcript: &Transcript, element: &Element, positions: &[usize]) -> Vec<Change> {
    let Some(span) = element.calls else { return Vec::new() };
    cut(transcript.json(span), span.start, positions)
}

pub(crate) fn without_bare(transcript: &Transcript, element: &Element) -> Vec<Change> {
    let object = transcript.json(element.span);
    let is_bare = |name: &str, value: Json<'_>| name == "tool_calls" && is_empty_array(value);
    cut_members(object, element.span.start, &is_bare)
}

/// Without calls, an answer must have a content: `""` will do, nothing and `[]` will not. What was refused, or said
/// aloud, has its own member for that. Beside calls nothing will do, too.
pub(crate) fn lacks_content(transcript: &Transcript, element: &Element) -> bool {
    let is_given = |span: Span| !is_empty_array(transcript.json(span));
    if element.calls.is_some() {
        return element.content.is_some_and(|span| !is_given(span));
    }
    let is_elsewhere =
        |(key, value): (Key<'_>, Json<'_>)| (key.is("refusal") || key.is("audio")) && !value.is_null();
    !element.content.is_some_and(is_given) && !transcript.json(element.span).members().any(is_elsewhere)
}

pub(crate) fn without_mixed(transcript: &Transcript, element: &Element) -> Vec<Change> {
    let said = |call: Json<'_>| {
        let text = |name: &str| call.member(name).map(input_text);
        (text("name").map(Cow::into_owned), text("arguments").map(Cow::into_owned))
    };
    let listed: Vec<_> =
        transcript.entries(element).map(|entry| said(transcript.json(entry.inner))).collect();
    let object = transcript.json(element.span);
    let is_listed = |name: &str, value: Json<'_>| name == "function_call" && listed.contains(&said(value));
    cut_members(object, element.span.start, &is_listed)
}

pub(crate) fn may_double_calls(transcript: &Transcript, element: &Element) -> bool {
    element.calls.is_some() && parts(transcript, element).any(|part| is_of_type(part, "tool_use"))
}

fn doubled(transcript: &Transcript, element: &Element) -> Vec<usize> {
    let ids: HashSet<_> = transcript.entries(element).filter_map(|entry| entry.id?.string()).collect();
    let is_doubled = |part: Json<'_>| {
        let id = part.member("id").and_then(Json::string);
        is_of_type(part, "tool_use") && id.is_some_and(|id| ids.contains(&id))
    };
    let parts = parts(transcript, element).enumerate();
    parts.filter(|(_, part)| is_doubled(*part)).map(|(place, _)| place).collect()
}

/// Where nothing else was said, there is no content: beside calls it may be missing.
pub(crate) fn without_doubled_calls(transcript: &Transcript, element: &Element) -> Vec<Change> {
    let Some(span) = element.content else { return Vec::new() };
    let gone = doubled(transcript, element);
    if gone.is_empty() {
        return Vec::new();
    }
    if gone.len() == parts(transcript, element).count() {
        return vec![Change::new(span, "null")];
    }
    cut(transcript.json(span), span.start, &gone)
}

pub(crate) fn with_input(transcript: &Transcript, entry: &Entry<'_>, text: &str) -> Change {
    if let Some(input) = entry.input {
        return Change::new(transcript.place(input), quote(text));
    }
    set(transcript, transcript.json(entry.inner), "arguments", text)
}
