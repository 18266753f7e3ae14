//! What real providers refuse in a request, in the words they refuse it with.
//!
//! Read apart from `dialect` and `guard`, on purpose: the provider's side must not share the proxy's mistakes. The
//! rules are those that more than one provider has; what only one of them wants is not asked for.

use serde_json::{Map, Value};

/// Why the request is refused; `None` if it is not.
pub fn refusal(body: &[u8]) -> Option<String> {
    check(body).err()
}

type Checked<T = ()> = Result<T, String>;

fn check(body: &[u8]) -> Checked {
    let request: Value = serde_json::from_slice(body)
        .map_err(|error| format!("We could not parse the JSON body of your request: {error}"))?;
    let request = request.as_object().ok_or("The request body must be an object.")?;
    tools(request)?;
    let messages = list(request.get("messages"));
    if messages.is_empty() {
        return Err("[] is too short - 'messages'".to_owned());
    }
    let mut open = Open::default();
    for (index, message) in messages.iter().enumerate() {
        let message = message.as_object().ok_or(format!("'messages.{index}' must be an object."))?;
        open.message(index, message)?;
    }
    open.close()
}

fn tools(request: &Map<String, Value>) -> Checked {
    let mut offered = false;
    for name in ["tools", "functions"] {
        match request.get(name).map(|tools| list(Some(tools)).len()) {
            Some(0) => return Err(format!("[] is too short - '{name}'")),
            known => offered |= known.is_some(),
        }
    }
    for name in ["tool_choice", "parallel_tool_calls", "function_call"] {
        if request.contains_key(name) && !offered {
            return Err(format!("'{name}' is only allowed when 'tools' are specified."));
        }
    }
    Ok(())
}

/// The calls that wait for a result right now.
#[derive(Default)]
struct Open {
    ids: Vec<String>,
    /// The tool of a call in the API's first form.
    function: Option<String>,
}

impl Open {
    fn message(&mut self, index: usize, message: &Map<String, Value>) -> Checked {
        match text(message.get("role")) {
            "tool" => self.tool(index, message),
            "function" => self.function(index, message),
            "assistant" => {
                self.close()?;
                self.assistant(index, message)
            }
            "user" | "system" | "developer" => {
                self.close()?;
                said(index, message)
            }
            role => Err(format!("Invalid value: '{role}' - 'messages.{index}.role'")),
        }
    }

    /// Anything but a result comes: no call may be open.
    fn close(&mut self) -> Checked {
        if let Some(name) = self.function.take() {
            return Err(format!("The function '{name}' was called and has no response message."));
        }
        if self.ids.is_empty() {
            return Ok(());
        }
        Err(format!(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each \
             'tool_call_id'. The following tool_call_ids did not have response messages: {}",
            self.ids.join(", ")
        ))
    }

    fn assistant(&mut self, index: usize, message: &Map<String, Value>) -> Checked {
        let calls = message.get("tool_calls").filter(|calls| !calls.is_null());
        let legacy = message.get("function_call").filter(|call| !call.is_null());
        if calls.is_none() && legacy.is_none() {
            let is_given = |name: &str| message.get(name).is_some_and(|value| !value.is_null());
            return if is_given("refusal") || is_given("audio") { Ok(()) } else { said(index, message) };
        }
        if calls.is_some_and(|calls| list(Some(calls)).is_empty()) {
            return Err(format!("[] is too short - 'messages.{index}.tool_calls'"));
        }
        for (place, call) in list(calls).iter().enumerate() {
            let at = format!("messages[{index}].tool_calls[{place}]");
            let id = text(call.get("id"));
            if id.is_empty() || self.ids.iter().any(|known| known == id) {
                return Err(format!("tool_use ids must be unique - '{at}.id'"));
            }
            if let Some(function) = call.get("function") {
                callable(&at, function)?;
            }
            self.ids.push(id.to_owned());
        }
        if let Some(function) = legacy {
            callable(&format!("messages[{index}].function_call"), function)?;
            self.function = Some(text(function.get("name")).to_owned());
        }
        let used = |part: &&Value| text(part.get("type")) == "tool_use";
        match list(message.get("content")).iter().find(used) {
            Some(part) if self.ids.iter().any(|id| id == text(part.get("id"))) => {
                Err(format!("tool_use ids must be unique - 'messages[{index}].content'"))
            }
            _ => Ok(()),
        }
    }

    fn tool(&mut self, index: usize, message: &Map<String, Value>) -> Checked {
        let id = text(message.get("tool_call_id"));
        let Some(place) = self.ids.iter().position(|open| open == id) else {
            return Err(format!(
                "Invalid parameter: messages with role 'tool' must be a response to a preceding message with \
                 'tool_calls'. - 'messages.[{index}].role'"
            ));
        };
        self.ids.remove(place);
        result(index, message)
    }

