//! Imports point down only: each room of `src` knows the rooms below it, and none above or beside it. `guard` is
//! pure, only `dialect` names the fields of an API, and no body ever becomes a tree of values.

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

/// The rooms that bodies walk through.
const WALKED: [&str; 4] = ["wire", "dialect", "guard", "proxy"];

/// Where JSON is a tree of values all the same, and why. A tree would reorder keys, round numbers and drop what it does
/// not know, so whatever goes on in a body is cut and spliced as bytes.
const TREES: [(&str, Tree, &str); 6] = [
    ("guard/arguments/schema.rs", Tree::Read, "a schema: what compiles it takes nothing else"),
    (
        "guard/arguments/mod.rs",
        Tree::Read,
        "one call's arguments, to hold them against a schema: what validates takes nothing else",
    ),
    ("guard/arguments/coerce.rs", Tree::Read, "the same, after each step of a coercion"),
    ("guard/arguments/accept.rs", Tree::Seen, "a schema that was read: what it accepts at a place"),
    ("guard/arguments/weight.rs", Tree::Seen, "a schema that was read: how many schemas it stands for"),
    ("guard/arguments/problem.rs", Tree::Seen, "arguments that were read: what is wrong with them"),
];

/// What a file does with a tree.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Tree {
    /// Makes one of text.
    Read,
    /// Looks at one.
    Seen,
}

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
fn no_body_becomes_a_tree_of_values() {
    let mut found = Vec::new();
    for (file, code) in WALKED.iter().flat_map(|room| sources(room)) {
        let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        if let Some(tree) = tree(code).filter(|_| !is_test(&file)) {
            found.push((file.strip_prefix(source()).unwrap().to_string_lossy().into_owned(), tree));
        }
    }
    found.sort();
    let mut allowed = TREES.map(|(file, tree, _)| (file.to_owned(), tree));
    allowed.sort();
    assert_eq!(found, allowed, "a new place needs a reason, and an old one that is gone needs none");
}

#[test]
fn a_tree_is_seen_in_every_spelling() {
    for read in [
        "let value: serde_json::Value = serde_json::from_str(text)?;",
        "use serde_json::{Value, from_slice};",
        "use serde_json as json;",
        "let body = serde_json::to_value(body);",
        "serde_json::json!({})",
    ] {
        assert_eq!(tree(read), Some(Tree::Read), "{read}");
    }
    assert_eq!(tree("use serde_json::{Map, Value};\nmap.get(key)"), Some(Tree::Seen));
    assert_eq!(tree("use crate::wire::span::Json;"), None);
}

/// Whether code has to do with trees of JSON values.
fn tree(code: &str) -> Option<Tree> {
    let named: Vec<&str> = code
        .split("serde_json")
        .skip(1)
        .flat_map(|rest| match rest.strip_prefix("::") {
            Some(rest) => first_names(rest),
            // Under another name it could be anything.
            None => vec!["*"],
        })
        .collect();
    let sees = |name: &&str| ["Value", "Map", "Number"].contains(name);
    match named.iter().all(sees) {
        _ if named.is_empty() => None,
        true => Some(Tree::Seen),
        false => Some(Tree::Read),
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
