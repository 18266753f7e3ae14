//! The end of the process: what runs may finish, but not for ever.

use std::time::Duration;

use super::rig::{OK, Provider, Proxy, STREAM, get, soon};
use crate::scene::pass;
use tokio::net::TcpStream;

/// Longer than anything takes; it is never waited for.
const DRAIN: Duration = Duration::from_secs(9);

#[tokio::test]
async fn what_runs_may_finish_and_nothing_new_comes_in() {
    let provider = Provider::listen().await;
    let mut proxy = Proxy::start(provider.plan()).await;
    let mut agent = proxy.ask(&get("/v1/models")).await;
    let mut request = provider.accept().await;
    request.head().await;
    proxy.stop();
    soon("the listener to close", async {
        while TcpStream::connect(proxy.address).await.is_ok() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(!proxy.has_ended());
    request.write(OK).await;
    assert_eq!(agent.answer().await.1, "ok");
    assert_eq!(agent.rest().await, "", "the connection is not kept");
    proxy.ended().await;
}

#[tokio::test]
async fn connections_on_which_nothing_runs_are_closed_at_once() {
    let provider = Provider::listen().await;
    let mut proxy = Proxy::start(provider.plan()).await;
    let mut used = proxy.ask(&get("/v1/models")).await;
    let mut request = provider.accept().await;
    request.head().await;
    request.write(OK).await;
    used.answer().await;
    let mut unused = proxy.connect().await;
    // Accepted in order: once a later connection is served, the unused one is there too.
    let mut later = proxy.ask(&get("/v1/models")).await;
    request.head().await;
    request.write(OK).await;
    later.answer().await;
    proxy.stop();
    proxy.ended().await;
    assert_eq!(used.rest().await + &unused.rest().await, "");
}

#[tokio::test]
async fn an_open_stream_does_not_hold_the_process_for_ever() {
    let provider = Provider::listen().await;
    let mut plan = provider.plan();
    plan.listen.drain = DRAIN;
    let mut proxy = Proxy::start(plan).await;
    let mut agent = proxy.ask(&get("/v1/events")).await;
    let mut request = provider.accept().await;
    request.head().await;
    request.write(STREAM).await;
    request.write("9\r\ndata: 1\n\n\r\n").await;
    agent.until("data: 1\n\n\r\n").await;
    proxy.stop();
    pass(DRAIN / 2).await;
    assert!(!proxy.has_ended(), "the stream may still end");
    pass(DRAIN / 2).await;
    proxy.ended().await;
    assert_eq!(agent.rest().await, "", "no clean end for a stream that was cut");
    assert_eq!(request.rest().await, "", "the provider's side is cut too");
}
