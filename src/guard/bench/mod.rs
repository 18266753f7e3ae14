//! Judges the calls of one exchange.
//!
//! What a call goes through, in this order: is it forbidden, is it whole, is its tool known, can it be read,
//! and then for each call that was read: normalise, coerce, validate, is it forbidden now, has an equivalent
//! one failed. `glued` takes apart what stands for several calls, `part` judges what was read, `tools` knows
//! what is to be known of a tool.

mod glued;
mod part;
#[cfg(test)]
mod tests;
mod tools;

use crate::dialect::{Call, CallKind, ToolChoice, Transcript};
use crate::wire::lenient::{Reading, Shape, shape};

use super::arguments::{self, Schemas};
use super::grounds::{Grounds, Unreadable};
use super::ledger::{Key, Ledger, is_read_only};
use super::names::Name;
use super::notice::{NAME, Notice, excerpt};
use super::policy;
use super::rules::Treatment;
use super::{Reason, Refusal, Replacement, Resort, Rewrite, Rules, Verdict};
use part::Part;
use tools::Tools;

/// What is needed to judge the calls of one exchange.
pub struct Bench<'a> {
    transcript: &'a Transcript,
    rules: &'a Rules,
    tools: Tools<'a>,
    /// Folded when the first call gets so far: most exchanges have none.
    ledger: Option<Ledger>,
    /// A forwarded call of this answer may have changed the world.
    changed: bool,
    /// What was refused in the answers just before this one, once for each refusal.
    refused_before: Vec<Key>,
}

/// What is known of a call besides its text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Circumstances {
    /// The answer ended at the output limit with this call open.
    pub cut: bool,
    /// It grew past what may be held.
    pub too_large: bool,
}

/// Names told where none is near.
const NAMES: usize = 20;

// === impl Bench ===

impl<'a> Bench<'a> {
    pub fn new(transcript: &'a Transcript, rules: &'a Rules, schemas: &'a dyn Schemas) -> Self {
        Self {
            transcript,
            rules,
            tools: Tools::new(transcript, rules, schemas),
            ledger: None,
            changed: false,
            refused_before: Vec::new(),
        }
    }

    /// Remembers what was refused beside forwarded siblings in the answers just before this exchange. A call
    /// refused as often as an exchange may go back is let go: a wrong refusal must not lock an agent.
    #[must_use]
    pub fn with_refused_before(mut self, keys: Vec<Key>) -> Self {
        self.refused_before = keys;
        self
    }

    /// Begins a new answer: what its siblings may have changed is forgotten.
    pub fn next_answer(&mut self) {
        self.changed = false;
    }

    /// A call's identity, as the ledger takes it: for whoever folds a ledger of their own.
    pub fn key(&mut self, call: &Call<'_>) -> Option<Key> {
        self.tools.key(call)
    }

    /// The tools met since this was last asked whose schema counts in part or not at all, and why.
    pub fn take_ignored(&mut self) -> Vec<(String, String)> {
        self.tools.take_ignored()
    }

    /// Judges the next call of the answer.
    pub fn judge(&mut self, call: &Call<'_>, circumstances: Circumstances) -> Verdict {
        let verdict = match self.weigh(call, circumstances) {
            Ok(verdict) => verdict,
            Err(refusal) if self.insists(&refusal) => Verdict::GiveUp(refusal),
            Err(refusal) => Verdict::Refuse(refusal),
        };
        if !matches!(verdict, Verdict::Refuse(_)) {
            self.note_changes(call, &verdict);
        }
        verdict
    }

    /// A call of this answer goes out that was not judged: it may change the world as others do.
    pub fn goes_out_unjudged(&mut self, call: &Call<'_>) {
        self.note_changes(call, &Verdict::Forward);
    }

    /// What a rule forbids of a call, told by its name and text alone. This is what is left to ask where judging
    /// it has failed: a bug must not let through what is forbidden.
    pub fn forbidden(&self, call: &Call<'_>) -> Option<Refusal> {
        self.allow_all(call, &call.name).err()
    }

