//! The provider: it does not read what it is asked, and answers at once.

use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::rc::Rc;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::{LocalSet, spawn_local, yield_now};

use crate::scene::{self, Scene};
use crate::talk::{Head, Talk};

/// What all connections share.
#[derive(Default)]
struct Desk {
    /// Held streams that have sent all of their call's text.
    waiting: Cell<usize>,
    /// Bytes of events that one of them has sent.
    sent: Cell<usize>,
    release: Notify,
    /// Ready answers by scene, as they go over the wire.
    written: RefCell<Vec<(Scene, Pieces)>>,
}

/// An answer in pieces that are written one by one.
type Pieces = Rc<Vec<Vec<u8>>>;

const STREAM: &str =
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";

const LAST_CHUNK: &[u8] = b"0\r\n\r\n";

pub(crate) async fn serve(address: SocketAddr) -> anyhow::Result<()> {
    let listener = TcpListener::bind(address).await?;
    let desk = Rc::new(Desk::default());
    LocalSet::new()
        .run_until(async {
            loop {
                let (socket, _) = listener.accept().await?;
                let desk = Rc::clone(&desk);
                // Who hangs up is not an error: proxies do, in the middle of anything.
                spawn_local(async move { desk.connection(socket).await.ok() });
            }
        })
        .await
}

// === impl Desk ===

impl Desk {
    async fn connection(&self, socket: TcpStream) -> anyhow::Result<()> {
        let mut talk = Talk::new(socket)?;
        while let Some(head) = talk.head().await? {
            talk.body(&head, |_| {}).await?;
            match head.path() {
                "/held" => self.report(&mut talk).await?,
                "/release" => {
                    self.release.notify_waiters();
                    self.report(&mut talk).await?;
                }
                _ => self.answer(&mut talk, &head).await?,
            }
        }
        Ok(())
    }

    async fn report(&self, talk: &mut Talk) -> anyhow::Result<()> {
        let body = format!(r#"{{"waiting":{},"sent":{}}}"#, self.waiting.get(), self.sent.get());
        Ok(talk.say(whole(&body).as_bytes()).await?)
    }

    async fn answer(&self, talk: &mut Talk, head: &Head) -> anyhow::Result<()> {
        let scene = Scene::of(head.header("x-scene").unwrap_or("whole"))?;
        if scene == Scene::Held {
            return self.hold(talk, head).await;
        }
        let pieces = self.pieces(scene);
        for (number, piece) in pieces.iter().enumerate() {
            // Each event is a packet of its own, as when a model thinks about it.
            if number > 0 {
                yield_now().await;
            }
            talk.say(piece).await?;
        }
        Ok(())
    }

    /// What is written for a scene: the head goes with the first event.
    fn pieces(&self, scene: Scene) -> Pieces {
        let mut written = self.written.borrow_mut();
        if let Some((_, pieces)) = written.iter().find(|(known, _)| *known == scene) {
            return Rc::clone(pieces);
        }
        let pieces = if scene.is_stream() {
            let mut pieces: Vec<_> = scene.events().iter().map(|event| chunk(event)).collect();
            if let Some(first) = pieces.first_mut() {
                first.splice(..0, STREAM.bytes());
            }
            if let Some(last) = pieces.last_mut() {
                last.extend_from_slice(LAST_CHUNK);
            }
            pieces
        } else {
            vec![whole(&scene.whole()).into_bytes()]
        };
        let pieces = Rc::new(pieces);
        written.push((scene, Rc::clone(&pieces)));
        pieces
    }

    async fn hold(&self, talk: &mut Talk, head: &Head) -> anyhow::Result<()> {
        let number = |name: &str| head.header(name).and_then(|value| value.parse::<usize>().ok());
        let (held, size) = (number("x-held").unwrap_or(200 << 10), number("x-piece").unwrap_or(64).max(1));
        talk.say(STREAM.as_bytes()).await?;
        for event in Scene::Stream.events().iter().take(2) {
            talk.say(&chunk(event)).await?;
        }
        let mut sent = 0;
        let released = self.release.notified();
        for event in held_events(held, size) {
            sent += event.len();
            talk.say(&chunk(&event)).await?;
            yield_now().await;
        }
        self.sent.set(sent);
        self.waiting.set(self.waiting.get() + 1);
        released.await;
        self.waiting.set(self.waiting.get() - 1);
        for event in [scene::call_piece("\"}"), scene::finish("tool_calls"), "data: [DONE]\n\n".to_owned()] {
            talk.say(&chunk(&event)).await?;
        }
        Ok(talk.say(LAST_CHUNK).await?)
    }
}

/// A call whose arguments have `held` bytes so far, `size` an event.
fn held_events(held: usize, size: usize) -> impl Iterator<Item = String> {
    let piece = "text of a file ".repeat(size / 15 + 1);
    let piece = piece.get(..size).unwrap_or_default().to_owned();
    let start = [scene::call_start(), scene::call_piece(r#"{"path":"src/new.rs","text":""#)];
    start.into_iter().chain((0..held / size).map(move |_| scene::call_piece(&piece)))
}

fn whole(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

fn chunk(event: &str) -> Vec<u8> {
    format!("{:x}\r\n{event}\r\n", event.len()).into_bytes()
}
