//! What is sent to a provider: pieces in memory, or an agent's body as it comes in.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use crate::proxy::body::BoxError;

/// The body of a request to a provider.
#[derive(Debug)]
pub struct Outgoing(Source);

#[derive(Debug)]
enum Source {
    /// In order; together they are the body. None is empty.
    Pieces(VecDeque<Bytes>),
    Streamed {
        body: Incoming,
        upload: Arc<Upload>,
    },
}

/// How far an agent's body has got. A long upload is not a provider's silence.
#[derive(Debug, Default)]
pub(super) struct Upload {
    frames: AtomicU64,
}

// === impl Outgoing ===

impl Outgoing {
    pub(super) fn pieces(pieces: Vec<Bytes>) -> Self {
        Self(Source::Pieces(pieces.into_iter().filter(|piece| !piece.is_empty()).collect()))
    }

    pub(super) fn streamed(body: Incoming, upload: Arc<Upload>) -> Self {
        Self(Source::Streamed { body, upload })
    }
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        match &mut self.0 {
            Source::Pieces(pieces) => Poll::Ready(pieces.pop_front().map(|piece| Ok(Frame::data(piece)))),
            Source::Streamed { body, upload } => {
                let next = std::task::ready!(Pin::new(body).poll_frame(context));
                upload.frames.fetch_add(1, Ordering::Relaxed);
                Poll::Ready(next.map(|frame| frame.map_err(Into::into)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Source::Pieces(pieces) => pieces.is_empty(),
            Source::Streamed { body, .. } => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Source::Pieces(pieces) => {
                SizeHint::with_exact(pieces.iter().map(|piece| piece.len() as u64).sum())
            }
            Source::Streamed { body, .. } => body.size_hint(),
        }
    }
}

// === impl Upload ===

impl Upload {
    /// Grows with every frame that was sent.
    pub(super) fn frames(&self) -> u64 {
        self.frames.load(Ordering::Relaxed)
    }
}
