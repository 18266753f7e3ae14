//! Reading a request: one walk over the body, noting where things lie.
//!
//! Only what the guard asks for is stepped into. Messages, tools and members of any other form are passed
//! over: they are well-formed JSON, and that is all this module wants of them.

use std::borrow::Cow;

use bytes::Bytes;

use crate::dialect::{
    Address, Call, CallKind, Called, Dialect, Element, Role, Tool, ToolChoice, Transcript, Unread,
};
use crate::wire::span::{Json, Kind, Malformed, Reader, Span};

pub(crate) fn read(body: Bytes) -> Result<Transcript, Unread> {
    let text = simdutf8::basic::from_utf8(&body).map_err(|_| Unread::NotUtf8)?;
    let mut reader = Reader::new(text);
    if reader.kind()? != Kind::Object {
        return Err(Unread::NotAnObject);
    }
    let mut request = Request { closed: true, parallel: true, choices: 1, ..Request::default() };
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
struct Request {
    model: Option<Span>,
    stream: bool,
    usage: bool,
    choices: u32,
    tool_choice: ToolChoice,
    tool_choice_at: Option<Span>,
    parallel: bool,
    tools: Vec<Tool>,
    closed: bool,
    elements: Vec<Element>,
    history: Option<Span>,
}

// === impl Request ===

impl Request {
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
        self.history = None;
        if reader.kind()? != Kind::Array {
            reader.skip()?;
            return Ok(());
        }
        let start = reader.offset();
        let mut array = reader.array()?;
        while reader.next_element(&mut array)? {
            self.elements.push(element(reader)?);
        }
        self.history = Some(Span::new(start, reader.offset()));
        Ok(())
    }

    fn tools(&mut self, reader: &mut Reader<'_>, legacy: bool) -> Result<(), Malformed> {
        if reader.kind()? != Kind::Array {
            reader.skip()?;
            return Ok(());
        }
        self.tools.retain(|tool| (tool.kind == CallKind::Legacy) != legacy);
        let mut array = reader.array()?;
        while reader.next_element(&mut array)? {
            let known = if legacy { function(reader, CallKind::Legacy)? } else { tool(reader)? };
            match known {
                Some(tool) => self.tools.push(tool),
                None => self.closed = false,
            }
        }
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
            elements: self.elements,
            history: self.history,
            tool_choice_at: self.tool_choice_at,
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
fn element(reader: &mut Reader<'_>) -> Result<Element, Malformed> {
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
            "role" => element.role = role(reader.value()?),
            "content" => element.content = present(reader)?,
            "tool_calls" => element.calls = present(reader)?.or(element.calls),
            "function_call" => element.calls = element.calls.or(present(reader)?),
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
    Ok(name.map(|name| Tool { name, kind, schema }))
}

pub(crate) fn calls<'a>(transcript: &'a Transcript, element: &Element) -> Vec<Call<'a>> {
    written(transcript, element).into_iter().map(Written::read).collect()
}

pub(crate) fn call_ids<'a>(transcript: &'a Transcript, element: &Element) -> Vec<Cow<'a, str>> {
    written(transcript, element).into_iter().map(|call| call.id).collect()
}

pub(crate) fn called<'a>(transcript: &'a Transcript, element: &Element) -> Vec<Called<'a>> {
    let address = |id, name: &Cow<'a, str>, kind| match kind {
        CallKind::Legacy => Address::Name(name.clone()),
        CallKind::Function | CallKind::Custom => Address::Id(id),
    };
    written(transcript, element)
        .into_iter()
        .map(|call| Called { address: address(call.id, &call.name, call.kind), name: call.name })
        .collect()
}

/// A call of the history, its input not unescaped yet.
struct Written<'a> {
    id: Cow<'a, str>,
    name: Cow<'a, str>,
    input: Option<Json<'a>>,
    kind: CallKind,
}

fn written<'a>(transcript: &'a Transcript, element: &Element) -> Vec<Written<'a>> {
    let Some(calls) = element.calls.map(|span| transcript.json(span)) else { return Vec::new() };
    match calls.kind() {
        Kind::Array => calls.elements().filter_map(Written::of).collect(),
        Kind::Object => Written::of_function(calls, "arguments", CallKind::Legacy, Cow::Borrowed(""))
            .into_iter()
            .collect(),
        _ => Vec::new(),
    }
}

impl<'a> Written<'a> {
    fn of(call: Json<'a>) -> Option<Self> {
        let (mut id, mut function, mut custom) = (None, None, None);
        for (key, value) in call.members() {
            match &*key.name() {
                "id" => id = Some(value),
                "function" => function = Some(value),
                "custom" => custom = Some(value),
                _ => {}
            }
        }
        let id = id.and_then(Json::string).unwrap_or_default();
        match function {
            Some(function) => Self::of_function(function, "arguments", CallKind::Function, id),
            None => Self::of_function(custom?, "input", CallKind::Custom, id),
        }
    }

    fn of_function(object: Json<'a>, input: &str, kind: CallKind, id: Cow<'a, str>) -> Option<Self> {
        let (mut name, mut given) = (None, None);
        for (key, value) in object.members() {
            match &*key.name() {
                "name" => name = Some(value),
                key if key == input => given = Some(value),
                _ => {}
            }
        }
        Some(Self { id, name: name?.string()?, input: given, kind })
    }

    fn read(self) -> Call<'a> {
        let Self { id, name, input, kind } = self;
        Call { id, name, arguments: input.map(input_text).unwrap_or_default(), kind }
    }
}

/// Arguments come as a string; some providers leave the object as it is.
pub(super) fn input_text(value: Json<'_>) -> Cow<'_, str> {
    value.string().unwrap_or_else(|| if value.is_null() { "".into() } else { value.text().into() })
}

pub(crate) fn content<'a>(transcript: &'a Transcript, element: &Element) -> Cow<'a, str> {
    let Some(content) = element.content.map(|span| transcript.json(span)) else { return Cow::Borrowed("") };
    if content.kind() != Kind::Array {
        return input_text(content);
    }
    let mut texts = content.elements().filter_map(part_text);
    let Some(first) = texts.next() else { return Cow::Borrowed("") };
    texts.fold(first, |joined, text| Cow::Owned(format!("{joined}\n{text}")))
}

fn part_text(part: Json<'_>) -> Option<Cow<'_, str>> {
    part.string().or_else(|| part.member("text").and_then(Json::string))
}

#[cfg(test)]
mod tests;
