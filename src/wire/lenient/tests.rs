mod cut;
mod repair;
mod rule;

use super::{Reading, Repair, Unreadable, read};

/// What `text` is repaired to, and how.
fn repaired(text: &str) -> (String, Vec<Repair>) {
    match read(text) {
        Reading::Repaired { text, repairs } => (text, repairs),
        other => panic!("{text:?} reads as {other:?}"),
    }
}

#[track_caller]
fn assert_repaired(text: &str, to: &str, by: &[Repair]) {
    let (text, repairs) = repaired(text);
    assert_eq!(text, to);
    assert_eq!(repairs, by);
    assert_eq!(read(&text), Reading::Exact);
}

#[track_caller]
fn assert_syntax(text: &str, at: usize) {
    match read(text) {
        Reading::Unreadable(Unreadable::Syntax { at: found, .. }) => assert_eq!(found, at, "{text:?}"),
        other => panic!("{text:?} reads as {other:?}"),
    }
}

#[track_caller]
fn assert_backslash(text: &str, at: usize) {
    assert_eq!(read(text), Reading::Unreadable(Unreadable::Backslash { at }), "{text:?}");
}
