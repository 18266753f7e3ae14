//! A provider's body as it comes, with what is readable of it.

use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use http_body_util::BodyExt;
use hyper::body::Incoming;

use crate::proxy::body::{BoxError, Idle};
use crate::proxy::failure::Failure;
use crate::proxy::upstream::Answer;
use crate::wire::encoding::{self, Decoder, Encoding, Undecodable};

/// A body, and the decoder that its encoding needs: identity was asked for, but not every provider listens.
pub(super) struct Inflow {
    body: Idle<Incoming>,
    decoder: Option<Decoder>,
    /// Named where the body is not what it says it is.
    upstream: Arc<str>,
}

/// A piece of a body.
pub(super) struct Piece {
    /// As it came.
    pub(super) raw: Bytes,
    /// As it reads.
    pub(super) plain: Bytes,
}

impl Inflow {
    pub(super) fn new(answered: Answer, upstream: &Arc<str>) -> Result<Self, Failure> {
        let (head, body) = answered.into_parts();
        let mut inflow = Self { body, decoder: None, upstream: Arc::clone(upstream) };
        let encodings = encodings(&head.headers).map_err(|cause| inflow.unreadable(cause.into()))?;
        inflow.decoder = (!encodings.is_empty()).then(|| Decoder::new(&encodings));
        Ok(inflow)
    }

    /// A body that nobody here reads.
    pub(super) fn unread(answered: Answer, upstream: &Arc<str>) -> Self {
        Self { body: answered.into_body(), decoder: None, upstream: Arc::clone(upstream) }
    }

    /// Whether the body can be read at all.
    pub(super) fn reads(headers: &HeaderMap) -> bool {
        encodings(headers).is_ok()
    }

    /// The next piece; `None` at the body's end.
    pub(super) async fn next(&mut self) -> Result<Option<Piece>, Failure> {
        let Some((raw, plain)) = self.heard().await? else { return Ok(None) };
        let plain = plain.map_err(|cause| self.unreadable(cause.into()))?;
        Ok(Some(Piece { raw, plain }))
    }

    /// The next piece as it came, and as it reads where it can be read. Nothing is read behind what cannot be.
    pub(super) async fn heard(&mut self) -> Result<Option<(Bytes, Result<Bytes, Undecodable>)>, Failure> {
        while let Some(frame) = self.body.frame().await {
            let Ok(raw) = frame?.into_data() else { continue };
            let plain = match &mut self.decoder {
                None => Ok(raw.clone()),
                Some(decoder) => decoder.push(&raw),
            };
            if plain.is_err() {
                self.decoder = None;
            }
            return Ok(Some((raw, plain)));
        }
        let Some(mut decoder) = self.decoder.take() else { return Ok(None) };
        let plain = decoder.finish();
        Ok(plain.as_ref().map_or(true, |plain| !plain.is_empty()).then_some((Bytes::new(), plain)))
    }

    fn unreadable(&self, source: BoxError) -> Failure {
        Failure::Unreachable { upstream: Arc::clone(&self.upstream), source }
    }

    /// The body as it came and as it reads, not much further than `limit` bytes, and whether that is all.
    pub(super) async fn up_to(&mut self, limit: usize) -> Result<(Bytes, Bytes, bool), Failure> {
        let (mut raw, mut plain) = (Vec::new(), Vec::new());
        while raw.len().max(plain.len()) <= limit {
            let Some(piece) = self.next().await? else { return Ok((raw.into(), plain.into(), true)) };
            raw.extend_from_slice(&piece.raw);
            plain.extend_from_slice(&piece.plain);
        }
        Ok((raw.into(), plain.into(), false))
    }

    /// The whole body as it reads, up to `limit` bytes.
    pub(super) async fn whole(&mut self, limit: usize) -> Result<Bytes, Failure> {
        let mut first = Bytes::new();
        let mut joined = Vec::new();
        while let Some(piece) = self.next().await? {
            if first.len() + joined.len() + piece.plain.len() > limit {
                return Err(self.unreadable(format!("its answer is larger than {limit} bytes").into()));
            }
            if first.is_empty() && joined.is_empty() {
                first = piece.plain;
                continue;
            }
            joined.extend_from_slice(&std::mem::take(&mut first));
            joined.extend_from_slice(&piece.plain);
        }
        Ok(if joined.is_empty() { first } else { joined.into() })
    }
}

fn encodings(headers: &HeaderMap) -> Result<Vec<Encoding>, Undecodable> {
    let mut all = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        let text = value.to_str().map_err(|_| Undecodable::Unknown("that is not text".to_owned()))?;
        all.extend(encoding::parse(text)?);
    }
    Ok(all)
}
