//! What becomes of the calls in an answer.

use bytes::Bytes;

use super::account::Judged;
use crate::config::Plan;
use crate::dialect::{Answer, Decision, NewCall, Pending, Transcript};
use crate::guard::arguments::Uncached;
use crate::guard::bench::Circumstances;
use crate::guard::{Bench, Reason, Replacement, Verdict};
use crate::wire::form::{Beginning, Form};
use crate::wire::sse::{Frame, Framer};

/// Judges the calls of an answer, JSON or a stream of events, one after the other.
pub(super) fn judged(transcript: &Transcript, plan: &Plan, body: Bytes) -> Result<Vec<Judged>, String> {
    let mut answer = Answer::new(transcript, plan.listen.max_held);
    let mut bench = Bench::new(transcript, &plan.rules, &Uncached);
    let mut calls = Vec::new();
    let mut judge = |answer: &mut Answer| {
        while let Some(pending) = answer.next_call() {
            let circumstances = Circumstances { cut: pending.cut, too_large: pending.too_large };
            let (told, decision) = decided(&pending, bench.judge(&pending.call, circumstances));
            calls.push(told);
            answer.decide(pending.position, decision);
        }
    };
    let unreadable = |why: &dyn std::fmt::Display| format!("it is no answer that can be read: {why}");
    let form = Beginning::default().push(&body);
    if form == Some(Form::Stream) {
        let mut framer = Framer::new(body.len() + 1);
        framer.push(body);
        loop {
            let frame = framer.next_frame().map_err(|why| unreadable(&why))?;
            let Some(frame) = frame.or_else(|| framer.finish()) else { break };
            answer.push(frame, false).map_err(|why| unreadable(&why))?;
            judge(&mut answer);
        }
        answer.end(&mut Vec::new()).map_err(|why| unreadable(&why))?;
        judge(&mut answer);
    } else if form != Some(Form::Whole) {
        return Err("it is neither JSON nor a stream of events".to_owned());
    } else {
        answer.push(Frame::of_whole(body), true).map_err(|why| unreadable(&why))?;
        judge(&mut answer);
    }
    Ok(calls)
}

fn decided(pending: &Pending, verdict: Verdict) -> (Judged, Decision) {
    let call = &pending.call;
    let mut told = Judged {
        id: call.id.to_string(),
        tool: call.name.to_string(),
        arguments: call.arguments.to_string(),
        verdict: "forwarded",
        reasons: Vec::new(),
        becomes: Vec::new(),
        told: None,
    };
    let decision = match verdict {
        Verdict::Forward => Decision::Forward,
        Verdict::Rewrite(rewrite) => {
            told.verdict = "rewritten";
            told.reasons = rewrite.reasons.iter().map(|reason| reason.code()).collect();
            told.becomes =
                rewrite.calls.iter().map(|call| (call.name.clone(), call.arguments.clone())).collect();
            Decision::Replace(rewrite.calls.into_iter().map(new_call).collect())
        }
        Verdict::Refuse(refusal) => {
            told.verdict = "refused";
            told.reasons = vec![refusal.reason.code()];
            told.told = Some(refusal.text.clone());
            Decision::Refuse(refusal.text)
        }
        Verdict::GiveUp(refusal) => {
            told.verdict = "gave_up";
            told.reasons = vec![refusal.reason.code(), Reason::GaveUp.code()];
            Decision::Forward
        }
    };
    (told, decision)
}

fn new_call(call: Replacement) -> NewCall {
    NewCall { name: call.name, arguments: call.arguments }
}
