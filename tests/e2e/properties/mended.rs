//! Generated histories, sound ones and damaged ones, held against a provider that is as strict as real ones.

use bytes::Bytes;
use proptest::collection::vec;
use proptest::prelude::*;
use remand::dialect::{Dialect, Role, Transcript};
use remand::guard::Reason;
use remand::guard::mend::{Done, Mended, mend};
use remand::guard::notice::Notices;
use remand::replay::strict;
use remand::wire::span::Json;

use crate::scene::{elements, result, user};

/// One way to call.
#[derive(Clone, Copy, Debug)]
enum Form {
    Function,
    Custom,
    Legacy,
}

/// What happens between two of the user's messages.
#[derive(Clone, Debug)]
struct Turn {
    /// Each answer calls by one form, under ids that are new or come again.
    answers: Vec<(Form, usize, bool)>,
    says: bool,
}

/// What befalls a history. Numbers are taken modulo what is there.
#[derive(Clone, Copy, Debug)]
enum Damage {
    Drop(usize),
    Move(usize, usize),
    Repeat(usize, usize),
    Steer(usize),
    /// Another id in the place of the one it has.
    Rename(usize, usize),
    /// No id in the place of the one it has.
    Unname(usize, usize),
    /// What stands in for a result.
    Placeholder(usize, usize),
    Arguments(usize, usize),
    Name(usize),
    Empty(usize, usize),
    Image(usize),
    EmptyCalls(usize),
    /// An answer without calls loses its content, and the text in it.
    Silence(usize, usize),
    Twice(usize, bool),
    Half(usize),
    CutFront(usize),
    CutBack(usize),
}

const TOOLS: &str =
    r#"[{"type":"function","function":{"name":"look"}},{"type":"custom","custom":{"name":"patch"}}]"#;

/// Texts in the place of arguments, escaped.
const ARGUMENTS: [&str; 9] = [
    "",
    "null",
    "[]",
    r#"{\"at\":"#,
    r#"{\"path\":\"C:\\dir\"}"#,
    r#"\"{\\\"at\\\":1}\""#,
    r#"{\"at\":1,}"#,
    r#"{\"at\":\"\\ud83d\"}"#,
    r#"{}{\"at\":2}{\"at\":3}"#,
];

