//! A scripted provider, the proxy in front of it, and an agent that is nobody's SDK.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use remand::config::{self, Overrides};
use remand::observe::Events;
use remand::proxy::server::Server;
use remand::replay::{self, Script};
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Nothing in these tests takes long; what does is a fault.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Scene {
    pub provider: replay::Server,
    pub base_url: String,
    client: Client<HttpConnector, Full<Bytes>>,
    _running: JoinSet<()>,
}

/// What the agent got.
#[derive(Debug)]
pub struct Got {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// The body ended as it should.
    pub clean: bool,
}

impl Scene {
    /// `rules`: configuration besides `[listen]` and `[[upstream]]`.
    pub async fn new(script: Script, rules: &str) -> Self {
        Self::with(script, "", rules).await
    }

    /// `listen`: further keys of `[listen]`.
    pub async fn with(script: Script, listen: &str, rules: &str) -> Self {
        let provider = replay::Server::start(script).unwrap();
        let plan = Self::plan(&provider, listen, rules);
        let server = Server::bind(plan, Events::default()).await.unwrap();
        Self::around(provider, server)
    }

    /// A proxy that is told another way to the provider. `rules` as for `plan_for`.
    pub async fn by_way_of(provider: replay::Server, base_url: &str, rules: &str) -> Self {
        let server = Server::bind(Self::plan_for(base_url, "", rules), Events::default()).await.unwrap();
        Self::around(provider, server)
    }

    /// The configuration of a proxy in front of `provider`.
    pub fn plan(provider: &replay::Server, listen: &str, rules: &str) -> config::Plan {
        Self::plan_for(&provider.base_url(), listen, rules)
    }

