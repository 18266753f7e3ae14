//! Held against `serde_json`, which accepts the same texts up to its depth limit.

use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::super::{Json, Kind, Reader};

/// Shallow: what only depth can show is in `tests::reader`.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "[a-z \\\\\"\n\t\u{1}]{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 48, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((".{0,6}", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Pieces that JSON is made of, and some that it is not.
fn shreds() -> impl Strategy<Value = String> {
    let shred = prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u", "00e9", "d83d", "\"a\":", "\"\"", "true", "fals",
        "e", "null", "-", "0", "1", ".", "1.5", "E+", "+", " ", "\n", "\u{1}", "é", "a", "/", "\\n", "{}",
        "[1,2]",
    ]);
    prop::collection::vec(shred, 0..12).prop_map(|shreds| shreds.concat())
}

/// A string over several blocks, with escapes and runs of backslashes wherever blocks may meet.
fn long_strings() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        4 => "[a-z é]{0,20}",
        2 => (0usize..70).prop_map(|pairs| "\\\\".repeat(pairs)),
        3 => prop::sample::select(vec!["\\\"", "\\n", "\\u00e9", "\\/", "\\t"]).prop_map(str::to_owned),
        1 => prop::sample::select(vec!["\"", "\\", "\u{1}", "\\x", "\\u12"]).prop_map(str::to_owned),
    ];
    prop::collection::vec(pieces, 0..20).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn oracle(text: &str) -> Result<(), serde_json::Error> {
    serde_json::from_str::<IgnoredAny>(text).map(|_| ())
}

fn agrees(text: &str) -> Result<(), TestCaseError> {
    let ours = Json::parse(text);
    match (&ours, oracle(text)) {
        (Err(malformed), Err(error)) => {
            prop_assert_eq!(malformed.truncated, malformed.at == text.len(), "{:?}: {}", text, malformed);
            // The other way round it does not hold: `serde_json` calls a lone `-` an invalid number.
            // And it asks for the four digits of an escape before it looks at any.
            let in_escape = text.get(..malformed.at).is_some_and(|read| {
                let digits = read.bytes().rev().take_while(u8::is_ascii_hexdigit).count();
                read.get(..read.len() - digits).is_some_and(|before| before.ends_with("\\u"))
            });
            let is_same = malformed.truncated || !error.is_eof() || in_escape;
            prop_assert!(is_same, "{:?}: {} / {}", text, malformed, error);
        }
        (ours, theirs) => {
            prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{:?}: {:?} / {:?}", text, ours, theirs);
        }
    }
    Ok(())
}

/// The same value, built by walking.
fn built(value: Json<'_>) -> Value {
    match value.kind() {
        Kind::Object => value.members().map(|(key, value)| (key.name().into_owned(), built(value))).collect(),
        Kind::Array => value.elements().map(built).collect(),
        Kind::String => Value::from(value.string().expect("it is one").into_owned()),
        Kind::Boolean => Value::from(value.boolean().expect("it is one")),
        Kind::Number => serde_json::from_str(value.text()).expect("it is one"),
        Kind::Null => Value::Null,
    }
}

proptest! {
    #[test]
    fn reads_what_was_written(value in values(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.expect("a value can be written");
        let read: Value = serde_json::from_str(&text).expect("what was written can be read");
        prop_assert_eq!(built(Json::parse(&text).expect("well-formed")), read);
    }

    #[test]
    fn accepts_mutated_text_exactly_where_serde_json_does(
        value in values(),
        pretty in any::<bool>(),
        at in any::<prop::sample::Index>(),
        cut in 0usize..4,
        put in prop_oneof![shreds(), ".{0,2}"],
    ) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let mut text: Vec<char> = text.expect("a value can be written").chars().collect();
        let at = at.index(text.len());
        text.splice(at..text.len().min(at + cut), put.chars());
        agrees(&text.into_iter().collect::<String>())?;
    }

    #[test]
    fn accepts_shreds_exactly_where_serde_json_does(text in shreds()) {
        agrees(&text)?;
    }

    #[test]
    fn passes_long_strings_exactly_where_serde_json_does(text in long_strings(), before in 0usize..40, after in "[ ]{0,40}") {
        agrees(&format!("[{}{text}{after}]", " ".repeat(before)))?;
    }

    #[test]
    fn every_prefix_of_a_container_is_truncated(value in values()) {
        let text = Value::from(vec![value]).to_string();
        for (end, _) in text.char_indices() {
            let malformed = super::refused(text.get(..end).expect("a border between characters"));
            prop_assert!(malformed.truncated);
        }
    }

    #[test]
    fn a_walk_meets_the_same_spans_as_skipping(value in values()) {
        let text = Value::from(vec![value.clone(), value]).to_string();
        let mut reader = Reader::new(&text);
        let mut array = reader.array().expect("it is one");
        let mut walked = Vec::new();
        while reader.next_element(&mut array).expect("well-formed") {
            walked.push(reader.skip().expect("well-formed"));
        }
        let listed: Vec<_> = Json::trusted(&text).elements().map(|element| element.span_in(&text)).collect();
        prop_assert_eq!(walked, listed);
    }
}
