//! What a failed result says, in as few words as hold all of it.
//!
//! Wrappers are taken off while they say nothing besides, and an error object with nothing but a message is that
//! message. Anything more, and the text stays whole: a detail lost is a mistake made again.

use std::borrow::Cow;

use super::facts;
use super::layer::{DEPTH, Layer, alone, is_slight};
use crate::wire::span::{Json, Kind};

/// Objects opened to find the message in, one in another.
const NESTED: usize = 3;

/// Members that hold an error's message, or the object that holds it.
const MESSAGES: [&str; 12] = [
    "Error",
    "Message",
    "detail",
    "error",
    "errorMessage",
    "error_description",
    "errors",
    "message",
    "msg",
    "reason",
    "stderr",
    "title",
];

/// A message, and the status that stood beside it.
struct Told {
    status: Option<u16>,
    message: String,
}

/// All that the text of a result says, without wrappers and without white space around it.
pub fn said(text: &str) -> String {
    let mut text = Cow::Borrowed(bare(text));
    for _ in 0..DEPTH {
        let layer = Layer::read(Cow::Borrowed(&text));
        let Some(json) = layer.json() else { break };
        if let Some(told) = told(json, NESTED) {
            return told.text();
        }
        let inner = alone(json).map(|inner| match inner.string() {
            Some(inner) => bare(&inner).to_owned(),
            None => inner.text().to_owned(),
        });
        let Some(inner) = inner else { break };
        text = Cow::Owned(inner);
    }
    text.into_owned()
}

/// A text as it is looked at.
fn bare(text: &str) -> &str {
    text.trim_start_matches('\u{feff}').trim()
}

/// The message of an object that has nothing else to say.
fn told(json: Json<'_>, depth: usize) -> Option<Told> {
    let depth = depth.checked_sub(1)?;
    let mut status = None;
    let mut message = None;
    for (key, value) in json.members() {
        let name = key.name();
        if let Some(number) = status_of(&name, value) {
            status = status.or(Some(number));
        } else if !is_slight(&name, value) {
            // A second thing that it says.
            if message.is_some() || !MESSAGES.contains(&&*name) {
                return None;
            }
            message = Some(value);
        }
    }
    let message = message?;
    match message.kind() {
        Kind::String => Some(Told { status, message: bare(&message.string()?).to_owned() }),
        Kind::Object => told(message, depth).map(|told| Told { status: status.or(told.status), ..told }),
        Kind::Array => {
            let mut elements = message.elements();
            let only = elements.next()?.string()?;
            elements.next().is_none().then(|| Told { status, message: bare(&only).to_owned() })
        }
        _ => None,
    }
}

/// The status that a member gives, and nothing else with it.
fn status_of(name: &str, value: Json<'_>) -> Option<u16> {
    let named = matches!(name, "status" | "statusCode" | "status_code" | "code");
    let is_bare = value.kind() == Kind::Number || value.raw_string().is_some_and(|text| text.len() == 3);
    if named && is_bare { facts::status(value) } else { None }
}

// === impl Told ===

impl Told {
    fn text(self) -> String {
        match self.status.map(|status| status.to_string()) {
            Some(status) if !self.message.contains(&status) => format!("HTTP {status}: {}", self.message),
            _ => self.message,
        }
    }
}
