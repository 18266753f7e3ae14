//! Judges calls that were read: one, or the parts of what was glued together.

use crate::dialect::{Call, CallKind};
use crate::guard::arguments;
use crate::guard::grounds::{Grounds, Unreadable};
use crate::guard::ledger::{Key, Ledger, Precedent, is_read_only};
use crate::guard::notice::Notice;
use crate::guard::rules::Treatment;
use crate::guard::{Reason, Refusal, Replacement, Resort, Rewrite, Verdict};

use super::Bench;

/// A call that was read.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The name that the model wrote.
    pub(super) written: String,
    /// The name that it means.
    pub(super) name: String,
    /// One JSON object.
    pub(super) text: String,
    /// Both are what the model wrote.
    pub(super) as_written: bool,
    /// What was done to read it.
    pub(super) steps: Vec<Reason>,
}

/// A part that goes on.
struct Passed {
    call: Replacement,
    steps: Vec<Reason>,
}

/// Calls that one is taken apart into at most. More is a model that has lost its way.
const PARTS: usize = 128;

impl Bench<'_> {
    /// Judges the parts that stand in the place of `call`. All go on or none: they have one id, and so get one
    /// answer.
    pub(super) fn weigh_parts(&mut self, call: &Call<'_>, parts: Vec<Part>) -> Result<Verdict, Refusal> {
        let parts_of_one = parts.len() > 1;
        let changed = self.changed;
        let mut passed = Vec::new();
        let mut refused: Vec<Refusal> = Vec::new();
        for part in parts.iter().take(PARTS) {
            match self.weigh_part(call, part) {
                Ok(part) => passed.push(part),
                Err(refusal) => refused.push(refusal),
            }
        }
        self.changed = changed;
        let one_at_a_time = !self.transcript.parallel || call.kind == CallKind::Legacy || parts.len() > PARTS;
        if parts_of_one && one_at_a_time && refused.iter().all(|refusal| refusal.reason != Reason::Denied) {
            return Err(self.unreadable(&call.name, Unreadable::Several));
        }
        // The reason that leaves least hope stands for all; of equals, the first.
        if let Some(mut refusal) = refused.into_iter().min_by_key(|refusal| hope(refusal.reason)) {
            if parts_of_one && refusal.resort != Resort::Nothing {
                refusal.key = None;
                refusal.resort = Resort::Calls(parts.into_iter().map(Part::into_call).collect());
            }
            return Err(refusal);
        }
        Ok(verdict(call, passed))
    }

    fn weigh_part(&mut self, call: &Call<'_>, part: &Part) -> Result<Passed, Refusal> {
        let sheet = self.tools.sheet(&part.name);
        self.allow(&part.written, &part.name, &part.text, CallKind::Function)?;
        let prepared =
            arguments::prepare(&part.text, &sheet.policy.arguments, &sheet.schema, self.rules.calls.repair);
        let key = || sheet.key(&part.name, &prepared.text);
        if prepared.text != part.text {
            self.allow(&part.written, &part.name, &prepared.text, CallKind::Function)?;
        }
        if !prepared.is_valid && self.rules.calls.invalid == Treatment::Refuse {
            let mut refusal = self.invalid(&part.name, &prepared.text, &sheet.schema);
            refusal.key = Some(key());
            refusal.resort = part.clone().into_resort();
            return Err(refusal);
        }
        let ready = Call {
            id: call.id.clone(),
            name: part.name.as_str().into(),
            arguments: prepared.text.as_ref().into(),
            kind: call.kind,
        };
        if let Some((precedent, key)) = self.precedent(&ready, &key, &sheet.policy) {
            let mut refusal = self.failed_before(&part.name, &precedent);
            refusal.key = Some(key);
            let unchanged = part.as_written && prepared.text == part.text;
            refusal.resort = Part { text: prepared.text.into_owned(), as_written: unchanged, ..part.clone() }
                .into_resort();
            return Err(refusal);
        }
        self.changed |= !is_read_only(&part.name, self.rules, &sheet.policy);
        let mut steps = part.steps.clone();
        steps.extend(prepared.steps);
        let call = Replacement { name: part.name.clone(), arguments: prepared.text.into_owned() };
        Ok(Passed { call, steps })
    }

    /// The earlier failure of an equivalent call, and the key they share.
    fn precedent(
        &mut self,
        call: &Call<'_>,
        key: &dyn Fn() -> Key,
        policy: &crate::guard::rules::ToolPolicy<'_>,
    ) -> Option<(Precedent, Key)> {
        if !self.rules.failures.refuse {
            return None;
        }
        if self.ledger.as_ref().is_some_and(Ledger::is_empty) {
            return None;
        }
        let key = key();
        // Most calls are made for the first time, and to say so is cheaper than to read what became of all others.
        if self.ledger.is_none() && !self.was_made(&key) {
            return None;
        }
        let tools = &mut self.tools;
        let ledger = self
            .ledger
            .get_or_insert_with(|| Ledger::fold(self.transcript, self.rules, &mut |call| tools.key(call)));
        ledger.precedent(&key, call, policy, self.changed).map(|precedent| (precedent, key))
    }

    /// Whether an equivalent call was made before.
    fn was_made(&mut self, key: &Key) -> bool {
        let (transcript, tools) = (self.transcript, &mut self.tools);
        // A name that is not offered may mean one that is.
        let mut named = |name: &str| name == key.tool || transcript.tool(name).is_none();
        let mut is = |call: &Call<'_>| tools.key(call).as_ref() == Some(key);
        Ledger::meets(transcript, self.rules, &mut named, &mut is)
    }

    fn failed_before(&self, name: &str, precedent: &Precedent) -> Refusal {
        let Precedent { signature, excerpt, terminal, .. } = precedent;
        let error = match (signature.as_str(), excerpt.as_str()) {
            ("failed", "") => self.rules.notices.text(Notice::ErrorUnsaid, &[]),
            (signature, "") => signature.to_owned(),
            // No more than the excerpt itself says.
            ("failed", excerpt) => format!("\"{excerpt}\""),
            (signature, excerpt) => format!("{signature}: \"{excerpt}\""),
        };
        let error = error.as_str();
        self.refusal(name, if *terminal { Grounds::Terminal { error } } else { Grounds::Repeated { error } })
    }
}

// === impl Part ===

impl Part {
    fn into_call(self) -> Replacement {
        Replacement { name: self.name, arguments: self.text }
    }

    fn into_resort(self) -> Resort {
        if self.as_written { Resort::AsWritten } else { Resort::Calls(vec![self.into_call()]) }
    }
}

/// How much a refusal leaves open; the least first.
fn hope(reason: Reason) -> u8 {
    match reason {
        Reason::Denied => 0,
        Reason::Repeated => 2,
        Reason::Invalid => 3,
        _ => 1,
    }
}

fn verdict(call: &Call<'_>, passed: Vec<Passed>) -> Verdict {
    if let [only] = passed.as_slice()
        && only.call.name == call.name
        && only.call.arguments == call.arguments
    {
        return Verdict::Forward;
    }
    let mut reasons = Vec::new();
    for step in passed.iter().flat_map(|passed| &passed.steps) {
        if !reasons.contains(step) {
            reasons.push(*step);
        }
    }
    Verdict::Rewrite(Rewrite { calls: passed.into_iter().map(|passed| passed.call).collect(), reasons })
}
