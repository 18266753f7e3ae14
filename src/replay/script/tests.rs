use super::*;

fn wrong(text: &str) -> String {
    Script::parse("s.toml", text).unwrap_err().to_string()
}

fn only(text: &str) -> Step {
    let mut script = Script::parse("s.toml", text).unwrap();
    assert_eq!(script.len(), 1);
    script.steps.remove(0)
}

#[test]
fn reads_every_key() {
    let step = only(
        r#"
        [[step]]
        name = "all"
        when = { path = "/v1/chat/completions", model = "m", stream = true, turn = 1, last_user_contains = "u", last_contains = "l", last_role = "tool", tool_result_contains = "r", has_tool_result = true, tool_offered = "t", tool_choice = "auto" }
        finish = "length"
        usage = { prompt = 3, completion = 4 }
        chunk = 5
        cut = 6
        interleave = true
        repeat = true
        status = 201
        headers = { x-a = "b" }
        hang = "end"
        no_done = true
        no_finish = true
        [[step.block]]
        text = "hello"
        [[step.block]]
        reasoning = "why"
        choice = 1
        [[step.block]]
        gate = "g"
        [[step.block]]
        call = { name = "f", arguments = '{"a": 1', id = "c1" }
        [[step.block]]
        custom = { name = "patch", input = "*** Begin" }
        [[step.gate]]
        name = "h"
        at = { events = 2 }
        "#,
    );
    assert_eq!(step.when.turn, Some(1));
    assert!(step.repeat && step.reply.interleave && !step.reply.tells_done && !step.reply.tells_finish);
    assert_eq!(step.reply.usage, Usage { prompt: 3, completion: 4 });
    assert_eq!(step.status, StatusCode::CREATED);
    assert_eq!(step.reply.blocks.len(), 5);
    assert_eq!(step.reply.blocks[1].choice, 1);
    let Part::Call(call) = &step.reply.blocks[3].part else { panic!("a call") };
    assert_eq!((call.id.as_deref(), call.arguments.as_str()), (Some("c1"), r#"{"a": 1"#));
    assert!(matches!(&step.reply.blocks[4].part, Part::Call(Call { custom: true, .. })));
    let stops: Vec<_> = step.stops.iter().map(|stop| (stop.at, stop.what.clone())).collect();
    assert_eq!(
        stops,
        [(Place::Events(2), Halt::Gate("h".to_owned())), (Place::End, Halt::Hang)],
        "the gate before what ends it all"
    );
}

#[test]
fn reads_arguments_given_as_a_table() {
    let step =
        only("[[step]]\n[[step.block]]\ncall = { name = \"f\", arguments = { b = [1, 1.5], a = \"é\" } }");
    let Part::Call(call) = &step.reply.blocks[0].part else { panic!("a call") };
    assert_eq!(call.arguments, r#"{"a":"é","b":[1,1.5]}"#);
}

#[test]
fn reads_raw_bodies_and_errors() {
    let step = only("[[step]]\nstatus = 502\nraw = \"<html>\"\ncontent_type = \"text/html\"");
    assert!(matches!(step.instead, Some(Instead::Raw(raw)) if raw.content_type == "text/html"));
    let step = only("[[step]]\nstatus = 429\nerror = { message = \"slow\", code = \"rate\" }");
    assert!(matches!(step.instead, Some(Instead::Error(error)) if error.code.as_deref() == Some("rate")));
}

#[test]
fn names_the_line_of_what_is_wrong() {
    for (text, expected) in [
        ("[[step]]\n\n[[step.block]]\ntexd = \"a\"", "s.toml:4: unknown field `texd`"),
        ("[[steps]]\n", "s.toml:1: unknown field `steps`"),
        ("\n[[step]]\nwhen = { user = \"a\" }\nfinish = \"stop\"", "s.toml:3: unknown field `user`"),
        ("[[step]]\nname = \"a\"", "s.toml:1: the step says nothing"),
        ("[[step]]\n[[step.block]]\ntext = \"a\"\nreasoning = \"b\"", "s.toml:2: a block is one of"),
        ("[[step]]\n[[step.block]]\nchoice = 1", "s.toml:2: a block is one of"),
        ("[[step]]\nstatus = 99", "s.toml:1: 99 is no HTTP status"),
        ("[[step]]\nchunk = 0\nfinish = \"stop\"", "s.toml:2: invalid value"),
        ("[[step]]\nraw = \"a\"\n[[step.block]]\ntext = \"a\"", "s.toml:1: a step with blocks has no raw"),
        ("[[step]]\nraw = \"a\"\npieces = [\"a\"]", "s.toml:1: either raw or pieces"),
        ("[[step]]\ncontent_type = \"a/b\"\nfinish = \"stop\"", "s.toml:1: content_type goes with raw"),
        ("[[step]]\nheaders = { \"a b\" = \"c\" }\nstatus = 200", "s.toml:1: \"a b\" = \"c\" is no header"),
        ("[[step]]\ndie = \"soon\"", "s.toml:2: unknown variant `soon`"),
        (
            "[[step]]\nname = \"a\"\nfinish = \"stop\"\n[[step]]\nname = \"a\"\nfinish = \"stop\"",
            "s.toml:4: there is another step called \"a\"",
        ),
    ] {
        let message = wrong(text);
        assert!(message.starts_with(expected), "{text}\n{message}");
    }
}

#[test]
fn tells_which_file_is_missing() {
    let error = Script::load(std::path::Path::new("/no/such/script.toml")).unwrap_err();
    assert!(error.to_string().starts_with("/no/such/script.toml: "), "{error}");
}

#[test]
fn builds_the_same_step_as_the_file() {
    let read =
        only("[[step]]\nchunk = 2\ncut = 3\n[[step.block]]\ntext = \"a\"\n[[step.block]]\ngate = \"g\"");
    let built = Step::new().say("a").wait("g").chunk(2).cut(3);
    assert_eq!(format!("{read:?}"), format!("{built:?}"));
}
