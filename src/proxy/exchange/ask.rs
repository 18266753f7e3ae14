//! Asking the provider, and what comes of it.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use tokio::time::sleep_until;

use crate::proxy::failure::Failure;
use crate::proxy::upstream::{self, headers};

use super::inflow::Inflow;
use super::outlet::Head;
use super::rounds::Rounds;

/// What came of asking.
pub(super) enum Asked {
    Answer(upstream::Answer),
    /// The provider refused a call that the model wrote: that is a refusal of the call, not an end.
    Refused,
    Failed(Failed),
}

/// What came in the place of an answer.
pub(super) enum Failed {
    /// An error of the provider, or something that is unknown here.
    Answer(upstream::Answer),
    /// The same, already read.
    Read {
        head: Head,
        body: Bytes,
        /// It says that the model called a tool.
        is_call: bool,
    },
    /// The same, read in part: it is longer than anything that is looked at.
    Long { head: Head, read: Bytes, rest: Inflow },
    /// An error of ours.
    Failure(Failure),
}

impl Rounds<'_> {
    /// Asks the provider. While a further round is asked, the agent hears that it is not forgotten.
    pub(super) async fn ask(&mut self) -> Asked {
        self.unseen = None;
        let body = self.exchange.body(&self.appended, self.concludes);
        let mut sending = Box::pin(self.exchange.target.send(&self.exchange.prepared, body));
        let answered = loop {
            let at = if self.head.is_some() { self.heartbeat_at() } else { None };
            let Some(at) = at else { break sending.await };
            tokio::select! {
                biased;
                answered = &mut sending => break answered,
                () = sleep_until(at) => self.beat().await,
            }
        };
        match answered {
            Ok(answered) if is_readable(&answered) => Asked::Answer(answered),
            Ok(answered) => self.read_error(answered).await,
            Err(failure) => Asked::Failed(Failed::Failure(failure)),
        }
    }
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
        let status = status.map(|status| status.to_string()).unwrap_or_default();
        let source = format!("it answered {status} when it was asked again").into();
        Failure::Unreachable { upstream: Arc::clone(upstream), source }
    }
}

/// A successful answer in a form that can be judged.
fn is_readable(answered: &upstream::Answer) -> bool {
    let known = is_stream(answered) || headers::is_json(answered.headers());
    answered.status().is_success() && known && Inflow::reads(answered.headers())
}

pub(super) fn is_stream(answered: &upstream::Answer) -> bool {
    headers::is_event_stream(answered.headers())
}
