//! A scene whose events are seen, and an agent down at the socket that leaves when it wants.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use http_body_util::BodyExt;
use hyper::body::Incoming;
use remand::guard::Reason;
use remand::guard::arguments::{Schemas, Uncached};
use remand::observe::event::{Ended, Event, Events, Fact, Judged};
use remand::proxy::server::Server;
use remand::replay::{self, Script};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::scene::{Got, Scene};

const PATIENCE: Duration = Duration::from_secs(20);

pub struct Watched {
    pub scene: Scene,
    events: Receiver<Event>,
}

/// An agent that reads what comes over the wire, chunk sizes and all.
pub struct Agent {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Watched {
    pub async fn new(script: Script, listen: &str, rules: &str) -> Self {
        Self::with_schemas(script, listen, rules, Arc::new(Uncached)).await
    }

    pub async fn with_schemas(script: Script, listen: &str, rules: &str, schemas: Arc<dyn Schemas>) -> Self {
        let provider = replay::Server::start(script).unwrap();
        let (sender, events) = Events::collect();
        let plan = Scene::plan(&provider, listen, rules);
        let server = Server::bind_with(plan, sender, schemas).await.unwrap();
        Self { scene: Scene::around(provider, server), events }
    }

    /// What happened up to the end of the next exchange, which is the last fact.
    pub async fn facts(&self) -> Vec<Fact> {
        self.events().await.into_iter().map(|event| event.fact).collect()
    }

    /// The same, with the exchanges' ids.
    pub async fn events(&self) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        let end = async {
            while !events.last().is_some_and(|event| matches!(event.fact, Fact::Ended { .. })) {
                match self.events.try_recv() {
                    Ok(event) => events.push(event),
                    Err(TryRecvError::Empty) => tokio::task::yield_now().await,
                    Err(TryRecvError::Disconnected) => panic!("no more events will come"),
                }
            }
        };
        let ended = timeout(PATIENCE, end).await;
        assert!(ended.is_ok(), "no end after {events:?}");
        events
    }

    /// How the next exchange ended, and in how many rounds.
    pub async fn ended(&self) -> (Ended, u32) {
        match self.facts().await.pop() {
            Some(Fact::Ended { outcome, rounds, .. }) => (outcome, rounds),
            other => panic!("{other:?}"),
        }
    }
}

/// What was found of each call, in order.
pub fn verdicts(facts: &[Fact]) -> Vec<(Judged, Vec<Reason>)> {
    let judged = facts.iter().filter_map(|fact| match fact {
        Fact::Judged { verdict, reasons, .. } => Some((*verdict, reasons.clone())),
        _ => None,
    });
    judged.collect()
}

impl Agent {
    pub async fn ask(scene: &Scene, body: &str) -> Self {
        let address = scene.base_url.trim_start_matches("http://").trim_end_matches("/v1");
        let mut stream = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST /v1/chat/completions HTTP/1.1\r\nhost: proxy\r\nauthorization: Bearer sk-agent\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(body.as_bytes()).await.unwrap();
        Self { stream, read: Vec::new() }
    }

    /// Reads until `text` has come: everything up to then.
    pub async fn until(&mut self, text: &str) -> String {
        while !contains(&self.read, text) {
            let read = timeout(PATIENCE, self.stream.read_buf(&mut self.read)).await;
            let so_far = String::from_utf8(self.read.clone()).unwrap();
            assert!(matches!(read, Ok(Ok(1..))), "waiting for {text:?}: {read:?} after {so_far:?}");
        }
        String::from_utf8(self.read.clone()).unwrap()
    }
}

/// An answer that is read as it comes.
pub struct Coming {
    response: http::Response<Incoming>,
    read: Vec<u8>,
}

impl Coming {
    pub async fn open(scene: &Scene, body: &str) -> Self {
        Self { response: scene.open(body.to_owned()).await, read: Vec::new() }
    }

    /// Reads until `text` has come: everything up to then.
    pub async fn until(&mut self, text: &str) -> &str {
        while !contains(&self.read, text) {
            let frame = timeout(PATIENCE, self.response.body_mut().frame()).await;
            let so_far = String::from_utf8(self.read.clone()).unwrap();
            let frame = frame.unwrap_or_else(|_| panic!("waiting for {text:?} after {so_far:?}"));
            self.read.extend_from_slice(&frame.unwrap().unwrap().into_data().unwrap());
        }
        std::str::from_utf8(&self.read).unwrap()
    }

    /// The whole answer, what was read before included.
    pub async fn rest(self) -> Got {
        let mut got = timeout(PATIENCE, Got::read(self.response)).await.unwrap();
        got.body = [self.read, got.body.to_vec()].concat().into();
        got
    }
}

fn contains(bytes: &[u8], text: &str) -> bool {
    text.is_empty() || bytes.windows(text.len()).any(|window| window == text.as_bytes())
}
