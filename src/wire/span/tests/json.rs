use std::borrow::Cow;

use super::super::{Json, Kind, Span};

fn json(text: &str) -> Json<'_> {
    Json::parse(text).expect("the sample is well-formed")
}

#[test]
fn tells_its_kind_and_drops_white_space_around() {
    let cases = [
        (" {} ", Kind::Object, "{}"),
        ("[ ]", Kind::Array, "[ ]"),
        ("\"\"", Kind::String, "\"\""),
        ("\n-1", Kind::Number, "-1"),
        ("7", Kind::Number, "7"),
        ("true", Kind::Boolean, "true"),
        ("false\t", Kind::Boolean, "false"),
        ("null", Kind::Null, "null"),
    ];
    for (text, kind, inner) in cases {
        assert_eq!((json(text).kind(), json(text).text()), (kind, inner));
        assert_eq!(json(text).is_null(), kind == Kind::Null);
    }
}

#[test]
fn reads_scalars_of_its_own_kind_only() {
    assert!(matches!(json("\"a b\"").string(), Some(Cow::Borrowed("a b"))));
    assert_eq!(json(r#""a\nb""#).string().as_deref(), Some("a\nb"));
    assert_eq!(json(r#""a\nb""#).raw_string(), Some(r"a\nb"));
    assert_eq!(json("5").string(), None);
    assert_eq!(json("true").boolean(), Some(true));
    assert_eq!(json("false").boolean(), Some(false));
    assert_eq!(json("\"true\"").boolean(), None);
    assert_eq!(json("-42").integer(), Some(-42));
    assert_eq!(json("9223372036854775807").integer(), Some(i64::MAX));
    for other in ["9223372036854775808", "1.0", "1e3", "\"5\"", "null", "[1]"] {
        assert_eq!(json(other).integer(), None, "{other}");
    }
}

#[test]
fn lists_members_as_written_with_duplicates() {
    let object = json(r#"{ "a" : 1 , "\u0062":[2] ,"a":{"a":3}}"#);
    let members: Vec<_> = object.members().map(|(key, value)| (key.raw, value.text())).collect();
    assert_eq!(members, [("a", "1"), ("\\u0062", "[2]"), ("a", r#"{"a":3}"#)]);
    let (key, _) = object.members().next().expect("there is one");
    assert_eq!(key.span.of(object.text()), "\"a\"");
    for other in ["{}", "[1]", "\"a\"", "1"] {
        assert_eq!(json(other).members().count(), 0, "{other}");
    }
}

#[test]
fn lists_elements() {
    let elements: Vec<_> = json("[1, [2,3] ,{}\n]").elements().map(Json::text).collect();
    assert_eq!(elements, ["1", "[2,3]", "{}"]);
    for other in ["[]", "{\"a\":1}", "\"[1]\"", "1"] {
        assert_eq!(json(other).elements().count(), 0, "{other}");
    }
}

#[test]
fn finds_the_last_of_duplicate_members() {
    let object = json(r#"{"a":1,"b":2,"\u0061":3,"A":4}"#);
    assert_eq!(object.member("a").map(Json::text), Some("3"));
    assert_eq!(object.member("b").map(Json::text), Some("2"));
    assert_eq!(object.member("c"), None);
    assert_eq!(json("[1]").member("0"), None);
}

#[test]
fn compares_names_by_what_they_mean() {
    let object = json(r#"{"a\/b":1,"a\\b":2,"\ud83d\ude00":3,"":4}"#);
    assert_eq!(object.member("a/b").map(Json::text), Some("1"));
    assert_eq!(object.member("a\\b").map(Json::text), Some("2"));
    assert_eq!(object.member("😀").map(Json::text), Some("3"));
    assert_eq!(object.member("").map(Json::text), Some("4"));
    assert_eq!(object.member("a\\/b"), None, "the name as written is not the name");
    assert_eq!(object.member("a\\\\b"), None, "the name as written is not the name");
}

/// The example of RFC 6901 section 5.
#[test]
fn follows_pointers() {
    let document = json(
        r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"~1":9}"#,
    );
    let cases = [
        ("", document.text()),
        ("/foo", r#"["bar","baz"]"#),
        ("/foo/0", "\"bar\""),
        ("/foo/1", "\"baz\""),
        ("/", "0"),
        ("/a~1b", "1"),
        ("/c%d", "2"),
        ("/e^f", "3"),
        ("/g|h", "4"),
        ("/i\\j", "5"),
        ("/k\"l", "6"),
        ("/ ", "7"),
        ("/m~0n", "8"),
        ("/~01", "9"),
    ];
    for (pointer, text) in cases {
        assert_eq!(document.pointer(pointer).map(Json::text), Some(text), "{pointer}");
    }
}

#[test]
fn finds_nothing_at_pointers_that_lead_nowhere() {
    let document = json(r#"{"foo":["bar"],"m~n":8,"0":{"1":true}}"#);
    for pointer in [
        "foo", "/foo/00", "/foo/01", "/foo/+0", "/foo/-", "/foo/1", "/foo/", "/foo/0/0", "/m~n", "/m~2n",
        "/x",
    ] {
        assert_eq!(document.pointer(pointer), None, "{pointer}");
    }
    assert_eq!(document.pointer("/0/1").map(Json::text), Some("true"), "digits name members too");
}

#[test]
fn names_children_by_their_place_in_what_holds_them() {
    let value = json(r#"{"a":1,"b":{"x":[7,8],"x":[9,{}]},"a":2,"c/d":3}"#);
    for (pointer, container, positions) in [
        ("/a", value.text(), vec![0, 2]),
        ("/c~1d", value.text(), vec![3]),
        ("/b/x", r#"{"x":[7,8],"x":[9,{}]}"#, vec![0, 1]),
        ("/b/x/1", "[9,{}]", vec![1]),
    ] {
        assert_eq!(value.children_at(pointer), Some((Json::trusted(container), positions)), "{pointer}");
    }
    for nowhere in ["", "/", "/z", "/a/b", "/b/x/2", "/b/x/-", "/b/x/01", "/c~d", "a"] {
        assert_eq!(value.children_at(nowhere), None, "{nowhere}");
    }
}

#[test]
fn knows_where_it_lies() {
    let whole = r#"  {"a":[1,"é",3]}"#;
    let element = json(whole).pointer("/a/2").expect("it is there");
    assert_eq!(element.span_in(whole), Span::new(15, 16));
    assert_eq!(element.span_in(whole).of(whole), "3");
    assert_eq!(json(whole).span_in(whole), Span::new(2, whole.len()));
}

#[test]
fn text_that_was_never_walked_over_does_no_harm() {
    for text in ["", "\"", "{", "[", "{\"a\"", "[1,", "{\"a\":}", "tru", "\"\\", "é", "[1 2]", "{\"\\u00"] {
        let value = Json::trusted(text);
        let _ = (value.kind(), value.string(), value.boolean(), value.integer());
        assert!(value.members().count() <= 1);
        assert!(value.elements().count() <= 1);
        assert_eq!(value.pointer("/a/0"), None);
    }
}

#[test]
fn spans_that_do_not_fit_read_as_nothing() {
    assert_eq!(Span::new(1, 3).of("abc"), "bc");
    assert_eq!(Span::new(1, 4).of("abc"), "");
    assert_eq!(Span::new(1, 2).of("é!"), "", "in the middle of a character");
    assert_eq!((Span::new(3, 1).of("abc"), Span::new(3, 1).len()), ("", 0));
    assert!(Span::new(2, 2).is_empty() && !Span::new(2, 3).is_empty());
}
