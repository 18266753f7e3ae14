//! Compiled schemas, kept by the hash of what they were compiled from.

use std::sync::Arc;

use quick_cache::sync::Cache;

use crate::guard::arguments::{Schema, Schemas};
use crate::wire::canonical::Chain;

/// Schemas of all tools seen lately.
pub(crate) struct CompiledSchemas {
    cache: Cache<u128, Arc<Schema>>,
    key: [u8; 16],
}

/// Agents offer some tens of tools; this is for many agents.
const CAPACITY: usize = 4096;

impl CompiledSchemas {
    pub(crate) fn new() -> Self {
        Self { cache: Cache::new(CAPACITY), key: [0; 16] }
    }
}

impl Schemas for CompiledSchemas {
    fn schema(&self, text: &str, overlays: &[(&str, &str)]) -> Arc<Schema> {
        let mut chain = Chain::new(self.key);
        chain.link(text.as_bytes());
        for (at, overlay) in overlays {
            chain.link(at.as_bytes());
            chain.link(overlay.as_bytes());
        }
        let compile = || Ok::<_, std::convert::Infallible>(Arc::new(Schema::compile(text, overlays)));
        match self.cache.get_or_insert_with(&chain.value(), compile) {
            Ok(schema) => schema,
            Err(never) => match never {},
        }
    }
}
