//! A provider that fails where it is asked again, or refuses the call before anybody else can.

use http::StatusCode;
use remand::replay::{Place, Script, Step};
use serde_json::Value;

use super::{BAD, EDIT, GOOD, assert_whole, held, insistence};
use crate::scene::{Scene, elements, request, user};

/// What the second round meets.
fn failures() -> Vec<(&'static str, Step)> {
    vec![
        ("429", Step::new().error(StatusCode::TOO_MANY_REQUESTS, "slow down").header("retry-after", "7")),
        ("500", Step::new().error(StatusCode::INTERNAL_SERVER_ERROR, "oops")),
        ("no answer", Step::new().die(Place::BeforeHead)),
        ("an answer that breaks off", Step::new().call(EDIT.0, GOOD).chunk(2).die(Place::Events(4))),
        (
            "an error in the stream",
            Step::new().raw_events(["data: {\"error\":{\"message\":\"overloaded\",\"code\":529}}\n\n"]),
        ),
    ]
}

#[tokio::test]
async fn before_the_head_went_out_an_error_of_the_provider_is_the_agents() {
    for (what, failure) in failures().into_iter().take(3) {
        for stream in [true, false] {
            let first =
                if stream { Step::new().raw_events([held(BAD)]) } else { Step::new().call(EDIT.0, BAD) };
            let scene = Scene::new(Script::new().step(first).step(failure.clone()), "").await;
            let got = scene.send(request(&[&user("go")], &[EDIT], stream)).await;
            match what {
                "429" => {
                    assert_eq!(got.status, StatusCode::TOO_MANY_REQUESTS);
                    assert_eq!(got.headers["retry-after"], "7");
                    assert!(
                        got.text().contains("slow down") && !got.text().contains("remand"),
                        "{}",
                        got.text()
                    );
                }
                "500" => assert_eq!(got.status, StatusCode::INTERNAL_SERVER_ERROR),
                _ => {
                    assert_eq!(got.status, StatusCode::BAD_GATEWAY);
                    assert!(got.text().contains("remand_error"), "{}", got.text());
                }
            }
            assert_eq!(scene.sent().len(), 2, "{what}");
        }
    }
}

