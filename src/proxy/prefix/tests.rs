use super::*;
use crate::config::plan::Secret;
use crate::dialect::Dialect;

fn prefixes(ttl: Duration) -> Prefixes {
    Prefixes::new(&State { memory: 2 * MEMORY, ttl, secret: Secret::new("s") })
}

fn request(messages: usize) -> Bytes {
    conversation("x", messages)
}

/// A request of so many messages, a bit longer than a block each.
fn conversation(word: &str, messages: usize) -> Bytes {
    let text = word.repeat(BLOCK.div_ceil(word.len()));
    let messages: Vec<_> =
        (0..messages).map(|number| format!(r#"{{"role":"user","content":"{number} {text}"}}"#)).collect();
    format!(r#"{{"messages":[{}],"model":"m"}}"#, messages.join(",")).into()
}

/// What is found for a request, which is then kept itself: the number of its messages.
fn see(prefixes: &Prefixes, tenant: u8, body: &Bytes) -> Option<usize> {
    let (found, trace) = prefixes.find(&Tenant::for_tests(tenant), body);
    let transcript = Dialect::Chat.read_behind(body.clone(), found.as_ref().map(|known| &*known.transcript));
    prefixes.keep(&trace, Arc::new(transcript.unwrap()), true);
    found.map(|known| known.transcript.elements.len())
}

#[test]
fn each_turn_finds_the_one_before_it() {
    let prefixes = prefixes(Duration::from_mins(1));
    assert_eq!(see(&prefixes, 1, &request(1)), None);
    for turn in 2..40 {
        assert_eq!(see(&prefixes, 1, &request(turn)), Some(turn - 1));
        assert_eq!(prefixes.known.len(), 1, "in its place");
    }
    assert_eq!(see(&prefixes, 1, &request(39)), Some(39), "sent again");
    assert_eq!(see(&prefixes, 2, &request(40)), None, "of another tenant");
    assert_eq!(see(&prefixes, 1, &request(80)), Some(39), "much came at once");
}

#[test]
fn what_is_too_old_is_not_found() {
    let prefixes = prefixes(Duration::ZERO);
    assert_eq!(see(&prefixes, 1, &request(3)), None);
    assert_eq!(see(&prefixes, 1, &request(4)), None);
}

#[test]
fn what_is_short_or_very_long_is_not_kept() {
    let prefixes = prefixes(Duration::from_mins(1));
    see(&prefixes, 1, &Bytes::from_static(br#"{"messages":[{"role":"user","content":"hi"}]}"#));
    assert_eq!(prefixes.known.len(), 0);
    see(&prefixes, 1, &request(MEMORY / 16 / BLOCK + 1));
    assert_eq!(prefixes.known.len(), 0);
    // Nothing can be told of a history that stands behind much else.
    see(&prefixes, 1, &format!(r#"{{"messages":[],"a":"{}"}}"#, "x".repeat(2 * BLOCK)).into());
    assert_eq!(prefixes.known.len(), 0);
}

#[test]
fn no_more_is_kept_than_there_is_room_for() {
    let prefixes = prefixes(Duration::from_mins(1));
    for number in 0..100_usize {
        see(&prefixes, 1, &conversation(&format!("{number} "), 256));
        assert!(prefixes.known.weight() <= MEMORY as u64);
    }
    assert!(prefixes.known.len() > 16, "{}", prefixes.known.len());
}

#[test]
fn who_remembers_nothing_keeps_no_request() {
    let state = State { memory: 0, ttl: Duration::from_mins(1), secret: Secret::new("s") };
    let prefixes = Prefixes::new(&state);
    assert_eq!((see(&prefixes, 1, &request(3)), see(&prefixes, 1, &request(4))), (None, None));
    assert_eq!(prefixes.known.len(), 0);
}
