//! What the parts of an exchange cost, one by one: `cargo bench --bench micro`.
//!
//! Figures of one run may be compared with each other. What an exchange costs as a whole, and beside nginx, is
//! measured by `bench/run.py`.

#![expect(clippy::unwrap_used, reason = "the samples are known to be good")]

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use remand::dialect::{Answer, Call, CallKind, Decision, Dialect, Transcript};
use remand::guard::arguments::{Schema, Schemas};
use remand::guard::bench::{Bench, Circumstances};
use remand::guard::ledger::Ledger;
use remand::guard::mend::mend;
use remand::guard::notice::Notices;
use remand::guard::{Rules, Verdict};
use remand::replay::{Script, Step};
use remand::wire::canonical;
use remand::wire::span::Json;
use remand::wire::sse::Framer;

#[path = "bench/rig/request.rs"]
mod request;
#[path = "bench/rig/scene.rs"]
#[expect(dead_code, reason = "the rig uses the rest of it")]
mod scene;

const KB: usize = 1 << 10;

fn main() {
    divan::main();
}

fn transcript(body: Bytes) -> Transcript {
    Dialect::Chat.read(body).unwrap()
}

#[divan::bench(args = [32 * KB, 1024 * KB])]
fn read_request(bencher: Bencher<'_, '_>, size: usize) {
    let body = Bytes::from(request::body(size, true));
    bencher
        .counter(BytesCount::of_slice(&body))
        .bench(|| transcript(black_box(&body).clone()).elements.len());
}

/// Sixty events, `size` bytes a piece as they come from the socket.
#[divan::bench(args = [200, 8 * KB])]
fn frame_events(bencher: Bencher<'_, '_>, size: usize) {
    let stream = Bytes::from(scene::Scene::Stream.events().concat());
    let pieces: Vec<Bytes> = stream.chunks(size).map(|piece| stream.slice_ref(piece)).collect();
    bencher.counter(BytesCount::of_slice(&stream)).bench(|| {
        let (mut framer, mut frames) = (Framer::new(1 << 20), 0);
        for piece in black_box(&pieces) {
            framer.push(piece.clone());
            while let Ok(Some(_)) = framer.next_frame() {
                frames += 1;
            }
        }
        frames
    });
}

/// A call of 32 KB that is held to its end and let go, `size` bytes of arguments an event.
#[divan::bench(args = [4, 64, 1024])]
fn hold_a_call(bencher: Bencher<'_, '_>, size: usize) {
    let transcript = transcript(request::body(32 * KB, true).into());
    let pieces = (0..32 * KB / size).map(|_| scene::call_piece(&"x".repeat(size)));
    let begin = [scene::call_start(), scene::call_piece("{\"text\":\"")];
    let events =
        begin.into_iter().chain(pieces).chain([scene::call_piece("\"}"), scene::finish("tool_calls")]);
    let stream = Bytes::from(events.collect::<String>());
    bencher.counter(BytesCount::of_slice(&stream)).bench(|| {
        let (mut framer, mut out) = (Framer::new(1 << 20), Vec::new());
        let mut answer = Answer::new(&transcript, 1 << 20);
        framer.push(black_box(&stream).clone());
        while let Ok(Some(frame)) = framer.next_frame() {
            answer.push(frame, false).unwrap();
            while let Some(pending) = answer.next_call() {
                answer.decide(pending.position, Decision::Forward);
            }
            while answer.release(&mut out) {}
        }
        assert_eq!(out.iter().map(Bytes::len).sum::<usize>(), stream.len());
    });
}

#[divan::bench(args = [100, 32 * KB])]
fn digest_arguments(bencher: Bencher<'_, '_>, size: usize) {
    let text = arguments(size);
    let json = Json::parse(&text).unwrap();
    bencher.counter(BytesCount::of_str(&text)).bench(|| canonical::digest(black_box(json), &[]));
}

/// Its schema is compiled already, and nothing in the history is of interest.
#[divan::bench]
fn judge_a_valid_call(bencher: Bencher<'_, '_>) {
    let (transcript, rules) = (transcript(request::body(32 * KB, true).into()), Rules::default());
    let (schemas, text) = (Kept::default(), arguments(100));
    bencher.bench(|| {
        let mut bench = Bench::new(black_box(&transcript), &rules, &schemas);
        let verdict = bench.judge(&call("write_file", &text), Circumstances::default());
        assert_eq!(verdict, Verdict::Forward);
    });
}

/// A conversation in which the user spoke once and every fourth call failed.
#[divan::bench(args = [20, 400])]
fn fold_a_ledger(bencher: Bencher<'_, '_>, calls: usize) {
    let (transcript, rules, schemas) = (transcript(history(calls).into()), Rules::default(), Kept::default());
    bencher.bench(|| {
        let mut bench = Bench::new(&transcript, &rules, &schemas);
        Ledger::fold(black_box(&transcript), &rules, &mut |call| bench.key(call)).is_empty()
    });
}

