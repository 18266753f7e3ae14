//! The log: to standard error, so that standard output is free for what was asked for.

use std::io::IsTerminal;

use anyhow::Context;
use tracing_subscriber::EnvFilter;

const VARIABLE: &str = "REMAND_LOG";

/// Sets up the log of this process, once; `level` is in force where the environment asks for nothing.
pub(super) fn start(level: &str) -> anyhow::Result<()> {
    let wanted = std::env::var(VARIABLE).ok().filter(|wanted| !wanted.is_empty());
    let filter = EnvFilter::try_new(wanted.as_deref().unwrap_or(level))
        .with_context(|| format!("the environment variable {VARIABLE} cannot be understood"))?;
    let colour =
        std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(colour)
        .with_target(false)
        .with_env_filter(filter)
        .try_init()
        .map_err(|error| anyhow::anyhow!("the log cannot be set up: {error}"))
}
