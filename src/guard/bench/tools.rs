//! What is to be known of a tool, and the identity of calls.

use std::collections::HashMap;
use std::sync::Arc;

use crate::dialect::{Call, CallKind, Transcript};
use crate::guard::arguments::{self, Schema, Schemas};
use crate::guard::ledger::Key;
use crate::guard::names::Catalogue;
use crate::guard::rules::{Rules, ToolPolicy};
use crate::wire::canonical::digest;
use crate::wire::lenient::Reading;
use crate::wire::span::Json;

/// The tools of one exchange.
pub(super) struct Tools<'a> {
    pub(super) catalogue: Catalogue<'a>,
    transcript: &'a Transcript,
    rules: &'a Rules,
    schemas: &'a dyn Schemas,
    /// By name, offered or not.
    sheets: HashMap<String, Arc<Sheet<'a>>>,
    /// Tools whose schema counts in part or not at all, and why; until somebody asks.
    ignored: Vec<(String, String)>,
}

/// One tool: what the operator says of it, and what it accepts.
pub(super) struct Sheet<'a> {
    pub(super) policy: ToolPolicy<'a>,
    pub(super) schema: Arc<Schema>,
}

/// The schema of a tool that has none.
const ANY_OBJECT: &str = "{}";

// === impl Tools ===

impl<'a> Tools<'a> {
    pub(super) fn new(transcript: &'a Transcript, rules: &'a Rules, schemas: &'a dyn Schemas) -> Self {
        let catalogue = Catalogue::new(transcript, rules);
        Self { catalogue, transcript, rules, schemas, sheets: HashMap::new(), ignored: Vec::new() }
    }

    pub(super) fn sheet(&mut self, name: &str) -> Arc<Sheet<'a>> {
        if let Some(sheet) = self.sheets.get(name) {
            return Arc::clone(sheet);
        }
        let sheet = Arc::new(self.written(name));
        self.ignored.extend(sheet.schema.ignored().map(|why| (name.to_owned(), why)));
        self.sheets.insert(name.to_owned(), Arc::clone(&sheet));
        sheet
    }

    pub(super) fn take_ignored(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.ignored)
    }

    /// A call's identity, the same for all ways to write it. `None` where it cannot be read as one call.
    pub(super) fn key(&mut self, call: &Call<'_>) -> Option<Key> {
        let name = (call.kind != CallKind::Custom).then(|| self.catalogue.canonical(&call.name))?;
        let sheet = self.sheet(&name);
        let text = match arguments::read(&call.arguments, self.rules.calls.repair) {
            Reading::Exact => call.arguments.as_ref().to_owned(),
            Reading::Repaired { text, .. } => text,
            Reading::Nothing => ANY_OBJECT.to_owned(),
            Reading::Several { .. } | Reading::Truncated | Reading::Unreadable(_) => return None,
        };
        let prepared =
            arguments::prepare(&text, &sheet.policy.arguments, &sheet.schema, self.rules.calls.repair);
        Some(sheet.key(&name, &prepared.text))
    }

    fn written(&self, name: &str) -> Sheet<'a> {
        let policy = self.rules.policy(name);
        let tool = self.transcript.tool(name).filter(|tool| tool.kind != CallKind::Custom);
        let span = tool.and_then(|tool| tool.schema);
        let text = span.map_or(ANY_OBJECT, |span| self.transcript.json(span).text());
        let overlays: Vec<(&str, &str)> = policy
            .arguments
            .iter()
            .filter_map(|rule| Some((rule.at.as_str(), rule.schema.as_deref()?)))
            .collect();
        Sheet { schema: self.schemas.schema(text, &overlays), policy }
    }
}

// === impl Sheet ===

impl Sheet<'_> {
    /// The identity of a call whose arguments are ready to go on.
    pub(super) fn key(&self, name: &str, text: &str) -> Key {
        let digest = digest(Json::trusted(text.trim()), self.policy.ignore);
        Key { tool: name.to_owned(), digest }
    }
}
