//! Streams as providers sent them, recorded by others. They are not part of this repository: the variable
//! `REMAND_DATA` says where they lie.

use std::path::PathBuf;

use serde_json::Value;

pub struct Recorded {
    pub name: String,
    pub request: String,
    pub stream: Vec<u8>,
    /// How many calls the index says it holds.
    pub calls: usize,
}

/// The streams of one API; none where nobody says where they lie.
#[expect(clippy::print_stderr, reason = "what was not run must be known")]
pub fn recorded(dialect: &str) -> Vec<Recorded> {
    let Some(data) = std::env::var_os("REMAND_DATA") else {
        eprintln!("not run: the recorded streams; REMAND_DATA does not say where they lie");
        return Vec::new();
    };
    let folder = PathBuf::from(data).join("streams");
    let index = std::fs::read(folder.join("index.json")).unwrap();
    let index: Vec<Value> = serde_json::from_slice(&index).unwrap();
    let read = |entry: &Value| {
        let name = entry["name"].as_str().unwrap().to_owned();
        Recorded {
            request: std::fs::read_to_string(folder.join(format!("{name}.request.json"))).unwrap(),
            stream: std::fs::read(folder.join(format!("{name}.sse"))).unwrap(),
            calls: entry["tool_calls"].as_u64().unwrap().try_into().unwrap(),
            name,
        }
    };
    index.iter().filter(|entry| entry["dialect"] == dialect).map(read).collect()
}
