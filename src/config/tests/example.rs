//! `config.example.toml` tells the truth.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::*;
use crate::guard::notice::{Notice, Notices};

pub(super) const EXAMPLE: &str = include_str!("../../../config.example.toml");

/// The example with the `#` taken from all that is commented out.
pub(super) fn uncommented() -> String {
    let lines = EXAMPLE.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) if !rest.is_empty() && !rest.starts_with(' ') => rest,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn written(text: &str) -> File {
    let document =
        Document::parse("config.example.toml", text, &|name| Some(format!("value-of-{name}"))).unwrap();
    let (file, faults) = document.read();
    assert_eq!(faults, [], "{}", Error::Faulty(faults.clone()));
    file
}

#[test]
fn the_example_holds_the_defaults() {
    assert_eq!(written(EXAMPLE), File::default());
    read(EXAMPLE).unwrap();
}

#[test]
fn what_is_commented_out_in_the_example_can_be_used() {
    let file = written(&uncommented());
    assert_eq!(file.tool.len(), 2);
    assert_eq!(file.tool[0].result.len(), 3);
    assert_eq!(file.constraint.len(), 1);
    assert_eq!(file.listen.keys.len(), 1);
}

#[test]
fn the_example_shows_every_text_that_the_model_reads() {
    let file = written(&uncommented());
    let shown: BTreeMap<&str, &str> = file
        .guard
        .notice
        .iter()
        .map(|(name, text)| (name.get_ref().as_str(), text.get_ref().as_str()))
        .collect();
    let built_in = Notices::default();
    for notice in Notice::ALL {
        let braces: Vec<String> = notice.placeholders().iter().map(|name| format!("{{{name}}}")).collect();
        let values: Vec<(&str, &str)> =
            notice.placeholders().iter().copied().zip(braces.iter().map(String::as_str)).collect();
        assert_eq!(shown.get(notice.code()), Some(&built_in.text(notice, &values).as_str()));
    }
    assert_eq!(shown.len(), Notice::ALL.len());
}

#[test]
fn each_key_of_the_example_tells_what_it_is_for() {
    // These are told in the paragraph above their block.
    let told_above = ["at", "normalise", "schema", "when", "as", "name", "matches", "reason", "text"];
    let texts = Notice::ALL.map(Notice::code);
    for line in EXAMPLE.lines().filter(|line| !line.starts_with("# ")) {
        let Some((key, rest)) = line.trim_start_matches('#').split_once(" = ") else { continue };
        let told = rest.contains("# ") || told_above.contains(&key) || texts.contains(&key);
        assert!(told, "{line}");
    }
}

#[test]
fn the_example_shows_every_key_there_is() {
    let whole: Table = uncommented().parse().unwrap();
    let mut shown: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut note = |path: &[Place], keys: Vec<String>| {
        let name = path.iter().filter_map(|place| place.0.clone()).collect::<Vec<_>>().join(".");
        shown.entry(name.clone()).or_default().extend(keys);
        let mut marred = Value::Table(whole.clone());
        reach(&mut marred, path).insert("zzzzzzzz".to_owned(), Value::Boolean(true));
        let Err(error) = toml::from_str::<File>(&toml::to_string(&marred).unwrap()) else { return };
        let Some((_, list)) = error.message().split_once("`zzzzzzzz`, expected ") else { return };
        known.entry(name).or_default().extend(list.split('`').skip(1).step_by(2).map(str::to_owned));
    };
    walk(&Value::Table(whole.clone()), &mut Vec::new(), &mut note);
    assert!(known.len() >= 12, "{:?}", known.keys());
    for (table, keys) in known {
        let absent: Vec<_> = keys.difference(&shown[&table]).collect();
        assert!(absent.is_empty(), "[{table}] lacks {absent:?}");
    }
}

/// A step into a table (its key) or into a list (its index).
#[derive(Clone)]
struct Place(Option<String>, usize);

fn walk(value: &Value, path: &mut Vec<Place>, note: &mut dyn FnMut(&[Place], Vec<String>)) {
    let inside: Vec<(Place, &Value)> = match value {
        Value::Table(table) => {
            note(path, table.keys().cloned().collect());
            table.iter().map(|(key, value)| (Place(Some(key.clone()), 0), value)).collect()
        }
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| (Place(None, at), item)).collect(),
        _ => return,
    };
    for (place, value) in inside {
        path.push(place);
        walk(value, path, note);
        path.pop();
    }
}

fn reach<'a>(value: &'a mut Value, path: &[Place]) -> &'a mut Table {
    let found = path.iter().fold(value, |value, place| match &place.0 {
        Some(key) => &mut value[key.as_str()],
        None => &mut value[place.1],
    });
    found.as_table_mut().unwrap()
}
