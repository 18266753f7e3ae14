//! Reading a request: one walk over the body, noting where things lie.
//!
//! Only what the guard asks for is stepped into. Messages, tools and members of any other form are passed
//! over: they are well-formed JSON, and that is all this module wants of them.

use std::borrow::Cow;

use bytes::Bytes;

use crate::dialect::{
    Address, Call, CallKind, Called, Dialect, Element, Entry, EntrySpans, Role, Tool, ToolChoice, Transcript,
    Unread,
};
use crate::wire::span::{Json, Kind, Malformed, Reader, Span};

use super::known::Known;

/// Reads a body; what is known of it from an earlier one is not read again.
pub(crate) fn read(body: Bytes, earlier: Option<&Transcript>) -> Result<Transcript, Unread> {
    let known = earlier.map(|earlier| Known::new(earlier, &body));
    let text = simdutf8::basic::from_utf8(&body).map_err(|_| Unread::NotUtf8)?;
    let mut reader = Reader::new(text);
    if reader.kind()? != Kind::Object {
        return Err(Unread::NotAnObject);
    }
    let mut request =
        Request { earlier: known, closed: true, parallel: true, choices: 1, ..Request::default() };
    let mut object = reader.object()?;
    while let Some(key) = reader.next_key(&mut object)? {
        request.member(&key.name(), &mut reader)?;
    }
    reader.end()?;
    Ok(request.into_transcript(body))
}

/// What has been read so far. A member given twice counts as it was given last.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "the API's own switches")]
struct Request<'k> {
    earlier: Option<Known<'k>>,
    model: Option<Span>,
    stream: bool,
    usage: bool,
    choices: u32,
    tool_choice: ToolChoice,
    tool_choice_at: Option<Span>,
    parallel: bool,
    tools: Vec<Tool>,
    closed: bool,
    /// `tools` is given and empty; the same of `functions`.
    bare: (bool, bool),
    elements: Vec<Element>,
    entries: Vec<EntrySpans>,
    history: Option<Span>,
    known: usize,
    offer: Option<(Span, bool)>,
    /// Lists of tools that were given.
    offers: usize,
}

// === impl Request ===

impl Request<'_> {
    fn member(&mut self, name: &str, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        match name {
            "messages" => self.messages(reader)?,
            "tools" | "functions" => self.tools(reader, name == "functions")?,
            "model" => self.model = string(reader)?,
            "stream" => self.stream = reader.value()?.boolean().unwrap_or(false),
            "stream_options" => {
                let usage = reader.value()?.member("include_usage");
                self.usage = usage.and_then(Json::boolean).unwrap_or(false);
            }
            "n" => {
                let choices = reader.value()?.integer().unwrap_or(1);
                self.choices = u32::try_from(choices).unwrap_or(1).max(1);
            }
            "parallel_tool_calls" => self.parallel = reader.value()?.boolean().unwrap_or(true),
            "tool_choice" | "function_call" => {
                let start = reader.kind().map(|_| reader.offset())?;
                let value = reader.value()?;
                self.tool_choice = tool_choice(value);
                self.tool_choice_at = Some(Span::new(start, reader.offset()));
            }
            _ => {
                reader.skip()?;
            }
        }
        Ok(())
    }

    fn messages(&mut self, reader: &mut Reader<'_>) -> Result<(), Malformed> {
        self.elements.clear();
        self.entries.clear();
        (self.history, self.known) = (None, 0);
        if reader.kind()? != Kind::Array {
            reader.skip()?;
            return Ok(());
        }
        let start = reader.offset();
        let mut array = reader.array()?;
        if let Some((elements, entries, end)) = self.earlier.as_ref().and_then(|known| known.history(start)) {
            self.elements.extend_from_slice(elements);
            self.entries.extend_from_slice(entries);
            self.known = elements.len();
            reader.resume(&mut array, end);
        }
        while reader.next_element(&mut array)? {
            self.elements.push(element(reader, &mut self.entries)?);
        }
        self.history = Some(Span::new(start, reader.offset()));
        Ok(())
    }

    fn tools(&mut self, reader: &mut Reader<'_>, legacy: bool) -> Result<(), Malformed> {
        if reader.kind()? != Kind::Array {
            reader.skip()?;
            return Ok(());
        }
        let start = reader.offset();
        self.offers += 1;
        if self.offers == 1
            && let Some((tools, closed, end)) =
                self.earlier.as_ref().and_then(|known| known.offer(start, legacy))
        {
            (self.tools, self.closed, self.offer) = (tools, closed, Some((Span::new(start, end), legacy)));
            reader.pass_to(end);
            return Ok(());
        }
        let mut empty = true;
        self.tools.retain(|tool| (tool.kind == CallKind::Legacy) != legacy);
        let mut array = reader.array()?;
        while reader.next_element(&mut array)? {
            empty = false;
            let known = if legacy { function(reader, CallKind::Legacy)? } else { tool(reader)? };
            match known {
                Some(tool) => self.tools.push(tool),
                None => self.closed = false,
            }
        }
        *if legacy { &mut self.bare.1 } else { &mut self.bare.0 } = empty;
        self.offer = (self.offers == 1 && !empty).then(|| (Span::new(start, reader.offset()), legacy));
        Ok(())
    }

    fn into_transcript(self, body: Bytes) -> Transcript {
        Transcript {
            dialect: Dialect::Chat,
            body,
            model: self.model,
            stream: self.stream,
            usage: self.usage,
            choices: self.choices,
            tool_choice: self.tool_choice,
            parallel: self.parallel,
            tools: self.tools,
            closed: self.closed,
            bare: self.bare.0 || self.bare.1,
            elements: self.elements,
            entries: self.entries,
            history: self.history,
            tool_choice_at: self.tool_choice_at,
            offer: self.offer,
            settled: self.known,
        }
    }
}

