//! The language that models are told in, and texts in another one that is in force no more.

use remand::replay::{Script, Step};

use super::scene::{Scene, elements, request, user};

const TOOL: (&str, &str) = (
    "git_prepare_worktree",
    r#"{"type":"object","properties":{"branch_slug":{"type":"string","pattern":"^[a-z0-9]+(-[a-z0-9]+)*$"}},"required":["branch_slug"]}"#,
);

const BAD: &str = r#"{"branch_slug":"a--b"}"#;
const GOOD: &str = r#"{"branch_slug":"a-b"}"#;

/// A call and its result, as the agent would hand them back.
fn turn(id: &str, arguments: &str, text: &str) -> [String; 2] {
    let quote = |text: &str| serde_json::to_string(text).unwrap();
    [
        format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"{}","arguments":{}}}}}]}}"#,
            TOOL.0,
            quote(arguments)
        ),
        format!(r#"{{"role":"tool","tool_call_id":"{id}","content":{}}}"#, quote(text)),
    ]
}

/// What the model is told when it writes a bad slug.
async fn told(rules: &str) -> String {
    let script = Script::new()
        .step(Step::new().call_as("call_1", TOOL.0, BAD))
        .step(Step::new().call_as("call_2", TOOL.0, GOOD));
    let scene = Scene::new(script, rules).await;
    let message = scene.send(request(&[&user("los")], &[TOOL], true)).await.message();
    assert_eq!(message.calls[0].2, GOOD);
    let shown = elements(&scene.sent()[1]);
    let result: serde_json::Value = serde_json::from_str(&shown[2]).unwrap();
    result["content"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_model_is_told_in_the_language_that_is_chosen() {
    let end = r#"^[a-z0-9]+(-[a-z0-9]+)*$ passen, erhalten: "a--b". Bitte behebe deine Fehler."#;
    assert_eq!(
        told("[guard]\nlocale = \"de\"\n").await,
        format!("Fehler: git_prepare_worktree wurde nicht ausgeführt: /branch_slug muss zum Muster {end}")
    );
    let french =
        told("[guard]\nlocale = \"fr\"\n[guard.notice]\nproblem_pattern = \"{place} : {got}\"\n").await;
    assert_eq!(
        french,
        "Erreur : git_prepare_worktree n'a pas été exécuté : /branch_slug : \"a--b\". Veuillez corriger vos erreurs."
    );
}

#[tokio::test]
async fn what_was_written_before_the_language_was_changed_is_still_ours() {
    const FAILED: &str = r#"{"branch_slug":"first"}"#;
    for locale in ["en", "zh", "ja", "de", "es", "fr"] {
        let rules = format!("[guard]\nlocale = \"{locale}\"\n");
        let english = told("").await;
        for ours in [english, told(&rules).await] {
            // Had the second call been made, the first could work by now; had it failed, it would be refused.
            let failed = turn("call_a", FAILED, "Error: no such parent");
            let refused = turn("call_b", GOOD, &ours);
            let history = [vec![user("los")], failed.to_vec(), refused.to_vec()].concat();
            let history: Vec<&str> = history.iter().map(String::as_str).collect();
            for (arguments, runs) in [(FAILED, false), (GOOD, true)] {
                let script = Script::new()
                    .step(Step::new().call_as("call_c", TOOL.0, arguments))
                    .step(Step::new().say("Fertig."));
                let scene = Scene::new(script, &rules.replace(locale, "de")).await;
                let message = scene.send(request(&history, &[TOOL], true)).await.message();
                assert_eq!(message.calls.len(), usize::from(runs), "{ours}: {arguments}");
            }
        }
    }
}
