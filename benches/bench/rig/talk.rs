//! HTTP/1.1 over one socket, as little of it as both ends need.

use std::io;

use anyhow::Context;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// One side of a connection.
pub(crate) struct Talk {
    socket: TcpStream,
    /// What was read from the socket and not yet taken.
    buffer: Vec<u8>,
    /// How much of `buffer` has been taken.
    taken: usize,
}

/// A request's or a response's head, as text.
pub(crate) struct Head(String);

// === impl Talk ===

impl Talk {
    pub(crate) fn new(socket: TcpStream) -> io::Result<Self> {
        socket.set_nodelay(true)?;
        Ok(Self { socket, buffer: Vec::with_capacity(64 << 10), taken: 0 })
    }

    pub(crate) async fn say(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.socket.write_all(bytes).await
    }

    /// The next head; `None` where the other side has hung up.
    pub(crate) async fn head(&mut self) -> anyhow::Result<Option<Head>> {
        loop {
            if let Some(at) = find(self.waiting(), b"\r\n\r\n") {
                let head = String::from_utf8(self.waiting().get(..at).unwrap_or_default().to_vec())?;
                self.taken += at + 4;
                return Ok(Some(Head(head)));
            }
            if !self.more().await? {
                return Ok(None);
            }
        }
    }

    /// The body that belongs to `head`, handed to `see` as it comes.
    pub(crate) async fn body(&mut self, head: &Head, mut see: impl FnMut(&[u8])) -> anyhow::Result<()> {
        if let Some(length) = head.header("content-length") {
            return self.pass(length.parse()?, &mut see).await;
        }
        if !head.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            return Ok(());
        }
        loop {
            let size = usize::from_str_radix(self.line().await?.trim(), 16)?;
            self.pass(size, &mut see).await?;
            self.line().await?;
            if size == 0 {
                return Ok(());
            }
        }
    }

    async fn line(&mut self) -> anyhow::Result<String> {
        loop {
            if let Some(at) = find(self.waiting(), b"\r\n") {
                let line = String::from_utf8(self.waiting().get(..at).unwrap_or_default().to_vec())?;
                self.taken += at + 2;
                return Ok(line);
            }
            anyhow::ensure!(self.more().await?, "the body broke off");
        }
    }

    async fn pass(&mut self, mut length: usize, see: &mut impl FnMut(&[u8])) -> anyhow::Result<()> {
        while length > 0 {
            let waiting = self.waiting();
            let some = waiting.get(..length.min(waiting.len())).unwrap_or_default();
            if some.is_empty() {
                anyhow::ensure!(self.more().await?, "the body broke off");
                continue;
            }
            see(some);
            length -= some.len();
            self.taken += some.len();
        }
        Ok(())
    }

    fn waiting(&self) -> &[u8] {
        self.buffer.get(self.taken..).unwrap_or_default()
    }

    async fn more(&mut self) -> anyhow::Result<bool> {
        if self.taken == self.buffer.len() {
            self.buffer.clear();
            self.taken = 0;
        }
        Ok(self.socket.read_buf(&mut self.buffer).await.context("failed to read from a socket")? > 0)
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    memchr::memmem::find(bytes, wanted)
}

// === impl Head ===

impl Head {
    pub(crate) fn path(&self) -> &str {
        self.0.split(' ').nth(1).unwrap_or_default()
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.0.starts_with("HTTP/1.1 200 ")
    }

    pub(crate) fn line(&self) -> &str {
        self.0.lines().next().unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.0.lines().skip(1).find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}
