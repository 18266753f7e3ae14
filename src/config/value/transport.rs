//! What goes over the wire: base URLs, credentials, header names and values.

use std::cmp::Ordering;
use std::str::FromStr;

use http::uri::{PathAndQuery, Scheme};
use http::{HeaderName, HeaderValue, Uri};

use super::Written;
use crate::config::plan::Secret;

/// Headers that belong to the connection or the message; one written by hand would break the request.
const OURS: [&str; 8] = [
    "connection",
    "content-encoding",
    "content-length",
    "host",
    "keep-alive",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// Where a provider is: scheme, host, and the path that requests are joined to; no slash at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BaseUrl(pub Uri);

/// A key that is sent or compared as a header value. Never empty, never shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Credential(pub Secret);

/// The name of a header that the operator may set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name(pub HeaderName);

/// The value of a header. It may be a key, so it is not shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text(pub HeaderValue);

// === impl BaseUrl ===

impl Written for BaseUrl {
    const EXPECTED: &'static str = "a URL such as \"https://api.openai.com/v1\"";
}

impl FromStr for BaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // What stands before an `@` may be a password, so a bad URL is not repeated.
        let unread = |what: &str| format!("{what}; expected {}", Self::EXPECTED);
        let uri: Uri = text.parse().map_err(|error| unread(&format!("not a URL: {error}")))?;
        if uri.scheme() != Some(&Scheme::HTTP) && uri.scheme() != Some(&Scheme::HTTPS) {
            return Err(unread("the URL must begin with http:// or https://"));
        }
        match uri.authority() {
            Some(authority) if authority.as_str().contains('@') => {
                return Err("no user or password may stand in the URL; set `key` or `headers`".to_owned());
            }
            Some(authority) if !authority.host().is_empty() => {}
            _ => return Err(unread("the URL has no host")),
        }
        if uri.query().is_some() {
            return Err("the URL cannot have a query: requests bring their own".to_owned());
        }
        let mut parts = uri.into_parts();
        let path = parts.path_and_query.as_ref().map_or("", |path| path.path()).trim_end_matches('/');
        let path = if path.is_empty() { "/" } else { path };
        parts.path_and_query =
            Some(PathAndQuery::from_str(path).map_err(|error| unread(&error.to_string()))?);
        Uri::from_parts(parts).map(Self).map_err(|error| unread(&error.to_string()))
    }
}

// === impl Credential ===

impl Written for Credential {
    const EXPECTED: &'static str = "a key, best as \"env:NAME\"";
}

impl FromStr for Credential {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("the key is empty".to_owned());
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("the key holds white space or other characters that a header cannot carry".to_owned());
        }
        Ok(Self(Secret::new(text)))
    }
}

// === impl Name ===

impl Ord for Name {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.as_str().cmp(other.0.as_str())
    }
}

impl PartialOrd for Name {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Written for Name {
    const EXPECTED: &'static str = "a header name such as \"x-team\"";
}

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = HeaderName::from_str(text)
            .map_err(|_| format!("`{}` is not a header name", text.escape_debug()))?;
        if OURS.contains(&name.as_str()) {
            return Err(format!("`{name}` is set by the proxy for each request"));
        }
        Ok(Self(name))
    }
}

// === impl Text ===

impl Written for Text {
    const EXPECTED: &'static str = "a header value";
}

impl FromStr for Text {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut value = HeaderValue::from_str(text)
            .map_err(|_| "the value holds characters that a header cannot carry".to_owned())?;
        value.set_sensitive(true);
        Ok(Self(value))
    }
}
