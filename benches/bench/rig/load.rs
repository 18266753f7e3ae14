//! The agents: each asks over a connection of its own, again as soon as it has its answer.

use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context;
use sha2::{Digest, Sha256};
use tokio::net::TcpStream;
use tokio::task::{LocalSet, spawn_local};

use crate::request::{self, SESSION};
use crate::scene::Scene;
use crate::talk::Talk;

#[derive(clap::Args)]
pub(crate) struct Load {
    #[arg(long)]
    to: SocketAddr,
    #[arg(long)]
    scene: Scene,
    #[arg(long, default_value_t = 1000)]
    exchanges: usize,
    #[arg(long, default_value_t = 8)]
    connections: usize,
    /// Bytes of a request, about
    #[arg(long, default_value_t = 32 << 10)]
    request: usize,
    /// Each request begins a conversation that nobody has seen; else all are of one
    #[arg(long)]
    unseen: bool,
}

#[derive(clap::Args)]
pub(crate) struct Hold {
    #[arg(long)]
    to: SocketAddr,
    #[arg(long, default_value_t = 200)]
    streams: usize,
    /// Bytes of arguments in each call
    #[arg(long, default_value_t = 200 << 10)]
    held: usize,
    /// Bytes of arguments in an event
    #[arg(long, default_value_t = 64)]
    piece: usize,
    /// Bytes of a request, about
    #[arg(long, default_value_t = 8 << 10)]
    request: usize,
}

/// What came of one exchange.
struct Told {
    /// Until the first byte of the body.
    first: Duration,
    /// Until its last.
    whole: Duration,
    digest: [u8; 32],
}

// === impl Load ===

impl Load {
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let ask = Rc::<[u8]>::from(asked(self.scene, self.request, "").into_bytes());
        let each = self.exchanges / self.connections.max(1);
        let since = Instant::now();
        let told = LocalSet::new()
            .run_until(async move {
                let agents: Vec<_> = (0..self.connections.max(1))
                    .map(|_| spawn_local(agent(self.to, Rc::clone(&ask), each, self.unseen)))
                    .collect();
                let mut told = Vec::new();
                for agent in agents {
                    told.extend(agent.await??);
                }
                anyhow::Ok(told)
            })
            .await?;
        report(&told, since.elapsed())
    }
}

fn report(told: &[Told], took: Duration) -> anyhow::Result<()> {
    let digest = told.first().context("nothing was asked")?.digest;
    anyhow::ensure!(told.iter().all(|told| told.digest == digest), "two answers differ");
    let digest: String = digest.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    println!(
        r#"{{"exchanges":{},"seconds":{:.3},"first_us":{:.1},"whole_us":{:.1},"digest":"{digest}"}}"#,
        told.len(),
        took.as_secs_f64(),
        median(told.iter().map(|told| told.first)),
        median(told.iter().map(|told| told.whole)),
    );
    Ok(())
}

/// In microseconds.
fn median(times: impl Iterator<Item = Duration>) -> f64 {
    let mut times: Vec<_> = times.collect();
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e6)
}

async fn agent(to: SocketAddr, ask: Rc<[u8]>, exchanges: usize, unseen: bool) -> anyhow::Result<Vec<Told>> {
    let mut talk = Talk::new(TcpStream::connect(to).await?)?;
    let mut told = Vec::with_capacity(exchanges);
    let mut ask = ask.to_vec();
    let session = ask.windows(SESSION.len()).position(|bytes| bytes == SESSION.as_bytes());
    let session = session.context("the request names no session")?;
    for _ in 0..exchanges {
        if unseen {
            let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_nanos();
            ask.splice(session..session + SESSION.len(), format!("{:016x}", now % (1 << 64)).into_bytes());
        }
        told.push(exchange(&mut talk, &ask, || {}).await?);
    }
    Ok(told)
}

/// One exchange. `begun` is called at the first byte of the body.
async fn exchange(talk: &mut Talk, ask: &[u8], mut begun: impl FnMut()) -> anyhow::Result<Told> {
    let since = Instant::now();
    talk.say(ask).await?;
    let head = talk.head().await?.context("the proxy hung up")?;
    anyhow::ensure!(head.is_ok(), "the proxy said {}", head.line());
    let (mut first, mut digest) = (None, Sha256::new());
    talk.body(&head, |bytes| {
        first.get_or_insert_with(|| {
            begun();
            since.elapsed()
        });
        digest.update(bytes);
    })
    .await?;
    Ok(Told { first: first.unwrap_or_default(), whole: since.elapsed(), digest: digest.finalize().into() })
}

fn asked(scene: Scene, size: usize, headers: &str) -> String {
    let body = request::body(size, scene.is_stream());
    format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer sk-bench\r\n\
         content-type: application/json\r\naccept: */*\r\nuser-agent: rig\r\nx-scene: {}\r\n{headers}\
         content-length: {}\r\n\r\n{body}",
        scene.name(),
        body.len()
    )
}

// === impl Hold ===

impl Hold {
    /// Prints `open` once every stream has begun, and `done` once every stream has ended well.
    pub(crate) async fn run(self) -> anyhow::Result<()> {
        let headers = format!("x-held: {}\r\nx-piece: {}\r\n", self.held, self.piece);
        let ask = Rc::<[u8]>::from(asked(Scene::Held, self.request, &headers).into_bytes());
        let (begun, mut opened) = tokio::sync::mpsc::unbounded_channel();
        LocalSet::new()
            .run_until(async move {
                let streams: Vec<_> = (0..self.streams)
                    .map(|_| {
                        let (ask, begun) = (Rc::clone(&ask), begun.clone());
                        spawn_local(async move {
                            let mut talk = Talk::new(TcpStream::connect(self.to).await?)?;
                            exchange(&mut talk, &ask, move || begun.send(()).unwrap_or_default()).await
                        })
                    })
                    .collect();
                drop(begun);
                for _ in 0..self.streams {
                    opened.recv().await.context("a stream ended before it began")?;
                }
                println!("open");
                for stream in streams {
                    stream.await??;
                }
                println!("done");
                Ok(())
            })
            .await
    }
}
