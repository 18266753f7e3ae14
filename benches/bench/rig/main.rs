//! The two ends of the side-by-side measurement: a provider that answers at once, and agents that ask.
//!
//! Both speak HTTP/1.1 straight over sockets, on one thread, so that what is measured is what stands between
//! them. `run.py` starts them, reads from `/proc` what the proxies spent, and prints the table.

#![expect(clippy::print_stdout, reason = "figures go to standard output")]

mod load;
mod provider;
mod request;
mod scene;
mod talk;

use std::net::SocketAddr;

use clap::Parser;

#[derive(Parser)]
enum Command {
    /// Answers as each request's `x-scene` header says, until it is killed
    Provider {
        #[arg(long)]
        listen: SocketAddr,
    },
    /// Asks, and prints one line of JSON about how long that took
    Load(load::Load),
    /// Opens streams in which a call does not end, until the provider is asked for `/release`
    Hold(load::Hold),
}

fn main() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    match Command::parse() {
        Command::Provider { listen } => runtime.block_on(provider::serve(listen)),
        Command::Load(load) => runtime.block_on(load.run()),
        Command::Hold(hold) => runtime.block_on(hold.run()),
    }
}
