//! A provider's body as it comes, with what is readable of it.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use http_body_util::BodyExt;
use hyper::body::Incoming;

use crate::proxy::body::{BoxError, Idle};
use crate::proxy::failure::{Failure, Misanswer};
use crate::proxy::upstream::Answer;
use crate::wire::encoding::{self, Decoder, Encoding, Undecodable};
use crate::wire::form::{Beginning, Form};

/// A body, and the decoder that its encoding needs: identity was asked for, but not every provider listens.
pub(super) struct Inflow {
    body: Idle<Incoming>,
    /// What was looked at beforehand, and not given out yet.
    ahead: VecDeque<Heard>,
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

/// A piece as it came, and as it reads where it can be read.
type Heard = (Bytes, Result<Bytes, Undecodable>);

impl Inflow {
    pub(super) fn new(answered: Answer, upstream: &Arc<str>) -> Result<Self, Failure> {
        let (head, body) = answered.into_parts();
        let encodings = encodings(&head.headers).map_err(|_| unknown_encoding(&head.headers, upstream))?;
        let decoder = (!encodings.is_empty()).then(|| Decoder::new(&encodings));
        Ok(Self { body, ahead: VecDeque::new(), decoder, upstream: Arc::clone(upstream) })
    }

    /// A body that nobody here reads.
    pub(super) fn unread(answered: Answer, upstream: &Arc<str>) -> Self {
        Self {
            body: answered.into_body(),
            ahead: VecDeque::new(),
            decoder: None,
            upstream: Arc::clone(upstream),
        }
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
    pub(super) async fn heard(&mut self) -> Result<Option<Heard>, Failure> {
        match self.ahead.pop_front() {
            None => self.hear().await,
            ahead => Ok(ahead),
        }
    }

    /// Looks at the first bytes, and says which form the body has. One that cannot be decoded has to be read as
    /// something, which will fail.
    pub(super) async fn form(&mut self, limit: usize) -> Result<Form, Failure> {
        let (mut beginning, mut blank) = (Beginning::default(), 0);
        while let Some((raw, plain)) = self.hear().await? {
            let form = match &plain {
                Ok(plain) => beginning.push(plain),
                Err(_) => Some(Form::Whole),
            };
            blank += raw.len().max(plain.as_ref().map_or(0, Bytes::len));
            self.ahead.push_back((raw, plain));
            if let Some(form) = form.or((blank > limit).then_some(Form::Whole)) {
                return Ok(form);
            }
        }
        Ok(Form::Other)
    }

    /// Whether nothing comes at all. Waits for the first piece.
    pub(super) async fn is_empty(&mut self) -> Result<bool, Failure> {
        if self.ahead.is_empty() {
            let first = self.hear().await?;
            self.ahead.extend(first);
        }
        Ok(self.ahead.is_empty())
    }

    async fn hear(&mut self) -> Result<Option<Heard>, Failure> {
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

/// The first of them that is not known.
fn unknown_encoding(headers: &HeaderMap, upstream: &Arc<str>) -> Failure {
    let named = headers.get(CONTENT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
    Failure::Misanswered { upstream: Arc::clone(upstream), how: Misanswer::Encoding(named.to_owned()) }
}

fn encodings(headers: &HeaderMap) -> Result<Vec<Encoding>, Undecodable> {
    let mut all = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        let text = value.to_str().map_err(|_| Undecodable::Unknown("that is not text".to_owned()))?;
        all.extend(encoding::parse(text)?);
    }
    Ok(all)
}
