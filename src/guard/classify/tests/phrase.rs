use super::{assert_all, assert_failures, failure};
use crate::guard::classify::{Outcome, phrase};

#[test]
fn leading_phrases_tell_a_failure() {
    assert_failures(&[
        "Error: flight HAT271 not available on date 2024-05-10",
        "error: pathspec 'x' did not match any file(s) known to git",
        "ERROR: no such table",
        "  \n Error: indented",
        "Error:",
        "Error:\nno such table",
        "❌ Error: with an ornament",
        "**Error:** in bold",
        "ValueError: bad slug",
        "java.lang.IllegalStateException: closed",
        "error[E0425]: cannot find value `x`",
        "Uncaught TypeError: x is not a function",
        "Error executing tool execute-tool: INTERNAL",
        "Error calling tool 'x': boom",
        "MCP error -32601: Method not found",
        "API Error: 400 bad",
        "Failed to launch the browser",
        "Traceback (most recent call last):\n  File \"a.py\"\nKeyError: 'a'",
        "fatal: not a git repository",
        "thread 'main' panicked at src/main.rs:1:1:\nboom",
        "<tool_use_error>File has not been read yet.</tool_use_error>",
        "An unexpected error occurred.",
        "Command failed: npm test",
        "Input validation error: slug is too long",
        "2 validation errors for Booking",
        "success: false\nreason: no seats",
    ]);
}

