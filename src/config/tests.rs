use std::time::Duration;

use super::plan::{Events, HttpVersion};
use super::*;
use crate::guard::notice::Notice;
use crate::guard::rules::{Normalise, Reopen, ResultClass, Treatment};

mod example;
mod schema;

fn read(text: &str) -> Result<Plan, Error> {
    read_with(text, &Overrides::default())
}

fn read_with(text: &str, overrides: &Overrides) -> Result<Plan, Error> {
    let environment = |name: &str| match name {
        "KEY" => Some("sk-secret".to_owned()),
        "EMPTY" => Some(String::new()),
        "DRAIN" => Some("7s".to_owned()),
        _ => None,
    };
    parse("remand.toml", text, Path::new("/nowhere"), overrides, &environment)
}

/// What is said of a text that is no configuration.
fn complaint(text: &str) -> String {
    read(text).map(|_| ()).expect_err("it is wrong").to_string()
}

#[test]
fn no_file_is_a_configuration() {
    let plan = load(None, &Overrides::default()).unwrap();
    assert_eq!(plan.listen.address, "127.0.0.1:8787".parse().unwrap());
    assert_eq!(plan.upstreams.len(), 1);
    assert_eq!(plan.upstreams[0].name, "openai");
    assert_eq!(plan.upstreams[0].base_url, "https://api.openai.com/v1");
    assert_eq!(plan.upstreams[0].http, HttpVersion::One);
    assert_eq!(plan.rules.mode, Mode::Enforce);
    assert_eq!(plan.rules.rounds, 3);
    assert_eq!(plan.events, Events::Off);
    assert_eq!(plan.state.secret.expose().len(), 32);
}

#[test]
fn the_defaults_are_those_of_the_guard() {
    let ours = read("").unwrap();
    let theirs = crate::guard::Rules::default();
    let told = |rules: &crate::guard::Rules| format!("{:?} {:?}", rules.calls, rules.failures);
    assert_eq!(told(&ours.rules), told(&theirs));
    assert_eq!((ours.rules.mode, ours.rules.rounds), (theirs.mode, theirs.rounds));
}

#[test]
fn each_process_has_a_secret_of_its_own_unless_one_is_set() {
    assert_ne!(read("").unwrap().state.secret, read("").unwrap().state.secret);
    let set = "[state]\nsecret = 'env:KEY'";
    assert_eq!(read(set).unwrap().state.secret, read(set).unwrap().state.secret);
}

#[test]
fn a_whole_file_is_understood() {
    let plan = read(WHOLE).unwrap();
    assert_eq!(plan.listen.keys[0].expose(), b"sk-secret");
    assert_eq!(plan.listen.max_body, 10_000_000);
    assert_eq!(plan.listen.max_held, 4096);
    assert_eq!(plan.listen.heartbeat, None);
    assert_eq!(plan.listen.drain, Duration::from_secs(7));
    let azure = &plan.upstreams[0];
    assert!(azure.models.as_ref().unwrap().is_match("gpt-5"));
    assert!(!azure.models.as_ref().unwrap().is_match("claude"));
    assert!(azure.paths.as_ref().unwrap().is_match("/openai/deployments/x/chat/completions"));
    assert_eq!(azure.key.as_ref().unwrap().expose(), b"sk-secret");
    assert_eq!(azure.headers[0].0, "x-team");
    assert_eq!(azure.headers[0].1, "agents");
    assert_eq!(azure.http, HttpVersion::Auto);
    assert_eq!(plan.rules.mode, Mode::Observe);
    assert_eq!(plan.rules.calls.unknown_tool, Treatment::Forward);
    assert_eq!(plan.rules.failures.reopen, Reopen::Never);
    assert!(plan.rules.failures.read_only.is_match("peek_x"));
    assert_eq!(plan.events, Events::File("/nowhere/events.jsonl".into()));
}