    fn weigh(&mut self, call: &Call<'_>, circumstances: Circumstances) -> Result<Verdict, Refusal> {
        let name = self.tools.catalogue.resolve(&call.name);
        let meant = match &name {
            Name::Repaired(meant) => meant.clone(),
            _ => call.name.clone().into_owned(),
        };
        self.allow_all(call, &meant)?;
        if circumstances.too_large {
            return Err(self.refusal(&call.name, Grounds::TooLarge));
        }
        if call.kind == CallKind::Custom {
            return self.weigh_custom(call, circumstances, name, meant);
        }
        let reading = arguments::read(&call.arguments, self.rules.calls.repair);
        if is_cut(&call.arguments, &reading, circumstances) {
            return Err(self.refusal(&call.name, Grounds::Truncated));
        }
        if name == Name::Wrapper {
            return self.weigh_wrapper(call, reading);
        }
        self.offered(call, &name)?;
        self.weigh_function(call, meant, reading)
    }

    /// One call, or several of the same tool glued together.
    fn weigh_function(
        &mut self,
        call: &Call<'_>,
        meant: String,
        reading: Reading,
    ) -> Result<Verdict, Refusal> {
        let mut steps = Vec::new();
        if meant != call.name {
            steps.push(Reason::NameRepaired);
        }
        let part = |text, as_written, steps: &[Reason]| Part {
            written: call.name.clone().into_owned(),
            name: meant.clone(),
            text,
            as_written,
            steps: steps.to_vec(),
        };
        let parts = match reading {
            Reading::Exact => {
                let as_written = meant == call.name;
                vec![part(call.arguments.clone().into_owned(), as_written, &steps)]
            }
            Reading::Repaired { text, .. } => {
                steps.push(Reason::ArgumentsRepaired);
                vec![part(text, false, &steps)]
            }
            Reading::Nothing => {
                steps.push(Reason::ArgumentsRepaired);
                return self.weigh_nothing(call, part("{}".to_owned(), false, &steps));
            }
            Reading::Several { texts } => {
                steps.push(Reason::CallsSplit);
                texts.into_iter().map(|text| part(text, false, &steps)).collect()
            }
            Reading::Truncated => return Err(self.refusal(&call.name, Grounds::Truncated)),
            Reading::Unreadable(why) => return Err(self.unreadable(&call.name, why.into())),
        };
        self.weigh_parts(call, parts)
    }

    /// No arguments at all: right for a tool that needs none, and where invalid calls go on. Others are told what is
    /// missing, but there is nothing here that could go on in the end.
    fn weigh_nothing(&mut self, call: &Call<'_>, part: Part) -> Result<Verdict, Refusal> {
        let sheet = self.tools.sheet(&part.name);
        let prepared = arguments::prepare(&part.text, &[], &sheet.schema, false);
        if prepared.is_valid || self.rules.calls.invalid == Treatment::Forward {
            return self.weigh_parts(call, vec![part]);
        }
        let told = self.invalid(&part.name, &prepared.text, &sheet.schema);
        let key = Some(sheet.key(&part.name, &part.text));
        Err(Refusal { reason: Reason::Unreadable, key, ..told })
    }

    /// Free text: its tool must be known, and it must be whole and allowed.
    fn weigh_custom(
        &mut self,
        call: &Call<'_>,
        circumstances: Circumstances,
        name: Name,
        meant: String,
    ) -> Result<Verdict, Refusal> {
        if circumstances.cut {
            return Err(self.refusal(&call.name, Grounds::Truncated));
        }
        let name = match name {
            Name::Wrapper => Name::Unknown { nearest: Vec::new() },
            name => name,
        };
        self.offered(call, &name)?;
        if meant == call.name {
            return Ok(Verdict::Forward);
        }
        let calls = vec![Replacement { name: meant, arguments: call.arguments.clone().into_owned() }];
        Ok(Verdict::Rewrite(Rewrite { calls, reasons: vec![Reason::NameRepaired] }))
    }

    /// Refuses a call that no tool is there for.
    fn offered(&self, call: &Call<'_>, name: &Name) -> Result<(), Refusal> {
        let forbidden = self.transcript.tool_choice == ToolChoice::None;
        match name {
            Name::NoTools if forbidden || self.rules.calls.unknown_tool == Treatment::Refuse => {
                Err(self.refusal(&call.name, Grounds::NoTools))
            }
            Name::Unknown { nearest } if self.rules.calls.unknown_tool == Treatment::Refuse => {
                Err(self.unknown(&call.name, nearest))
            }
            _ => Ok(()),
        }
    }

