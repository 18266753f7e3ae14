//! The bodies of answers: a step's answer being played, a word of the server's own, or events without an end.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::control::Live;
use super::ending::Broken;
use super::play::Play;

pub(super) enum Outgoing {
    Play(Box<Play>),
    /// Not yet sent.
    Word(Option<Bytes>),
    Live(Box<Live>),
}

impl Body for Outgoing {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        match &mut *self {
            Self::Play(play) => Pin::new(play).poll_frame(context),
            Self::Word(word) => Poll::Ready(word.take().map(|word| Ok(Frame::data(word)))),
            Self::Live(live) => {
                let events = ready!(live.poll_events(context));
                Poll::Ready(Some(Ok(Frame::data(events))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Play(play) => play.is_end_stream(),
            Self::Word(word) => word.is_none(),
            Self::Live(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Play(play) => play.size_hint(),
            Self::Word(word) => SizeHint::with_exact(word.as_ref().map_or(0, Bytes::len) as u64),
            Self::Live(_) => SizeHint::default(),
        }
    }
}
