//! Connections: from a socket to a request, and to the journal.

use std::sync::Arc;

use http::request::Parts;
use http::{Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::control;
use super::ending::{Broken, Ending, Socket};
use super::outgoing::Outgoing;
use super::play::{Play, halt};
use super::stage::Stage;
use crate::replay::find::Question;

/// Spawns on the tracker, so that nothing outlives the server.
#[derive(Clone)]
struct Tracked(TaskTracker);

/// Why a request got no answer.
#[derive(Debug, thiserror::Error)]
enum Unanswered {
    #[error(transparent)]
    Broken(#[from] Broken),
    #[error("the peer went away")]
    Left(#[from] hyper::Error),
}

pub(super) async fn accept(
    listener: TcpListener,
    stage: Arc<Stage>,
    tracker: TaskTracker,
    stop: CancellationToken,
) {
    let mut number = 0;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => return,
        };
        // A connection that died in the queue is no reason to stop.
        let Ok((stream, _)) = accepted else { continue };
        let serving = serve(stream, Arc::clone(&stage), number, Tracked(tracker.clone()));
        let stop = stop.clone();
        tracker.spawn(async move {
            tokio::select! {
                () = serving => {}
                () = stop.cancelled() => {}
            }
        });
        number += 1;
    }
}

async fn serve(stream: TcpStream, stage: Arc<Stage>, number: usize, executor: Tracked) {
    // Small writes must go out as they are written.
    if stream.set_nodelay(true).is_err() {
        return;
    }
    let ending = Ending::default();
    let socket = TokioIo::new(Socket { stream, ending: ending.clone() });
    let service = service_fn(move |request| {
        let (stage, ending) = (Arc::clone(&stage), ending.clone());
        async move { answer(&stage, request, number, ending).await }
    });
    let mut builder = auto::Builder::new(executor);
    builder.http1().half_close(false);
    // Its error is the peer's leaving or the script's will; the journal knows which.
    if let Err(error) = builder.serve_connection(socket, service).await {
        tracing::trace!(%error, connection = number, "the connection ended");
    }
}

async fn answer(
    stage: &Stage,
    request: Request<Incoming>,
    connection: usize,
    ending: Ending,
) -> Result<Response<Outgoing>, Unanswered> {
    let (head, body) = request.into_parts();
    if head.uri.path() == control::PREFIX || head.uri.path().starts_with("/__replay/") {
        let body = body.collect().await?.to_bytes();
        return Ok(control::answer(stage, &head, body).await);
    }
    let (session, path) = place(&head);
    let path_and_query = head.uri.query().map_or_else(|| path.clone(), |query| format!("{path}?{query}"));
    let entry = stage.journal.open(&head, path_and_query, &session, connection);
    let gates = stage.gates.of(&session);
    let script = stage.script();
    if let Some(gate) = &script.read_gate {
        gates.clone().pass(gate.clone()).await;
    }
    let body = body.collect().await?.to_bytes();
    let clock = if script.instant { None } else { Some(Instant::now()) };
    let question = Question::read(&path, head.headers, body.clone());
    let (fate, answer) = stage.answer(&session, &question, &body, entry.number() + 1);
    tracing::debug!(request = entry.number() + 1, ?fate, "answered");
    entry.read(body, fate);
    for stop in answer.acts.before_head {
        if let Err(broken) = halt(stop, &gates, &ending, clock).await {
            entry.broken();
            return Err(broken.into());
        }
    }
    let play = Play::new(answer.acts.body, answer.length, gates, ending, clock, entry);
    let mut response = Response::new(Outgoing::Play(Box::new(play)));
    *response.status_mut() = answer.status;
    *response.headers_mut() = answer.headers;
    Ok(response)
}

/// The session of a request, by its path (`/s/NAME/v1/…`) or by its header `x-replay-session`, and its path
/// without the session.
fn place(head: &Parts) -> (String, String) {
    let path = head.uri.path();
    if let Some((name, rest)) = path.strip_prefix("/s/").and_then(|rest| rest.split_once('/')) {
        let name = percent_encoding::percent_decode_str(name).decode_utf8_lossy();
        return (name.into_owned(), format!("/{rest}"));
    }
    let named = head.headers.get("x-replay-session").and_then(|name| name.to_str().ok());
    (named.unwrap_or_default().to_owned(), path.to_owned())
}

// === impl Tracked ===

impl<F> hyper::rt::Executor<F> for Tracked
where
    F: Future<Output: Send + 'static> + Send + 'static,
{
    fn execute(&self, future: F) {
        self.0.spawn(future);
    }
}
