//! What can go wrong on our side of an exchange, and what the agent is told of it.
//!
//! One table turns causes into responses. An error of the provider is none of these: it goes through as it came.
//! Messages never hold a header value, a key or a piece of a body.

use std::error::Error as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE, RETRY_AFTER, UPGRADE, WWW_AUTHENTICATE};
use http::{HeaderName, HeaderValue, Response, StatusCode};

use super::body::{BoxError, Reply};
use crate::dialect::Dialect;
use crate::wire::encoding::Undecodable;

#[cfg(test)]
mod tests;

/// Tells SDKs that the same request will fail again.
const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Why an exchange ended without an answer of the provider.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// No connection, or it broke before the answer was whole.
    #[error("the provider `{upstream}` cannot be reached")]
    Unreachable { upstream: Arc<str>, source: BoxError },
    /// The provider was silent for too long.
    #[error("the provider `{upstream}` {waited_for} within {limit:?}")]
    Timeout { upstream: Arc<str>, waited_for: Wait, limit: Duration },
    /// The provider answered, but not so that the exchange could go on.
    #[error("the provider `{upstream}` {how}")]
    Misanswered { upstream: Arc<str>, how: Misanswer },
    #[error("the request body is larger than {limit} bytes")]
    TooLarge { limit: usize },
    /// The body broke off, or is not what its headers say.
    #[error("the request body cannot be read")]
    Unreadable(#[source] BoxError),
    #[error(transparent)]
    Unsupported(#[from] Unsupported),
    /// As many exchanges are running as may.
    #[error("too many exchanges are in flight")]
    Overloaded,
    /// The agent showed none of the keys that open this proxy.
    #[error("a valid key of this proxy is needed")]
    Unauthorized,
    /// A fault of our own.
    #[error("the proxy failed")]
    Internal(#[source] BoxError),
}

/// What a provider failed to do in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wait {
    Connect,
    /// The head of an answer.
    Answer,
    /// The next piece of an answer.
    Progress,
}

/// What is wrong with a provider's answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Misanswer {
    /// It is in a content encoding that was not asked for and that nobody here can undo, so its calls cannot be
    /// judged.
    Encoding(String),
    /// It is an error, in a further round.
    Error(StatusCode),
    /// It is of another form than the answer that it has to continue.
    Form,
}

/// What this proxy does not speak.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unsupported {
    #[error("unknown content encoding `{0}`")]
    Encoding(String),
    #[error("this API is served over HTTP only, not over WebSocket")]
    WebSocket,
    #[error("this is no forward proxy: CONNECT is not served")]
    Connect,
}

/// Who has to change something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    Agent,
    Provider,
    Proxy,
}

// === impl Failure ===

impl Failure {
    /// The table: the status and the stable code of each cause.
    fn row(&self) -> (StatusCode, &'static str) {
        match self {
            Self::Unreachable { .. } => (StatusCode::BAD_GATEWAY, "upstream_unreachable"),
            Self::Timeout { .. } => (StatusCode::GATEWAY_TIMEOUT, "upstream_timeout"),
            Self::Misanswered { how: Misanswer::Encoding(_), .. } => {
                (StatusCode::BAD_GATEWAY, "upstream_encoding")
            }
            Self::Misanswered { .. } => (StatusCode::BAD_GATEWAY, "reask_failed"),
            Self::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "body_too_large"),
            Self::Unreadable(_) => (StatusCode::BAD_REQUEST, "unreadable_body"),
            Self::Unsupported(Unsupported::Encoding(_)) => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_encoding")
            }
            Self::Unsupported(Unsupported::WebSocket) => {
                (StatusCode::UPGRADE_REQUIRED, "websocket_unsupported")
            }
            Self::Unsupported(Unsupported::Connect) => {
                (StatusCode::METHOD_NOT_ALLOWED, "connect_unsupported")
            }
            Self::Overloaded => (StatusCode::SERVICE_UNAVAILABLE, "overloaded"),
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "invalid_key"),
            Self::Internal(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal"),
        }
    }

    pub fn status(&self) -> StatusCode {
        self.row().0
    }

    pub fn code(&self) -> &'static str {
        self.row().1
    }

    pub fn fault(&self) -> Fault {
        match self {
            Self::Unreachable { .. } | Self::Timeout { .. } | Self::Misanswered { .. } => Fault::Provider,
            Self::TooLarge { .. } | Self::Unreadable(_) | Self::Unsupported(_) | Self::Unauthorized => {
                Fault::Agent
            }
            Self::Overloaded | Self::Internal(_) => Fault::Proxy,
        }
    }

    /// What the agent reads. Causes of our own stay in the log; those of others help who has to act.
    pub fn message(&self) -> String {
        if self.fault() == Fault::Proxy {
            return self.to_string();
        }
        let mut cause = self.source();
        while let Some(deeper) = cause.and_then(std::error::Error::source) {
            cause = Some(deeper);
        }
        cause.map_or_else(|| self.to_string(), |root| format!("{self}: {root}"))
    }

    /// The whole response, in the error shape of the dialect spoken at the path; Chat's where there is none.
    pub fn response(&self, dialect: Option<Dialect>) -> Response<Reply> {
        let text = dialect.unwrap_or(Dialect::Chat).error(self.code(), &self.message());
        let mut response = Response::new(Reply::whole(Bytes::from(text)));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if self.fault() == Fault::Agent {
            headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
        }
        match self {
            Self::Overloaded => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            Self::Unauthorized => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            // RFC 9110, section 15.5.22: a 426 names the protocol to use.
            Self::Unsupported(Unsupported::WebSocket) => {
                headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
                headers.insert(UPGRADE, HeaderValue::from_static("HTTP/1.1"));
            }
            _ => {}
        }
        response
    }
}

impl From<Undecodable> for Failure {
    fn from(cause: Undecodable) -> Self {
        match cause {
            Undecodable::Unknown(name) => Unsupported::Encoding(name).into(),
            Undecodable::TooLarge { limit } => Self::TooLarge { limit },
            Undecodable::Corrupt { .. } => Self::Unreadable(cause.into()),
        }
    }
}

// === impl Misanswer ===

impl std::fmt::Display for Misanswer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Encoding(name) => write!(formatter, "answered in the unknown content encoding `{name}`"),
            Self::Error(status) => write!(formatter, "answered {status} when it was asked again"),
            Self::Form => formatter.write_str("answered in another form when it was asked again"),
        }
    }
}

// === impl Wait ===

impl std::fmt::Display for Wait {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Connect => "could not be connected to",
            Self::Answer => "did not answer",
            Self::Progress => "sent nothing more",
        })
    }
}
