//! A model that insists, and a provider that will not be asked again: every exchange comes to an end.

use http::StatusCode;
use remand::replay::{Place, Script, Step, When};
use serde_json::Value;

use super::scene::{Got, Message, Scene, elements, request, result, user};
use super::verdict::History;

const EDIT: (&str, &str) =
    ("edit", r#"{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}"#);
const GOOD: &str = r#"{"path":"/a"}"#;
/// Odd on purpose: what goes on must be what the model wrote.
const BAD: &str = r#"{ "path" : 7e0,"x":1.10 }"#;

const DENY: &str = "[[tool]]\nname = [\"edit\"]\n[[tool.deny]]\nat = \"/path\"\nmatches = \"^/a\"\nreason = \"Not there.\"\n";

/// A call that a model makes again and again.
struct Insistence {
    what: &'static str,
    name: &'static str,
    arguments: String,
    finish: &'static str,
    rules: &'static str,
    history: History,
}

fn insistence(what: &'static str) -> Insistence {
    let mut this = Insistence {
        what,
        name: EDIT.0,
        arguments: GOOD.to_owned(),
        finish: "tool_calls",
        rules: "",
        history: History::new(),
    };
    match what {
        "invalid" => BAD.clone_into(&mut this.arguments),
        "unknown_tool" => this.name = "frobnicate",
        "unreadable" => r#"{"path": "say "hi""}"#.clone_into(&mut this.arguments),
        "truncated" => (this.arguments, this.finish) = (r#"{"path":"/a"#.to_owned(), "length"),
        "denied" => this.rules = DENY,
        "repeated" => this.history = this.history.call(EDIT.0, GOOD, "Error: disk full"),
        "terminal" => {
            this.history =
                this.history.call(EDIT.0, GOOD, r#"{"_terminal_failure":"read-only disk","error":"no"}"#);
        }
        "too_large" => this.arguments = format!(r#"{{"path":"{}"}}"#, "a".repeat(8192)),
        other => panic!("{other}"),
    }
    this
}

impl Insistence {
    fn step(&self) -> Step {
        Step::new().call(self.name, self.arguments.clone()).finish(self.finish).chunk(1000)
    }

    async fn scene(&self, script: Script, rounds: usize) -> Scene {
        let rules = format!("[guard]\nrounds = {rounds}\n{}", self.rules);
        Scene::with(script, "max_held = \"4KiB\"", &rules).await
    }

    fn request(&self, stream: bool) -> String {
        self.history.request_with(&[EDIT], stream)
    }
}

/// Complete, and nothing that a client cannot put together.
fn assert_whole(got: &Got, what: &str) -> Message {
    assert_eq!((got.status, got.clean), (StatusCode::OK, true), "{what}");
    let message = got.message();
    assert_eq!((message.roles, message.finishes, message.dones), (1, 1, 1), "{what}: {}", got.text());
    assert!(message.ids.len() <= 1, "{what}: {}", got.text());
    message
}

const CONCLUDE: &str = r#","tool_choice":"none""#;

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
async fn the_last_time_the_model_is_asked_for_words() {
    for what in ["unknown_tool", "unreadable", "denied", "repeated", "terminal", "too_large"] {
        for stream in [true, false] {
            let case = insistence(what);
            let words = When { tool_choice: Some("none".to_owned()), ..When::default() };
            let script = Script::new()
                .step(Step::new().when(words).say("I cannot go on."))
                .step(case.step().say("Let me see.").repeat());
            let scene = case.scene(script, 3).await;
            let asked = case.request(stream);
            // A marker is for the proxy; the model does not see it.
            let told = asked.replace(r#"\"_terminal_failure\":\"read-only disk\","#, "");
            let message = assert_whole(&scene.send(asked.clone()).await, what);
            assert_eq!(message.finish, "stop");
            assert_eq!(message.text, "Let me see.\n\nLet me see.\n\nLet me see.\n\nI cannot go on.");
            let sent = scene.sent();
            assert_eq!((sent.len(), &sent[0]), (4, &told));
            // Nothing but elements at the end of the history, and the one member.
            let shown = elements(&sent[3]);
            let added = elements(&asked).len();
            assert_eq!(shown.len(), added + 6, "three calls and three refusals");
            let put_in = format!(",{}", shown[added..].join(","));
            assert_eq!(sent[3].replacen(&put_in, "", 1).replacen(CONCLUDE, "", 1), told, "{what}");

            // The next turn shows the model what it had been told, and the words in their place.
            let mut later = elements(&asked);
            later.extend([message.element(false), user("and now?")]);
            let later: Vec<_> = later.iter().map(String::as_str).collect();
            for _ in 0..2 {
                scene.send(request(&later, &[EDIT], stream)).await;
                let next = elements(&scene.sent()[4]);
                assert_eq!(next[..shown.len()], shown[..], "{what}");
                assert_eq!(
                    next[shown.len()],
                    Message { text: "I cannot go on.".to_owned(), ..Message::default() }.element(false),
                    "{what}"
                );
                assert_eq!(next[shown.len() + 1], user("and now?"));
            }
        }
    }
}

#[tokio::test]
async fn a_forced_call_stays_forced_until_the_end() {
    for choice in [r#""required""#, r#"{"type":"function","function":{"name":"edit"}}"#] {
        let case = insistence("denied");
        let scene = case.scene(Script::new().step(case.step().repeat()), 3).await;
        let asked = case.request(true).replacen('{', &format!(r#"{{"tool_choice": {choice},"#), 1);
        assert_whole(&scene.send(asked).await, choice);
        let sent = scene.sent();
        assert_eq!(sent.len(), 4);
        for body in &sent[..3] {
            assert!(body.starts_with(&format!(r#"{{"tool_choice": {choice},"#)), "{body}");
        }
        assert!(sent[3].starts_with(r#"{"tool_choice": "none","#), "{}", sent[3]);
    }
}

#[tokio::test]
async fn a_provider_that_will_not_conclude_ends_it_in_words() {
    for status in [StatusCode::BAD_REQUEST, StatusCode::UNPROCESSABLE_ENTITY] {
        for stream in [true, false] {
            let case = insistence("denied");
            let words = When { tool_choice: Some("none".to_owned()), ..When::default() };
            let script = Script::new()
                .step(Step::new().when(words).error(status, "tool_choice none is not supported"))
                .step(case.step().usage(10, 5).repeat());
            let scene = case.scene(script, 3).await;
            let message = assert_whole(&scene.send(case.request(stream)).await, "refused");
            assert_eq!((message.calls.len(), message.finish.as_str()), (0, "stop"));
            assert!(message.text.contains("edit was not run: this request is not allowed here. Not there."));
            assert_eq!(message.usage, Some((10, 15)));
            assert_eq!(scene.sent().len(), 4);
        }
    }
}

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
async fn a_role_that_was_held_with_a_call_is_told_later() {
    let words = When { tool_choice: Some("none".to_owned()), ..When::default() };
    for (rounds, last) in [
        (3, Step::new().say("Sorry.")),
        (3, Step::new().call(EDIT.0, r#"{"path":"/b"}"#)),
        (1, Step::new().when(words).error(StatusCode::BAD_REQUEST, "no")),
        (0, Step::new()),
    ] {
        let script = Script::new().step(Step::new().raw_events([held(GOOD)])).step(last);
        let scene = Scene::new(script, &format!("[guard]\nrounds = {rounds}\n{DENY}")).await;
        let got = scene.send(request(&[&user("go")], &[EDIT], true)).await;
        let message = assert_whole(&got, "a role beside a call");
        assert_eq!(message.text.is_empty(), message.finish == "tool_calls", "{message:?}");
        let first = got.text().lines().next().unwrap();
        assert!(first.contains(r#""role":"assistant""#), "it comes first: {first}");
    }
}

/// A stream whose only event holds the role and a call, so that nothing can go out.
fn held(arguments: &str) -> String {
    let arguments = serde_json::to_string(arguments).unwrap();
    format!(
        r#"data: {{"id":"A","choices":[{{"index":0,"delta":{{"role":"assistant","tool_calls":[{{"index":0,"id":"c","type":"function","function":{{"name":"edit","arguments":{arguments}}}}}]}},"finish_reason":"tool_calls"}}]}}"#
    ) + "\n\ndata: [DONE]\n\n"
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
    for (status, error) in [(StatusCode::BAD_REQUEST, groq), (StatusCode::INTERNAL_SERVER_ERROR, ollama)] {
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
            assert!(shown[2].contains("the provider could not read this call"), "{}", shown[2]);

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