    /// The same for a provider at any base URL. What `rules` begins with belongs to the upstream.
    pub fn plan_for(base_url: &str, listen: &str, rules: &str) -> config::Plan {
        let text = format!(
            "[listen]\naddress = \"127.0.0.1:0\"\n{listen}\n[[upstream]]\nname = \"scripted\"\nbase_url = \"{base_url}\"\n{rules}"
        );
        config::parse("scene.toml", &text, "".as_ref(), &Overrides::default(), &|_| None)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// A proxy that was bound by the test itself.
    pub fn around(provider: replay::Server, server: Server) -> Self {
        let base_url = format!("http://{}/v1", server.address());
        let mut running = JoinSet::new();
        running.spawn(server.run(std::future::pending()));
        let client = Client::builder(TokioExecutor::new()).build_http();
        Self { provider, base_url, client, _running: running }
    }

    /// Sends a request, and reads the answer to its end.
    pub async fn send(&self, body: impl Into<Bytes>) -> Got {
        let response = self.open(body).await;
        timeout(PATIENCE, Got::read(response)).await.unwrap()
    }

    /// Sends a request, and waits for the answer's head.
    pub async fn open(&self, body: impl Into<Bytes>) -> http::Response<Incoming> {
        self.open_as("sk-agent", body).await
    }

    /// The same with another key: another tenant.
    pub async fn open_as(&self, key: &str, body: impl Into<Bytes>) -> http::Response<Incoming> {
        self.post(&self.base_url, key, body.into()).await
    }

    /// What the provider answers to who asks it without the proxy.
    pub async fn straight(&self, body: impl Into<Bytes>) -> Got {
        Got::read(self.post(&self.provider.base_url(), "sk-agent", body.into()).await).await
    }

    /// Sends any request, and waits for the answer's head. `path` begins at the proxy's root.
    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> http::Response<Incoming> {
        let root = self.base_url.strip_suffix("/v1").unwrap();
        let mut request = Request::builder().method(method).uri(format!("{root}{path}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(body.into())).unwrap();
        timeout(PATIENCE, self.client.request(request)).await.unwrap().unwrap()
    }

    /// Posts a request with these headers to the path of chat completions, and reads the answer to its end.
    pub async fn chat(&self, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Got {
        let response = self.ask(Method::POST, "/v1/chat/completions", headers, body).await;
        timeout(PATIENCE, Got::read(response)).await.unwrap()
    }

    async fn post(&self, base_url: &str, key: &str, body: Bytes) -> http::Response<Incoming> {
        let request = Request::post(format!("{base_url}/chat/completions"))
            .header("content-type", "application/json")
            .header("authorization", format!("Bearer {key}"))
            .body(Full::new(body))
            .unwrap();
        timeout(PATIENCE, self.client.request(request)).await.unwrap().unwrap()
    }

    /// The bodies that the provider was sent, in order.
    pub fn sent(&self) -> Vec<String> {
        self.provider
            .requests()
            .into_iter()
            .map(|request| String::from_utf8(request.body.to_vec()).unwrap())
            .collect()
    }
}

impl Got {
    pub async fn read(response: http::Response<Incoming>) -> Self {
        let (head, mut incoming) = response.into_parts();
        let (mut body, mut clean) = (Vec::new(), true);
        while let Some(frame) = incoming.frame().await {
            let Ok(frame) = frame else {
                clean = false;
                break;
            };
            body.extend_from_slice(&frame.into_data().unwrap_or_default());
        }
        Self { status: head.status, headers: head.headers, body: body.into(), clean }
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// An error of the proxy's own, as every client reads errors.
    #[track_caller]
    pub fn assert_ours(&self, status: StatusCode, code: &str) {
        assert_eq!((self.status, self.clean), (status, true), "{}", self.text());
        assert_eq!(self.headers["content-type"], "application/json");
        let body: Value = serde_json::from_slice(&self.body).unwrap();
        let error = &body["error"];
        assert_eq!((&error["type"], &error["code"]), (&"remand_error".into(), &code.into()), "{body}");
        assert!(error["message"].as_str().is_some_and(|message| !message.is_empty()), "{body}");
    }

    /// What a client's accumulator makes of the answer, streamed or whole: the assistant's message.
    pub fn message(&self) -> Message {
        if self.text().trim_start().starts_with('{') {
            let body: Value = serde_json::from_slice(&self.body).unwrap();
            return Message::whole(&body);
        }
        Message::streamed(self.text())
    }
}

/// An assistant's message as a client holds it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Message {
    pub text: String,
    /// Id, name, arguments.
    pub calls: Vec<(String, String, String)>,
    pub finish: String,
    /// Input and output tokens.
    pub usage: Option<(u64, u64)>,
    /// How many roles and how many finish reasons a stream told; ids and ends too.
    pub roles: usize,
    pub finishes: usize,
    pub ids: Vec<String>,
    pub dones: usize,
}

impl Message {
    fn whole(body: &Value) -> Self {
        let choice = &body["choices"][0];
        let mut message = Self { roles: 1, finishes: 1, dones: 1, ..Self::default() };
        message.take(&choice["message"], body);
        choice["finish_reason"].as_str().unwrap_or_default().clone_into(&mut message.finish);
        message
    }

    pub fn streamed(text: &str) -> Self {
        let mut message = Self::default();
        for data in text.lines().filter_map(|line| line.strip_prefix("data:")) {
            if data.trim() == "[DONE]" {
                message.dones += 1;
                continue;
            }
            let event: Value = serde_json::from_str(data).unwrap();
            let choice = &event["choices"][0];
            message.roles +=
                usize::from(choice["delta"]["role"].as_str().is_some_and(|role| !role.is_empty()));
            if let Some(finish) = choice["finish_reason"].as_str() {
                finish.clone_into(&mut message.finish);
                message.finishes += 1;
            }
            message.take(&choice["delta"], &event);
        }
        message
    }

    /// As the official clients accumulate: by index, strings joined.
    fn take(&mut self, delta: &Value, event: &Value) {
        self.text.push_str(delta["content"].as_str().unwrap_or_default());
        for (place, call) in delta["tool_calls"].as_array().into_iter().flatten().enumerate() {
            let index = call["index"].as_u64().map_or(place, |index| usize::try_from(index).unwrap());
            assert!(index <= self.calls.len(), "the numbers of calls have a gap: {event}");
            if index == self.calls.len() {
                self.calls.push(Default::default());
            }
            let slot = &mut self.calls[index];
            slot.0.push_str(call["id"].as_str().unwrap_or_default());
            slot.1.push_str(call["function"]["name"].as_str().unwrap_or_default());
            slot.2.push_str(call["function"]["arguments"].as_str().unwrap_or_default());
        }
        if let Some(usage) = event["usage"].as_object() {
            let tokens = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or_default();
            self.usage = Some((tokens("prompt_tokens"), tokens("completion_tokens")));
        }
        if let Some(id) = event["id"].as_str()
            && !self.ids.iter().any(|known| known == id)
        {
            self.ids.push(id.to_owned());
        }
    }

    /// The message as an agent puts it into its history, arguments written anew where `anew`.
    pub fn element(&self, anew: bool) -> String {
        let calls: Vec<_> = self.calls.iter().map(|(id, name, arguments)| {
            let arguments = if anew {
                let value: Value = serde_json::from_str(arguments).unwrap();
                serde_json::to_string_pretty(&value).unwrap()
            } else {
                arguments.clone()
            };
            serde_json::json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
        }).collect();
        let text = if self.text.is_empty() { Value::Null } else { Value::from(self.text.clone()) };
        let mut element = serde_json::json!({"role": "assistant", "content": text});
        if !calls.is_empty() {
            element["tool_calls"] = calls.into();
        }
        element.to_string()
    }
}

/// Lets time go by at once, after all that is on its way has arrived. Nobody waits for it, and how fast the
/// machine is does not matter.
pub async fn pass(time: Duration) {
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

/// A tool's result as an agent puts it into its history.
pub fn result(id: &str, text: &str) -> String {
    serde_json::json!({"role": "tool", "tool_call_id": id, "content": text}).to_string()
}

/// A request: its elements, its tools (name and parameters), whether it is streamed.
pub fn request(elements: &[&str], tools: &[(&str, &str)], stream: bool) -> String {
    let tools: Vec<_> = tools
        .iter()
        .map(|(name, parameters)| {
            format!(r#"{{"type":"function","function":{{"name":"{name}","parameters":{parameters}}}}}"#)
        })
        .collect();
    let usage = if stream { r#","stream_options":{"include_usage":true}"# } else { "" };
    format!(
        r#"{{"model":"m","stream":{stream}{usage},"messages":[{}],"tools":[{}]}}"#,
        elements.join(","),
        tools.join(",")
    )
}

pub fn user(text: &str) -> String {
    serde_json::json!({"role": "user", "content": text}).to_string()
}

/// The elements of a request as they were sent, each as its bytes.
pub fn elements(body: &str) -> Vec<String> {
    let json = remand::wire::span::Json::parse(body).unwrap();
    json.member("messages").unwrap().elements().map(|element| element.text().to_owned()).collect()
}
