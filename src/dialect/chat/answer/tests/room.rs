//! How much memory waits with a call.

use super::*;

/// Pieces of `size` bytes of a call that goes on, each in an event with a noise of its own.
fn pieces(index: usize, size: usize, count: usize) -> impl Iterator<Item = String> {
    (0..count).map(move |number| {
        let noise = format!("}}],\"obfuscation\":\"{number:x}\"}}");
        more(index, &"x".repeat(size)).replacen("}]}", &noise, 1)
    })
}

fn frames(stream: &str) -> Vec<Frame> {
    let mut framer = Framer::new(usize::MAX);
    framer.push(Bytes::copy_from_slice(stream.as_bytes()));
    std::iter::from_fn(|| framer.next_frame().unwrap()).collect()
}

fn limited(limit: usize) -> Run {
    Run { answer: Answer::new(&transcript(""), limit), out: String::new() }
}

/// The most that waits while a stream comes.
fn most_held(run: &mut Run, stream: &str) -> usize {
    let mut most = 0;
    for frame in frames(stream) {
        run.feed(frame, false).unwrap();
        most = most.max(run.answer.held());
    }
    most
}

#[test]
fn a_call_is_held_in_little_more_than_its_input() {
    for size in [1, 4, 64, 1024] {
        let count = (128 << 10) / size;
        let plain: String = (0..count).map(|_| more(0, &"x".repeat(size))).collect();
        let stream = ended(&[begin(0, "a", "good", "{\"x\":\""), plain, more(0, "\"}")]);
        let mut run = limited(1 << 20);
        let most = most_held(&mut run, &stream);
        // A byte an event.
        assert!(most < (128 << 10) + count + count / 8 + (20 << 10), "{size}: {most}");
        assert_eq!(run.took(), stream);
    }
}

#[test]
fn calls_that_are_told_in_turn_wait_no_heavier() {
    let turn = pieces(0, 4, 4000).zip(pieces(1, 4, 4000)).map(|(one, other)| one + ": ping\n\n" + &other);
    let begun = [begin(0, "a", "good", "{\"x\":\""), begin(1, "b", "good", "{\"x\":\"")].concat();
    let stream = ended(&[begun, turn.collect(), more(0, "\"}"), more(1, "\"}")]);
    let mut run = limited(1 << 20);
    let most = most_held(&mut run, &stream);
    assert!(most < 32_000 + 12_000 * 12 + (8 << 10), "{most}");
    assert_eq!(run.took(), stream);
}

#[test]
fn what_waits_beside_a_call_counts_and_refuses_it_when_it_is_too_much() {
    let noise = |number: usize| say(&format!("{number}").repeat(300));
    let said: String = (0..400).map(|number| noise(number + 100)).collect();
    let stream = ended(&[begin(0, "a", "good", "{"), said.clone(), begin(1, "b", "good", "{}")]);
    let mut run = limited(64 << 10);
    let most = most_held(&mut run, &stream);
    assert!(most < (64 + 48 + 40) << 10, "{most}");
    let out = run.took();
    assert!(out.starts_with(&said), "what was said goes out");
    assert!(!out.contains("\"a\"") && out.contains("\"id\":\"b\""), "{out}");
}

#[test]
fn behind_the_end_no_more_waits_than_may() {
    let mut run = limited(16 << 10);
    run = run.with(&[begin(0, "a", "bad", "{}").as_str(), FINISH].concat());
    assert!(run.answer.must_wait());
    let on = (0..4000).map(|number| [": ", &"x".repeat(number), "\n\n"].concat()).collect::<String>();
    assert_eq!(run.round(&on), Err(Broken::TooMuch));
}

#[test]
fn what_waited_goes_out_in_parts() {
    let plain: String = (0..8000).map(|_| more(0, "xxxx")).collect();
    let stream =
        [begin(0, "a", "good", "{\"x\":\"").as_str(), &plain, &more(0, "\"}"), FINISH, DONE].concat();
    let mut answer = Answer::new(&transcript(""), 1 << 20);
    for frame in frames(&stream) {
        answer.push(frame, false).unwrap();
    }
    answer.decide(0, Decision::Forward);
    let (mut parts, mut told) = (0, String::new());
    loop {
        let mut out = Vec::new();
        let more = answer.release(&mut out);
        let part = out.concat();
        assert!(part.len() < 80 << 10, "{}", part.len());
        told.push_str(std::str::from_utf8(&part).unwrap());
        parts += 1;
        if !more {
            break;
        }
    }
    assert!(parts > 8 && told == stream);
    assert_eq!(answer.held(), 0);
}
