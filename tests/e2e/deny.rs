//! What the operator forbids goes through in no dress, and however often the model insists.

use remand::guard::Reason;
use remand::observe::event::Judged;
use remand::replay::{Script, Step};

use super::scene::{Scene, request, user};
use super::watched::{Watched, verdicts};

const RULES: &str = r#"
[[tool]]
name = ["bash", "patch"]
[[tool.argument]]
at = "/command"
normalise = ["lowercase"]
[[tool.deny]]
at = "/command"
matches = '\bgit\b'
reason = "Repositories are read through the Git tools only."
"#;

const BASH: &str = r#"{"type":"function","function":{"name":"bash","parameters":{"type":"object"}}}"#;
const PATCH: &str = r#"{"type":"custom","custom":{"name":"patch"}}"#;

fn question(stream: bool) -> String {
    let body = request(&[&user("go")], &[], stream);
    body.replace(r#""tools":[]"#, &format!(r#""tools":[{BASH},{PATCH}]"#))
}

const FORBIDDEN: &[(&str, &str)] = &[
    ("bash", r#"{"command":"cd x && git log"}"#),
    ("bash", r#"{"command":"git log","command":"ls"}"#),
    ("bash", r#"{"command":"ls","command":"git log"}"#),
    ("bash", r#"{"command":"\u0067it log"}"#),
    ("bash", r#"{"comm\u0061nd":"git log"}"#),
    ("bash", r#"{"command":{"run":["ls",{"then":"git log"}]}}"#),
    ("bash", r#"{"command":"GIT log"}"#),
    ("bash", r#"{"command":"ls"}{"command":"git log"}"#),
    ("bash", "```json\n{\"command\":\"git log\"}\n```"),
    ("bash", "{'command': 'git log'}"),
    ("bash", r#""{\"command\":\"g\\u0069t log\"}""#),
    ("bash", r#"{"command":"git log"#),
    ("bash", r#"{"command":"a "git" log"}"#),
    ("functions.bash", r#"{"command":"git log"}"#),
    ("Bash", r#"{"command":"git log"}"#),
    ("bash<|channel|>json", r#"{"command":"git log"}"#),
    (
        "multi_tool_use.parallel",
        r#"{"tool_uses":[{"recipient_name":"functions.bash","parameters":{"command":"git log"}}]}"#,
    ),
];

/// Never forwarded, refused for this and nothing else, and the operator's words told to the model.
async fn assert_forbidden(step: Step, what: &str, stream: bool) {
    let watched = Watched::new(Script::new().step(step.repeat()), "", RULES).await;
    let got = watched.scene.send(question(stream)).await;
    let message = got.message();
    assert!(!got.text().contains("\"tool_calls\"") && message.calls.is_empty(), "{what}: {}", got.text());
    assert_eq!((message.finish.as_str(), message.dones), ("stop", 1));
    assert!(message.text.contains("Repositories are read through"), "{}", message.text);
    let sent = watched.scene.sent();
    assert_eq!(sent.len(), 4);
    assert!(
        sent[1]
            .contains("this request is not allowed here. Repositories are read through the Git tools only.")
    );
    assert!(!sent[1].contains("Please fix"), "the model made no mistake: {}", sent[1]);
    let verdicts = verdicts(&watched.facts().await);
    assert_eq!(verdicts[0], (Judged::Refused, vec![Reason::Denied]), "{what}");
}

#[tokio::test]
async fn a_forbidden_argument_goes_through_in_no_dress() {
    for (name, arguments) in FORBIDDEN {
        for stream in [true, false] {
            assert_forbidden(Step::new().call(*name, *arguments).chunk(5), arguments, stream).await;
        }
    }
}

#[tokio::test]
async fn nor_does_free_text() {
    for input in ["run git log", "{\"command\": \"git log\"}"] {
        for stream in [true, false] {
            assert_forbidden(Step::new().custom("patch", input).chunk(5), input, stream).await;
        }
    }
}

#[tokio::test]
async fn what_only_looks_alike_goes_through_unchanged() {
    for (name, arguments) in [
        ("bash", r#"{"command":"digit"}"#),
        ("bash", r#"{"note":"git log","command":"ls"}"#),
        ("bash", r#"{"commands":["git log"]}"#),
        ("bash", r#"{"git":"git"}"#),
    ] {
        for stream in [true, false] {
            let scene =
                Scene::new(Script::new().step(Step::new().call(name, arguments).chunk(5)), RULES).await;
            let message = scene.send(question(stream)).await.message();
            assert_eq!(message.calls[0].2, arguments);
            assert_eq!(scene.sent().len(), 1);
        }
    }
}

#[tokio::test]
async fn siblings_of_a_forbidden_call_run() {
    for stream in [true, false] {
        let step = Step::new().call("bash", r#"{"command":"ls"}"#).call("bash", r#"{"command":"git log"}"#);
        let scene = Scene::new(Script::new().step(step), RULES).await;
        let got = scene.send(question(stream)).await;
        assert_eq!(got.message().calls.len(), 1);
        assert!(!got.text().contains("git"), "{}", got.text());
        assert_eq!((got.message().finish.as_str(), scene.sent().len()), ("tool_calls", 1));
    }
}
