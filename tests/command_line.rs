//! The program as it is run: what it says, and how it ends.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};

fn remand(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_remand"));
    command.args(arguments).env_remove("REMAND_LOG").stdin(Stdio::null());
    command
}

fn run(arguments: &[&str]) -> (i32, String) {
    let Output { status, stderr, .. } = remand(arguments).output().expect("the program can be run");
    (status.code().unwrap_or(-1), String::from_utf8(stderr).expect("it speaks UTF-8"))
}

#[test]
fn a_wrong_configuration_ends_with_64_and_says_where() {
    let path = std::env::temp_dir().join(format!("remand-wrong-{}.toml", std::process::id()));
    std::fs::write(&path, "[listen]\nadress = \"x\"\n\n[guard]\nrounds = \"many\"\n").unwrap();
    let name = path.to_str().unwrap();
    let (code, told) = run(&["serve", "--config", name]);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(code, 64, "{told}");
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], format!("{name}:2:1: listen.adress: unknown key `adress`; did you mean `address`?"));
    assert!(lines[1].starts_with(&format!("{name}:5:10: guard.rounds: expected a whole number")), "{told}");
}

#[test]
fn what_the_operator_can_mend_ends_with_64() {
    for arguments in [
        &["serve", "--config", "/nowhere/remand.toml"][..],
        // An address of the block that is kept for documentation (RFC 5737): no machine has it.
        &["serve", "--listen", "192.0.2.1:1"],
        &["replay", "replay/demo.toml", "--listen", "192.0.2.1:1"],
    ] {
        let (code, told) = run(arguments);
        assert_eq!(code, 64, "{told}");
        assert!(told.starts_with("remand: failed to "), "{told}");
    }
}

#[test]
fn a_wrong_command_line_ends_with_2() {
    for arguments in [&["serve", "--upstream", "ftp://x"][..], &["serve", "--lisen", "x"], &["sreve"], &[]] {
        assert_eq!(run(arguments).0, 2, "{arguments:?}");
    }
    assert_eq!(run(&["--help"]).0, 0);
    assert_eq!(run(&["serve", "--help"]).0, 0);
}

