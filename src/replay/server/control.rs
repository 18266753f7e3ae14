//! `/__replay/…`: what a test asks the server itself.
//!
//! Nothing here is written down in the journal. Credentials are shown nowhere.

mod live;
mod request;
mod view;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderValue, ORIGIN};
use http::request::Parts;
use http::{Method, Response, StatusCode};

use super::outgoing::Outgoing;
use super::stage::Stage;
use crate::replay::answer::to_json;
use crate::replay::find::Question;

pub(super) use live::Live;
use request::{Asked, Query};

/// Where it all is.
pub(super) const PREFIX: &str = "/__replay";

const PAGE: &str = include_str!("page.html");

/// A word of the server's own.
type Word = (StatusCode, &'static str, Bytes);

pub(super) async fn answer(stage: &Stage, head: &Parts, body: Bytes) -> Response<Outgoing> {
    let path = head.uri.path().strip_prefix(PREFIX).unwrap_or_default().trim_matches('/');
    let query = Query::read(head.uri.query().unwrap_or_default());
    if path == "events" && head.method == Method::GET {
        return live(stage);
    }
    let (status, kind, body) = if is_foreign(head) {
        problem(StatusCode::FORBIDDEN, "pages of other sites have no business here")
    } else {
        word(stage, &head.method, path, &query, &body).await
    };
    let mut response = Response::new(Outgoing::Word(Some(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Whether a page of another site asks, in the browser of whoever runs this.
fn is_foreign(head: &Parts) -> bool {
    let text = |name| head.headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    let host = text(HOST).or_else(|| head.uri.authority().map(http::uri::Authority::as_str));
    text(ORIGIN).is_some_and(|origin| origin.strip_prefix("http://") != host)
}

async fn word(stage: &Stage, method: &Method, path: &str, query: &Query, body: &[u8]) -> Word {
    let session = query.session();
    match (method, path) {
        (&Method::GET, "") => {
            (StatusCode::OK, "text/html; charset=utf-8", Bytes::from_static(PAGE.as_bytes()))
        }
        (&Method::GET, "journal") => json(&view::journal(stage, query)),
        (&Method::GET, "verify") => {
            let verdict = view::verify(stage, session);
            let (_, kind, body) = json(&verdict);
            (if verdict.ok { StatusCode::OK } else { StatusCode::CONFLICT }, kind, body)
        }
        (&Method::GET, "sessions") => json(&stage.sessions()),
        (&Method::GET, "scripts") => json(&view::script(stage, session)),
        (&Method::GET, "gates") => json(&view::gates(stage)),
        (&Method::GET, "gates/wait") => {
            let Some(name) = query.get("name") else {
                return problem(StatusCode::BAD_REQUEST, "which gate? ?name=…");
            };
            let times = query.number("times").unwrap_or(1);
            let gate = stage.gates.of(session.unwrap_or_default()).gate(name);
            gate.wait_reached_times(times).await;
            json(&gate.reached())
        }
        (&Method::POST, "gates/release") => {
            let Some(name) = query.get("name") else {
                return problem(StatusCode::BAD_REQUEST, "which gate? ?name=…");
            };
            stage.gates.of(session.unwrap_or_default()).gate(name).release();
            json(&true)
        }
        (&Method::POST, "reset") => {
            stage.reset(session);
            json(&true)
        }
        (&Method::POST, "explain") => explain(stage, session, body),
        (_, known) if KNOWN.contains(&known) => {
            problem(StatusCode::METHOD_NOT_ALLOWED, "POST is for what changes something, GET for the rest")
        }
        _ => problem(StatusCode::NOT_FOUND, &format!("there is only {}", KNOWN.join(", "))),
    }
}

const KNOWN: [&str; 10] = [
    "journal",
    "verify",
    "sessions",
    "scripts",
    "gates",
    "gates/wait",
    "gates/release",
    "reset",
    "explain",
    "events",
];

/// Which step would serve a request, given or written down, and why the others would not.
fn explain(stage: &Stage, session: Option<&str>, body: &[u8]) -> Word {
    let asked: Asked = match serde_json::from_slice(body) {
        Ok(asked) => asked,
        Err(error) => return problem(StatusCode::BAD_REQUEST, &format!("not a request: {error}")),
    };
    let written = match asked.number.map(|number| stage.journal.request(number)) {
        Some(None) => return problem(StatusCode::NOT_FOUND, "the journal does not hold that request"),
        Some(written) => written,
        None => None,
    };
    let (session, question) = match written {
        Some(recorded) => {
            let path = recorded.path.split('?').next().unwrap_or_default();
            let question = Question::read(path, recorded.headers, recorded.body);
            (recorded.session, question)
        }
        None => (session.unwrap_or_default().to_owned(), asked.question()),
    };
    json(&view::explained(stage, &session, &question))
}

fn live(stage: &Stage) -> Response<Outgoing> {
    let mut response = Response::new(Outgoing::Live(Box::new(Live::new(stage.journal.clone()))));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn json(value: &impl serde::Serialize) -> Word {
    (StatusCode::OK, "application/json", to_json(value).into())
}

fn problem(status: StatusCode, message: &str) -> Word {
    (status, "application/json", to_json(&view::Problem { error: message }).into())
}
