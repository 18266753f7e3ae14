use http_body_util::BodyExt;

use super::*;

fn unreachable() -> Failure {
    let refused = std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "connection refused");
    Failure::Unreachable { upstream: "openai".into(), source: refused.into() }
}

fn all() -> Vec<Failure> {
    let timeout = |waited_for| Failure::Timeout {
        upstream: "openai".into(),
        waited_for,
        limit: Duration::from_secs(10),
    };
    let misanswered = |how| Failure::Misanswered { upstream: "openai".into(), how };
    vec![
        unreachable(),
        timeout(Wait::Connect),
        timeout(Wait::Answer),
        timeout(Wait::Progress),
        misanswered(Misanswer::Encoding("lzma".into())),
        misanswered(Misanswer::Error(StatusCode::TOO_MANY_REQUESTS)),
        misanswered(Misanswer::Form),
        Failure::TooLarge { limit: 64 },
        Failure::Unreadable("it broke off".into()),
        Unsupported::Encoding("lzma".into()).into(),
        Unsupported::WebSocket.into(),
        Unsupported::Connect.into(),
        Failure::Overloaded,
        Failure::Unauthorized,
        Failure::Internal("index 3 of 2".into()),
    ]
}

#[test]
fn every_cause_has_its_row() {
    let table = all().iter().fold(String::new(), |mut table, failure| {
        let row = format!(
            "{} {} {:?}: {}\n",
            failure.status().as_u16(),
            failure.code(),
            failure.fault(),
            failure.message()
        );
        table.push_str(&row);
        table
    });
    insta::assert_snapshot!(table, @r"
    502 upstream_unreachable Provider: the provider `openai` cannot be reached: connection refused
    504 upstream_timeout Provider: the provider `openai` could not be connected to within 10s
    504 upstream_timeout Provider: the provider `openai` did not answer within 10s
    504 upstream_timeout Provider: the provider `openai` sent nothing more within 10s
    502 upstream_encoding Provider: the provider `openai` answered in the unknown content encoding `lzma`
    502 reask_failed Provider: the provider `openai` answered 429 Too Many Requests when it was asked again
    502 reask_failed Provider: the provider `openai` answered in another form when it was asked again
    413 body_too_large Agent: the request body is larger than 64 bytes
    400 unreadable_body Agent: the request body cannot be read: it broke off
    415 unsupported_encoding Agent: unknown content encoding `lzma`
    426 websocket_unsupported Agent: this API is served over HTTP only, not over WebSocket
    405 connect_unsupported Agent: this is no forward proxy: CONNECT is not served
    503 overloaded Proxy: too many exchanges are in flight
    401 invalid_key Agent: a valid key of this proxy is needed
    500 internal Proxy: the proxy failed
    ");
}

#[tokio::test]
async fn the_body_is_the_apis_error_object() {
    let response = unreachable().response(Some(Dialect::Chat));
    assert_eq!(response.headers()[CONTENT_TYPE], "application/json");
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let error: serde_json::Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(error["error"]["type"], "remand_error");
    assert_eq!(error["error"]["code"], "upstream_unreachable");
    assert_eq!(error["error"]["message"], "the provider `openai` cannot be reached: connection refused");
}

#[test]
fn only_what_the_agent_must_change_is_marked_as_final() {
    for failure in all() {
        let is_final = failure.response(None).headers().contains_key(SHOULD_RETRY);
        assert_eq!(is_final, failure.fault() == Fault::Agent, "{failure}");
    }
}

#[test]
fn an_overload_says_when_to_come_again() {
    assert_eq!(Failure::Overloaded.response(None).headers()[RETRY_AFTER], "1");
    assert!(!unreachable().response(None).headers().contains_key(RETRY_AFTER));
}

#[test]
fn a_refused_websocket_names_what_is_spoken_instead() {
    let response = Failure::from(Unsupported::WebSocket).response(None);
    assert_eq!(response.headers()[UPGRADE], "HTTP/1.1");
    assert_eq!(response.headers()[CONNECTION], "upgrade");
}

#[test]
fn causes_of_our_own_stay_in_the_log() {
    assert_eq!(Failure::Internal("index 3 of 2".into()).message(), "the proxy failed");
}

#[test]
fn an_encoding_that_fails_is_told_by_how_it_failed() {
    let code = |cause: Undecodable| Failure::from(cause).code();
    assert_eq!(code(Undecodable::Unknown("lzma".into())), "unsupported_encoding");
    assert_eq!(code(Undecodable::TooLarge { limit: 9 }), "body_too_large");
    let corrupt = Undecodable::Corrupt { encoding: "gzip", source: std::io::Error::other("bad header") };
    assert_eq!(code(corrupt), "unreadable_body");
}
