//! What the provider answers: one scene a request, named in a header that every proxy passes on.

use anyhow::Context;

/// Pieces of text in a streamed answer.
const WORDS: usize = 57;

/// An answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum Scene {
    /// Words, as one body
    Whole,
    /// A call, as one body
    Call,
    /// Words, as some sixty events
    Stream,
    /// Words and a call, as some sixty events
    StreamCall,
    /// A call that does not end until it is let go
    Held,
}

// === impl Scene ===

impl Scene {
    pub(crate) fn of(name: &str) -> anyhow::Result<Self> {
        <Self as clap::ValueEnum>::from_str(name, false)
            .map_err(anyhow::Error::msg)
            .with_context(|| format!("there is no scene called {name}"))
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::Call => "call",
            Self::Stream => "stream",
            Self::StreamCall => "stream-call",
            Self::Held => "held",
        }
    }

    pub(crate) fn is_stream(self) -> bool {
        !matches!(self, Self::Whole | Self::Call)
    }

    /// The one body of an answer that is no stream.
    pub(crate) fn whole(self) -> String {
        let (message, finish) = if self == Self::Call {
            (format!(r#"{{"role":"assistant","content":null,"tool_calls":[{CALL}]}}"#), "tool_calls")
        } else {
            let text = "The file holds what was asked for. ".repeat(24);
            (format!(r#"{{"role":"assistant","content":"{text}"}}"#), "stop")
        };
        format!(
            r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"gpt-bench","choices":[{{"index":0,"message":{message},"finish_reason":"{finish}"}}],{USAGE}}}"#
        )
    }

    /// The events of a stream, each whole.
    pub(crate) fn events(self) -> Vec<String> {
        let mut events = vec![delta(r#"{"role":"assistant","content":""}"#)];
        let pieces = if self == Self::StreamCall { pieces(ARGUMENTS, 4) } else { Vec::new() };
        let words = WORDS - pieces.len().min(WORDS);
        events.extend((0..words).map(|word| delta(&format!(r#"{{"content":" word{word}"}}"#))));
        if !pieces.is_empty() {
            events.push(call_start());
        }
        events.extend(pieces.iter().map(|piece| call_piece(piece)));
        events.push(finish(if pieces.is_empty() { "stop" } else { "tool_calls" }));
        events.push(format!("data: {{{HEAD},\"choices\":[],{USAGE}}}\n\n"));
        events.push("data: [DONE]\n\n".to_owned());
        events
    }
}

/// What every event begins with.
const HEAD: &str =
    r#""id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-bench""#;

const USAGE: &str = r#""usage":{"prompt_tokens":9000,"completion_tokens":60,"total_tokens":9060}"#;

const CALL: &str = r#"{"id":"call_bench","type":"function","function":{"name":"write_file","arguments":"{\"path\":\"src/new.rs\",\"text\":\"fn main() {}\\n\"}"}}"#;

const ARGUMENTS: &str = r#"{"path":"src/new.rs","text":"fn main() { let answer = 42; show(answer); }"}"#;

fn delta(delta: &str) -> String {
    format!("data: {{{HEAD},\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":null}}]}}\n\n")
}

pub(crate) fn call_start() -> String {
    delta(
        r#"{"tool_calls":[{"index":0,"id":"call_bench","type":"function","function":{"name":"write_file","arguments":""}}]}"#,
    )
}

/// An event with a piece of the call's arguments.
pub(crate) fn call_piece(piece: &str) -> String {
    let piece = piece.replace('\\', "\\\\").replace('"', "\\\"");
    delta(&format!(r#"{{"tool_calls":[{{"index":0,"function":{{"arguments":"{piece}"}}}}]}}"#))
}

pub(crate) fn finish(reason: &str) -> String {
    format!(
        "data: {{{HEAD},\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\n"
    )
}

/// Cuts ASCII text.
fn pieces(text: &str, size: usize) -> Vec<&str> {
    text.as_bytes().chunks(size).filter_map(|piece| std::str::from_utf8(piece).ok()).collect()
}
