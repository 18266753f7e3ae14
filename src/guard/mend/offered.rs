//! Which names may stand in a history.

use std::collections::HashSet;

use crate::dialect::Transcript;

/// The names that the provider was offered, legal or not: it knows them.
pub(super) struct Offered<'t> {
    transcript: &'t Transcript,
    names: HashSet<&'t str>,
}

impl<'t> Offered<'t> {
    pub(super) fn of(transcript: &'t Transcript) -> Self {
        let names = transcript.tools.iter().map(|tool| tool.name.as_str()).collect();
        Self { transcript, names }
    }

    /// What a tool is called instead; `None` where its name may stand. A name that the API does not allow came from
    /// the model, but where not all tools are seen, or none are, it may be one of those.
    pub(super) fn instead(&self, name: &str) -> Option<String> {
        let is_unseen = !self.transcript.closed || self.names.is_empty();
        let is_known = is_unseen || self.names.contains(name);
        if is_known { None } else { self.transcript.dialect().legal_name(name) }
    }
}