fn string(reader: &mut Reader<'_>) -> Result<Option<Span>, Malformed> {
    let kind = reader.kind()?;
    let span = reader.skip()?;
    Ok((kind == Kind::String).then_some(span))
}

fn tool_choice(value: Json<'_>) -> ToolChoice {
    match value.string().as_deref() {
        Some("none") => ToolChoice::None,
        Some("required") => ToolChoice::Required,
        None if value.kind() == Kind::Object => ToolChoice::Required,
        _ => ToolChoice::Auto,
    }
}

/// One message. What is not an object, or has no role, is an element all the same.
fn element(reader: &mut Reader<'_>, entries: &mut Vec<EntrySpans>) -> Result<Element, Malformed> {
    let is_object = reader.kind()? == Kind::Object;
    let start = reader.offset();
    let mut element = Element::default();
    if !is_object {
        element.span = reader.skip()?;
        return Ok(element);
    }
    let mut object = reader.object()?;
    while let Some(key) = reader.next_key(&mut object)? {
        match &*key.name() {
            "role" => {
                let given = reader.value()?;
                element.role = role(given);
                element.by_name = given.raw_string() == Some("function");
            }
            "content" => element.content = present(reader)?,
            "tool_calls" => {
                let (at, is_empty) = calls_of(reader, entries)?;
                element.bare = is_empty;
                // An empty list says nothing: what else is given of the kind counts.
                if let Some((span, range)) = at.filter(|_| !is_empty) {
                    element.mixed |= element.calls.is_some();
                    (element.calls, element.entries) = (Some(span), range);
                }
            }
            "function_call" => {
                if let (Some((span, range)), _) = calls_of(reader, entries)? {
                    if element.calls.is_none() {
                        (element.calls, element.entries) = (Some(span), range);
                    } else {
                        element.mixed = true;
                    }
                }
            }
            "tool_call_id" => element.answers = string(reader)?,
            "name" => element.name = string(reader)?,
            _ => {
                reader.skip()?;
            }
        }
    }
    element.span = Span::new(start, reader.offset());
    Ok(element)
}

/// Where calls lie, and which of `entries` they are; whether it is an empty list. Not there where there is `null`.
type CallsAt = (Option<(Span, (usize, usize))>, bool);

/// The value that holds an element's calls: a list, or in the API's first form one call.
fn calls_of(reader: &mut Reader<'_>, entries: &mut Vec<EntrySpans>) -> Result<CallsAt, Malformed> {
    let kind = reader.kind()?;
    let (start, first) = (reader.offset(), entries.len());
    match kind {
        Kind::Array => {
            let mut array = reader.array()?;
            while reader.next_element(&mut array)? {
                entries.push(call_spans(reader)?);
            }
        }
        Kind::Object => entries.push(function_spans(reader, "arguments", CallKind::Legacy)?),
        _ => {
            reader.skip()?;
        }
    }
    let at = (Span::new(start, reader.offset()), (first, entries.len()));
    Ok(((kind != Kind::Null).then_some(at), kind == Kind::Array && first == entries.len()))
}

fn call_spans(reader: &mut Reader<'_>) -> Result<EntrySpans, Malformed> {
    if reader.kind()? != Kind::Object {
        return opaque(reader);
    }
    let start = reader.offset();
    let (mut id, mut function, mut custom) = (None, None, None);
    let mut object = reader.object()?;
    while let Some(key) = reader.next_key(&mut object)? {
        match &*key.name() {
            "id" => id = string(reader)?.filter(|id| id.len() > 2),
            "function" => function = Some(function_spans(reader, "arguments", CallKind::Function)?),
            "custom" => custom = Some(function_spans(reader, "input", CallKind::Custom)?),
            _ => {
                reader.skip()?;
            }
        }
    }
    let whole = Span::new(start, reader.offset());
    let unknown = EntrySpans { id, name: None, input: None, kind: CallKind::Custom, inner: whole, whole };
    Ok(EntrySpans { id, whole, ..function.or(custom).unwrap_or(unknown) })
}

