//! One encoding being undone, piece by piece.
//!
//! Each decoder is driven until it has nothing more to say about the bytes that have come.

use std::io::{self, Write};

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::write::MultiGzDecoder;
use flate2::{Decompress, FlushDecompress, Status};
use zstd::stream::raw::{DParameter, Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer};

use super::sink::Sink;
use super::{Encoding, Undecodable};

/// How much a decoder may say at once.
const CHUNK: usize = 16 * 1024;

/// The window that RFC 9659 allows zstd in a content encoding: 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

type Brotli = BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>;

/// One encoding, and how far it has got.
pub(super) struct Stage {
    encoding: Encoding,
    engine: Engine,
    /// Some byte has come.
    begun: bool,
    /// The encoding says that it ends where the bytes now end.
    ended: bool,
}

enum Engine {
    /// Holds the sink itself, which is changed for each piece.
    Gzip(Box<MultiGzDecoder<Sink>>),
    /// The first byte, until the second tells whether this is zlib.
    DeflateHead(Option<u8>),
    Deflate(Decompress),
    Brotli(Box<Brotli>),
    Zstd(io::Result<ZstdDecoder<'static>>),
}

/// What one step of a decoder did.
struct Step {
    read: usize,
    written: usize,
    /// The last byte of the encoding was read, and all that it says was written.
    ended: bool,
}

// === impl Stage ===

impl Stage {
    pub(super) fn new(encoding: Encoding) -> Self {
        let engine = match encoding {
            Encoding::Gzip => Engine::Gzip(Box::new(MultiGzDecoder::new(Sink::default()))),
            Encoding::Deflate => Engine::DeflateHead(None),
            Encoding::Brotli => Engine::Brotli(Box::new(Brotli::new_strict(
                StandardAlloc::default(),
                StandardAlloc::default(),
                StandardAlloc::default(),
            ))),
            Encoding::Zstd => Engine::Zstd(zstd_decoder()),
        };
        Self { encoding, engine, begun: false, ended: false }
    }

    pub(super) fn feed(&mut self, bytes: &[u8], sink: &mut Sink) -> Result<(), Undecodable> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.begun = true;
        let fed = match &mut self.engine {
            Engine::Gzip(decoder) => feed_gzip(decoder, bytes, sink),
            Engine::DeflateHead(_) => self.feed_deflate_head(bytes, sink),
            _ => self.run(bytes, sink),
        };
        fed.map_err(|source| self.undecodable(source, sink))
    }

    /// No more bytes come.
    pub(super) fn finish(&mut self, sink: &mut Sink) -> Result<(), Undecodable> {
        let finished = match &mut self.engine {
            _ if !self.begun => Ok(()),
            Engine::Gzip(decoder) => finish_gzip(decoder, sink),
            _ if self.ended => Ok(()),
            _ => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the body ends too early")),
        };
        finished.map_err(|source| self.undecodable(source, sink))
    }

    fn undecodable(&self, source: io::Error, sink: &Sink) -> Undecodable {
        if sink.is_overflown() {
            return sink.too_large();
        }
        Undecodable::Corrupt { encoding: self.encoding.name(), source }
    }

    /// The name `deflate` means zlib, but some senders took it at its word.
    fn feed_deflate_head(&mut self, bytes: &[u8], sink: &mut Sink) -> io::Result<()> {
        let (first, second) = match (&self.engine, bytes) {
            (Engine::DeflateHead(Some(first)), [second, ..]) | (_, [first, second, ..]) => (*first, *second),
            _ => {
                self.engine = Engine::DeflateHead(bytes.first().copied());
                return Ok(());
            }
        };
        let is_zlib = first & 0x0f == 8 && u16::from_be_bytes([first, second]) % 31 == 0;
        let head = std::mem::replace(&mut self.engine, Engine::Deflate(Decompress::new(is_zlib)));
        if let Engine::DeflateHead(Some(held)) = head {
            self.run(&[held], sink)?;
        }
        self.run(bytes, sink)
    }

