//! Errors in which a provider itself refuses what the model wrote as a call.
//!
//! Groq answers 400 with `code: "tool_use_failed"` and the text in `failed_generation`; Ollama and llama.cpp
//! answer 500 with "error parsing tool call: raw='…'". Only where the text names a tool is it a call: none is made up.

use std::borrow::Cow;

use crate::dialect::{Call, CallKind, RefusedCall};
use crate::wire::span::Json;

use super::request::input_text;

const UNPARSED: &str = "error parsing tool call: raw='";

pub(crate) fn read(error: &str) -> Option<RefusedCall> {
    let error = Json::parse(error).ok()?.member("error")?;
    let code = error.member("code").and_then(Json::string).unwrap_or_default();
    let message =
        error.member("message").and_then(Json::string).or_else(|| error.string()).unwrap_or_default();
    if code == "tool_use_failed" {
        let written = error.member("failed_generation").and_then(Json::string)?;
        return Some(RefusedCall { call: call(&written)?, said: line(&message) });
    }
    let (before, rest) = message.split_once(UNPARSED)?;
    let (raw, after) = rest.rsplit_once('\'').unwrap_or((rest, ""));
    // What the model wrote it knows: it stands in the call.
    let unparsed = UNPARSED.trim_end_matches("raw='");
    let said = line(&format!("{before}{unparsed}{}", after.trim_start_matches([',', ' '])));
    Some(RefusedCall { call: call(raw)?, said })
}

/// The text in one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `<function=NAME>ARGUMENTS</function>`, `<function=NAME{…}`, or an object with a name; cut or malformed at will.
fn call(written: &str) -> Option<Call<'static>> {
    let written = written.trim();
    if let Some((_, rest)) = written.split_once("<function=") {
        let end = rest.find(['>', '{', '(', '[', ' '])?;
        let (name, arguments) = rest.split_at(end);
        let arguments = arguments.trim_start_matches('>').trim_end_matches("</function>");
        return made(name, arguments);
    }
    if let Ok(object) = Json::parse(written) {
        let name = object.member("name").and_then(Json::string)?;
        let arguments = object.member("arguments").or(object.member("parameters"));
        return made(&name, &arguments.map(input_text).unwrap_or_default());
    }
    let (_, after) = written.split_once("\"name\"")?;
    let name = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let (name, rest) = name.split_once('"')?;
    let given = ["\"arguments\"", "\"parameters\""].iter().find_map(|key| rest.split_once(key));
    let arguments = given.and_then(|(_, value)| value.trim_start().strip_prefix(':')).unwrap_or_default();
    made(name, arguments.trim())
}

fn made(name: &str, arguments: &str) -> Option<Call<'static>> {
    let name = name.trim();
    (!name.is_empty()).then(|| Call {
        id: Cow::Borrowed(""),
        name: Cow::Owned(name.to_owned()),
        arguments: Cow::Owned(arguments.to_owned()),
        kind: CallKind::Function,
    })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn finds_the_call_that_a_provider_could_not_read() {
        let groq = r#"{"error":{"code":"tool_use_failed","failed_generation":"<function=look{\"at\": tree}</function>"}}"#;
        let refused = read(groq).unwrap();
        assert_eq!((&*refused.call.name, &*refused.call.arguments), ("look", r#"{"at": tree}"#));
        assert_eq!(refused.said, "");
        let ollama = r#"{"error":{"message":"error parsing tool call: raw='{\"name\": \"look\", \"arguments\": {\"at\": \"tr' err=unexpected end"}}"#;
        let refused = read(ollama).unwrap();
        assert_eq!((&*refused.call.name, &*refused.call.arguments), ("look", r#"{"at": "tr"#));
        assert_eq!(refused.said, "error parsing tool call: err=unexpected end");
    }

    #[test]
    fn tells_what_the_provider_says_of_it_in_one_line() {
        let error = r#"{"error":{"code":"tool_use_failed","message":"Tool call validation failed:\n  missing properties: 'at'","failed_generation":"{\"name\":\"look\"}"}}"#;
        assert_eq!(read(error).unwrap().said, "Tool call validation failed: missing properties: 'at'");
        let cut = r#"{"error":"error parsing tool call: raw='{\"name\":\"look\",\"arguments\":{"}"#;
        assert_eq!(read(cut).unwrap().said, "error parsing tool call:");
    }

    #[test]
    fn takes_the_name_of_the_call_and_not_one_of_its_arguments() {
        let error = r#"{"error":{"code":"tool_use_failed","failed_generation":"{\"arguments\":{\"name\":\"x\"},\"name\":\"look\"}"}}"#;
        let call = read(error).unwrap().call;
        assert_eq!((&*call.name, &*call.arguments), ("look", r#"{"name":"x"}"#));
    }

    #[test]
    fn makes_no_call_up() {
        for error in [
            r#"{"error":{"code":"tool_use_failed","failed_generation":"I would call a tool"}}"#,
            r#"{"error":{"code":"invalid_request_error","message":"no"}}"#,
            r#"{"error":"plain"}"#,
            "not json",
        ] {
            assert_eq!(read(error), None, "{error}");
        }
    }
}
