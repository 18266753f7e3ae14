//! The body of every response to an agent: of our own, relayed, or driven by an exchange.
//!
//! hyper drops what it has not written yet when a body fails. So a failure is told one poll later than it came:
//! until then the connection writes, and what was said before the failure reaches the agent.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::sync::OwnedSemaphorePermit;

use super::{BoxError, Driven, Idle};

#[cfg(test)]
mod tests;

/// A response body. It holds its place among the exchanges in flight until it is dropped.
#[derive(Debug)]
pub struct Reply {
    source: Source,
    place: Option<OwnedSemaphorePermit>,
    /// Something was given out, at first the head, and may not be written yet.
    unwritten: bool,
    /// A failure that waits until that is written.
    failed: Option<BoxError>,
}

#[derive(Debug)]
enum Source {
    /// `None` once it was given out, and for an empty body.
    Whole(Option<Bytes>),
    Relayed(Idle<Incoming>),
    Driven(Driven),
}

// === impl Reply ===

impl Reply {
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        let bytes = Some(bytes.into()).filter(|bytes| !bytes.is_empty());
        Self::of(Source::Whole(bytes))
    }
    /// The provider's body, unchanged.
    pub fn relayed(body: Idle<Incoming>) -> Self {
        Self::of(Source::Relayed(body))
    }
    pub fn driven(body: Driven) -> Self {
        Self::of(Source::Driven(body))
    }
    fn of(source: Source) -> Self {
        Self { source, place: None, unwritten: true, failed: None }
    }
    /// Keeps a place in flight taken for as long as the body lives.
    #[must_use]
    pub fn holding(mut self, place: OwnedSemaphorePermit) -> Self {
        self.place = Some(place);
        self
    }
}

impl Body for Reply {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Some(failed) = self.failed.take() {
            return Poll::Ready(Some(Err(failed)));
        }
        let next = ready!(self.source.poll_frame(context));
        let unwritten = std::mem::replace(&mut self.unwritten, matches!(next, Some(Ok(_))));
        match next {
            Some(Err(failed)) if unwritten => {
                self.failed = Some(failed);
                context.waker().wake_by_ref();
                Poll::Pending
            }
            next => Poll::Ready(next),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.failed.is_none() && self.source.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.source.size_hint()
    }
}

// === impl Source ===

impl Source {
    fn poll_frame(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match self {
            Self::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::Relayed(body) => {
                Pin::new(body).poll_frame(context).map(|next| next.map(|frame| frame.map_err(Into::into)))
            }
            Self::Driven(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(bytes) => bytes.is_none(),
            Self::Relayed(body) => body.is_end_stream(),
            Self::Driven(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Self::Relayed(body) => body.size_hint(),
            Self::Driven(body) => body.size_hint(),
        }
    }
}
