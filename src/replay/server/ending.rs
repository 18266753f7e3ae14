//! How a connection ends where the script ends it: closed, or reset.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// How a connection is to end, if the script ends it.
#[derive(Clone, Debug, Default)]
pub(super) struct Ending(Arc<AtomicBool>);

/// A socket that is reset, not closed, when its [`Ending`] says so.
pub(super) struct Socket {
    pub(super) stream: TcpStream,
    pub(super) ending: Ending,
}

/// The script ends the connection here.
#[derive(Debug, thiserror::Error)]
#[error("the script ends the connection")]
pub(super) struct Broken;

// === impl Ending ===

impl Ending {
    /// From now on the end of this connection is a reset.
    pub(super) fn reset(&self) {
        self.0.store(true, Ordering::Release);
    }
    fn is_reset(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

// === impl Socket ===

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.ending.is_reset() {
            // A farewell would make a clean end of it.
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if self.ending.is_reset()
            && let Err(error) = self.stream.set_zero_linger()
        {
            tracing::warn!(%error, "the connection will be closed, not reset");
        }
    }
}