    /// Refuses what a rule forbids of a call, or of one that it lists.
    fn allow_all(&self, call: &Call<'_>, meant: &str) -> Result<(), Refusal> {
        self.allow(&call.name, meant, &call.arguments, call.kind)?;
        self.allow_listed(&call.name, &call.arguments)
    }

    /// Refuses what a rule forbids, under the name written, the name without what models put around it, the name
    /// meant, and the tool that an agent could take it for though it is not mended here.
    fn allow(&self, written: &str, meant: &str, text: &str, kind: CallKind) -> Result<(), Refusal> {
        let alike = Some(written).filter(|written| !self.tools.catalogue.offers(written));
        let alike = alike.and_then(|written| self.tools.catalogue.meant(written));
        let mut names = vec![written, super::names::bare(written), meant];
        names.extend(alike.as_deref());
        names.dedup();
        for name in names {
            let deny = self.rules.policy(name).deny;
            let rule = match kind {
                CallKind::Custom => policy::denied_input(text, &deny),
                CallKind::Function | CallKind::Legacy => policy::denied(text, &deny),
            };
            if let Some(rule) = rule {
                return Err(self.refusal(meant, Grounds::Denied { reason: &rule.reason }));
            }
        }
        Ok(())
    }

    /// The model makes the same refused call answer after answer.
    fn insists(&self, refusal: &Refusal) -> bool {
        let may = matches!(refusal.reason, Reason::Invalid | Reason::Repeated);
        let times = self.refused_before.iter().filter(|key| Some(*key) == refusal.key.as_ref()).count();
        may && refusal.resort != Resort::Nothing && times >= self.rules.rounds.max(1) as usize
    }

    fn note_changes(&mut self, call: &Call<'_>, verdict: &Verdict) {
        let calls = match verdict {
            Verdict::Rewrite(Rewrite { calls, .. })
            | Verdict::GiveUp(Refusal { resort: Resort::Calls(calls), .. }) => calls.as_slice(),
            _ => &[],
        };
        let names = calls.iter().map(|call| call.name.as_str());
        let written = Some(call.name.as_ref()).filter(|_| calls.is_empty());
        let changes = |name: &str| !is_read_only(name, self.rules, &self.rules.policy(name));
        self.changed |= names.chain(written).any(changes);
    }

    fn unknown(&self, name: &str, nearest: &[String]) -> Refusal {
        let offered = self.transcript.tools.iter().map(|tool| tool.name.as_str());
        let named = |name: &str| excerpt(name, NAME).into_owned();
        let names: Vec<String> = match nearest {
            [] => offered.take(NAMES).map(named).collect(),
            nearest => nearest.iter().map(|name| named(name)).collect(),
        };
        let notices = &self.rules.notices;
        let more = self.transcript.tools.len().saturating_sub(names.len());
        let mut names = notices.joined(Notice::ListNext, names);
        if nearest.is_empty() && more > 0 {
            names = notices.text(Notice::ListMore, &[("list", &names), ("count", &more.to_string())]);
        }
        self.refusal(name, Grounds::UnknownTool { names: &names })
    }

    fn invalid(&self, name: &str, text: &str, schema: &arguments::Schema) -> Refusal {
        let problems = arguments::problems(text, schema, &self.rules.notices);
        self.refusal(name, Grounds::Invalid { problems: &problems })
    }

    fn unreadable(&self, name: &str, why: Unreadable) -> Refusal {
        self.refusal(name, Grounds::Unreadable(why))
    }

    fn refusal(&self, name: &str, grounds: Grounds<'_>) -> Refusal {
        Refusal::new(&self.rules.notices, name, grounds)
    }
}

/// The text decides; only where it says nothing does the answer's end.
fn is_cut(text: &str, reading: &Reading, circumstances: Circumstances) -> bool {
    match reading {
        Reading::Truncated => true,
        Reading::Nothing => circumstances.cut && shape(text) == Shape::Empty,
        Reading::Unreadable(_) => circumstances.cut,
        Reading::Exact | Reading::Repaired { .. } | Reading::Several { .. } => false,
    }
}
