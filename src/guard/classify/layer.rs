//! Takes the wrappers off a result: MCP content blocks, JSON in JSON, Python's way to print either.
//!
//! Each wrapper holds one thing, so what comes out is a chain, outermost first. Only what is known to be a
//! wrapper is opened: a file's text under `content` is not what the tool says.

use std::borrow::Cow;

use regex::Regex;

use super::python;
use crate::wire::span::{Json, Kind, Reader};

/// Wrappers opened one in another, at most.
pub(in crate::guard) const DEPTH: usize = 6;

/// Of text that is not JSON only this many bytes at either end are looked at.
const MARGIN: usize = 4096;

/// An error's text says in so many bytes what it has to say before it quotes an object.
const EMBEDDED_WITHIN: usize = 256;

/// Members that hold the wrapped thing, in objects that say they are wrappers.
const HOLDERS: [&str; 7] =
    ["content", "text", "structuredContent", "result", "output", "response", "structured_content"];

/// Those that do so when they stand alone, too. A lone `content` or `text` is what some file or page says.
const LONE_HOLDERS: [&str; 3] = ["result", "output", "response"];

/// Members by which an object says that it is a wrapper.
const MARKS: [&str; 15] = [
    "isError",
    "is_error",
    "structuredContent",
    "structured_content",
    "jsonrpc",
    "tool_call_id",
    "tool_use_id",
    "additional_kwargs",
    "metadata",
    "exit_code",
    "exitCode",
    "returncode",
    "return_code",
    "success",
    "ok",
];

/// Members that may stand in a wrapper besides.
const FRAME: [&str; 12] = [
    "_meta",
    "annotations",
    "artifact",
    "content",
    "id",
    "meta",
    "name",
    "response_metadata",
    "role",
    "status",
    "tool_name",
    "type",
];

/// Of those, what says nothing about the result that a model could use.
const SLIGHT: [&str; 17] = [
    "_meta",
    "additional_kwargs",
    "annotations",
    "artifact",
    "id",
    "isError",
    "is_error",
    "jsonrpc",
    "meta",
    "name",
    "ok",
    "response_metadata",
    "role",
    "success",
    "tool_call_id",
    "tool_name",
    "tool_use_id",
];

/// A result, or what one of its wrappers held.
#[derive(Debug)]
pub(super) struct Layer<'a> {
    text: Cow<'a, str>,
    form: Form,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// One whole JSON value.
    Json,
    /// A JSON object that ends too early: agents cut long results.
    Cut,
    Text,
}

/// An object's members in order.
pub(super) type Members<'a> = Vec<(Cow<'a, str>, Json<'a>)>;

/// The layers of `text`, outermost first; at least one.
pub(super) fn peel(text: &str) -> Vec<Layer<'_>> {
    let mut layers = vec![Layer::read(Cow::Borrowed(text.trim_start_matches('\u{feff}').trim()))];
    while let Some(inner) = layers.last().and_then(Layer::inner) {
        if layers.len() > DEPTH {
            break;
        }
        layers.push(Layer::read(Cow::Owned(inner)));
    }
    layers
}

/// The JSON object in which an error's text ends, if it does: it begins on the first line.
pub(super) fn embedded(text: &str) -> Option<Layer<'_>> {
    let start =
        text.bytes().take(EMBEDDED_WITHIN).take_while(|byte| *byte != b'\n').position(|byte| byte == b'{')?;
    let layer = Layer::read(Cow::Borrowed(text.get(start..)?.trim_end()));
    (!layer.is_text()).then_some(layer)
}

/// The beginning of a text, as far as it is looked at.
pub(super) fn head(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MARGIN)).unwrap_or(text)
}

/// Where the end of a text begins, as far as it is looked at.
pub(super) fn tail_start(text: &str) -> usize {
    text.ceil_char_boundary(text.len().saturating_sub(MARGIN))
}

// === impl Layer ===

impl<'a> Layer<'a> {
    pub(super) fn read(text: Cow<'a, str>) -> Self {
        let form = match text.bytes().next() {
            Some(b'{' | b'[' | b'"') => match Json::parse(&text) {
                Ok(_) => Form::Json,
                Err(error) if error.truncated && text.starts_with('{') => Form::Cut,
                Err(_) => Form::Text,
            },
            _ => Form::Text,
        };
        if form == Form::Text
            && let Some(json) = python::to_json(&text)
        {
            return Self { text: Cow::Owned(json), form: Form::Json };
        }
        Self { text, form }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_text(&self) -> bool {
        self.form == Form::Text
    }

    /// The value, where it is a whole one.
    pub(super) fn json(&self) -> Option<Json<'_>> {
        (self.form == Form::Json).then(|| Json::trusted(&self.text))
    }

    /// Whether a pattern is met: anywhere in JSON, near either end of a text.
    pub(super) fn matches(&self, pattern: &Regex) -> bool {
        if self.form == Form::Json || self.text.len() <= 2 * MARGIN {
            return pattern.is_match(&self.text);
        }
        pattern.is_match(head(&self.text)) || pattern.is_match_at(&self.text, tail_start(&self.text))
    }

    /// An object's members, of a cut one those that came whole; `None` for other values and for text.
    pub(super) fn members(&self) -> Option<Members<'_>> {
        if self.form == Form::Text || !self.text.starts_with('{') {
            return None;
        }
        let mut members = Vec::new();
        let mut reader = Reader::new(&self.text);
        let mut object = reader.object().ok()?;
        while let Ok(Some(key)) = reader.next_key(&mut object) {
            let Ok(value) = reader.value() else { break };
            let name = if key.raw.contains('\\') {
                Cow::Owned(key.name().into_owned())
            } else {
                Cow::Borrowed(key.raw)
            };
            members.push((name, value));
        }
        Some(members)
    }

    /// What this layer wraps, if it is a wrapper.
    fn inner(&self) -> Option<String> {
        let json = self.json()?;
        match json.kind() {
            Kind::String => json.string().map(|text| text.trim().to_owned()),
            Kind::Array => block_text(json),
            Kind::Object => held(&self.members()?),
            _ => None,
        }
    }
}

