//! Names and arguments as models write them: what is mended, and what comes near and is not.

use remand::replay::{Script, Step};

use super::scene::{Message, Scene, request, result, user};

const READ: (&str, &str) = (
    "read_file",
    r#"{"type":"object","properties":{"file_path":{"type":"string"},"line":{"type":"integer"},"mode":{"enum":["Text","Bytes"]},"tags":{"type":"array","items":{"type":"string"}},"force":{"type":"boolean"},"note":{"type":["string","integer"]}},"required":["file_path"],"additionalProperties":false}"#,
);
const PING: (&str, &str) = ("ping", r#"{"type":"object","properties":{}}"#);
const TOOLS: [(&str, &str); 2] = [READ, PING];

/// Name and arguments as written, and what the agent gets of them.
const MENDED: &[(&str, &str, &str, &str)] = &[
    // Nothing to mend: the bytes stay.
    (
        "read_file",
        r#"{ "line" : 12 ,"file_path":"\u00e9\/\ud800" }"#,
        "read_file",
        r#"{ "line" : 12 ,"file_path":"\u00e9\/\ud800" }"#,
    ),
    (
        "ping",
        r#"{"any": 1.10, "id": 1234567890123456789}"#,
        "ping",
        r#"{"any": 1.10, "id": 1234567890123456789}"#,
    ),
    // No arguments for a tool that needs none.
    ("ping", "", "ping", "{}"),
    ("ping", "null", "ping", "{}"),
    ("ping", "[]", "ping", "{}"),
    // Almost JSON.
    ("read_file", "```json\n{\"file_path\":\"a\"}\n```", "read_file", r#"{"file_path":"a"}"#),
    (
        "read_file",
        "{'file_path': 'it\"s', 'force': True}",
        "read_file",
        r#"{"file_path": "it\"s", "force": true}"#,
    ),
    ("read_file", r#"{"file_path":"a","tags":["x",],}"#, "read_file", r#"{"file_path":"a","tags":["x"]}"#),
    ("read_file", "{\"file_path\":\"a\nb\"}", "read_file", r#"{"file_path":"a\nb"}"#),
    ("read_file", r#"{}{"file_path":"a"}"#, "read_file", r#"{"file_path":"a"}"#),
    ("read_file", r#"{"file_path":"a"}{"file_path": "a"}"#, "read_file", r#"{"file_path":"a"}"#),
    ("read_file", r#""{\"file_path\":\"a\"}""#, "read_file", r#"{"file_path":"a"}"#),
    // Almost of the right type.
    ("read_file", r#"{"file_path":"a", "line":"5"}"#, "read_file", r#"{"file_path":"a", "line":5}"#),
    ("read_file", r#"{"file_path":"a","force":"true"}"#, "read_file", r#"{"file_path":"a","force":true}"#),
    ("read_file", r#"{"file_path":"a","tags":"[\"x\"]"}"#, "read_file", r#"{"file_path":"a","tags":["x"]}"#),
    ("read_file", r#"{"file_path":"a","tags":"x"}"#, "read_file", r#"{"file_path":"a","tags":["x"]}"#),
    ("read_file", r#"{"file_path":"a","line":null}"#, "read_file", r#"{"file_path":"a"}"#),
    ("read_file", r#"{"file_path":"a","mode":"text"}"#, "read_file", r#"{"file_path":"a","mode":"Text"}"#),
    ("read_file", r#"{"filePath":"a"}"#, "read_file", r#"{"file_path":"a"}"#),
    // A string that is accepted stays one.
    ("read_file", r#"{"file_path":"5","note":"5"}"#, "read_file", r#"{"file_path":"5","note":"5"}"#),
    // Names.
    ("functions.read_file", r#"{"file_path":"a"}"#, "read_file", r#"{"file_path":"a"}"#),
    ("default_api.read_file", r#"{"file_path":"a"}"#, "read_file", r#"{"file_path":"a"}"#),
    ("tool:ping", "{}", "ping", "{}"),
    ("read_file<|channel|>commentary", r#"{"file_path":"a"}"#, "read_file", r#"{"file_path":"a"}"#),
    ("Read-File", r#"{"file_path":"a"}"#, "read_file", r#"{"file_path":"a"}"#),
    ("readFile", "{'filePath': 'a'}", "read_file", r#"{"file_path": "a"}"#),
];

/// Near misses, and what the model is told of them.
const REFUSED: &[(&str, &str, &str)] = &[
    ("read_file", "", "file_path"),
    ("read_file", "[]", "file_path"),
    ("read_file", r#"["a"]"#, "not a JSON object"),
    ("ping", "none", "not valid JSON"),
    ("read_file", r#"{"file_path":"the "big" one"}"#, "not valid JSON"),
    ("read_file", r#"{"file_path":"C:\data\new"}"#, "backslash"),
    ("read_file", r#"{"file_path":}"#, "not valid JSON"),
    (
        "read_file",
        "```json\n{\"file_path\":\"a\"}\n```\n```json\n{\"file_path\":\"b\"}\n```",
        "not valid JSON",
    ),
    ("read_file", r#""\"{\\\"file_path\\\":\\\"a\\\"}\"""#, "not a JSON object"),
    ("read_file", r#"{"file_path":"a","line":"5a"}"#, "/line"),
    ("read_file", r#"{"file_path":"a","line":" 5"}"#, "/line"),
    ("read_file", r#"{"file_path":"a","line":5.5}"#, "/line"),
    ("read_file", r#"{"file_path":"a","force":"yes"}"#, "/force"),
    ("read_file", r#"{"file_path":"a","tags":[1]}"#, "/tags/0"),
    ("read_file", r#"{"file_path":null}"#, "/file_path"),
    ("read_file", r#"{"file_path":"a","mode":"tex"}"#, "/mode"),
    ("read_file", r#"{"file_pathh":"a"}"#, "file_path"),
    ("read_files", r#"{"file_path":"a"}"#, "read_file"),
    ("functions.write_file", r#"{"file_path":"a"}"#, "no tool of that name"),
    ("commentary<|channel|>read_file", "{}", "no tool of that name"),
];

/// The answer to one call, and what the provider was asked.
async fn play(steps: impl IntoIterator<Item = Step>, body: &str) -> (Message, Scene) {
    let script = steps.into_iter().fold(Script::new(), Script::step);
    let scene = Scene::new(script.step(Step::new().say("Done.").repeat()), "").await;
    let message = scene.send(body.to_owned()).await.message();
    (message, scene)
}

#[tokio::test]
async fn what_loses_nothing_is_mended_and_from_then_on_the_call() {
    for (name, arguments, right_name, right) in MENDED {
        for stream in [true, false] {
            let body = request(&[&user("go")], &TOOLS, stream);
            let step = Step::new().call_as("one", *name, *arguments).chunk(6);
            let (message, scene) = play([step], &body).await;
            let expected = ("one".to_owned(), (*right_name).to_owned(), (*right).to_owned());
            assert_eq!(message.calls, [expected], "{name} {arguments}");
            assert_eq!((message.finish.as_str(), scene.sent().len()), ("tool_calls", 1));
            // The provider is shown what the agent shows: there is no aside. Only half a character is made readable.
            let history = [user("go"), message.element(false), result("one", "fine")];
            let later = request(&history.each_ref().map(String::as_str), &TOOLS, stream);
            assert_eq!(scene.send(later.clone()).await.message().text, "Done.");
            assert_eq!(scene.sent()[1], later.replace(r"\\ud800", r"\\ufffd"));
        }
    }
}

#[tokio::test]
async fn what_comes_near_is_refused_and_never_guessed() {
    for (name, arguments, told) in REFUSED {
        for stream in [true, false] {
            let step = Step::new().call_as("one", *name, *arguments).chunk(6);
            let stop = Step::new().on_result(*told).say("Stopped.");
            let (message, scene) = play([step, stop], &request(&[&user("go")], &TOOLS, stream)).await;
            assert_eq!(
                (message.calls.len(), message.text.as_str()),
                (0, "Stopped."),
                "{name} {arguments}: {:?}",
                scene.sent()
            );
            assert_eq!(scene.sent().len(), 2);
        }
    }
}

#[tokio::test]
async fn a_name_that_could_mean_two_tools_means_none() {
    let tools = [("read_file", "{}"), ("readfile", "{}")];
    for stream in [true, false] {
        let step = Step::new().call("ReadFile", "{}");
        let stop = Step::new().on_result("read_file, readfile").say("Stopped.");
        let (message, _) = play([step, stop], &request(&[&user("go")], &tools, stream)).await;
        assert_eq!((message.calls.len(), message.text.as_str()), (0, "Stopped."));
    }
}

#[tokio::test]
async fn glued_calls_are_taken_apart_and_each_can_be_answered() {
    let listed = r#"{"tool_uses":[{"recipient_name":"functions.read_file","parameters":{"file_path":"a"}},{"recipient_name":"read_file","parameters":{"filePath":"b"}}]}"#;
    for (name, arguments) in [
        ("read_file", r#"{"file_path":"a"}{"file_path":"b"}"#),
        ("multi_tool_use.parallel", listed),
        ("multi_tool_use_parallel", listed),
    ] {
        for stream in [true, false] {
            let body = request(&[&user("go")], &TOOLS, stream);
            let step = || Step::new().call_as("one", name, arguments).call_as("last", "ping", "{}").chunk(6);
            let (message, scene) = play([step(), step()], &body).await;
            let calls: Vec<_> =
                message.calls.iter().map(|(_, name, text)| (name.as_str(), text.as_str())).collect();
            let read = |text| ("read_file", text);
            assert_eq!(calls, [read(r#"{"file_path":"a"}"#), read(r#"{"file_path":"b"}"#), ("ping", "{}")]);
            let ids: Vec<_> = message.calls.iter().map(|(id, ..)| id.as_str()).collect();
            assert_eq!((ids[0], ids[2]), ("one", "last"));
            let legal = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            assert!(ids[1].len() <= 40 && ids[1].chars().all(legal) && !["one", "last"].contains(&ids[1]));

            // The same request gets the same ids, and each call its result.
            assert_eq!(scene.send(body).await.message().calls, message.calls);
            let mut history = vec![user("go"), message.element(false)];
            history.extend(ids.iter().map(|id| result(id, "fine")));
            let later = request(&history.iter().map(String::as_str).collect::<Vec<_>>(), &TOOLS, stream);
            assert_eq!(scene.send(later.clone()).await.message().text, "Done.");
            assert_eq!(scene.sent().last(), Some(&later));
        }
    }
}

#[tokio::test]
async fn glued_calls_are_refused_where_one_is_bad_or_only_one_is_wanted() {
    let glued = r#"{"file_path":"a"}{"file_path":"b"}"#;
    let listed = r#"{"tool_uses":[{"recipient_name":"functions.write","parameters":{}}]}"#;
    let one_only = |body: String| body.replacen('{', r#"{"parallel_tool_calls":false,"#, 1);
    for stream in [true, false] {
        let body = request(&[&user("go")], &TOOLS, stream);
        for (name, arguments, told, body) in [
            ("read_file", glued, "one call at a time", one_only(body.clone())),
            ("read_file", r#"{"file_path":"a"}{"file_path":5}"#, "/file_path", body.clone()),
            ("multi_tool_use.parallel", listed, "no tool of that name", body.clone()),
            ("multi_tool_use.parallel", r#"{"tool_uses":[]}"#, "tool_uses", body),
        ] {
            let stop = Step::new().on_result(told).say("Stopped.");
            let (message, _) = play([Step::new().call(name, arguments), stop], &body).await;
            assert_eq!((message.calls.len(), message.text.as_str()), (0, "Stopped."), "{arguments}");
        }
    }
}

/// Some providers give the arguments as the object itself.
#[tokio::test]
async fn arguments_that_are_an_object_become_their_text() {
    let call = |arguments: &str| {
        format!(
            r#"{{"index":0,"id":"one","type":"function","function":{{"name":"read_file","arguments":{arguments}}}}}"#
        )
    };
    let streamed = |arguments: &str| {
        let event = format!(
            r#"{{"id":"a","choices":[{{"index":0,"delta":{{"role":"assistant","tool_calls":[{}]}},"finish_reason":"tool_calls"}}]}}"#,
            call(arguments)
        );
        Step::new().raw_events([format!("data: {event}\n\ndata: [DONE]\n\n")])
    };
    let whole = |arguments: &str| {
        let body = format!(
            r#"{{"id":"a","choices":[{{"index":0,"message":{{"role":"assistant","content":null,"tool_calls":[{}]}},"finish_reason":"tool_calls"}}]}}"#,
            call(arguments)
        );
        Step::new().raw("application/json", [body])
    };
    for stream in [true, false] {
        let body = request(&[&user("go")], &TOOLS, stream);
        let step = |arguments: &str| if stream { streamed(arguments) } else { whole(arguments) };
        let (message, _) = play([step(r#"{"file_path":"a", "line": 1}"#)], &body).await;
        assert_eq!(message.calls[0].2, r#"{"file_path":"a", "line": 1}"#);
        let (message, scene) = play([step(r#"{"file_path":5}"#)], &body).await;
        assert_eq!((message.calls.len(), message.text.as_str(), scene.sent().len()), (0, "Done.", 2));
        let (message, _) = play([step("null")], &body).await;
        assert_eq!(message.calls.len(), 0);
    }
}
