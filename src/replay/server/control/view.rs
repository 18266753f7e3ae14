//! What is shown of the server's state, as JSON.

use std::collections::BTreeMap;

use http::HeaderMap;
use serde::Serialize;

use super::request::Query;
use crate::replay::find::{Compared, Question};
use crate::replay::journal::Recorded;
use crate::replay::server::stage::{Seen, Stage};

/// Requests that are shown at once, if no other number is asked for.
const SHOWN: usize = 1000;

/// Parameters whose values are shown nowhere.
const SECRET: [&str; 6] = ["key", "api-key", "api_key", "token", "access_token", "code"];

#[derive(Serialize)]
pub(super) struct Problem<'a> {
    pub(super) error: &'a str,
}

#[derive(Serialize)]
pub(super) struct Verdict {
    pub(super) ok: bool,
    misses: Vec<String>,
    unused: Vec<String>,
}

/// Requests, whole.
pub(super) struct Journal(Vec<Recorded>);

/// A request, with nothing secret in its headers or its query.
#[derive(Serialize)]
pub(super) struct Shown<'a> {
    number: usize,
    session: &'a str,
    method: &'a str,
    path: String,
    connection: usize,
    progress: &'static str,
    /// `step`, `missed`, `refused`, `own`, or none as long as the body has not come.
    outcome: Option<&'static str>,
    step: Option<usize>,
    why: Option<&'a str>,
    headers: BTreeMap<&'a str, &'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
}

#[derive(Serialize)]
pub(super) struct ScriptShown {
    generation: usize,
    strict: bool,
    steps: Vec<StepShown>,
}

#[derive(Serialize)]
struct StepShown {
    title: String,
    written: Option<String>,
    repeat: bool,
    ordered: bool,
    served: usize,
}

#[derive(Serialize)]
pub(super) struct GateShown {
    session: String,
    name: String,
    reached: usize,
    open: bool,
}

#[derive(Serialize)]
pub(super) struct Explained {
    session: String,
    serves: Option<usize>,
    steps: Vec<Compared>,
}

/// Filtered by `session`, `outcome`, `step`, `path` (a part of it), `since` (a number) and `limit` (the last so many).
pub(super) fn journal(stage: &Stage, query: &Query) -> Journal {
    let is_wanted = |recorded: &Recorded| {
        let shown = Shown::without_body(recorded);
        query.session().is_none_or(|session| session == shown.session)
            && query.get("outcome").is_none_or(|outcome| Some(outcome) == shown.outcome)
            && query.get("step").is_none_or(|_| query.number("step") == shown.step)
            && query.get("path").is_none_or(|path| shown.path.contains(path))
            && query.number("since").is_none_or(|since| shown.number >= since)
    };
    let mut requests: Vec<Recorded> = stage.journal.requests().into_iter().filter(is_wanted).collect();
    let limit = query.number("limit").unwrap_or(SHOWN);
    Journal(requests.split_off(requests.len().saturating_sub(limit)))
}

pub(super) fn verify(stage: &Stage, session: Option<&str>) -> Verdict {
    let (misses, unused) = (stage.journal.misses(session), stage.unused(session));
    Verdict { ok: misses.is_empty() && unused.is_empty(), misses, unused }
}

pub(super) fn script(stage: &Stage, session: Option<&str>) -> ScriptShown {
    let Seen { script, generation, served } = stage.seen(session);
    let steps = script.steps.iter().zip(served).enumerate().map(|(number, (step, served))| StepShown {
        title: step.title(number),
        written: step.written.clone(),
        repeat: step.repeat,
        ordered: step.ordered,
        served,
    });
    ScriptShown { generation, strict: script.strict, steps: steps.collect() }
}

pub(super) fn gates(stage: &Stage) -> Vec<GateShown> {
    let gates = stage.gates.all().into_iter();
    let shown = gates.map(|((session, name), gate)| GateShown {
        session,
        name,
        reached: gate.reached,
        open: gate.open,
    });
    shown.collect()
}

pub(super) fn explained(stage: &Stage, session: &str, question: &Question) -> Explained {
    let (serves, steps) = stage.compare(session, question);
    Explained { session: session.to_owned(), serves, steps }
}

// === impl Journal ===

impl Serialize for Journal {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Shown::whole))
    }
}

// === impl Shown ===

impl<'a> Shown<'a> {
    fn whole(recorded: &'a Recorded) -> Self {
        let mut body = String::with_capacity(recorded.body.len());
        for chunk in recorded.body.utf8_chunks() {
            body.push_str(chunk.valid());
            if !chunk.invalid().is_empty() {
                body.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Self { body: Some(body), ..Self::without_body(recorded) }
    }

    pub(super) fn without_body(recorded: &'a Recorded) -> Self {
        let (outcome, why) = match recorded {
            Recorded { step: Some(_), .. } => (Some("step"), None),
            Recorded { refused: Some(why), .. } => (Some("refused"), Some(why.as_str())),
            Recorded { missed: Some(why), .. } => (Some("missed"), Some(why.as_str())),
            Recorded { own: Some(name), .. } => (Some("own"), Some(*name)),
            _ => (None, None),
        };
        Self {
            number: recorded.number,
            session: &recorded.session,
            method: recorded.method.as_str(),
            path: without_secrets(&recorded.path),
            connection: recorded.connection,
            progress: recorded.progress.code(),
            outcome,
            step: recorded.step,
            why,
            headers: headers(&recorded.headers),
            body: None,
        }
    }
}

fn headers(headers: &HeaderMap) -> BTreeMap<&str, &str> {
    let shown = headers.iter().map(|(name, value)| {
        let shown = if value.is_sensitive() { "•••" } else { value.to_str().unwrap_or("(no text)") };
        (name.as_str(), shown)
    });
    shown.collect()
}

fn without_secrets(path: &str) -> String {
    let Some((path, query)) = path.split_once('?') else { return path.to_owned() };
    let shown = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if SECRET.contains(&name.to_ascii_lowercase().as_str()) => format!("{name}=•••"),
        _ => pair.to_owned(),
    });
    format!("{path}?{}", shown.collect::<Vec<_>>().join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_a_query_are_not_shown() {
        assert_eq!(without_secrets("/a?b=1&KEY=s3cret&c"), "/a?b=1&KEY=•••&c");
        assert_eq!(without_secrets("/a"), "/a");
    }
}
