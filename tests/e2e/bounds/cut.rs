//! Calls and answers that something cut: the output limit, or a filter.

use remand::replay::{Script, Step};

use super::{BAD, CONCLUDE, EDIT, GOOD, Insistence, assert_whole, insistence};
use crate::scene::{Scene, elements, request, result, user};

#[tokio::test]
async fn cut_twice_ends_as_cut() {
    for (rounds, requests) in [(3, 2), (2, 2), (1, 2), (0, 1)] {
        for stream in [true, false] {
            let case = insistence("truncated");
            let scene = case.scene(Script::new().step(case.step().repeat()), rounds).await;
            let message = assert_whole(&scene.send(case.request(stream)).await, case.what);
            assert_eq!(
                (message.calls.len(), message.finish.as_str(), message.text.as_str()),
                (0, "length", "")
            );
            let sent = scene.sent();
            assert_eq!(sent.len(), requests);
            assert!(!sent.iter().any(|body| body.contains(CONCLUDE)));
        }
    }
}

#[tokio::test]
async fn cut_once_is_told_and_made_good() {
    for finish in ["length", "stop", "tool_calls"] {
        for stream in [true, false] {
            let case = Insistence { finish, ..insistence("truncated") };
            let script = Script::new()
                .step(case.step())
                .step(Step::new().on_result("cut at the output limit").call(EDIT.0, GOOD));
            let scene = case.scene(script, 3).await;
            let message = assert_whole(&scene.send(case.request(stream)).await, finish);
            assert_eq!((message.calls[0].2.as_str(), message.finish.as_str()), (GOOD, "tool_calls"));
            scene.provider.verify().unwrap();
        }
    }
}

#[tokio::test]
async fn a_complete_sibling_goes_beside_a_cut_one() {
    for stream in [true, false] {
        let step =
            Step::new().call_as("a", EDIT.0, GOOD).call_as("b", EDIT.0, r#"{"path":"/b"#).finish("length");
        let scene = Scene::new(Script::new().step(step).step(Step::new().say("ok").repeat()), "").await;
        let message = assert_whole(&scene.send(request(&[&user("go")], &[EDIT], stream)).await, "cut");
        assert_eq!((message.calls.len(), message.calls[0].0.as_str()), (1, "a"));
        assert_eq!(message.finish, "tool_calls");
        assert_eq!(scene.sent().len(), 1);
        let (element, ran) = (message.element(false), result("a", "edited"));
        scene.send(request(&[&user("go"), &element, &ran], &[EDIT], stream)).await;
        let shown = elements(&scene.sent()[1]);
        assert_eq!(shown.len(), 4, "{shown:?}");
        assert_eq!(shown[2], ran);
        assert!(
            shown[3].contains(r#""tool_call_id":"b""#) && shown[3].contains("cut at the output limit"),
            "{}",
            shown[3]
        );
        assert!(shown[1].contains("_invalid_arguments"), "a provider can read it: {}", shown[1]);
    }
}

#[tokio::test]
async fn what_a_filter_cut_is_not_asked_again() {
    for (arguments, calls) in [(r#"{"path":"/a"#, 0), (BAD, 0), (GOOD, 1)] {
        for stream in [true, false] {
            let filtered = Step::new().say("Hm.").call(EDIT.0, arguments).finish("content_filter");
            let scene = Scene::new(Script::new().step(filtered.repeat()), "").await;
            let message =
                assert_whole(&scene.send(request(&[&user("go")], &[EDIT], stream)).await, arguments);
            assert_eq!(
                (message.calls.len(), message.finish.as_str(), message.text.as_str()),
                (calls, "content_filter", "Hm.")
            );
            assert_eq!(scene.sent().len(), 1);
        }
    }
}
