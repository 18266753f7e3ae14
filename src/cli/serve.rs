//! `remand serve`: the proxy, until it is told to stop.

mod greeting;

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use tokio::signal::unix::{SignalKind, signal};

use super::Exit;
use crate::config::value::BaseUrl;
use crate::config::{self, Overrides, Plan, plan};
use crate::guard::rules::Mode;
use crate::observe::Events;
use crate::proxy::server::Server;

/// What `serve` takes. A flag wins over the file.
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  remand serve
  remand serve --listen 0.0.0.0:8787 --upstream http://vllm:8000/v1
  remand serve --config config.toml --mode observe

Without a file the proxy stands before https://api.openai.com/v1 and passes the agent's own key on.
SIGTERM or ctrl-c lets what runs finish, for 30 s unless `listen.drain` says otherwise; a second one
ends it at once. What was done is told in the log (standard error), in the headers x-remand-…, and as
JSON lines where `audit.jsonl` asks for them.")]
pub(super) struct Arguments {
    /// The configuration, in TOML; config.example.toml shows every key and its default
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,

    /// Where agents come in [default: 127.0.0.1:8787]
    #[arg(long, short, value_name = "IP:PORT")]
    listen: Option<SocketAddr>,

    /// The provider, in the place of all upstreams of the file (and their keys)
    #[arg(long, short, value_name = "URL")]
    upstream: Option<BaseUrl>,

    /// What to do about bad calls [default: enforce]
    #[arg(long, short, value_enum)]
    mode: Option<Wanted>,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug)]
enum Wanted {
    /// Hold each call until it is judged; send the bad ones back
    Enforce,
    /// Judge and report, hold nothing, change nothing
    Observe,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let plan = config::load(arguments.config.as_deref(), &arguments.overrides())?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("failed to start the threads of the proxy")?;
    runtime.block_on(serve(plan))
}

async fn serve(plan: Plan) -> anyhow::Result<Exit> {
    // Dropped last: it writes the events that still wait.
    let (events, _written) =
        Events::start(&plan.events).map_err(|source| unwritable(&plan.events, source))?;
    let mut first = Signals::new()?;
    let mut second = Signals::new()?;
    let server = Server::bind(plan.clone(), events).await?;
    // Not through the log: the operator is to see it whatever is logged.
    super::tell(&greeting::text(&plan, server.address()));
    let stopping = async {
        first.next().await;
        tracing::info!("stopping: what runs may finish");
    };
    tokio::select! {
        () = server.run(stopping) => {}
        () = async { second.next().await; second.next().await } => tracing::warn!("stopped at once"),
    }
    Ok(Exit::Fine)
}

/// The file for events is named in the configuration, so that is what is wrong.
fn unwritable(events: &plan::Events, source: std::io::Error) -> config::Error {
    let path = match events {
        plan::Events::File(path) => path.clone(),
        plan::Events::Off | plan::Events::Stdout => PathBuf::from("audit.jsonl"),
    };
    config::Error::Closed { path, source }
}

/// What tells a process to stop.
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

// === impl Arguments ===

impl Arguments {
    fn overrides(&self) -> Overrides {
        Overrides {
            listen: self.listen,
            upstream: self.upstream.clone(),
            mode: self.mode.map(|mode| match mode {
                Wanted::Enforce => Mode::Enforce,
                Wanted::Observe => Mode::Observe,
            }),
        }
    }
}

// === impl Signals ===

impl Signals {
    fn new() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("failed to listen for signals");
        Ok(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
