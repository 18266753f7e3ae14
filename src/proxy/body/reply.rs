//! The body of every response to an agent: of our own, relayed, or driven by an exchange.

use std::pin::Pin;
use std::task::{Context, Poll};

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
        Self { source: Source::Whole(bytes), place: None }
    }
    /// The provider's body, unchanged.
    pub fn relayed(body: Idle<Incoming>) -> Self {
        Self { source: Source::Relayed(body), place: None }
    }
    pub fn driven(body: Driven) -> Self {
        Self { source: Source::Driven(body), place: None }
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
        match &mut self.source {
            Source::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Source::Relayed(body) => {
                Pin::new(body).poll_frame(context).map(|next| next.map(|frame| frame.map_err(Into::into)))
            }
            Source::Driven(body) => Pin::new(body).poll_frame(context),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.source {
            Source::Whole(bytes) => bytes.is_none(),
            Source::Relayed(body) => body.is_end_stream(),
            Source::Driven(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.source {
            Source::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            Source::Relayed(body) => body.size_hint(),
            Source::Driven(body) => body.size_hint(),
        }
    }
}
