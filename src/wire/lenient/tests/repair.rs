//! Each repair, and beside it what looks alike and must stay refused.

use super::super::Repair::*;
use super::super::{Reading, Unreadable, read};
use super::{assert_backslash, assert_repaired, assert_syntax};
use crate::wire::span::Expected;

const NOT_AN_OBJECT: Reading = Reading::Unreadable(Unreadable::NotAnObject);

fn several(texts: &[&str]) -> Reading {
    Reading::Several { texts: texts.iter().map(|text| (*text).to_owned()).collect() }
}

#[test]
fn a_well_formed_object_is_left_alone() {
    for text in [
        "{}",
        " {\"a\" : 1.10, \"a\":\t-0e+5 }\n",
        r#"{"id":2512292042121000001,"s":"\u00e9\ud800 \/ it's // no /* comment */ True ``` {'","n":[[],{},null]}"#,
        r#"{"path":"C:\new\table"}"#,
        r#"{"comment":"[label] text","content":"true"}"#,
        r#"{"cmd":"a &amp;&amp; b","text":"line1\\nline2"}"#,
    ] {
        assert_eq!(read(text), Reading::Exact, "{text}");
    }
}

#[test]
fn no_arguments_are_nothing() {
    for text in ["", " ", "\n\t\r ", "null", " null\n", "[]", "[ ]"] {
        assert_eq!(read(text), Reading::Nothing, "{text:?}");
    }
    for text in ["None", "[[]]", "[null]", "0", "false", r#""""#, r#"[{"a":1}]"#] {
        assert_eq!(read(text), NOT_AN_OBJECT, "{text:?}");
    }
    assert_syntax("nullable", 0);
    assert_syntax("\u{a0}", 0);
}

#[test]
fn one_fence_around_the_object_is_taken_off() {
    for text in [
        "```json\n{\"a\":1}\n```",
        "```\n{\"a\":1}\n```\n",
        "```JSON\r\n{\"a\":1}\r\n```",
        "\n``` {\"a\":1} ```",
        "```json{\"a\":1}```",
        "```json\n{\"a\":1}",
        "```json\n{\"a\":1}\n``",
    ] {
        assert_repaired(text, "{\"a\":1}", &[Fence]);
    }
}

#[test]
fn a_fence_with_anything_beside_the_object_is_refused() {
    assert_syntax("Here it is:\n```json\n{\"a\":1}\n```", 0);
    assert_syntax("```json\n{\"a\":1}\n```\nDone.", 20);
    assert_syntax("```json\n{\"a\":1}\n````", 19);
    assert_syntax("```json title=x\n{\"a\":1}\n```", 8);
    assert_syntax("```json\n{\"a\":1}{\"b\":2}\n```", 15);
    assert_syntax("```json\n```json\n{\"a\":1}\n```\n```", 8);
    assert_syntax("```json\n```", 8);
    assert_syntax("{\"a\":1}\n```", 8);
    assert_syntax("``{\"a\":1}``", 0);
    assert_eq!(read("```json\n[1]\n```"), NOT_AN_OBJECT);
    assert_eq!(read("```json\nnull\n```"), NOT_AN_OBJECT);
}

#[test]
fn python_literals_are_read_as_bare_words() {
    assert_repaired(
        r#"{"a": True, "b": [False,None], "c": "True"}"#,
        r#"{"a": true, "b": [false,null], "c": "True"}"#,
        &[PythonLiteral],
    );
}

