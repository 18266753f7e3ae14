use bytes::Bytes;

use super::*;
use crate::dialect::Dialect;
use crate::wire::span::Span;
use crate::wire::splice::Change;

/// A result with this content, as it stands in a request.
fn transcript(content: &str) -> Transcript {
    let body = format!(r#"{{"messages":[{{"role":"tool", "content": {content} ,"tool_call_id":"a"}}]}}"#);
    Dialect::Chat.read(Bytes::from(body)).unwrap()
}

/// The content after its texts were changed. All else has to be as it was.
#[track_caller]
fn rewritten(content: &str, texts: &[Rewritten]) -> String {
    let transcript = transcript(content);
    let mut edits = Splices::default();
    rewrite(&transcript, &transcript.elements[0], texts, &mut edits);
    let body = String::from_utf8(edits.apply(transcript.body()).to_vec()).unwrap();
    Json::parse(&body).unwrap();
    let (before, rest) = body.split_once("\"content\": ").unwrap();
    let (content, after) = rest.rsplit_once(" ,\"tool_call_id\"").unwrap();
    assert_eq!((before, after), (r#"{"messages":[{"role":"tool", "#, r#":"a"}]}"#));
    content.to_owned()
}

fn change(start: usize, end: usize, with: &str) -> Rewritten {
    Rewritten::Changed(vec![Change { at: Span::new(start, end), with: with.to_owned() }])
}

#[test]
fn the_texts_are_those_that_the_content_joins() {
    for (content, texts) in [
        (r#""a\nb""#, vec!["a\nb"]),
        (r#"[{"type":"text","text":"a"},{"type":"image_url","image_url":{}},"b"]"#, vec!["a", "b"]),
        (r#"{"a":1}"#, vec![r#"{"a":1}"#]),
        ("[]", vec![]),
        ("null", vec![]),
    ] {
        let transcript = transcript(content);
        let found = transcript.texts(&transcript.elements[0]);
        assert_eq!(found, texts, "{content}");
        assert_eq!(found.join("\n"), transcript.content(&transcript.elements[0]), "{content}");
    }
}

#[test]
fn a_string_changes_where_it_is_told_to() {
    assert_eq!(rewritten(r#""\u00e9 one""#, &[change(3, 6, "\"two\"")]), r#""\u00e9 \"two\"""#);
    assert_eq!(rewritten(r#""one""#, &[Rewritten::Changed(Vec::new())]), r#""one""#);
}

#[test]
fn parts_keep_what_they_hold_besides() {
    let parts = r#"[{"type":"text", "text":"one","cache_control":{"type":"x"}},{"type":"image_url"}, {"text":"two"}]"#;
    let unchanged = || Rewritten::Changed(Vec::new());
    assert_eq!(
        rewritten(parts, &[change(0, 3, "new"), unchanged()]),
        r#"[{"type":"text", "text":"new","cache_control":{"type":"x"}},{"type":"image_url"}, {"text":"two"}]"#
    );
    assert_eq!(
        rewritten(parts, &[change(0, 1, "O"), Rewritten::Dropped]),
        r#"[{"type":"text", "text":"One","cache_control":{"type":"x"}},{"type":"image_url"}]"#
    );
    assert_eq!(
        rewritten(parts, &[Rewritten::Dropped, unchanged()]),
        r#"[{"type":"image_url"}, {"text":"two"}]"#
    );
    assert_eq!(rewritten(r#"["a","b"]"#, &[change(1, 1, "!"), Rewritten::Dropped]), r#"["a!"]"#);
}

#[test]
fn an_object_stays_one_unless_words_take_its_place() {
    assert_eq!(rewritten(r#"{"a":1,"b":2}"#, &[change(1, 7, "")]), r#"{"b":2}"#);
    assert_eq!(rewritten(r#"{"a":1}"#, &[change(0, 7, "Error: \"no\"")]), r#""Error: \"no\"""#);
}
