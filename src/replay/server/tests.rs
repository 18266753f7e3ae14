mod control;
mod faulty;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::replay::{Place, Progress, Script, Server, Step};

type Agent = Client<HttpConnector, Full<Bytes>>;

fn agent() -> Agent {
    Client::builder(TokioExecutor::new()).build_http()
}

fn start(step: Step) -> Server {
    Server::start(Script::new().step(step)).unwrap()
}

fn request(server: &Server, stream: bool) -> Request<Full<Bytes>> {
    let body = format!(r#"{{"model":"m","stream":{stream},"messages":[{{"role":"user","content":"hi"}}]}}"#);
    Request::post(format!("{}/chat/completions", server.base_url()))
        .header("authorization", "Bearer secret")
        .body(Full::from(body))
        .unwrap()
}

async fn send(server: &Server, stream: bool) -> Response<Incoming> {
    agent().request(request(server, stream)).await.unwrap()
}

async fn text(response: Response<Incoming>) -> String {
    String::from_utf8(response.into_body().collect().await.unwrap().to_bytes().into()).unwrap()
}

/// What arrives before the connection ends, and how it ends.
async fn until_broken(response: Response<Incoming>) -> (String, bool) {
    let mut body = response.into_body();
    let mut bytes = Vec::new();
    loop {
        match body.frame().await {
            Some(Ok(frame)) => bytes.extend_from_slice(&frame.into_data().unwrap()),
            Some(Err(_)) => return (String::from_utf8(bytes).unwrap(), true),
            None => return (String::from_utf8(bytes).unwrap(), false),
        }
    }
}

#[tokio::test]
async fn answers_streamed_and_whole() {
    let server = start(Step::new().say("hello").repeat());
    let response = send(&server, true).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream; charset=utf-8");
    assert!(text(response).await.ends_with("data: [DONE]\n\n"));
    let response = send(&server, false).await;
    assert!(response.headers().contains_key("content-length"));
    assert!(text(response).await.contains(r#""content":"hello""#));
    server.verify().unwrap();
}

#[tokio::test]
async fn writes_down_what_came() {
    let server = start(Step::new().say("hello"));
    text(send(&server, true).await).await;
    let recorded = server.settled(0).await;
    assert_eq!(recorded.path, "/v1/chat/completions");
    assert_eq!(recorded.headers["authorization"], "Bearer secret");
    assert!(!format!("{recorded:?}").contains("secret"));
    assert!(recorded.text().starts_with(r#"{"model":"m","stream":true"#));
    assert_eq!((recorded.step, recorded.progress), (Some(0), Progress::Ended));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_miss_is_remembered_though_the_agent_swallows_it() {
    let server = start(Step::new().named("bye").on_user("bye").say("bye"));
    let response = send(&server, true).await;
    assert_eq!(response.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(response.headers()["x-should-retry"], "false");
    assert!(text(response).await.contains("last_user_contains"));
    let unmet = server.verify().unwrap_err();
    assert_eq!(unmet.unused, ["step 1 (bye)"]);
    assert!(unmet.to_string().contains(r#"expected "bye", got "hi""#), "{unmet}");
}

#[tokio::test]
async fn waits_at_a_gate_with_what_came_before_already_sent() {
    let server = start(Step::new().say("one").wait("g").say("two"));
    let mut body = send(&server, true).await.into_body();
    let mut before = String::new();
    while !before.contains("one") {
        let frame = body.frame().await.unwrap().unwrap();
        before.push_str(std::str::from_utf8(frame.data_ref().unwrap()).unwrap());
    }
    server.gate("g").wait_reached().await;
    assert_eq!(server.requests()[0].progress, Progress::Answering);
    server.gate("g").release();
    let rest = body.collect().await.unwrap().to_bytes();
    assert!(std::str::from_utf8(&rest).unwrap().contains("two"));
}

#[tokio::test]
async fn waits_before_the_head_and_before_the_body_is_read() {
    let script =
        Script::new().gate_reading("read").step(Step::new().say("a").gate("head", Place::BeforeHead));
    let server = Server::start(script).unwrap();
    let sending = send(&server, true);
    let opening = async {
        server.gate("read").wait_reached().await;
        assert_eq!(server.requests()[0].progress, Progress::Reading);
        server.gate("read").release();
        server.gate("head").wait_reached().await;
        assert_eq!(server.requests()[0].progress, Progress::Answering);
        server.gate("head").release();
    };
    let (response, ()) = tokio::join!(sending, opening);
    assert!(text(response).await.contains("[DONE]"));
}

#[tokio::test]
async fn tells_when_the_peer_leaves_in_each_phase() {
    let reading = Script::new().gate_reading("g").step(Step::new().say("a"));
    let waiting = Script::new().step(Step::new().say("a").hang(Place::BeforeHead));
    let streaming = Script::new().step(Step::new().say("a").hang(Place::Events(2)));
    for (script, progress) in
        [(reading, Progress::Reading), (waiting, Progress::Answering), (streaming, Progress::Answering)]
    {
        let server = Server::start(script).unwrap();
        let mut socket = TcpStream::connect(server.address()).await.unwrap();
        let body = r#"{"model":"m","messages":[]}"#;
        let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 27\r\n\r\n";
        socket.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
        if progress == Progress::Answering {
            server.arrived(0).await;
        } else {
            server.gate("g").wait_reached().await;
        }
        drop(socket);
        assert_eq!(server.aborted(0).await.progress, Progress::Aborted);
    }
}

#[tokio::test]
async fn breaks_off_where_the_script_says() {
    for step in [Step::new().die(Place::Events(2)), Step::new().close(Place::Events(2))] {
        let server = start(step.say("one"));
        let (text, broken) = until_broken(send(&server, true).await).await;
        assert!(broken && text.contains("one") && !text.contains("stop"), "{text}");
        assert_eq!(server.settled(0).await.progress, Progress::Broken);
    }
}

#[tokio::test]
async fn breaks_off_before_and_right_after_the_head() {
    let server = start(Step::new().die(Place::BeforeHead).say("a"));
    assert!(agent().request(request(&server, true)).await.is_err());
    let server = start(Step::new().die(Place::AfterHead).say("a"));
    assert_eq!(until_broken(send(&server, false).await).await, (String::new(), true));
}

#[tokio::test]
async fn breaks_off_behind_the_last_byte() {
    for stream in [true, false] {
        let server = start(Step::new().close(Place::End).say("a"));
        let (text, broken) = until_broken(send(&server, stream).await).await;
        assert!(broken && text.contains("stop"));
    }
}

#[tokio::test]
async fn a_reset_is_a_reset_and_a_close_is_a_close() {
    let ask = "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}";
    for (step, reset) in
        [(Step::new().die(Place::BeforeHead), true), (Step::new().close(Place::BeforeHead), false)]
    {
        let server = start(step);
        let mut socket = TcpStream::connect(server.address()).await.unwrap();
        socket.write_all(ask.as_bytes()).await.unwrap();
        let read = socket.read(&mut [0; 16]).await;
        match read {
            Err(error) => assert!(reset && error.kind() == std::io::ErrorKind::ConnectionReset),
            Ok(bytes) => assert!(!reset && bytes == 0),
        }
    }
}

#[tokio::test]
async fn sends_exact_bytes_in_the_pieces_given() {
    let pieces: [&[u8]; 3] = [b": hi\r\n\r\nda", b"ta: \xf0\x9f", b"\x98\x80\n\n"];
    let server = start(Step::new().raw_events(pieces).header("x-odd", "1"));
    let response = send(&server, true).await;
    assert_eq!(response.headers()["x-odd"], "1");
    let mut body = response.into_body();
    for piece in pieces {
        assert_eq!(body.frame().await.unwrap().unwrap().into_data().unwrap(), piece);
    }
    assert!(body.frame().await.is_none());
}

#[tokio::test]
async fn cuts_writes_at_any_byte() {
    let step = Step::new().say("é🌍");
    let plain = text(send(&start(step.clone()), true).await).await;
    for bytes in [1, 2, 7] {
        let server = start(step.clone().cut(bytes));
        let mut body = send(&server, true).await.into_body();
        let mut all = Vec::new();
        while let Some(frame) = body.frame().await {
            let data = frame.unwrap().into_data().unwrap();
            assert!(data.len() <= bytes);
            all.extend_from_slice(&data);
        }
        assert_eq!(all, plain.as_bytes());
    }
}

#[tokio::test]
async fn keeps_a_connection_and_tells_which() {
    let server = start(Step::new().say("a").repeat());
    let agent = agent();
    for _ in 0..2 {
        text(agent.request(request(&server, true)).await.unwrap()).await;
    }
    text(send(&server, true).await).await;
    let connections: Vec<_> = server.requests().iter().map(|recorded| recorded.connection).collect();
    assert_eq!(connections, [0, 0, 1]);
}

#[tokio::test]
async fn speaks_the_second_version_of_http() {
    let server = start(Step::new().say("a"));
    let client: Agent = Client::builder(TokioExecutor::new()).http2_only(true).build_http();
    let response = client.request(request(&server, true)).await.unwrap();
    assert_eq!(response.version(), http::Version::HTTP_2);
    assert!(text(response).await.contains("[DONE]"));
}

#[tokio::test]
async fn stops_with_answers_still_open() {
    let server = start(Step::new().say("a").hang(Place::Events(1)));
    let response = send(&server, true).await;
    server.stop().await;
    assert!(until_broken(response).await.1);
}
