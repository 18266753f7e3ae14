use std::path::Path;

use super::*;
use crate::config::{Overrides, look};

fn surveyed(text: &str) -> Survey {
    look("rules.toml", text, Path::new(""), &Overrides::default(), &|_| Some("x".to_owned())).unwrap().1
}

fn setting<'s>(survey: &'s Survey, key: &str) -> (&'s str, Option<usize>) {
    let setting = survey.settings.iter().find(|setting| setting.key == key).expect(key);
    (&setting.value, setting.line)
}

#[test]
fn without_a_file_everything_is_at_its_default() {
    let survey = surveyed("");
    assert!(survey.settings.iter().all(|setting| setting.line.is_none()));
    assert_eq!(setting(&survey, "guard.rounds"), ("3", None));
    assert_eq!(setting(&survey, "listen.address"), ("\"127.0.0.1:8787\"", None));
    let block = Block { kind: "upstream".to_owned(), title: "\"openai\"".to_owned(), line: None };
    assert_eq!((survey.blocks, survey.warnings), (vec![block], vec![]));
}

#[test]
fn what_is_written_is_told_with_its_line() {
    let survey = surveyed(
        "guard.rounds = 5\n[listen]\nkeys = [\"s3cret\"]\nmax_body =   \"1MiB\"\n[guard.notice]\ndenied = \"No, {tool} is not allowed in this house: {reason}\"\n[[upstream]]\nname = \"local\"\nbase_url = \"http://127.0.0.1:1/v1\"\n[[tool]]\nname = [\"a\",\n \"b\"]\n[state]\nsecret = \"env:SECRET\"\n[[constraint]]\ntext = \"Be brief.\"\n",
    );
    assert_eq!(setting(&survey, "guard.rounds"), ("5", Some(1)));
    assert_eq!(setting(&survey, "listen.keys"), ("(a secret)", Some(3)));
    assert_eq!(setting(&survey, "listen.max_body"), ("\"1MiB\"", Some(4)));
    assert_eq!(setting(&survey, "state.secret"), ("\"env:SECRET\"", Some(14)));
    assert_eq!(setting(&survey, "guard.notice.denied").1, Some(6));
    assert_eq!(setting(&survey, "listen.drain"), ("\"30s\"", None));
    let blocks: Vec<_> =
        survey.blocks.iter().map(|block| (block.kind.as_str(), block.title.as_str(), block.line)).collect();
    let expected = [
        ("upstream", "\"local\"", Some(8)),
        ("tool", "[\"a\", \"b\"]", Some(11)),
        ("constraint", "always", Some(16)),
    ];
    assert_eq!(blocks, expected);
    assert!(!format!("{survey:?}").contains("s3cret"));
}

#[test]
fn what_can_never_count_is_told() {
    let upstream = |name: &str, more: &str| {
        format!("[[upstream]]\nname = \"{name}\"\nbase_url = \"http://127.0.0.1:1/v1\"\n{more}\n")
    };
    let rules = |when: &[&str]| {
        let rule = |when: &&str| format!("[[tool.result]]\nwhen = {when}\nas = \"failed\"\n");
        "[[tool]]\nname = [\"a\"]\n".to_owned() + &when.iter().map(rule).collect::<String>()
    };
    for (text, line, said) in [
        (
            upstream("a", "models = [\"*\"]") + &upstream("b", "models = [\"gpt-*\"]") + &upstream("rest", ""),
            6,
            "upstream `b` is never asked: `a` before it takes all that it takes",
        ),
        (
            upstream("a", "models = [\"x\", \"y\"]") + &upstream("b", "models = [\"y\"]") + &upstream("rest", ""),
            6,
            "upstream `b` is never asked",
        ),
        (rules(&["{ status = [422], except = [\"4xx\"] }"]), 2, "result rule 1 of this block never matches: `except`"),
        (rules(&["{ status = [422] }", "{ status = [422] }"]), 2, "result rule 2 of this block never matches: rule 1"),
        (
            "[[tool]]\nname = [\"a\"]\nmax_result = \"1KiB\"\n[[tool]]\nname = [\"*\"]\nmax_result = \"2KiB\"\n".to_owned(),
            2,
            "`max_result` of this block never counts: the block at line 5",
        ),
        (
            "[[constraint]]\nwhen = { upstreams = [\"azure\"] }\ntext = \"x\"\n".to_owned(),
            2,
            "no upstream has such a name",
        ),
    ] {
        let survey = surveyed(&text);
        let [warning] = survey.warnings.as_slice() else { panic!("{text}: {:?}", survey.warnings) };
        assert_eq!(warning.line, line, "{text}");
        assert!(warning.message.contains(said), "{}", warning.message);
    }
}

#[test]
fn what_can_count_is_no_warning() {
    let text = "[[upstream]]\nname = \"a\"\nbase_url = \"http://127.0.0.1:1/v1\"\nmodels = [\"gpt-*\"]\n\
        [[upstream]]\nname = \"b\"\nbase_url = \"http://127.0.0.1:1/v1\"\nmodels = [\"*\"]\n\
        [[upstream]]\nname = \"c\"\nbase_url = \"http://127.0.0.1:1/v1\"\n\
        [[tool]]\nname = [\"*\"]\nmax_result = \"1KiB\"\n\
        [[tool.result]]\nwhen = { status = [\"4xx\"], except = [429] }\nas = \"terminal\"\n\
        [[tool.result]]\nwhen = { status = [429] }\nas = \"transient\"\n\
        [[tool]]\nname = [\"git_*\"]\nmax_result = \"2KiB\"\n\
        [[constraint]]\nwhen = { upstreams = [\"a*\"] }\ntext = \"x\"\n";
    assert_eq!(surveyed(text).warnings, []);
}
