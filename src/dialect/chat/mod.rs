//! Chat Completions (`POST …/chat/completions`).
//!
//! `request` reads what the agent sends, `answer` what the provider sends back, `write` makes the elements
//! that the proxy puts in.

pub mod request;

use crate::wire::canonical::quote;

/// The API's error object.
pub(super) fn error(code: &str, message: &str) -> String {
    format!(
        r#"{{"error":{{"message":{},"type":"remand_error","param":null,"code":{}}}}}"#,
        quote(message),
        quote(code)
    )
}
