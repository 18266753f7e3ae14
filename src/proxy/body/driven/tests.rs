use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use http_body_util::BodyExt;
use proptest::prelude::*;

use super::*;

#[expect(clippy::unnecessary_wraps, reason = "it is what a producer sends")]
fn data(text: &'static str) -> FrameResult {
    Ok(Frame::data(Bytes::from_static(text.as_bytes())))
}

fn failure() -> Failure {
    Failure::Internal("it broke".into())
}

/// Everything until the end or the first error.
async fn read(mut body: Driven) -> (String, Option<String>) {
    let mut text = String::new();
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => text.push_str(std::str::from_utf8(&frame.into_data().unwrap()).unwrap()),
            Err(error) => {
                assert!(body.frame().await.is_none(), "nothing follows an error");
                return (text, Some(error.to_string()));
            }
        }
    }
    assert!(body.is_end_stream());
    (text, None)
}

#[tokio::test]
async fn gives_every_frame_in_order_and_ends_with_the_producer() {
    let body = Driven::new(1, |frames| async move {
        for text in ["a", "b", "c"] {
            frames.send(data(text)).await.unwrap();
        }
        Ok(())
    });
    assert_eq!(read(body).await, ("abc".into(), None));
}

#[tokio::test]
async fn a_producer_that_fails_ends_the_body_in_an_error_after_its_frames() {
    let body = Driven::new(8, |frames| async move {
        frames.send(data("a")).await.unwrap();
        frames.send(data("b")).await.unwrap();
        Err(failure())
    });
    assert_eq!(read(body).await, ("ab".into(), Some("the proxy failed".into())));
}

#[tokio::test]
async fn an_error_that_is_sent_ends_the_body_and_drops_the_producer() {
    let held = Arc::new(());
    let alive = Arc::clone(&held);
    let body = Driven::new(8, |frames| async move {
        frames.send(data("a")).await.unwrap();
        frames.send(Err("cut".into())).await.unwrap();
        std::future::pending::<()>().await;
        drop(alive);
        Ok(())
    });
    assert_eq!(read(body).await, ("a".into(), Some("cut".into())));
    assert_eq!(Arc::strong_count(&held), 1);
}

#[tokio::test]
async fn a_sender_that_outlives_the_producer_does_not_hold_the_body_open() {
    let mut kept = None;
    let body = Driven::new(8, |frames| {
        kept = Some(frames.clone());
        async move {
            frames.send(data("a")).await.unwrap();
            Ok(())
        }
    });
    assert_eq!(read(body).await, ("a".into(), None));
    assert!(kept.unwrap().is_closed());
}

#[tokio::test]
async fn a_producer_that_lets_go_of_the_sender_can_still_fail() {
    let body = Driven::new(8, |frames| async move {
        frames.send(data("a")).await.unwrap();
        drop(frames);
        tokio::task::yield_now().await;
        Err(failure())
    });
    assert_eq!(read(body).await, ("a".into(), Some("the proxy failed".into())));
}

#[tokio::test]
async fn dropping_the_body_drops_the_producer() {
    let held = Arc::new(());
    let alive = Arc::clone(&held);
    let mut body = Driven::new(1, |frames| async move {
        frames.send(data("a")).await.unwrap();
        std::future::pending::<()>().await;
        drop(alive);
        Ok(())
    });
    assert!(body.frame().await.is_some());
    assert_eq!(Arc::strong_count(&held), 2);
    drop(body);
    assert_eq!(Arc::strong_count(&held), 1);
}

#[tokio::test]
async fn a_reader_that_waits_stops_the_producer() {
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let mut body = Driven::new(2, |frames| async move {
        loop {
            frames.send(data("x")).await.unwrap();
            count.fetch_add(1, Ordering::Relaxed);
        }
    });
    for _ in 0..3 {
        body.frame().await;
    }
    assert!(sent.load(Ordering::Relaxed) <= 3 + 2);
}

#[tokio::test(start_paused = true)]
async fn first_waits_for_the_first_frame_and_keeps_it() {
    let (go, gate) = tokio::sync::oneshot::channel::<()>();
    let body = Driven::new(4, |frames| async move {
        gate.await.unwrap();
        frames.send(data("a")).await.unwrap();
        frames.send(data("b")).await.unwrap();
        Ok(())
    });
    let mut first = Box::pin(body.first());
    assert!(tokio::time::timeout(Duration::from_hours(1), first.as_mut()).await.is_err());
    go.send(()).unwrap();
    assert_eq!(read(first.await.unwrap()).await, ("ab".into(), None));
}

#[tokio::test]
async fn first_gives_the_failure_of_a_producer_that_sent_nothing() {
    let body = Driven::new(4, |_| async { Err(failure()) });
    assert_eq!(body.first().await.unwrap_err().code(), "internal");
}

#[tokio::test]
async fn first_keeps_a_failure_that_came_after_a_frame() {
    let body = Driven::new(4, |frames| async move {
        frames.send(data("a")).await.unwrap();
        Err(failure())
    });
    assert_eq!(read(body.first().await.unwrap()).await, ("a".into(), Some("the proxy failed".into())));
}

#[tokio::test]
async fn first_of_an_empty_answer_is_its_end() {
    let body = Driven::new(4, |_| async { Ok(()) });
    assert_eq!(read(body.first().await.unwrap()).await, (String::new(), None));
}

proptest! {
    /// Whatever the channel holds and whenever the producer rests, all frames arrive, then the outcome.
    #[test]
    fn loses_no_frame(capacity in 1usize..5, rests in proptest::collection::vec(any::<bool>(), 0..40), fails: bool, waits: bool) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let expected = rests.len();
        let body = Driven::new(capacity, |frames| async move {
            for rest in rests {
                if rest { tokio::task::yield_now().await; }
                frames.send(data("x")).await.unwrap();
            }
            if fails { Err(failure()) } else { Ok(()) }
        });
        let outcome = runtime.block_on(async {
            if !waits { return Ok(read(body).await); }
            Ok::<_, Failure>(read(body.first().await?).await)
        });
        match outcome {
            Ok((text, error)) => { prop_assert_eq!(text.len(), expected); prop_assert_eq!(error.is_some(), fails); }
            Err(_) => { prop_assert!(fails && expected == 0); }
        }
    }
}
