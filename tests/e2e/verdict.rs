//! What becomes of one call after a history: it goes on, or the model is told why not.

use remand::replay::{Script, Step};
use serde_json::{Value, json};

use super::scene::{Scene, elements, request, result, user};

/// A conversation, element by element.
#[derive(Clone, Debug, Default)]
pub struct History {
    elements: Vec<String>,
    calls: usize,
}

impl History {
    /// Begins with a user's word.
    pub fn new() -> Self {
        Self { elements: vec![user("diagnose")], calls: 0 }
    }

    /// An answer whose calls got these results: tool, arguments, result.
    #[must_use]
    pub fn answer(mut self, calls: &[(&str, &str, &str)]) -> Self {
        let ids: Vec<_> = (0..calls.len()).map(|place| format!("h{}", self.calls + place)).collect();
        let made: Vec<_> = ids
            .iter()
            .zip(calls)
            .map(|(id, (name, arguments, _))| {
                json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
            })
            .collect();
        self.elements.push(json!({"role": "assistant", "content": null, "tool_calls": made}).to_string());
        self.elements.extend(ids.iter().zip(calls).map(|(id, (.., text))| result(id, text)));
        self.calls += calls.len();
        self
    }

    /// An answer of one call.
    #[must_use]
    pub fn call(self, name: &str, arguments: &str, result: &str) -> Self {
        self.answer(&[(name, arguments, result)])
    }

    #[must_use]
    pub fn user(mut self, text: &str) -> Self {
        self.elements.push(user(text));
        self
    }

    pub fn request(&self, tools: &[&str], stream: bool) -> String {
        let tools: Vec<_> = tools.iter().map(|name| (*name, r#"{"type":"object"}"#)).collect();
        self.request_with(&tools, stream)
    }

    /// `tools`: name and parameters.
    pub fn request_with(&self, tools: &[(&str, &str)], stream: bool) -> String {
        let elements: Vec<_> = self.elements.iter().map(String::as_str).collect();
        request(&elements, tools, stream)
    }
}

/// The fate of each call (tool, arguments) that the model makes after `history`: `Ok` where it goes on, else what
/// the model is told.
pub async fn fates(
    rules: &str,
    history: &History,
    calls: &[(&str, &str)],
    stream: bool,
) -> Vec<Result<(), String>> {
    let made = calls
        .iter()
        .enumerate()
        .fold(Step::new(), |step, (place, (name, text))| step.call_as(format!("n{place}"), *name, *text));
    let script = Script::new().step(made).step(Step::new().say("I see.").repeat());
    let scene = Scene::new(script, rules).await;
    let mut tools: Vec<_> = calls.iter().map(|(name, _)| *name).collect();
    tools.sort_unstable();
    tools.dedup();
    let got = scene.send(history.request(&tools, stream)).await.message();
    let mut shown = elements(scene.sent().last().unwrap());
    if !got.calls.is_empty() {
        // Beside calls that went out, a refusal is told with the agent's next request.
        let mut later = history.clone();
        later.elements.push(got.element(false));
        later.elements.extend(got.calls.iter().map(|(id, ..)| result(id, "done")));
        scene.send(later.request(&tools, stream)).await;
        shown = elements(scene.sent().last().unwrap());
    }
    (0..calls.len())
        .map(|place| {
            let id = format!("n{place}");
            if got.calls.iter().any(|(known, ..)| *known == id) {
                return Ok(());
            }
            let mut told = shown.iter().map(|element| serde_json::from_str::<Value>(element).unwrap());
            let told = told.rfind(|element| element["tool_call_id"] == id.as_str());
            Err(told.unwrap_or_else(|| panic!("nothing said of {id}: {shown:?}"))["content"]
                .as_str()
                .unwrap()
                .to_owned())
        })
        .collect()
}

/// The fate of one call.
pub async fn fate(rules: &str, history: &History, name: &str, arguments: &str) -> Result<(), String> {
    fates(rules, history, &[(name, arguments)], true).await.remove(0)
}
