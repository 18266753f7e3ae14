//! `docs/EVIDENCE.md` holds what `remand backtest` finds in the recorded conversations, where there are any.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const EVIDENCE: &str = include_str!("../docs/EVIDENCE.md");

/// A row of a table in the evidence: its number.
fn stated(row: &str) -> u64 {
    let line = EVIDENCE.lines().find(|line| line.starts_with(&format!("| {row} |"))).expect(row);
    line.split('|').nth(2).and_then(|cell| cell.trim().parse().ok()).expect(row)
}

#[test]
fn the_evidence_is_what_is_found() {
    let Some(data) = std::env::var_os("REMAND_DATA") else {
        println!("not run: REMAND_DATA is not set");
        return;
    };
    let files = ["copilot_sdk", "livemcpbench", "tau_bench"];
    let files = files.map(|name| Path::new(&data).join("trajectories").join(format!("{name}.jsonl")));
    let run = Command::new(env!("CARGO_BIN_EXE_remand"))
        .args(["backtest", "--json"])
        .args(&files)
        .output()
        .unwrap();
    let found: Value = serde_json::from_slice(&run.stdout).unwrap();
    let count = |name: &str| found[name].as_array().unwrap().len() as u64;
    let missed: u64 = found["missed"]
        .as_object()
        .unwrap()
        .values()
        .map(|cases| cases.as_array().unwrap().len() as u64)
        .sum();
    for (row, number) in [
        ("conversations", found["conversations"].as_u64().unwrap()),
        ("calls", found["calls"].as_u64().unwrap()),
        ("calls forwarded as they came", found["verdicts"]["forwarded"].as_u64().unwrap()),
        ("repeats refused", count("refused_rightly") + count("refused_wrongly") + count("refused_unknown")),
        ("of them, that worked", count("refused_wrongly")),
        ("valid calls sent back", count("remanded_wrongly")),
        ("repeats let through that failed again", missed),
        ("after the user had spoken", found["missed"]["the user spoke"].as_array().unwrap().len() as u64),
        ("conversations changed", count("changed")),
        ("isError=True, agreed with", found["flags"]["isError=True"][0].as_u64().unwrap()),
        ("isError=True, in all", found["flags"]["isError=True"][1].as_u64().unwrap()),
        ("isError=False, agreed with", found["flags"]["isError=False"][0].as_u64().unwrap()),
        ("isError=False, in all", found["flags"]["isError=False"][1].as_u64().unwrap()),
    ] {
        assert_eq!(stated(row), number, "{row}");
    }
    // Nothing that worked would have been refused, and an independent reading of the rule finds the same seven.
    assert_eq!(run.status.code(), Some(0));
    assert_eq!((count("refused_wrongly"), count("remanded_wrongly"), count("refused_rightly")), (0, 0, 7));
    for case in found["refused_rightly"].as_array().unwrap() {
        assert!(case["place"].as_str().unwrap().contains("tau_bench"), "{case}");
    }
    // What is changed holds a result that says nothing.
    let codes: Vec<_> = found["mended"].as_object().unwrap().keys().collect();
    assert_eq!(codes, ["mended_empty"]);
}