#[test]
fn other_bare_words_are_refused() {
    for word in
        ["TRUE", "Truely", "true1", "nil", "NaN", "Infinity", "-Infinity", "undefined", "yes", "None_"]
    {
        let text = format!("{{\"a\": {word}}}");
        assert_syntax(&text, 6 + usize::from(word.starts_with('-')));
    }
    assert_syntax("{True: 1}", 1);
    assert_syntax(r#"{"a": True False}"#, 11);
    assert_syntax(r#"{"a": "x" if True else None}"#, 10);
}

#[test]
fn single_quotes_become_double_ones() {
    assert_repaired(r"{'a': 'b', 'c': ['']}", r#"{"a": "b", "c": [""]}"#, &[SingleQuotes]);
    assert_repaired(r#"{'a': 'say "hi"'}"#, r#"{"a": "say \"hi\""}"#, &[SingleQuotes]);
    assert_repaired(r#"{'a': 'say \"hi\"'}"#, r#"{"a": "say \"hi\""}"#, &[SingleQuotes]);
    assert_repaired(r"{'a': 'it\'s'}", r#"{"a": "it's"}"#, &[SingleQuotes]);
    assert_repaired(r#"{'a': "it's"}"#, r#"{"a": "it's"}"#, &[SingleQuotes]);
    assert_repaired(r"{'a': 'x\n\\y\u00e9é'}", r#"{"a": "x\n\\y\u00e9é"}"#, &[SingleQuotes]);
    assert_repaired("{'a' : 'b'\n}", "{\"a\" : \"b\"\n}", &[SingleQuotes]);
}

#[test]
fn a_quote_that_may_or_may_not_end_a_string_is_refused() {
    assert_syntax(r"{'a': 'it's'}", 10);
    assert_syntax(r"{'a': 'say 'hi', you'}", 12);
    assert_syntax(r#"{"a": "say "hi" to"}"#, 12);
    assert_syntax(r#"{"a": "5" tall"}"#, 10);
    assert_syntax(r#"{"cmd": "grep "a","b" x"}"#, 15);
    assert_syntax(r"{'a': 'b' 'c'}", 10);
    assert_syntax(r"{'a': u'b'}", 6);
    assert_syntax("{`a`: 1}", 1);
    assert_syntax("{“a”: 1}", 1);
}

#[test]
fn escapes_that_json_does_not_know_are_refused() {
    assert_backslash(r#"{"re":"\d+"}"#, 7);
    assert_backslash(r#"{"path":"C:\bin\new\app.exe"}"#, 19);
    assert_backslash(r#"{"path":"C:\users"}"#, 11);
    assert_backslash(r#"{"path":"C:\data\"}"#, 11);
    assert_backslash(r#"{"a":"it\'s"}"#, 8);
    assert_backslash("{\"a\":\"b\\\nc\"}", 7);
    assert_backslash(r"{'a': '\x41'}", 7);
    assert_backslash(r"{'a': 'b\/c'}", 8);
    assert_backslash(r#"{"\d": 1}"#, 2);
}

#[test]
fn trailing_commas_go() {
    assert_repaired(r#"{"a":[1,2,],"b":{"c":1 , }, }"#, r#"{"a":[1,2],"b":{"c":1  } }"#, &[TrailingComma]);
    assert_repaired("{\"a\":1,/*x*/ // y\n}", "{\"a\":1 \n}", &[TrailingComma, Comment]);
}

#[test]
fn other_commas_out_of_place_are_refused() {
    assert_syntax("{,}", 1);
    assert_syntax(r#"{"a":[,]}"#, 6);
    assert_syntax(r#"{"a":1,,}"#, 7);
    assert_syntax(r#"{"a":1},"#, 7);
    assert_syntax(r#"{"a":,}"#, 5);
    assert_syntax(r#"{"a",}"#, 4);
    assert_syntax(r#"{"a":1},{"b":2}"#, 7);
}

#[test]
fn control_characters_in_strings_are_escaped() {
    assert_repaired(
        "{\"a\":\"x\n\ty\r\u{1}\u{7f}\", \"b\n\":\n1}",
        "{\"a\":\"x\\n\\ty\\r\\u0001\u{7f}\", \"b\\n\":\n1}",
        &[ControlCharacter],
    );
    assert_syntax("{\"a\":\u{1}1}", 5);
    assert_syntax("{\"a\":\u{b}1}", 5);
}

#[test]
fn comments_between_tokens_go() {
    assert_repaired(
        "// all of it\n{/*a*/\"a\"/**/:/* } */1, // b\n\"b\": \"// c /* d */\"} // e",
        "{\"a\":1, \n\"b\": \"// c /* d */\"}",
        &[Comment],
    );
    assert_repaired("{\"a\":1 // x\r\n}", "{\"a\":1 \r\n}", &[Comment]);
}

#[test]
fn what_is_no_comment_is_refused() {
    assert_syntax(r#"{"a":1 # x}"#, 7);
    assert_syntax(r#"{"a":1} /* x"#, 12);
    assert_syntax(r#"{"a":1} / x"#, 8);
    assert_syntax(r#"{"a":tr/**/ue}"#, 5);
    assert_syntax(r#"{"a":1/**/2}"#, 10);
    assert_syntax(r#"{"a":http://x}"#, 5);
}

#[test]
fn an_empty_object_before_the_real_one_goes() {
    assert_repaired(r#"{}{"a":1}"#, r#"{"a":1}"#, &[LeadingEmptyObject]);
    assert_repaired("{ }\n{\"a\":1}", r#"{"a":1}"#, &[LeadingEmptyObject]);
    assert_eq!(read(r#"{"a":1}{}"#), several(&[r#"{"a":1}"#, "{}"]));
    assert_eq!(read(r#"{}{"a":1}{"b":2}"#), several(&["{}", r#"{"a":1}"#, r#"{"b":2}"#]));
}

#[test]
fn the_same_object_again_is_one() {
    assert_repaired(r#"{"a":1}{"a":1}"#, r#"{"a":1}"#, &[Repeated]);
    assert_repaired(r#"{"a":1,"b":"é"} { "b" : "\u00e9" , "a":1}"#, r#"{"a":1,"b":"é"}"#, &[Repeated]);
    assert_repaired("{}{}", "{}", &[Repeated]);
    assert_repaired("{'a':1}{\"a\":1}{\"a\":1,}", r#"{"a":1}"#, &[SingleQuotes, TrailingComma, Repeated]);
}

#[test]
fn objects_that_differ_are_several() {
    assert_eq!(read(r#"{"q":"A"}{"q":"B"}"#), several(&[r#"{"q":"A"}"#, r#"{"q":"B"}"#]));
    assert_eq!(read("{\"a\":1}\n {\"a\":1.0}\n"), several(&[r#"{"a":1}"#, r#"{"a":1.0}"#]));
    assert_eq!(read("{'a':1}{'b':2}"), several(&[r#"{"a":1}"#, r#"{"b":2}"#]));
    let row = [r#"{"a":1}"#, r#"{"a":1}"#, r#"{"b":1}"#];
    assert_eq!(read(&row.concat()), several(&row));
    assert_syntax(r#"{"a":1}[1]"#, 7);
    assert_syntax(r#"{"a":1}null"#, 7);
    assert_syntax(r#"{"a":1}/**/{"b":1}"#, 11);
    assert_syntax(r#"[]{"a":1}"#, 2);
    assert_syntax("{\"a\":1};{\"b\":2}", 7);
}

#[test]
fn an_object_inside_a_string_is_taken_out() {
    assert_repaired(r#""{\"n\":2}""#, r#"{"n":2}"#, &[DoubleEncoded]);
    assert_repaired(r#"" {\"p\":\"C:\\\\x\"}\n""#, r#"{"p":"C:\\x"}"#, &[DoubleEncoded]);
    assert_repaired(r#""{'n': True}""#, r#"{"n": true}"#, &[DoubleEncoded, SingleQuotes, PythonLiteral]);
    assert_repaired(r#"'{"n":2}'"#, r#"{"n":2}"#, &[SingleQuotes, DoubleEncoded]);
    assert_eq!(read(r#""{\"a\":1}{\"b\":2}""#), several(&[r#"{"a":1}"#, r#"{"b":2}"#]));
}

#[test]
fn other_strings_are_no_object() {
    let twice = r#""\"{\\\"n\\\":2}\"""#;
    for text in [r#""hello""#, r#""null""#, r#""[1]""#, r#""{n:2}""#, r#""{\"a\":\"\ud800\"}""#, twice] {
        assert_eq!(read(text), NOT_AN_OBJECT, "{text}");
    }
}

#[test]
fn repairs_combine() {
    assert_repaired(
        "```python\n{'a': None, # \n```".replace("# ", "/* b */ 'c': 'd\ne',}").as_str(),
        "{\"a\": null,  \"c\": \"d\\ne\"}",
        &[SingleQuotes, PythonLiteral, Comment, ControlCharacter, TrailingComma, Fence],
    );
}

#[test]
fn what_needs_a_guess_is_refused() {
    assert_syntax(r#"{"a":1,"cmd":echo it's}"#, 13);
    assert_syntax(r#"{"a":1 "b":2}"#, 7);
    assert_syntax(r#"{"a" 1}"#, 5);
    assert_syntax("{a:1}", 1);
    assert_syntax(r#"{"a":}"#, 5);
    assert_syntax(r#"{{"a":1}}"#, 1);
    assert_syntax(r#"{{"a":1}"#, 1);
    assert_syntax(r#"{"a":1}}"#, 7);
    assert_syntax(r#"{"a":[1,2}"#, 9);
    assert_syntax(r#"{"a":(1,2)}"#, 5);
    assert_syntax(r#"Here is the call: {"a":1}"#, 0);
    assert_syntax(r#"{"a":1} That is all."#, 8);
    assert_syntax("hello", 0);
    for number in ["01", "+1", ".5", "1.", "1e", "0x10", "1_000", "--1"] {
        assert!(matches!(read(&format!("{{\"a\":{number}}}")), Reading::Unreadable(_)), "{number}");
    }
}

#[test]
fn it_is_told_what_was_expected_and_where() {
    for (text, why) in [
        (r#"{"a":1 "b":2}"#, Unreadable::Syntax { at: 7, expected: Expected::CommaOrBrace }),
        (r#"{"a":[1 2]}"#, Unreadable::Syntax { at: 8, expected: Expected::CommaOrBracket }),
        ("hello", Unreadable::Syntax { at: 0, expected: Expected::Object }),
        ("7", Unreadable::NotAnObject),
        (r#"{"a":"\d"}"#, Unreadable::Backslash { at: 6 }),
    ] {
        assert_eq!(read(text), Reading::Unreadable(why), "{text}");
    }
}
