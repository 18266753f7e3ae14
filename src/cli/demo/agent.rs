//! A small agent: it asks, reads the stream as it comes, runs what it is told to run, and asks again.
//!
//! It knows nothing of the proxy: it has a base URL, as any agent has one. An answer that does not end cleanly is
//! an error to it.

use anyhow::{Context, bail, ensure};
use bytes::Bytes;
use http::{Request, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use serde::{Deserialize, Serialize};

use super::scene::Cancelled;
use super::tool;
use crate::wire::sse::Framer;

pub(super) const SYSTEM: &str = "You are the demo's assistant.";
/// Answers to one question of the user, before the agent gives up.
const PATIENCE: usize = 8;
const MAX_EVENT: usize = 1 << 20;

pub(super) struct Agent {
    client: Client<HttpConnector, Full<Bytes>>,
    base_url: String,
    model: &'static str,
}

/// One answer, as it arrived, and what the agent did about it.
#[derive(Debug, Default)]
pub(super) struct Turn {
    /// The request.
    pub(super) asked: Vec<u8>,
    pub(super) text: String,
    pub(super) calls: Vec<Call>,
    /// What its tools answered, in the order of the calls.
    pub(super) results: Vec<String>,
    /// Every byte of the answer's body.
    pub(super) heard: Vec<u8>,
    /// Why it ended, if it said so.
    pub(super) finish: Option<String>,
    /// Whether `[DONE]` came.
    pub(super) done: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) arguments: String,
}

// What goes out.

#[derive(Serialize)]
struct Ask<'a> {
    model: &'a str,
    stream: bool,
    stream_options: Options,
    tools: &'a serde_json::value::RawValue,
    messages: &'a [Message],
}

#[derive(Serialize)]
struct Options {
    include_usage: bool,
}

#[derive(Serialize)]
struct Message {
    role: &'static str,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Called>,
}

#[derive(Serialize)]
struct Called {
    id: String,
    r#type: &'static str,
    function: Function,
}

#[derive(Serialize)]
struct Function {
    name: String,
    arguments: String,
}

// What comes in.

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    error: Option<Problem>,
}

#[derive(Deserialize)]
struct Problem {
    message: String,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default)]
    delta: Delta,
    finish_reason: Option<String>,
}

#[derive(Deserialize, Default)]
struct Delta {
    content: Option<String>,
    #[serde(default)]
    tool_calls: Vec<CallDelta>,
}

#[derive(Deserialize)]
struct CallDelta {
    index: usize,
    id: Option<String>,
    #[serde(default)]
    function: FunctionDelta,
}

#[derive(Deserialize, Default)]
struct FunctionDelta {
    name: Option<String>,
    arguments: Option<String>,
}

// === impl Agent ===

impl Agent {
    pub(super) fn new(base_url: String, model: &'static str) -> Self {
        Self { client: Client::builder(TokioExecutor::new()).build_http(), base_url, model }
    }

    /// Asks until the model ends in words. `after` is handed each answer once its calls have run.
    pub(super) async fn converse(
        &self,
        cancelled: Option<&Cancelled>,
        user: &str,
        mut after: impl FnMut(Turn),
    ) -> anyhow::Result<()> {
        let mut messages = vec![Message::plain("system", SYSTEM.to_owned())];
        messages.extend(cancelled.into_iter().flat_map(Message::cancelled));
        messages.push(Message::plain("user", user.to_owned()));
        for _ in 0..PATIENCE {
            let mut turn = self.ask(&messages).await?;
            if turn.calls.is_empty() {
                after(turn);
                return Ok(());
            }
            turn.results = turn.calls.iter().map(Call::run).collect::<Result<_, _>>()?;
            messages.push(Message::calling(turn.text.clone(), &turn.calls));
            let results = turn.calls.iter().zip(&turn.results);
            messages.extend(results.map(|(call, result)| Message::result(call, result.clone())));
            after(turn);
        }
        bail!("the model had not come to an end after {PATIENCE} answers")
    }

