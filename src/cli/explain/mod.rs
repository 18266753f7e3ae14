//! `remand explain`: what the proxy would do with one request and its answer, and why. It asks nobody.
//!
//! The request is read, inspected and judged by the same code as in `serve`; [`account`] collects what came of it, and
//! [`page`] tells it.

mod account;
mod answer;
mod difference;
mod page;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use bytes::Bytes;

use super::Exit;
use crate::config::{self, Overrides};
use crate::dialect::Dialect;
use crate::proxy::upstream::Upstreams;
use account::Account;
use page::Page;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  remand explain request.json
  remand explain request.json --answer answer.sse --config config.toml
  pbpaste | remand explain - --json
  remand explain request.json --sent > sent.json

The request is the body of a POST to /chat/completions, the answer the body that came back: JSON, or
a stream of events. Nothing is sent anywhere. What the proxy remembers of earlier requests is not
known here: this tells of the request by itself.

Exit code 0: it goes on byte for byte, and so does the answer. 1: something is changed, or a call
refused. 65: the request or the answer cannot be read.")]
pub(super) struct Arguments {
    /// The request's body; `-` is the standard input
    #[arg(value_name = "REQUEST")]
    request: PathBuf,
    /// What the provider answered: its calls are judged
    #[arg(long, value_name = "FILE")]
    answer: Option<PathBuf>,
    /// The configuration, in TOML; without it the defaults hold
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
    /// For programs: one JSON object
    #[arg(long, conflicts_with = "sent")]
    json: bool,
    /// Write the exact bytes that the provider would get, and nothing else
    #[arg(long)]
    sent: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let plan = config::load(arguments.config.as_deref(), &Overrides::default())?;
    let Some(body) = read(&arguments.request)? else { return Ok(Exit::Input) };
    let transcript = match Dialect::Chat.read(body) {
        Ok(transcript) => transcript,
        Err(unread) => {
            return refuse(&arguments.request, &format!("{unread}; the proxy would send it on as it is"));
        }
    };
    let model = transcript.model();
    let upstreams = Upstreams::new(&plan).context("failed to make ready the upstreams")?;
    let upstream = upstreams.route("/v1/chat/completions", model.as_deref()).name().to_string();
    let mut account = Account::of(&transcript, &plan.rules, &upstream);
    if let Some(path) = &arguments.answer {
        let Some(answer) = read(path)? else { return Ok(Exit::Input) };
        match answer::judged(&transcript, &plan, answer) {
            Ok(calls) => account.answer = Some(calls),
            Err(why) => return refuse(path, &why),
        }
    }
    let told = if arguments.sent {
        account.sent.clone()
    } else if arguments.json {
        let mut json = serde_json::to_vec_pretty(&account)?;
        json.push(b'\n');
        json.into()
    } else {
        let colour =
            io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
        Page { colour }.text(&account, &arguments.request.display().to_string())?.into()
    };
    io::stdout().write_all(&told)?;
    Ok(if account.changes() { Exit::Found } else { Exit::Fine })
}

/// The bytes of a file; if there are none to be had, it has been told why.
fn read(path: &Path) -> anyhow::Result<Option<Bytes>> {
    let bytes = if path == Path::new("-") {
        let mut bytes = Vec::new();
        io::stdin().read_to_end(&mut bytes).map(|_| bytes)
    } else {
        fs::read(path)
    };
    match bytes {
        Ok(bytes) => Ok(Some(bytes.into())),
        Err(why) => refuse(path, &why.to_string()).map(|_| None),
    }
}

fn refuse(path: &Path, why: &str) -> anyhow::Result<Exit> {
    writeln!(io::stderr(), "remand: {}: {why}", path.display())?;
    Ok(Exit::Input)
}
