//! A call's arguments: read, normalise, coerce, validate.

pub mod schema;

pub use schema::{Schema, Schemas};
