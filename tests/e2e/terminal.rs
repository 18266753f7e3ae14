//! The second case: a request that a cloud will never take, made again and again.

use remand::replay::{Script, Step};

use super::scene::{Scene, elements, request, result, user};
use super::verdict::{History, fate, fates};

const RULES: &str = r#"
[[tool]]
name = ["aliyun_api"]
[[tool.result]]
when = { status = ["4xx"], except = [408, 429] }
as = "terminal"
"#;

const TOOL: (&str, &str) = ("aliyun_api", r#"{"type":"object"}"#);
const CALL: &str = r#"{"action":"GetStack","type":"ALIYUN::Milvus::Instance"}"#;
const ANOTHER_ORDER: &str = r#"{ "type": "ALIYUN::Milvus::Instance", "action": "GetStack" }"#;
const ERROR: &str =
    r#"{"status":400,"Code":"ResourceTypeNotFound","Message":"The resource type is not supported."}"#;

fn error(status: u16) -> String {
    ERROR.replace("400", &status.to_string())
}

#[tokio::test]
async fn of_three_equivalent_calls_one_runs_and_another_input_runs() {
    for stream in [true, false] {
        let script = Script::new()
            .step(Step::new().call_as("x1", TOOL.0, CALL))
            .step(Step::new().call_as("x2", TOOL.0, ANOTHER_ORDER))
            .step(Step::new().call_as("x3", TOOL.0, CALL))
            .step(Step::new().call_as("x4", TOOL.0, r#"{"action":"ListStacks"}"#));
        let scene = Scene::new(script, RULES).await;
        let asked = user("diagnose");
        let first = scene.send(request(&[&asked], &[TOOL], stream)).await.message();
        assert_eq!(first.calls, [("x1".to_owned(), TOOL.0.to_owned(), CALL.to_owned())]);
        let (element, error) = (first.element(false), result("x1", ERROR));
        let second = scene.send(request(&[&asked, &element, &error], &[TOOL], stream)).await;
        assert!(!second.text().contains("x2") && !second.text().contains("x3"), "{}", second.text());
        let message = second.message();
        assert_eq!(
            (message.calls.len(), message.calls[0].0.as_str(), message.finish.as_str()),
            (1, "x4", "tool_calls")
        );
        let shown = elements(&scene.sent()[3]);
        assert_eq!(shown[..2], [asked, element], "the agent's own history is as it was");
        assert!(shown[2].contains("aliyun_api failed for good: "), "in the words of its class: {}", shown[2]);
        for (call, told, id) in [(&shown[3], &shown[4], "x2"), (&shown[5], &shown[6], "x3")] {
            assert!(call.contains(id), "{call}");
            assert!(
                told.contains("An equivalent request already failed with http_400:ResourceTypeNotFound"),
                "{told}"
            );
            assert!(told.contains("The resource type is not supported."), "{told}");
            assert!(told.contains("state plainly what you conclude"), "{told}");
        }
    }
}

#[tokio::test]
async fn what_may_pass_may_be_repeated() {
    for (status, runs) in
        [(400, false), (403, false), (404, false), (408, true), (429, true), (500, true), (503, true)]
    {
        let history = History::new().call(TOOL.0, CALL, &error(status));
        assert_eq!(fate(RULES, &history, TOOL.0, ANOTHER_ORDER).await.is_ok(), runs, "{status}");
    }
}

#[tokio::test]
async fn no_change_reopens_what_is_terminal_but_a_user_does() {
    let changed =
        History::new().call(TOOL.0, CALL, ERROR).call(TOOL.0, r#"{"action":"CreateStack"}"#, "created");
    let told = fate(RULES, &changed, TOOL.0, CALL).await.unwrap_err();
    assert!(told.contains("Nothing that was done since can change that"), "{told}");
    assert_eq!(fate(RULES, &changed.clone().user("it is registered now"), TOOL.0, CALL).await, Ok(()));
    let reminded = changed.user("<system-reminder>Two tasks are open.</system-reminder>");
    assert!(fate(RULES, &reminded, TOOL.0, CALL).await.is_err(), "a reminder is nobody's word");
    let never = format!("[guard.failures]\nreopen = \"never\"\n{RULES}");
    assert!(
        fate(&never, &reminded.user("again"), TOOL.0, CALL).await.is_err(),
        "unless the operator says never"
    );
}

#[tokio::test]
async fn of_129_failures_the_oldest_is_forgotten() {
    let call = |number: usize| format!(r#"{{"action":"GetStack","id":{number}}}"#);
    let history = (0..129).fold(History::new(), |history, number| history.call(TOOL.0, &call(number), ERROR));
    assert_eq!(fate(RULES, &history, TOOL.0, &call(0)).await, Ok(()));
    for kept in [1, 128] {
        assert!(fate(RULES, &history, TOOL.0, &call(kept)).await.is_err(), "{kept}");
    }
}

#[tokio::test]
async fn equal_calls_in_one_answer_are_judged_alike() {
    let twice = [(TOOL.0, CALL), (TOOL.0, ANOTHER_ORDER)];
    for stream in [true, false] {
        assert_eq!(fates(RULES, &History::new(), &twice, stream).await, [Ok(()), Ok(())]);
        let failed = History::new().call(TOOL.0, CALL, ERROR);
        assert!(fates(RULES, &failed, &twice, stream).await.iter().all(Result::is_err));
    }
}

#[tokio::test]
async fn a_failure_that_a_result_itself_calls_final_needs_no_rule() {
    for (what, error, terminal) in [
        ("a marker", r#"{"_terminal_failure":"not in this region","error":"no"}"#, true),
        ("JSON-RPC's invalid parameters", r#"{"error":{"code":-32602,"message":"Invalid params"}}"#, true),
        ("a missing argument", "1 validation error for Stack\nregion\n  Field required [type=missing]", true),
        ("an error of the world", r#"{"error":"no such stack"}"#, false),
    ] {
        let history = History::new().call("provision", CALL, error).call("provision", "{}", "done");
        assert_eq!(fate("", &history, "provision", CALL).await.is_err(), terminal, "{what}");
    }
}

#[tokio::test]
async fn only_an_equal_value_is_equivalent() {
    let failed = r#"{"n":1,"id":9007199254740993123,"of":["a","b"],"s":"é"}"#;
    let history = History::new().call(TOOL.0, failed, ERROR);
    for (what, call, runs) in [
        ("keys in another order", r#"{"s":"\u00e9","of":["a","b"],"id":9007199254740993123,"n":1}"#, false),
        ("a number written otherwise", r#"{"n":1.0,"id":9007199254740993123,"of":["a","b"],"s":"é"}"#, true),
        ("the nineteenth digit", r#"{"n":1,"id":9007199254740993124,"of":["a","b"],"s":"é"}"#, true),
        ("a list in another order", r#"{"n":1,"id":9007199254740993123,"of":["b","a"],"s":"é"}"#, true),
        ("another case", r#"{"n":1,"id":9007199254740993123,"of":["A","b"],"s":"é"}"#, true),
        ("a null more", r#"{"n":1,"id":9007199254740993123,"of":["a","b"],"s":"é","x":null}"#, true),
    ] {
        assert_eq!(fate(RULES, &history, TOOL.0, call).await.is_ok(), runs, "{what}");
    }
    let ignoring = RULES.replace("name =", "ignore = [\"/n\"]\nname =");
    let other = failed.replace("\"n\":1,", "\"n\":2,");
    assert!(
        fate(&ignoring, &history, TOOL.0, &other).await.is_err(),
        "what the operator ignores makes no other call"
    );
}
