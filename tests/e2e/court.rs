//! An answer before the guard, without sockets: what goes out, and what was decided of each call.

use std::sync::LazyLock;

use bytes::Bytes;
use remand::config::{self, Overrides};
use remand::dialect::{Answer, Broken, Decision, Dialect, NewCall, Transcript};
use remand::guard::arguments::Uncached;
use remand::guard::bench::Circumstances;
use remand::guard::{Bench, Reason, Rules, Verdict};
use remand::wire::sse::{Frame, Framer};

/// The rules of a proxy that nobody configured.
static RULES: LazyLock<std::sync::Arc<Rules>> = LazyLock::new(|| {
    let plan = config::parse("none.toml", "", "".as_ref(), &Overrides::default(), &|_| None);
    plan.unwrap_or_else(|error| panic!("{error}")).rules
});

pub(crate) struct Court<'a> {
    pub(crate) answer: Answer,
    bench: Bench<'a>,
    /// What the agent gets.
    pub(crate) out: Vec<u8>,
    /// The calls as they were put together, in order: id, name, arguments.
    pub(crate) calls: Vec<(String, String, String)>,
    /// Why calls were refused.
    pub(crate) refused: Vec<Reason>,
    /// What was done to calls that were rewritten.
    pub(crate) rewritten: Vec<Reason>,
}

/// How a stream is cut into reads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cut {
    Whole,
    Events,
    Bytes(usize),
    /// Pieces of 1 to 300 bytes, as the seed has it.
    Random(u64),
}

pub(crate) fn transcript(request: impl Into<Bytes>) -> Transcript {
    Dialect::Chat.read(request.into()).unwrap()
}

impl<'a> Court<'a> {
    pub(crate) fn new(transcript: &'a Transcript) -> Self {
        Self {
            answer: Answer::new(transcript, 4 << 20),
            bench: Bench::new(transcript, &RULES, &Uncached),
            out: Vec::new(),
            calls: Vec::new(),
            refused: Vec::new(),
            rewritten: Vec::new(),
        }
    }

    /// Hears one round's stream to its end.
    pub(crate) fn hear(&mut self, reads: &[Bytes]) -> Result<(), Broken> {
        let mut framer = Framer::new(usize::MAX);
        for read in reads {
            framer.push(read.clone());
            while let Ok(Some(frame)) = framer.next_frame() {
                self.feed(frame, false)?;
            }
        }
        while let Some(frame) = framer.finish() {
            self.feed(frame, false)?;
        }
        let mut out = Vec::new();
        if !self.answer.must_wait() {
            self.answer.end(&mut out)?;
        }
        self.keep(&out);
        Ok(())
    }

    pub(crate) fn feed(&mut self, frame: Frame, whole: bool) -> Result<(), Broken> {
        self.answer.push(frame, whole)?;
        while let Some(pending) = self.answer.next_call() {
            let call = &pending.call;
            self.calls.push((call.id.to_string(), call.name.to_string(), call.arguments.to_string()));
            let circumstances = Circumstances { cut: pending.cut, too_large: pending.too_large };
            let decision = match self.bench.judge(call, circumstances) {
                Verdict::Forward | Verdict::GiveUp(_) => Decision::Forward,
                Verdict::Rewrite(rewrite) => {
                    self.rewritten.extend(rewrite.reasons);
                    let calls = rewrite.calls.into_iter();
                    Decision::Replace(
                        calls.map(|call| NewCall { name: call.name, arguments: call.arguments }).collect(),
                    )
                }
                Verdict::Refuse(refusal) => {
                    self.refused.push(refusal.reason);
                    Decision::Refuse(refusal.text)
                }
            };
            self.answer.decide(pending.position, decision);
        }
        let mut out = Vec::new();
        while self.answer.release(&mut out) {}
        self.keep(&out);
        Ok(())
    }

    pub(crate) fn keep(&mut self, out: &[Bytes]) {
        for bytes in out {
            self.out.extend_from_slice(bytes);
        }
    }
}

impl Cut {
    pub(crate) const ALL: [Self; 6] =
        [Self::Whole, Self::Events, Self::Bytes(1), Self::Bytes(7), Self::Random(1), Self::Random(2)];

    pub(crate) fn cut(self, stream: &[u8]) -> Vec<Bytes> {
        let stream = Bytes::copy_from_slice(stream);
        match self {
            Self::Whole => vec![stream],
            Self::Events => {
                let mut framer = Framer::new(usize::MAX);
                framer.push(stream);
                std::iter::from_fn(|| framer.finish()).map(|frame| frame.raw).collect()
            }
            Self::Bytes(length) => slices(&stream, || length),
            Self::Random(seed) => {
                let mut state = seed;
                slices(&stream, || {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    usize::try_from(state >> 33).unwrap() % 300 + 1
                })
            }
        }
    }
}

fn slices(stream: &Bytes, mut length: impl FnMut() -> usize) -> Vec<Bytes> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < stream.len() {
        let end = stream.len().min(at + length().max(1));
        pieces.push(stream.slice(at..end));
        at = end;
    }
    pieces
}
