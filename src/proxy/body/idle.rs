//! A limit on silence: a provider that sends nothing for too long ends its answer. There is no total limit.
//!
//! The clock runs only while we wait for the provider; an agent that reads slowly does not count against it.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep};

use super::BoxError;
use crate::proxy::failure::{Failure, Wait};

#[cfg(test)]
mod tests;

/// A provider's body, under a limit on silence.
pub struct Idle<B> {
    body: B,
    upstream: Arc<str>,
    limit: Duration,
    /// Made at the first wait, then reused.
    alarm: Option<Pin<Box<Sleep>>>,
    /// The alarm is set for the wait that is going on.
    waiting: bool,
}

// === impl Idle ===

impl<B> Idle<B> {
    /// `upstream` is named in the failure.
    pub fn new(body: B, upstream: Arc<str>, limit: Duration) -> Self {
        Self { body, upstream, limit, alarm: None, waiting: false }
    }

    fn poll_silence(&mut self, context: &mut Context<'_>) -> Poll<Failure> {
        if !self.waiting {
            // `Duration::MAX` and its like mean for ever: no clock holds that.
            let Some(deadline) = Instant::now().checked_add(self.limit) else { return Poll::Pending };
            match &mut self.alarm {
                Some(alarm) => alarm.as_mut().reset(deadline),
                None => self.alarm = Some(Box::pin(tokio::time::sleep_until(deadline))),
            }
            self.waiting = true;
        }
        let Some(alarm) = &mut self.alarm else { return Poll::Pending };
        alarm.as_mut().poll(context).map(|()| Failure::Timeout {
            upstream: Arc::clone(&self.upstream),
            waited_for: Wait::Progress,
            limit: self.limit,
        })
    }
}

impl<B> Body for Idle<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = Failure;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(next) => {
                self.waiting = false;
                Poll::Ready(next.map(|frame| {
                    frame.map_err(|cause| Failure::Unreachable {
                        upstream: Arc::clone(&self.upstream),
                        source: cause.into(),
                    })
                }))
            }
            Poll::Pending => self.poll_silence(context).map(|failure| Some(Err(failure))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl<B> std::fmt::Debug for Idle<B> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Idle").field("limit", &self.limit).finish_non_exhaustive()
    }
}
