//! Both ends of the proxy, played by hand: a test writes and reads every byte itself, in its own order.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use remand::config::Plan;
use remand::config::plan::{Events, HttpVersion, Listen, Secret, State, Upstream};
use remand::guard::Rules;
use remand::proxy::server::Server;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Nothing in these tests takes long; what does is a fault.
const PATIENCE: Duration = Duration::from_secs(20);

/// One end of a connection.
pub struct Socket<S = TcpStream> {
    stream: S,
    /// Read, and not yet asked for.
    ahead: Vec<u8>,
}

/// A provider that does nothing by itself.
pub struct Provider {
    listener: TcpListener,
}

/// A running proxy. Dropping it drops all that it serves.
pub struct Proxy {
    pub address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    running: JoinSet<()>,
}

/// Fails the test where something that must happen does not.
pub async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    timeout(PATIENCE, future).await.unwrap_or_else(|_| panic!("waited in vain: {what}"))
}

/// A plan for one provider, with nothing special about it.
pub fn plan(base_url: &str) -> Plan {
    Plan {
        listen: Listen {
            address: ([127, 0, 0, 1], 0).into(),
            tls: None,
            keys: Vec::new(),
            max_body: 1 << 20,
            max_exchanges: 64,
            idle_timeout: PATIENCE * 2,
            heartbeat: None,
            drain: PATIENCE * 2,
            max_held: 1 << 20,
        },
        upstreams: vec![Arc::new(upstream(base_url))],
        rules: Arc::new(Rules::default()),
        state: State { memory: 1 << 20, ttl: Duration::from_hours(1), secret: Secret::new("secret") },
        events: Events::Off,
    }
}

pub fn upstream(base_url: &str) -> Upstream {
    Upstream {
        name: "provider".into(),
        base_url: base_url.parse().unwrap(),
        models: None,
        paths: None,
        key: None,
        headers: Vec::new(),
        ca: None,
        http: HttpVersion::One,
    }
}

// === impl Provider ===

impl Provider {
    pub async fn listen() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.unwrap() }
    }

    pub fn address(&self) -> SocketAddr {
        self.listener.local_addr().unwrap()
    }

    pub fn plan(&self) -> Plan {
        plan(&format!("http://{}/v1", self.address()))
    }

    pub async fn accept(&self) -> Socket {
        let (stream, _) = soon("a connection to the provider", self.listener.accept()).await.unwrap();
        Socket::over(stream)
    }
}

// === impl Proxy ===

impl Proxy {
    pub async fn start(plan: Plan) -> Self {
        let server = Server::bind(plan, remand::observe::event::Events::default()).await.unwrap();
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        let mut running = JoinSet::new();
        running.spawn(server.run(async {
            drop(stopped.await);
        }));
        Self { address, stop: Some(stop), running }
    }

    pub async fn connect(&self) -> Socket {
        Socket::over(TcpStream::connect(self.address).await.unwrap())
    }

    /// Asks over a connection of its own.
    pub async fn ask(&self, request: &str) -> Socket {
        let mut agent = self.connect().await;
        agent.write(request).await;
        agent
    }

    /// As on a signal to the process.
    pub fn stop(&mut self) {
        drop(self.stop.take());
    }

    pub fn has_ended(&mut self) -> bool {
        self.running.try_join_next().is_some()
    }

    pub async fn ended(&mut self) {
        soon("the end of the proxy", self.running.join_next()).await.unwrap().unwrap();
    }
}

// === impl Socket ===

impl<S: AsyncRead + AsyncWrite + Unpin> Socket<S> {
    pub fn over(stream: S) -> Self {
        Self { stream, ahead: Vec::new() }
    }

    pub fn into_inner(self) -> S {
        self.stream
    }

    pub async fn write(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    /// Up to the first `end`, which is included.
    pub async fn until(&mut self, end: &str) -> String {
        loop {
            let found = self.ahead.windows(end.len()).position(|window| window == end.as_bytes());
            if let Some(at) = found {
                let taken: Vec<u8> = self.ahead.drain(..at + end.len()).collect();
                return String::from_utf8(taken).unwrap();
            }
            let so_far = String::from_utf8(self.ahead.clone()).unwrap();
            let read = soon(&format!("{end:?} after {so_far:?}"), self.fill()).await;
            assert!(read > 0, "the connection ended before {end:?}, after {so_far:?}");
        }
    }

    /// A request's or an answer's head, in lower case.
    pub async fn head(&mut self) -> String {
        self.until("\r\n\r\n").await.to_ascii_lowercase()
    }

    pub async fn exactly(&mut self, length: usize) -> String {
        while self.ahead.len() < length {
            assert!(soon("more bytes", self.fill()).await > 0, "the connection ended too soon");
        }
        String::from_utf8(self.ahead.drain(..length).collect()).unwrap()
    }

    /// What came before the other side closed, or cut, the connection.
    pub async fn rest(&mut self) -> String {
        while soon("the end of the connection", self.fill()).await > 0 {}
        String::from_utf8(std::mem::take(&mut self.ahead)).unwrap()
    }

    /// An answer of known length: its head and its body.
    pub async fn answer(&mut self) -> (String, String) {
        let head = self.head().await;
        let length = value(&head, "content-length").expect("an answer of known length").parse().unwrap();
        let body = self.exactly(length).await;
        (head, body)
    }

    /// 0 at the end, however it came about.
    async fn fill(&mut self) -> usize {
        self.stream.read_buf(&mut self.ahead).await.unwrap_or(0)
    }
}

/// A header's value in a head.
pub fn value<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().skip(1).find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

pub fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: proxy\r\n\r\n")
}

pub fn post(path: &str, body: &str) -> String {
    format!("POST {path} HTTP/1.1\r\nhost: proxy\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

pub const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

pub const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