#[test]
fn tool_blocks_become_rules_of_the_guard() {
    let plan = read(WHOLE).unwrap();
    let policy = plan.rules.policy("git_prepare_worktree");
    assert_eq!(policy.read_only, Some(false));
    assert_eq!(policy.after, Some(2));
    assert_eq!(policy.ignore, ["/request_id"]);
    assert_eq!((policy.strip, policy.max_result), (vec!["/_internal", "/meta/trace"], Some(64 << 10)));
    let argument = policy.arguments[0];
    assert_eq!(argument.at, "/branch_slug");
    assert_eq!(argument.normalise, [Normalise::Trim, Normalise::CollapseSpace]);
    assert_eq!(argument.schema.as_deref(), Some(r#"{"pattern":"^[a-z]+$","maxLength":48}"#));
    let result = policy.results[0];
    assert_eq!(result.class, ResultClass::Terminal);
    assert_eq!(result.when.status, [(422, 422), (400, 499)]);
    assert_eq!(result.when.except, [408, 500, 501]);
    assert!(result.when.matches.as_ref().unwrap().is_match("Permission"));
    assert_eq!(result.when.pointer.as_deref(), Some("/error"));
    assert_eq!(policy.deny[0].at, "");
    assert!(policy.deny[0].pattern.is_match("rm -rf"));
    assert!(plan.rules.policy("other").arguments.is_empty());
}

const WHOLE: &str = r#"
[listen]
keys = ["env:KEY"]
max_body = "10MB"
max_held = 4096
heartbeat = "off"
drain = "env:DRAIN"

[[upstream]]
name = "azure"
base_url = "https://x.openai.azure.com/"
models = ["gpt-*"]
paths = ["/openai/*"]
key = "env:KEY"
headers = { x-team = "agents" }
http = "auto"

[guard]
mode = "observe"
[guard.calls]
unknown_tool = "forward"
[guard.failures]
reopen = "never"
read_only = ["peek_*"]

[[tool]]
name = ["git_*"]
read_only = false
after = 2
ignore = ["/request_id"]
strip = ["/_internal", "/meta/trace"]
max_result = "64KiB"
[[tool.argument]]
at = "/branch_slug"
normalise = ["trim", "collapse-space"]
schema = { pattern = "^[a-z]+$", maxLength = 48 }
[[tool.result]]
when = { status = [422, "4xx"], except = [408, "500-501"], matches = "^P", pointer = "/error" }
as = "terminal"
[[tool.deny]]
matches = 'rm\s+-rf'
reason = "Nothing is deleted here."

[audit]
jsonl = "events.jsonl"
"#;

#[test]
fn the_command_line_wins_over_the_file() {
    let overrides = Overrides {
        listen: Some("[::1]:9".parse().unwrap()),
        upstream: Some("http://localhost:11434/v1/".parse().unwrap()),
        mode: Some(Mode::Enforce),
    };
    let plan = read_with(WHOLE, &overrides).unwrap();
    assert_eq!(plan.listen.address, "[::1]:9".parse().unwrap());
    assert_eq!(plan.rules.mode, Mode::Enforce);
    assert_eq!(plan.upstreams.len(), 1);
    assert_eq!(plan.upstreams[0].base_url, "http://localhost:11434/v1");
    assert_eq!(plan.upstreams[0].name, "localhost");
}

#[test]
fn a_key_of_the_file_does_not_go_to_an_upstream_of_the_command_line() {
    let overrides = Overrides { upstream: Some("http://elsewhere".parse().unwrap()), ..Overrides::default() };
    assert_eq!(read_with(WHOLE, &overrides).unwrap().upstreams[0].key, None);
}

#[test]
fn tells_file_line_column_key_and_the_nearest_key() {
    assert_eq!(
        complaint("[listen]\n  adress = '1'\n"),
        "remand.toml:2:3: listen.adress: unknown key `adress`; did you mean `address`?"
    );
    assert_eq!(
        complaint(
            "[[tool]]\nname = ['a']\n[[tool]]\nname = ['b']\n[[tool.argument]]\nat = ''\nnormalize = []\n"
        ),
        "remand.toml:7:1: tool.argument.normalize: unknown key `normalize`; did you mean `normalise`?"
    );
}

#[test]
fn keys_that_would_do_nothing_yet_are_not_accepted() {
    for text in [
        "[[tool]]\nname = ['x']\nstream = true",
        "[[upstream]]\nname = 'x'\nbase_url = 'http://x'\nretry = {}",
        "[[upstream]]\nname = 'x'\nbase_url = 'http://x'\nquirks = []",
        "[telemetry]\n",
        "[record]\n",
        "[admin]\n",
        "[state]\nurl = 'redis://x'",
        "[audit]\npath = 'x'",
    ] {
        assert!(complaint(text).contains("unknown key"), "{text}");
    }
}

#[test]
fn tells_all_mistakes_of_a_file_at_once_in_its_order() {
    insta::assert_snapshot!(complaint(
        r#"
[listen]
address = "localhost"
max_body = 0
max_held = -1
max_exchanges = 0
idle_timeout = "0s"
keys = ["a b", ""]
tls = { cert = "cert.pem" }

[[upstream]]
name = "a"
base_url = "ftp://x"
http = "3"
[[upstream]]
name = "a"
base_url = "http://x"
ca = "corp.pem"
models = []
headers = { "Host" = "x", "b b" = "c", c = 3 }

[guard]
rounds = "3"
mode = "enforc"

[[tool]]
name = []
strip = ["/a", ""]
max_result = 255
[[tool.argument]]
at = "branch"
normalise = ["kebap", "trim"]
schema = { type = "strin" }
[[tool.result]]
when = { status = [22, "499-400"], maches = "x" }
as = "fatal"
[[tool.deny]]
matches = "(?=x)"
"#
    ), @r#"
    remand.toml:3:11: listen.address: `localhost` is not an address and port such as "127.0.0.1:8787"
    remand.toml:4:12: listen.max_body: must be more than 0
    remand.toml:5:12: listen.max_held: `-1` is not a size such as "64MiB", "10MB" or "4096"
    remand.toml:6:17: listen.max_exchanges: expected a whole number from 1, found an integer
    remand.toml:7:16: listen.idle_timeout: must be longer than 0
    remand.toml:8:9: listen.keys: the key holds white space or other characters that a header cannot carry
    remand.toml:8:16: listen.keys: the key is empty
    remand.toml:9:7: listen.tls: `key` is missing
    remand.toml:13:12: upstream.base_url: the URL must begin with http:// or https://; expected a URL such as "https://api.openai.com/v1"
    remand.toml:14:8: upstream.http: unknown value `3`; known here: 1.1, 2, auto
    remand.toml:18:6: upstream.ca: /nowhere/corp.pem cannot be read: No such file or directory (os error 2)
    remand.toml:19:10: upstream.models: an empty list matches nothing; leave the key out to match all
    remand.toml:20:13: upstream.headers.Host: `host` is set by the proxy for each request
    remand.toml:20:27: upstream.headers."b b": `b b` is not a header name
    remand.toml:20:44: upstream.headers.c: expected a header value, found an integer
    remand.toml:23:10: guard.rounds: expected a whole number from 0, found a string
    remand.toml:24:8: guard.mode: unknown value `enforc`; did you mean `enforce`?
    remand.toml:27:8: tool.name: names no tool; `["*"]` means all
    remand.toml:28:16: tool.strip: an empty pointer means the whole result; name a part of it
    remand.toml:29:14: tool.max_result: must be at least 256 bytes
    remand.toml:31:6: tool.argument.at: a JSON pointer starts with `/`: write `/branch`
    remand.toml:32:14: tool.argument.normalise: unknown value `kebap`; did you mean `kebab`?
    remand.toml:33:10: tool.argument.schema: not a JSON Schema: at /type: "strin" is not valid under any of the schemas listed in the 'anyOf' keyword
    remand.toml:35:20: tool.result.when.status: `22` is not a status such as 422, "4xx" or "400-499"
    remand.toml:35:24: tool.result.when.status: `499-400` runs backwards
    remand.toml:35:36: tool.result.when.maches: unknown key `maches`; did you mean `matches`?
    remand.toml:36:6: tool.result.as: unknown value `fatal`; known here: success, correctable, failed, terminal, transient, control
    remand.toml:38:11: tool.deny.matches: bad regular expression `(?=x)`: look-around, including look-ahead and look-behind, is not supported (they could take exponential time)
    "#);
}

#[test]
fn a_text_that_is_no_toml_is_told_with_its_place() {
    assert_eq!(complaint("[listen\n"), "remand.toml:1:8: unclosed table, expected `]`");
    assert!(complaint("a = 1\na = 2\n").starts_with("remand.toml:2:1: "));
}

#[test]
fn columns_count_characters() {
    assert!(complaint("listen = { \"é\" = 1, x = 2 }").contains("remand.toml:1:21: listen.x:"));
}

#[test]
fn a_text_of_the_operators_takes_the_place_of_the_built_in_one() {
    let plan = read("[guard.notice]\ninvalid = 'Not so, {tool}, my dear model: {problems}'").unwrap();
    let values = [("tool", "ls"), ("problems", "no")];
    assert_eq!(plan.rules.notices.text(Notice::Invalid, &values), "Not so, ls, my dear model: no");
}

#[test]
fn a_language_is_chosen_and_a_text_of_the_operators_goes_before_it() {
    let plan = read("[guard]\nlocale = 'de'\n[guard.notice]\nproblem_at = '{place} -> {problem}'").unwrap();
    let values = [("tool", "ls"), ("problems", "no")];
    let told = plan.rules.notices.text(Notice::Invalid, &values);
    assert_eq!(told, "Fehler: ls wurde nicht ausgeführt: no. Bitte behebe deine Fehler.");
    let told = plan.rules.notices.text(Notice::ProblemAt, &[("place", "/a"), ("problem", "no")]);
    assert_eq!(told, "/a -> no");
}

#[test]
fn an_unknown_language_is_told_with_those_that_are_known() {
    assert_eq!(
        complaint("[guard]\nlocale = 'en-GB'"),
        "remand.toml:2:10: guard.locale: unknown locale `en-GB`; known here: en, zh, ja, de, es, fr"
    );
    assert!(complaint("[guard]\nlocale = 5").contains("expected a string"));
}

#[test]
fn a_text_that_is_unknown_or_holds_an_unknown_placeholder_is_told() {
    assert_eq!(
        complaint("[guard.notice]\ninvald = 'x'"),
        "remand.toml:2:1: guard.notice.invald: unknown key `invald`; did you mean `invalid`?"
    );
    let told = complaint("[guard.notice]\ninvalid = 'This is not so, {name}, and so on'");
    assert!(
        told.starts_with("remand.toml:2:11: guard.notice.invalid: unknown placeholder `{name}`"),
        "{told}"
    );
}

#[test]
fn what_the_model_is_told_besides_is_compiled() {
    let plan = read(
        "[[upstream]]\nname = 'near'\nbase_url = 'http://x'\n\
        [[tool]]\nname = ['git_*']\ndescribe = '''\n  Slugs are lower-case.\n'''\n[[tool.argument]]\nat = '/slug'\n\
        schema = { maxLength = 48 }\n[[tool]]\nname = ['ls']\nread_only = true\n\
        [[constraint]]\nwhen = { tools = ['git_*'], models = ['gpt-*'], upstreams = ['n*'] }\nplace = 'system'\n\
        text = '''\nBe true.\n\nBe brief.\n'''\n[[constraint]]\ntext = 'env:KEY'\n",
    );
    let additions = &plan.unwrap().rules.additions;
    let [tool] = additions.tools.as_slice() else { panic!("{additions:?}") };
    assert_eq!((tool.describe.as_deref(), tool.overlays.len()), (Some("Slugs are lower-case."), 1));
    let [narrow, wide] = additions.constraints.as_slice() else { panic!("{additions:?}") };
    assert_eq!(narrow.text, "Be true.\n\nBe brief.");
    assert!(narrow.upstreams.as_ref().unwrap().is_match("near"));
    assert!(narrow.models.as_ref().unwrap().is_match("gpt-5") && narrow.tools.is_some());
    assert_eq!(wide.text, "sk-secret");
    assert!(wide.tools.is_none() && wide.models.is_none() && wide.upstreams.is_none());
}

#[test]
fn a_constraint_that_says_nothing_or_can_never_apply_is_told() {
    insta::assert_snapshot!(complaint(
        r#"
[[upstream]]
name = "near"
base_url = "http://x"
[[tool]]
name = ["x"]
describe = ""
[[constraint]]
when = { tools = [], models = [], upstreams = ["n*", "openai", "azure"] }
text = " \n "
[[constraint]]
when = { tool = ["x"] }
place = "user"
[[constraint]]
when = { upstreams = [] }
text = "x"
"#
    ), @r"
    remand.toml:7:12: tool.describe: the text is empty
    remand.toml:9:18: constraint.when.tools: an empty list matches nothing; leave the key out to match all
    remand.toml:9:31: constraint.when.models: an empty list matches nothing; leave the key out to match all
    remand.toml:10:8: constraint.text: the text is empty
    remand.toml:11:1: constraint: `text` is missing
    remand.toml:12:10: constraint.when.tool: unknown key `tool`; did you mean `tools`?
    remand.toml:13:9: constraint.place: unknown value `user`; known here: system
    remand.toml:15:22: constraint.when.upstreams: an empty list matches nothing; leave the key out to match all
    ");
    insta::assert_snapshot!(complaint("[[upstream]]\nname = 'near'\nbase_url = 'http://x'\n[[constraint]]\n\
        when = { upstreams = ['n*', 'openai', 'azure'] }\ntext = 'x'"), @r"
    remand.toml:5:22: constraint.when.upstreams: no upstream matches `openai`; there are: near
    remand.toml:5:22: constraint.when.upstreams: no upstream matches `azure`; there are: near
    ");
}

#[test]
fn a_constraint_for_an_upstream_may_meet_another_of_the_command_line() {
    let text = "[[upstream]]\nname = 'near'\nbase_url = 'http://x'\n[[constraint]]\nwhen = { upstreams = ['near'] }\ntext = 'x'";
    let overrides = Overrides { upstream: Some("http://elsewhere".parse().unwrap()), ..Overrides::default() };
    assert!(read(text).is_ok() && read_with(text, &overrides).is_ok());
}

#[test]
fn a_missing_variable_is_told_with_its_key_and_name() {
    assert_eq!(
        complaint("[[upstream]]\nkey = 'env:NONE'\n"),
        "remand.toml:2:7: upstream.key: the environment variable NONE is not set"
    );
    assert!(complaint("[listen]\nkeys = ['env:EMPTY']").ends_with("the key is empty"));
}

#[test]
fn no_secret_is_ever_told() {
    for text in [
        "[listen]\nkeys = 'env:KEY'",
        "[listen]\naddress = 'env:KEY'",
        "[listen]\ndrain = 'env:KEY'",
        "[listen]\nmax_exchanges = 'env:KEY'",
        "[guard]\nmode = 'env:KEY'",
        "[[upstream]]\nname = 'x'\nbase_url = 'env:KEY'",
        "[[upstream]]\nname = 'x'\nbase_url = 'https://user:sk-secret@host'",
        "[[upstream]]\nname = 'x'\nbase_url = 'http://x'\nca = 'env:KEY'",
        "[[upstream]]\nname = 'x'\nbase_url = 'http://x'\nkey = \"sk-secret\\n\"",
        "[state]\nsecret = ['sk-secret']",
    ] {
        let told = complaint(text);
        assert!(!told.contains("sk-secret"), "{told}");
    }
    assert!(!format!("{:?}", read(WHOLE).unwrap()).contains("sk-secret"));
}

#[test]
fn a_value_that_was_taken_out_is_not_told_missing_as_well() {
    let told = complaint("[[upstream]]\nname = 'x'\nbase_url = 'x'\n[[upstream]]\nname = 'y'\n");
    assert_eq!(told.lines().count(), 2, "{told}");
    assert!(told.ends_with("remand.toml:4:1: upstream: `base_url` is missing"), "{told}");
}

#[test]
fn one_upstream_is_needed_at_least() {
    assert!(complaint("upstream = []").contains("at least one upstream"));
    assert!(!complaint("upstream = [3]").contains("at least one upstream"));
}

#[test]
fn one_upstream_takes_the_rest_at_most() {
    let upstream =
        |name: &str, rest: &str| format!("[[upstream]]\nname = '{name}'\nbase_url = 'http://x'\n{rest}\n");
    let [some, a, b] = [upstream("some", "models = ['gpt-*']"), upstream("a", ""), upstream("b", "")];
    assert!(read(&[some.clone(), a.clone()].concat()).is_ok());
    assert!(read(&[a.clone(), some.clone()].concat()).is_ok());
    assert_eq!(
        complaint(&[a, some, b].concat()),
        "remand.toml:10:8: upstream.name: `a` takes the rest already: `models` or `paths` must say what this one is \
         for"
    );
}

#[test]
fn a_file_that_is_not_there_is_told() {
    let error = load(Some(Path::new("/nowhere/remand.toml")), &Overrides::default()).unwrap_err();
    assert_eq!(error.to_string(), "failed to open /nowhere/remand.toml");
}

#[test]
fn certificates_are_read_at_start_and_must_be_some() {
    let folder = std::env::temp_dir().join(format!("remand-config-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    std::fs::write(folder.join("cert.pem"), key.cert.pem()).unwrap();
    std::fs::write(folder.join("key.pem"), key.signing_key.serialize_pem()).unwrap();
    let tls = |cert: &str, key: &str| {
        let text = format!("[listen]\ntls = {{ cert = '{cert}', key = '{key}' }}");
        parse("x", &text, &folder, &Overrides::default(), &|_| None).map_err(|error| error.to_string())
    };
    let plan = tls("cert.pem", "key.pem").unwrap();
    assert_eq!(plan.listen.tls.unwrap().cert, key.cert.pem().as_bytes());
    assert!(tls("key.pem", "key.pem").unwrap_err().contains("no certificate in PEM form"));
    assert!(tls("cert.pem", "cert.pem").unwrap_err().contains("no private key in PEM form"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn rounds_have_a_bound() {
    assert_eq!(read("[guard]\nrounds = 16").unwrap().rules.rounds, 16);
    let told = complaint("[guard]\nrounds = 17");
    assert_eq!(
        told,
        "remand.toml:2:10: guard.rounds: must be 16 at most: each is a request that is paid for"
    );
}
