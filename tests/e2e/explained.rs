//! What `remand explain` tells is what the proxy does.

use std::io::Write;
use std::process::{Command, Stdio};

use remand::replay::{Script, Step};

use super::scene::{Scene, request, result, user};

const LOOK: (&str, &str) =
    ("look", r#"{"type":"object","properties":{"at":{"type":"integer"}},"required":["at"]}"#);

const RULES: &str = r#"
[[constraint]]
text = "Be brief."
[[tool]]
name = ["look"]
describe = "Looks."
max_result = 300
[[tool.result]]
when = { status = [422] }
as = "correctable"
"#;

fn call(id: &str, arguments: &str) -> String {
    let arguments = serde_json::Value::from(arguments);
    format!(
        r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"look","arguments":{arguments}}}}}]}}"#
    )
}

/// Runs `explain` with these rules on a request given by its standard input.
fn explain(rules: &str, body: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let folder = std::env::temp_dir().join(format!("remand-explained-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let config = folder.join("rules.toml");
    std::fs::write(&config, rules).unwrap();
    let mut running = Command::new(env!("CARGO_BIN_EXE_remand"))
        .args(["explain", "-", "--config", config.to_str().unwrap()])
        .args(arguments)
        .env_remove("REMAND_LOG")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    running.stdin.take().unwrap().write_all(body.as_bytes()).unwrap();
    let done = running.wait_with_output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    (done.status.code(), String::from_utf8(done.stdout).unwrap())
}

#[tokio::test]
async fn what_it_says_is_sent_is_sent() {
    let histories = [
        vec![user("go")],
        vec![user("go"), call("a", r#"{"at":1}"#), result("a", "ok")],
        vec![user("go"), call("a", r#"{"at":1}"#), user("on")],
        vec![user("go"), call("a", r#"{"at":1}"#), result("a", "HTTP 422: at is too large")],
        vec![user("go"), call("a", r#"{"at":1}"#), result("a", &"long ".repeat(200))],
        vec![user("go"), result("x", r#"{\"_terminal_failure\":\"gone\",\"at\":1}"#), user("on")],
        vec![user("go"), call("a", r#"{"at""#), result("a", "?"), call("", "{}"), result("", "ok")],
    ];
    // One run at a time: the rules stand in one file.
    for rules in ["", RULES] {
        for history in &histories {
            let elements: Vec<_> = history.iter().map(String::as_str).collect();
            let body = request(&elements, &[LOOK], false);
            let scene = Scene::new(Script::new().step(Step::new().say("Well.").repeat()), rules).await;
            scene.send(body.clone()).await;
            let sent = scene.sent().last().unwrap().clone();
            let (code, told) = explain(rules, &body, &["--sent"]);
            assert_eq!(told, sent);
            assert_eq!(code, Some(i32::from(sent != body)));
            let (_, json) = explain(rules, &body, &["--json"]);
            let json: serde_json::Value = serde_json::from_str(&json).unwrap();
            let changes = json["changes"].as_array().unwrap();
            assert_eq!(changes.is_empty(), sent == body, "{changes:?}");
            assert!(
                changes.iter().all(|change| !change["reasons"].as_array().unwrap().is_empty()),
                "{changes:?}"
            );
            let page = explain(rules, &body, &[]).1;
            assert_eq!(
                page.contains("nothing: the provider gets the bytes that came"),
                sent == body,
                "{page}"
            );
        }
    }
}
