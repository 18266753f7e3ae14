//! The case this began with: a branch slug that a tool would raise on.

use remand::replay::{Script, Step};

use super::scene::{Scene, elements, request, result, user};

const RULES: &str = r#"
[[tool]]
name = ["git_prepare_worktree"]
[[tool.argument]]
at = "/branch_slug"
normalise = ["trim", "lowercase"]
"#;

const TOOL: (&str, &str) = (
    "git_prepare_worktree",
    r#"{"type":"object","properties":{"branch_slug":{"type":"string","pattern":"^[a-z0-9]+(-[a-z0-9]+)*$","maxLength":48},"branch_kind":{"type":"string"}},"required":["branch_slug","branch_kind"]}"#,
);

fn arguments(slug: &str) -> String {
    format!(r#"{{"branch_slug": "{slug}", "branch_kind": "fix"}}"#)
}

#[tokio::test]
async fn an_upper_case_slug_reaches_the_agent_in_lower_case() {
    for stream in [true, false] {
        let script =
            Script::new().step(Step::new().call(TOOL.0, arguments("PJ1-project-git-extend")).chunk(7));
        let scene = Scene::new(script, RULES).await;
        let body = request(&[&user("open a branch")], &[TOOL], stream);
        let message = scene.send(body.clone()).await.message();
        assert_eq!(message.calls[0].2, arguments("pj1-project-git-extend"));
        assert_eq!((message.finish.as_str(), message.dones), ("tool_calls", 1));
        assert_eq!(scene.sent(), [body], "nothing was asked again, and the request went on as it came");
    }
}

#[tokio::test]
async fn a_hopeless_slug_is_remanded_and_the_corrected_call_arrives_in_the_same_answer() {
    let long = "a".repeat(49);
    for slug in ["", "a--b", "-a", "a-", &long] {
        for stream in [true, false] {
            let script = Script::new()
                .step(
                    Step::new()
                        .say("Preparing.")
                        .call_as("call_1", TOOL.0, arguments(slug))
                        .usage(100, 20)
                        .chunk(5),
                )
                .step(
                    Step::new()
                        .on_result("Please fix your mistakes.")
                        .say("Retrying.")
                        .call_as("call_2", TOOL.0, arguments("a-b"))
                        .usage(150, 25),
                )
                .step(Step::new().on_result("ready").say("Done."));
            let scene = Scene::new(script, RULES).await;
            let (system, user) = (r#"{"role":"system","content":"S"}"#.to_owned(), user("open a branch"));
            let first = request(&[&system, &user], &[TOOL], stream);
            let got = scene.send(first.clone()).await;
            let message = got.message();
            assert!(!got.text().contains("call_1"), "the agent sees nothing of the bad call: {}", got.text());
            assert_eq!(message.calls, [("call_2".to_owned(), TOOL.0.to_owned(), arguments("a-b"))]);
            assert_eq!(message.text, "Preparing.\n\nRetrying.");
            assert_eq!((message.roles, message.finishes, message.dones, message.ids.len()), (1, 1, 1, 1));
            assert_eq!(message.usage, Some((150, 45)));

            let second = scene.sent()[1].clone();
            let shown = elements(&second);
            assert_eq!(shown[..2], [system.clone(), user.clone()]);
            assert!(shown[2].contains("call_1") && shown[2].contains("Preparing."), "{}", shown[2]);
            assert!(shown[3].ends_with(r#"Please fix your mistakes."}"#), "{}", shown[3]);
            let (before, after) = first.split_at(first.find(&user).unwrap() + user.len());
            assert!(second.starts_with(before) && second.ends_with(after), "only the elements were put in");

            for anew in [false, true] {
                let mut history =
                    vec![system.clone(), user.clone(), message.element(anew), result("call_2", "ready")];
                for turn in 0..2 {
                    let body =
                        request(&history.iter().map(String::as_str).collect::<Vec<_>>(), &[TOOL], stream);
                    let _ = scene.send(body).await;
                    let later = elements(scene.sent().last().unwrap());
                    assert_eq!(later[..4], shown[..4], "anew: {anew}, turn {turn}");
                    assert!(
                        later[4].contains("Retrying.") && !later[4].contains("Preparing."),
                        "{}",
                        later[4]
                    );
                    assert_eq!(later[5], result("call_2", "ready"));
                    history.push(r#"{"role":"assistant","content":"Done."}"#.to_owned());
                    history.push(super::scene::user("and now?"));
                }
            }
        }
    }
}
