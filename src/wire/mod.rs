//! Bytes: where JSON values lie, how they are cut and joined, how event streams are framed.
//!
//! Nothing here knows what a tool is. Whatever passes through unread keeps its bytes.

pub mod canonical;
pub mod encoding;
pub mod form;
pub mod lenient;
pub mod redact;
pub mod span;
pub mod splice;
pub mod sse;
pub mod surrogate;
