//! Answers of any make, calls decided at will: the agent gets what was forwarded, and nothing of the rest.

#![expect(clippy::disallowed_methods, reason = "what a provider writes is made here, not relayed")]

use proptest::collection::vec;
use proptest::prelude::*;
use remand::dialect::{Answer, Decision, NewCall};
use remand::wire::sse::{Frame, Framer};
use serde_json::{Value, json};

use crate::court::{Cut, transcript};
use crate::scene::Message;

/// What is to become of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fate {
    Forward,
    Refuse,
    /// So many calls go out in its place.
    Replace(usize),
}

#[derive(Clone, Debug)]
enum Block {
    Text(String),
    /// Calls whose pieces take turns if the round is woven.
    Calls(Vec<(Fate, String)>),
}

/// How a provider writes.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each oddity comes with any other")]
struct Dress {
    chunk: usize,
    woven: bool,
    /// The role comes with the first thing said, not in an event of its own.
    role_inside: bool,
    role_each: bool,
    id_each: bool,
    numbered: bool,
    finish_inside: bool,
    finish_twice: bool,
    done: bool,
    crlf: bool,
    id_of_its_own: bool,
}

#[derive(Clone, Debug)]
struct Round {
    blocks: Vec<Block>,
    dress: Dress,
}

const REQUEST: &str = r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"go"}],"tools":[{"type":"function","function":{"name":"look"}}]}"#;

fn dress() -> impl Strategy<Value = Dress> {
    (1..20_usize, vec(any::<bool>(), 10)).prop_map(|(chunk, flags)| Dress {
        chunk,
        woven: flags[0] && flags[4],
        role_inside: flags[1],
        role_each: flags[2] && !flags[1],
        id_each: flags[3],
        numbered: flags[4],
        finish_inside: flags[5],
        finish_twice: flags[6],
        done: flags[7],
        crlf: flags[8],
        id_of_its_own: flags[9],
    })
}

fn block() -> impl Strategy<Value = Block> {
    let fate = prop_oneof![
        3 => Just(Fate::Forward),
        3 => Just(Fate::Refuse),
        1 => (1..3_usize).prop_map(Fate::Replace),
    ];
    let text = "[a-z \"\\\\\n😀ü}{]{0,12}";
    prop_oneof![text.prop_map(Block::Text), vec((fate, text), 1..4).prop_map(Block::Calls),]
}

fn round() -> impl Strategy<Value = Round> {
    (vec(block(), 0..5), dress()).prop_map(|(blocks, dress)| Round { blocks, dress })
}

/// A call of round `round`, the `position`-th: its id, and its arguments.
fn call(round: usize, position: usize, fate: Fate, text: &str) -> (String, String) {
    let kind = if fate == Fate::Refuse { "secret" } else { "fine" };
    let id = format!("{kind}_{round}_{position}");
    let arguments = json!({ "mark": id, "text": text }).to_string();
    (id, arguments)
}

fn pieces(text: &str, chunk: usize) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(chunk).map(|piece| piece.iter().collect()).collect()
}

impl Round {
    fn calls(&self) -> Vec<(Fate, String)> {
        let calls = self.blocks.iter().filter_map(|block| match block {
            Block::Calls(calls) => Some(calls.clone()),
            Block::Text(_) => None,
        });
        calls.flatten().collect()
    }

