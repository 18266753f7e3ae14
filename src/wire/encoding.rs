//! Content encodings, for reading only: zstd, gzip, br and deflate. Nothing is ever encoded here.

use bytes::Bytes;

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
    Corrupt { encoding: &'static str, source: std::io::Error },
}

/// Reads a `content-encoding` value: what was applied, in the order it was applied. `identity` is nothing.
pub fn parse(header: &str) -> Result<Vec<Encoding>, Undecodable> {
    todo!()
}

/// Undoes `encodings` (last applied first) on a whole body, giving up past `limit` bytes.
pub fn decode(encodings: &[Encoding], body: &[u8], limit: usize) -> Result<Vec<u8>, Undecodable> {
    todo!()
}

/// Undoes encodings on a body that arrives in pieces: each push gives what can be read so far.
pub struct Decoder {
    _private: (),
}

impl Decoder {
    pub fn new(encodings: &[Encoding]) -> Self {
        todo!()
    }
    pub fn push(&mut self, bytes: &[u8]) -> Result<Bytes, Undecodable> {
        todo!()
    }
    /// The end of the body: what was still inside. An error where the encoding was not ended.
    pub fn finish(&mut self) -> Result<Bytes, Undecodable> {
        todo!()
    }
}
