use http::header::{COOKIE, USER_AGENT};

use super::*;
use crate::config::plan::HttpVersion;

fn upstream(key: Option<&str>, headers: &[(&'static str, &'static str)]) -> Upstream {
    Upstream {
        name: "openai".into(),
        base_url: "https://api.openai.com/v1".parse().unwrap(),
        models: None,
        paths: None,
        key: key.map(Secret::new),
        headers: map(headers).into_iter().map(|(name, value)| (name.unwrap(), value)).collect(),
        ca: None,
        http: HttpVersion::One,
    }
}

fn map(list: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in list {
        map.append(*name, HeaderValue::from_static(value));
    }
    map
}

fn lines(headers: &HeaderMap) -> Vec<String> {
    headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect()
}

/// What is sent where the agent sent `asked`, through an upstream without settings.
fn sent(asked: &[(&'static str, &'static str)], way: Way) -> Vec<String> {
    lines(&request(&map(asked), &[], &upstream(None, &[]), way))
}

/// Of the credentials only.
fn shown(asked: &[(&'static str, &'static str)], ours: &[HeaderName], key: Option<&str>) -> Vec<String> {
    lines(&request(&map(asked), ours, &upstream(key, &[]), Way::Through))
}

#[test]
fn what_no_list_knows_goes_on_in_order() {
    let asked = [
        ("user-agent", "OpenAI/Python 2.0"),
        ("x-stainless-lang", "python"),
        ("openai-organization", "org"),
        ("http-referer", "https://app.example"),
        ("x-title", "App"),
        ("traceparent", "00-1-2-01"),
        ("idempotency-key", "1"),
        ("anthropic-beta", "a"),
        ("anthropic-beta", "b"),
        ("x-unheard-of", "1"),
        ("content-type", "application/json"),
    ];
    let expected: Vec<_> = asked.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    assert_eq!(sent(&asked, Way::Through), expected);
}

#[test]
fn what_concerns_one_connection_stays() {
    let asked = [
        ("connection", "keep-alive, X-Hop"),
        ("x-hop", "1"),
        ("keep-alive", "timeout=5"),
        ("proxy-connection", "keep-alive"),
        ("proxy-authorization", "Basic eA=="),
        ("te", "gzip"),
        ("transfer-encoding", "chunked"),
        ("upgrade", "h2c"),
        ("host", "localhost:8787"),
        ("expect", "100-continue"),
    ];
    assert!(sent(&asked, Way::Through).is_empty());
}

#[test]
fn what_the_provider_should_not_learn_stays() {
    let asked = [
        ("cookie", "session=1"),
        ("origin", "http://localhost"),
        ("referer", "http://localhost/page"),
        ("forwarded", "for=10.0.0.1"),
        ("x-forwarded-for", "10.0.0.1"),
        ("x-forwarded-prefix", "/p"),
        ("x-real-ip", "10.0.0.1"),
        ("via", "1.1 inner"),
    ];
    assert!(sent(&asked, Way::Guarded).iter().all(|line| line == "accept-encoding: identity"));
}

#[test]
fn a_guarded_answer_must_come_readable() {
    let asked = [("accept-encoding", "gzip, br"), ("content-encoding", "zstd"), ("content-length", "9")];
    assert_eq!(sent(&asked, Way::Guarded), ["accept-encoding: identity"]);
    assert_eq!(sent(&asked, Way::Through).len(), 3);
    assert_eq!(sent(&[], Way::Guarded), ["accept-encoding: identity"]);
    assert_eq!(sent(&asked, Way::Encoded), ["content-encoding: zstd", "accept-encoding: identity"]);
}

#[test]
fn trailers_stay_welcome() {
    assert_eq!(sent(&[("te", "deflate, Trailers")], Way::Through), ["te: trailers"]);
    assert_eq!(sent(&[("trailer", "x-sum")], Way::Through), ["trailer: x-sum"]);
}

#[test]
fn the_agents_own_key_goes_through() {
    let asked = [("authorization", "Bearer sk-agent"), ("x-api-key", "sk-other")];
    assert_eq!(shown(&asked, &[], None), ["authorization: Bearer sk-agent", "x-api-key: sk-other"]);
}

#[test]
fn a_key_of_this_proxy_is_never_passed_on() {
    let asked = [("authorization", "Bearer sk-agent"), ("x-api-key", "remand-key")];
    let ours = [HeaderName::from_static("x-api-key")];
    assert_eq!(shown(&asked, &ours, None), ["authorization: Bearer sk-agent"]);
    assert!(shown(&asked, &CREDENTIALS, None).is_empty());
}

#[test]
fn the_operators_key_takes_the_place_of_the_agents_in_the_form_it_chose() {
    let key = Some("sk-operator");
    assert_eq!(
        shown(&[("authorization", "Bearer sk-agent")], &[], key),
        ["authorization: Bearer sk-operator"]
    );
    assert_eq!(shown(&[("api-key", "sk-agent")], &[], key), ["api-key: sk-operator"]);
    assert_eq!(shown(&[("x-api-key", "remand-key")], &CREDENTIALS, key), ["x-api-key: sk-operator"]);
    assert_eq!(shown(&[], &[], key), ["authorization: Bearer sk-operator"]);
    let twice = [("authorization", "Bearer a"), ("authorization", "Bearer b")];
    assert_eq!(shown(&twice, &[], key), ["authorization: Bearer sk-operator"]);
}

#[test]
fn headers_of_the_configuration_win() {
    let upstream = upstream(None, &[("x-team", "agents"), ("user-agent", "remand")]);
    let headers = request(&map(&[("user-agent", "curl"), ("x-team", "?")]), &[], &upstream, Way::Through);
    assert_eq!(headers[USER_AGENT], "remand");
    assert_eq!(headers["x-team"], "agents");
    assert!(!headers.contains_key(COOKIE));
}

#[test]
fn an_answer_keeps_its_headers_in_order_but_those_of_the_connection() {
    let answered = map(&[
        ("connection", "close, x-hop"),
        ("date", "now"),
        ("x-hop", "1"),
        ("x-request-id", "r"),
        ("transfer-encoding", "chunked"),
        ("x-ratelimit-remaining-tokens", "9"),
        ("content-length", "3"),
        ("set-cookie", "a"),
        ("set-cookie", "b"),
    ]);
    assert_eq!(
        lines(&response(&answered)),
        [
            "date: now",
            "x-request-id: r",
            "x-ratelimit-remaining-tokens: 9",
            "content-length: 3",
            "set-cookie: a",
            "set-cookie: b"
        ]
    );
}

#[test]
fn an_event_stream_is_not_to_be_buffered() {
    let stream = [("content-type", "Text/Event-Stream; charset=utf-8")];
    assert_eq!(lines(&response(&map(&stream)))[1..], ["cache-control: no-cache", "x-accel-buffering: no"]);
    let own = [("content-type", "text/event-stream"), ("cache-control", "no-store")];
    assert_eq!(lines(&response(&map(&own)))[1..], ["cache-control: no-store", "x-accel-buffering: no"]);
    let json = [("content-type", "application/json")];
    assert_eq!(lines(&response(&map(&json))), ["content-type: application/json"]);
    assert!(!is_event_stream(&map(&[("content-type", "text/event-streams")])));
}
