//! A response body that runs what produces it.
//!
//! The producer is a future that sends frames into a bounded channel. Polling the body polls both, so no task is
//! spawned: when the agent leaves, hyper drops the body, and with it the producer and its request upstream. When
//! the agent is slow, the channel fills and the producer waits. No frame that was sent is lost, however the
//! producer ends; a failed one ends the body with an error, so that the agent never sees a clean end.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::sync::mpsc;

use super::BoxError;
use crate::proxy::failure::Failure;

#[cfg(test)]
mod tests;

/// What a producer sends. An error ends the body, broken.
pub type FrameResult = Result<Frame<Bytes>, BoxError>;

type Producer = Pin<Box<dyn Future<Output = Result<(), Failure>> + Send>>;

/// A body and the future that fills it.
pub struct Driven {
    /// `None` once it has finished; it is never polled again.
    producer: Option<Producer>,
    frames: mpsc::Receiver<FrameResult>,
    /// A frame that was taken from `frames` before the body was polled: it goes out first.
    first: Option<FrameResult>,
    /// What the producer failed with; given out after the last frame.
    failed: Option<Failure>,
    /// An error or the end was given out: nothing follows.
    ended: bool,
}

// === impl Driven ===

impl Driven {
    /// `produce` gets the sending end of a channel for `capacity` frames, and makes the future that uses it. The
    /// body ends when that future does.
    pub fn new<P>(capacity: usize, produce: impl FnOnce(mpsc::Sender<FrameResult>) -> P) -> Self
    where
        P: Future<Output = Result<(), Failure>> + Send + 'static,
    {
        let (sender, frames) = mpsc::channel(capacity);
        let producer: Producer = Box::pin(produce(sender));
        Self { producer: Some(producer), frames, first: None, failed: None, ended: false }
    }

    /// Runs until the first frame has been sent, or until there will be none. An error means that the producer
    /// failed before it sent anything: the response's head can still be chosen.
    pub async fn first(mut self) -> Result<Self, Failure> {
        self.first = std::future::poll_fn(|context| self.poll_next(context)).await;
        match (self.first.is_none(), self.failed.take()) {
            (true, Some(failure)) => Err(failure),
            (_, failed) => {
                self.failed = failed;
                Ok(self)
            }
        }
    }

    /// The next frame that was sent; `None` once the producer has finished and every frame is out.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<FrameResult>> {
        // Frames first: while the agent is slow the producer is not polled, and so reads no further.
        if let Poll::Ready(Some(frame)) = self.frames.poll_recv(context) {
            return Poll::Ready(Some(frame));
        }
        if let Some(producer) = &mut self.producer {
            if let Poll::Ready(outcome) = producer.as_mut().poll(context) {
                self.failed = outcome.err();
                self.producer = None;
                // A sender that outlives the producer must not hold the body open.
                self.frames.close();
            } else {
                // The end of the channel is not the end of the body: the producer may still fail.
                let sent = self.frames.poll_recv(context);
                return if let Poll::Ready(Some(frame)) = sent {
                    Poll::Ready(Some(frame))
                } else {
                    Poll::Pending
                };
            }
        }
        self.frames.poll_recv(context)
    }
}

impl Body for Driven {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        let next = match self.first.take() {
            Some(frame) => Some(frame),
            None => ready!(self.poll_next(context)),
        };
        let next = next.or_else(|| self.failed.take().map(|failure| Err(failure.into())));
        if !matches!(next, Some(Ok(_))) {
            self.ended = true;
            self.producer = None;
        }
        Poll::Ready(next)
    }

    fn is_end_stream(&self) -> bool {
        self.ended
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

impl std::fmt::Debug for Driven {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Driven").field("running", &self.producer.is_some()).finish_non_exhaustive()
    }
}
