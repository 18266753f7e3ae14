//! What a step can ask about a request.
//!
//! Read apart from `dialect`, on purpose: the provider's side must not share the proxy's mistakes. What nobody
//! asks for is skipped unread, so odd numbers and lone surrogates elsewhere in the body do no harm.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::fmt;

use bytes::Bytes;
use http::HeaderMap;
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, de};
use serde_json::Value;
use serde_json::value::RawValue;

/// A request, as far as conditions and answers look at it.
#[derive(Clone, Debug, Default)]
pub(in crate::replay) struct Question {
    /// Without the query, and without the session.
    pub(in crate::replay) path: String,
    pub(in crate::replay) headers: HeaderMap,
    pub(in crate::replay) body: Bytes,
    /// The body as a tree, for the few conditions that point into it.
    pub(in crate::replay) tree: OnceCell<Option<Value>>,
    /// Whether the path is that of chat completions.
    pub(in crate::replay) chat: bool,
    /// Why the body of a chat completion cannot be read; all that follows is then empty.
    pub(in crate::replay) unread: Option<String>,
    pub(in crate::replay) model: Option<String>,
    pub(in crate::replay) stream: bool,
    pub(in crate::replay) include_usage: bool,
    /// Elements of the assistant.
    pub(in crate::replay) turn: usize,
    /// The texts of all system and developer elements.
    pub(in crate::replay) system: Option<String>,
    pub(in crate::replay) last_role: Option<String>,
    pub(in crate::replay) last_text: Option<String>,
    pub(in crate::replay) last_user: Option<String>,
    /// The tool results since the last user element.
    pub(in crate::replay) results: Vec<Answered>,
    pub(in crate::replay) tools: Vec<String>,
    pub(in crate::replay) tool_choice: Option<String>,
}

/// A tool result.
#[derive(Clone, Debug, Default)]
pub(in crate::replay) struct Answered {
    pub(super) id: Option<String>,
    pub(super) tool: Option<String>,
    pub(super) text: String,
    /// Whether it is an error, if it says so beside its text.
    says: Option<bool>,
    json: OnceCell<Option<Value>>,
}

/// The body as it is written.
#[derive(Deserialize)]
struct Written<'a> {
    model: Option<Text>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    #[serde(borrow, default)]
    messages: Vec<Message<'a>>,
    #[serde(borrow)]
    tools: Option<Vec<&'a RawValue>>,
    #[serde(borrow)]
    tool_choice: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct StreamOptions {
    include_usage: Option<bool>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_call_id: Option<&'a RawValue>,
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    is_error: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Called<'a> {
    id: Option<Text>,
    #[serde(borrow)]
    function: Option<&'a RawValue>,
    #[serde(borrow)]
    custom: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ContentPart {
    text: Option<Text>,
}

/// A tool, or a choice of one.
#[derive(Deserialize)]
struct Named {
    name: Option<Text>,
    function: Option<Inner>,
    custom: Option<Inner>,
}

#[derive(Deserialize)]
struct Inner {
    name: Text,
}

/// A JSON string; a lone surrogate in it becomes U+FFFD.
struct Text(String);

// === impl Question ===

impl Question {
    pub(in crate::replay) fn read(path: &str, headers: HeaderMap, body: Bytes) -> Self {
        let chat = path.trim_end_matches('/').ends_with("/chat/completions");
        let question = Self { path: path.to_owned(), headers, body: body.clone(), chat, ..Self::default() };
        if !chat {
            return question;
        }
        match serde_json::from_slice::<Written<'_>>(&body) {
            Ok(written) => question.fill(written),
            Err(error) => Self { unread: Some(error.to_string()), ..question },
        }
    }

    fn fill(mut self, written: Written<'_>) -> Self {
        self.model = written.model.map(|Text(model)| model);
        self.stream = written.stream.unwrap_or_default();
        self.include_usage =
            written.stream_options.and_then(|options| options.include_usage).unwrap_or_default();
        self.tools = written.tools.unwrap_or_default().into_iter().filter_map(name).collect();
        self.tool_choice = written.tool_choice.and_then(|choice| text(choice).or_else(|| name(choice)));
        let mut called = HashMap::new();
        for message in &written.messages {
            match &*message.role {
                "assistant" => {
                    self.turn += 1;
                    called.extend(message.called());
                }
                "system" | "developer" => {
                    let said = message.text().unwrap_or_default();
                    let before = self.system.take();
                    self.system = Some(before.map_or(said.clone(), |before| format!("{before}\n{said}")));
                }
                "user" => {
                    self.last_user = message.text();
                    self.results.clear();
                }
                "tool" | "function" => self.results.push(message.answered(&called)),
                _ => {}
            }
        }
        if let Some(last) = written.messages.last() {
            self.last_role = Some(last.role.clone().into_owned());
            self.last_text = last.text();
        }
        self
    }

    /// What the body holds at a place.
    pub(super) fn at(&self, pointer: &str) -> Option<&Value> {
        let tree = self.tree.get_or_init(|| serde_json::from_slice(&self.body).ok());
        tree.as_ref()?.pointer(pointer)
    }
}