#[test]
fn statuses_at_the_beginning_tell_a_failure() {
    let cases = [
        ("HTTP 404", 404),
        ("HTTP/1.1 403 Forbidden\ncontent-type: text/html", 403),
        ("HTTP Error 401: Unauthorized", 401),
        ("422: branch_slug must match", 422),
        (r#"422: {"detail":"x"}"#, 422),
        ("400 Bad Request", 400),
        ("404 Client Error: Not Found for url: https://a.b", 404),
        ("Error code: 400", 400),
        ("status code 404", 404),
        ("Request failed with status code 404", 404),
        ("Error: 404", 404),
        ("Error: Client error '404 Not Found' for url", 404),
    ];
    for (text, status) in cases {
        assert_eq!(failure(text).signature, format!("http_{status}"), "{text}");
    }
}

#[test]
fn curt_texts_may_say_it_weaker() {
    let cases = [
        "Parent directory does not exist",
        "File not found: a.txt",
        "Not found",
        "bash: foo: command not found",
        "ls: cannot access 'x': No such file or directory",
        "Tool 'report_intent' does not exist. Available tools are: view, bash.",
        "Permission denied",
        "Unable to open the page",
        "Cannot delete a folder that is not empty",
        "Unauthorized",
        "Invalid argument: slug",
        r#"File "a.txt" not found"#,
    ];
    assert_failures(&cases);
    let page = "and so on. ".repeat(200);
    for text in cases {
        assert_all(&Outcome::Success, &[&format!("{text}\n{page}")]);
    }
}

#[test]
fn texts_about_errors_are_successes() {
    assert_all(
        &Outcome::Success,
        &[
            "",
            "No errors found",
            "0 errors, 2 warnings",
            "Errors: 0",
            "Error: none",
            "error: null",
            "Error: (none)\nExit Code: 0",
            "error: 0.02",
            "MeanSquaredError: 0.13",
            "All 12 tests passed; no failed to report",
            "src/main.rs:12: return Err(\"not found\")",
            "src/main.rs:12:    // file not found",
            "src/a.rs:3:error: String,",
            "422:fn main() {",
            "422: let a = 1;\n423: let b = 2;",
            "12:Error: in the log",
            "fn fail() -> Error { Error::NotFound }",
            "class BookingError(Exception): pass",
            "raise ValueError(\"Error: bad\")",
            "// Error: is what we print",
            "# Error handling in Rust\nErrors are values.",
            "Error handling in Go is explicit.",
            "HTTP 404 is what a server says of a page that it lacks.",
            "404 pages were indexed",
            "500 results",
            "Forbidden City, Beijing",
            "The drug was not found to be effective.",
            "let message = \"item not found\"",
            "The function failed to converge in 1997, says the article.",
            "success: true\nmatched_tools: []",
            "I looked for it and there was an Error: in line 3.",
        ],
    );
}

#[test]
fn exit_codes_tell_how_a_command_ended() {
    assert_failures(&[
        "make: nothing to do\n<exited with exit code 2>",
        "Exit code: 1\nWall time: 0.1 seconds\nOutput:\nfoo",
        "Process exited with code 127",
        "out\n[Command finished with exit code 1]",
        "out\nCommand exited with code -1",
        "out\nexit status 1",
        "Command 'ls' returned non-zero exit status 2.",
        "<returncode>1</returncode>\n<output>\nx\n</output>",
        "Output: x\nError: (none)\nExit Code: 1\nSignal: (none)",
    ]);
    assert_all(
        &Outcome::Success,
        &[
            "test\n<exited with exit code 0>",
            "Exit code: 0\nOutput:\nError: what the log said",
            "Error: what the log said\n<exited with exit code 0>",
            "Exit code 1 means that nothing was found.",
            "process.exit(1)",
            "sys.exit(1)",
            "if failed { return code 1; }\nmore",
            "The exit is 1 km away",
        ],
    );
    let middle = format!("a\n{}\nexit code: 1\n{}\nb", "x\n".repeat(20), "y\n".repeat(20));
    assert_all(&Outcome::Success, &[&middle]);
}

#[test]
fn what_may_work_the_next_time_is_transient() {
    assert_all(
        &Outcome::Transient,
        &[
            r#"{"status":408}"#,
            r#"{"status":409,"message":"conflict"}"#,
            r#"{"status":423}"#,
            r#"{"status":425}"#,
            r#"{"status":429,"error":"slow down"}"#,
            r#"{"status":500}"#,
            r#"{"statusCode":503}"#,
            r#"{"error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}"#,
            r#"{"status":403,"message":"API rate limit exceeded"}"#,
            "HTTP 502",
            "429: slow down",
            "504 Gateway Timeout",
            "Error: connect ECONNREFUSED 127.0.0.1:80",
            "Error: connection reset by peer",
            "Error: connection refused",
            "Error: the request timed out",
            "Error: timeout of 5000ms exceeded",
            "TimeoutError: waiting for selector",
            "Tool call timed out.",
            "Command timed out after 120 seconds",
            "Error: Overloaded",
            "Error: context deadline exceeded",
            "Error: Update is not a fast forward",
            "Error: edit conflict, the page was changed",
            "Error: File has been modified since it was read",
            "File has been unexpectedly modified. Read it again.",
            "Error: EBUSY: resource busy",
            "Error: you are likely making requests too quickly",
            "Failed to fetch https://a.b: fetch failed",
        ],
    );
}

#[test]
fn what_only_names_time_is_no_time_out() {
    assert_failures(&[
        "Error: invalid value for timeout",
        r#"{"status":400,"message":"timeout expired is no option"}"#,
    ]);
    assert_all(&Outcome::Success, &["timeouts: 3", "The session never timed out in the test."]);
    let late = format!("Error: boom {} connection reset", "x".repeat(500));
    assert_failures(&[&late]);
}

#[test]
fn interrupts_are_no_outcome() {
    assert_all(
        &Outcome::Control,
        &[
            "The execution of this tool, or a previous tool was interrupted.",
            "The user doesn't want to proceed with this tool use.",
            "[Request interrupted by user for tool use]",
            "Cancelled by user",
            "Tool call was rejected by the user",
        ],
    );
    assert_all(&Outcome::Success, &["The user list has 3 entries", "Cancelled orders: 4"]);
}

#[test]
fn of_long_text_only_the_ends_are_read() {
    let long = "line\n".repeat(10_000);
    assert_failures(&[&format!("Error: boom\n{long}"), &format!("{long}exit code: 1")]);
    assert_all(&Outcome::Success, &[&format!("{long}Error: boom\n{long}")]);
}

#[test]
fn every_status_form_is_found_behind_an_error() {
    assert_eq!(phrase::status("Error: got (404 Not Found) there"), Some(404));
    assert_eq!(phrase::status("Error in line 404"), None);
}
