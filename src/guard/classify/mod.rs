//! What became of a call, told from its result.
//!
//! Results come wrapped, and errors come in every form, so the wrappers are taken off first (`layer`); then the
//! operator's rules speak, then a marker, then what a JSON object says outright (`facts`), then what a text
//! begins with (`phrase`). That a text merely *contains* "error" says nothing. A failure called a success costs
//! one repeat; a success called a failure may cost an agent its way, so in doubt it is a success.

mod facts;
mod layer;
mod marker;
mod phrase;
mod python;
mod quote;
mod said;

pub(in crate::guard) use layer::{DEPTH, wrapped};
pub(in crate::guard) use marker::{marks, may_hold};
pub(in crate::guard) use python::to_json;
pub use said::said;

use std::borrow::Cow;

use super::rules::{ResultClass, ResultRule, ToolPolicy};
use crate::wire::span::Json;
use facts::Facts;
use layer::Layer;

/// What a result says happened. The proxy's own texts say nothing: [`Outcome::Unknown`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Success,
    Failure(Failure),
    /// It may work the next time: time-outs, conflicts, rate limits, 5xx.
    Transient,
    /// An interrupt or approval.
    Control,
    /// Not the tool's word but ours. [`classify`] never says this: it does not know our texts.
    Unknown,
}

/// A failure that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// `http_<status>[:<code>]`, a marker's string, or `failed`.
    pub signature: String,
    /// A short piece of the error, to quote: one line of at most 200 characters.
    pub excerpt: String,
    /// It outlives changes of the world.
    pub terminal: bool,
    /// It is terminal only because the text complains of the arguments. Where a tool reports on something else,
    /// on a file that it checks, say, the complaint is about that.
    pub arguments: bool,
    /// What a rule called it, where one did.
    pub class: Option<ResultClass>,
}

/// Classes the text of a tool result. `marker` is the pointer of [`super::rules::FailureRules::marker`].
pub fn classify(text: &str, policy: &ToolPolicy<'_>, marker: &str) -> Outcome {
    classify_parts(text, &[], policy, marker)
}

/// Classes a result that comes in several texts, laid together in `text`. A marker counts in each of them, as it is
/// taken out of each.
pub fn classify_parts(text: &str, parts: &[Cow<'_, str>], policy: &ToolPolicy<'_>, marker: &str) -> Outcome {
    let result = Examined::new(text);
    if let Some(class) = result.class(policy) {
        return result.ruled(class);
    }
    let in_parts = || {
        let held = parts.iter().filter(|part| !marker.is_empty() && may_hold(part.as_bytes(), marker));
        held.map(|part| Examined::new(part)).find_map(|part| part.marker(marker))
    };
    if let Some(signature) = result.marker(marker).or_else(in_parts) {
        let failure = result.failure();
        return Outcome::Failure(Failure { signature, terminal: true, arguments: false, ..failure });
    }
    result.told()
}

/// What the operator's rules call the text of a tool result, if one of them meets it.
pub fn class(text: &str, policy: &ToolPolicy<'_>) -> Option<ResultClass> {
    if policy.results.is_empty() { None } else { Examined::new(text).class(policy) }
}

/// A result without its wrappers.
struct Examined<'a> {
    /// Outermost first; never empty.
    layers: Vec<Layer<'a>>,
    /// What the layers say, laid together: an outer one goes before an inner one.
    facts: Facts,
}

// === impl Examined ===

impl<'a> Examined<'a> {
    fn new(text: &'a str) -> Self {
        let layers = layer::peel(text);
        let mut facts = Facts::default();
        for layer in &layers {
            facts.add(layer);
        }
        Self { layers, facts }
    }

    /// The innermost text, where that is not JSON.
    fn text(&self) -> Option<&str> {
        self.layers.last().filter(|layer| layer.is_text()).map(Layer::text)
    }

    fn class(&self, policy: &ToolPolicy<'_>) -> Option<ResultClass> {
        policy.results.iter().find(|rule| self.meets(rule)).map(|rule| rule.class)
    }

    fn meets(&self, rule: &ResultRule) -> bool {
        let when = &rule.when;
        let status = self.facts.status;
        let in_ranges = |status: u16| when.status.iter().any(|(low, high)| (*low..=*high).contains(&status));
        (when.status.is_empty() || status.is_some_and(in_ranges))
            && !status.is_some_and(|status| when.except.contains(&status))
            && when.matches.as_ref().is_none_or(|pattern| self.matches(pattern))
            && when.pointer.as_ref().is_none_or(|pointer| self.values_at(pointer).any(facts::says_something))
    }

    fn matches(&self, pattern: &regex::Regex) -> bool {
        let message = self.facts.message.as_deref();
        message.is_some_and(|message| pattern.is_match(message))
            || self.layers.iter().any(|layer| layer.matches(pattern))
    }

    fn values_at<'s>(&'s self, pointer: &'s str) -> impl Iterator<Item = Json<'s>> {
        self.layers.iter().filter_map(Layer::json).filter_map(move |json| json.pointer(pointer))
    }

    fn ruled(&self, class: ResultClass) -> Outcome {
        match class {
            ResultClass::Success => Outcome::Success,
            ResultClass::Transient => Outcome::Transient,
            ResultClass::Control => Outcome::Control,
            ResultClass::Correctable | ResultClass::Failed | ResultClass::Terminal => {
                let terminal = class == ResultClass::Terminal;
                Outcome::Failure(Failure { terminal, arguments: false, class: Some(class), ..self.failure() })
            }
        }
    }

    /// The first string at the marker's pointer that is not empty, in the layers or in what else the wrappers hold.
    fn marker(&self, pointer: &str) -> Option<String> {
        if pointer.is_empty() {
            return None;
        }
        let beside = || marker::within(self.layers.first()?, pointer);
        self.values_at(pointer).find_map(marks).or_else(beside)
    }

    /// What the result says where neither a rule nor a marker speaks.
    fn told(&self) -> Outcome {
        let text = self.text().unwrap_or_default();
        if self.facts.failed {
            let message = self.facts.message.as_deref().unwrap_or(text);
            let transient = phrase::is_transient(message, self.facts.status);
            return if transient { Outcome::Transient } else { Outcome::Failure(self.failure()) };
        }
        match () {
            () if self.facts.succeeded => Outcome::Success,
            () if phrase::interrupts(text) => Outcome::Control,
            () if phrase::begins_transient(text) => Outcome::Transient,
            () => Outcome::Success,
        }
    }

    fn failure(&self) -> Failure {
        let text = self.text().unwrap_or_else(|| self.layers.last().map_or("", Layer::text));
        let excerpt = match &self.facts.message {
            Some(message) => quote::line(message),
            None => quote::error(text),
        };
        let complaint = self.facts.message.as_deref().unwrap_or(text);
        let arguments = self.facts.invalid_parameters || phrase::complains_of_arguments(complaint);
        Failure { signature: self.facts.signature(), excerpt, terminal: arguments, arguments, class: None }
    }
}

#[cfg(test)]
pub(in crate::guard) mod tests;
