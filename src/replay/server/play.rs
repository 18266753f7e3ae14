//! An answer being played: a body that writes, waits and breaks off as it was laid out.
//!
//! After each write it lets the connection flush before it goes on, so that what the script cut apart arrives
//! apart. It holds the journal's entry: dropped before the end, it tells that the peer has left.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tokio::time::Instant;

use super::ending::{Broken, Ending};
use crate::replay::fault::Act;
use crate::replay::gate::Gates;
use crate::replay::journal::Entry;
use crate::replay::script::Halt;

type Waiting = Pin<Box<dyn Future<Output = Result<(), Broken>> + Send>>;

pub(super) struct Play {
    acts: VecDeque<Act>,
    /// Bytes that are still to come by the head's word, if it told a length.
    left: Option<u64>,
    waiting: Option<Waiting>,
    /// Something was written and is not known to be flushed.
    wrote: bool,
    gates: Gates,
    ending: Ending,
    clock: Option<Instant>,
    entry: Entry,
}

/// Waits as a stop wants it, or says that the connection ends here. Times are counted from `clock`; without it
/// everything is due at once.
pub(super) async fn halt(
    halt: Halt,
    gates: &Gates,
    ending: &Ending,
    clock: Option<Instant>,
) -> Result<(), Broken> {
    match halt {
        Halt::Due(after) => {
            if let Some(due) = clock.and_then(|clock| clock.checked_add(after)) {
                tokio::time::sleep_until(due).await;
            }
            Ok(())
        }
        Halt::Gate(name) => {
            gates.clone().pass(name).await;
            Ok(())
        }
        Halt::Hang => std::future::pending().await,
        Halt::Close => Err(Broken),
        Halt::Reset => {
            ending.reset();
            Err(Broken)
        }
    }
}

// === impl Play ===

impl Play {
    pub(super) fn new(
        acts: Vec<Act>,
        length: Option<u64>,
        gates: Gates,
        ending: Ending,
        clock: Option<Instant>,
        entry: Entry,
    ) -> Self {
        if acts.is_empty() {
            entry.ended();
        }
        // The head counts as written where the first thing to happen is a stop.
        let wrote = matches!(acts.first(), Some(Act::Stop(_)));
        Self { acts: acts.into(), left: length, waiting: None, wrote, gates, ending, clock, entry }
    }
}

impl Body for Play {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        loop {
            if let Some(waiting) = &mut self.waiting {
                let waited = ready!(waiting.as_mut().poll(context));
                self.waiting = None;
                if let Err(broken) = waited {
                    self.entry.broken();
                    return Poll::Ready(Some(Err(broken)));
                }
            }
            if std::mem::take(&mut self.wrote) {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            match self.acts.pop_front() {
                Some(Act::Write(bytes)) => {
                    self.wrote = true;
                    self.left = self.left.map(|left| left.saturating_sub(bytes.len() as u64));
                    if self.acts.is_empty() {
                        self.entry.ended();
                    }
                    return Poll::Ready(Some(Ok(Frame::data(bytes))));
                }
                Some(Act::Stop(stop)) => {
                    let (gates, ending, clock) = (self.gates.clone(), self.ending.clone(), self.clock);
                    self.waiting = Some(Box::pin(async move { halt(stop, &gates, &ending, clock).await }));
                }
                None => {
                    self.entry.ended();
                    return Poll::Ready(None);
                }
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.acts.is_empty() && self.waiting.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        self.left.map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl fmt::Debug for Play {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Play").field("acts", &self.acts).finish_non_exhaustive()
    }
}
