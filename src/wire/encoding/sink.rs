//! Where decoded bytes are gathered: it takes so many and no more.

use std::io;

use super::Undecodable;

/// Bytes up to a limit.
#[derive(Debug, Default)]
pub(super) struct Sink {
    bytes: Vec<u8>,
    limit: usize,
    /// More came than there was room for.
    overflown: bool,
}

// === impl Sink ===

impl Sink {
    pub(super) fn new(limit: usize) -> Self {
        Self { bytes: Vec::new(), limit, overflown: false }
    }

    /// Takes all of `bytes` or none of them. Room is made by doubling, but never past the limit.
    pub(super) fn take(&mut self, bytes: &[u8]) -> io::Result<()> {
        let length = self.bytes.len() + bytes.len();
        if length > self.limit {
            self.overflown = true;
            return Err(io::Error::other("too large"));
        }
        if length > self.bytes.capacity() {
            let capacity = length.max(self.bytes.capacity() * 2).min(self.limit);
            self.bytes.reserve_exact(capacity - self.bytes.len());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    pub(super) fn is_overflown(&self) -> bool {
        self.overflown
    }

    pub(super) fn too_large(&self) -> Undecodable {
        Undecodable::TooLarge { limit: self.limit }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl io::Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.take(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
