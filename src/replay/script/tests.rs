use super::*;

fn wrong(text: &str) -> String {
    Script::parse("s.toml", text).unwrap_err().to_string()
}

fn only(text: &str) -> Step {
    let mut script = Script::parse("s.toml", text).unwrap();
    assert_eq!(script.len(), 1);
    Step::clone(&script.steps.remove(0))
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
    assert!(matches!(step.instead, Some(Instead::Raw(_))));
    assert_eq!(step.content_type.unwrap(), "text/html");
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
        ("[[step]]\ntimes = 2\nfinish = \"stop\"", "s.toml:1: times goes with a fault"),
        ("[[step]]\nchunk_by = \"tokens\"\nfinish = \"stop\"", "s.toml:1: chunk_by goes with chunk"),
        ("[[step]]\nchunk = 2\nsplit = 2\nfinish = \"stop\"", "s.toml:1: either split or chunk"),
        ("[[step]]\nodd = [\"index_zero\", \"odd\"]", "s.toml:2: unknown variant `odd`"),
        ("[[step]]\npace = { first = \"5\" }\nraw = \"\"", "s.toml:2: `5` lacks a unit"),
        ("[[step]]\nwhen = { last_matches = \"(\" }\nraw = \"\"", "s.toml:2: bad regular expression"),
        ("[[step]]\nwhen.result = [{ at = \"/a\" }]\nraw = \"\"", "s.toml:1: in a condition on a result"),
        (
            "[[step]]\nwhen = { has_tool_result = false, tool_result_contains = \"a\" }\nraw = \"\"",
            "s.toml:1: it can never be reached",
        ),
        (
            "[[step]]\n[[step.block]]\ntext = \"{{group:x}}\"",
            "s.toml:1: no condition of this step has a group",
        ),
        (
            "[[step]]\nfinish = \"stop\"\n[[step.fault]]\nname = \"a\"\nstatus = 503",
            "s.toml:3: a fault has no name",
        ),
        ("[require]\nbearer = \"a\"\nkey = \"b\"", "s.toml:3: unknown field `key`"),
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
    let read = Step { written: None, ..read };
    assert_eq!(format!("{read:?}"), format!("{built:?}"));
}

#[test]
fn reads_what_comes_before_the_answer_and_how_it_comes() {
    let script = Script::parse(
        "s.toml",
        r#"
        ordered = true
        instant = true
        [require]
        bearer = "*"
        model = "m"
        stream = true
        [[step]]
        chunk = 3
        chunk_by = "tokens"
        pace = { first = "2s", every = "20ms" }
        odd = ["crlf", "index_zero"]
        [[step.block]]
        text = "hello"
        [[step.fault]]
        times = 2
        status = 429
        headers = { retry-after = "1" }
        [[step.fault]]
        close = { events = 2 }
        [[step]]
        split = 4
        cut_arguments = 5
        error_event = { message = "gone" }
        [step.when]
        system_contains = "s"
        last_user_matches = 'order (?<id>\d+)'
        tools_offered = ["f", "g"]
        headers = { x-team = "blue" }
        result = [{ tool = "f", is_error = false, at = "/ok", equals = true }, { id = "c1", contains = "x" }]
        body = [{ at = "/n", equals = 2 }]
        [[step.block]]
        text = "{{group:id}}"
        "#,
    )
    .unwrap();
    assert!(script.instant && script.steps[1].ordered && !script.steps[0].ordered);
    assert_eq!(script.require.model.as_deref(), Some("m"));
    let [first, second] = [&script.steps[0], &script.steps[1]];
    assert_eq!(first.written.as_deref(), Some("s.toml:8"));
    assert!(matches!(first.reply.chunk, Chunk::Tokens(size) if size.get() == 3));
    assert_eq!(first.pace, Pace { first: Duration::from_secs(2), every: Duration::from_millis(20) });
    assert_eq!(first.odd, [Odd::Crlf, Odd::IndexZero]);
    let faults: Vec<_> = first
        .faults
        .iter()
        .map(|fault| (fault.times, fault.step.status.as_u16(), fault.step.text()))
        .collect();
    assert_eq!(faults, [(2, 429, String::new()), (1, 200, "hello".to_owned())]);
    let Some(Instead::Error(error)) = &first.faults[0].step.instead else { panic!("an error") };
    assert_eq!(error.message, "Too Many Requests");
    assert_eq!(second.reply.chunk, Chunk::At(4));
    assert_eq!(second.when.result[0].equals, Some(true.into()));
    assert_eq!(second.when.body[0].at.0, "/n");
}
