//! A WebSocket on a path that nothing guards: both ends are joined, and the bytes flow.
//!
//! Only `websocket` counts as a wish. Java's client asks for `h2c` with every request over plain HTTP and is content
//! without; so are others, and RFC 9110 lets a server ignore what it does not want to switch to.

use http::header::{CONNECTION, UPGRADE};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::sync::OwnedSemaphorePermit;

use super::body::Reply;
use super::door::Entry;
use super::failure::{Failure, Unsupported};
use super::house::House;
use super::upstream::relayed;
use super::upstream::{Way, headers};
use crate::config::plan::HttpVersion;

/// Whether a request asks for a WebSocket.
pub(super) fn is_asked_for<B>(request: &Request<B>) -> bool {
    request.version() == Version::HTTP_11
        && names(request.headers(), &CONNECTION, b"upgrade")
        && names(request.headers(), &UPGRADE, b"websocket")
}

/// Asks the provider for the same, and joins the two where it agrees. The place in flight is held until either
/// end closes.
pub(super) async fn open(
    house: &House,
    mut request: Request<Incoming>,
    entry: Entry,
    place: OwnedSemaphorePermit,
) -> Result<Response<Reply>, Failure> {
    let agent = hyper::upgrade::on(&mut request);
    let (parts, body) = request.into_parts();
    let target = house.upstreams.route(parts.uri.path(), None);
    if target.upstream().http == HttpVersion::Two {
        return Err(Unsupported::WebSocket.into());
    }
    let mut prepared = target.prepare(&parts, &entry.ours, Way::Through)?;
    switch(&mut prepared.headers);
    let mut answer = target.stream(prepared, body).await?;
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Ok(relayed(answer).map(|body| body.holding(place)));
    }
    let provider = hyper::upgrade::on(&mut answer);
    let mut response = Response::new(Reply::whole(""));
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    *response.headers_mut() = headers::response(answer.headers());
    switch(response.headers_mut());
    house.tasks.spawn(join(agent, provider, place));
    Ok(response)
}

async fn join(agent: OnUpgrade, provider: OnUpgrade, place: OwnedSemaphorePermit) {
    let (agent, provider) = match tokio::try_join!(agent, provider) {
        Ok(ends) => ends,
        Err(cause) => return tracing::debug!(%cause, "a WebSocket did not open"),
    };
    let (mut agent, mut provider) = (TokioIo::new(agent), TokioIo::new(provider));
    if let Err(cause) = tokio::io::copy_bidirectional(&mut agent, &mut provider).await {
        tracing::debug!(%cause, "a WebSocket broke off");
    }
    drop(place);
}

fn switch(headers: &mut HeaderMap) {
    headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
}

fn names(headers: &HeaderMap, name: &HeaderName, wanted: &[u8]) -> bool {
    let mut words =
        headers.get_all(name).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    words.any(|word| word.trim_ascii().eq_ignore_ascii_case(wanted))
}
