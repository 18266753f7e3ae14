//! Chat Completions (`POST …/chat/completions`).
//!
//! `request` reads what the agent sends, `answer` what the provider sends back, `write` makes the elements
//! that the proxy puts in, `mend` what a broken history needs, `content` changes what an element says. `system` and
//! `offer` add to what the model is told at the head of the history, and of its tools.

pub mod answer;
mod calls;
pub mod content;
pub mod edit;
mod event;
mod known;
mod members;
pub mod mend;
pub mod offer;
pub mod refused;
pub mod request;
pub mod system;
pub mod value;
mod write;

use crate::wire::canonical::quote;

/// The API's error object.
pub(super) fn error(code: &str, message: &str) -> String {
    format!(
        r#"{{"error":{{"message":{},"type":"remand_error","param":null,"code":{}}}}}"#,
        quote(message),
        quote(code)
    )
}
