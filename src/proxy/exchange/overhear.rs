//! Observing: an answer goes through as it comes, and is judged beside that.
//!
//! Nothing is held and not one byte is changed, put in or left out. What cannot be judged is no reason to stop.

use bytes::Bytes;

use crate::guard::Reason;
use crate::observe::event::Fact;
use crate::proxy::failure::Failure;
use crate::wire::sse::{Frame, Framer};

use super::ask::Answered;
use super::rounds::{LARGEST, Rounds};

/// What was heard of an answer and not judged yet.
enum Heard {
    Stream(Framer),
    Whole(Vec<u8>),
    /// Something came that cannot be judged: the rest is only passed on.
    Nothing,
}

impl Rounds<'_> {
    /// Relays an answer, streamed or whole.
    pub(super) async fn overhear(&mut self, answered: Answered) -> Result<(), Failure> {
        let Answered { head, mut body, is_stream } = answered;
        let mut heard =
            if is_stream { Heard::Stream(Framer::new(LARGEST)) } else { Heard::Whole(Vec::new()) };
        while let Some((raw, plain)) = body.heard().await? {
            self.outlet.open(&head, None);
            if !raw.is_empty() {
                self.outlet.send(&mut vec![raw]).await;
            }
            heard = match (heard, plain) {
                (Heard::Nothing, _) => Heard::Nothing,
                (heard, Ok(plain)) => self.hear(heard, plain),
                (_, Err(undecodable)) => {
                    self.cannot_judge(&undecodable.to_string());
                    Heard::Nothing
                }
            };
        }
        self.outlet.open(&head, None);
        self.hear_end(heard);
        Ok(())
    }

    fn hear(&mut self, heard: Heard, plain: Bytes) -> Heard {
        match heard {
            Heard::Stream(mut framer) => {
                framer.push(plain);
                let fed = loop {
                    match self.feed_all(&mut framer, &mut Vec::new()) {
                        Ok(true) => {}
                        fed => break fed.map(drop),
                    }
                };
                self.unless_failed(fed, Heard::Stream(framer))
            }
            Heard::Whole(body) if body.len() + plain.len() > LARGEST => {
                self.cannot_judge(&format!("the answer is larger than {LARGEST} bytes"));
                Heard::Nothing
            }
            Heard::Whole(mut body) => {
                body.extend_from_slice(&plain);
                Heard::Whole(body)
            }
            Heard::Nothing => Heard::Nothing,
        }
    }

    fn hear_end(&mut self, heard: Heard) {
        let (last, whole) = match heard {
            Heard::Stream(mut framer) => (framer.finish(), false),
            Heard::Whole(body) => (Some(Frame::of_whole(body.into())), true),
            Heard::Nothing => return,
        };
        let fed = last.map_or(Ok(()), |frame| self.feed(frame, whole, &mut Vec::new()));
        self.unless_failed(fed, Heard::Nothing);
    }

    fn unless_failed(&mut self, fed: Result<(), Failure>, heard: Heard) -> Heard {
        let Err(failure) = fed else { return heard };
        self.cannot_judge(&failure.message());
        Heard::Nothing
    }

    fn cannot_judge(&mut self, detail: &str) {
        self.outlet.account.note(Fact::Unjudged { reason: Reason::Unjudged, detail: detail.to_owned() });
    }
}
