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

/// What a result says of itself outright, told without the classifier: by which flag, and whether it failed.
pub(in crate::guard) fn says_outright(text: &str) -> Option<(&'static str, bool)> {
    let exit =
        || text.trim_end().strip_suffix('>')?.rsplit_once("<exited with exit code ").map(|(_, code)| code);
    match () {
        () if text.ends_with("isError=True") => Some(("isError=True", true)),
        () if text.ends_with("isError=False") => Some(("isError=False", false)),
        () if text.starts_with("Error: ") => Some(("Error:", true)),
        () if exit() == Some("0") => Some(("exit code 0", false)),
        () if exit().is_some() => Some(("another exit code", true)),
        () => None,
    }
}

#[test]
fn what_recorded_results_say_outright_is_compared() {
    let Some(data) = std::env::var_os("REMAND_DATA") else {
        println!("skipped: REMAND_DATA is not set");
        return;
    };
    let mut counts = BTreeMap::<&str, (usize, usize)>::new();
    for text in results(Path::new(&data)) {
        let Some((flag, failed)) = says_outright(&text) else { continue };
        let outcome = plain(&text);
        // What may pass is a failure all the same, only not one that counts.
        let agreed = failed == matches!(outcome, Outcome::Failure(_) | Outcome::Transient);
        let (agreeing, all) = counts.entry(flag).or_default();
        *agreeing += usize::from(agreed);
        *all += 1;
        if !agreed {
            let layers = layer::peel(&text);
            let name = if matches!(outcome, Outcome::Failure(_)) { "failure" } else { "no failure" };
            println!("{flag}, but {name}: {}", quote::line(layers.last().unwrap().text()));
        }
        // A flag that says failed is believed. One that says that the tool raised nothing is not: tools put their
        // errors into the text.
        assert!(agreed || !failed, "{text}");
    }
    for (flag, (agreeing, all)) in counts {
        println!("{flag}: agreed with {agreeing} of {all}");
    }
}
