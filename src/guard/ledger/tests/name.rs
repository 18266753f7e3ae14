//! What tools' names and arguments tell.

use globset::{Glob, GlobSetBuilder};

use super::*;
use crate::guard::ledger::tool::{is_shell, reports_on_others, waits};

fn read_only(tool: &str) -> bool {
    is_read_only(tool, &Rules::default(), &ToolPolicy::default())
}

#[test]
fn names_that_begin_with_a_reading_word_read() {
    for tool in [
        "get",
        "get_stack",
        "listFiles",
        "Read",
        "search-docs",
        "find.user",
        "ViewPage",
        "show_status",
        "describeInstance",
        "fetch",
        "query_database",
        "Grep",
        "glob",
        "ls",
        "LS",
        "cat",
        "think",
        "calculate_sum",
        "mcp__github__get_pull_request",
        "a__b__list_open_issues",
        "getHTTPStatus",
        "get_settings",
        "list_updates",
        "read2",
    ] {
        assert!(read_only(tool), "{tool}");
    }
}

#[test]
fn other_names_promise_nothing() {
    for tool in [
        "",
        "create_file",
        "bash",
        "getaway",
        "reading",
        "listen",
        "lsof",
        "file_get",
        "mcp__get__create",
        "get__delete",
        "thinking",
        "category",
        "download_page",
        "1_2",
    ] {
        assert!(!read_only(tool), "{tool}");
    }
}

#[test]
fn a_writing_verb_later_on_breaks_the_promise() {
    for tool in [
        "get_or_create",
        "getOrCreate",
        "find_and_replace",
        "search_replace",
        "read_write",
        "list_and_send_mails",
        "fetchAndStore",
        "view_then_click",
        "query_update",
        "find-delete",
        "show_set",
        "get_make",
        "find_move",
        "read_edit",
    ] {
        assert!(!read_only(tool), "{tool}");
    }
    assert!(read_only("get_and_list"));
}

#[test]
fn the_operators_word_goes_before_the_name() {
    let no = ToolPolicy { read_only: Some(false), ..ToolPolicy::default() };
    let yes = ToolPolicy { read_only: Some(true), ..ToolPolicy::default() };
    let mut rules = Rules::default();
    rules.failures.read_only = GlobSetBuilder::new().add(Glob::new("peek_*").unwrap()).build().unwrap();
    assert!(!is_read_only("get_x", &rules, &no));
    assert!(is_read_only("create_x", &rules, &yes));
    assert!(is_read_only("peek_x", &rules, &ToolPolicy::default()));
    assert!(!is_read_only("peek_x", &rules, &no));
    assert!(!is_read_only("poke_x", &rules, &ToolPolicy::default()));
}

#[test]
fn shells_are_told_by_name() {
    for tool in [
        "bash",
        "Bash",
        "shell",
        "exec",
        "execute",
        "exec_command",
        "run_code",
        "runInTerminal",
        "terminal",
        "command",
        "commandLine",
        "mcp__box__bash",
        "local_shell",
    ] {
        assert!(is_shell(tool), "{tool}");
    }
    for tool in ["", "run", "runner_start", "bashful", "aliyun_api", "mcp__bash__open", "recommend", "create"]
    {
        assert!(!is_shell(tool), "{tool}");
    }
}

#[test]
fn what_runs_or_checks_others_work_complains_of_that() {
    for tool in ["bash", "run_tests", "validate_config", "python", "check_types", "mcp__ci__lint"] {
        assert!(reports_on_others(tool), "{tool}");
    }
    for tool in ["create_branch", "aliyun_api", "get_user", "contest"] {
        assert!(!reports_on_others(tool), "{tool}");
    }
}

#[test]
fn waiting_words_count_as_words_in_strings() {
    for arguments in [
        r#"{"command":"sleep 5"}"#,
        r#"{"command":"a &&\nsleep 5"}"#,
        r#"{"cmd":["bash","-c","until curl x; do :; done"]}"#,
        r#"{"a":{"b":"kubectl WAIT pod"}}"#,
        r#"{"command":"curl --retry 5 x"}"#,
        r#"{"c":"watch ls"}"#,
        r#"{"c":"./poll.sh"}"#,
        "sleep 5",
    ] {
        assert!(waits(arguments), "{arguments}");
    }
    for arguments in [
        r#"{"command":"ls asleep waiting watcher pollen untilted retrying"}"#,
        r#"{"sleep":5}"#,
        r#"{"wait":true,"command":"ls"}"#,
        "{}",
        "",
    ] {
        assert!(!waits(arguments), "{arguments}");
    }
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    assert!(!waits(&open) && !waits(&format!("{open}{close}")));
    assert!(waits(&format!("{open}\"sleep\"{close}")));
}
