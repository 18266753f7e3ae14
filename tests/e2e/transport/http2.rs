//! HTTP/2 from agents and to providers, without TLS.

use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Version};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use remand::config::plan::HttpVersion;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::rig::{OK, Provider, Proxy, STREAM, get, post, soon};

/// An agent's connection, and the task that keeps it alive.
async fn connect(proxy: &Proxy) -> (SendRequest<Full<Bytes>>, JoinSet<()>) {
    let stream = TcpStream::connect(proxy.address).await.unwrap();
    let (sender, connection) = handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(async { drop(connection.await) });
    (sender, tasks)
}

fn request(proxy: &Proxy, path: &str) -> Request<Full<Bytes>> {
    let uri = format!("http://{}{path}", proxy.address);
    Request::post(uri).body(Full::new(Bytes::from_static(b"{}"))).unwrap()
}

#[tokio::test]
async fn an_agent_may_speak_it_without_asking() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let (mut agent, _tasks) = connect(&proxy).await;
    let answer = agent.send_request(request(&proxy, "/v1/embeddings"));
    let provide = async {
        let mut request = provider.accept().await;
        let head = request.head().await;
        assert!(head.starts_with("post /v1/embeddings http/1.1\r\n"), "{head}");
        assert!(head.contains("content-length: 2\r\n"), "{head}");
        request.until("{}").await;
        request.write(OK).await;
    };
    let (answer, ()) = tokio::join!(answer, provide);
    let answer = answer.unwrap();
    assert_eq!(answer.version(), Version::HTTP_2);
    assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), "ok");
}

#[tokio::test]
async fn an_agent_that_gives_up_one_request_keeps_the_others() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let (mut agent, _tasks) = connect(&proxy).await;
    let mut given_up = Box::pin(agent.send_request(request(&proxy, "/v1/a")));
    let mut first = tokio::select! {
        _ = &mut given_up => unreachable!("nobody has answered"),
        socket = provider.accept() => socket,
    };
    first.until("{}").await;
    let mut kept = Box::pin(agent.send_request(request(&proxy, "/v1/b")));
    let mut second = tokio::select! {
        _ = &mut kept => unreachable!("nobody has answered"),
        socket = provider.accept() => socket,
    };
    second.until("{}").await;
    drop(given_up);
    assert_eq!(first.rest().await, "");
    second.write(OK).await;
    assert_eq!(soon("the other answer", kept).await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_reset() {
    let provider = Provider::listen().await;
    let proxy = Proxy::start(provider.plan()).await;
    let (mut agent, _tasks) = connect(&proxy).await;
    let answer = agent.send_request(request(&proxy, "/v1/events"));
    let provide = async {
        let mut request = provider.accept().await;
        request.until("{}").await;
        request.write(STREAM).await;
        request.write("9\r\ndata: 1\n\n\r\n").await;
    };
    let (answer, ()) = tokio::join!(answer, provide);
    assert!(answer.unwrap().into_body().collect().await.is_err());
}

#[tokio::test]
async fn a_connection_of_streams_drains() {
    let provider = Provider::listen().await;
    let mut proxy = Proxy::start(provider.plan()).await;
    let (mut agent, _tasks) = connect(&proxy).await;
    let answer = agent.send_request(request(&proxy, "/v1/a"));
    let mut answer = Box::pin(answer);
    let mut request = tokio::select! {
        _ = &mut answer => unreachable!("nobody has answered"),
        socket = provider.accept() => socket,
    };
    request.until("{}").await;
    proxy.stop();
    request.write(OK).await;
    let answer = soon("the answer", answer).await.unwrap();
    assert_eq!(answer.into_body().collect().await.unwrap().to_bytes(), "ok");
    proxy.ended().await;
}

#[tokio::test]
async fn a_provider_may_speak_it_without_asking() {
    let provider = Provider::listen().await;
    let mut plan = provider.plan();
    Arc::make_mut(&mut plan.upstreams[0]).http = HttpVersion::Two;
    let proxy = Proxy::start(plan).await;
    let mut agent = proxy.ask(&post("/v1/embeddings", "{}")).await;
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let stream = TokioIo::new(provider.accept().await.into_inner());
        let service = hyper::service::service_fn(|request: Request<hyper::body::Incoming>| async move {
            assert_eq!(request.uri().path(), "/v1/embeddings");
            let body = request.into_body().collect().await?.to_bytes();
            Ok::<_, hyper::Error>(http::Response::new(Full::new(body)))
        });
        let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
        drop(server.serve_connection(stream, service).await);
    });
    assert_eq!(agent.answer().await.1, "{}");
}

#[tokio::test]
async fn auto_over_plain_http_is_the_first_version() {
    let provider = Provider::listen().await;
    let mut plan = provider.plan();
    Arc::make_mut(&mut plan.upstreams[0]).http = HttpVersion::Auto;
    let proxy = Proxy::start(plan).await;
    let _agent = proxy.ask(&get("/v1/models")).await;
    assert!(provider.accept().await.head().await.starts_with("get /v1/models http/1.1\r\n"));
}
