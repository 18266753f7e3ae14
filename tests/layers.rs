//! Imports point down only: each room of `src` knows the rooms below it, and none above or beside it. `guard` is
//! pure, and only `dialect` names the fields of an API.

use std::fs;
use std::path::{Path, PathBuf};

/// The rooms and their floors.
const ROOMS: [(&str, u8); 9] = [
    ("cli", 6),
    ("admin", 5),
    ("proxy", 5),
    ("replay", 5),
    ("observe", 4),
    ("config", 3),
    ("guard", 2),
    ("dialect", 1),
    ("wire", 0),
];

/// What `guard` must not name: it has no clock, no input or output, no tasks and no locks.
const IMPURE: [&str; 9] =
    ["tokio::", "hyper::", "async fn", "Instant", "SystemTime", "std::fs", "std::net", "Mutex", "RwLock"];

/// Names that mean something in one API only.
const FIELDS: [&str; 8] = [
    "tool_calls",
    "tool_call_id",
    "tool_choice",
    "parallel_tool_calls",
    "finish_reason",
    "choices",
    "function_call",
    "delta",
];

#[test]
fn no_room_imports_one_above_or_beside_it() {
    for (room, floor) in ROOMS {
        for (file, code) in sources(room) {
            for named in imports(&code) {
                let other = ROOMS.iter().find(|(name, _)| *name == named);
                let allowed = named == room || other.is_none_or(|(_, other)| *other < floor);
                assert!(allowed, "{} is in {room} and imports {named}", file.display());
            }
        }
    }
}

#[test]
fn the_guard_is_pure() {
    for (file, code) in sources("guard").into_iter().filter(|(file, _)| !is_test(file)) {
        for word in IMPURE {
            assert!(!code.contains(word), "{} names {word}", file.display());
        }
    }
}

#[test]
fn only_the_dialects_name_the_fields_of_an_api() {
    let others = ROOMS.iter().filter(|(room, _)| !["dialect", "replay"].contains(room));
    for (file, code) in others.flat_map(|(room, _)| sources(room)) {
        let path = file.to_string_lossy();
        // What `classify` knows by these names is how agents wrap the results of their tools.
        if is_test(&file) || path.contains("/cli/demo") || path.contains("/guard/classify/") {
            continue;
        }
        let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().replace('\\', "");
        for field in FIELDS {
            assert!(!code.contains(&format!("\"{field}\"")), "{path} names {field}");
        }
    }
}

#[test]
fn what_is_imported_is_seen_in_every_spelling() {
    let code = "use crate::wire; use crate::{guard::{Reason, rules}, config as c};\nlet x = crate::proxy::X;";
    assert_eq!(imports(code), ["wire", "guard", "config", "proxy"]);
}

#[test]
fn every_room_that_is_there_has_a_floor() {
    let lib = fs::read_to_string(source().join("lib.rs")).unwrap();
    for room in lib.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')) {
        assert!(ROOMS.iter().any(|(name, _)| *name == room), "{room}");
        assert!(!sources(room).is_empty(), "{room}");
    }
}

fn is_test(file: &Path) -> bool {
    file.components().any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs")
}

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The files of a room with their code, without the lines that are comments.
fn sources(room: &str) -> Vec<(PathBuf, String)> {
    let mut open = vec![source().join(room), source().join(room).with_extension("rs")];
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if let Ok(entries) = fs::read_dir(&path) {
            open.extend(entries.flatten().map(|entry| entry.path()));
        } else if let Ok(text) = fs::read_to_string(&path) {
            let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            files.push((path, code.join("\n")));
        }
    }
    files
}

/// What is named after each `crate::`, alone or in braces.
fn imports(code: &str) -> Vec<&str> {
    code.split("crate::").skip(1).flat_map(first_names).collect()
}

fn first_names(rest: &str) -> Vec<&str> {
    let Some(list) = rest.strip_prefix('{') else { return vec![name(rest)] };
    let mut depth = 0_usize;
    let mut names = vec![name(list)];
    for (at, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => names.extend(list.get(at + 1..).map(name)),
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn name(text: &str) -> &str {
    let text = text.trim_start();
    text.split(|character: char| !character.is_alphanumeric() && character != '_').next().unwrap_or_default()
}
