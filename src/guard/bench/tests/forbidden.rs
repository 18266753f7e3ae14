//! What a rule forbids.

use super::*;

#[test]
fn what_is_forbidden_comes_before_all_else() {
    for (name, arguments) in [
        ("bash", r#"{"command":"git log"}"#),
        ("bash", r#"{"command":"git log""#),
        ("bash", "git log"),
        ("bash", "{'command': 'git log'}"),
        ("bash", r#"{"command":"git\u0020log","n":}"#),
        ("bash", r#"{"command":"ls"}{"command":"git log"}"#),
        ("bash", r#"{"command":"git log","command":"ls"}"#),
        ("functions.bash", r#"{"command":"git log"}"#),
        ("Bash", r#"{"command":"git log"}"#),
        ("bash<|channel|>x", r#"{"command":["git log"]}"#),
        (
            "multi_tool_use.parallel",
            r#"{"tool_uses":[{"recipient_name":"nonsense","parameters":{}},
            {"recipient_name":"functions.bash","parameters":{"command":"git log"}}]}"#,
        ),
    ] {
        let refusal = refusal(judge(name, arguments));
        assert_eq!(refusal.reason, Reason::Denied, "{name} {arguments}");
        assert_eq!(
            refusal.text,
            "Error: bash was not run: this request is not allowed here. Repositories are read through the Git \
             tools only."
        );
        assert_eq!(refusal.resort, Resort::Nothing);
    }
}

#[test]
fn a_name_that_is_let_go_unmended_does_not_slip_past_a_rule() {
    let mut rules = rules();
    rules.calls.repair = false;
    rules.calls.unknown_tool = Treatment::Forward;
    let transcript = request("", "");
    for name in ["Bash", "functions.bash", "tool:BASH"] {
        let verdict = judge_with(&transcript, &rules, &call(name, r#"{"command":"git log"}"#));
        assert_eq!(refusal(verdict).reason, Reason::Denied, "{name}");
        let allowed = judge_with(&transcript, &rules, &call(name, r#"{"command":"ls"}"#));
        assert_eq!(allowed, Verdict::Forward);
    }
}

#[test]
fn what_is_forbidden_can_be_asked_alone() {
    let (rules, transcript) = (rules(), request("", ""));
    let bench = Bench::new(&transcript, &rules, &Uncached);
    let listed = |command: &str| {
        format!(
            r#"{{"tool_uses":[{{"recipient_name":"functions.bash","parameters":{{"command":"{command}"}}}}]}}"#
        )
    };
    for (name, text) in [
        ("bash", r#"{"command":"git log"}"#),
        ("Bash", r#"{"command":"git log"#),
        ("multi_tool_use.parallel", &listed("git log")),
    ] {
        let refusal = bench.forbidden(&call(name, text)).unwrap();
        assert_eq!((refusal.reason, refusal.resort), (Reason::Denied, Resort::Nothing), "{name}");
    }
    for (name, text) in [("bash", r#"{"command":"ls"}"#), ("multi_tool_use.parallel", &listed("ls"))] {
        assert_eq!(bench.forbidden(&call(name, text)), None);
    }
}

#[test]
fn what_becomes_forbidden_on_the_way_is_refused_too() {
    let mut rules = rules();
    rules.tools.push(ToolRule {
        arguments: vec![ArgumentRule {
            at: "/command".into(),
            normalise: vec![Normalise::CollapseSpace, Normalise::Lowercase],
            schema: None,
        }],
        ..block("bash")
    });
    let refusal = refusal(judge_with(&request("", ""), &rules, &call("bash", r#"{"command":"GIT  log"}"#)));
    assert_eq!(refusal.reason, Reason::Denied);
}
