//! What the operator has the model told besides: the same in each request of a conversation, and in no other.

use remand::guard::Reason;
use remand::observe::event::Fact;
use remand::replay::{Script, Step};
use remand::wire::span::Json;

use super::scene::{Scene, elements, request, result, user};
use super::watched::Watched;

const RULES: &str = r#"
[[tool]]
name = ["git_*"]
describe = "Slugs are \"kebab\"."
[[tool.argument]]
at = "/branch_slug"
schema = { pattern = "^[a-z0-9]+(-[a-z0-9]+)*$", maxLength = 48 }
[[constraint]]
when = { tools = ["git_*"], models = ["m"], upstreams = ["scripted"] }
place = "system"
text = """
An error is a symptom, not a diagnosis.
Find the cause first."""
[[constraint]]
when = { models = ["other"] }
text = "Never told."
"#;

const SYSTEM: &str = r#"{"role":"system","content":"S"}"#;

const TOLD: &str =
    r#"{"role":"system","content":"S\n\nAn error is a symptom, not a diagnosis.\nFind the cause first."}"#;

const TOOL: (&str, &str) = (
    "git_open",
    r#"{"type":"object","properties":{"branch_slug":{"type":"string","maxLength":64}},"required":["branch_slug"]}"#,
);

const TOLD_TOOL: &str = r#"{"name":"git_open","parameters":{"type":"object","properties":{"branch_slug":{"type":"string","maxLength":48,"pattern":"^[a-z0-9]+(-[a-z0-9]+)*$"}},"required":["branch_slug"]},"description":"Slugs are \"kebab\"."}"#;

const TURNS: usize = 10;

