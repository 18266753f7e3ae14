//! The last time the model is asked for words, and there are always words.

use http::StatusCode;
use remand::replay::{Script, Step, When};

use super::{CONCLUDE, DENY, EDIT, GOOD, assert_whole, held, insistence};
use crate::scene::{Message, Scene, elements, request, user};

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
