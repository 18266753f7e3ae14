//! Blocks become the API's bytes.
//!
//! A streamed and a whole answer come from the same blocks and carry the same ids, so that one can be held
//! against the other. Ids are made from the step and from how often it has served; the time is fixed.

mod stream;
mod whole;

#[cfg(test)]
mod tests;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;

use super::fault::{self, Acts, Piece};
use super::find::{Question, Turn};
use super::script::{Call, ErrorBody, Instead, Part, Raw, Reply, Step, Usage};

/// When every answer was made.
const CREATED: u64 = 1_700_000_000;

/// An answer, ready to be played.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    /// The body's length, if it is told in the head.
    pub(super) length: Option<u64>,
    pub(super) acts: Acts,
}

/// What all parts of one answer share.
#[derive(Debug)]
struct Frame<'a> {
    id: String,
    model: &'a str,
    turn: Turn,
    include_usage: bool,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names of the API")]
struct UsageBody {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
}

#[derive(Serialize)]
struct ErrorEnvelope<'a> {
    error: ErrorFields<'a>,
}

#[derive(Serialize)]
struct ErrorFields<'a> {
    message: &'a str,
    r#type: &'a str,
    param: Option<&'a str>,
    code: Option<&'a str>,
}

/// The answer of `step` to `question`.
pub(super) fn answer(step: &Step, turn: Turn, question: &Question) -> Answer {
    let frame = Frame::new(turn, question);
    let (kind, streamed, pieces) = match &step.instead {
        Some(Instead::Raw(Raw { content_type, pieces })) => {
            let events = pieces.iter().cloned().map(Piece::Event).collect();
            (content_type.clone(), true, events)
        }
        Some(Instead::Error(error)) => (json(), false, vec![Piece::Event(error.bytes(step.status))]),
        None if question.stream => {
            let pieces = stream::events(&step.reply, &frame);
            (HeaderValue::from_static("text/event-stream; charset=utf-8"), true, pieces)
        }
        None => (json(), false, whole::pieces(&step.reply, &frame)),
    };
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, kind);
    if streamed {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    }
    if let Ok(id) = HeaderValue::from_str(&format!("req_{}_{}", turn.step + 1, turn.served + 1)) {
        headers.insert("x-request-id", id);
    }
    for (name, value) in &step.headers {
        headers.insert(name, value.clone());
    }
    let length = fault::length(&pieces);
    let acts = fault::lay_out(pieces, &step.stops, step.cut);
    // With its length told an answer is over at its last byte, and a stop behind that would never come.
    let told = !streamed && !acts.halts_at_end();
    Answer { status: step.status, headers, length: told.then_some(length), acts }
}

/// The answer to a request that no step matches. It tells clients not to try again: both of the provider's
/// own libraries would otherwise hide the miss behind retries.
pub(super) fn miss(message: &str) -> Answer {
    let body = envelope(message, "replay_miss", Some("no_matching_step"));
    let status = StatusCode::UNPROCESSABLE_ENTITY;
    error(status, body)
}

/// The answer to a request that real providers refuse.
pub(super) fn refused(message: &str) -> Answer {
    error(StatusCode::BAD_REQUEST, envelope(message, "invalid_request_error", None))
}

fn error(status: StatusCode, body: Bytes) -> Answer {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, json());
    headers.insert("x-should-retry", HeaderValue::from_static("false"));
    Answer {
        status,
        headers,
        length: Some(body.len() as u64),
        acts: fault::lay_out(vec![Piece::Event(body)], &[], None),
    }
}

fn json() -> HeaderValue {
    HeaderValue::from_static("application/json")
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("strings and numbers under string keys are always JSON")
}

fn envelope(message: &str, kind: &str, code: Option<&str>) -> Bytes {
    let error = ErrorFields { message, r#type: kind, param: None, code };
    to_json(&ErrorEnvelope { error }).into()
}

// === impl Frame ===

impl<'a> Frame<'a> {
    fn new(turn: Turn, question: &'a Question) -> Self {
        Self {
            id: format!("chatcmpl-{}-{}", turn.step + 1, turn.served + 1),
            model: question.model.as_deref().unwrap_or("replay"),
            turn,
            include_usage: question.include_usage,
        }
    }
    /// The id of the call at `position` among the step's calls.
    fn call_id(&self, call: &Call, position: usize) -> String {
        call.id.clone().unwrap_or_else(|| {
            format!("call_{}_{}_{}", self.turn.step + 1, self.turn.served + 1, position + 1)
        })
    }
}

// === impl Reply ===

impl Reply {
    /// The answers that the blocks speak of, in order; never none.
    fn choices(&self) -> Vec<u32> {
        let mut choices: Vec<u32> = self
            .blocks
            .iter()
            .filter(|block| !matches!(block.part, Part::Gate(_)))
            .map(|block| block.choice)
            .collect();
        choices.sort_unstable();
        choices.dedup();
        if choices.is_empty() {
            choices.push(0);
        }
        choices
    }
    fn finish(&self, choice: u32) -> &str {
        let calls =
            self.blocks.iter().any(|block| block.choice == choice && matches!(block.part, Part::Call(_)));
        match &self.finish {
            Some(finish) => finish,
            None if calls => "tool_calls",
            None => "stop",
        }
    }
}

// === impl UsageBody ===

impl From<Usage> for UsageBody {
    fn from(Usage { prompt, completion }: Usage) -> Self {
        Self {
            prompt_tokens: prompt,
            completion_tokens: completion,
            total_tokens: prompt.saturating_add(completion),
        }
    }
}

// === impl ErrorBody ===

impl ErrorBody {
    fn bytes(&self, status: StatusCode) -> Bytes {
        let kind = self.kind.as_deref().unwrap_or(match status.as_u16() {
            429 => "rate_limit_error",
            401 => "authentication_error",
            500.. => "server_error",
            _ => "invalid_request_error",
        });
        envelope(&self.message, kind, self.code.as_deref())
    }
}
