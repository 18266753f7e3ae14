//! Errors of the proxy's own: each cause on the path of a guarded API, all in one shape.

use std::time::Duration;

use http::{Method, StatusCode};
use remand::replay::{Place, Script, Server, Step};

use crate::scene::{Got, Scene, pass, request, user};

const PATH: &str = "/v1/chat/completions";

fn question(stream: bool) -> String {
    request(&[&user("go")], &[], stream)
}

/// SDKs ask again by themselves where asking again may help, and only there.
fn assert_may_be_asked_again(got: &Got, may: bool) {
    let told = got.headers.get("x-should-retry").map(|value| value.to_str().unwrap());
    assert_eq!(told, (!may).then_some("false"));
}

#[tokio::test]
async fn a_provider_that_is_not_there_is_502() {
    for stream in [true, false] {
        let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let elsewhere = Server::start(Script::new()).unwrap();
        let scene = Scene::by_way_of(elsewhere, &format!("http://{gone}/v1"), "").await;
        let got = scene.send(question(stream)).await;
        got.assert_ours(StatusCode::BAD_GATEWAY, "upstream_unreachable");
        assert!(got.text().contains("`scripted`"), "it says which: {}", got.text());
        assert_may_be_asked_again(&got, true);
    }
}

#[tokio::test]
async fn a_provider_that_says_nothing_is_504() {
    for stream in [true, false] {
        let step = Step::new().say("Late.").gate("g", Place::BeforeHead);
        let scene = Scene::with(Script::new().step(step), "idle_timeout = \"9s\"", "").await;
        let silence = async {
            scene.provider.gate("g").wait_reached().await;
            pass(Duration::from_secs(9)).await;
        };
        let (got, ()) = tokio::join!(scene.send(question(stream)), silence);
        got.assert_ours(StatusCode::GATEWAY_TIMEOUT, "upstream_timeout");
        assert_may_be_asked_again(&got, true);
        scene.provider.aborted(0).await;
    }
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_413() {
    for stream in [true, false] {
        let body = question(stream);
        let listen = format!("max_body = {}", body.len() - 1);
        let scene = Scene::with(Script::new(), &listen, "").await;
        let got = scene.send(body).await;
        got.assert_ours(StatusCode::PAYLOAD_TOO_LARGE, "body_too_large");
        assert_may_be_asked_again(&got, false);
        assert!(scene.sent().is_empty());
    }
}

#[tokio::test]
async fn more_exchanges_than_may_be_is_503() {
    for stream in [true, false] {
        let held = Step::new().say("Well, ").gate("g", Place::BeforeHead);
        let script = Script::new().step(held).step(Step::new().say("Now."));
        let scene = Scene::with(script, "max_exchanges = 1", "").await;
        let second = async {
            scene.provider.gate("g").wait_reached().await;
            let refused = scene.send(question(stream)).await;
            scene.provider.gate("g").release();
            refused
        };
        let (first, got) = tokio::join!(scene.send(question(stream)), second);
        got.assert_ours(StatusCode::SERVICE_UNAVAILABLE, "overloaded");
        assert_eq!(got.headers["retry-after"], "1");
        assert_may_be_asked_again(&got, true);
        assert_eq!(first.message().text, "Well, ");
        // The place is free again once the answer's last byte is out.
        assert_eq!(scene.send(question(stream)).await.message().text, "Now.");
    }
}

#[tokio::test]
async fn whoever_shows_no_key_of_this_proxy_is_401() {
    let scene = Scene::with(Script::new(), "keys = [\"ours\"]", "").await;
    for stream in [true, false] {
        let got = scene.send(question(stream)).await;
        got.assert_ours(StatusCode::UNAUTHORIZED, "invalid_key");
        assert_eq!(got.headers["www-authenticate"], "Bearer");
        assert_may_be_asked_again(&got, false);
    }
}

#[tokio::test]
async fn a_socket_where_there_is_none_is_426() {
    let scene = Scene::new(Script::new(), "").await;
    let headers = [("connection", "upgrade"), ("upgrade", "websocket"), ("sec-websocket-version", "13")];
    let got = Got::read(scene.ask(Method::GET, PATH, &headers, "").await).await;
    got.assert_ours(StatusCode::UPGRADE_REQUIRED, "websocket_unsupported");
    assert_may_be_asked_again(&got, false);
}

/// Other methods on the path are no exchange: they list and fetch what was stored.
#[tokio::test]
async fn other_methods_are_the_providers_business() {
    for method in [Method::GET, Method::DELETE, Method::OPTIONS, Method::PUT] {
        let step = Step::new()
            .on_path("/chat/completions")
            .status(StatusCode::METHOD_NOT_ALLOWED)
            .raw("text/plain", ["no"]);
        let scene = Scene::new(Script::new().step(step), "").await;
        let got = Got::read(scene.ask(method.clone(), PATH, &[], "no JSON").await).await;
        assert_eq!((got.status, got.text()), (StatusCode::METHOD_NOT_ALLOWED, "no"));
        assert_eq!(
            (&scene.provider.requests()[0].method, scene.sent()),
            (&method, vec!["no JSON".to_owned()])
        );
    }
}