#[tokio::test]
async fn after_the_head_what_may_go_on_does_and_all_else_breaks_visibly() {
    for (what, failure) in failures() {
        for (kind, goes_on) in [("invalid", true), ("denied", false)] {
            let case = insistence(kind);
            let first = Step::new().say("Well.").call_as("c", case.name, case.arguments.clone()).usage(10, 5);
            let scene = case.scene(Script::new().step(first).step(failure.clone()), 3).await;
            let got = scene.send(case.request(true)).await;
            let message = got.message();
            let what = format!("{kind}, {what}: {}", got.text());
            assert_eq!(scene.sent().len(), 2, "{what}");
            assert!(message.text.starts_with("Well."), "{what}");
            if goes_on {
                let message = assert_whole(&got, &what);
                assert_eq!(message.calls, [("c".to_owned(), EDIT.0.to_owned(), BAD.to_owned())], "{what}");
                assert_eq!((message.finish.as_str(), message.usage), ("tool_calls", Some((10, 5))), "{what}");
            } else {
                assert_eq!((message.calls.len(), message.finishes, message.dones), (0, 0, 0), "{what}");
                assert!(got.text().contains(r#""error":"#), "{what}");
                assert_eq!(got.clean, what.contains("an error in the stream"), "{what}");
            }
        }
    }
}

/// Every object has what clients expect of it, and all have the same.
fn assert_complete_heads(text: &str, kind: &str) {
    let texts: Vec<&str> = match kind {
        "chat.completion" => vec![text],
        _ => text
            .lines()
            .filter_map(|line| line.strip_prefix("data: ").filter(|data| data.starts_with('{')))
            .collect(),
    };
    let objects: Vec<Value> = texts.into_iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    let head = |object: &Value| ["id", "created", "model", "object"].map(|name| object[name].clone());
    for object in &objects {
        assert_eq!(head(object), head(&objects[0]));
    }
    let [id, created, model, object] = head(&objects[0]);
    let (id, created) = (id.as_str().unwrap(), created.as_u64().unwrap());
    assert!(id.starts_with("chatcmpl_") && id.len() <= 40, "{id}");
    assert!(created > 1_700_000_000, "{created}");
    assert_eq!((model.as_str(), object.as_str()), (Some("m"), Some(kind)));
}

#[tokio::test]
async fn a_call_that_the_provider_itself_refused_is_a_refused_call() {
    let groq = r#"{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=edit{\"path\": tree}</function>"}}"#;
    let ollama = r#"{"error":{"message":"error parsing tool call: raw='{\"name\": \"edit\", \"arguments\": {\"path\": \"tr' err=unexpected end of JSON input"}}"#;
    let groq_says = "refused this call with \\\"Failed to call a function.\\\".";
    let ollama_says = "with \\\"error parsing tool call: err=unexpected end of JSON input\\\".";
    for (status, error, said) in
        [(StatusCode::BAD_REQUEST, groq, groq_says), (StatusCode::INTERNAL_SERVER_ERROR, ollama, ollama_says)]
    {
        for stream in [true, false] {
            let refused = Step::new().status(status).raw("application/json", [error]);
            let asked = request(&[&user("go")], &[EDIT], stream);

            let once = Script::new().step(refused.clone()).step(Step::new().call(EDIT.0, GOOD));
            let scene = Scene::new(once, "").await;
            let message = assert_whole(&scene.send(asked.clone()).await, error);
            assert_eq!((message.calls.len(), message.calls[0].2.as_str()), (1, GOOD));
            let shown = elements(&scene.sent()[1]);
            assert_eq!(shown.len(), 3);
            assert!(shown[1].contains(r#""name":"edit""#), "{}", shown[1]);
            assert!(shown[2].contains(said), "{}", shown[2]);

            let always = Script::new().step(refused.clone().repeat());
            let scene = Scene::new(always.clone(), "").await;
            let got = scene.send(asked.clone()).await;
            let message = assert_whole(&got, error);
            assert_eq!((message.calls.len(), message.finish.as_str()), (0, "stop"));
            assert!(message.text.contains("edit was not run"), "{}", message.text);
            assert_eq!(scene.sent().len(), 4);
            let kind = if stream { "chat.completion.chunk" } else { "chat.completion" };
            assert_complete_heads(got.text(), kind);

            let scene = Scene::new(always, "[guard]\nrounds = 0\n").await;
            let got = scene.send(asked).await;
            assert_eq!((got.status, got.text()), (status, error), "nothing was done, so it is the agent's");
        }
    }
}

#[tokio::test]
async fn a_call_that_the_provider_refuses_in_its_stream_is_a_refused_call() {
    let error = "event: error\ndata: {\"error\":{\"message\":\"missing properties: 'path'\",\"code\":\"tool_use_failed\",\"failed_generation\":\"<function=edit{\\\"path\\\": tree}</function>\"}}\n\n";
    let event =
        |delta: &str| format!("data: {{\"id\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{delta}}}]}}\n\n");
    let role = event(r#"{"role":"assistant","content":""}"#);
    let said = event(r#"{"content":"Hm."}"#);
    let half =
        event(r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"edit","arguments":"{\"pa"}}]}"#);
    let other = event(r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"edit","arguments":"{"}}]}"#);
    let good = half.replace(r#"{\"pa"#, &GOOD.replace('"', "\\\""));
    assert_ne!(good, half);
    let asked = request(&[&user("go")], &[EDIT], true);
    for (before, text) in [([&role, "", ""], ""), ([&role, &said, &half], "Hm.")] {
        let before = before.concat();
        let refused = Step::new().raw("text/event-stream", [before.clone() + error + "data: [DONE]\n\n"]);

        let once = Script::new().step(refused.clone()).step(Step::new().call(EDIT.0, GOOD));
        let scene = Scene::new(once, "").await;
        let message = assert_whole(&scene.send(asked.clone()).await, &before);
        assert_eq!((message.calls.len(), message.calls[0].2.as_str()), (1, GOOD));
        assert_eq!(message.text, text);
        let shown = elements(&scene.sent()[1]);
        assert_eq!(shown.len(), 3, "{shown:?}");
        assert!(
            shown[1].contains("{\\\"path\\\": tree}") || shown[1].contains("_invalid_arguments"),
            "{}",
            shown[1]
        );
        assert!(
            shown[2].contains("refused this call with \\\"missing properties: 'path'\\\"."),
            "{}",
            shown[2]
        );

        let scene = Scene::new(Script::new().step(refused.clone().repeat()), "").await;
        let message = assert_whole(&scene.send(asked.clone()).await, &before);
        assert_eq!((message.calls.len(), message.finish.as_str()), (0, "stop"));
        assert!(message.text.contains("edit was not run"), "{}", message.text);
        assert_eq!(scene.sent().len(), 4);
    }
    let nothing = Step::new().raw("text/event-stream", [error]);
    let scene = Scene::new(Script::new().step(nothing), "[guard]\nrounds = 0\n").await;
    assert_eq!(scene.send(asked.clone()).await.text(), error, "nothing was done, so it is the agent's");

    let late = Step::new().raw("text/event-stream", [[&good, &other, error].concat()]);
    let scene = Scene::new(Script::new().step(late), "").await;
    let got = scene.send(asked).await;
    assert_eq!((got.text(), scene.sent().len()), ([&good, error].concat().as_str(), 1), "a call went out");
}

#[tokio::test]
async fn a_long_error_is_the_agents_unchanged() {
    let error = format!(r#"{{"error":{{"message":"{}"}}}}"#, "x".repeat(3 << 20));
    for status in [StatusCode::BAD_REQUEST, StatusCode::INTERNAL_SERVER_ERROR] {
        let step = Step::new().status(status).raw("application/json", [error.clone()]);
        let scene = Scene::new(Script::new().step(step), "").await;
        let got = scene.send(request(&[&user("go")], &[EDIT], true)).await;
        assert_eq!((got.status, got.clean, got.body.len()), (status, true, error.len()));
        assert_eq!(got.text(), error);
    }
}

#[tokio::test]
async fn a_stream_is_not_carried_on_as_a_body_nor_a_body_as_a_stream() {
    let whole = r#"{"id":"W","choices":[{"index":0,"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}]}"#;
    let other = |stream: bool| {
        if stream {
            Step::new().raw("application/json", [whole])
        } else {
            Step::new().raw_events([held(GOOD)])
        }
    };
    for stream in [true, false] {
        for (kind, goes_on) in [("invalid", true), ("denied", false)] {
            let case = insistence(kind);
            let first = Step::new().say("Well.").call_as("c", case.name, case.arguments.clone());
            let scene = case.scene(Script::new().step(first).step(other(stream)), 3).await;
            let got = scene.send(case.request(stream)).await;
            if !stream {
                assert_eq!(got.status, StatusCode::BAD_GATEWAY);
            } else if goes_on {
                assert_eq!(assert_whole(&got, kind).calls[0].2, BAD);
            } else {
                let message = got.message();
                assert!(!got.clean && message.dones == 0 && message.text == "Well.", "{}", got.text());
            }
        }
    }
}

#[tokio::test]
async fn a_connection_that_breaks_behind_refused_calls_does_no_harm() {
    for place in [Place::Events(4), Place::Events(5), Place::End] {
        let first = Step::new().call_as("c", EDIT.0, BAD).usage(10, 5).die(place);
        let scene = Scene::new(Script::new().step(first).step(Step::new().call(EDIT.0, GOOD)), "").await;
        let message = assert_whole(&scene.send(request(&[&user("go")], &[EDIT], true)).await, "broken");
        assert_eq!((message.calls[0].2.as_str(), scene.sent().len()), (GOOD, 2), "{place:?}");
    }
}
