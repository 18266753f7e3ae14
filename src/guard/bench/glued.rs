//! Takes `multi_tool_use.parallel` apart: one call whose arguments list several.

use std::borrow::Cow;

use crate::dialect::{Call, CallKind};
use crate::guard::grounds::Unreadable;
use crate::guard::names::{Name, is_wrapper};
use crate::guard::rules::Treatment;
use crate::guard::{Reason, Refusal, Verdict};
use crate::wire::lenient::{self, Reading, Shape};
use crate::wire::span::{Json, Kind};

use super::Bench;
use super::part::Part;

/// One listed call.
struct Use<'t> {
    recipient: Cow<'t, str>,
    /// One JSON object.
    parameters: Cow<'t, str>,
    repaired: bool,
}

impl Bench<'_> {
    /// Every recipient must be offered: no call is made up of a name that an agent may not know.
    pub(super) fn weigh_wrapper(&mut self, call: &Call<'_>, reading: Reading) -> Result<Verdict, Refusal> {
        let text = match &reading {
            Reading::Exact => call.arguments.as_ref(),
            Reading::Repaired { text, .. } => text.as_str(),
            Reading::Unreadable(why) => return Err(self.unreadable(&call.name, (*why).into())),
            Reading::Several { .. } | Reading::Nothing | Reading::Truncated => {
                return Err(self.unreadable(&call.name, Unreadable::List));
            }
        };
        let Some(uses) = uses(text) else { return Err(self.unreadable(&call.name, Unreadable::List)) };
        let resolved: Vec<Name> = uses.iter().map(|one| self.recipient(&one.recipient)).collect();
        for (one, name) in uses.iter().zip(&resolved) {
            let meant = meant(one, name);
            self.allow(&one.recipient, meant, &one.parameters, CallKind::Function)?;
        }
        let unknown = uses.iter().zip(&resolved).find_map(|(one, name)| match name {
            Name::Unknown { nearest } => Some((one, nearest)),
            _ => None,
        });
        if let Some((one, nearest)) = unknown {
            return if self.rules.calls.unknown_tool == Treatment::Refuse {
                Err(self.unknown(&one.recipient, nearest))
            } else {
                self.weigh_function(call, call.name.clone().into_owned(), reading.clone())
            };
        }
        let parts = uses.iter().zip(&resolved).map(|(one, name)| part(one, name)).collect();
        self.weigh_parts(call, parts)
    }

    /// Refuses a wrapper that lists a call which a rule forbids.
    pub(super) fn allow_listed(&self, name: &str, text: &str) -> Result<(), Refusal> {
        let is_list = is_wrapper(name) && lenient::shape(text) == Shape::Object;
        for one in Some(text).filter(|_| is_list).and_then(uses).unwrap_or_default() {
            let meant = self.tools.catalogue.meant(&one.recipient);
            let meant = meant.as_deref().unwrap_or(&one.recipient);
            self.allow(&one.recipient, meant, &one.parameters, CallKind::Function)?;
        }
        Ok(())
    }

    /// An offered tool, or unknown.
    fn recipient(&self, written: &str) -> Name {
        let takes_object =
            |name: &str| self.transcript.tool(name).is_some_and(|tool| tool.kind != CallKind::Custom);
        match self.tools.catalogue.resolve(written) {
            Name::Known if takes_object(written) => Name::Known,
            Name::Repaired(name) if takes_object(&name) => Name::Repaired(name),
            Name::Unknown { nearest } => Name::Unknown { nearest },
            _ => Name::Unknown { nearest: Vec::new() },
        }
    }
}

fn part(one: &Use<'_>, name: &Name) -> Part {
    let meant = meant(one, name);
    let mut steps = vec![Reason::CallsExpanded];
    if crate::guard::names::bare(&one.recipient) != meant {
        steps.push(Reason::NameRepaired);
    }
    if one.repaired {
        steps.push(Reason::ArgumentsRepaired);
    }
    Part {
        written: one.recipient.clone().into_owned(),
        name: meant.to_owned(),
        text: one.parameters.clone().into_owned(),
        as_written: false,
        steps,
    }
}

fn meant<'n>(one: &'n Use<'_>, name: &'n Name) -> &'n str {
    match name {
        Name::Repaired(name) => name,
        _ => &one.recipient,
    }
}

/// The calls that a wrapper's arguments list; `None` where they do not.
fn uses(text: &str) -> Option<Vec<Use<'_>>> {
    let list = Json::trusted(text.trim()).member("tool_uses")?;
    let uses: Vec<Use<'_>> = list.elements().map(one).collect::<Option<_>>()?;
    (!uses.is_empty()).then_some(uses)
}

fn one(value: Json<'_>) -> Option<Use<'_>> {
    let recipient = value.member("recipient_name")?.string()?;
    let (parameters, repaired) = match value.member("parameters") {
        None => (Cow::Borrowed("{}"), false),
        Some(object) if object.kind() == Kind::Object => (Cow::Borrowed(object.text()), false),
        Some(other) => {
            // Written as a string, as arguments are elsewhere.
            let inner = other.string()?;
            match lenient::read(&inner) {
                Reading::Exact => (inner, true),
                Reading::Repaired { text, .. } => (Cow::Owned(text), true),
                _ => return None,
            }
        }
    };
    Some(Use { recipient, parameters, repaired })
}
