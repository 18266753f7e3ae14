//! What a JSON result says outright: a status, a flag, a code, a message.
//!
//! Only an object's own members speak, and those of its `error`. Records that a tool lists have statuses and
//! errors of their own; what they say is content.

use std::borrow::Cow;

use super::layer::{self, Layer, Members, member};
use super::phrase;
use crate::wire::span::{Json, Kind};

/// JSON-RPC 2.0, section 5.1: invalid method parameters.
const INVALID_PARAMETERS: i64 = -32602;

/// Longest code that a signature carries.
const CODE_LENGTH: usize = 128;

/// What the layers of a result say, laid together.
#[derive(Default, Debug)]
pub(super) struct Facts {
    /// 400–599.
    pub(super) status: Option<u16>,
    /// What stands behind the status in the signature.
    code: Option<String>,
    /// What the error says, where it says so in a member of its own.
    pub(super) message: Option<String>,
    /// Something flags a failure.
    pub(super) failed: bool,
    /// Something says that all went well: what the text begins with is then no error.
    pub(super) succeeded: bool,
    /// The error is JSON-RPC's for wrong parameters.
    pub(super) invalid_parameters: bool,
}

// === impl Facts ===

impl Facts {
    /// Adds what a layer says; what is known already stays.
    pub(super) fn add(&mut self, layer: &Layer<'_>) {
        match layer.members() {
            Some(members) => self.add_object(&members),
            None if layer.is_text() => self.add_text(layer.text()),
            None => {}
        }
    }

    fn add_object(&mut self, members: &Members<'_>) {
        let find = |name: &&str| member(members, name);
        let exit = exit_code(members);
        let succeeded = is(members, "success", true) || is(members, "ok", true) || exit == Some(0);
        let error = ["error", "errors", "Error"].iter().filter_map(find).find(|value| tells_error(*value));
        // Beside a success it is a warning, or what was overcome.
        let error = error.filter(|_| !succeeded);
        let of_error = |name: &str| error.filter(|error| error.kind() == Kind::Object)?.member(name);
        let status = ["status", "statusCode", "status_code", "code"].iter().filter_map(find).find_map(status);
        let status = status.filter(|_| !succeeded);
        self.succeeded |= succeeded;
        self.failed |=
            is_flagged(members) || status.is_some() || error.is_some() || exit.is_some_and(|code| code != 0);
        self.status =
            self.status.or(status).or_else(|| of_error("status").or(of_error("code")).and_then(self::status));
        self.invalid_parameters |= of_error("code").and_then(Json::integer) == Some(INVALID_PARAMETERS);
        if self.code.is_none() {
            let codes = [find(&"code"), find(&"Code"), of_error("code"), error];
            self.code = codes.into_iter().flatten().find_map(|value| code(value, self.status));
        }
        if self.message.is_none() {
            let direct = ["Message", "message"].iter().find_map(find);
            let others = ["detail", "msg", "errorMessage", "error_description", "stderr"];
            let mut said = direct
                .into_iter()
                .chain(of_error("message"))
                .chain(error)
                .chain(others.iter().filter_map(find));
            self.message = said.find_map(message);
        }
    }

    fn add_text(&mut self, text: &str) {
        match phrase::exit_code(text) {
            Some(0) => self.succeeded = true,
            Some(_) => self.failed = true,
            None => {}
        }
        self.failed |= !self.succeeded && phrase::fails(text);
        if !self.failed {
            return;
        }
        // `Error code: 400 - {"error": …}`.
        if let Some(members) = layer::embedded(text).as_ref().and_then(Layer::members) {
            self.add_object(&members);
        }
        self.status = self.status.or_else(|| phrase::status(text));
    }

    /// `http_<status>[:<code>]`, or `failed`.
    pub(super) fn signature(&self) -> String {
        match (self.status, &self.code) {
            (Some(status), Some(code)) => format!("http_{status}:{code}"),
            (Some(status), None) => format!("http_{status}"),
            (None, _) => "failed".to_owned(),
        }
    }
}

