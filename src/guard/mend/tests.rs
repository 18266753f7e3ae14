//! Each kind of broken history, with the bytes it is told in.

mod element;
mod pairing;
mod recorded;
mod request;

use bytes::Bytes;

use super::{Mended, mend};
use crate::dialect::{Dialect, Transcript};
use crate::guard::notice::Notices;
use crate::wire::span::Json;

const SYSTEM: &str = r#"{"role":"system","content":"S"}"#;
const USER: &str = r#"{"role": "user","content":"go"}"#;
const STEER: &str = r#"{"role":"user","content":"also docx"}"#;
const WELL: &str = r#"{"role":"assistant","content":"Well."}"#;

/// What a mend puts in.
const LOST_LOOK: &str = "This call of look was interrupted: its result was not recorded and its outcome is unknown. Check what it did before you repeat it.";
const ORPHAN: &str = "The result of an earlier tool call that is no longer part of this conversation:";
const NOTHING: &str = "(The tool returned no output.)";
const ABOVE: &str =
    r#"{"role":"user","content":"(A result of look came in here. It stands above, behind its call.)"}"#;

/// An answer that calls `look` under these ids, each with other arguments.
fn calls(ids: &[&str]) -> String {
    let call = |(place, id): (usize, &&str)| {
        format!(
            r#"{{"id":"{id}","type":"function","function":{{"name":"look","arguments":"{{\"at\":{place}}}"}}}}"#
        )
    };
    let calls: Vec<_> = ids.iter().enumerate().map(call).collect();
    format!(r#"{{"role":"assistant","content":null,"tool_calls":[{}]}}"#, calls.join(","))
}

fn result(id: &str, text: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":"{text}"}}"#)
}

fn lost(id: &str) -> String {
    result(id, LOST_LOOK)
}

fn read(body: impl Into<Bytes>) -> Transcript {
    Dialect::Chat.read(body.into()).unwrap()
}

fn body(elements: &[String]) -> String {
    let tools = r#"[{"type":"function","function":{"name":"look"}}]"#;
    format!("{{\"model\":\"m\", \"messages\": [ {} ], \"tools\": {tools} }}\n", elements.join(" ,\n"))
}

/// A history whose elements are these.
fn history<T: AsRef<str>>(elements: &[T]) -> Vec<String> {
    elements.iter().map(|element| element.as_ref().to_owned()).collect()
}

fn elements(transcript: &Transcript) -> Vec<String> {
    let elements = transcript.elements.iter();
    elements.map(|element| transcript.json(element.span).text().to_owned()).collect()
}

fn codes(mended: &Mended) -> Vec<&'static str> {
    let mut codes: Vec<_> = mended.done.iter().map(|done| done.reason.code()).collect();
    codes.dedup();
    codes
}

/// Mends a history and looks at what comes of it: these elements, in a body that is mended for good.
#[track_caller]
fn check(what: &str, given: &[String], expected: &[String], reasons: &[&str]) {
    let original = read(body(given));
    let mended = mend(&original, &Notices::default()).unwrap_or_else(|| panic!("{what}: nothing was done"));
    assert_eq!(elements(&mended.transcript), expected, "{what}");
    assert_eq!(codes(&mended), reasons, "{what}");
    assert!(Json::parse(mended.transcript.text()).is_ok(), "{what}");
    assert_eq!(mended.places.len(), given.len(), "{what}");
    for (element, place) in given.iter().zip(&mended.places) {
        assert!(*place < expected.len(), "{what}: {element}");
        // What is told as it was is where it is said to be.
        if expected.contains(element) && given.iter().filter(|other| *other == element).count() == 1 {
            assert_eq!(expected[*place], *element, "{what}");
        }
    }
    let again = mend(&mended.transcript, &Notices::default());
    assert!(again.is_none(), "{what}: mended again: {:?}", again.map(|again| elements(&again.transcript)));
}

/// Nothing is done to this body.
#[track_caller]
fn check_sound(what: &str, body: &str) {
    let mended = mend(&read(body.to_owned()), &Notices::default());
    let told = mended.map(|mended| mended.transcript.text().to_owned());
    assert_eq!(told, None, "{what}");
}
