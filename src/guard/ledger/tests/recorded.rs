//! What the ledger would have refused in recorded conversations: `REMAND_DATA` names the folder.

use std::collections::HashSet;
use std::path::Path;

use bytes::Bytes;

use super::*;
use crate::dialect::{Dialect, Role};
use crate::guard::classify::classify;
use crate::guard::classify::tests::recorded::says_outright;
use crate::wire::canonical::digest;
use crate::wire::span::Json;

#[derive(Default, Debug)]
struct Tally {
    calls: usize,
    refused: usize,
    /// Refused, and yet it worked when it was made.
    wrong: Vec<String>,
    /// Refused, though its result says outright, without the classifier, that it worked.
    flagged: Vec<String>,
}

/// Of the answers in which no call comes again, one in so many is judged too.
const SAMPLE: usize = 16;

fn identity(call: &Call<'_>) -> Option<Key> {
    Some(Key { tool: call.name.to_string(), digest: digest(Json::parse(&call.arguments).ok()?, &[]) })
}

/// Judges each answer of a conversation by what stood before it, and looks at what came of it.
fn judge(conversation: &Transcript, rules: &Rules, tally: &mut Tally) {
    let mut made = HashSet::new();
    for (at, element) in conversation.elements.iter().enumerate() {
        let calls = conversation.calls(element);
        if element.role != Role::Assistant || calls.is_empty() {
            continue;
        }
        // Only a call that was made before can be refused: that this is so is looked at in a part of the others.
        let made_before = calls.iter().filter_map(identity).any(|key| made.contains(&key));
        made.extend(calls.iter().filter_map(identity));
        if !made_before && at % SAMPLE != 0 {
            tally.calls += calls.len();
            continue;
        }
        let mut before = conversation.clone();
        before.elements.truncate(at);
        let ledger = Ledger::fold(&before, rules, &mut identity);
        let mut changed = false;
        for call in &calls {
            tally.calls += 1;
            let policy = rules.policy(&call.name);
            let refused =
                identity(call).and_then(|key| ledger.precedent(&key, call, &policy, changed)).is_some();
            changed |= !refused && !is_read_only(&call.name, rules, &policy);
            if !refused {
                continue;
            }
            assert!(made_before, "{} was never called so before", call.name);
            tally.refused += 1;
            let mut after = conversation.elements[at + 1..].iter();
            let answer = after.find(|element| conversation.answers(element).as_deref() == Some(&*call.id));
            let text = answer.map(|element| conversation.content(element)).unwrap_or_default();
            if says_outright(&text).is_some_and(|(_, failed)| !failed) {
                tally.flagged.push(format!("{} {} => {text}", call.name, call.arguments));
            }
            if classify(&text, &policy, "/_terminal_failure") == Outcome::Success {
                tally.wrong.push(format!("{} {} => {text}", call.name, call.arguments));
            }
        }
    }
}

#[test]
fn no_recorded_call_that_worked_would_have_been_refused() {
    let Some(data) = std::env::var_os("REMAND_DATA") else {
        println!("skipped: REMAND_DATA is not set");
        return;
    };
    let (rules, mut tally) = (Rules::default(), Tally::default());
    for file in std::fs::read_dir(Path::new(&data).join("trajectories")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            for line in std::fs::read_to_string(path).unwrap().lines() {
                let conversation = Dialect::Chat.read(Bytes::from(line.to_owned())).unwrap();
                judge(&conversation, &rules, &mut tally);
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.wrong.is_empty() && tally.flagged.is_empty());
    assert!(tally.refused > 0, "a ledger that refuses nothing is never wrong");
}
