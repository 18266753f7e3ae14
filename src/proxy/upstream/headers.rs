//! Which headers go on, each way.
//!
//! The default is to pass on, in order: providers' clients send headers that no list knows. What is left out
//! concerns one connection only, or tells the provider more than it should learn.

use http::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH,
    CONTENT_TYPE, EXPECT, FORWARDED, HOST, ORIGIN, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, REFERER, TE,
    TRANSFER_ENCODING, UPGRADE, VIA,
};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::config::plan::{Secret, Upstream};

#[cfg(test)]
mod tests;

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");
const X_REAL_IP: HeaderName = HeaderName::from_static("x-real-ip");
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Headers in which an agent may show a key, in the order they are looked at.
pub(crate) const CREDENTIALS: [HeaderName; 3] =
    [AUTHORIZATION, HeaderName::from_static("x-api-key"), HeaderName::from_static("api-key")];

/// How a request goes to the provider.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Read and judged: the body goes out decoded and of known length, and the answer must come readable.
    Guarded,
    /// The same, but the body could not be decoded: it goes out as it came, and its encoding is named.
    Encoded,
    /// Streamed, untouched.
    Through,
}

/// The headers of a request to a provider. `ours` are the headers in which the agent showed a key of this proxy:
/// that key is never passed on.
pub fn request(asked: &HeaderMap, ours: &[HeaderName], upstream: &Upstream, way: Way) -> HeaderMap {
    let named = named_by_connection(asked);
    let mut sent = HeaderMap::with_capacity(asked.len() + upstream.headers.len() + 2);
    for (name, value) in asked {
        if CREDENTIALS.contains(name) {
            pass_credential(name, value, ours, upstream.key.as_ref(), &mut sent);
        } else if !stays_here(name, way) && !named.contains(name) {
            sent.append(name.clone(), value.clone());
        }
    }
    if let Some(key) = &upstream.key
        && !CREDENTIALS.iter().any(|name| sent.contains_key(name))
        && let Some(value) = credential(&AUTHORIZATION, key)
    {
        sent.insert(AUTHORIZATION, value);
    }
    match way {
        Way::Guarded | Way::Encoded => {
            sent.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        Way::Through if takes_trailers(asked) => {
            sent.insert(TE, HeaderValue::from_static("trailers"));
        }
        Way::Through => {}
    }
    for (name, value) in &upstream.headers {
        sent.insert(name.clone(), value.clone());
    }
    sent
}

/// The headers of a provider's answer as they go to the agent.
pub fn response(answered: &HeaderMap) -> HeaderMap {
    let named = named_by_connection(answered);
    let is_stream = is_event_stream(answered);
    let mut sent = HeaderMap::with_capacity(answered.len() + 2);
    for (name, value) in answered {
        if !is_hop_by_hop(name) && !named.contains(name) {
            // The head of a stream is kept while that lasts: not with all the memory that it was read into.
            let apart = is_stream.then(|| HeaderValue::from_bytes(value.as_bytes()).ok()).flatten();
            sent.append(name.clone(), apart.unwrap_or_else(|| value.clone()));
        }
    }
    if is_stream {
        if !sent.contains_key(CACHE_CONTROL) {
            sent.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        }
        // Otherwise an nginx in between holds events back until its buffer is full.
        sent.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    }
    sent
}

/// Whether a body is a stream of events, by its type.
pub fn is_event_stream(headers: &HeaderMap) -> bool {
    essence(headers).eq_ignore_ascii_case(b"text/event-stream")
}

/// Whether a body is JSON, by its type.
pub fn is_json(headers: &HeaderMap) -> bool {
    let essence = essence(headers).to_ascii_lowercase();
    essence == b"application/json" || essence.ends_with(b"+json")
}

/// The media type without its parameters.
fn essence(headers: &HeaderMap) -> &[u8] {
    let value = headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
    value.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii()
}

/// A key as it is shown in the header `name`.
fn credential(name: &HeaderName, key: &Secret) -> Option<HeaderValue> {
    let shown =
        if *name == AUTHORIZATION { [b"Bearer ", key.expose()].concat() } else { key.expose().to_vec() };
    let mut value = HeaderValue::from_bytes(&shown).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// A provider's own key goes out in the form that the agent's client chose; several values become one.
fn pass_credential(
    name: &HeaderName,
    value: &HeaderValue,
    ours: &[HeaderName],
    key: Option<&Secret>,
    sent: &mut HeaderMap,
) {
    if let Some(key) = key {
        if let Some(value) = credential(name, key) {
            sent.insert(name.clone(), value);
        }
    } else if !ours.contains(name) {
        sent.append(name.clone(), value.clone());
    }
}

fn stays_here(name: &HeaderName, way: Way) -> bool {
    is_hop_by_hop(name)
        || is_private(name)
        || (way != Way::Through && [CONTENT_LENGTH, ACCEPT_ENCODING].contains(name))
        || (way == Way::Guarded && *name == CONTENT_ENCODING)
}

/// RFC 9110, section 7.6.1, and the proxy's own authentication. `trailer` is not among them: trailers go on.
fn is_hop_by_hop(name: &HeaderName) -> bool {
    [
        CONNECTION,
        KEEP_ALIVE,
        PROXY_CONNECTION,
        PROXY_AUTHENTICATE,
        PROXY_AUTHORIZATION,
        TE,
        TRANSFER_ENCODING,
        UPGRADE,
    ]
    .contains(name)
}

/// What concerns the agent and this proxy, not the provider.
fn is_private(name: &HeaderName) -> bool {
    const COOKIE: HeaderName = http::header::COOKIE;
    [HOST, EXPECT, COOKIE, ORIGIN, REFERER, FORWARDED, VIA, X_REAL_IP].contains(name)
        || name.as_str().starts_with("x-forwarded-")
}

fn named_by_connection(headers: &HeaderMap) -> Vec<HeaderName> {
    headers
        .get_all(CONNECTION)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','))
        .filter_map(|name| HeaderName::from_bytes(name.trim_ascii()).ok())
        .collect()
}

fn takes_trailers(asked: &HeaderMap) -> bool {
    let mut codings = asked.get_all(TE).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    codings.any(|coding| coding.trim_ascii().eq_ignore_ascii_case(b"trailers"))
}