    fn function(&mut self, index: usize, message: &Map<String, Value>) -> Checked {
        if self.function.take().as_deref() != Some(text(message.get("name"))) {
            return Err(format!("'messages.[{index}]' is no response to a preceding 'function_call'."));
        }
        result(index, message)
    }
}

fn callable(at: &str, function: &Value) -> Checked {
    let name = text(function.get("name"));
    let is_legal = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !(1..=64).contains(&name.len()) || !name.chars().all(is_legal) {
        return Err(format!(
            "Invalid '{at}.function.name': string does not match pattern. Expected a string that matches the \
             pattern '^[a-zA-Z0-9_-]+$'."
        ));
    }
    match serde_json::from_str(text(function.get("arguments"))) {
        Ok(Value::Object(_)) => Ok(()),
        _ => Err(format!("Invalid '{at}.function.arguments': must be a JSON object in a string.")),
    }
}

fn said(index: usize, message: &Map<String, Value>) -> Checked {
    match message.get("content") {
        Some(Value::String(_)) => Ok(()),
        Some(Value::Array(parts)) if !parts.is_empty() => Ok(()),
        _ => Err(format!("Invalid value for 'content': expected a string - 'messages.[{index}].content'")),
    }
}

fn result(index: usize, message: &Map<String, Value>) -> Checked {
    said(index, message)?;
    let parts = list(message.get("content"));
    if parts.iter().any(|part| text(part.get("type")) == "image_url") {
        return Err(format!(
            "Image URLs are only allowed for messages with role 'user', but this message with role 'tool' \
             contains an image URL. - 'messages.[{index}]'"
        ));
    }
    let is_empty = |part: &Value| text(part.get("type")) == "text" && text(part.get("text")).is_empty();
    let says_nothing = text(message.get("content")).is_empty() && parts.iter().all(is_empty);
    if says_nothing { Err(format!("chat content is empty - 'messages.[{index}]'")) } else { Ok(()) }
}

fn text(value: Option<&Value>) -> &str {
    value.and_then(Value::as_str).unwrap_or_default()
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::refusal;

    const CALL: &str = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}}]}"#;
    const RESULT: &str = r#"{"role":"tool","tool_call_id":"a","content":"ok"}"#;
    const USER: &str = r#"{"role":"user","content":"go"}"#;

    fn refused(elements: &[&str]) -> Option<String> {
        refusal(format!(r#"{{"messages":[{}]}}"#, elements.join(",")).as_bytes())
    }

    #[test]
    fn what_every_provider_takes_is_taken() {
        let old = r#"{"role":"assistant","content":null,"function_call":{"name":"look","arguments":"{}"}}"#;
        let named = r#"{"role":"function","name":"look","content":"ok"}"#;
        assert_eq!(refused(&[USER, CALL, RESULT, CALL, RESULT, USER, old, named]), None);
    }

    #[test]
    fn what_real_ones_refuse_is_refused_in_their_words() {
        let with = |from: &str, to: &str| CALL.replace(from, to);
        for (words, elements) in [
            ("did not have response messages: a", vec![CALL]),
            ("did not have response messages: a", vec![CALL, USER, RESULT]),
            ("must be a response to a preceding message", vec![USER, RESULT]),
            ("must be a response to a preceding message", vec![CALL, RESULT, RESULT]),
            ("must be a JSON object", vec![&with("{}", "{"), RESULT]),
            ("must be a JSON object", vec![&with("{}", "[]"), RESULT]),
            ("'^[a-zA-Z0-9_-]+$'", vec![&with("look", "a.b"), RESULT]),
            ("too short", vec![r#"{"role":"assistant","content":"x","tool_calls":[]}"#]),
            ("content is empty", vec![CALL, &RESULT.replace("ok", "")]),
            ("Image URLs", vec![CALL, &RESULT.replace("\"ok\"", r#"[{"type":"image_url"}]"#)]),
            ("expected a string", vec![r#"{"role":"assistant","content":null}"#]),
            ("could not parse the JSON", vec![r#"{"role":"user","content":"\ud83d"}"#]),
            ("too short - 'messages'", vec![]),
        ] {
            let refusal = refused(&elements).unwrap_or_default();
            assert!(refusal.contains(words), "{elements:?}: {refusal}");
        }
        let without = r#"{"messages":[{"role":"user","content":"x"}],"#;
        for more in [r#""tools":[]}"#, r#""tool_choice":"auto"}"#] {
            assert!(refusal(format!("{without}{more}").as_bytes()).is_some(), "{more}");
        }
    }
}
