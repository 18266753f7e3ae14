//! Reading a request body whole, once, with a cap before and after decompression.
//!
//! A body that comes in one piece is not copied. A body that is too large is refused as soon as that is known, and
//! what the agent is still sending is let in for a short while: an agent that is cut off while it writes reports a
//! broken connection and tries again, instead of reading why. A body that is not in the encoding it is said to be in
//! is nobody's to refuse here: it goes on as it came, and the provider says what it thinks of it.

use std::pin::pin;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http::header::{CONTENT_ENCODING, CONTENT_LENGTH, EXPECT};
use http_body::Body;
use http_body_util::BodyExt;
use tokio::time::timeout;

use super::BoxError;
use crate::proxy::failure::Failure;
use crate::wire::encoding::{self, Encoding, Undecodable};

#[cfg(test)]
mod tests;

/// No byte from the agent for so long, and its request is given up: it holds one of the places in flight.
const STALL: Duration = Duration::from_mins(1);

/// How long a refused body may go on coming in.
const LINGER: Duration = Duration::from_secs(2);

/// What is reserved at most on the word of a `content-length`: it costs an agent nothing to promise much.
const RESERVE: usize = 4 << 20;

/// A body that was read whole.
#[derive(Debug)]
pub enum Whole {
    /// As it reads.
    Plain(Bytes),
    /// As it came: it is not what its headers say.
    Encoded { bytes: Bytes, why: Undecodable },
}

/// The whole body, decoded as `headers` say; `max` bounds it both as sent and as decoded.
pub async fn read<B>(body: B, headers: &HeaderMap, max: usize) -> Result<Whole, Failure>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    let encodings = encodings(headers)?;
    let promised = promised(headers);
    let mut body = pin!(body);
    let collected = match promised {
        Some(length) if length > max => Err(Failure::TooLarge { limit: max }),
        _ => collect(&mut body, promised.unwrap_or(0), max).await,
    };
    let bytes = match collected {
        Err(failure @ Failure::TooLarge { .. }) => {
            // Who asked first (`expect`) has not begun to send: to read on would be to ask for it.
            if !headers.contains_key(EXPECT) {
                linger(body).await;
            }
            return Err(failure);
        }
        other => other?,
    };
    if encodings.is_empty() {
        return Ok(Whole::Plain(bytes));
    }
    let encoded = bytes.clone();
    // Some megabytes of output may come of it: too long to hold up the other connections of this thread.
    let decoded = tokio::task::spawn_blocking(move || encoding::decode(&encodings, &encoded, max)).await;
    match decoded.map_err(|crash| Failure::Internal(crash.into()))? {
        Ok(plain) => Ok(Whole::Plain(plain.into())),
        Err(why @ Undecodable::Corrupt { .. }) => Ok(Whole::Encoded { bytes, why }),
        Err(refused) => Err(refused.into()),
    }
}

async fn collect<B>(body: &mut std::pin::Pin<&mut B>, promised: usize, max: usize) -> Result<Bytes, Failure>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    let mut whole = Bytes::new();
    let mut joined: Option<BytesMut> = None;
    while let Some(piece) = next(body).await? {
        let length = joined.as_ref().map_or(whole.len(), BytesMut::len);
        if piece.len() > max.saturating_sub(length) {
            return Err(Failure::TooLarge { limit: max });
        }
        if length == 0 {
            whole = piece;
            continue;
        }
        joined
            .get_or_insert_with(|| {
                let mut buffer =
                    BytesMut::with_capacity(promised.clamp(whole.len(), RESERVE.max(whole.len())));
                buffer.extend_from_slice(&whole);
                buffer
            })
            .extend_from_slice(&piece);
    }
    Ok(joined.map_or(whole, BytesMut::freeze))
}

/// The next data; trailers are of no use to a body that is read whole.
async fn next<B>(body: &mut std::pin::Pin<&mut B>) -> Result<Option<Bytes>, Failure>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    loop {
        let frame = timeout(STALL, body.frame()).await.map_err(|late| Failure::Unreadable(late.into()))?;
        match frame {
            None => return Ok(None),
            Some(Err(cause)) => return Err(Failure::Unreadable(cause.into())),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

async fn linger<B: Body>(mut body: std::pin::Pin<&mut B>) {
    let rest = async { while let Some(Ok(_)) = body.frame().await {} };
    if timeout(LINGER, rest).await.is_err() {
        tracing::debug!("a refused request body was still coming in");
    }
}

fn encodings(headers: &HeaderMap) -> Result<Vec<Encoding>, Failure> {
    let mut all = Vec::new();
    for value in headers.get_all(CONTENT_ENCODING) {
        let text = value.to_str().map_err(|cause| Failure::Unreadable(cause.into()))?;
        all.extend(encoding::parse(text)?);
    }
    Ok(all)
}

fn promised(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
