//! What lies between a failure and an equivalent call decides.

use remand::replay::{Script, Step};

use super::scene::{Scene, elements, request, result, user};
use super::verdict::{History, fate, fates};

const TOOL: (&str, &str) = ("create_directory", r#"{"type":"object"}"#);
const CHILD: &str = r#"{"path":"a/b"}"#;
const PARENT: &str = r#"{"path":"a"}"#;
const MISSING: &str = "Error: Parent directory does not exist";

#[tokio::test]
async fn the_same_call_works_once_the_parent_is_there() {
    for stream in [true, false] {
        let script = Script::new()
            .step(Step::new().call_as("d1", TOOL.0, CHILD))
            .step(Step::new().call_as("d2", TOOL.0, CHILD))
            .step(Step::new().on_result("already failed").call_as("d3", TOOL.0, PARENT))
            .step(Step::new().on_result("created").call_as("d4", TOOL.0, CHILD));
        let scene = Scene::new(script, "").await;
        let mut history = vec![user("make a/b")];
        let mut ids = Vec::new();
        for outcome in [MISSING, "created", "done"] {
            let elements: Vec<_> = history.iter().map(String::as_str).collect();
            let message = scene.send(request(&elements, &[TOOL], stream)).await.message();
            let [(id, _, _)] = message.calls.as_slice() else { panic!("{message:?}") };
            history.extend([message.element(true), result(id, outcome)]);
            ids.push(id.clone());
        }
        assert_eq!(ids, ["d1", "d3", "d4"], "the repeat right after its failure was not run");
        let sent = scene.sent();
        assert_eq!(sent.len(), 4);
        let (second, third) = (elements(&sent[2]), elements(&sent[3]));
        assert_eq!(third[..second.len()], second[..], "later requests begin with what was sent before");
    }
}

/// What came before, the call, and whether it goes on.
type Case = (&'static str, History, (&'static str, &'static str), bool);

async fn check(rules: &str, cases: Vec<Case>) {
    for (what, history, (name, arguments), runs) in cases {
        let fate = fate(rules, &history, name, arguments).await;
        assert_eq!(fate.is_ok(), runs, "{what}: {fate:?}");
    }
}

fn failed() -> History {
    History::new().call(TOOL.0, CHILD, MISSING)
}

const AGAIN: (&str, &str) = (TOOL.0, CHILD);

#[tokio::test]
async fn what_lies_between_decides() {
    let (make, look) = ("create_file", "read_file");
    let cases: Vec<Case> = vec![
        ("nothing", failed(), AGAIN, false),
        ("reads", failed().call(look, PARENT, "x").call("mcp__fs__list_files", "{}", "y"), AGAIN, false),
        ("a change", failed().call(make, PARENT, "made"), AGAIN, true),
        ("a change that failed", failed().call(make, PARENT, "Error: disk full"), AGAIN, true),
        ("a change of the same tool", failed().call(TOOL.0, PARENT, "created"), AGAIN, true),
        ("a tool of whom nobody knows", failed().call("frobnicate", "{}", "ok"), AGAIN, true),
        ("a read by its first word alone", failed().call("get_and_delete", "{}", "ok"), AGAIN, true),
        ("the user", failed().user("now"), AGAIN, true),
        ("a reminder", failed().user("<system-reminder>x</system-reminder>"), AGAIN, false),
        ("a reminder and a word", failed().user("<system-reminder>x</system-reminder> go on"), AGAIN, true),
        ("its own success", failed().call(TOOL.0, CHILD, "created"), AGAIN, true),
        (
            "a change, and it failed again",
            failed().call(make, PARENT, "made").call(TOOL.0, CHILD, MISSING),
            AGAIN,
            false,
        ),
        ("no failure at all", History::new().call(TOOL.0, CHILD, "created"), AGAIN, true),
        ("another failure", History::new().call(TOOL.0, PARENT, MISSING), AGAIN, true),
    ];
    check("", cases).await;
}

#[tokio::test]
async fn siblings_run_beside_each_other() {
    let beside = |name| History::new().answer(&[(TOOL.0, CHILD, MISSING), (name, PARENT, "ok")]);
    check(
        "",
        vec![
            ("a failure beside a change", beside("create_file"), AGAIN, true),
            ("a failure beside a read", beside("read_file"), AGAIN, false),
            (
                "a change takes off what failed before, its siblings' too",
                failed().answer(&[("read_file", "{}", "x"), ("create_file", PARENT, "made")]),
                AGAIN,
                true,
            ),
        ],
    )
    .await;
    for stream in [true, false] {
        let before = [(TOOL.0, PARENT), AGAIN];
        assert_eq!(
            fates("", &failed(), &before, stream).await,
            [Ok(()), Ok(())],
            "a change stands before it"
        );
        let behind = fates("", &failed(), &[AGAIN, (TOOL.0, PARENT)], stream).await;
        assert!(behind[0].is_err() && behind[1].is_ok(), "a change behind it comes too late: {behind:?}");
        let read = fates("", &failed(), &[("read_file", PARENT), AGAIN], stream).await;
        assert!(read[0].is_ok() && read[1].is_err(), "a read changes nothing: {read:?}");
        let twice = fates("", &failed(), &[AGAIN, AGAIN], stream).await;
        assert!(twice.iter().all(Result::is_err), "equal calls are judged alike: {twice:?}");
    }
}

#[tokio::test]
async fn a_shells_world_changes_by_itself() {
    let shell = |texts: &[&str]| {
        let call = r#"{"command":"make test"}"#;
        texts.iter().fold(History::new(), |history, text| history.call("bash", call, text))
    };
    let again = ("bash", r#"{"command":"make test"}"#);
    let wait = r#"{"command":"sleep 5; curl localhost"}"#;
    let waited = (0..4).fold(History::new(), |history, _| history.call("bash", wait, "Error: no"));
    check(
        "",
        vec![
            ("one failure", shell(&["Error: a"]), again, true),
            ("two that say the same", shell(&["Error: a", "Error: a"]), again, false),
            ("two that differ", shell(&["Error: a", "Error: b"]), again, true),
            ("three that differ", shell(&["Error: a", "Error: b", "Error: c"]), again, false),
            ("one that waits", waited, ("bash", wait), true),
        ],
    )
    .await;
}

#[tokio::test]
async fn what_passes_by_itself_never_counts() {
    let texts = [
        "Error: timed out after 30 s",
        "Error: connection refused",
        r#"{"status":409,"error":"conflict"}"#,
        r#"{"status":423,"error":"locked"}"#,
        r#"{"status":425,"error":"too early"}"#,
        "Error: 503 Service Unavailable",
        "Error: rate limit exceeded",
        "Error: the update is not a fast forward",
    ];
    for text in texts {
        let history = (0..3).fold(History::new(), |history, _| history.call(TOOL.0, CHILD, text));
        assert_eq!(fate("", &history, TOOL.0, CHILD).await, Ok(()), "{text}");
    }
}

#[tokio::test]
async fn our_own_texts_are_neither_failure_nor_execution() {
    let ours = "Error: create_directory was not run: /path must be a string. Please fix your mistakes.";
    check(
        "",
        vec![
            ("no failure", History::new().call(TOOL.0, CHILD, ours), AGAIN, true),
            ("no execution", failed().call(TOOL.0, PARENT, ours), AGAIN, false),
        ],
    )
    .await;
    let rules = "[guard.notice]\ninvalid = \"{tool} wurde nicht ausgeführt, weil {problems}\"\n";
    let own = "create_directory wurde nicht ausgeführt, weil der Pfad fehlt";
    assert!(
        fate(rules, &failed().call(TOOL.0, PARENT, own), TOOL.0, CHILD).await.is_err(),
        "the operator's too"
    );
}

#[tokio::test]
async fn the_operator_knows_better() {
    for (what, rules, history, runs) in [
        ("refuse nothing", "[guard.failures]\nrefuse = false\n", failed(), true),
        ("after two", "[[tool]]\nname = [\"create_*\"]\nafter = 2\n", failed(), true),
        (
            "after two",
            "[[tool]]\nname = [\"create_*\"]\nafter = 2\n",
            failed().call(TOOL.0, CHILD, MISSING),
            false,
        ),
        (
            "a read by another name",
            "[guard.failures]\nread_only = [\"peek\"]\n",
            failed().call("peek", "{}", "x"),
            false,
        ),
        (
            "a change by a reading name",
            "[[tool]]\nname = [\"get_lock\"]\nread_only = false\n",
            failed().call("get_lock", "{}", "x"),
            true,
        ),
        (
            "equal once it is normalised",
            "[[tool]]\nname = [\"create_*\"]\n[[tool.argument]]\nat = \"/path\"\nnormalise = [\"lowercase\"]\n",
            History::new().call(TOOL.0, r#"{"path":"A/B"}"#, MISSING),
            false,
        ),
    ] {
        let fate = fate(rules, &history, TOOL.0, CHILD).await;
        assert_eq!(fate.is_ok(), runs, "{what}: {fate:?}");
    }
}
