//! Asking the provider, and what comes of it.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use tokio::time::sleep_until;

use crate::guard::Reason;
use crate::proxy::failure::{Failure, Misanswer};
use crate::proxy::upstream::{self, headers};
use crate::wire::form::Form;

use super::Exchange;
use super::inflow::Inflow;
use super::outlet::Head;
use super::rounds::{LARGEST, Rounds};

/// What came of asking.
pub(super) enum Asked {
    Answer(Answered),
    /// The provider refused a call that the model wrote: that is a refusal of the call, not an end.
    Refused,
    Failed(Failed),
}

/// A good answer, in a form that can be judged.
pub(super) struct Answered {
    /// As it came.
    pub(super) head: Head,
    pub(super) body: Inflow,
    pub(super) is_stream: bool,
}

/// What came back, and whether there was anything in it.
struct Came {
    asked: Asked,
    is_empty: bool,
}

/// What came in the place of an answer.
pub(super) enum Failed {
    /// An error of the provider, or something that nobody here can read.
    Answer(upstream::Answer),
    /// The same, already read.
    Read {
        head: Head,
        body: Bytes,
        /// It says that the model called a tool.
        is_call: bool,
    },
    /// The same, read in part: it is longer than anything that is looked at, or of a form that no agent takes a
    /// call from.
    Long { head: Head, read: Bytes, rest: Inflow },
    /// An error of ours.
    Failure(Failure),
}

impl Rounds<'_> {
    /// Asks the provider. One that answers with nothing at all is asked once more: nothing is lost by that, and many
    /// agents would take it for the end of their work.
    pub(super) async fn ask(&mut self) -> Asked {
        self.unseen = None;
        let mut came = self.ask_once().await;
        if matches!(came, Ok(Came { is_empty: true, .. })) && self.may_ask_anew() {
            self.outlet.account.rounds += 1;
            self.outlet.account.act(Reason::AskedAnew);
            came = self.ask_once().await;
        }
        self.answer.be_patient(self.may_ask_anew());
        match came.map(|came| came.asked) {
            Ok(Asked::Failed(Failed::Answer(answered))) => self.read_error(answered).await,
            Ok(asked) => asked,
            Err(failure) => Asked::Failed(Failed::Failure(failure)),
        }
    }

    /// An answer that is none may be asked for once more, once in an exchange. Who only observes asks nothing of its
    /// own.
    fn may_ask_anew(&self) -> bool {
        let account = &self.outlet.account;
        !self.exchange.house.observes()
            && account.rounds <= self.exchange.house.plan.rules.rounds
            && !account.actions.contains(&Reason::AskedAnew)
    }

    /// While a further round is asked, the agent hears that it is not forgotten.
    async fn ask_once(&mut self) -> Result<Came, Failure> {
        let mut asking = Box::pin(self.exchange.ask(self.exchange.body(&self.appended, self.concludes)));
        loop {
            let at = if self.head.is_some() { self.heartbeat_at() } else { None };
            let Some(at) = at else { return asking.await };
            tokio::select! {
                biased;
                came = &mut asking => return came,
                () = sleep_until(at) => self.beat().await,
            }
        }
    }
}

impl Exchange {
    /// Sends a body, and looks at the answer until its form is known.
    async fn ask(&self, body: Vec<Bytes>) -> Result<Came, Failure> {
        let answered = self.target.send(&self.prepared, body).await?;
        let cannot_be_read = self.house.observes() && !Inflow::reads(answered.headers());
        if !answered.status().is_success() || cannot_be_read {
            return Ok(Came { asked: Asked::Failed(Failed::Answer(answered)), is_empty: false });
        }
        let head = Head::of(&answered);
        let named = form(answered.headers());
        let mut body = Inflow::new(answered, self.target.name())?;
        let form = match named {
            Some(form) => form,
            None => body.form(LARGEST).await?,
        };
        // Who only observes asks nothing of its own, and waits for nothing.
        let is_empty = head.status == StatusCode::OK && !self.house.observes() && body.is_empty().await?;
        let asked = match form {
            Form::Other => Asked::Failed(Failed::Long { head, read: Bytes::new(), rest: body }),
            form => Asked::Answer(Answered { head, body, is_stream: form == Form::Stream }),
        };
        Ok(Came { asked, is_empty })
    }
}

/// The form that a body has by its type; other types say nothing.
fn form(headers: &HeaderMap) -> Option<Form> {
    let whole = || headers::is_json(headers).then_some(Form::Whole);
    headers::is_event_stream(headers).then_some(Form::Stream).or_else(whole)
}

// === impl Failed ===

impl Failed {
    /// The provider understood the request and will not have it, or the model calls all the same.
    pub(super) fn refuses(&self) -> bool {
        let is_call = matches!(self, Self::Read { is_call: true, .. });
        let again = [StatusCode::TOO_MANY_REQUESTS, StatusCode::REQUEST_TIMEOUT];
        let refuses = |status: StatusCode| status.is_client_error() && !again.contains(&status);
        is_call || self.status().is_some_and(refuses)
    }

    fn status(&self) -> Option<StatusCode> {
        match self {
            Self::Answer(answered) => Some(answered.status()),
            Self::Read { head, .. } | Self::Long { head, .. } => Some(head.status),
            Self::Failure(_) => None,
        }
    }

    /// A good answer of a form that is not read here: it may hold a call that nobody judged.
    pub(super) fn is_unread(&self) -> bool {
        self.status().is_some_and(|status| status.is_success())
    }

    pub(super) fn into_failure(self, upstream: &Arc<str>) -> Failure {
        let status = self.status();
        if let Self::Failure(failure) = self {
            return failure;
        }
        let how = status.filter(|status| !status.is_success()).map_or(Misanswer::Form, Misanswer::Error);
        Failure::Misanswered { upstream: Arc::clone(upstream), how }
    }
}