fn arguments(slug: &str) -> String {
    format!(r#"{{"branch_slug":"{slug}"}}"#)
}

/// Each turn a good call; every third is hopeless at first, and in every fifth it stands beside a good one.
fn script() -> Script {
    (0..TURNS).fold(Script::new(), |script, turn| {
        let good = |step: Step| step.call_as(format!("good_{turn}"), TOOL.0, arguments(&format!("a-{turn}")));
        let bad = |step: Step| step.call_as(format!("bad_{turn}"), TOOL.0, arguments("A--b"));
        let step = Step::new().say(format!("Turn {turn}."));
        match turn {
            _ if turn % 3 == 2 => script.step(bad(step)).step(good(Step::new())),
            _ if turn % 5 == 1 => script.step(good(bad(step))),
            _ => script.step(good(step)),
        }
    })
}

/// What comes before the history, and after it.
fn around(body: &str) -> (&str, &str) {
    let history = Json::parse(body).unwrap().member("messages").unwrap().span_in(body);
    (body.get(..history.start).unwrap(), body.get(history.end..).unwrap())
}

#[tokio::test]
async fn ten_turns_begin_with_the_same_bytes_each() {
    for stream in [true, false] {
        let scene = Scene::new(script(), RULES).await;
        let mut history = vec![SYSTEM.to_owned(), user("go")];
        for turn in 0..TURNS {
            let borrowed: Vec<_> = history.iter().map(String::as_str).collect();
            let got = scene.send(request(&borrowed, &[TOOL], stream)).await;
            let message = got.message();
            assert_eq!(message.calls.len(), 1, "turn {turn}: {}", got.text());
            history.push(message.element(turn % 2 == 0));
            history.push(result(&message.calls[0].0, "done"));
            history.extend((turn % 4 == 3).then(|| user("and on")));
            // Some agents speak up in the middle; that is not the head.
            history.extend((turn == 6).then(|| SYSTEM.to_owned()));
        }
        let sent = scene.sent();
        assert_eq!(sent.len(), TURNS + 3, "three were asked again");
        let first = around(&sent[0]);
        assert!(first.1.contains(TOLD_TOOL), "{}", first.1);
        let mut before: Vec<String> = Vec::new();
        for body in &sent {
            let shown = elements(body);
            assert_eq!(shown[0], TOLD);
            assert_eq!(shown[..before.len()], before[..]);
            assert_eq!(around(body), first);
            before = shown;
        }
        let all = before.join("");
        assert_eq!(all.matches("symptom").count(), 1);
        assert_eq!(all.matches("bad_").count(), 2 * 5, "each bad call and its error: {all}");
    }
}

#[tokio::test]
async fn a_request_without_tools_is_left_alone_in_the_same_conversation() {
    let script = (0..3).fold(Script::new(), |script, _| script.step(Step::new().say("Branches")));
    let scene = Scene::new(script, RULES).await;
    let _ = scene.send(request(&[SYSTEM, &user("go")], &[TOOL], false)).await;
    let title =
        format!(r#"{{"model":"m","messages":[{SYSTEM}, {}],"max_tokens":1e1}}"#, user("a title, please"));
    let without = request(&[SYSTEM, &user("go")], &[], false).replace(r#","tools":[]"#, "");
    for body in [title, without] {
        let got = scene.send(body.clone()).await;
        assert_eq!(scene.sent().pop().unwrap(), body);
        assert!(got.headers.get("x-remand-actions").is_none(), "{got:?}");
    }
}

#[tokio::test]
async fn a_history_without_a_system_message_begins_with_one() {
    let scene = Scene::new(script(), RULES).await;
    let first = request(&[&user("go")], &[TOOL], false);
    let message = scene.send(first.clone()).await.message();
    let history =
        [user("go"), message.element(true), result("good_0", "done"), SYSTEM.to_owned(), user("more")];
    let _ = scene.send(request(&history.each_ref().map(String::as_str), &[TOOL], false)).await;
    let [first, second] = [0, 1].map(|turn| elements(&scene.sent()[turn]));
    assert_eq!(
        first[0],
        r#"{"role":"system","content":"An error is a symptom, not a diagnosis.\nFind the cause first."}"#
    );
    assert_eq!(second[..first.len()], first[..]);
    assert_eq!(second[4], SYSTEM);
}

#[tokio::test]
async fn what_was_done_is_told_and_calls_are_judged_by_both_schemas() {
    let script = Script::new()
        .step(Step::new().call_as("long", TOOL.0, arguments(&"a".repeat(49))))
        .step(Step::new().on_result("48").call_as("good", TOOL.0, arguments("a-b")));
    let watched = Watched::new(script, "", RULES).await;
    let got = watched.scene.send(request(&[SYSTEM, &user("go")], &[TOOL, ("ls", "{}")], false)).await;
    assert_eq!(got.headers["x-remand-actions"], "constrained,described,invalid");
    let facts = watched.facts().await;
    let prepared: Vec<_> = facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::Prepared { reason, count } => Some((*reason, *count)),
            _ => None,
        })
        .collect();
    assert_eq!(prepared, [(Reason::Constrained, 1), (Reason::Described, 1)]);
    let shown = elements(&watched.scene.sent()[1]);
    let told = &shown[3];
    assert!(told.contains("/branch_slug"), "{told}");
}

#[tokio::test]
async fn the_second_of_two_proxies_in_a_row_adds_nothing() {
    let scene = Scene::new(script(), RULES).await;
    let _ = scene.send(request(&[SYSTEM, &user("go")], &[TOOL], false)).await;
    let once = scene.sent()[0].clone();
    let scene = Scene::new(script(), RULES).await;
    let got = scene.send(once.clone()).await;
    assert_eq!(scene.sent(), [once]);
    assert!(got.headers.get("x-remand-actions").is_none());
}

#[tokio::test]
async fn observing_changes_nothing() {
    let scene = Scene::new(script(), &format!("[guard]\nmode = \"observe\"\n{RULES}")).await;
    let body = request(&[SYSTEM, &user("go")], &[TOOL], true);
    let got = scene.send(body.clone()).await;
    assert_eq!(scene.sent(), [body]);
    assert!(got.headers.get("x-remand-actions").is_none());
}
