//! A conversation that a proxy has seen grow is told as one that it never saw.

use remand::replay::{Script, Step};

use super::scene::{Scene, request, result, user};

const LOOK: (&str, &str) = ("look", r#"{"type":"object","properties":{"at":{"type":"integer"}}}"#);

const RULES: &str = r#"
[[constraint]]
text = "Be brief."
[[tool]]
name = ["look"]
max_result = 3000
"#;

fn call(id: &str) -> String {
    format!(
        r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"look","arguments":"{{}}"}}}}]}}"#
    )
}

/// What comes to the history turn by turn: each turn is longer than what is kept apart of a request.
fn turns() -> Vec<(&'static str, Vec<String>)> {
    let long = |word: &str| word.repeat(5000 / word.len());
    let marked = r#"{\"_terminal_failure\":\"no such thing\",\"at\":1}"#;
    vec![
        ("a beginning", vec![user(&long("go "))]),
        ("a call", vec![call("a"), result("a", &"ok".repeat(1450)), user(&long("on "))]),
        ("words", vec![r#"{"role":"assistant","content":"Well."}"#.to_owned(), user(&long("é "))]),
        ("a lost result", vec![call("b"), user(&long("steer "))]),
        ("it comes late", vec![result("b", "ok"), user(&long("late "))]),
        ("two results", vec![call("c"), result("c", "1"), result("c", "1"), user(&long("twice "))]),
        ("a marker", vec![call("d"), result("d", marked), user(&long("mark "))]),
        ("a long result", vec![call("e"), result("e", &long("long ")), user(&long("cut "))]),
        ("half an emoji", vec![user(r"\ud83d"), user(&long("half "))]),
        ("all is well again", vec![call("f"), result("f", "fine"), user(&long("fine "))]),
    ]
}

async fn told(scene: &Scene, history: &[String]) -> String {
    let elements: Vec<_> = history.iter().map(String::as_str).collect();
    let got = scene.send(request(&elements, &[LOOK], false)).await;
    assert_eq!(got.message().text, "Well.");
    scene.sent().last().unwrap().clone()
}

fn says_well() -> Script {
    Script::new().step(Step::new().say("Well.").repeat())
}

#[tokio::test]
async fn what_a_turn_is_told_as_does_not_depend_on_what_was_seen() {
    for rules in ["", RULES] {
        // Each turn goes on with what came before, or with all but that.
        for broken in 0..turns().len() {
            let seen = Scene::new(says_well(), rules).await;
            let mut history = Vec::new();
            for (place, (what, new)) in turns().into_iter().enumerate() {
                let before = history.len();
                history.extend(new);
                let unseen = Scene::new(says_well(), rules).await;
                assert_eq!(told(&seen, &history).await, told(&unseen, &history).await, "{what}");
                if place == broken {
                    history.truncate(before);
                }
            }
        }
    }
}

#[tokio::test]
async fn a_sound_conversation_goes_on_byte_for_byte() {
    let scene = Scene::new(says_well(), "").await;
    let mut history = Vec::new();
    for turn in 0..12 {
        history.extend([user(&format!("{turn} {}", "x".repeat(3000))), call(&format!("c{turn}"))]);
        history.push(result(&format!("c{turn}"), &"é".repeat(1500)));
        let elements: Vec<_> = history.iter().map(String::as_str).collect();
        let body = request(&elements, &[LOOK], turn % 2 == 0);
        scene.send(body.clone()).await;
        assert_eq!(scene.sent().last().unwrap(), &body);
    }
}
