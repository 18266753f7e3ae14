//! A model that insists, and a provider that will not be asked again: every exchange comes to an end.

mod conclude;
mod cut;
mod insist;
mod reask;

use http::StatusCode;
use remand::replay::{Script, Step};

use super::scene::{Got, Message, Scene};
use super::verdict::History;

pub const EDIT: (&str, &str) =
    ("edit", r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#);
pub const GOOD: &str = r#"{"path":"/a"}"#;
/// Odd on purpose: what goes on must be what the model wrote.
pub const BAD: &str = r#"{ "path" : 7e0,"x":1.10 }"#;
pub const DENY: &str = "[[tool]]\nname = [\"edit\"]\n[[tool.deny]]\nat = \"/path\"\nmatches = \"^/a\"\nreason = \"Not there.\"\n";

/// A call that a model makes again and again.
pub struct Insistence {
    pub what: &'static str,
    pub name: &'static str,
    pub arguments: String,
    pub finish: &'static str,
    pub rules: &'static str,
    pub history: History,
}

pub fn insistence(what: &'static str) -> Insistence {
    let mut this = Insistence {
        what,
        name: EDIT.0,
        arguments: GOOD.to_owned(),
        finish: "tool_calls",
        rules: "",
        history: History::new(),
    };
    match what {
        "invalid" => BAD.clone_into(&mut this.arguments),
        "unknown_tool" => this.name = "frobnicate",
        "unreadable" => r#"{"path": "say "hi""}"#.clone_into(&mut this.arguments),
        "truncated" => (this.arguments, this.finish) = (r#"{"path":"/a"#.to_owned(), "length"),
        "denied" => this.rules = DENY,
        "repeated" => this.history = this.history.call(EDIT.0, GOOD, "Error: disk full"),
        "terminal" => {
            this.history =
                this.history.call(EDIT.0, GOOD, r#"{"_terminal_failure":"read-only disk","error":"no"}"#);
        }
        "too_large" => this.arguments = format!(r#"{{"path":"{}"}}"#, "a".repeat(8192)),
        other => panic!("{other}"),
    }
    this
}

impl Insistence {
    pub fn step(&self) -> Step {
        Step::new().call(self.name, self.arguments.clone()).finish(self.finish).chunk(1000)
    }

    pub async fn scene(&self, script: Script, rounds: usize) -> Scene {
        let rules = format!("[guard]\nrounds = {rounds}\n{}", self.rules);
        Scene::with(script, "max_held = \"4KiB\"", &rules).await
    }

    pub fn request(&self, stream: bool) -> String {
        self.history.request_with(&[EDIT], stream)
    }
}

/// Complete, and nothing that a client cannot put together.
pub fn assert_whole(got: &Got, what: &str) -> Message {
    assert_eq!((got.status, got.clean), (StatusCode::OK, true), "{what}");
    let message = got.message();
    assert_eq!((message.roles, message.finishes, message.dones), (1, 1, 1), "{what}: {}", got.text());
    assert!(message.ids.len() <= 1, "{what}: {}", got.text());
    message
}

pub const CONCLUDE: &str = r#","tool_choice":"none""#;

/// A stream whose only event holds the role and a call, so that nothing can go out.
pub fn held(arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).unwrap();
    format!(
        r#"data: {{"id":"A","choices":[{{"index":0,"delta":{{"role":"assistant","tool_calls":[{{"index":0,"id":"c","type":"function","function":{{"name":"edit","arguments":{arguments}}}}}]}},"finish_reason":"tool_calls"}}]}}"#
    ) + "\n\ndata: [DONE]\n\n"
}
