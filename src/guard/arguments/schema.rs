//! Compiled JSON Schemas.

use std::sync::Arc;

/// A tool's schema and the operator's overlay for it, compiled together.
#[derive(Debug)]
pub struct Schema {
    _private: (),
}

/// Where compiled schemas come from: whoever keeps them. Asked with the schema's text as the agent sent it and
/// the operator's overlays (pointer, schema).
pub trait Schemas: Send + Sync {
    fn schema(&self, text: &str, overlays: &[(&str, &str)]) -> Arc<Schema>;
}

impl Schema {
    /// Compiles. What does not compile accepts any object, and says so.
    pub fn compile(text: &str, overlays: &[(&str, &str)]) -> Self {
        todo!()
    }
}
