use std::{borrow::Cow, fmt::Write};

use proptest::prelude::*;
use serde_json::Value;

use super::{Chain, canonical, digest, quote};
use crate::wire::span::Json;

fn json(text: &str) -> Json<'_> {
    Json::parse(text).expect("the sample is well-formed")
}

fn hex(text: &str, ignore: &[&str]) -> String {
    let ignore: Vec<_> = ignore.iter().map(|pointer| (*pointer).to_owned()).collect();
    digest(json(text), &ignore).iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

#[test]
fn digests_are_the_checked_ones() {
    let vectors = [
        ("{}", "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
        (
            r#"{"b":1,"a":{"d":[1,2],"c":"é"}}"#,
            "0ce5cd0a967230ab8334dd8476eb454fb66aa25fdc441d1b874a9daa85481f7d",
        ),
        (
            r#" { "a": {"c":"\u00e9", "d":[1, 2]},"b" :1}"#,
            "0ce5cd0a967230ab8334dd8476eb454fb66aa25fdc441d1b874a9daa85481f7d",
        ),
        (
            r#"{"b":1.0,"a":{"d":[1,2],"c":"é"}}"#,
            "f7343bf181fcc2e0938aa585a22473d9908c667634edf949b09757030b7ecd94",
        ),
        (
            r#"{"b":1,"a":{"d":[2,1],"c":"é"}}"#,
            "77823bc00fdc4b2a1c85c19cb2865b7023bf5dd2fbf823a938e55fbbad276a1b",
        ),
        (r#"{"path":"/a/b"}"#, "bf959589533c765717dddf462b1463ed722f5f2b97e65d967043507800984f66"),
        (r#"{"\u0070ath":"\/a\/b"}"#, "bf959589533c765717dddf462b1463ed722f5f2b97e65d967043507800984f66"),
    ];
    for (text, expected) in vectors {
        assert_eq!(hex(text, &[]), expected, "{text}");
    }
}

#[test]
fn sorts_every_level_and_drops_white_space() {
    let text = " { \"b\" : [ { \"y\" : 1 , \"x\" : { } } , [ ] ] ,\n\"a\" : null , \"aa\" : true }";
    assert_eq!(canonical(json(text)), r#"{"a":null,"aa":true,"b":[{"x":{},"y":1},[]]}"#);
    assert_eq!(canonical(json("[3,1,2]")), "[3,1,2]");
    assert_eq!(canonical(json(" \"a\" ")), "\"a\"");
}

/// By UTF-16 units U+1F600 would come before U+FFFD and U+E000.
#[test]
fn sorts_by_code_point() {
    let text = r#"{"😀":1,"\ufffd":2,"\ue000":3,"\udc00":4,"\ud7ff":5,"é":6,"z":7,"":8,"Z":9}"#;
    let sorted = "{\"\":8,\"Z\":9,\"z\":7,\"é\":6,\"\u{d7ff}\":5,\"\\udc00\":4,\"\u{e000}\":3,\"\u{fffd}\":2,\"😀\":1}";
    assert_eq!(canonical(json(text)), sorted);
}

#[test]
fn number_tokens_stay_as_written() {
    let text = "[1,1.0,1.10,1e5,1E+5,-0,0.1e-7,1234567890123456789012,1e999]";
    assert_eq!(canonical(json(text)), text);
}

#[test]
fn of_duplicate_keys_the_last_counts() {
    assert_eq!(canonical(json(r#"{"a":1,"b":2,"\u0061":3}"#)), r#"{"a":3,"b":2}"#);
    assert_eq!(canonical(json(r#"{"a":{"x":1},"a":[],"a":{"y":2}}"#)), r#"{"a":{"y":2}}"#);
    // Two different lone surrogates read alike, but are not the same name.
    assert_eq!(canonical(json(r#"{"\ud801":1,"\ud800":2}"#)), r#"{"\ud800":2,"\ud801":1}"#);
}

#[test]
fn strings_are_escaped_only_where_json_leaves_no_choice() {
    for (written, expected) in [
        (r#""\u0041\/\u00e9\u2028\u007f""#, "\"A/é\u{2028}\u{7f}\""),
        (r#""\ud83d\ude00""#, "\"😀\""),
        (r#""\u0022\u005c\"\\""#, r#""\"\\\"\\""#),
        (r#""\u0008\u000c\u000a\u000D\u0009\b\f\n\r\t""#, r#""\b\f\n\r\t\b\f\n\r\t""#),
        (r#""\u0000\u001F""#, r#""\u0000\u001f""#),
        (r#""\uD83D \uDE00""#, r#""\ud83d \ude00""#),
    ] {
        assert_eq!(canonical(json(written)), expected, "{written}");
    }
}

#[test]
fn quotes_text_as_the_canonical_text_does() {
    assert_eq!(
        quote("a\"b\\c\u{8}\u{c}\n\r\t\u{1}\u{1f}/é😀\u{7f}"),
        r#""a\"b\\c\b\f\n\r\t\u0001\u001f/é😀"#.to_owned() + "\u{7f}\""
    );
    assert_eq!(quote(""), "\"\"");
}

#[test]
fn ignored_places_do_not_count() {
    let plain = hex(r#"{"a":{"c":2},"l":[1,3]}"#, &[]);
    assert_eq!(hex(r#"{"a":{"b":1,"c":2},"l":[1,2,3]}"#, &["/a/b", "/l/1"]), plain);
    assert_eq!(hex(r#"{"l":[1,2,9,3],"x":{"y":1},"a":{"c":2}}"#, &["/l/1", "/l/2", "/x"]), plain);
    assert_ne!(hex(r#"{"a":{"b":1,"c":2},"l":[1,3]}"#, &["/b", "/a/b/c", "/l/7"]), plain);
    assert_eq!(hex(r#"{"a":1,"a":2}"#, &["/a"]), hex("{}", &[]), "duplicates go as well");
    assert_eq!(hex("[1]", &["/0"]), hex("[]", &[]));
    assert_eq!(
        hex(r#"{"a":[[1]]}"#, &["/a/0"]),
        hex(r#"{"a":[]}"#, &[]),
        "only the inner one of two at one place"
    );
    assert_eq!(hex("{\"a\":1}", &[""]), hex("\"b\"", &[""]));
}

#[test]
fn depth_costs_neither_stack_nor_the_square_of_time() {
    const DEPTH: usize = 50_000;
    let text = format!("{}1{}", "{\"b\":[".repeat(DEPTH), "],\"a\":2}".repeat(DEPTH));
    let expected = format!("{}1{}", "{\"a\":2,\"b\":[".repeat(DEPTH), "]}".repeat(DEPTH));
    assert!(canonical(json(&text)) == expected);
}

#[test]
fn text_that_was_never_walked_over_gives_nothing() {
    for text in ["", "{", "[1,", "{\"a\":[}", "\"\\"] {
        assert_eq!(canonical(Json::trusted(text)), "", "{text}");
    }
}

#[test]
fn a_chain_depends_on_key_links_and_their_borders() {
    let value = |key: u8, links: &[&str]| {
        let mut chain = Chain::new([key; 16]);
        for link in links {
            chain.link(link.as_bytes());
        }
        chain.value()
    };
    assert_eq!(value(1, &["ab", "c"]), value(1, &["ab", "c"]));
    let others: &[(u8, &[&str])] = &[
        (2, &["ab", "c"]),
        (1, &["a", "bc"]),
        (1, &["abc"]),
        (1, &["c", "ab"]),
        (1, &["ab", "c", ""]),
        (1, &["ab"]),
    ];
    for (key, links) in others {
        assert_ne!(value(*key, links), value(1, &["ab", "c"]), "{key} {links:?}");
    }
}

#[test]
fn a_chain_goes_on_from_a_copy_as_from_itself() {
    let mut long = Chain::new([7; 16]);
    long.link(b"first");
    let mut copy = long.clone();
    long.link(b"second");
    copy.link(b"second");
    assert_eq!(long.value(), copy.value());
}

#[test]
fn a_chain_never_shows_its_key() {
    assert_eq!(format!("{:?}", Chain::new([211; 16])), "Chain { value: 0, .. }");
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from),
        "[a \\\\\"\n\u{1}\u{7f}]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 32, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec(("[a-c😀\u{ffff}\"]{0,2}", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The same text with every character of every string as an escape.
fn escaped(text: &str) -> String {
    let (mut inside, mut out) = (false, String::new());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        if char == '\\' {
            let letter = chars.next().expect("a backslash is never the last");
            let digits = if letter == 'u' { 4 } else { 0 };
            out.extend([char, letter]);
            out.extend(chars.by_ref().take(digits));
        } else if inside && char != '"' {
            for unit in char.encode_utf16(&mut [0; 2]) {
                write!(out, "\\u{unit:04X}").expect("writing to a string cannot fail");
            }
        } else {
            inside ^= char == '"';
            out.push(char);
        }
    }
    out
}

proptest! {
    /// `serde_json` sorts by bytes, which is by code point, and escapes as we do.
    #[test]
    fn says_what_serde_json_says_of_a_sorted_value(value in values()) {
        let pretty = serde_json::to_string_pretty(&value).expect("a value can be written");
        let mut sorted = value.clone();
        sorted.sort_all_objects();
        let expected = serde_json::to_string(&sorted).expect("a value can be written");
        prop_assert_eq!(&canonical(json(&pretty)), &expected);
        prop_assert_eq!(&canonical(json(&escaped(&pretty))), &expected);
        prop_assert_eq!(&canonical(json(&expected)), &expected);
    }

    #[test]
    fn what_is_quoted_reads_back(text in any::<String>()) {
        let quoted = quote(&text);
        prop_assert_eq!(json(&quoted).string(), Some(Cow::Borrowed(text.as_str())));
        prop_assert_eq!(serde_json::to_string(&text).expect("a string can be written"), quoted);
    }
}
