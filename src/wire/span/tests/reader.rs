use super::{
    super::{Kind, Malformed, Reader, Span},
    refused,
};

const SAMPLE: &str = r#"{"a" : [ 1, -2.5e+10, {"b\n\u00e9": "c\"d\\"}, [] ], "é":{}, "t":true,"f":false,"n":null ,"s":"long enough to be read by words \/ and then some"}"#;

#[test]
fn walks_an_object_and_skips_what_is_not_asked_for() -> Result<(), Malformed> {
    let mut reader = Reader::new(r#" { "skip": {"a":[1,{}]}, "list":[true, null ] } "#);
    assert_eq!(reader.kind()?, Kind::Object);
    let mut object = reader.object()?;
    let key = reader.next_key(&mut object)?.expect("a first member");
    assert!(key.is("skip") && !key.is("skip "));
    assert_eq!(reader.skip()?, Span::new(11, 23));
    let key = reader.next_key(&mut object)?.expect("a second member");
    assert_eq!((key.raw, key.span), ("list", Span::new(25, 31)));
    assert_eq!((reader.offset(), reader.kind()?), (32, Kind::Array));
    let mut array = reader.array()?;
    assert!(reader.next_element(&mut array)?);
    assert_eq!(reader.value()?.text(), "true");
    assert!(reader.next_element(&mut array)?);
    assert_eq!(reader.value()?.text(), "null");
    assert!(!reader.next_element(&mut array)?);
    assert!(reader.next_key(&mut object)?.is_none());
    reader.end()
}

#[test]
fn walks_empty_containers() -> Result<(), Malformed> {
    let mut reader = Reader::new("[ {\n}\t]");
    let mut array = reader.array()?;
    assert!(reader.next_element(&mut array)?);
    let mut object = reader.object()?;
    assert!(reader.next_key(&mut object)?.is_none());
    assert!(!reader.next_element(&mut array)?);
    reader.end()
}

#[test]
fn goes_on_where_another_walk_ended() -> Result<(), Malformed> {
    let text = r#"[1,"two",3]"#;
    let mut reader = Reader::starting_at(text, 3);
    assert_eq!(reader.skip()?, Span::new(3, 8));
    assert!(Reader::starting_at(text, 99).skip().is_err());
    Ok(())
}

#[test]
fn every_cut_is_told_from_a_slip() {
    for end in 0..SAMPLE.len() {
        if let Some(cut) = SAMPLE.get(..end) {
            let malformed = refused(cut);
            assert!(malformed.truncated, "{malformed} in {cut:?}");
            assert_eq!(malformed.at, cut.len());
        }
    }
}

#[test]
fn a_cut_scalar_is_truncated_and_a_whole_number_is_not() {
    for cut in ["", " ", "t", "tru", "fals", "nul", "-", "1.", "1e", "1E+", "\"", "\"a\\", "\"\\u00e", "[12"]
    {
        assert!(refused(cut).truncated, "{cut:?}");
    }
    for whole in ["12", "0", "-0", "1.5", "1e5 ", "true"] {
        assert!(super::Json::parse(whole).is_ok(), "{whole:?}");
    }
}

#[test]
fn says_what_was_expected_where() {
    let cases = [
        ("x", 0, "a value"),
        ("[1,]", 3, "a value"),
        ("[,1]", 1, "a value"),
        ("[1 2]", 3, "`,` or `]`"),
        ("[1}", 2, "`,` or `]`"),
        ("{\"a\":1]", 6, "`,` or `}`"),
        ("{\"a\" 1}", 5, "`:`"),
        ("{\"a\":}", 5, "a value"),
        ("{a:1}", 1, "a name in double quotes"),
        ("{\"a\":1,}", 7, "a name in double quotes"),
        ("{'a':1}", 1, "a name in double quotes"),
        ("trux", 3, "`true`"),
        ("nulL", 3, "`null`"),
        ("False", 0, "a value"),
        ("01", 1, "the end of the text"),
        ("[01]", 2, "`,` or `]`"),
        ("+1", 0, "a value"),
        (".5", 0, "a value"),
        ("1.x", 2, "a digit"),
        ("-x", 1, "a digit"),
        ("1e+x", 3, "a digit"),
        ("NaN", 0, "a value"),
        ("\"\\x\"", 2, "a valid escape"),
        ("\"\\u00g0\"", 5, "a hexadecimal digit"),
        ("\"\\u00\"", 5, "a hexadecimal digit"),
        ("{} {}", 3, "the end of the text"),
        ("\u{feff}{}", 0, "a value"),
        ("[1\u{a0}]", 2, "`,` or `]`"),
    ];
    for (text, at, expected) in cases {
        let Malformed { at: found, expected: named, truncated } = refused(text);
        assert_eq!((found, named.to_string().as_str(), truncated), (at, expected, false), "{text:?}");
    }
    assert_eq!(refused("[1,]").to_string(), "expected a value at byte 3");
}

#[test]
fn a_walk_refuses_what_skipping_refuses() {
    let mut reader = Reader::new("{\"a\":1,}");
    let mut object = reader.object().expect("it opens");
    assert!(reader.next_key(&mut object).is_ok() && reader.skip().is_ok());
    assert_eq!(reader.next_key(&mut object).map(|_| ()).map_err(|malformed| malformed.at), Err(7));
    let mut reader = Reader::new("[1,]");
    let mut array = reader.array().expect("it opens");
    assert!(reader.next_element(&mut array).is_ok() && reader.skip().is_ok());
    assert_eq!(reader.next_element(&mut array).map_err(|malformed| malformed.at), Err(3));
    assert!(Reader::new("[]").object().is_err_and(|malformed| !malformed.truncated));
    assert!(Reader::new("").array().is_err_and(|malformed| malformed.truncated));
}

/// At each place in a word and in a block, and in the bytes at the end that fill neither.
#[test]
fn finds_the_end_of_a_string_at_every_alignment() {
    for filler in ["a", "\u{7f}", "é", "\u{20ac}", "!", "#", "[", "]"] {
        for before in 0..90 {
            let text = format!("\"{}\\\"{}\"", filler.repeat(before), filler.repeat(90 - before));
            assert_eq!(Reader::new(&format!("{text},\"\\")).skip(), Ok(Span::new(0, text.len())));
            for control in ["\u{0}", "\u{1f}", "\n", "\t"] {
                let start = format!("\"{}", filler.repeat(before));
                let malformed = refused(&format!("{start}{control}rest of it\""));
                assert_eq!((malformed.at, malformed.truncated), (start.len(), false));
            }
        }
    }
}

#[test]
fn depth_costs_no_stack() {
    const DEPTH: usize = 1_000_000;
    let arrays = format!("{}1{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
    assert_eq!(Reader::new(&arrays).skip(), Ok(Span::new(0, arrays.len())));
    let mixed = format!("{}1{}", "[{\"a\":".repeat(DEPTH / 2), "}]".repeat(DEPTH / 2));
    assert_eq!(Reader::new(&mixed).skip(), Ok(Span::new(0, mixed.len())));
    assert!(refused(&"[".repeat(DEPTH)).truncated);
}

#[test]
fn brackets_must_match_at_every_depth() {
    for depth in [1, 2, 63, 64, 65, 128, 129, 200] {
        for wrong in 0..depth {
            let mut closing = vec!["]"; depth];
            if let Some(bracket) = closing.get_mut(wrong) {
                *bracket = "}";
            }
            let malformed = refused(&format!("{}{}", "[".repeat(depth), closing.concat()));
            assert_eq!((malformed.at, malformed.truncated), (depth + wrong, false));
        }
    }
}

#[test]
fn passes_what_only_bytes_can_carry() {
    for text in [r#""\ud800""#, r#"{"\udfff":1e999}"#, "12345678901234567890123", "-0", "1.10", "[1E5]"] {
        assert!(super::Json::parse(text).is_ok(), "{text}");
    }
}
