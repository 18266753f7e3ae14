//! Faults as a client sees them, and the pace of an answer.

use std::time::Duration;

use tokio::time::Instant;

use super::*;
use crate::replay::{Odd, Script};

/// The whole answer as it comes from the socket, and whether it ended in a reset.
async fn raw(server: &Server, stream: bool) -> (String, bool) {
    let body = format!(r#"{{"stream":{stream},"messages":[]}}"#);
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: ";
    let mut socket = TcpStream::connect(server.address()).await.unwrap();
    socket.write_all(format!("{head}{}\r\n\r\n{body}", body.len()).as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let reset = socket.read_to_end(&mut bytes).await.is_err();
    (String::from_utf8(bytes).unwrap(), reset)
}

#[tokio::test]
async fn a_fault_comes_so_often_and_then_the_answer() {
    let fault = Step::new().status(StatusCode::TOO_MANY_REQUESTS).header("retry-after", "7");
    let server = start(Step::new().say("fine").fault(2, fault).fault(1, Step::new().die(Place::BeforeHead)));
    for _ in 0..2 {
        let response = send(&server, true).await;
        assert_eq!(
            (response.status().as_u16(), &response.headers()["retry-after"]),
            (429, &"7".parse().unwrap())
        );
        let body = text(response).await;
        assert!(body.contains("\"message\":\"Too Many Requests\",\"type\":\"rate_limit_error\""), "{body}");
        assert!(server.verify().is_err(), "a fault does not use up the step");
    }
    assert!(agent().request(request(&server, true)).await.is_err());
    assert!(text(send(&server, true).await).await.contains("fine"));
    server.verify().unwrap();
}

#[tokio::test]
async fn a_length_that_is_too_long_never_comes() {
    let (answer, reset) = raw(&start(Step::new().say("hi").odd(Odd::LengthLong)), false).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let told = format!("content-length: {}", body.len() + 10);
    assert!(head.contains(&told) && body.ends_with('}') && !reset, "{answer}");
}

#[tokio::test]
async fn a_length_that_is_too_short_cuts_the_body() {
    let (answer, _) = raw(&start(Step::new().say("hi").odd(Odd::LengthShort)), false).await;
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(&format!("content-length: {}", body.len())) && !body.ends_with('}'), "{answer}");
}

#[tokio::test]
async fn an_empty_body_is_empty_and_a_wrong_type_is_wrong() {
    for stream in [true, false] {
        let (answer, _) = raw(&start(Step::new().say("hi").odd(Odd::EmptyBody)), stream).await;
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("\r\n\r\n"), "{answer}");
    }
    let server = Server::start(
        Script::parse("s", "[[step]]\ncontent_type = \"text/html\"\nfinish = \"stop\"").unwrap(),
    );
    let (answer, _) = raw(&server.unwrap(), true).await;
    assert!(answer.contains("content-type: text/html\r\n") && answer.contains("data: [DONE]"), "{answer}");
}

/// Paused, time goes on only where everything waits for it: what is measured is what was waited for.
#[tokio::test(start_paused = true)]
async fn events_are_due_by_the_clock_and_lateness_does_not_add_up() {
    use std::future::poll_fn;
    use std::pin::Pin;

    use http_body::Body;

    use crate::replay::fault::Act;
    use crate::replay::gate::Gates;
    use crate::replay::journal::Journal;
    use crate::replay::script::Halt;
    use crate::replay::server::ending::Ending;
    use crate::replay::server::play::Play;

    let milliseconds = Duration::from_millis;
    let write = |text: &'static str| Act::Write(Bytes::from_static(text.as_bytes()));
    let due = |time| Act::Stop(Halt::Due(milliseconds(time)));
    let acts = vec![write("a"), due(70), write("b"), due(90), write("c"), due(110), write("d")];
    let start = Instant::now();
    for (clock, expected) in [(Some(start), [0, 85, 90, 110]), (None, [0, 15, 15, 15])] {
        let (head, ()) = Request::new(()).into_parts();
        let entry = Journal::new().open(&head, String::new(), "", 0);
        let mut play = Play::new(acts.clone(), None, Gates::new(), Ending::default(), clock, entry);
        let began = Instant::now();
        let mut seen = Vec::new();
        while let Some(frame) = poll_fn(|context| Pin::new(&mut play).poll_frame(context)).await {
            frame.unwrap();
            seen.push(began.elapsed());
            if seen.len() == 1 {
                // The reader is slow once: nothing after it is late for that.
                let pause = if clock.is_some() { 85 } else { 15 };
                tokio::time::sleep(milliseconds(pause)).await;
            }
        }
        assert_eq!(seen, expected.map(milliseconds));
    }
}

#[tokio::test(start_paused = true)]
async fn the_head_waits_for_its_time_unless_all_is_instant() {
    let step = Step::new().say("a").pace(Duration::from_hours(1), Duration::ZERO);
    let began = Instant::now();
    let server = Server::start(Script::new().step(step.clone()).instant()).unwrap();
    assert!(raw(&server, true).await.0.contains("[DONE]"));
    assert!(began.elapsed() < Duration::from_hours(1), "no clock was waited for");
    let server = start(step);
    assert!(raw(&server, true).await.0.contains("[DONE]"));
    assert!(began.elapsed() >= Duration::from_hours(1));
}

#[tokio::test]
async fn two_runs_are_equal_to_the_last_byte() {
    let script = || {
        let step = Step::new().say("héllo 🌍").call("f", r#"{"a":1}"#).chunk(3).repeat();
        Script::new().step(step.fault(1, Step::new().odd(Odd::IndexZero)))
    };
    let run = async |script| {
        let server = Server::start(script).unwrap();
        let mut all = Vec::new();
        for stream in [true, true, false] {
            all.push(text(send(&server, stream).await).await);
        }
        all
    };
    let (first, second) = (run(script()).await, run(script()).await);
    assert_eq!(first, second);
    assert_ne!(first[0], first[1], "each answer has ids of its own");
}
