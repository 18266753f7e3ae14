//! What nothing is wrong with goes through byte for byte, both ways.

mod recorded;
mod request;
mod stream;
mod whole;

/// A request whose model may call `look` and `store`, streamed or not.
fn asking(stream: bool) -> String {
    let tool = |name: &str| {
        format!(
            r#"{{"type":"function","function":{{"name":"{name}","parameters":{{"type":"object","properties":{{"at":{{}}}}}}}}}}"#
        )
    };
    format!(
        r#"{{"model":"m","stream":{stream},"messages":[{{"role":"user","content":"go"}}],"tools":[{},{}]}}"#,
        tool("look"),
        tool("store")
    )
}
