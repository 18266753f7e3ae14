//! The rules that hold for any text.

use proptest::prelude::*;

use super::super::{Reading, Shape, read, shape};

/// A JSON string between quotes, with escapes and with what looks like syntax.
fn string() -> impl Strategy<Value = String> {
    r#"([a-z'{}\[\],:/*` é-]|\\n|\\"|\\\\|\\u00e9|True){0,8}"#.prop_map(|text| format!("\"{text}\""))
}

fn space() -> impl Strategy<Value = String> {
    "[ \n\t]{0,2}"
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![string(), "-?(0|[1-9][0-9]{0,20})(\\.[0-9]+)?(e[+-]?[0-9])?", "true|false|null"];
    leaf.prop_recursive(4, 24, 4, |inner| {
        let array =
            (prop::collection::vec((space(), inner.clone()), 0..4), space()).prop_map(|(items, end)| {
                let items: Vec<_> = items.into_iter().map(|(space, item)| space + &item).collect();
                format!("[{}{end}]", items.join(","))
            });
        prop_oneof![array, members(inner)]
    })
}

fn members(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    (prop::collection::vec((string(), space(), value), 0..4), space()).prop_map(|(members, end)| {
        let members: Vec<_> =
            members.into_iter().map(|(name, space, value)| format!("{name}{space}:{value}")).collect();
        format!("{{{}{end}}}", members.join(","))
    })
}

fn object() -> impl Strategy<Value = String> {
    members(value())
}

/// Text made of what the repairs are about.
fn almost_json() -> impl Strategy<Value = String> {
    let word = r#"[{}\[\],:'"]|\{'a':|"b"|'c'|True|None|null|1|-|//|/\*|\*/|\n|```|json|\\'|\\"|\\|é|\{\}"#;
    prop::collection::vec(word, 0..16).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn a_well_formed_object_is_exact(text in object()) {
        prop_assert_eq!(read(&text), Reading::Exact);
        prop_assert_eq!(shape(&text), Shape::Object);
    }

    #[test]
    fn what_was_repaired_is_exact(text in almost_json()) {
        match read(&text) {
            Reading::Exact => prop_assert_eq!(shape(&text), Shape::Object),
            Reading::Repaired { text, repairs } => {
                prop_assert!(!repairs.is_empty());
                prop_assert_eq!(read(&text), Reading::Exact);
                prop_assert_eq!(shape(&text), Shape::Object);
                prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok());
            }
            Reading::Several { texts } => {
                for text in texts {
                    prop_assert_eq!(read(&text), Reading::Exact);
                }
            }
            Reading::Truncated => prop_assert_eq!(shape(&text), Shape::Truncated),
            Reading::Nothing | Reading::Unreadable(_) => prop_assert_ne!(shape(&text), Shape::Object),
        }
    }

    #[test]
    fn exact_is_what_another_reader_takes_for_an_object(text in almost_json()) {
        let theirs = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&text).is_ok();
        prop_assert_eq!(read(&text) == Reading::Exact, theirs, "{}", text);
    }

    #[test]
    fn single_quotes_read_as_double_ones(text in object()) {
        // Without quotes of either kind inside, both ways to write it have one meaning.
        let plain = text.replace("\\\\", "").replace("\\\"", "").replace('\'', "");
        prop_assume!(plain.contains('"'));
        match read(&plain.replace('"', "'")) {
            Reading::Repaired { text, .. } => prop_assert_eq!(text, plain),
            other => prop_assert!(false, "{:?}", other),
        }
    }
}

proptest! {
    // Each case is tried at every place where it can be cut.
    #![proptest_config(ProptestConfig { cases: ProptestConfig::default().cases / 4, ..ProptestConfig::default() })]

    #[test]
    fn the_beginning_of_an_object_is_cut_and_never_repaired(text in object()) {
        for (at, _) in text.char_indices().skip(1) {
            let (beginning, _) = text.split_at(at);
            prop_assert_eq!(read(beginning), Reading::Truncated, "{}", beginning);
            prop_assert_eq!(shape(beginning), Shape::Truncated, "{}", beginning);
        }
    }
}
