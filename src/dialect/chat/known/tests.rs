use std::fmt::Write;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::*;
use crate::dialect::Dialect;

/// All that was read, however the entries are kept.
fn understood(transcript: &Transcript) -> String {
    let mut all = format!(
        "{:?} {:?} {} {} {} {:?} {} {} {} {:?} {:?}",
        transcript.model(),
        transcript.tools,
        transcript.closed,
        transcript.stream,
        transcript.choices,
        transcript.tool_choice,
        transcript.parallel,
        transcript.bare,
        transcript.usage,
        transcript.history,
        transcript.tool_choice_at,
    );
    for element in &transcript.elements {
        let entries = transcript.entries.get(element.entries.0..element.entries.1);
        let bare = Element { entries: (0, 0), ..element.clone() };
        write!(all, "\n{bare:?} {entries:?}").unwrap();
    }
    all
}

/// Reads a body behind an earlier one and by itself, and gives how many elements were taken over.
#[track_caller]
fn settled(earlier: &Transcript, body: &str) -> usize {
    let body = Bytes::copy_from_slice(body.as_bytes());
    match (Dialect::Chat.read_behind(body.clone(), Some(earlier)), Dialect::Chat.read(body)) {
        (Ok(behind), Ok(alone)) => {
            assert_eq!(understood(&behind), understood(&alone));
            assert!(alone.settled().is_empty());
            behind.settled().len()
        }
        (Err(behind), Err(alone)) => {
            assert_eq!(behind.to_string(), alone.to_string());
            0
        }
        (behind, alone) => panic!("{behind:?} is not {alone:?}"),
    }
}

fn read(body: &str) -> Transcript {
    Dialect::Chat.read(Bytes::copy_from_slice(body.as_bytes())).unwrap()
}

const TOOLS: &str = r#"[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}},{"type":"custom","custom":{"name":"p"}}]"#;
const MESSAGES: [&str; 8] = [
    r#"{"role":"user","content":"hi \u00e9 \ud83d"}"#,
    r#"{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 1}"}},{"id":"b","type":"custom","custom":{"name":"p","input":"*"}}]}"#,
    r#"{"role":"assistant","content":"é","function_call":{"name":"f","arguments":"{}"}}"#,
    r#"{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"one"}]}"#,
    r#"{"role":"assistant","content":"x","tool_calls":[],"function_call":{"name":"f","arguments":"{}"}}"#,
    "12",
    "123",
    "null",
];
const FRONTS: [&str; 4] =
    ["", r#""model":"m", "stream":true,"#, r#""n":2,"messages":[1],"#, r#""tools":[{"type":"hosted"}],"#];
const BACKS: [&str; 5] = [
    "",
    r#","model":"other","tool_choice":"required""#,
    r#","messages":[{"role":"user","content":"only"}]"#,
    r#","functions":[{"name":"old"}]"#,
    r#","tools":[]"#,
];

fn body(front: &str, messages: &[&str], tools: &str, back: &str) -> String {
    format!(r#"{{{front}"messages":[ {} ],"tools":{tools}{back}}}"#, messages.join(" ,"))
}

#[test]
fn what_a_conversation_begins_with_is_taken_over() {
    let before = body("", &MESSAGES[..4], TOOLS, "");
    let earlier = read(&before);
    assert_eq!(settled(&earlier, &before), 4);
    assert_eq!(settled(&earlier, &body("", &[&MESSAGES[..4], &MESSAGES[..2]].concat(), TOOLS, "")), 4);
    assert_eq!(settled(&earlier, &body("", &MESSAGES[..2], TOOLS, "")), 2);
    let changed = before.replace("one", "two");
    assert_eq!(settled(&earlier, &changed), 3, "up to what differs");
    assert_eq!(settled(&earlier, &before.replace("hi", "ho")), 0);
    assert_eq!(settled(&earlier, &body(FRONTS[1], &MESSAGES[..4], TOOLS, "")), 0, "it stands elsewhere");
}

#[test]
fn the_tools_are_taken_over_wherever_they_stand_now() {
    let earlier = read(&body("", &MESSAGES[..2], TOOLS, ""));
    for later in [
        body("", &MESSAGES[..4], TOOLS, ""),
        format!(r#"{{"tools":{TOOLS},"messages":[{}]}}"#, MESSAGES[0]),
        format!(r#"{{"tools":{TOOLS},"functions":[{{"name":"old"}}],"messages":[]}}"#),
        format!(r#"{{"functions":{TOOLS},"messages":[]}}"#),
    ] {
        settled(&earlier, &later);
        let known = Known::new(&earlier, &Bytes::from(later.clone()));
        let start = later.find(TOOLS).unwrap();
        let (tools, closed, end) = known.offer(start, false).unwrap();
        assert_eq!((tools.len(), closed, end), (2, true, start + TOOLS.len()));
        assert!(known.offer(start, true).is_none() && known.offer(start + 1, false).is_none());
    }
}

#[test]
fn a_number_is_known_only_where_it_ends() {
    let earlier = read(r#"{"messages":[{"role":"user"},12]}"#);
    assert_eq!(settled(&earlier, r#"{"messages":[{"role":"user"},123]}"#), 0);
}

#[test]
fn all_is_compared_however_long() {
    for length in [1, STEP - 1, STEP, STEP + 1, 3 * STEP] {
        let one = vec![b'x'; length];
        assert_eq!(alike(&one, &one), length);
        for at in [0, length / 2, length - 1] {
            let mut other = one.clone();
            other[at] = b'y';
            assert_eq!(alike(&one, &other), at);
        }
        assert_eq!(alike(&one, &one[..length / 2]), length / 2);
    }
}

fn any_body() -> impl Strategy<Value = String> {
    let messages = vec(select(&MESSAGES[..]), 0..8);
    let tools = select(&[TOOLS, "[]", "null"][..]);
    (select(&FRONTS[..]), messages, tools, select(&BACKS[..]))
        .prop_map(|(front, messages, tools, back)| body(front, &messages, tools, back))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn read_behind_any_other_it_reads_as_by_itself(earlier in any_body(), later in any_body()) {
        settled(&read(&earlier), &later);
    }

    #[test]
    fn read_behind_what_it_was_before_it_was_changed(
        earlier in any_body(),
        at in any::<Index>(),
        with in select(&["", ",", "}", "]", "1", "\"", "\\", " ", r#"{"role":"user"},"#][..]),
        takes in 0..3_usize,
    ) {
        let mut later = earlier.clone();
        let at = later.floor_char_boundary(at.index(later.len()));
        let end = later.ceil_char_boundary((at + takes).min(later.len()));
        later.replace_range(at..end, with);
        settled(&read(&earlier), &later);
    }
}