/// The object that holds a call's name and its input.
fn function_spans(reader: &mut Reader<'_>, input: &str, kind: CallKind) -> Result<EntrySpans, Malformed> {
    if reader.kind()? != Kind::Object {
        return opaque(reader);
    }
    let start = reader.offset();
    let (mut name, mut given) = (None, None);
    let mut object = reader.object()?;
    while let Some(key) = reader.next_key(&mut object)? {
        match &*key.name() {
            "name" => name = string(reader)?,
            key if key == input => given = Some(reader.skip()?),
            _ => {
                reader.skip()?;
            }
        }
    }
    let inner = Span::new(start, reader.offset());
    Ok(EntrySpans { id: None, name, input: given, kind, inner, whole: inner })
}

/// No call that anybody here knows.
fn opaque(reader: &mut Reader<'_>) -> Result<EntrySpans, Malformed> {
    let inner = reader.skip()?;
    Ok(EntrySpans { id: None, name: None, input: None, kind: CallKind::Custom, inner, whole: inner })
}

/// A value that is not `null`.
fn present(reader: &mut Reader<'_>) -> Result<Option<Span>, Malformed> {
    let kind = reader.kind()?;
    let span = reader.skip()?;
    Ok((kind != Kind::Null).then_some(span))
}

fn role(value: Json<'_>) -> Role {
    match value.string().as_deref() {
        Some("system" | "developer") => Role::System,
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool" | "function") => Role::Tool,
        _ => Role::Other,
    }
}

/// One entry of `tools`; `None` for what the provider runs itself or loads later.
fn tool(reader: &mut Reader<'_>) -> Result<Option<Tool>, Malformed> {
    if reader.kind()? != Kind::Object {
        reader.skip()?;
        return Ok(None);
    }
    let (mut found, mut deferred) = (None, false);
    let mut object = reader.object()?;
    while let Some(key) = reader.next_key(&mut object)? {
        match &*key.name() {
            "function" => found = function(reader, CallKind::Function)?,
            "custom" => found = function(reader, CallKind::Custom)?,
            "defer_loading" => deferred = reader.value()?.boolean().unwrap_or(false),
            _ => {
                reader.skip()?;
            }
        }
    }
    Ok(found.filter(|_| !deferred))
}

/// The object that names a tool and holds its schema.
fn function(reader: &mut Reader<'_>, kind: CallKind) -> Result<Option<Tool>, Malformed> {
    if reader.kind()? != Kind::Object {
        reader.skip()?;
        return Ok(None);
    }
    let start = reader.offset();
    let (mut name, mut schema) = (None, None);
    let mut object = reader.object()?;
    while let Some(key) = reader.next_key(&mut object)? {
        match &*key.name() {
            "name" => name = reader.value()?.string().map(Cow::into_owned),
            "parameters" => schema = present(reader)?,
            _ => {
                reader.skip()?;
            }
        }
    }
    let definition = Span::new(start, reader.offset());
    Ok(name.map(|name| Tool { name, kind, schema, definition }))
}

pub(crate) fn calls<'a>(transcript: &'a Transcript, element: &Element) -> Vec<Call<'a>> {
    let call = |entry: Entry<'a>| {
        let (id, name) = (id(&entry), entry.name.and_then(Json::string)?);
        Some(Call { id, name, arguments: entry.text(), kind: entry.kind })
    };
    transcript.entries(element).filter_map(call).collect()
}

pub(crate) fn call_ids<'a>(transcript: &'a Transcript, element: &Element) -> Vec<Cow<'a, str>> {
    transcript.entries(element).filter(|entry| entry.name.is_some()).map(|entry| id(&entry)).collect()
}

fn id<'a>(entry: &Entry<'a>) -> Cow<'a, str> {
    entry.id.and_then(Json::string).unwrap_or_default()
}

pub(crate) fn called<'a>(transcript: &'a Transcript, element: &Element) -> Vec<Called<'a>> {
    let called = |entry: Entry<'a>| {
        let name = entry.name.and_then(Json::string)?;
        let address = match entry.kind {
            CallKind::Legacy => Address::Name(name.clone()),
            CallKind::Function | CallKind::Custom => Address::Id(id(&entry)),
        };
        Some(Called { address, name })
    };
    transcript.entries(element).filter_map(called).collect()
}

/// Arguments come as a string; some providers leave the object as it is.
pub(crate) fn input_text(value: Json<'_>) -> Cow<'_, str> {
    value.string().unwrap_or_else(|| if value.is_null() { "".into() } else { value.text().into() })
}

pub(crate) fn content<'a>(transcript: &'a Transcript, element: &Element) -> Cow<'a, str> {
    let Some(content) = element.content.map(|span| transcript.json(span)) else { return Cow::Borrowed("") };
    if content.kind() != Kind::Array {
        return input_text(content);
    }
    let mut texts = content.elements().filter_map(part_text);
    let Some(first) = texts.next() else { return Cow::Borrowed("") };
    // In place: a history may come in hundreds of thousands of parts.
    texts.fold(first, |mut joined, text| {
        let whole = joined.to_mut();
        whole.push('\n');
        whole.push_str(&text);
        joined
    })
}

fn part_text(part: Json<'_>) -> Option<Cow<'_, str>> {
    part.string().or_else(|| part.member("text").and_then(Json::string))
}

#[cfg(test)]
mod tests;
