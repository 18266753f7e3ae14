//! What the operator has the model told besides what the agent tells it: constraints at the head of the history,
//! more words for tools, and stricter schemas.
//!
//! It depends on nothing but the configuration, the tools offered, the model, and where the request goes: so a
//! conversation is told the same in each of its requests, at the same place. Requests that offer no tools are left
//! alone. Nobody but the model reads any of it: calls are judged by the agent's own schema and the operator's.

mod merge;
mod overlay;
#[cfg(test)]
mod tests;

use globset::GlobSet;

use crate::dialect::{Tool, Transcript};
use crate::wire::splice::Splices;

use super::{Reason, Rules};

pub use overlay::Overlay;

/// All that is added to what models are told.
#[derive(Clone, Debug, Default)]
pub struct Additions {
    /// In the order written, which is the order told.
    pub constraints: Vec<Constraint>,
    /// In the order written: of words the later win, schemas add up.
    pub tools: Vec<ToolAddition>,
}

/// One `[[constraint]]`. All that is given must hold.
#[derive(Clone, Debug, Default)]
pub struct Constraint {
    /// One of the tools offered has to match.
    pub tools: Option<GlobSet>,
    pub models: Option<GlobSet>,
    pub upstreams: Option<GlobSet>,
    /// Not empty, and without white space around it.
    pub text: String,
}

/// What one `[[tool]]` block adds.
#[derive(Clone, Debug, Default)]
pub struct ToolAddition {
    pub names: GlobSet,
    /// Not empty, and without white space around it.
    pub describe: Option<String>,
    pub overlays: Vec<Overlay>,
}

/// Adds to a request that goes to `upstream` what its model is to be told. What was done: once for the
/// constraints, and once for each tool.
pub fn constrain(transcript: &Transcript, rules: &Rules, upstream: &str, edits: &mut Splices) -> Vec<Reason> {
    let additions = &rules.additions;
    let mut done = Vec::new();
    if additions.is_empty() || !transcript.offers_tools() {
        return done;
    }
    let texts = additions.texts(transcript, upstream);
    if !texts.is_empty() && transcript.instruct(&texts, edits) {
        done.push(Reason::Constrained);
    }
    if !additions.tools.is_empty() {
        let told = transcript.tools.iter().filter(|tool| additions.tell(transcript, tool, edits));
        done.extend(told.map(|_| Reason::Described));
    }
    done
}

// === impl Additions ===

impl Additions {
    pub fn is_empty(&self) -> bool {
        self.constraints.is_empty() && self.tools.is_empty()
    }

    fn texts(&self, transcript: &Transcript, upstream: &str) -> Vec<&str> {
        let model = transcript.model();
        let applies = |constraint: &&Constraint| constraint.applies(transcript, model.as_deref(), upstream);
        self.constraints.iter().filter(applies).map(|constraint| constraint.text.as_str()).collect()
    }

    /// Tells of one tool; whether that changed anything.
    fn tell(&self, transcript: &Transcript, tool: &Tool, edits: &mut Splices) -> bool {
        let meant = || self.tools.iter().filter(|addition| addition.names.is_match(&tool.name));
        let words = meant().filter_map(|addition| addition.describe.as_deref()).next_back();
        let described = words.is_some_and(|words| transcript.describe(tool, words, edits));
        // A schema that the provider compiles may hold few keywords, and which ones differs by model: one too many
        // and every request fails.
        let Some(schema) = tool.schema.filter(|_| !transcript.is_strict(tool)) else { return described };
        let overlays: Vec<&Overlay> = meant().flat_map(|addition| &addition.overlays).collect();
        merge::lay(transcript.json(schema), schema.start, &overlays, edits) || described
    }
}

// === impl Constraint ===

impl Constraint {
    fn applies(&self, transcript: &Transcript, model: Option<&str>, upstream: &str) -> bool {
        let tools = |globs: &GlobSet| transcript.tools.iter().any(|tool| globs.is_match(&tool.name));
        let models = |globs: &GlobSet| model.is_some_and(|model| globs.is_match(model));
        self.upstreams.as_ref().is_none_or(|globs| globs.is_match(upstream))
            && self.models.as_ref().is_none_or(models)
            && self.tools.as_ref().is_none_or(tools)
    }
}

// === impl ToolAddition ===

impl ToolAddition {
    pub fn is_empty(&self) -> bool {
        self.describe.is_none() && self.overlays.is_empty()
    }
}
