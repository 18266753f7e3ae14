//! From a verdict to a decision: what the guard says, checked once more by what may not fail.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::dialect::{CallKind, Decision, NewCall, Pending};
use crate::guard::bench::Circumstances;
use crate::guard::grounds::{Grounds, Unreadable};
use crate::guard::{Reason, Refusal, Replacement, Resort, Verdict};
use crate::observe::event::{Fact, Judged};
use crate::wire::lenient::{self, Shape, shape};

use super::rounds::Rounds;

impl Rounds<'_> {
    /// Judges a complete call, records the verdict, and says what becomes of the call.
    pub(super) fn judge(&mut self, pending: &Pending) -> Decision {
        let verdict = if self.concludes {
            Verdict::Refuse(self.refusal(pending, Grounds::NoTools))
        } else {
            let verdict = match self.verdict(pending) {
                Verdict::Refuse(refusal) if self.must_go_on(&refusal) => Verdict::GiveUp(refusal),
                verdict => verdict,
            };
            self.readable(verdict, pending)
        };
        self.decide(verdict, pending)
    }

    /// The guard's verdict. A bug of ours must not cost the agent its call.
    fn verdict(&mut self, pending: &Pending) -> Verdict {
        let circumstances = Circumstances { cut: pending.cut, too_large: pending.too_large };
        let judged = catch_unwind(AssertUnwindSafe(|| self.bench.judge(&pending.call, circumstances)));
        for (tool, why) in self.bench.take_ignored() {
            let detail = format!("the schema of `{tool}`: {why}");
            self.outlet.account.note(Fact::Unjudged { reason: Reason::SchemaIgnored, detail });
        }
        judged.unwrap_or_else(|_| {
            let detail = format!("the guard failed on a call of `{}`", pending.call.name);
            self.outlet.account.note(Fact::Unjudged { reason: Reason::Unjudged, detail });
            self.unjudged(pending)
        })
    }

    /// What becomes of a call that could not be judged: it goes on, unless it is forbidden, or not even that can
    /// be told.
    fn unjudged(&mut self, pending: &Pending) -> Verdict {
        let bench = &mut self.bench;
        let forbidden = catch_unwind(AssertUnwindSafe(|| {
            let forbidden = bench.forbidden(&pending.call);
            if forbidden.is_none() {
                bench.goes_out_unjudged(&pending.call);
            }
            forbidden
        }));
        match forbidden {
            Ok(None) => Verdict::Forward,
            Ok(Some(refusal)) => Verdict::Refuse(refusal),
            Err(_) => Verdict::Refuse(self.refusal(pending, Grounds::Denied { reason: "" })),
        }
    }

    /// Arguments that cannot be read never reach an agent, whatever the guard says: many agents mend them
    /// silently and run the result.
    fn readable(&self, verdict: Verdict, pending: &Pending) -> Verdict {
        let sound = match &verdict {
            Verdict::Forward => is_sound(pending),
            Verdict::Rewrite(rewrite) => are_sound(&rewrite.calls, pending),
            Verdict::GiveUp(refusal) => match &refusal.resort {
                Resort::Nothing => return Verdict::Refuse(refusal.clone()),
                Resort::AsWritten => is_sound(pending),
                Resort::Calls(calls) => are_sound(calls, pending),
            },
            Verdict::Refuse(_) => true,
        };
        if sound {
            verdict
        } else {
            let why = Unreadable::Text(lenient::Unreadable::NotAnObject);
            Verdict::Refuse(self.refusal(pending, Grounds::Unreadable(why)))
        }
    }

    fn refusal(&self, pending: &Pending, grounds: Grounds<'_>) -> Refusal {
        Refusal::new(&self.exchange.house.plan.rules.notices, &pending.call.name, grounds)
    }

    fn decide(&mut self, verdict: Verdict, pending: &Pending) -> Decision {
        match verdict {
            Verdict::Forward => {
                self.record(place(pending), Judged::Forwarded, &[]);
                Decision::Forward
            }
            Verdict::Rewrite(rewrite) => {
                self.record(place(pending), Judged::Rewritten, &rewrite.reasons);
                Decision::Replace(rewrite.calls.iter().map(new_call).collect())
            }
            Verdict::GiveUp(refusal) => {
                self.record(place(pending), Judged::GaveUp, &[refusal.reason, Reason::GaveUp]);
                resort(&refusal)
            }
            Verdict::Refuse(refusal) => {
                self.record(place(pending), Judged::Refused, &[refusal.reason]);
                let text = refusal.text.clone();
                self.refusals.push(refusal);
                Decision::Refuse(text)
            }
        }
    }

    /// Whether a refused call goes on all the same: the model insists and cannot be asked again.
    fn must_go_on(&self, refusal: &Refusal) -> bool {
        if !self.exchange.transcript.can_go_back() {
            return refusal.resort != Resort::Nothing;
        }
        refusal.may_go_on() && self.returns >= self.exchange.house.plan.rules.rounds
    }

    /// Records a verdict on a call, of which the place in the answer, the tool and the id are given.
    pub(super) fn record(&mut self, call: (usize, &str, &str), verdict: Judged, reasons: &[Reason]) {
        let (position, tool, id) = call;
        let account = &mut self.outlet.account;
        for reason in reasons {
            account.act(*reason);
        }
        account.note(Fact::Judged {
            round: account.rounds,
            position,
            tool: tool.to_owned(),
            call_id: id.to_owned(),
            verdict,
            reasons: reasons.to_vec(),
        });
    }
}

fn place(pending: &Pending) -> (usize, &str, &str) {
    (pending.position, &pending.call.name, &pending.call.id)
}

/// A call that can be read, as the model wrote it.
fn is_sound(pending: &Pending) -> bool {
    let call = &pending.call;
    let is_whole = match call.kind {
        CallKind::Custom => !pending.cut,
        CallKind::Function | CallKind::Legacy => shape(&call.arguments) == Shape::Object,
    };
    is_whole && !pending.too_large
}

/// Calls that can be read, in the place of what the model wrote.
fn are_sound(calls: &[Replacement], pending: &Pending) -> bool {
    let is_free = pending.call.kind == CallKind::Custom && !pending.cut;
    !calls.is_empty() && calls.iter().all(|call| is_free || shape(&call.arguments) == Shape::Object)
}

/// What of a refused call goes on in the end.
pub(super) fn resort(refusal: &Refusal) -> Decision {
    match &refusal.resort {
        Resort::Nothing => Decision::Refuse(refusal.text.clone()),
        Resort::AsWritten => Decision::Forward,
        Resort::Calls(calls) => Decision::Replace(calls.iter().map(new_call).collect()),
    }
}

fn new_call(call: &Replacement) -> NewCall {
    NewCall { name: call.name.clone(), arguments: call.arguments.clone() }
}