    async fn ask(&self, messages: &[Message]) -> anyhow::Result<Turn> {
        let ask = Ask {
            model: self.model,
            stream: true,
            stream_options: Options { include_usage: true },
            tools: serde_json::from_str(tool::OFFERED)?,
            messages,
        };
        let asked = serde_json::to_vec(&ask)?;
        let request = Request::post(format!("{}/chat/completions", self.base_url))
            .header(header::CONTENT_TYPE, "application/json")
            .header(header::AUTHORIZATION, "Bearer not-a-key")
            .body(Full::from(asked.clone()))?;
        let response = self.client.request(request).await.context("failed to reach the proxy")?;
        let (head, mut body) = response.into_parts();
        if head.status != StatusCode::OK {
            let body = body.collect().await?.to_bytes();
            bail!("the agent got {}: {}", head.status, String::from_utf8(body.into())?);
        }
        let mut framer = Framer::new(MAX_EVENT);
        let mut turn = Turn { asked, ..Turn::default() };
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.context("the answer broke off")?.into_data() else { continue };
            turn.heard.extend_from_slice(&data);
            framer.push(data);
            while let Some(frame) = framer.next_frame()? {
                turn.hear(frame.data.as_deref())?;
            }
        }
        ensure!(turn.done && turn.finish.is_some(), "the answer did not end cleanly");
        Ok(turn)
    }
}

// === impl Turn ===

impl Turn {
    /// Takes in one event.
    fn hear(&mut self, data: Option<&[u8]>) -> anyhow::Result<()> {
        let Some(data) = data else { return Ok(()) };
        if data == b"[DONE]" {
            self.done = true;
            return Ok(());
        }
        let chunk: Chunk = serde_json::from_slice(data).context("failed to read an event")?;
        if let Some(error) = chunk.error {
            bail!("the answer ended in an error: {}", error.message);
        }
        for Choice { delta, finish_reason } in chunk.choices {
            self.text.push_str(&delta.content.unwrap_or_default());
            for call in delta.tool_calls {
                self.take(call)?;
            }
            self.finish = finish_reason.or(self.finish.take());
        }
        Ok(())
    }

    fn take(&mut self, delta: CallDelta) -> anyhow::Result<()> {
        if delta.index == self.calls.len() {
            self.calls.push(Call::default());
        }
        let Some(call) = self.calls.get_mut(delta.index) else {
            bail!("call {} came before call {}", delta.index, self.calls.len());
        };
        call.id.push_str(&delta.id.unwrap_or_default());
        call.name.push_str(&delta.function.name.unwrap_or_default());
        call.arguments.push_str(&delta.function.arguments.unwrap_or_default());
        Ok(())
    }
}

// === impl Call ===

impl Call {
    fn run(&self) -> Result<String, tool::Raised> {
        tool::run(&self.name, &self.arguments)
    }
}

// === impl Message ===

impl Message {
    fn plain(role: &'static str, content: String) -> Self {
        Self { role, content, tool_call_id: None, tool_calls: Vec::new() }
    }
    fn calling(text: String, calls: &[Call]) -> Self {
        let called = |Call { id, name, arguments }: Call| Called {
            id,
            r#type: "function",
            function: Function { name, arguments },
        };
        let tool_calls = calls.iter().cloned().map(called).collect();
        Self { tool_calls, ..Self::plain("assistant", text) }
    }
    fn result(call: &Call, result: String) -> Self {
        Self { tool_call_id: Some(call.id.clone()), ..Self::plain("tool", result) }
    }
    /// What the user asked, and the call in answer to it.
    fn cancelled(turn: &Cancelled) -> [Self; 2] {
        let [id, name, arguments] = [turn.id, turn.name, turn.arguments].map(str::to_owned);
        let user = Self::plain("user", turn.user.to_owned());
        [user, Self::calling(String::new(), &[Call { id, name, arguments }])]
    }
}

#[cfg(test)]
mod tests;