#[test]
fn serve_says_where_it_listens_answers_there_and_stops_when_told() {
    let mut child = remand(&["serve", "--listen", "127.0.0.1:0", "--upstream", "http://127.0.0.1:1/v1"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = told.next().unwrap().unwrap();
    let address = line.split("http://").nth(1).unwrap();
    let mut socket = TcpStream::connect(address).unwrap();
    let request = format!("GET /v1/models HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// What a proxy is asked for by a program that runs with these variables, if anything, and what the agent is told.
#[expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test ends where it fails")]
fn asked_of_a_proxy(upstream: &str, variables: &[(&str, &str)]) -> (Option<String>, String) {
    let proxy = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut command = remand(&["serve", "--listen", "127.0.0.1:0", "--upstream", upstream]);
    for name in
        ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"]
    {
        command.env_remove(name);
    }
    for (name, value) in variables {
        command.env(name, value.replace("PROXY", &proxy.local_addr().unwrap().to_string()));
    }
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    let mut told = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = told.next().unwrap().unwrap();
    let address = line.split("http://").nth(1).unwrap().to_owned();
    let agent = std::thread::spawn(move || {
        let mut socket = TcpStream::connect(&address).unwrap();
        let request = format!("GET /v1/models HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
        socket.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        answer
    });
    proxy.set_nonblocking(true).unwrap();
    let mut asked = None;
    while !agent.is_finished() {
        if let Ok((mut stream, _)) = proxy.accept() {
            stream.set_nonblocking(false).unwrap();
            let mut head = vec![0; 4096];
            let length = stream.read(&mut head).unwrap();
            stream.write_all(b"HTTP/1.1 403 Forbidden\r\n\r\n").unwrap();
            asked = Some(String::from_utf8(head[..length].to_vec()).unwrap());
        }
        std::thread::yield_now();
    }
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    child.wait().unwrap();
    (asked, agent.join().unwrap())
}

#[test]
fn the_proxy_that_the_environment_names_is_used_for_providers_elsewhere_only() {
    let through = [("HTTPS_PROXY", "http://PROXY")];
    let (asked, answer) = asked_of_a_proxy("https://provider.invalid/v1", &through);
    assert!(asked.unwrap().starts_with("CONNECT provider.invalid:443 HTTP/1.1\r\n"));
    assert!(answer.starts_with("HTTP/1.1 502 ") && answer.contains("upstream_unreachable"), "{answer}");
    for (upstream, variables) in [
        ("https://127.0.0.1:1/v1", &through[..]),
        ("https://provider.invalid/v1", &[("HTTPS_PROXY", "http://PROXY"), ("NO_PROXY", "provider.invalid")]),
        ("http://provider.invalid/v1", &[("HTTP_PROXY", "http://PROXY")]),
    ] {
        let (asked, answer) = asked_of_a_proxy(upstream, variables);
        assert_eq!(asked, None, "{upstream}");
        assert!(answer.starts_with("HTTP/1.1 502 "), "{answer}");
    }
}

#[test]
fn demo_goes_as_told_and_writes_no_log_beside_its_tale() {
    let Output { status, stdout, stderr } = remand(&["demo"]).output().unwrap();
    let (told, log) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert_eq!(status.code(), Some(0), "{told}{log}");
    assert!(told.contains("the agent saw") && !told.contains('\x1b'), "{told}");
    assert_eq!(log, "");
}

/// What cannot be told was not as told.
#[test]
fn demo_that_cannot_tell_its_tale_ends_with_70() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let Output { status, stderr, .. } =
        remand(&["demo"]).stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    let told = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(70), "{told}");
    assert!(told.starts_with("remand: "), "{told}");
}

#[test]
fn replay_answers_from_a_script_and_tells_of_what_it_missed() {
    let mut child = remand(&["replay", "replay/demo.toml", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = told.next().unwrap().unwrap();
    let address = line.split("http://").nth(1).unwrap().strip_suffix("/v1").unwrap().to_owned();
    let mut ask = |user: &str, status: &str| {
        let body = format!(r#"{{"messages":[{{"role":"user","content":"{user}"}}]}}"#);
        let head = format!("POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
        let request = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
        let mut socket = TcpStream::connect(&address).unwrap();
        socket.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
        told.next().unwrap().unwrap()
    };
    assert_eq!(ask("PJ1", "200"), "1 POST /v1/chat/completions → step 1 (slug in capitals)");
    assert!(ask("none of these", "422").starts_with("2 POST /v1/chat/completions → 422 no step matches"));
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    let Output { status, stderr, .. } = child.wait_with_output().unwrap();
    let left = String::from_utf8(stderr).unwrap();
    assert_eq!(status.code(), Some(1), "{left}");
    assert!(left.starts_with("request 2: no step matches") && left.contains("never served"), "{left}");
}

#[test]
fn a_script_that_is_wrong_ends_with_65_and_says_where() {
    let (code, told) = run(&["replay", "replay/demo-config.toml"]);
    assert_eq!(code, 65);
    assert!(told.starts_with("remand: replay/demo-config.toml:23: unknown field `constraint`"), "{told}");
}

#[test]
fn explain_tells_what_the_readme_shows() {
    let readme = include_str!("../README.md");
    let shown = readme.split("```text\nreplay/request.json").nth(1).unwrap().split("```").next().unwrap();
    let run = remand(&["explain", "replay/request.json", "--answer", "replay/answer.json"]).output().unwrap();
    assert_eq!(String::from_utf8(run.stdout).unwrap(), format!("replay/request.json{shown}"));
    assert_eq!(run.status.code(), Some(1));
}

#[test]
fn explain_says_what_cannot_be_read() {
    for (arguments, code, said) in [
        (&["explain", "nowhere.json"][..], 65, "remand: nowhere.json: No such file or directory"),
        (&["explain", "Cargo.toml"], 65, "remand: Cargo.toml: the body is not an object"),
        (
            &["explain", "replay/request.json", "--answer", "Cargo.toml"],
            65,
            "neither JSON nor a stream of events",
        ),
        (&["explain", "replay/request.json", "--config", "nowhere.toml"], 64, "nowhere.toml"),
        (&["explain", "replay/request.json", "--json", "--sent"], 2, "cannot be used with"),
    ] {
        let (ended, told) = run(arguments);
        assert_eq!(ended, code, "{told}");
        assert!(told.contains(said), "{told}");
    }
}

#[test]
fn check_tells_what_is_in_force_and_what_never_counts() {
    let path = std::env::temp_dir().join(format!("remand-check-{}.toml", std::process::id()));
    let block = |globs: &str| format!("[[tool]]\nname = [{globs}]\nmax_result = \"1KiB\"\n");
    let text = format!("[guard]\nrounds = 2\n{}{}", block("\"git_*\""), block("\"*\""));
    std::fs::write(&path, text).unwrap();
    let name = path.to_str().unwrap();
    let run = remand(&["check", "--config", name]).output().unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(run.status.code(), Some(1));
    let told = String::from_utf8(run.stdout).unwrap();
    let of = |key: &str| {
        told.lines().find(|line| line.starts_with(key)).expect(key).split_whitespace().collect::<Vec<_>>()
    };
    assert_eq!(of("guard.rounds"), ["guard.rounds", "2", &format!("{name}:2")]);
    assert_eq!(of("guard.mode"), ["guard.mode", "\"enforce\"", "default"]);
    assert_eq!(of("[[tool]]"), ["[[tool]]", "[\"git_*\"]", &format!("{name}:4")]);
    let warned = String::from_utf8(run.stderr).unwrap();
    assert!(warned.starts_with(&format!("{name}:4: `max_result` of this block never counts")), "{warned}");
}

#[test]
fn check_writes_the_schema_and_finds_nothing_in_the_example() {
    let run = remand(&["check", "--schema"]).output().unwrap();
    assert_eq!(run.stdout, include_bytes!("../config.schema.json"));
    let (code, warned) = self::run(&["check", "--config", "config.example.toml"]);
    assert_eq!((code, warned.as_str()), (0, ""));
}

#[test]
fn backtest_ends_with_what_it_found() {
    let told = |arguments: &[&str]| {
        let run = remand(arguments).output().unwrap();
        (run.status.code(), String::from_utf8(run.stdout).unwrap())
    };
    let (code, out) = told(&["backtest", "replay/conversations.jsonl"]);
    assert_eq!(code, Some(0));
    assert!(
        out.starts_with("4 conversations")
            && out.contains("refused, and they failed again                  1"),
        "{out}"
    );
    let (code, out) = told(&["backtest", "rustfmt.toml", "nowhere.jsonl"]);
    assert_eq!(code, Some(65));
    assert!(out.contains("rustfmt.toml:1: ") && out.contains("nowhere.jsonl: No such file"), "{out}");

    // The repeat worked after all: to refuse it would have been wrong.
    let text = std::fs::read_to_string("replay/conversations.jsonl").unwrap();
    let first = text.lines().next().unwrap();
    let answer = |id: &str, text: &str| format!(r#""tool_call_id": "{id}", "content": "{text}""#);
    let failed = "Error: Parent directory does not exist";
    assert!(first.contains(&answer("2", failed)));
    let path = std::env::temp_dir().join(format!("remand-wrong-{}.jsonl", std::process::id()));
    std::fs::write(&path, first.replace(&answer("2", failed), &answer("2", "ok"))).unwrap();
    let (code, out) = told(&["backtest", "--json", path.to_str().unwrap()]);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(code, Some(1));
    let found: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(found["refused_wrongly"].as_array().unwrap().len(), 1, "{out}");
}