const EMPTY: [&str; 5] =
    ["\"\"", "null", "[]", r#"[{"type":"text","text":""}]"#, r#"[{"type":"text","text":null}]"#];

/// What agents put in the place of a result.
const PLACEHOLDERS: [&str; 3] =
    ["aborted", "Tool call look with id call_1_0 was cancelled.", "[Request interrupted by user]"];

const NO_ID: [&str; 3] = ["\"\"", "null", "7"];

const SILENCE: [&str; 3] = [r#","content":null"#, r#","content":[]"#, ""];

fn turn() -> impl Strategy<Value = Turn> {
    let form = prop_oneof![6 => Just(Form::Function), 1 => Just(Form::Custom), 1 => Just(Form::Legacy)];
    let answers = vec((form, 1..4_usize, any::<bool>()), 0..4);
    (answers, any::<bool>()).prop_map(|(answers, says)| Turn { answers, says })
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = 0..1000_usize;
    prop_oneof![
        4 => at.clone().prop_map(Damage::Drop),
        4 => (at.clone(), at.clone()).prop_map(|(from, to)| Damage::Move(from, to)),
        3 => (at.clone(), at.clone()).prop_map(|(from, to)| Damage::Repeat(from, to)),
        2 => at.clone().prop_map(Damage::Steer),
        2 => (at.clone(), 0..6_usize).prop_map(|(at, id)| Damage::Rename(at, id)),
        2 => (at.clone(), 0..NO_ID.len()).prop_map(|(at, which)| Damage::Unname(at, which)),
        1 => (at.clone(), 0..PLACEHOLDERS.len()).prop_map(|(at, which)| Damage::Placeholder(at, which)),
        2 => (at.clone(), 0..ARGUMENTS.len()).prop_map(|(at, which)| Damage::Arguments(at, which)),
        1 => at.clone().prop_map(Damage::Name),
        2 => (at.clone(), 0..EMPTY.len()).prop_map(|(at, which)| Damage::Empty(at, which)),
        1 => at.clone().prop_map(Damage::Image),
        1 => at.clone().prop_map(Damage::EmptyCalls),
        1 => (at.clone(), 0..SILENCE.len()).prop_map(|(at, which)| Damage::Silence(at, which)),
        2 => (at.clone(), any::<bool>()).prop_map(|(at, equal)| Damage::Twice(at, equal)),
        1 => at.clone().prop_map(Damage::Half),
        1 => at.clone().prop_map(Damage::CutFront),
        1 => at.prop_map(Damage::CutBack),
    ]
}

fn calls(form: Form, ids: &[String], number: usize) -> String {
    let call = |id: &String| match form {
        Form::Custom => {
            format!(r#"{{"id":"{id}","type":"custom","custom":{{"name":"patch","input":"{{{number}"}}}}"#)
        }
        _ => format!(
            r#"{{"id":"{id}","type":"function","function":{{"name":"look","arguments":"{{\"at\":{number}}}"}}}}"#
        ),
    };
    let calls: Vec<_> = ids.iter().map(call).collect();
    format!(r#"{{"role":"assistant","content":"c{number}","tool_calls":[{}]}}"#, calls.join(","))
}

/// A history as a good agent writes it. Each text comes once.
fn sound(turns: &[Turn]) -> Vec<String> {
    let mut history = vec![r#"{"role":"system","content":"S"}"#.to_owned()];
    let mut number = 0;
    for turn in turns {
        history.push(user(&format!("u{number}")));
        for (form, count, again) in &turn.answers {
            number += 1;
            if matches!(form, Form::Legacy) {
                history.push(format!(
                    r#"{{"role":"assistant","content":"c{number}","function_call":{{"name":"look","arguments":"{{}}"}}}}"#
                ));
                history.push(format!(r#"{{"role":"function","name":"look","content":"r{number}"}}"#));
                continue;
            }
            let id = |place| if *again { format!("call_{place}") } else { format!("call_{number}_{place}") };
            let ids: Vec<_> = (0..*count).map(id).collect();
            history.push(calls(*form, &ids, number));
            history
                .extend(ids.iter().enumerate().map(|(place, id)| result(id, &format!("r{number}.{place}"))));
        }
        if turn.says {
            number += 1;
            history.push(format!(r#"{{"role":"assistant","content":"w{number}"}}"#));
        }
    }
    history.push(user("end"));
    history
}

/// What stands behind `key` in an element: a string without escapes, its quotes included.
fn string<'a>(element: &'a str, key: &str) -> Option<&'a str> {
    let (_, rest) = element.split_once(&format!("\"{key}\":"))?;
    let inside = rest.strip_prefix('"')?;
    rest.get(..inside.find('"')? + 2)
}

fn replace(element: &mut String, key: &str, with: &str) {
    if let Some(known) = string(element, key).map(|known| format!("\"{key}\":{known}")) {
        *element = element.replacen(&known, &format!("\"{key}\":{with}"), 1);
    }
}

fn is_result(element: &str) -> bool {
    [r#""role":"tool""#, r#""role":"function""#].iter().any(|role| element.contains(role))
}

fn harm(history: &mut Vec<String>, damage: Damage) {
    let length = history.len();
    if length == 0 {
        return;
    }
    let at = |place: usize| place % length;
    match damage {
        Damage::Drop(place) => drop(history.remove(at(place))),
        Damage::Move(from, to) => {
            let element = history.remove(at(from));
            history.insert(at(to), element);
        }
        Damage::Repeat(from, to) => history.insert(at(to), history[at(from)].clone()),
        Damage::Steer(place) => history.insert(at(place), user(&format!("steer{place}"))),
        Damage::Rename(place, id) => {
            for key in ["id", "tool_call_id"] {
                replace(&mut history[at(place)], key, &format!("\"call_{id}\""));
            }
        }
        Damage::Unname(place, which) => {
            for key in ["id", "tool_call_id"] {
                replace(&mut history[at(place)], key, NO_ID[which]);
            }
        }
        Damage::Placeholder(place, which) if is_result(&history[at(place)]) => {
            replace(&mut history[at(place)], "content", &format!("\"{}\"", PLACEHOLDERS[which]));
        }
        Damage::Arguments(place, which) => {
            let element = &mut history[at(place)];
            if let Some((before, rest)) = element.split_once(r#""arguments":""#)
                && let Some((_, after)) = rest.split_once("}\"")
            {
                *element = format!(r#"{before}"arguments":"{}"{after}"#, ARGUMENTS[which]);
            }
        }
        Damage::Name(place) if history[at(place)].contains("\"tool_calls\"") => {
            replace(&mut history[at(place)], "name", "\"functions.look<|x|>\"");
        }
        Damage::Empty(place, which) if is_result(&history[at(place)]) => {
            replace(&mut history[at(place)], "content", EMPTY[which]);
        }
        Damage::Image(place) if is_result(&history[at(place)]) => {
            let text = string(&history[at(place)], "content").unwrap_or("\"x\"").to_owned();
            let parts = format!(
                r#"[{{"type":"text","text":{text}}},{{"type":"image_url","image_url":{{"url":"data:{place}"}}}}]"#
            );
            replace(&mut history[at(place)], "content", &parts);
        }
        Damage::EmptyCalls(place) if history[at(place)].contains(r#""content":"w"#) => {
            history[at(place)] = history[at(place)].replace("\"}", r#"","tool_calls":[]}"#);
        }
        Damage::Silence(place, which) if history[at(place)].contains(r#""content":"w"#) => {
            let element = &mut history[at(place)];
            let content = format!(",\"content\":{}", string(element, "content").unwrap_or_default());
            *element = element.replace(&content, SILENCE[which]);
        }
        Damage::Twice(place, equal) => {
            let element = history[at(place)].clone();
            let calls = Json::parse(&element).unwrap().member("tool_calls");
            if let Some(call) = calls.and_then(|calls| calls.elements().next()) {
                let other =
                    if equal { call.text().to_owned() } else { call.text().replace(r#"{\"at"#, r#"{\"b"#) };
                history[at(place)] = element.replacen(call.text(), &format!("{},{other}", call.text()), 1);
            }
        }
        Damage::Half(place) => {
            let element = &mut history[at(place)];
            *element = element.replacen(r#""content":""#, r#""content":"\ud83d"#, 1);
        }
        Damage::CutFront(place) => drop(history.drain(..at(place) / 2)),
        Damage::CutBack(place) => history.truncate(length - at(place) / 2),
        _ => {}
    }
}

fn body(history: &[String]) -> Bytes {
    format!(r#"{{"model":"m", "messages":[{}],"tools":{TOOLS}}}"#, history.join(" ,\n")).into()
}

fn read(history: &[String]) -> Transcript {
    Dialect::Chat.read(body(history)).unwrap()
}

fn mended(history: &[String]) -> Option<Mended> {
    mend(&read(history), &Notices::default())
}

/// The elements as the provider is told them.
fn told(history: &[String]) -> Vec<String> {
    match mended(history) {
        Some(mended) => elements(mended.transcript.text()),
        None => history.to_vec(),
    }
}

fn damaged() -> impl Strategy<Value = Vec<String>> {
    (vec(turn(), 1..5), vec(damage(), 1..7)).prop_map(|(turns, damages)| {
        let mut history = sound(&turns);
        for damage in damages {
            harm(&mut history, damage);
        }
        history
    })
}

fn has_texts(body: &str, element: &str) -> bool {
    // Texts are letters and digits, so that they stand in the body as they stand here.
    let text = element.split_once(r#""content":""#).and_then(|(_, rest)| rest.split(['"', '\\']).next());
    text.is_none_or(|text| body.contains(text))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_sound_history_is_not_touched(turns in vec(turn(), 0..6)) {
        let history = sound(&turns);
        prop_assert_eq!(strict::refusal(read(&history).body()), None);
        prop_assert!(mended(&history).is_none());
    }

    #[test]
    fn whatever_befell_a_history_a_strict_provider_takes_it(history in damaged()) {
        prop_assume!(!history.is_empty());
        let original = read(&history);
        let Some(mended) = mended(&history) else {
            prop_assert_eq!(strict::refusal(original.body()), None);
            return Ok(());
        };
        let body = mended.transcript.text();
        prop_assert_eq!(strict::refusal(body.as_bytes()), None, "{}", body);
        // Mended twice is mended once.
        prop_assert!(mend(&mended.transcript, &Notices::default()).is_none(), "{}", body);
        // It never comes to end with an answer.
        let last = |transcript: &Transcript| transcript.elements.last().map(|element| element.role);
        if last(&mended.transcript) == Some(Role::Assistant) {
            prop_assert_eq!(last(&original), Some(Role::Assistant));
        }
        // Every element is where it is said to be, as far as it is still there, and nothing it says is lost.
        let told = elements(body);
        let drops = |index| {
            let is_it = |done: &Done| done.reason == Reason::MendedDuplicate && done.element == Some(index);
            mended.done.iter().any(is_it)
        };
        // Of two results one is dropped only while they are coming in.
        let is_coming = |index: usize| {
            let before = history[..index].iter().rfind(|element| !is_result(element));
            before.is_some_and(|before| before.contains("_call"))
        };
        for (index, (element, place)) in history.iter().zip(&mended.places).enumerate() {
            prop_assert!(*place < told.len());
            prop_assert!(is_result(element) && drops(index) && is_coming(index) || has_texts(body, element), "{} is lost in {}", element, body);
            if element.contains(r#""role":"user""#) && !element.contains("ud83d") {
                prop_assert_eq!(&told[*place], element);
            }
        }
    }

    #[test]
    fn a_history_that_goes_on_is_told_as_it_was_told(history in damaged(), cut in 0..1000_usize) {
        let (before, _) = history.split_at(cut % (history.len() + 1));
        let (first, later) = (told(before), told(&history));
        // Only up to a call that was still open; and while results are coming, to one that says nothing, for the
        // real one may still come.
        let is_coming = history.get(before.len()).is_some_and(|next| is_result(next));
        let mended = mended(before);
        let open = mended.iter().flat_map(|mended| mended.done.iter().map(|done| (done, &mended.places)));
        let open = open.filter(|(done, _)| {
            done.reason == Reason::MendedMissing || is_coming && done.reason == Reason::MendedEmpty
        });
        let open = open.filter_map(|(done, places)| Some(places[done.element?]));
        let stable = open.min().unwrap_or(first.len());
        prop_assert_eq!(&later[..stable.min(later.len())], &first[..stable]);
    }

    #[test]
    fn what_was_seen_before_is_mended_as_if_it_had_not_been(
        turns in vec(turn(), 1..5),
        cut in 0..1000_usize,
        damages in vec(damage(), 0..4),
    ) {
        let mut history = sound(&turns);
        let mut rest = history.split_off(cut % (history.len() + 1));
        let before = read(&history);
        for damage in damages {
            harm(&mut rest, damage);
        }
        history.append(&mut rest);
        let mut seen = Dialect::Chat.read_behind(body(&history), Some(&before)).unwrap();
        if mend(&before, &Notices::default()).is_some() {
            seen.unsettle();
        }
        let told = |transcript: &Transcript| {
            mend(transcript, &Notices::default())
                .map(|mended| (mended.transcript.text().to_owned(), mended.places, mended.done))
        };
        prop_assert_eq!(told(&seen), told(&read(&history)));
    }
}