/// All that a wrapper holds, of a list of blocks each text: strings, which hold a text, and objects. Nothing for
/// what is no wrapper.
pub(in crate::guard) fn wrapped(json: Json<'_>) -> Vec<Json<'_>> {
    match json.kind() {
        Kind::String => vec![json],
        Kind::Array => block_texts(json),
        Kind::Object => {
            let members = members_of(json);
            let holds = |name: &&str| {
                let value = member(&members, name)?;
                let blocks = if value.kind() == Kind::Array { block_texts(value) } else { Vec::new() };
                let known = *name == "content" && !blocks.is_empty();
                if !known && !is_wrapper(&members, name) {
                    return None;
                }
                Some(if matches!(value.kind(), Kind::String | Kind::Object) { vec![value] } else { blocks })
            };
            HOLDERS.iter().filter_map(holds).flatten().collect()
        }
        _ => Vec::new(),
    }
}

/// What a wrapper holds, where that is one thing and the wrapper says nothing besides.
pub(super) fn alone(json: Json<'_>) -> Option<Json<'_>> {
    match json.kind() {
        Kind::String => Some(json),
        Kind::Array => {
            let mut elements = json.elements();
            let block = elements.next().filter(|block| block.kind() == Kind::Object)?;
            if elements.next().is_some() { None } else { held_alone(block, &["text"]) }
        }
        Kind::Object => held_alone(json, &HOLDERS),
        _ => None,
    }
}

fn held_alone<'a>(object: Json<'a>, holders: &[&str]) -> Option<Json<'a>> {
    let members = members_of(object);
    let (holder, value) = holders.iter().find_map(|name| Some((*name, member(&members, name)?)))?;
    let others = || members.iter().filter(|(name, _)| name != holder);
    if !is_wrapper(&members, holder) || !others().all(|(name, value)| is_slight(name, *value)) {
        return None;
    }
    match value.kind() {
        Kind::String | Kind::Object => Some(value),
        // A block holds a string, so this goes down no further.
        Kind::Array if holder != "text" => alone(value),
        _ => None,
    }
}

/// Whether a member of a wrapper or of an error can be left out, and nothing is lost.
pub(super) fn is_slight(name: &str, value: Json<'_>) -> bool {
    let word = || value.string();
    match name {
        "type" => {
            matches!(word().as_deref(), Some("text" | "tool_result" | "function_call_output" | "error"))
        }
        "status" if word().as_deref() == Some("error") => true,
        "error" if value.boolean().is_some() => true,
        _ => SLIGHT.contains(&name) || !super::facts::says_something(value),
    }
}

fn members_of(object: Json<'_>) -> Members<'_> {
    object.members().map(|(key, value)| (key.name(), value)).collect()
}

/// What the holder of a wrapping object holds.
fn held(members: &Members<'_>) -> Option<String> {
    if let Some(blocks) = member(members, "content").and_then(block_text) {
        return Some(blocks);
    }
    let (holder, value) = HOLDERS.into_iter().find_map(|name| Some((name, member(members, name)?)))?;
    if !is_wrapper(members, holder) {
        return None;
    }
    match value.kind() {
        Kind::String => value.string().map(|text| text.trim().to_owned()),
        Kind::Object => Some(value.text().to_owned()),
        Kind::Array => block_text(value),
        _ => None,
    }
}

/// Whether an object is no more than a wrapper around what `holder` holds.
fn is_wrapper(members: &Members<'_>, holder: &str) -> bool {
    let others = || members.iter().map(|(name, _)| &**name).filter(|name| *name != holder);
    if others().next().is_none() {
        return LONE_HOLDERS.contains(&holder);
    }
    let is_block = || {
        let kind = member(members, "type").and_then(Json::string);
        matches!(kind.as_deref(), Some("text" | "tool_result" | "function_call_output"))
    };
    others().all(|name| MARKS.contains(&name) || FRAME.contains(&name))
        && (others().chain([holder]).any(|name| MARKS.contains(&name)) || is_block())
}

/// The text of a list's first text block, where the list begins with a block.
fn block_text(list: Json<'_>) -> Option<String> {
    let text = begins_with_block(list).then(|| texts_of_blocks(list).next()).flatten()?.string()?;
    Some(text.trim().to_owned())
}

/// The texts of a list's text blocks, where the list begins with a block.
fn block_texts(list: Json<'_>) -> Vec<Json<'_>> {
    if begins_with_block(list) { texts_of_blocks(list).collect() } else { Vec::new() }
}

fn begins_with_block(list: Json<'_>) -> bool {
    let first = list.elements().next().filter(|first| first.kind() == Kind::Object);
    first.and_then(|first| first.member("type")).and_then(Json::string).is_some()
}

fn texts_of_blocks<'a>(list: Json<'a>) -> impl Iterator<Item = Json<'a>> {
    let is_text = |block: &Json<'a>| block.member("type").and_then(Json::string).as_deref() == Some("text");
    let text = |block: Json<'a>| block.member("text").filter(|text| text.kind() == Kind::String);
    list.elements().filter(is_text).filter_map(text)
}

/// The member called `name`, of duplicates the last.
pub(super) fn member<'a>(members: &Members<'a>, name: &str) -> Option<Json<'a>> {
    members.iter().rev().find(|(key, _)| key == name).map(|(_, value)| *value)
}
