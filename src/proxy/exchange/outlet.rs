//! The way to the agent: a head that is chosen once, then bytes.

use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use http_body::Frame;
use tokio::sync::mpsc;

use super::account::Account;
use crate::guard::Reason;
use crate::observe::event::Fact;
use crate::proxy::body::{FrameResult, Reply};
use crate::proxy::failure::Failure;
use crate::proxy::upstream::headers;

const EXCHANGE: HeaderName = HeaderName::from_static("x-remand-exchange");
const ROUNDS: HeaderName = HeaderName::from_static("x-remand-rounds");
const ACTIONS: HeaderName = HeaderName::from_static("x-remand-actions");

/// A response's head.
#[derive(Clone, Debug)]
pub(super) struct Head {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
}

/// Where the head waits for whoever makes the response.
#[derive(Clone, Debug, Default)]
pub(super) struct ChosenHead(Arc<Mutex<Option<Head>>>);

/// An outlet without its channel.
pub(super) struct Unconnected {
    account: Account,
    head: ChosenHead,
}

/// Sends to the agent, and keeps the account of it.
pub(super) struct Outlet {
    sender: mpsc::Sender<FrameResult>,
    head: ChosenHead,
    /// The head was chosen: what follows can only be appended.
    is_open: bool,
    pub(super) account: Account,
}

// === impl Outlet ===

impl Outlet {
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Chooses the head, if that is still to be done. `length`: the whole body's, where it is known.
    pub(super) fn open(&mut self, head: &Head, length: Option<usize>) {
        if self.is_open {
            return;
        }
        self.is_open = true;
        let mut head = head.clone();
        self.account.status = head.status.as_u16();
        let account = &self.account;
        let mut mark = |name: HeaderName, text: &str| {
            if let Ok(value) = HeaderValue::from_str(text) {
                head.headers.insert(name, value);
            }
        };
        mark(EXCHANGE, &account.id);
        if let Some(length) = length {
            mark(CONTENT_LENGTH, &length.to_string());
            mark(ROUNDS, &account.rounds.to_string());
        }
        if !account.actions.is_empty() {
            let codes: Vec<_> = account.actions.iter().map(|reason| reason.code()).collect();
            mark(ACTIONS, &codes.join(","));
        }
        *self.head.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(head);
    }

    /// Sends pieces that belong together. Waits while the agent is slow.
    pub(super) async fn send(&mut self, pieces: &mut Vec<Bytes>) {
        let joined = match pieces.as_slice() {
            [] => return,
            [one] => one.clone(),
            many => {
                let mut joined = BytesMut::with_capacity(many.iter().map(Bytes::len).sum());
                for piece in many {
                    joined.extend_from_slice(piece);
                }
                joined.freeze()
            }
        };
        pieces.clear();
        self.account.bytes_out += joined.len();
        if self.sender.send(Ok(Frame::data(joined))).await.is_err() {
            tracing::debug!(exchange = %self.account.id, "the agent is gone");
        }
    }
}

// === impl Unconnected ===

impl Unconnected {
    /// `done`: what was done to the request, or would have been by who only `observes`.
    pub(super) fn new(mut account: Account, done: &[Reason], observes: bool) -> Self {
        for (at, reason) in done.iter().enumerate() {
            if done.iter().position(|other| other == reason) == Some(at) {
                let count = done.iter().filter(|other| *other == reason).count();
                account.note(Fact::Prepared { reason: *reason, count });
            }
            if !observes {
                account.act(*reason);
            }
        }
        Self { account, head: ChosenHead::default() }
    }

    /// Where the head will be found.
    pub(super) fn head(&self) -> ChosenHead {
        self.head.clone()
    }

    pub(super) fn connect(self, sender: mpsc::Sender<FrameResult>) -> Outlet {
        Outlet { sender, head: self.head, is_open: false, account: self.account }
    }
}

// === impl ChosenHead ===

impl ChosenHead {
    pub(super) fn take(&self) -> Result<Head, Failure> {
        let chosen = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        chosen.ok_or_else(|| Failure::Internal("an exchange ended without an answer".into()))
    }
}

// === impl Head ===

impl Head {
    /// The provider's head as the agent gets it.
    pub(super) fn of<B>(answer: &Response<B>) -> Self {
        Self { status: answer.status(), headers: headers::response(answer.headers()) }
    }

    /// Without what is said of the body's bytes: they may become others.
    pub(super) fn for_another_body(mut self) -> Self {
        self.headers.remove(CONTENT_LENGTH);
        self.headers.remove(CONTENT_ENCODING);
        self
    }

    /// For an answer that the provider gave no head for.
    pub(super) fn own(content_type: &HeaderValue) -> Self {
        Self { status: StatusCode::OK, headers: HeaderMap::from_iter([(CONTENT_TYPE, content_type.clone())]) }
    }

    pub(super) fn respond(self, body: Reply) -> Response<Reply> {
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}
