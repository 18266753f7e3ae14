//! A model that makes the same bad call again and again.

use remand::replay::{Script, Step};

use super::{BAD, CONCLUDE, EDIT, GOOD, assert_whole, insistence};
use crate::scene::{Scene, request, result, user};

#[tokio::test]
async fn a_model_that_insists_is_asked_so_often_and_no_more() {
    for what in ["unknown_tool", "unreadable", "denied", "repeated", "terminal", "too_large"] {
        for rounds in [3, 1, 0] {
            for stream in [true, false] {
                let case = insistence(what);
                let what = format!("{what}, {rounds} rounds, streamed: {stream}");
                let scene = case.scene(Script::new().step(case.step().repeat()), rounds).await;
                let message = assert_whole(&scene.send(case.request(stream)).await, &what);
                assert_eq!((message.calls.len(), message.finish.as_str()), (0, "stop"), "{what}");
                assert!(
                    message.text.starts_with("The last tool calls could not be run"),
                    "{what}: {}",
                    message.text
                );
                assert!(message.text.contains(case.name), "{what}: it is said of what: {}", message.text);
                let sent = scene.sent();
                assert_eq!(sent.len(), 1 + rounds, "{what}");
                let concluding: Vec<_> = sent.iter().map(|body| body.contains(CONCLUDE)).collect();
                let expected: Vec<_> = (0..=rounds).map(|round| round > 0 && round == rounds).collect();
                assert_eq!(concluding, expected, "{what}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_readable_but_invalid_goes_on_in_the_end_as_the_model_wrote_it() {
    for rounds in [3, 1, 0] {
        for stream in [true, false] {
            let case = insistence("invalid");
            let scene = case.scene(Script::new().step(case.step().repeat()), rounds).await;
            let got = scene.send(case.request(stream)).await;
            let message = assert_whole(&got, case.what);
            assert_eq!((message.calls.len(), message.finish.as_str()), (1, "tool_calls"));
            assert_eq!(message.calls[0].2, BAD);
            let sent = scene.sent();
            assert_eq!(sent.len(), 1 + rounds);
            assert!(!sent.iter().any(|body| body.contains(CONCLUDE)), "the model keeps its tools");
            if !stream {
                let actions = got.headers["x-remand-actions"].to_str().unwrap();
                assert_eq!(actions, "invalid,gave_up");
                assert_eq!(got.headers["x-remand-rounds"], (1 + rounds).to_string().as_str());
            }
        }
    }
}

#[tokio::test]
async fn a_sibling_that_is_refused_answer_after_answer_is_let_go() {
    for (rounds, refused) in [(3, 3), (1, 1)] {
        for stream in [true, false] {
            let script = (0..=refused).fold(Script::new(), |script, turn| {
                let good = format!(r#"{{"path":"/{turn}"}}"#);
                // Twice in one answer is one refusal.
                let step = Step::new().call_as(format!("a{turn}"), EDIT.0, good);
                script.step(step.call_as(format!("b{turn}"), EDIT.0, BAD).call_as(
                    format!("c{turn}"),
                    EDIT.0,
                    BAD,
                ))
            });
            let scene = Scene::new(script, &format!("[guard]\nrounds = {rounds}\n")).await;
            let mut history = vec![user("go")];
            let mut seen = Vec::new();
            for _ in 0..=refused {
                let elements: Vec<_> = history.iter().map(String::as_str).collect();
                let message = scene.send(request(&elements, &[EDIT], stream)).await.message();
                seen.push(message.calls.len());
                history.push(message.element(false));
                history.extend(message.calls.iter().map(|(id, ..)| result(id, "done")));
            }
            let mut expected = vec![1; refused];
            expected.push(3);
            assert_eq!(seen, expected, "{rounds} rounds");
            assert_eq!(scene.sent().len(), refused + 1);
        }
    }
}

#[tokio::test]
async fn without_tools_there_is_nothing_to_forbid() {
    for stream in [true, false] {
        let scene = Scene::new(Script::new().step(Step::new().call("edit", GOOD).repeat()), "").await;
        let asked = request(&[&user("go")], &[], stream).replace(r#","tools":[]"#, "");
        let message = assert_whole(&scene.send(asked).await, "no tools");
        assert_eq!((message.calls.len(), message.finish.as_str()), (0, "stop"));
        let sent = scene.sent();
        assert_eq!(sent.len(), 4);
        assert!(
            !sent.iter().any(|body| body.contains("tool_choice")),
            "a provider would refuse it without tools"
        );
    }
}
