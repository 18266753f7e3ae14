use super::*;
use crate::replay::{Place, Script, Server, Step};

const GOOD: &str = r#"{"branch_slug": "a-b", "branch_kind": "fix"}"#;

async fn converse(script: Script) -> (Server, anyhow::Result<Vec<Turn>>) {
    let server = Server::start(script).unwrap();
    let mut turns = Vec::new();
    let agent = Agent::new(server.base_url(), "m");
    let outcome = agent.converse(None, "go", |turn| turns.push(turn)).await;
    (server, outcome.map(|()| turns))
}

#[tokio::test]
async fn runs_what_it_is_told_and_shows_the_results() {
    let calls = || {
        Step::new()
            .on_turn(0)
            .say("two")
            .call("git_prepare_worktree", GOOD)
            .call("aliyun_api", r#"{"action": "ListResourceTypes", "type": "x"}"#)
    };
    let done = || Step::new().on_turn(1).on_result("a-b: ready").say("done");
    for chunk in [0, 1, 3] {
        for step in [calls().chunk(chunk), calls().chunk(chunk).interleave().cut(5)] {
            let (server, turns) = converse(Script::new().step(step).step(done())).await;
            let turns = turns.unwrap();
            server.verify().unwrap();
            assert_eq!((turns[0].text.as_str(), turns[1].text.as_str()), ("two", "done"));
            assert_eq!(turns[0].calls[0].arguments, GOOD);
            assert_eq!(turns[0].calls.len(), 2);
            assert_eq!(turns[0].results[0], "a-b: ready");
            assert_eq!(turns[0].asked, server.requests()[0].body);
            let asked = server.requests();
            let before = asked[0].text().strip_suffix("]}").unwrap();
            assert!(asked[1].text().starts_with(before), "what was said is said again");
            assert!(
                asked[1]
                    .text()
                    .contains(r#""role":"tool","content":"a-b: ready","tool_call_id":"call_1_1_1""#)
            );
        }
    }
}

#[tokio::test]
async fn an_answer_that_does_not_end_cleanly_is_an_error() {
    let text = || Step::new().say("hi");
    for (step, expected) in [
        (text().without_done(), "did not end cleanly"),
        (text().without_finish(), "did not end cleanly"),
        (text().die(Place::Events(2)), "broke off"),
        (Step::new().error(StatusCode::TOO_MANY_REQUESTS, "slow down"), "slow down"),
        (text().on_user("something else"), "no step matches"),
        (Step::new().raw_events(["data: {\"error\":{\"message\":\"gone\"}}\n\n"]), "an error: gone"),
        (
            Step::new()
                .raw_events(["data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1}]}}]}\n\n"]),
            "call 1 came before call 0",
        ),
    ] {
        let (_, outcome) = converse(Script::new().step(step)).await;
        let error = format!("{:#}", outcome.unwrap_err());
        assert!(error.contains(expected), "{error}");
    }
}

#[tokio::test]
async fn a_tool_that_raises_ends_the_run() {
    let bad = r#"{"branch_slug": "a--b", "branch_kind": "fix"}"#;
    let (_, outcome) = converse(Script::new().step(Step::new().call("git_prepare_worktree", bad))).await;
    assert!(outcome.unwrap_err().to_string().contains("raised on"));
}

#[tokio::test]
async fn a_model_that_never_ends_is_left() {
    let (server, outcome) =
        converse(Script::new().step(Step::new().call("git_prepare_worktree", GOOD).repeat())).await;
    assert!(outcome.unwrap_err().to_string().contains("had not come to an end"));
    assert_eq!(server.requests().len(), PATIENCE);
}
