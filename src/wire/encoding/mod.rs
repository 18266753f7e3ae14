//! Content encodings, for reading only: zstd, gzip, br and deflate. Nothing is ever encoded here.
//!
//! Whatever has come is decoded at once and given out, so an event stream is not held back. What a body may
//! grow to is bounded: the output stops at the limit, not the check after it.

mod sink;
mod stage;
#[cfg(test)]
mod tests;

use std::io;

use bytes::Bytes;

use self::sink::Sink;
use self::stage::Stage;

/// More encodings on top of one another than anybody has a reason for.
const DEEPEST: usize = 4;

/// What one piece of a body may grow to. A read from a socket is some hundred kilobytes at the most, and
/// honest text shrinks tenfold.
const LARGEST_PIECE: usize = 64 << 20;

/// The content encodings that can be undone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// Why an encoded body could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Undecodable {
    #[error("unknown content encoding `{0}`")]
    Unknown(String),
    #[error("the decoded body is larger than {limit} bytes")]
    TooLarge { limit: usize },
    #[error("the body is not valid {encoding}")]
    Corrupt { encoding: &'static str, source: io::Error },
}

/// Undoes encodings on a body that arrives in pieces: each push gives what can be read so far.
pub struct Decoder {
    /// In the order in which the bytes walk through them: last applied first.
    stages: Vec<Stage>,
    /// What one push may give.
    limit: usize,
    /// Finished or failed: nothing may follow.
    ended: bool,
}

/// Reads a `content-encoding` value: what was applied, in the order it was applied. `identity` is nothing.
pub fn parse(header: &str) -> Result<Vec<Encoding>, Undecodable> {
    let mut encodings = Vec::new();
    for name in header.split(',').map(|name| name.trim().to_ascii_lowercase()) {
        match name.as_str() {
            "" | "identity" => {}
            "gzip" | "x-gzip" => encodings.push(Encoding::Gzip),
            "deflate" => encodings.push(Encoding::Deflate),
            "br" => encodings.push(Encoding::Brotli),
            "zstd" => encodings.push(Encoding::Zstd),
            _ => return Err(Undecodable::Unknown(name)),
        }
    }
    if encodings.len() > DEEPEST { Err(Undecodable::Unknown(header.to_owned())) } else { Ok(encodings) }
}

/// Undoes `encodings` (last applied first) on a whole body, giving up past `limit` bytes.
pub fn decode(encodings: &[Encoding], body: &[u8], limit: usize) -> Result<Vec<u8>, Undecodable> {
    let mut decoder = Decoder { limit, ..Decoder::new(encodings) };
    let mut decoded = decoder.feed(body)?;
    decoded.extend(decoder.feed_end()?);
    if decoded.len() > limit { Err(Undecodable::TooLarge { limit }) } else { Ok(decoded) }
}

// === impl Encoding ===

impl Encoding {
    /// The name as `content-encoding` has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

// === impl Decoder ===

impl Decoder {
    pub fn new(encodings: &[Encoding]) -> Self {
        let stages = encodings.iter().rev().map(|encoding| Stage::new(*encoding)).collect();
        Self { stages, limit: LARGEST_PIECE, ended: false }
    }

    /// Takes the next bytes of the body. After an error there are only errors.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Bytes, Undecodable> {
        self.feed(bytes).map(Bytes::from)
    }

    /// The end of the body: what was still inside. An error where the encoding was not ended. A body without
    /// any bytes is whole.
    pub fn finish(&mut self) -> Result<Bytes, Undecodable> {
        self.feed_end().map(Bytes::from)
    }

    fn feed(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Undecodable> {
        if self.ended {
            let source = io::Error::other("bytes after the end");
            return Err(Undecodable::Corrupt { encoding: "encoding", source });
        }
        let decoded = feed(&mut self.stages, bytes, self.limit);
        self.ended = decoded.is_err();
        decoded
    }

    fn feed_end(&mut self) -> Result<Vec<u8>, Undecodable> {
        let mut rest = self.feed(&[])?;
        self.ended = true;
        let mut stages = self.stages.as_mut_slice();
        while let Some((first, inner)) = stages.split_first_mut() {
            let mut sink = Sink::new(self.limit);
            first.feed(&rest, &mut sink)?;
            first.finish(&mut sink)?;
            rest = sink.into_bytes();
            stages = inner;
        }
        Ok(rest)
    }
}

fn feed(stages: &mut [Stage], bytes: &[u8], limit: usize) -> Result<Vec<u8>, Undecodable> {
    let mut sink = Sink::new(limit);
    let Some((first, inner)) = stages.split_first_mut() else {
        sink.take(bytes).map_err(|_| sink.too_large())?;
        return Ok(sink.into_bytes());
    };
    first.feed(bytes, &mut sink)?;
    inner.iter_mut().try_fold(sink.into_bytes(), |bytes, stage| {
        let mut sink = Sink::new(limit);
        stage.feed(&bytes, &mut sink)?;
        Ok(sink.into_bytes())
    })
}
