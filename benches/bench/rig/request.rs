//! The agent's request: a coding agent's history of forty messages and its tools.

use std::fmt::Write;

/// Messages in the history.
const MESSAGES: usize = 40;

/// What tells one conversation from another.
pub(crate) const SESSION: &str = "0000000000000000";

/// Below this a request holds the beginning of a conversation, and two tools.
const SMALL: usize = 16 << 10;

/// A request body of about `size` bytes.
pub(crate) fn body(size: usize, stream: bool) -> String {
    let tools = tools(if size < SMALL { 2 } else { usize::MAX });
    let bare = |turns: usize| body_with(&tools, turns, stream, 0).len();
    let turns = (1..=MESSAGES / 4).rev().find(|turns| bare(*turns) <= size).unwrap_or(1);
    // Of the messages a quarter are results, which hold most of the bytes.
    let filler = size.saturating_sub(bare(turns)) / turns;
    body_with(&tools, turns, stream, filler)
}

fn body_with(tools: &str, turns: usize, stream: bool, filler: usize) -> String {
    let mut messages = format!(
        r#"{{"role":"system","content":"You are a careful engineer. Read before you write.\nSession {SESSION}."}}"#
    );
    for turn in 0..turns {
        // No result is empty: such a history would be mended.
        let result = line(turn).repeat((filler / line(turn).len()).max(1));
        write!(
            messages,
            r#",{{"role":"user","content":"Step {turn}: look at the next file and tell me what you see."}}"#
        )
        .and_then(|()| {
            write!(
                messages,
                r#",{{"role":"assistant","content":"Reading it.","tool_calls":[{{"id":"call_{turn:024}","type":"function","function":{{"name":"read_file","arguments":"{{\"path\":\"src/part_{turn}.rs\",\"from\":1,\"lines\":200}}"}}}}]}}"#
            )
        })
        .and_then(|()| {
            write!(
                messages,
                r#",{{"role":"tool","tool_call_id":"call_{turn:024}","content":"{result}"}}"#
            )
        })
        .and_then(|()| {
            write!(
                messages,
                r#",{{"role":"assistant","content":"It parses the {turn}. part.\n\nNothing else \"of note\"."}}"#
            )
        })
        .expect("writing to a string cannot fail");
    }
    let stream = if stream { r#","stream":true,"stream_options":{"include_usage":true}"# } else { "" };
    format!(r#"{{"model":"gpt-bench","temperature":0.2{stream},"tools":[{tools}],"messages":[{messages}]}}"#)
}

fn line(turn: usize) -> String {
    format!(r#"    let part_{turn} = read(\"src/part_{turn}.rs\")?; // é\n"#)
}

/// The first so many of the agent's tools.
fn tools(most: usize) -> String {
    let tools = [
        tool(
            "read_file",
            r#""path":{"type":"string"},"from":{"type":"integer","minimum":1},"lines":{"type":"integer"}"#,
            "path",
        ),
        tool("write_file", r#""path":{"type":"string"},"text":{"type":"string"}"#, "path"),
        tool("list_files", r#""path":{"type":"string"},"deep":{"type":"boolean"}"#, "path"),
        tool(
            "search",
            r#""pattern":{"type":"string","minLength":1},"kind":{"enum":["text","name"]}"#,
            "pattern",
        ),
        tool("run", r#""command":{"type":"string"},"timeout":{"type":["integer","null"]}"#, "command"),
        tool("git_branch", r#""name":{"type":"string","pattern":"^[a-z0-9-]+$","maxLength":48}"#, "name"),
    ];
    tools.get(..most).unwrap_or(&tools).join(",")
}

fn tool(name: &str, properties: &str, required: &str) -> String {
    format!(
        r#"{{"type":"function","function":{{"name":"{name}","description":"Does what its name says, within the workspace.","parameters":{{"type":"object","properties":{{{properties}}},"required":["{required}"],"additionalProperties":false}}}}}}"#
    )
}