/// The scripted provider: the last of so many steps is the one that matches. The request is read, too.
#[divan::bench(args = [1, 1000])]
fn match_a_step(bencher: Bencher<'_, '_>, steps: usize) {
    let step = |number| Step::new().on_user(format!("number {number} of them")).say("found");
    let script = (0..steps).fold(Script::new(), |script, number| script.step(step(number)));
    let last = steps - 1;
    let said = format!("What is number {last} of them? {}", "It matters. ".repeat(20));
    let body = format!(r#"{{"model":"m","messages":[{{"role":"user","content":"{said}"}}]}}"#);
    let body = Bytes::from(body);
    bencher.bench(|| assert_eq!(black_box(&script).answering(black_box(&body).clone()), Ok(last)));
}

/// A conversation of 300 messages in which nothing is broken: read, and read and looked through for what is.
#[divan::bench(args = [false, true])]
fn mend_a_sound_history(bencher: Bencher<'_, '_>, mends: bool) {
    let (body, notices) = (Bytes::from(conversation(100)), Notices::default());
    bencher.counter(BytesCount::of_slice(&body)).bench(|| {
        let transcript = transcript(black_box(&body).clone());
        assert!(!mends || mend(&transcript, &notices).is_none());
        transcript.elements.len()
    });
}

/// The next turn of that conversation, behind the one before it: what is read and looked through is what is new.
#[divan::bench]
fn mend_the_next_turn(bencher: Bencher<'_, '_>) {
    let (earlier, notices) = (transcript(conversation(100).into()), Notices::default());
    let body = Bytes::from(conversation(101));
    bencher.counter(BytesCount::of_slice(&body)).bench(|| {
        let transcript =
            Dialect::Chat.read_behind(black_box(&body).clone(), Some(&earlier)).expect("it is sound");
        assert!(mend(&transcript, &notices).is_none());
        transcript.settled().len()
    });
}

/// What the look alone costs.
#[divan::bench]
fn look_for_what_is_broken(bencher: Bencher<'_, '_>) {
    let (transcript, notices) = (transcript(conversation(100).into()), Notices::default());
    bencher
        .counter(BytesCount::of_slice(transcript.body()))
        .bench(|| mend(black_box(&transcript), &notices).is_none());
}

/// Turns of three messages each: a call with arguments, a result of some length, words.
fn conversation(turns: usize) -> String {
    let arguments = Json::parse(&arguments(300)).map(canonical::canonical).unwrap();
    let (arguments, result) = (canonical::quote(&arguments), "the next line\\n".repeat(100));
    let turn = |turn: usize| {
        format!(
            r#",{{"role":"assistant","content":null,"tool_calls":[{{"id":"call_{turn}","type":"function","function":{{"name":"write_file","arguments":{arguments}}}}}]}},{{"role":"tool","tool_call_id":"call_{turn}","content":"{result}"}},{{"role":"user","content":"Go on."}}"#
        )
    };
    let turns: String = (0..turns).map(turn).collect();
    format!(r#"{{"model":"gpt-bench","messages":[{{"role":"user","content":"Begin."}}{turns}]}}"#)
}

fn call<'a>(name: &'a str, arguments: &'a str) -> Call<'a> {
    Call { id: "call_1".into(), name: name.into(), arguments: arguments.into(), kind: CallKind::Function }
}

/// Arguments of about `size` bytes.
fn arguments(size: usize) -> String {
    let line = r#"let answer = read(\"a\")?;\n"#;
    format!(r#"{{"text":"{}","path":"src/new.rs"}}"#, line.repeat(size / line.len()))
}

fn history(calls: usize) -> String {
    let turn = |turn: usize| {
        let result = if turn.is_multiple_of(4) { "Error: no such file" } else { "fn main() {}" };
        format!(
            r#",{{"role":"assistant","content":null,"tool_calls":[{{"id":"call_{turn}","type":"function","function":{{"name":"read_file","arguments":"{{\"path\":\"src/part_{turn}.rs\"}}"}}}}]}},{{"role":"tool","tool_call_id":"call_{turn}","content":"{result}"}}"#
        )
    };
    let turns: String = (0..calls).map(turn).collect();
    format!(r#"{{"model":"gpt-bench","messages":[{{"role":"user","content":"Go on."}}{turns}]}}"#)
}

/// Keeps the one schema compiled last.
#[derive(Default)]
struct Kept(Mutex<Option<(String, Arc<Schema>)>>);

impl Schemas for Kept {
    fn schema(&self, text: &str, overlays: &[(&str, &str)]) -> Arc<Schema> {
        let mut kept = self.0.lock().unwrap();
        match &*kept {
            Some((known, schema)) if known == text => Arc::clone(schema),
            _ => {
                let schema = Arc::new(Schema::compile(text, overlays));
                *kept = Some((text.to_owned(), Arc::clone(&schema)));
                schema
            }
        }
    }
}
