//! `remand replay`: serves scripts on an address, for any agent, with or without the proxy in between.
//!
//! It says which step answered each request, and on the way out what was never answered.

use std::fs;
use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::Context;

use super::Exit;
use crate::replay::{Progress, Recorded, Script, Server};

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  remand replay replay/demo.toml
  remand replay scripts/ --listen 127.0.0.1:9000

An agent, or `remand serve --upstream`, is pointed at it as at any provider. A step serves once a
session, unless it says `repeat`; a session is the path /s/NAME/v1. Changed scripts are played anew.
A request that no step answers gets 422 with the reason; /__replay/ is a page that shows it all.
Stopped by SIGTERM or ctrl-c it tells what was missed (exit code 1) and which steps never served.")]
pub(super) struct Arguments {
    /// Scripts, or folders of scripts (*.toml), in the order in which their steps are tried
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Treat a step that can never be reached as a mistake
    #[arg(long)]
    strict: bool,
    /// Wait for no clock, whatever the scripts say of their pace
    #[arg(long)]
    instant: bool,
    /// Where to listen
    #[arg(long, value_name = "IP:PORT", default_value = "127.0.0.1:8765")]
    listen: SocketAddr,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let Some(script) = load(arguments)? else { return Ok(Exit::Input) };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(script, arguments))
}

/// The scripts, if nothing is wrong with them; else it has been told what.
fn load(arguments: &Arguments) -> io::Result<Option<Script>> {
    let script = match Script::load_all(&arguments.paths) {
        Ok(script) => script,
        Err(error) => {
            writeln!(io::stderr(), "remand: {error}")?;
            return Ok(None);
        }
    };
    let unreachable = script.unreachable();
    for step in &unreachable {
        let kind = if arguments.strict { "" } else { "warning: " };
        writeln!(io::stderr(), "remand: {kind}{step}")?;
    }
    if arguments.strict && !unreachable.is_empty() {
        return Ok(None);
    }
    Ok(Some(if arguments.instant { script.instant() } else { script }))
}

async fn serve(script: Script, arguments: &Arguments) -> anyhow::Result<Exit> {
    let (steps, listen) = (script.len(), arguments.listen);
    let server = Server::bind(script, listen)
        .with_context(|| format!("failed to listen on {listen}; --listen takes another address"))?;
    writeln!(io::stdout(), "{steps} steps at {}", server.base_url())?;
    tokio::select! {
        told = tell(&server) => told?,
        reloaded = reload(&server, arguments) => reloaded?,
        stopped = stopped() => stopped?,
    }
    let unmet = server.verify();
    if let Err(unmet) = &unmet {
        writeln!(io::stderr(), "{unmet}")?;
    }
    let missed = unmet.is_err_and(|unmet| !unmet.misses.is_empty());
    server.stop().await;
    Ok(if missed { Exit::Found } else { Exit::Fine })
}

/// Writes a line for each request, in the order in which they came.
async fn tell(server: &Server) -> io::Result<()> {
    for number in 0.. {
        let recorded = server.arrived(number).await;
        writeln!(io::stdout(), "{}", line(server, number, &recorded))?;
    }
    Ok(())
}

/// Plays scripts anew whenever their files have changed. A script that cannot be read changes nothing.
async fn reload(server: &Server, arguments: &Arguments) -> io::Result<()> {
    let mut known = stamps(&arguments.paths);
    loop {
        tokio::time::sleep(LOOK).await;
        let now = stamps(&arguments.paths);
        if now == known {
            continue;
        }
        known = now;
        if let Some(script) = load(arguments)? {
            writeln!(io::stdout(), "reloaded: {} steps", script.len())?;
            server.replace(script);
        }
    }
}

/// How often files are looked at. Half of what a person takes for at once.
const LOOK: Duration = Duration::from_millis(250);

/// When each script was changed last, and how long it is.
fn stamps(paths: &[PathBuf]) -> Vec<(PathBuf, Option<SystemTime>, u64)> {
    let files = paths.iter().flat_map(|path| match fs::read_dir(path) {
        Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
        Err(_) => vec![path.clone()],
    });
    let stamps = files.map(|file| match fs::metadata(&file) {
        Ok(about) => (file, about.modified().ok(), about.len()),
        Err(_) => (file, None, 0),
    });
    let mut stamps: Vec<_> = stamps.collect();
    stamps.sort();
    stamps
}

fn line(server: &Server, number: usize, recorded: &Recorded) -> String {
    let Recorded { method, path, .. } = recorded;
    let answer = match recorded.step {
        Some(step) => server.title(step).unwrap_or_default(),
        None if recorded.progress == Progress::Aborted => "left before its body had come".to_owned(),
        None if let Some(why) = &recorded.refused => format!("400 {why}"),
        None if let Some(name) = recorded.own => name.to_owned(),
        None => {
            let prefix = format!("request {}: ", number + 1);
            let missed = recorded.missed.as_deref().and_then(|why| why.strip_prefix(&prefix));
            format!("422 {}", missed.unwrap_or("no step matches"))
        }
    };
    format!("{} {method} {path} → {answer}", number + 1)
}

/// Resolves when the process is told to end.
async fn stopped() -> io::Result<()> {
    #[cfg(unix)]
    {
        let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        tokio::select! {
            interrupted = tokio::signal::ctrl_c() => interrupted,
            _ = terminate.recv() => Ok(()),
        }
    }
    #[cfg(not(unix))]
    tokio::signal::ctrl_c().await
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpStream;

    use super::*;
    use crate::replay::Step;

    async fn post(server: &Server, path: &str, body: &str) {
        let mut socket = TcpStream::connect(server.address()).await.unwrap();
        let head = format!("POST {path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n");
        let request = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
        socket.write_all(request.as_bytes()).await.unwrap();
        socket.read_to_end(&mut Vec::new()).await.unwrap();
    }

    #[tokio::test]
    async fn says_which_step_answered_and_why_none_did() {
        let server = Server::start(Script::new().step(Step::new().named("greet").say("hi"))).unwrap();
        post(&server, "/v1/chat/completions", r#"{"messages":[]}"#).await;
        post(&server, "/v1/files?a=b", "").await;
        let lines: Vec<_> =
            server.requests().iter().enumerate().map(|(n, recorded)| line(&server, n, recorded)).collect();
        assert_eq!(lines[0], "1 POST /v1/chat/completions → step 1 (greet)");
        assert!(
            lines[1].starts_with("2 POST /v1/files?a=b → 422 no step matches; the nearest is"),
            "{lines:?}"
        );
    }

    #[test]
    fn a_script_that_cannot_be_read_is_bad_input() {
        let listen = ([127, 0, 0, 1], 0).into();
        let paths = vec!["/no/such/script.toml".into()];
        let arguments = Arguments { paths, strict: false, instant: false, listen };
        assert_eq!(run(&arguments).unwrap(), Exit::Input);
    }
}