    fn text(&self) -> String {
        let texts = self.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            Block::Calls(_) => None,
        });
        texts.collect()
    }

    /// Every call is refused, and there is one.
    fn is_refused(&self) -> bool {
        let calls = self.calls();
        !calls.is_empty() && calls.iter().all(|(fate, _)| *fate == Fate::Refuse)
    }

    fn deltas(&self, round: usize) -> Vec<Value> {
        let mut deltas = Vec::new();
        let mut position = 0;
        for block in &self.blocks {
            match block {
                Block::Text(text) => {
                    deltas
                        .extend(pieces(text, self.dress.chunk).iter().map(|piece| json!({"content": piece})));
                }
                Block::Calls(calls) => {
                    let mut rows = Vec::new();
                    for (fate, text) in calls {
                        let (id, arguments) = call(round, position, *fate, text);
                        rows.push(self.fragments(position, *fate, &id, &arguments));
                        position += 1;
                    }
                    if self.dress.woven {
                        let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
                        for at in 0..longest {
                            deltas.extend(rows.iter().filter_map(|row| row.get(at).cloned()));
                        }
                    } else {
                        deltas.extend(rows.concat());
                    }
                }
            }
        }
        deltas
    }

    fn fragments(&self, position: usize, fate: Fate, id: &str, arguments: &str) -> Vec<Value> {
        let name = if fate == Fate::Refuse { "hidden_tool" } else { "look" };
        let mut fragments =
            vec![json!({"id": id, "type": "function", "function": {"name": name, "arguments": ""}})];
        for piece in pieces(arguments, self.dress.chunk) {
            let mut fragment = json!({"function": {"arguments": piece}});
            if self.dress.id_each {
                fragment["id"] = id.into();
            }
            fragments.push(fragment);
        }
        for fragment in &mut fragments {
            if self.dress.numbered {
                fragment["index"] = position.into();
            }
        }
        fragments.into_iter().map(|fragment| json!({"tool_calls": [fragment]})).collect()
    }

    fn stream(&self, round: usize) -> Vec<u8> {
        let dress = self.dress;
        let mut deltas = self.deltas(round);
        if !dress.role_inside || deltas.is_empty() {
            deltas.insert(0, json!({"content": ""}));
        }
        for (place, delta) in deltas.iter_mut().enumerate() {
            if place == 0 || dress.role_each {
                delta["role"] = "assistant".into();
            }
        }
        let reason = if self.calls().is_empty() { "stop" } else { "tool_calls" };
        let id = if dress.id_of_its_own { format!("r{round}") } else { "r".to_owned() };
        let event = |delta: &Value, finish: Value| json!({"id": id, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
        let last = if dress.finish_inside { deltas.pop() } else { None };
        let mut events: Vec<_> = deltas.iter().map(|delta| event(delta, Value::Null)).collect();
        events.push(event(&last.unwrap_or(json!({})), reason.into()));
        if dress.finish_twice {
            events.push(event(&json!({}), reason.into()));
        }
        let mut stream: String =
            events.iter().map(|event| format!("data: {event}\n\n")).collect::<Vec<_>>().concat();
        if dress.done {
            stream.push_str("data: [DONE]\n\n");
        }
        if dress.crlf { stream.replace('\n', "\r\n") } else { stream }.into_bytes()
    }

    /// The calls that go out.
    fn outgoing(&self, round: usize) -> Vec<(Option<String>, String, String)> {
        let mut outgoing = Vec::new();
        for (position, (fate, text)) in self.calls().into_iter().enumerate() {
            let (id, arguments) = call(round, position, fate, &text);
            match fate {
                Fate::Forward => outgoing.push((Some(id), "look".to_owned(), arguments)),
                Fate::Refuse => {}
                Fate::Replace(times) => {
                    for part in 0..times {
                        let id = Some(id.clone()).filter(|_| part == 0);
                        outgoing.push((id, format!("new_{part}"), format!("{{\"part\":{part}}}")));
                    }
                }
            }
        }
        outgoing
    }
}

/// Plays the rounds until one is not refused whole; what the agent gets, and the round that was the last.
fn play(rounds: &[Round], cut: Cut) -> (String, usize, Vec<String>) {
    let transcript = transcript(REQUEST);
    let mut answer = Answer::new(&transcript, 1 << 20);
    let (mut out, mut shown) = (Vec::new(), Vec::new());
    for (number, round) in rounds.iter().enumerate() {
        let mut framer = Framer::new(usize::MAX);
        for read in cut.cut(&round.stream(number)) {
            framer.push(read);
            while let Ok(Some(frame)) = framer.next_frame() {
                feed(&mut answer, frame, round, &mut out);
            }
        }
        while let Some(frame) = framer.finish() {
            feed(&mut answer, frame, round, &mut out);
        }
        if !answer.must_wait() {
            answer.end(&mut out).unwrap();
            return (String::from_utf8(out.concat()).unwrap(), number, shown);
        }
        let elements = answer.remand(&mut out);
        shown.extend(elements.iter().map(|element| String::from_utf8(element.to_vec()).unwrap()));
    }
    unreachable!("the last round is not refused");
}

fn feed(answer: &mut Answer, frame: Frame, round: &Round, out: &mut Vec<bytes::Bytes>) {
    answer.push(frame, false).unwrap();
    while let Some(pending) = answer.next_call() {
        let decision = match round.calls()[pending.position].0 {
            Fate::Forward => Decision::Forward,
            Fate::Refuse => Decision::Refuse("not so".to_owned()),
            Fate::Replace(times) => {
                let part =
                    |part| NewCall { name: format!("new_{part}"), arguments: format!("{{\"part\":{part}}}") };
                Decision::Replace((0..times).map(part).collect())
            }
        };
        answer.decide(pending.position, decision);
    }
    while answer.release(out) {}
}

proptest! {
    #[test]
    fn the_agent_holds_what_was_forwarded_and_nothing_of_the_rest(
        mut rounds in vec(round(), 1..4),
        cut in prop_oneof![Just(Cut::Bytes(1)), Just(Cut::Events), any::<u64>().prop_map(Cut::Random)],
    ) {
        let last = Round { blocks: vec![Block::Text("over".to_owned())], dress: rounds[0].dress };
        rounds.push(last);
        let (out, played, shown) = play(&rounds, Cut::Whole);
        let message = Message::streamed(&out);
        let outgoing = rounds[played].outgoing(played);
        prop_assert_eq!(message.calls.len(), outgoing.len(), "{}", out);
        for (got, (id, name, arguments)) in message.calls.iter().zip(&outgoing) {
            prop_assert!(id.as_ref().is_none_or(|id| *id == got.0), "{}", out);
            prop_assert!(!got.0.is_empty());
            prop_assert_eq!((&got.1, &got.2), (name, arguments), "{}", out);
        }
        let ids: std::collections::BTreeSet<_> = message.calls.iter().map(|call| &call.0).collect();
        prop_assert_eq!(ids.len(), message.calls.len(), "ids are unique");

        let texts: Vec<_> = rounds[..=played].iter().map(Round::text).filter(|text| !text.is_empty()).collect();
        prop_assert_eq!(&message.text, &texts.join("\n\n"), "{}", out);
        prop_assert!(!out.contains("secret_") && !out.contains("hidden_tool"), "{}", out);

        let dress = rounds[played].dress;
        prop_assert_eq!(message.finishes, 1 + usize::from(dress.finish_twice), "{}", out);
        prop_assert_eq!((message.dones, message.ids.len()), (1, 1), "{}", out);
        let told = !message.calls.is_empty() || !message.text.is_empty();
        if !rounds[..=played].iter().any(|round| round.dress.role_each) && told {
            prop_assert_eq!(message.roles, 1, "{}", out);
        }
        let finish = if outgoing.is_empty() { "stop" } else { "tool_calls" };
        prop_assert_eq!(message.finish, finish, "{}", out);

        for round in &rounds[..played] {
            prop_assert!(round.is_refused());
        }
        let refused: usize = rounds[..played].iter().map(|round| round.calls().len()).sum();
        prop_assert_eq!(shown.len(), played + refused, "one element a round, one result a call");
        for element in shown {
            prop_assert!(serde_json::from_str::<Value>(&element).is_ok(), "{}", element);
        }
        prop_assert_eq!(&play(&rounds, cut).0, &out, "{:?}", cut);
    }

    #[test]
    fn what_nothing_is_wrong_with_is_not_touched(round in round(), seed in any::<u64>()) {
        let mut round = round;
        for block in &mut round.blocks {
            if let Block::Calls(calls) = block {
                for (fate, _) in calls {
                    *fate = Fate::Forward;
                }
            }
        }
        round.dress = Dress { id_each: false, numbered: true, done: true, ..round.dress };
        let stream = String::from_utf8(round.stream(0)).unwrap();
        let rounds = [round];
        prop_assert_eq!(&play(&rounds, Cut::Random(seed)).0, &stream);
        prop_assert_eq!(&play(&rounds, Cut::Whole).0, &stream);
    }
}