// === impl Answered ===

impl Answered {
    pub(super) fn json(&self) -> Option<&Value> {
        self.json.get_or_init(|| serde_json::from_str(&self.text).ok()).as_ref()
    }
    pub(super) fn is_error(&self) -> bool {
        if let Some(says) = self.says {
            return says;
        }
        let member = |name: &str| self.json().and_then(|json| json.get(name));
        match member("is_error").and_then(Value::as_bool) {
            Some(says) => says,
            None => member("error").is_some_and(|error| !error.is_null()) || self.text.starts_with("Error"),
        }
    }
}

// === impl Message ===

impl Message<'_> {
    /// Ids of its calls and the tools that they call. What is not as it should be calls nothing.
    fn called(&self) -> Vec<(String, String)> {
        let written = self.tool_calls.map_or("[]", RawValue::get);
        let calls: Vec<Called<'_>> = serde_json::from_str(written).unwrap_or_default();
        let pairs = calls.into_iter().filter_map(|call| {
            let Text(id) = call.id?;
            Some((id, call.function.or(call.custom).and_then(name)?))
        });
        pairs.collect()
    }
    fn answered(&self, called: &HashMap<String, String>) -> Answered {
        let id = self.tool_call_id.and_then(text);
        let known = id.as_ref().and_then(|id| called.get(id).cloned());
        Answered {
            tool: known.or_else(|| self.name.and_then(text)),
            id,
            text: self.text().unwrap_or_default(),
            says: self.is_error.and_then(|says| serde_json::from_str(says.get()).ok()),
            json: OnceCell::new(),
        }
    }
    /// The content's string, or its text parts joined by line breaks.
    fn text(&self) -> Option<String> {
        let content = self.content?;
        text(content).or_else(|| {
            let parts: Vec<ContentPart> = serde_json::from_str(content.get()).ok()?;
            let texts: Vec<String> = parts.into_iter().filter_map(|part| part.text).map(|t| t.0).collect();
            Some(texts.join("\n"))
        })
    }
}

fn text(value: &RawValue) -> Option<String> {
    serde_json::from_str::<Text>(value.get()).ok().map(|Text(text)| text)
}

fn name(value: &RawValue) -> Option<String> {
    let named: Named = serde_json::from_str(value.get()).ok()?;
    let inner = named.function.or(named.custom).map(|inner| inner.name);
    inner.or(named.name).map(|Text(name)| name)
}

// === impl Text ===

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // As bytes, because only then does serde_json let lone surrogates pass.
        deserializer.deserialize_bytes(TextVisitor)
    }
}

struct TextVisitor;

impl Visitor<'_> for TextVisitor {
    type Value = Text;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }
    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Text, E> {
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Ok(Text(text))
    }
}
