//! Blocks become the API's bytes.
//!
//! A streamed and a whole answer come from the same blocks and carry the same ids, so that one can be held
//! against the other. Ids are made from the step and from how often it has served; the time is fixed.

mod fragment;
mod frame;
mod stream;
mod whole;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde::Serialize;

use super::fault::{self, Acts, Piece};
use super::find::{Found, Question, Turn};
use super::script::{Call, ErrorBody, Halt, Instead, Odd, Pace, Part, Raw, Reply, Step, Usage};

/// When every answer was made.
pub(super) const CREATED: u64 = 1_700_000_000;

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
    /// Empty for the one that has no name.
    session: &'a str,
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

/// What was found to answer `question`, in a session.
pub(super) fn answer(found: &Found<'_>, session: &str, question: &Question) -> Answer {
    let Found { turn, step, .. } = *found;
    let reply = found.reply.as_told();
    let frame = Frame::new(turn, session, question);
    let streams = (question.stream && !step.is(Odd::Whole)) || step.is(Odd::Streamed);
    let (kind, streamed, pieces) = match &step.instead {
        _ if step.is(Odd::EmptyBody) => (json(), false, Vec::new()),
        Some(Instead::Raw(Raw { pieces })) => {
            (json(), true, pieces.iter().cloned().map(Piece::Event).collect())
        }
        Some(Instead::Error(error)) => (json(), false, vec![Piece::Event(error.bytes(step.status))]),
        None if streams => {
            let pieces = frame::frame(stream::events(&reply, &frame, &step.odd), &step.odd);
            (HeaderValue::from_static("text/event-stream; charset=utf-8"), true, pieces)
        }
        None => (json(), false, whole::pieces(&reply, &frame, &step.odd)),
    };
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, step.content_type.clone().unwrap_or(kind));
    if streamed {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    }
    if let Ok(id) = HeaderValue::from_str(&frame.named("req", '_')) {
        headers.insert("x-request-id", id);
    }
    let pieces = if step.is(Odd::Gzip) {
        headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        packed(pieces)
    } else {
        pieces
    };
    for (name, value) in &step.headers {
        headers.insert(name, value.clone());
    }
    let length = length(step, fault::length(&pieces));
    let mut acts = fault::lay_out(pieces, &step.stops, step.cut, step.pace.every(streamed));
    if !step.pace.first.is_zero() {
        acts.before_head.insert(0, Halt::Due(step.pace.first));
    }
    // With its length told an answer is over at its last byte, and a stop behind that would never come.
    let told = step.is(Odd::LengthLong) || step.is(Odd::LengthShort);
    let told = told || !streamed && !acts.halts_at_end();
    if step.is(Odd::LengthLong) {
        // What is told to come never does.
        acts.body.push(fault::Act::Stop(Halt::Close));
    }
    Answer { status: step.status, headers, length: told.then_some(length), acts }
}

/// The length that the head tells, if it tells one.
fn length(step: &Step, bytes: u64) -> u64 {
    const OFF: u64 = 10;
    match () {
        () if step.is(Odd::LengthLong) => bytes + OFF,
        () if step.is(Odd::LengthShort) => bytes.saturating_sub(OFF),
        () => bytes,
    }
}

/// The same, compressed; each event can be read as soon as it is there.
fn packed(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    let mut packed = Vec::with_capacity(pieces.len() + 1);
    for piece in pieces {
        packed.push(match piece {
            Piece::Event(event) => {
                packer.write_all(&event).and_then(|()| packer.flush()).expect("memory can be written to");
                Piece::Event(std::mem::take(packer.get_mut()).into())
            }
            gate @ Piece::Gate(_) => gate,
        });
    }
    packed.push(Piece::Event(packer.finish().expect("memory can be written to").into()));
    packed
}

/// The answer to a request that no step matches, or that lacks what the script requires; `slug` says which. It
/// tells clients not to try again: both of the provider's own libraries would otherwise hide the miss behind
/// retries.
pub(super) fn unmatched(message: &str, slug: &str) -> Answer {
    let body = envelope(message, "replay_miss", Some(slug));
    error(StatusCode::UNPROCESSABLE_ENTITY, body)
}

/// The answer to a request that real providers refuse.
pub(super) fn refused(message: &str) -> Answer {
    error(StatusCode::BAD_REQUEST, envelope(message, "invalid_request_error", None))
}

/// Something else than a step's answer, all of it JSON.
pub(super) fn own(body: String) -> Answer {
    let mut answer = error(StatusCode::OK, body);
    answer.headers.remove("x-should-retry");
    answer
}

fn error(status: StatusCode, body: String) -> Answer {
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, json());
    headers.insert("x-should-retry", HeaderValue::from_static("false"));
    Answer {
        status,
        headers,
        length: Some(body.len() as u64),
        acts: fault::lay_out(vec![Piece::Event(body.into())], &[], None, Pace::default()),
    }
}

fn json() -> HeaderValue {
    HeaderValue::from_static("application/json")
}

pub(super) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("strings and numbers under string keys are always JSON")
}

fn envelope(message: &str, kind: &str, code: Option<&str>) -> String {
    let error = ErrorFields { message, r#type: kind, param: None, code };
    to_json(&ErrorEnvelope { error })
}

// === impl Frame ===

impl<'a> Frame<'a> {
    fn new(turn: Turn, session: &'a str, question: &'a Question) -> Self {
        let mut frame = Self {
            id: String::new(),
            model: question.model.as_deref().unwrap_or("replay"),
            session,
            turn,
            include_usage: question.include_usage,
        };
        frame.id = frame.named("chatcmpl", '-');
        frame
    }
    /// A name that no other answer of this server has.
    fn named(&self, kind: &str, between: char) -> String {
        let Turn { step, served } = self.turn;
        let session =
            if self.session.is_empty() { String::new() } else { format!("{}{between}", self.session) };
        format!("{kind}{between}{session}{}{between}{}", step + 1, served + 1)
    }
    /// The id of the call at `position` among the step's calls.
    fn call_id(&self, call: &Call, position: usize) -> String {
        call.id.clone().unwrap_or_else(|| format!("{}_{}", self.named("call", '_'), position + 1))
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
    /// The same with its arguments cut off, where they are to be.
    fn as_told(&self) -> Cow<'_, Self> {
        let Some(bytes) = self.cut_arguments else { return Cow::Borrowed(self) };
        let mut reply = self.clone();
        let calls = reply.blocks.iter_mut().rev();
        let last = calls.filter_map(|block| match &mut block.part {
            Part::Call(call) => Some(call),
            _ => None,
        });
        if let Some(call) = last.take(1).next() {
            call.arguments.truncate(call.arguments.floor_char_boundary(bytes));
        }
        reply.finish.get_or_insert_with(|| "length".to_owned());
        Cow::Owned(reply)
    }
    fn finish(&self, choice: u32, odd: &[Odd]) -> &str {
        let calls =
            self.blocks.iter().any(|block| block.choice == choice && matches!(block.part, Part::Call(_)));
        match &self.finish {
            Some(finish) => finish,
            None if calls && odd.contains(&Odd::LegacyFunctionCall) => "function_call",
            None if calls => "tool_calls",
            None => "stop",
        }
    }
}

// === impl Pace ===

impl Pace {
    /// Only what is streamed comes in parts.
    fn every(self, streamed: bool) -> Self {
        if streamed { self } else { Self { every: std::time::Duration::ZERO, ..self } }
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
        envelope(&self.message, kind, self.code.as_deref()).into()
    }
}
