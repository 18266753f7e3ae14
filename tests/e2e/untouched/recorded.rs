//! Recorded chats: what goes through as it came, and what is done to the rest.

use remand::guard::Reason;
use remand::replay::{Script, Step};
use serde_json::Value;

use crate::court::{Court, Cut, transcript};
use crate::scene::{Message, Scene, elements};
use crate::streams::{Recorded, recorded};

/// What is done to a stream, and no more.
enum Deviation {
    /// The end is told though the provider only closed the connection.
    DoneAdded,
    /// Pieces are put so that every client reads them rightly: what stands there, and what goes out.
    Rewritten(&'static [(&'static str, &'static str)]),
    /// Its only call was cut at the output limit: the model is told, and asked again.
    Remanded,
    /// The provider refused its only call, and said so in the stream: the model is told, and asked again.
    RefusedInside,
    /// The last of its calls was cut at the output limit: the others go on without it.
    SiblingCut { id: &'static str },
}

/// All streams that do not go through byte for byte.
const DEVIATIONS: &[(&str, Deviation)] = &[
    ("chat-huggingface-a4edc6", Deviation::DoneAdded),
    ("chat-writer-5fe196", Deviation::DoneAdded),
    ("chat-writer-749440", Deviation::DoneAdded),
    // A number for a call that has none.
    (
        "chat-mistral-166b7a",
        Deviation::Rewritten(&[("\"tool_calls\":[{\"id\"", "\"tool_calls\":[{\"index\":0,\"id\"")]),
    ),
    // The end of an answer with calls is called so.
    ("chat-openai-8f0adc", Deviation::Rewritten(&[STOP_IS_CALLS])),
    ("chat-openai-9dc8b5", Deviation::Rewritten(&[STOP_IS_CALLS])),
    // No finish.
    ("chat-openai-f1586c", Deviation::Rewritten(&[FINISH_ADDED])),
    // No finish either, and the id and the name twice.
    (
        "chat-openai-2d77ff",
        Deviation::Rewritten(&[
            (
                r#"[{"index":0,"id":"0","type":"function","function":{"name":"llm_version","arguments":"{}"}}]"#,
                r#"[{"index":0,"function":{"arguments":"{}"}}]"#,
            ),
            FINISH_ADDED,
        ]),
    ),
    ("chat-deepseek-06b82f", Deviation::Remanded),
    ("chat-deepseek-359046", Deviation::Remanded),
    ("chat-deepseek-5dc3a6", Deviation::Remanded),
    ("chat-mistral-34eb30", Deviation::Remanded),
    ("chat-mistral-724e22", Deviation::Remanded),
    ("chat-openai-3bc67e", Deviation::Remanded),
    ("chat-openai-40ac9f", Deviation::Remanded),
    ("chat-openrouter-442eab", Deviation::Remanded),
    ("chat-openrouter-de7b27", Deviation::Remanded),
    ("chat-groq-7efa71", Deviation::RefusedInside),
    ("chat-deepseek-e6b00d", Deviation::SiblingCut { id: "call_REDACTED_2" }),
];

const STOP_IS_CALLS: (&str, &str) = ("\"finish_reason\":\"stop\"", "\"finish_reason\":\"tool_calls\"");

const FINISH_ADDED: (&str, &str) = (
    "data: [DONE]",
    concat!(
        "data: {\"id\":\"gen-1753242299-QZRAt5HJHd1ptY8sdS0s\",\"created\":1753242299,\"model\":\"moonshotai/kimi-k2\",",
        "\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
        "data: [DONE]"
    ),
);

/// What the model says when it is told that its call was cut.
const AGAIN: &str = "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"I \"},\"finish_reason\":null}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"give up.\"},\"finish_reason\":null}]}\n\ndata: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

impl Recorded {
    fn deviation(&self) -> Option<&'static Deviation> {
        DEVIATIONS.iter().find(|(name, _)| *name == self.name).map(|(_, deviation)| deviation)
    }

    /// What the provider is told of the request: the history of one holds arguments that are no object.
    fn request_told(&self) -> String {
        self.request.replace(r#""arguments": "null""#, r#""arguments": "{}""#)
    }

    /// What goes out of the stream alone.
    fn expected(&self) -> String {
        let stream = String::from_utf8(self.stream.clone()).unwrap();
        match self.deviation() {
            None => stream,
            Some(Deviation::DoneAdded) => stream + "data: [DONE]\n\n",
            Some(Deviation::Rewritten(pairs)) => pairs.iter().fold(stream, |stream, (from, to)| {
                let (before, after) = stream.rsplit_once(from).unwrap();
                [before, to, after].concat()
            }),
            Some(Deviation::Remanded) => events(&stream).take_while(|event| !event.contains(CALLS)).collect(),
            Some(Deviation::RefusedInside) => {
                events(&stream).take_while(|event| !event.starts_with("event: error")).collect()
            }
            Some(Deviation::SiblingCut { id }) => {
                let mut gone = false;
                let kept = events(&stream).filter(|event| {
                    gone |= event.contains(id);
                    !(gone && event.contains(CALLS))
                });
                let kept: String = kept.collect();
                kept.replace("\"finish_reason\":\"length\"", "\"finish_reason\":\"tool_calls\"")
            }
        }
    }

    /// The calls as a client puts them together; of a name or an id told twice the first counts.
    fn told(&self) -> Vec<(String, String, String)> {
        let mut calls: Vec<(Option<u64>, String, String, String)> = Vec::new();
        let text = String::from_utf8(self.stream.clone()).unwrap();
        for event in events(&text) {
            let data = event.lines().find_map(|line| line.strip_prefix("data: ")).unwrap_or_default();
            let Ok(event) = serde_json::from_str::<Value>(data) else { continue };
            for piece in event["choices"][0]["delta"]["tool_calls"].as_array().into_iter().flatten() {
                let index = piece["index"].as_u64();
                let known = calls.iter().rposition(|call| index.is_some() && call.0 == index);
                let at = known.unwrap_or_else(|| {
                    calls.push((index, String::new(), String::new(), String::new()));
                    calls.len() - 1
                });
                let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
                let (_, id, name, arguments) = &mut calls[at];
                let once = |known: &mut String, told: String| {
                    if known.is_empty() {
                        *known = told;
                    }
                };
                once(id, text(&piece["id"]));
                once(name, text(&piece["function"]["name"]));
                arguments.push_str(&text(&piece["function"]["arguments"]));
            }
        }
        calls.into_iter().map(|(_, id, name, arguments)| (id, name, arguments)).collect()
    }
}

const CALLS: &str = "\"tool_calls\":[{";

/// The events of a stream whose lines end with LF.
fn events(stream: &str) -> impl Iterator<Item = &str> {
    stream.split_inclusive("\n\n")
}

#[test]
fn every_recorded_stream_goes_through_as_it_came_or_as_the_table_says() {
    let all = recorded("chat");
    for recorded in &all {
        let name = &recorded.name;
        let transcript = transcript(recorded.request.clone());
        for cut in Cut::ALL {
            let mut court = Court::new(&transcript);
            court.hear(&cut.cut(&recorded.stream)).unwrap();
            assert_eq!(String::from_utf8(court.out).unwrap(), recorded.expected(), "{name}, {cut:?}");
            assert_eq!(court.calls, recorded.told(), "{name}, {cut:?}");
            assert_eq!(court.calls.len(), recorded.calls, "{name}, {cut:?}");
            let cuts = match recorded.deviation() {
                Some(Deviation::Remanded | Deviation::SiblingCut { .. }) => vec![Reason::Truncated],
                _ => Vec::new(),
            };
            assert_eq!((court.refused, court.rewritten), (cuts, Vec::new()), "{name}, {cut:?}");
            let waits = matches!(recorded.deviation(), Some(Deviation::Remanded));
            assert_eq!(court.answer.must_wait(), waits, "{name}, {cut:?}");
        }
    }
    for (name, _) in DEVIATIONS.iter().filter(|_| !all.is_empty()) {
        assert!(all.iter().any(|recorded| recorded.name == *name), "{name} is not there any more");
    }
}

#[tokio::test]
async fn over_sockets_every_recorded_stream_reaches_the_agent_the_same() {
    for recorded in recorded("chat") {
        let name = &recorded.name;
        let script = Script::new()
            .step(Step::new().raw_events(Cut::Random(7).cut(&recorded.stream)))
            .step(Step::new().raw_events([AGAIN]));
        let scene = Scene::new(script, "").await;
        let got = scene.send(recorded.request.clone()).await;
        assert!(got.clean, "{name}");
        let sent = scene.sent();
        assert_eq!(sent[0], recorded.request_told(), "{name}");
        if !matches!(recorded.deviation(), Some(Deviation::Remanded | Deviation::RefusedInside)) {
            assert_eq!((got.text(), sent.len()), (recorded.expected().as_str(), 1), "{name}");
            continue;
        }
        assert!(got.text().starts_with(&recorded.expected()), "{name}: {}", got.text());
        let message = got.message();
        assert_eq!((message.calls.len(), message.finish.as_str()), (0, "stop"), "{name}: {}", got.text());
        assert_eq!((message.roles, message.finishes, message.dones), (1, 1, 1), "{name}: {}", got.text());
        let said = String::from_utf8(recorded.stream.clone()).unwrap();
        let before = Message::streamed(&said).text;
        let apart = if before.is_empty() { "" } else { "\n\n" };
        assert_eq!(message.text, format!("{before}{apart}I give up."), "{name}");
        let (first, again) = (elements(&sent[0]), elements(&sent[1]));
        assert_eq!(again[..first.len()], first, "{name}");
        if let Some((id, ..)) = recorded.told().first() {
            assert!(again[first.len()].contains(id) && again[first.len() + 1].contains(id), "{name}");
        }
        assert_eq!((sent.len(), again.len()), (2, first.len() + 2), "{name}");
    }
}
