//! Tools and turns of other kinds: custom, hosted, the first form of the API, several choices, no tools at all.

use remand::guard::Reason;
use remand::observe::event::Judged;
use remand::replay::{Script, Step};
use serde_json::Value;

use super::scene::{Got, Scene, elements, request, user};
use super::watched::{Watched, verdicts};

const LOOK: (&str, &str) =
    ("look", r#"{"type":"object","properties":{"at":{"type":"string"}},"required":["at"]}"#);
const GOOD: &str = r#"{"at":"x"}"#;
const INVALID: &str = r#"{"att":"x"}"#;
const PATCH: &str = r#"{"type":"custom","custom":{"name":"patch"}}"#;

fn question(stream: bool) -> String {
    request(&[&user("go")], &[LOOK], stream)
}

/// A request with one more tool, or member.
fn with_tool(body: &str, tool: &str) -> String {
    body.replacen(r#""tools":["#, &format!(r#""tools":[{tool},"#), 1)
}

fn with_member(body: &str, member: &str) -> String {
    body.replacen('{', &format!("{{{member},"), 1)
}

/// The pieces of a custom call's input, put together.
fn input(got: &Got) -> String {
    let parts = |body: &Value| {
        let calls = ["delta", "message"]
            .into_iter()
            .find_map(|name| body["choices"][0][name]["tool_calls"].as_array().cloned());
        calls
            .into_iter()
            .flatten()
            .filter_map(|call| call["custom"]["input"].as_str().map(str::to_owned))
            .collect::<String>()
    };
    if let Ok(body) = serde_json::from_slice::<Value>(&got.body) {
        return parts(&body);
    }
    let data = got.text().lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter_map(|data| serde_json::from_str(data).ok()).map(|event: Value| parts(&event)).collect()
}

#[tokio::test]
async fn the_input_of_a_custom_tool_is_never_read() {
    for text in ["*** Begin\n+ x\n", r#"{"at": "#, "{'a': True,}", "", "null", "é \\u0041 \" '"] {
        for stream in [true, false] {
            let body = with_tool(&question(stream), PATCH);
            let scene = Scene::new(Script::new().step(Step::new().custom("patch", text).chunk(3)), "").await;
            let got = scene.send(body).await;
            assert_eq!(input(&got), text);
            assert_eq!((got.message().finish.as_str(), scene.sent().len()), ("tool_calls", 1));
        }
    }
}

#[tokio::test]
async fn a_custom_call_cut_at_the_output_limit_is_refused() {
    for stream in [true, false] {
        let body = with_tool(&question(stream), PATCH);
        let cut = || Step::new().custom("patch", "*** Begin\n+ x").finish("length");
        let scene = Scene::new(Script::new().step(cut().repeat()), "").await;
        let got = scene.send(body.clone()).await;
        assert!(!got.text().contains("Begin"), "{}", got.text());
        assert_eq!((got.message().finish.as_str(), scene.sent().len()), ("length", 2));
        // The model is shown its call as what it was.
        let call: Value = serde_json::from_str(&elements(&scene.sent()[1])[1]).unwrap();
        assert_eq!(call["tool_calls"][0]["custom"]["input"], "*** Begin\n+ x");

        let again = Step::new().on_result("cut at the output limit").custom("patch", "*** End");
        let scene = Scene::new(Script::new().step(cut()).step(again), "").await;
        assert_eq!(input(&scene.send(body).await), "*** End");
    }
}

#[tokio::test]
async fn a_custom_tool_that_is_not_offered_is_unknown() {
    for stream in [true, false] {
        let stop = Step::new().on_result("no tool of that name").say("Stopped.");
        let scene = Scene::new(Script::new().step(Step::new().custom("patch", "x")).step(stop), "").await;
        assert_eq!(scene.send(question(stream)).await.message().text, "Stopped.");
    }
}

#[tokio::test]
async fn beside_a_hosted_tool_an_unknown_name_may_be_known_to_others() {
    for hosted in [
        r#"{"type":"web_search"}"#,
        r#"{"type":"function","function":{"name":"late","parameters":{}},"defer_loading":true}"#,
    ] {
        for stream in [true, false] {
            let body = with_tool(&question(stream), hosted);
            let script = Script::new().step(Step::new().call("elsewhere", r#"{"q": 1.10}"#).chunk(4));
            let scene = Scene::new(script, "").await;
            let message = scene.send(body).await.message();
            assert_eq!(
                (message.calls[0].1.as_str(), message.calls[0].2.as_str()),
                ("elsewhere", r#"{"q": 1.10}"#)
            );
            assert_eq!(scene.sent().len(), 1);
        }
    }
    let stop = Step::new().on_result("no tool of that name").say("Stopped.");
    let scene = Scene::new(Script::new().step(Step::new().call("elsewhere", "{}")).step(stop), "").await;
    assert_eq!(scene.send(question(true)).await.message().text, "Stopped.");
}

/// An answer in the API's first form.
fn legacy(arguments: &str, stream: bool) -> Step {
    let arguments = Value::from(arguments);
    if stream {
        let event = |delta: &str, finish: &str| {
            format!(
                "data: {{\"id\":\"a\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{finish}}}]}}\n\n"
            )
        };
        let begin = r#"{"role":"assistant","content":null,"function_call":{"name":"look","arguments":""}}"#;
        Step::new().raw_events([
            event(begin, "null"),
            event(&format!(r#"{{"function_call":{{"arguments":{arguments}}}}}"#), "null"),
            event("{}", "\"function_call\""),
            "data: [DONE]\n\n".to_owned(),
        ])
    } else {
        let message = format!(
            r#"{{"role":"assistant","content":null,"function_call":{{"name":"look","arguments":{arguments}}}}}"#
        );
        Step::new().raw("application/json", [format!(r#"{{"id":"a","choices":[{{"index":0,"message":{message},"finish_reason":"function_call"}}]}}"#)])
    }
}

#[tokio::test]
async fn a_function_call_of_the_first_form_is_judged_and_answered_in_kind() {
    for stream in [true, false] {
        let body = question(stream)
            .replace(r#""tools":[{"type":"function","function":"#, r#""functions":["#)
            .replace("}}]}", "}]}");
        let body = serde_json::from_str::<Value>(&body).map(|_| body).unwrap();
        let good = Scene::new(Script::new().step(legacy(GOOD, stream)), "").await;
        let got = good.send(body.clone()).await;
        assert!(got.text().contains(r#"{\"at\":\"x\"}"#) && good.sent().len() == 1, "{}", got.text());

        for (bad, told) in
            [(INVALID, "Please fix"), (r#"{"at":"#, "cut at the output"), (r#"{"at":}"#, "Please fix")]
        {
            let script = Script::new().step(legacy(bad, stream)).step(legacy(GOOD, stream));
            let scene = Scene::new(script, "").await;
            let got = scene.send(body.clone()).await;
            assert!(
                got.text().contains(r#"{\"at\":\"x\"}"#) && !got.text().contains("att"),
                "{}",
                got.text()
            );
            assert_eq!((got.message().finish.as_str(), got.message().finishes), ("function_call", 1));
            let shown: Vec<Value> = elements(&scene.sent()[1])
                .iter()
                .map(|element| serde_json::from_str(element).unwrap())
                .collect();
            assert_eq!(shown[1]["function_call"]["name"], "look");
            assert_eq!((&shown[2]["role"], &shown[2]["name"]), (&"function".into(), &"look".into()));
            assert!(shown[2]["content"].as_str().unwrap().contains(told), "{}", shown[2]);
        }
        // It ends in words where the model insists, and is told so in the same form.
        let unreadable = legacy(r#"{"at":}"#, stream).repeat();
        let scene = Scene::new(Script::new().step(unreadable), "").await;
        let got = scene.send(body).await;
        assert_eq!(got.message().finish, "stop");
        assert!(!got.text().contains("function_call"), "{}", got.text());
        assert_eq!(scene.sent().len(), 4);
        assert!(scene.sent()[3].contains(r#""function_call":"none""#));
    }
}

#[tokio::test]
async fn a_call_that_no_tool_was_offered_for_is_refused() {
    for stream in [true, false] {
        let forbidden = with_member(&question(stream), r#""tool_choice":"none""#);
        let without = request(&[&user("go")], &[], stream);
        let never = without.replace(r#","tools":[]"#, "");
        for body in [forbidden, without, never] {
            let stop = Step::new().on_result("no tools are available").say("In words.");
            let scene = Scene::new(Script::new().step(Step::new().call("look", GOOD)).step(stop), "").await;
            let got = scene.send(body.clone()).await;
            assert_eq!((got.message().text.as_str(), got.message().finish.as_str()), ("In words.", "stop"));

            let scene = Scene::new(Script::new().step(Step::new().call("look", GOOD).repeat()), "").await;
            let got = scene.send(body).await;
            assert!(
                !got.text().contains("\"tool_calls\"") && got.message().finish == "stop",
                "{}",
                got.text()
            );
            assert_eq!(scene.sent().len(), 4);
        }
    }
}

#[tokio::test]
async fn a_filtered_answer_is_passed_on_without_its_half_call() {
    for finish in ["content_filter", "refusal"] {
        for stream in [true, false] {
            let half = Step::new().say("Hm.").call("look", r#"{"at":"#).finish(finish);
            let scene = Scene::new(Script::new().step(half), "").await;
            let got = scene.send(question(stream)).await;
            assert!(!got.text().contains("look") && got.clean, "{}", got.text());
            assert_eq!((got.message().text.as_str(), got.message().finish.as_str()), ("Hm.", finish));
            assert_eq!(scene.sent().len(), 1);

            let both = Step::new().call("look", GOOD).call("look", r#"{"at":"#).finish(finish);
            let scene = Scene::new(Script::new().step(both), "").await;
            let message = scene.send(question(stream)).await.message();
            assert_eq!((message.calls.len(), message.finish.as_str(), scene.sent().len()), (1, finish, 1));
        }
    }
}

/// One choice of several, as an answer of its own.
fn choice(got: &Got, index: u64) -> Got {
    let only = |text: &str| {
        let mut body: Value = serde_json::from_str(text).ok()?;
        let choices = body["choices"].as_array()?.clone();
        let mine: Vec<_> = choices.into_iter().filter(|choice| choice["index"] == index).collect();
        body["choices"] = mine.into();
        Some(body.to_string())
    };
    let body = only(got.text()).unwrap_or_else(|| {
        let events = got.text().lines().filter_map(|line| line.strip_prefix("data: "));
        let mine = events.map(|data| only(data).unwrap_or_else(|| data.to_owned()));
        mine.fold(String::new(), |body, data| body + "data: " + &data + "\n\n")
    });
    Got { status: got.status, headers: got.headers.clone(), body: body.into(), clean: got.clean }
}

#[tokio::test]
async fn of_several_choices_each_is_judged_and_nothing_is_asked_again() {
    let rules =
        "[[tool]]\nname = [\"look\"]\n[[tool.deny]]\nat = \"/at\"\nmatches = \"secret\"\nreason = \"No.\"";
    let denied = r#"{"at":"secret"}"#;
    for (name, arguments, kept, reason) in [
        ("look", r#"{"at":"#, false, Reason::Truncated),
        ("look", r#"{"at":}"#, false, Reason::Unreadable),
        ("look", "", false, Reason::Unreadable),
        ("peek", GOOD, false, Reason::UnknownTool),
        ("look", denied, false, Reason::Denied),
        ("look", INVALID, true, Reason::Invalid),
    ] {
        for stream in [true, false] {
            for bad in [0, 1] {
                let step = Step::new()
                    .call_as("bad", name, arguments)
                    .in_choice(bad)
                    .call_as("good", "look", GOOD)
                    .in_choice(1 - bad)
                    .interleave();
                let watched = Watched::new(Script::new().step(step), "", rules).await;
                let got = watched.scene.send(with_member(&question(stream), "\"n\":2")).await;
                let (good, other) =
                    (choice(&got, u64::from(1 - bad)).message(), choice(&got, u64::from(bad)).message());
                assert_eq!((good.calls[0].2.as_str(), good.finish.as_str()), (GOOD, "tool_calls"));
                if kept {
                    assert_eq!((other.calls[0].2.as_str(), other.finish.as_str()), (arguments, "tool_calls"));
                } else {
                    assert_eq!(
                        (other.calls.len(), other.finish.as_str()),
                        (0, "stop"),
                        "{arguments}: {}",
                        got.text()
                    );
                    assert!(other.text.contains("could not be run"), "{}", got.text());
                }
                assert!(got.clean && good.text.is_empty());
                assert_eq!(watched.scene.sent().len(), 1);
                let expected = if kept {
                    (Judged::GaveUp, vec![reason, Reason::GaveUp])
                } else {
                    (Judged::Refused, vec![reason])
                };
                assert!(verdicts(&watched.facts().await).contains(&expected), "{name} {arguments}");
            }
        }
    }
}

#[tokio::test]
async fn each_emptied_choice_says_what_was_refused_of_it() {
    for stream in [true, false] {
        let step = Step::new()
            .call("look", r#"{"at":}"#)
            .call("peek", GOOD)
            .in_choice(1)
            .call("look", GOOD)
            .in_choice(1)
            .say("Hm.")
            .in_choice(2)
            .call("poke", GOOD)
            .in_choice(2);
        let scene = Scene::new(Script::new().step(step), "").await;
        let got = scene.send(with_member(&question(stream), "\"n\":3")).await;
        let messages = [0, 1, 2].map(|index| choice(&got, index).message());
        assert!(
            messages[0].text.contains("look was not run") && !messages[0].text.contains("poke"),
            "{messages:?}"
        );
        assert_eq!((messages[1].text.as_str(), messages[1].calls.len()), ("", 1));
        assert!(
            messages[2].text.starts_with("Hm.\n\nThe last")
                && messages[2].text.contains("poke was not run")
                && !messages[2].text.contains("look was"),
            "{messages:?}"
        );
        assert_eq!(scene.sent().len(), 1);
    }
}
