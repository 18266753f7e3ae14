use std::sync::Arc;

use http_body_util::BodyExt;
use tokio::sync::Semaphore;

use super::*;

#[tokio::test]
async fn a_body_of_our_own_is_given_out_once_and_tells_its_size() {
    let mut body = Reply::whole("four");
    assert_eq!(body.size_hint().exact(), Some(4));
    assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), "four");
    assert!(body.is_end_stream());
    assert!(body.frame().await.is_none());
    assert!(Reply::whole("").is_end_stream());
}

#[tokio::test]
async fn a_driven_body_passes_its_error_on() {
    let mut body = Reply::driven(Driven::new(1, |frames| async move {
        let sent = frames.send(Ok(Frame::data(Bytes::from_static(b"a")))).await;
        sent.map_err(|gone| crate::proxy::failure::Failure::Internal(gone.into()))?;
        Err(crate::proxy::failure::Failure::Internal("cut".into()))
    }));
    assert_eq!(body.size_hint().exact(), None);
    assert!(body.frame().await.unwrap().is_ok());
    assert!(body.frame().await.unwrap().is_err());
    assert!(body.is_end_stream());
}

#[test]
fn a_place_is_held_until_the_body_is_dropped() {
    let places = Arc::new(Semaphore::new(1));
    let body = Reply::whole("x").holding(Arc::clone(&places).try_acquire_owned().unwrap());
    assert_eq!(places.available_permits(), 0);
    drop(body);
    assert_eq!(places.available_permits(), 1);
}

#[test]
fn a_failure_is_told_once_what_came_before_it_could_be_written() {
    let mut body = Reply::driven(Driven::new(1, |frames| async move {
        let sent = frames.send(Ok(Frame::data(Bytes::from_static(b"a")))).await;
        sent.map_err(|gone| crate::proxy::failure::Failure::Internal(gone.into()))?;
        Err(crate::proxy::failure::Failure::Internal("cut".into()))
    }));
    let mut context = Context::from_waker(std::task::Waker::noop());
    let mut poll = || Pin::new(&mut body).poll_frame(&mut context);
    assert!(matches!(poll(), Poll::Ready(Some(Ok(_)))));
    assert!(poll().is_pending());
    assert!(matches!(poll(), Poll::Ready(Some(Err(_)))));
    assert!(matches!(poll(), Poll::Ready(None)));
}
