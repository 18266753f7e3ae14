//! One connection of an agent, from its first byte to its last.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hyper::rt::{Read, Write};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;

use super::acceptor::Acceptor;
use crate::proxy::house::House;
use crate::proxy::service::Front;
use crate::proxy::tasks::Tasks;

/// For a TLS handshake, and then for the first request head: who opens connections to hold them holds nothing long.
const FIRST: Duration = Duration::from_secs(30);

/// For each further head, and so for an idle connection too: longer than agents keep one in their pools.
const NEXT: Duration = Duration::from_mins(2);

/// Requests at a time over one HTTP/2 connection; a gateway may gather many agents on it.
const H2_STREAMS: u32 = 1024;

/// Bytes of a request that HTTP/2 lets come before they are read: large histories should not wait for round trips.
const H2_STREAM_WINDOW: u32 = 1 << 20;
const H2_CONNECTION_WINDOW: u32 = 8 << 20;

const H2_HEADERS: u32 = 64 << 10;

/// A ping on quiet HTTP/2 connections: an agent that vanished without a word is noticed.
const H2_PING_EVERY: Duration = Duration::from_secs(30);

pub(super) async fn serve(acceptor: Acceptor, socket: TcpStream, house: Arc<House>) {
    // Events are small, and each must go out as it is written.
    if let Err(cause) = socket.set_nodelay(true) {
        tracing::debug!(%cause, "failed to set TCP_NODELAY");
    }
    match acceptor.0 {
        // Who needs no TLS has no room for it either.
        Some(tls) => Box::pin(encrypted(tls, socket, house)).await,
        None => exchange(TokioIo::new(socket), house).await,
    }
}

async fn encrypted(tls: TlsAcceptor, socket: TcpStream, house: Arc<House>) {
    match timeout(FIRST, tls.accept(socket)).await {
        Ok(Ok(stream)) => exchange(TokioIo::new(stream), house).await,
        Ok(Err(cause)) => tracing::debug!(%cause, "a TLS handshake failed"),
        Err(_) => tracing::debug!("a TLS handshake took too long"),
    }
}

async fn exchange<I>(io: I, house: Arc<House>)
where
    I: Read + Write + Unpin + Send + 'static,
{
    let tasks = house.tasks.clone();
    let front = Front::new(house);
    let asked = front.asked();
    let builder = builder(tasks.clone());
    let mut connection = pin!(builder.serve_connection_with_upgrades(io, TowerToHyperService::new(front)));
    let mut first = pin!(sleep(FIRST));
    let (mut draining, mut begun) = (false, false);
    loop {
        tokio::select! {
            outcome = connection.as_mut() => {
                if let Err(cause) = outcome {
                    tracing::debug!(%cause, "a connection broke off");
                }
                return;
            }
            () = tasks.draining(), if !draining => {
                draining = true;
                connection.as_mut().graceful_shutdown();
            }
            // Covers what no other limit does: the bytes that tell HTTP/1.1 from HTTP/2.
            () = first.as_mut(), if !begun => {
                if !asked.load(Ordering::Relaxed) {
                    return;
                }
                begun = true;
            }
        }
    }
}

fn builder(tasks: Tasks) -> Builder<Tasks> {
    let mut builder = Builder::new(tasks);
    builder.http1().timer(TokioTimer::new()).header_read_timeout(NEXT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(H2_STREAMS)
        .initial_stream_window_size(H2_STREAM_WINDOW)
        .initial_connection_window_size(H2_CONNECTION_WINDOW)
        .max_header_list_size(H2_HEADERS)
        .keep_alive_interval(H2_PING_EVERY);
    builder
}
