//! Recorded conversations: `REMAND_DATA` names the folder.

use std::path::Path;

use serde_json::Value;

use super::*;
use crate::guard::mend::sound;

/// How many calls have no result behind them, and how many results say nothing, counted in the plainest way.
fn broken(line: &str) -> (usize, usize) {
    let conversation: Value = serde_json::from_str(line).unwrap();
    let (mut open, mut missing, mut empty) = (Vec::new(), 0, 0);
    for message in conversation["messages"].as_array().unwrap() {
        if message["role"] == "tool" {
            open.retain(|id| *id != message["tool_call_id"]);
            empty += usize::from(message["content"] == "");
            continue;
        }
        missing += open.len();
        open =
            message["tool_calls"].as_array().into_iter().flatten().map(|call| call["id"].clone()).collect();
    }
    (missing + open.len(), empty)
}

#[test]
fn in_recorded_conversations_what_is_not_broken_is_not_changed() {
    let Some(data) = std::env::var_os("REMAND_DATA") else {
        println!("skipped: REMAND_DATA is not set");
        return;
    };
    let (mut all, mut glanced, mut sound_ones) = (0, 0, 0);
    for file in std::fs::read_dir(Path::new(&data).join("trajectories")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "jsonl") {
            continue;
        }
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let transcript = read(line.to_owned());
            all += 1;
            glanced += usize::from(sound::is_sound(&transcript));
            let (missing, empty) = broken(line);
            let Some(mended) = mend(&transcript, &Notices::default()) else {
                assert_eq!((missing, empty), (0, 0), "{line}");
                sound_ones += 1;
                continue;
            };
            let count = |code| mended.done.iter().filter(|done| done.reason.code() == code).count();
            assert_eq!((count("mended_missing"), count("mended_empty")), (missing, empty), "{line}");
            assert_eq!(mended.done.len(), missing + empty, "{line}: {:?}", mended.done);
            let (told, given) = (elements(&mended.transcript), elements(&transcript));
            let changed =
                given.iter().zip(&mended.places).filter(|(element, place)| told[**place] != **element);
            assert_eq!((changed.count(), told.len()), (empty, given.len() + missing), "{line}");
        }
    }
    println!(
        "{all} conversations, {sound_ones} of them sound and unchanged, {glanced} seen to be at a glance"
    );
}
