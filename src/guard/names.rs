//! Which offered tool a name means.
//!
//! A name is mended only where it can mean one offered tool. It is called unknown only where every tool that
//! the model can call is seen, and nothing in the history says that the name worked.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use crate::dialect::{Role, ToolChoice, Transcript};

use super::Rules;
use super::classify::{Outcome, classify};

/// What a called name is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Name {
    /// Offered as it stands, or the catalogue is open and nothing can be said.
    Known,
    /// Means exactly this offered tool.
    Repaired(String),
    /// Not offered. The nearest names, best first.
    Unknown { nearest: Vec<String> },
    /// `multi_tool_use.parallel`: a wrapper around several calls.
    Wrapper,
    /// There is nothing to call in this turn.
    NoTools,
}

/// The tools that can be called in one exchange.
#[derive(Debug)]
pub struct Catalogue<'a> {
    transcript: &'a Transcript,
    rules: &'a Rules,
    /// Names that are not offered and were answered without an error in this history; read when first needed.
    answered: OnceLock<HashSet<String>>,
}

/// What models put before a name.
const PREFIXES: [&str; 3] = ["functions.", "default_api.", "tool:"];

/// The name under which models glue several calls into one, folded.
const WRAPPER: &str = "multitooluseparallel";

/// Names told at most where one is unknown.
const NEAREST: usize = 3;

/// Likeness (Jaro-Winkler) from which a name helps. Names of one family share a beginning (`get_user`,
/// `get_users_by_id`); unrelated ones stay below.
const ALIKE: f64 = 0.8;

/// Characters of a name that are compared at most: the comparison is quadratic.
const COMPARED: usize = 128;

// === impl Catalogue ===

impl<'a> Catalogue<'a> {
    pub fn new(transcript: &'a Transcript, rules: &'a Rules) -> Self {
        Self { transcript, rules, answered: OnceLock::new() }
    }

    pub fn offers(&self, name: &str) -> bool {
        self.transcript.tool(name).is_some()
    }

    /// What `name` is, as a model wrote it.
    pub fn resolve(&self, name: &str) -> Name {
        if self.transcript.tool_choice == ToolChoice::None {
            return Name::NoTools;
        }
        if self.offers(name) || self.was_answered(name) {
            return Name::Known;
        }
        if self.rules.calls.repair {
            if let Some(meant) = self.meant(name) {
                return Name::Repaired(meant);
            }
            if is_wrapper(name) && !self.transcript.tools.is_empty() {
                return Name::Wrapper;
            }
        }
        if !self.transcript.closed {
            return Name::Known;
        }
        if self.transcript.tools.is_empty() {
            Name::NoTools
        } else {
            Name::Unknown { nearest: self.nearest(name) }
        }
    }

    /// The name that a call in the history counts under: what it means, where it means one tool.
    pub fn canonical(&self, name: &str) -> String {
        let mend = self.rules.calls.repair && !self.offers(name) && !self.was_answered(name);
        mend.then(|| self.meant(name)).flatten().unwrap_or_else(|| name.to_owned())
    }

    /// The one offered tool that `name` can mean, whether or not it is mended.
    pub fn meant(&self, name: &str) -> Option<String> {
        let bare = bare(name);
        if self.offers(bare) {
            return Some(bare.to_owned());
        }
        self.folded(name).or_else(|| self.folded(bare))
    }

    /// The one offered tool that differs from `name` in case and separators only.
    fn folded(&self, name: &str) -> Option<String> {
        let folded = fold(name);
        let mut alike = self.transcript.tools.iter().filter(|tool| fold(&tool.name) == folded);
        let found = alike.next().filter(|_| !folded.is_empty())?;
        alike.all(|other| other.name == found.name).then(|| found.name.clone())
    }

    /// The offered names most like `name`, best first; of equals the one offered first.
    fn nearest(&self, name: &str) -> Vec<String> {
        let wanted = comparable(bare(name));
        let mut ranked: Vec<(f64, &str)> = self
            .transcript
            .tools
            .iter()
            .map(|tool| (strsim::jaro_winkler(&wanted, &comparable(&tool.name)), tool.name.as_str()))
            .filter(|(likeness, _)| *likeness >= ALIKE)
            .collect();
        ranked.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        ranked.dedup_by(|(_, one), (_, other)| one == other);
        ranked.into_iter().take(NEAREST).map(|(_, name)| name.to_owned()).collect()
    }

    fn was_answered(&self, name: &str) -> bool {
        self.answered.get_or_init(|| self.read_answered()).contains(name)
    }

    /// One walk over the history: a result belongs to the nearest call before it with its id, for ids repeat.
    fn read_answered(&self) -> HashSet<String> {
        let mut open: HashMap<String, String> = HashMap::new();
        let mut answered = HashSet::new();
        for element in &self.transcript.elements {
            if element.role == Role::Assistant {
                let calls = self.transcript.calls(element).into_iter();
                open.extend(calls.map(|call| (call.id.into_owned(), call.name.into_owned())));
            }
            if element.role != Role::Tool {
                continue;
            }
            let name = match self.transcript.answers(element) {
                Some(id) => open.remove(id.as_ref()),
                None => self.transcript.result_name(element).map(Cow::into_owned),
            };
            let Some(name) = name.filter(|name| !self.offers(name) && !answered.contains(name)) else {
                continue;
            };
            let policy = self.rules.policy(&name);
            let content = self.transcript.content(element);
            let outcome = classify(&content, &policy, &self.rules.failures.marker);
            if !matches!(outcome, Outcome::Failure(_) | Outcome::Unknown) {
                answered.insert(name);
            }
        }
        answered
    }
}

/// A name without what models write around it: a prefix, and all from a leaked control token on.
pub fn bare(name: &str) -> &str {
    let name = name.split("<|").next().unwrap_or_default().trim();
    PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// Whether a name stands for several calls.
pub fn is_wrapper(name: &str) -> bool {
    fold(bare(name)) == WRAPPER
}

/// A name without case and separators.
fn fold(name: &str) -> String {
    name.chars().filter(|c| !matches!(c, '-' | '_' | '.' | ' ')).flat_map(char::to_lowercase).collect()
}

fn comparable(name: &str) -> String {
    fold(name).chars().take(COMPARED).collect()
}
