//! Requests that cannot be read here go on as they came, and what is answered to them is judged all the same.

use remand::guard::Reason;
use remand::observe::event::{Fact, Judged};
use remand::replay::{Script, Step};

use super::scene::Got;
use super::unreadable::DENY;
use super::watched::{Watched, verdicts};

/// Bodies that some provider reads, or that none does.
fn bodies() -> Vec<Vec<u8>> {
    let plain = r#"{"model":"m","messages":[{"role":"user","content":"go"}],"tools":[]}"#;
    let utf_16 = plain.encode_utf16().flat_map(u16::to_le_bytes);
    vec![
        [b"\xef\xbb\xbf", plain.as_bytes()].concat(),
        b"{\"temperature\":NaN,\"messages\":[{\"role\":\"user\",\"content\":\"go\"}]}".to_vec(),
        b"{\"messages\":[{\"role\":\"user\",\"content\":\"g\to\"}]}".to_vec(),
        b"{\"messages\":[{\"role\":\"user\",\"content\":\"g\xffo\"}]}".to_vec(),
        b"\xff\xfe".iter().copied().chain(utf_16).collect(),
        [plain.as_bytes(), b"\0"].concat(),
        Vec::new(),
        b"[]".to_vec(),
        b"{\"messages\":[{\"role\":\"user\",\"cont".to_vec(),
    ]
}

/// A provider's answer with calls of these names and arguments, byte by byte.
pub fn answer(calls: &[(&str, &str)], stream: bool) -> String {
    let quoted = |text: &str| serde_json::Value::from(text).to_string();
    let calls: Vec<_> = calls
        .iter()
        .enumerate()
        .map(|(place, (name, arguments))| {
            let index = if stream { format!("\"index\": {place}, ") } else { String::new() };
            format!(
                r#"{{{index}"id": "c{place}", "type": "function", "function": {{"name": "{name}", "arguments": {}}}}}"#,
                quoted(arguments)
            )
        })
        .collect();
    let calls = calls.join(", ");
    if !stream {
        return format!(
            r#"{{"id": "A", "choices": [{{"index": 0, "message": {{"role": "assistant", "content": null, "tool_calls": [{calls}]}}, "finish_reason": "tool_calls"}}]}}"#
        );
    }
    let event = |delta: &str, finish: &str| {
        format!(
            "data: {{\"id\": \"A\", \"choices\": [{{\"index\": 0, \"delta\": {delta}, \"finish_reason\": {finish}}}]}}\n\n"
        )
    };
    event(r#"{"role": "assistant"}"#, "null")
        + &event(&format!(r#"{{"tool_calls": [{calls}]}}"#), "null")
        + &event("{}", "\"tool_calls\"")
        + "data: [DONE]\n\n"
}

pub fn step(calls: &[(&str, &str)], stream: bool) -> Step {
    let kind = if stream { "text/event-stream" } else { "application/json" };
    Step::new().raw(kind, [answer(calls, stream)])
}

async fn asked(body: &[u8], step: Step, rules: &str) -> (Watched, Got) {
    let watched = Watched::new(Script::new().step(step), "", rules).await;
    let got = watched.scene.send(body.to_vec()).await;
    assert_eq!(watched.scene.provider.requests().len(), 1, "nothing can be asked again");
    assert_eq!(watched.scene.provider.requests()[0].body, body);
    (watched, got)
}

#[tokio::test]
async fn what_is_forbidden_or_unreadable_does_not_pass() {
    for body in bodies() {
        for (name, arguments, reason) in [
            ("bash", r#"{"command":"git log"}"#, Reason::Denied),
            ("functions.bash", r#"{"command":"git log"}"#, Reason::Denied),
            ("look", r#"{"at": the tree}"#, Reason::Unreadable),
            ("look", r#"{"at": "the tr"#, Reason::Truncated),
        ] {
            for stream in [true, false] {
                let (watched, got) = asked(&body, step(&[(name, arguments)], stream), DENY).await;
                let message = got.message();
                assert!(got.clean && !got.text().contains("\"tool_calls\""), "{}", got.text());
                assert_eq!((message.calls.len(), message.finish.as_str(), message.dones), (0, "stop", 1));
                assert!(message.text.contains("could not be run"), "{}", message.text);
                let facts = watched.facts().await;
                assert!(matches!(&facts[0], Fact::Unjudged { reason: Reason::Uninspected, .. }), "{facts:?}");
                assert_eq!(verdicts(&facts), [(Judged::Refused, vec![reason])]);
            }
        }
    }
}

#[tokio::test]
async fn what_can_be_read_passes_as_it_came_for_any_tool_may_be_offered() {
    let calls = [("look", r#"{ "at":1.10 }"#), ("Bash", r#"{"command":"ls"}"#), ("web.search", "{}")];
    for body in bodies() {
        for stream in [true, false] {
            let (watched, got) = asked(&body, step(&calls, stream), DENY).await;
            assert_eq!((got.text(), got.clean), (answer(&calls, stream).as_str(), true));
            let facts = watched.facts().await;
            assert!(verdicts(&facts).iter().all(|(verdict, _)| *verdict == Judged::Forwarded), "{facts:?}");
        }
    }
}

#[tokio::test]
async fn a_good_sibling_of_a_forbidden_call_passes() {
    let calls = [("bash", r#"{"command":"git log"}"#), ("look", "{}")];
    for stream in [true, false] {
        let (_, got) = asked(b"[]", step(&calls, stream), DENY).await;
        let message = got.message();
        assert_eq!((message.calls.len(), message.calls[0].1.as_str()), (1, "look"));
        assert_eq!((message.finish.as_str(), message.text.as_str()), ("tool_calls", ""));
    }
}

#[tokio::test]
async fn observing_changes_nothing_of_it() {
    let calls = [("bash", r#"{"command":"git log"}"#), ("look", "{")];
    for body in bodies() {
        for stream in [true, false] {
            let rules = format!("[guard]\nmode = \"observe\"\n{DENY}");
            let (_, got) = asked(&body, step(&calls, stream), &rules).await;
            assert_eq!((got.text(), got.clean), (answer(&calls, stream).as_str(), true));
        }
    }
}

/// Such a request can be read, but there is no history that a refused call could be put into.
#[tokio::test]
async fn without_a_history_nothing_is_asked_again() {
    for body in ["{}", r#"{"messages":{},"tools":"x"}"#] {
        for stream in [true, false] {
            let (_, got) = asked(body.as_bytes(), step(&[("look", "{")], stream), "").await;
            assert_eq!((got.message().calls.len(), got.message().finish.as_str()), (0, "stop"));
        }
    }
}