    fn run(&mut self, mut bytes: &[u8], sink: &mut Sink) -> io::Result<()> {
        let mut chunk = vec![0; CHUNK];
        loop {
            if self.ended && !bytes.is_empty() {
                self.engine.begin_again()?;
                self.ended = false;
            }
            let step = self.engine.step(bytes, &mut chunk)?;
            sink.take(chunk.get(..step.written).unwrap_or_default())?;
            bytes = bytes.get(step.read..).unwrap_or_default();
            self.ended |= step.ended;
            let is_stuck = step.read == 0 && step.written == 0 && !step.ended;
            if is_stuck && !bytes.is_empty() {
                return Err(io::Error::other("the decoder does not go on"));
            }
            if bytes.is_empty() && (step.ended || step.written < CHUNK) {
                return Ok(());
            }
        }
    }
}

// === impl Engine ===

impl Engine {
    fn step(&mut self, bytes: &[u8], chunk: &mut [u8]) -> io::Result<Step> {
        match self {
            Self::Deflate(decoder) => step_deflate(decoder, bytes, chunk),
            Self::Brotli(state) => step_brotli(state, bytes, chunk),
            Self::Zstd(Ok(decoder)) => step_zstd(decoder, bytes, chunk),
            Self::Zstd(Err(error)) => Err(io::Error::new(error.kind(), error.to_string())),
            Self::Gzip(_) | Self::DeflateHead(_) => Ok(Step { read: 0, written: 0, ended: false }),
        }
    }

    /// More bytes came after the end. Zstd is a row of frames; the others have one end.
    fn begin_again(&mut self) -> io::Result<()> {
        match self {
            Self::Zstd(Ok(decoder)) => decoder.reinit(),
            _ => Err(io::Error::other("bytes after the end")),
        }
    }
}

fn feed_gzip(decoder: &mut MultiGzDecoder<Sink>, bytes: &[u8], sink: &mut Sink) -> io::Result<()> {
    std::mem::swap(decoder.get_mut(), sink);
    let written = decoder.write_all(bytes).and_then(|()| decoder.flush());
    std::mem::swap(decoder.get_mut(), sink);
    written
}

fn finish_gzip(decoder: &mut MultiGzDecoder<Sink>, sink: &mut Sink) -> io::Result<()> {
    std::mem::swap(decoder.get_mut(), sink);
    let finished = decoder.try_finish();
    std::mem::swap(decoder.get_mut(), sink);
    finished
}

fn step_deflate(decoder: &mut Decompress, bytes: &[u8], chunk: &mut [u8]) -> io::Result<Step> {
    let before = (decoder.total_in(), decoder.total_out());
    let status = decoder.decompress(bytes, chunk, FlushDecompress::None)?;
    Ok(Step {
        read: usize::try_from(decoder.total_in() - before.0).unwrap_or(bytes.len()),
        written: usize::try_from(decoder.total_out() - before.1).unwrap_or(chunk.len()),
        ended: status == Status::StreamEnd,
    })
}

fn step_brotli(state: &mut Brotli, bytes: &[u8], chunk: &mut [u8]) -> io::Result<Step> {
    let (mut left, mut read) = (bytes.len(), 0);
    let (mut room, mut written) = (chunk.len(), 0);
    let result =
        BrotliDecompressStream(&mut left, &mut read, bytes, &mut room, &mut written, chunk, &mut 0, state);
    match result {
        BrotliResult::ResultFailure => Err(io::Error::new(io::ErrorKind::InvalidData, "invalid brotli")),
        BrotliResult::ResultSuccess => Ok(Step { read, written, ended: true }),
        BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {
            Ok(Step { read, written, ended: false })
        }
    }
}

fn zstd_decoder() -> io::Result<ZstdDecoder<'static>> {
    let mut decoder = ZstdDecoder::new()?;
    decoder.set_parameter(DParameter::WindowLogMax(ZSTD_WINDOW_LOG))?;
    Ok(decoder)
}

fn step_zstd(decoder: &mut ZstdDecoder<'_>, bytes: &[u8], chunk: &mut [u8]) -> io::Result<Step> {
    let mut input = InBuffer::around(bytes);
    let mut output = OutBuffer::around(chunk);
    let hint = decoder.run(&mut input, &mut output)?;
    Ok(Step { read: input.pos(), written: output.pos(), ended: hint == 0 })
}
