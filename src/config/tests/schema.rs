//! `config.schema.json` and the configuration know the same.

use std::collections::BTreeSet;

use serde_json::Value;

use super::example::{EXAMPLE, uncommented};

const SCHEMA: &str = include_str!("../../../config.schema.json");

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

fn value(text: &str) -> Value {
    serde_json::from_str(&serde_json::to_string(&text.parse::<toml::Table>().unwrap()).unwrap()).unwrap()
}

fn accepts(text: &str) -> Result<(), String> {
    let schema = jsonschema::validator_for(&schema()).unwrap();
    let value = value(text);
    let told: Vec<_> =
        schema.iter_errors(&value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    if told.is_empty() { Ok(()) } else { Err(told.join("\n")) }
}

#[test]
fn it_accepts_what_is_shown() {
    for text in [EXAMPLE, &uncommented(), "", include_str!("../../../replay/demo-config.toml")] {
        assert_eq!(accepts(text), Ok(()));
    }
}

#[test]
fn it_refuses_what_the_configuration_refuses() {
    for text in [
        "[listen]\nadress = \"x\"",
        "[guard]\nmode = \"watch\"",
        "[guard]\nrounds = 17",
        "[guard.calls]\ninvalid = true",
        "[guard.notice]\nno_such_text = \"x\"",
        "[[upstream]]\nname = \"x\"",
        "[[tool]]\nmax_result = \"1KiB\"",
        "[[tool]]\nname = \"git_*\"",
        "[[tool]]\nname = [\"a\"]\n[[tool.result]]\nwhen = { status = [42] }\nas = \"failed\"",
        "[[tool]]\nname = [\"a\"]\n[[tool.result]]\nwhen = {}\nas = \"fatal\"",
        "[[constraint]]\nplace = \"user\"\ntext = \"x\"",
        "[states]\nttl = \"1h\"",
    ] {
        assert!(accepts(text).is_err(), "{text}");
        assert!(super::read(text).is_err(), "{text}");
    }
}

/// The keys of each table, by its path.
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        // What stands here is the operator's.
        Value::Object(_) if path.ends_with(".headers") || path.ends_with(".schema") => {}
        Value::Object(members) => {
            for (name, inner) in members {
                let path = format!("{path}.{name}");
                found.insert(path.clone());
                keys(inner, &path, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| keys(item, path, found)),
        _ => {}
    }
}

/// The keys that the schema knows, by the same paths.
fn properties(schema: &Value, path: &str, found: &mut BTreeSet<String>) {
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{path}.{name}");
        found.insert(path.clone());
        properties(inner, &path, found);
    }
    if schema["items"].is_object() {
        properties(&schema["items"], path, found);
    }
}

#[test]
fn it_knows_every_key_and_no_other() {
    let (mut shown, mut known) = (BTreeSet::new(), BTreeSet::new());
    keys(&value(&uncommented()), "", &mut shown);
    properties(&schema(), "", &mut known);
    assert!(shown.len() > 100);
    assert_eq!(shown, known);
}

#[test]
fn it_tells_the_defaults() {
    let defaults = value(EXAMPLE);
    let mut told = 0;
    let mut tables = vec![(schema(), defaults)];
    while let Some((schema, defaults)) = tables.pop() {
        for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
            if let Some(default) = inner.get("default").filter(|_| defaults.get(name).is_some()) {
                assert_eq!(*default, defaults[name], "{name}");
                told += 1;
            }
            tables.push((inner.clone(), defaults[name].clone()));
        }
    }
    assert!(told > 15, "{told}");
}