/// Whether an `error` member holds one.
fn tells_error(value: Json<'_>) -> bool {
    match value.kind() {
        // A measure, or a count of what a tool found.
        Kind::Number => false,
        // Zero is how codes say that all went well.
        Kind::Object if value.member("code").and_then(Json::integer) == Some(0) => false,
        _ => says_something(value),
    }
}

/// Whether a value is more than a way to say nothing: not `false`, `null`, zero or empty, nor a list or an
/// object of nothing else.
pub(super) fn says_something(value: Json<'_>) -> bool {
    match value.kind() {
        Kind::Null => false,
        Kind::Boolean => value.boolean() == Some(true),
        Kind::Number => value.integer() != Some(0),
        Kind::String => value.string().is_some_and(|text| !phrase::says_none(&text)),
        // One level down is enough: what nests deeper has something to say.
        Kind::Array => value.elements().any(|element| !is_blank(element)),
        Kind::Object => value.members().any(|(_, member)| !is_blank(member)),
    }
}

fn is_blank(value: Json<'_>) -> bool {
    matches!(value.text(), "null" | "false" | "0" | "\"\"" | "[]" | "{}")
}

fn is(members: &Members<'_>, name: &str, wanted: bool) -> bool {
    member(members, name).and_then(Json::boolean) == Some(wanted)
}

/// Whether a member is there to say that this failed. That `isError` is false says little: that the tool
/// raised nothing.
fn is_flagged(members: &Members<'_>) -> bool {
    // How LangChain writes a tool's message.
    let raised = || {
        member(members, "tool_call_id").is_some()
            && member(members, "status").and_then(Json::string).as_deref() == Some("error")
    };
    is(members, "isError", true)
        || is(members, "is_error", true)
        || is(members, "success", false)
        || is(members, "ok", false)
        || raised()
}

/// A status that tells an error: a number, or a string that begins with one.
pub(super) fn status(value: Json<'_>) -> Option<u16> {
    let number = match value.kind() {
        Kind::Number => value.integer(),
        Kind::String => {
            let text = value.string()?;
            let number = text.trim().split(' ').next()?;
            (number.len() == 3).then(|| number.parse().ok()).flatten()
        }
        _ => None,
    };
    u16::try_from(number?).ok().filter(|status| (400..600).contains(status))
}

/// A process's exit code, beside its output or in the metadata.
fn exit_code(members: &Members<'_>) -> Option<i64> {
    let metadata = member(members, "metadata").filter(|value| value.kind() == Kind::Object);
    let names = ["exit_code", "exitCode", "returncode", "return_code"];
    names.into_iter().find_map(|name| {
        let value = member(members, name).or_else(|| metadata?.member(name))?;
        value.integer()
    })
}

/// A code as a signature can carry it.
fn code(value: Json<'_>, status: Option<u16>) -> Option<String> {
    let text = match value.kind() {
        Kind::String => value.string()?.into_owned(),
        Kind::Number => value.text().to_owned(),
        _ => return None,
    };
    let is_status = status.is_some_and(|status| text == status.to_string());
    let mut bytes = text.bytes();
    let well_formed = bytes.next().is_some_and(|first| first.is_ascii_alphanumeric())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte));
    (well_formed && !is_status && text.len() <= CODE_LENGTH).then_some(text)
}

/// What an error's member says, as text.
fn message(value: Json<'_>) -> Option<String> {
    match value.kind() {
        Kind::String => value.string().filter(|text| !text.trim().is_empty()).map(Cow::into_owned),
        Kind::Object => {
            let names = ["message", "Message", "msg", "detail", "reason"];
            let own = names.into_iter().find_map(|name| value.member(name).and_then(Json::string));
            own.map(Cow::into_owned).or_else(|| Some(value.text().to_owned()))
        }
        Kind::Array => {
            let first = value.elements().next()?;
            first.string().map(Cow::into_owned).or_else(|| Some(value.text().to_owned()))
        }
        _ => None,
    }
}
