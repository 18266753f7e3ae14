//! What is asked: queries, and requests to be explained.

use std::borrow::Cow;
use std::collections::BTreeMap;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::replay::find::Question;

/// The parameters of a query.
pub(super) struct Query(BTreeMap<String, String>);

/// A request that was not made: by its number in the journal, or in full.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Asked {
    pub(super) number: Option<usize>,
    path: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// JSON, or a text that holds it.
    body: Option<Box<RawValue>>,
}

// === impl Query ===

impl Query {
    pub(super) fn read(query: &str) -> Self {
        let decoded = |text: &str| -> Option<String> {
            let spaced = text.replace('+', " ");
            percent_decode_str(&spaced).decode_utf8().map(Cow::into_owned).ok()
        };
        let pairs = query.split('&').filter_map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Some((decoded(name)?, decoded(value)?))
        });
        Self(pairs.collect())
    }
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.get(name)?.parse().ok()
    }
    /// None: all of them, or the one without a name.
    pub(super) fn session(&self) -> Option<&str> {
        self.get("session")
    }
}

// === impl Asked ===

impl Asked {
    pub(super) fn question(self) -> Question {
        let written = self.body.as_ref().map_or("", |body| body.get());
        let body = serde_json::from_str::<String>(written).unwrap_or_else(|_| written.to_owned());
        let headers = self.headers.iter().filter_map(|(name, value)| {
            Some((HeaderName::from_bytes(name.as_bytes()).ok()?, HeaderValue::from_str(value).ok()?))
        });
        let headers: HeaderMap = headers.collect();
        let path = self.path.unwrap_or_else(|| "/v1/chat/completions".to_owned());
        Question::read(&path, headers, Bytes::from(body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_queries() {
        let query = Query::read("session=a%20b&name=g+1&times=3&odd");
        assert_eq!((query.session(), query.get("name")), (Some("a b"), Some("g 1")));
        assert_eq!(
            (query.number("times"), query.number("name"), query.get("odd")),
            (Some(3), None, Some(""))
        );
        assert_eq!(Query::read("").session(), None);
    }

    #[test]
    fn a_body_may_be_json_or_a_text_that_holds_it() {
        for body in [r#"{"model":"m","messages":[]}"#, r#""{\"model\":\"m\",\"messages\":[]}""#] {
            let asked: Asked = serde_json::from_str(&format!(r#"{{"body":{body}}}"#)).unwrap();
            assert_eq!(asked.question().model.as_deref(), Some("m"));
        }
        assert!(serde_json::from_str::<Asked>(r#"{"bodi":{}}"#).is_err());
    }
}
