use http_body_util::{BodyExt, Empty};

use super::*;
use crate::proxy::body::{Driven, FrameResult};

const LIMIT: Duration = Duration::from_secs(5);

/// Sends a byte after each of the pauses, then nothing, for ever.
fn hesitant(pauses: &'static [u64]) -> Idle<Driven> {
    let body = Driven::new(1, move |frames| async move {
        for pause in pauses {
            tokio::time::sleep(Duration::from_secs(*pause)).await;
            let frame: FrameResult = Ok(Frame::data(Bytes::from_static(b"x")));
            frames.send(frame).await.expect("the test reads on");
        }
        std::future::pending().await
    });
    Idle::new(body, "openai".into(), LIMIT)
}

#[tokio::test(start_paused = true)]
async fn silence_ends_the_body_in_a_timeout() {
    let begun = Instant::now();
    let failure = hesitant(&[]).frame().await.unwrap().unwrap_err();
    assert_eq!(failure.code(), "upstream_timeout");
    assert_eq!(begun.elapsed().as_secs(), LIMIT.as_secs());
}

#[tokio::test(start_paused = true)]
async fn every_byte_starts_the_clock_anew() {
    let mut body = hesitant(&[4, 4, 4, 4]);
    for _ in 0..4 {
        assert!(body.frame().await.unwrap().is_ok());
    }
    assert!(body.frame().await.unwrap().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_reader_that_takes_its_time_does_not_run_the_clock_down() {
    let mut body = hesitant(&[1, 1]);
    assert!(body.frame().await.unwrap().is_ok());
    tokio::time::sleep(LIMIT * 3).await;
    assert!(body.frame().await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_limit_beyond_all_clocks_is_none() {
    let mut body = Idle::new(Empty::<Bytes>::new(), "openai".into(), Duration::MAX);
    assert!(body.frame().await.is_none());
    let mut body = Idle::new(hesitant(&[]).body, "openai".into(), Duration::MAX);
    assert!(tokio::time::timeout(LIMIT * 1000, body.frame()).await.is_err());
}

#[tokio::test]
async fn a_body_that_breaks_names_the_provider() {
    let broken = Driven::new(1, |_| async { Err(Failure::Internal("reset".into())) });
    let failure = Idle::new(broken, "openai".into(), LIMIT).frame().await.unwrap().unwrap_err();
    assert_eq!(failure.code(), "upstream_unreachable");
    assert!(failure.message().starts_with("the provider `openai` cannot be reached"));
}

#[test]
fn the_size_is_told_honestly() {
    let body = Idle::new(http_body_util::Full::new(Bytes::from_static(b"four")), "openai".into(), LIMIT);
    assert_eq!(body.size_hint().exact(), Some(4));
}
