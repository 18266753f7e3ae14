//! Over recorded conversations, where there are any: `REMAND_DATA` names the folder.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;

/// Every tool result of the recorded conversations.
fn results(data: &Path) -> Vec<String> {
    let mut results = Vec::new();
    for file in std::fs::read_dir(data.join("trajectories")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let messages = Json::parse(line).unwrap().member("messages").unwrap();
            let of_tools = messages.elements().filter(|message| {
                matches!(message.member("role").and_then(Json::string).as_deref(), Some("tool" | "function"))
            });
            let text = |message: Json<'_>| message.member("content").and_then(Json::string).map(String::from);
            results.extend(of_tools.filter_map(text));
        }
    }
    results
}

#[test]
fn recorded_flags_are_agreed_with() {
    let Some(data) = std::env::var_os("REMAND_DATA") else {
        println!("skipped: REMAND_DATA is not set");
        return;
    };
    let sample = std::env::var_os("REMAND_SAMPLE").is_some();
    let (mut counts, mut misfires) = (BTreeMap::<&str, usize>::new(), 0);
    for text in results(Path::new(&data)) {
        let outcome = plain(&text);
        let name = match &outcome {
            Outcome::Success => "success",
            Outcome::Failure(_) => "failure",
            Outcome::Transient => "transient",
            Outcome::Control => "control",
            Outcome::Unknown => "unknown",
        };
        *counts.entry(name).or_default() += 1;
        let mentions = text.to_lowercase().contains("error");
        misfires += usize::from(mentions && outcome == Outcome::Success);
        if sample && (outcome != Outcome::Success || mentions) {
            let layers = layer::peel(&text);
            println!("{name} | {} | {outcome:?}", quote::line(layers.last().unwrap().text()));
        }
        if text.ends_with("isError=True") {
            assert_ne!(outcome, Outcome::Success, "{text}");
        }
        // A search for tools never fails in these recordings, and its hits are full of errors.
        if text.contains("success: true\\nmatched_tools") {
            assert_eq!(outcome, Outcome::Success, "{text}");
        }
        if text.starts_with("Error: ") {
            assert!(matches!(outcome, Outcome::Failure(_)), "{text}");
        }
    }
    println!("{counts:?}; {misfires} successes that mention errors");
}
