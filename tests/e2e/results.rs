//! What the model reads of tool results: errors in the words of their class, no markers, no more than may be.

use remand::observe::event::Fact;
use remand::replay::{Script, Step};
use serde_json::{Value, json};

use super::scene::{Scene, elements, request, result, user};
use super::verdict::{History, fate};
use super::watched::Watched;

const RULES: &str = r#"
[[tool]]
name = ["git_*"]
[[tool.result]]
when = { status = [422] }
as = "correctable"
[[tool.result]]
when = { matches = "(?i)^permission" }
as = "failed"
[[tool.result]]
when = { matches = "^approval required" }
as = "control"
[[tool]]
name = ["aliyun_api"]
[[tool.result]]
when = { status = ["4xx"], except = [408, 429] }
as = "terminal"
[[tool]]
name = ["cat"]
strip = ["/_internal", "/meta/trace"]
max_result = "1KiB"
"#;

/// A scene whose provider answers everything.
async fn scene(rules: &str) -> Scene {
    Scene::new(Script::new().step(Step::new().say("I see.").repeat()), rules).await
}

/// The content that the provider gets where `tool` gave `content`. All else has to go through byte for byte.
async fn read(scene: &Scene, tool: &str, content: &Value) -> Value {
    let call = json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": tool, "arguments": "{}"}}]});
    let told = json!({"role": "tool", "tool_call_id": "a", "content": content}).to_string();
    let asked = [user("go"), call.to_string(), told];
    let asked: Vec<_> = asked.iter().map(String::as_str).collect();
    for stream in [true, false] {
        scene.send(request(&asked, &[(tool, r#"{"type":"object"}"#)], stream)).await;
    }
    let sent = scene.sent();
    let [.., streamed, whole] = sent.as_slice() else { panic!("two were sent") };
    let shown = elements(whole);
    assert_eq!(elements(streamed), shown, "however the answer is wanted");
    assert_eq!(shown[..2], asked[..2]);
    let read: Value = serde_json::from_str::<Value>(&shown[2]).unwrap()["content"].take();
    if read == *content {
        assert_eq!(shown[2], asked[2], "byte for byte");
    }
    read
}

#[tokio::test]
async fn a_rule_gives_an_error_its_words() {
    let scene = scene(RULES).await;
    for (tool, content, expected) in [
        ("git_push", json!("422: slug is bad"), "Error: 422: slug is bad. Please fix your mistakes."),
        (
            "git_push",
            json!(r#"{"status":422,"message":"slug is bad"}"#),
            "Error: HTTP 422: slug is bad. Please fix your mistakes.",
        ),
        (
            "git_push",
            json!(r#"{"isError":true,"content":[{"type":"text","text":"HTTP 422: slug is bad"}]}"#),
            "Error: HTTP 422: slug is bad. Please fix your mistakes.",
        ),
        ("git_push", json!("Permission denied (publickey)."), "Error: Permission denied (publickey)."),
        ("git_push", json!(r#"{"error":"permission denied"}"#), "Error: permission denied"),
        (
            "aliyun_api",
            json!(r#"{"status":400,"Code":"NoSuchType","Message":"unknown"}"#),
            "Error: aliyun_api failed for good: {\"status\":400,\"Code\":\"NoSuchType\",\"Message\":\"unknown\"} An \
             equivalent request will fail the same way, so do not send it again. Find the cause first; then change \
             the request, take a path that does not depend on the rejected input, or state plainly what you conclude.",
        ),
    ] {
        assert_eq!(read(&scene, tool, &content).await, expected);
        let parts = json!([{"type": "text", "text": content}]);
        assert_eq!(read(&scene, tool, &parts).await, json!([{"type": "text", "text": expected}]));
    }
}

#[tokio::test]
async fn all_else_passes_byte_for_byte() {
    let scene = scene(RULES).await;
    for (tool, content) in [
        ("git_push", "ValueError: slug is bad"),
        ("git_push", "Error: something that nobody knows"),
        ("git_push", "approval required: Error: 422"),
        ("git_push", "Request was interrupted by the user"),
        ("git_push", "pushed 422 objects\r\n\u{1F600}"),
        ("git_push", "Error: git_push was not run: /slug is bad. Please fix your mistakes."),
        ("aliyun_api", r#"{"status":429,"Message":"slow down"}"#),
        ("aliyun_api", r#"{"status":503}"#),
        ("aliyun_api", r#"{"status":200,"n":1.10}"#),
        ("svn_push", "422: slug is bad"),
        ("svn_push", "permission denied"),
    ] {
        assert_eq!(read(&scene, tool, &content.into()).await, content);
    }
}

#[tokio::test]
async fn a_marker_never_reaches_the_model() {
    let scene = scene("").await;
    for (content, expected) in [
        (json!(r#"{"_terminal_failure":"gone","n":1.10}"#), json!(r#"{"n":1.10}"#)),
        (
            json!([{"type": "text", "text": r#"{"n":1, "_terminal_failure":"gone"}"#}]),
            json!([{"type": "text", "text": r#"{"n":1}"#}]),
        ),
        (
            json!(r#"{"content":[{"type":"text","text":"{\"_terminal_failure\":\"gone\"}"}]}"#),
            json!(r#"{"content":[{"type":"text","text":"{}"}]}"#),
        ),
    ] {
        assert_eq!(read(&scene, "any_tool", &content).await, expected);
    }
    for ignored in
        [r#"{"_terminal_failure":""}"#, r#"{"_terminal_failure":true}"#, r#"{"a":{"_terminal_failure":"x"}}"#]
    {
        assert_eq!(read(&scene, "any_tool", &ignored.into()).await, ignored);
    }
}

#[tokio::test]
async fn what_the_model_does_not_read_is_known_all_the_same() {
    let marked = r#"{"_terminal_failure":"not in this region","message":"no"}"#;
    let history =
        |error: &str| History::new().call("git_push", "{}", error).call("git_push", r#"{"x":1}"#, "pushed");
    let told = fate(RULES, &history(marked), "git_push", "{}").await.unwrap_err();
    assert!(told.contains("failed with not in this region: \"no\""), "{told}");
    let read_only = RULES.replacen("name = [\"git_*\"]", "name = [\"git_*\"]\nread_only = true", 1);
    let told = fate(&read_only, &history("422: slug is bad"), "git_push", "{}").await.unwrap_err();
    assert!(told.contains("failed with http_422: \"422: slug is bad\""), "{told}");
}

#[tokio::test]
async fn what_is_stripped_and_cut_is_of_the_tool_that_says_so() {
    let scene = scene(RULES).await;
    let internal = json!(r#"{"_internal":{"k":1},"meta":{"trace":"t","id":9007199254740993123}}"#);
    assert_eq!(read(&scene, "cat", &internal).await, r#"{"meta":{"id":9007199254740993123}}"#);
    assert_eq!(read(&scene, "dog", &internal).await, internal);
    let long = json!(format!("{}{}", "a".repeat(3_000), "é".repeat(3_000)));
    let cut = read(&scene, "cat", &long).await;
    let cut = cut.as_str().unwrap();
    assert!(cut.len() <= 1024 && cut.starts_with("aaa") && cut.ends_with("ééé"), "{cut}");
    let (_, rest) = cut.split_once("\n[… ").unwrap();
    let missing: usize = rest.split_once(" bytes left out …]\n").unwrap().0.parse().unwrap();
    let kept = cut.matches('a').count() + 2 * cut.matches('é').count();
    // The mark has letters of its own.
    assert_eq!(kept + missing, 9_000 + " bytes left out ".matches('a').count());
    assert_eq!(read(&scene, "dog", &long).await, long);
}

#[tokio::test]
async fn each_kind_is_told_once_an_exchange_and_observing_changes_nothing() {
    let history = History::new()
        .call("git_push", "{}", "422: one")
        .call("git_push", r#"{"x":1}"#, "422: two")
        .call("cat", "{}", r#"{"_internal":1}"#)
        .call("cat", r#"{"x":1}"#, &"a".repeat(2_000));
    let asked = history.request(&["git_push", "cat"], false);
    for observes in [false, true] {
        let rules = if observes { format!("[guard]\nmode = \"observe\"\n{RULES}") } else { RULES.to_owned() };
        let watched = Watched::new(Script::new().step(Step::new().say("I see.")), "", &rules).await;
        let got = watched.scene.send(asked.clone()).await;
        let facts = watched.facts().await;
        let prepared: Vec<_> = facts
            .iter()
            .filter_map(|fact| match fact {
                Fact::Prepared { reason, count } => Some((reason.code(), *count)),
                _ => None,
            })
            .collect();
        assert_eq!(prepared, [("result_told", 2), ("result_stripped", 1), ("result_cut", 1)]);
        if observes {
            assert_eq!(watched.scene.sent(), std::slice::from_ref(&asked));
            assert!(!got.headers.contains_key("x-remand-actions"));
        } else {
            assert_eq!(got.headers["x-remand-actions"], "result_told,result_stripped,result_cut");
        }
    }
}

#[tokio::test]
async fn what_was_sent_is_the_beginning_of_what_is_sent_next() {
    let script = (0..6).fold(Script::new(), |script, turn| {
        // Every other answer goes back first: its rounds are put back around results that were reworded.
        let bad = Step::new().call_as(format!("bad{turn}"), "git_push", r#"{"x":"#);
        let good = Step::new().call_as(format!("c{turn}"), "git_push", format!(r#"{{"x":{turn}}}"#));
        if turn % 2 == 0 { script.step(bad).step(good) } else { script.step(good) }
    });
    let scene = Scene::new(script, RULES).await;
    let mut shown = vec![user("go")];
    let mut before: Vec<String> = Vec::new();
    for turn in 0..6 {
        let asked: Vec<_> = shown.iter().map(String::as_str).collect();
        let message =
            scene.send(request(&asked, &[("git_push", r#"{"type":"object"}"#)], true)).await.message();
        let sent = elements(scene.sent().last().unwrap());
        assert_eq!(sent[..before.len()], before, "turn {turn}");
        before = sent;
        let (id, ..) = &message.calls[0];
        shown.push(message.element(true));
        shown.push(result(id, ["422: bad", r#"{"_terminal_failure":"x","n":1}"#, "fine"][turn % 3]));
    }
    let last = before.concat();
    assert!(
        last.contains("Error: 422: bad. Please fix your mistakes.") && !last.contains("_terminal_failure")
    );
}

#[tokio::test]
async fn a_result_whose_call_is_gone_is_told_without_what_no_model_reads() {
    let scene = scene(RULES).await;
    let marked =
        r#"{"role":"tool","tool_call_id":"x","content":"{\"_terminal_failure\":\"gone\",\"at\":1}"}"#;
    let stripped =
        r#"{"role":"tool","tool_call_id":"y","name":"cat","content":"{\"_internal\":1,\"text\":\"ok\"}"}"#;
    let named = |text: &str| {
        format!(r#"{{"role":"tool","tool_call_id":"z","name":"git_log","content":"HTTP 422: {text}"}}"#)
    };
    let asked = [user("go"), marked.to_owned(), stripped.to_owned(), named("bad"), user("on")];
    let asked: Vec<_> = asked.iter().map(String::as_str).collect();
    let got = scene.send(request(&asked, &[("cat", r#"{"type":"object"}"#)], false)).await;
    let actions = got.headers["x-remand-actions"].to_str().unwrap();
    assert_eq!(actions, "mended_orphan,result_stripped");
    let told = elements(scene.sent().last().unwrap());
    let text = |element: &str| {
        let element: Value = serde_json::from_str(element).unwrap();
        assert_eq!(element["role"], "user");
        element["content"].as_str().unwrap().split_once('\n').map(|(_, text)| text.to_owned()).unwrap()
    };
    let texts: Vec<_> = told[1..4].iter().map(|element| text(element)).collect();
    assert_eq!(texts, [r#"{"at":1}"#, r#"{"text":"ok"}"#, "HTTP 422: bad"]);
}
