//! `remand check`: whether a configuration is right, what is in force, and where each value comes from.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};
use std::path::PathBuf;

use super::Exit;
use crate::config::survey::{Block, Setting, Survey, Warning};
use crate::config::{self, Overrides};

/// The configuration's JSON Schema, for editors.
const SCHEMA: &str = include_str!("../../config.schema.json");

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  remand check --config config.toml
  remand check
  remand check --schema > config.schema.json

Tells every key with its value and the line it comes from, or that it is a default, and warns of what
can never count. Secrets are not shown. Editors that know TOML take the schema.

Exit code 0: the configuration is right. 1: it is, and something in it has no effect. 64: it is wrong.")]
pub(super) struct Arguments {
    /// The configuration, in TOML; without it the defaults are told
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write the JSON Schema of the configuration, and nothing else
    #[arg(long, conflicts_with = "config")]
    schema: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    if arguments.schema {
        io::stdout().write_all(SCHEMA.as_bytes())?;
        return Ok(Exit::Fine);
    }
    let (_, survey) = config::load_surveyed(arguments.config.as_deref(), &Overrides::default())?;
    let name =
        arguments.config.as_ref().map_or_else(|| "(no file)".to_owned(), |path| path.display().to_string());
    io::stdout().write_all(told(&survey, &name)?.as_bytes())?;
    for Warning { line, message } in &survey.warnings {
        writeln!(io::stderr(), "{name}:{line}: {message}")?;
    }
    Ok(if survey.warnings.is_empty() { Exit::Fine } else { Exit::Found })
}

/// Columns of a key, and of a value.
const KEY: usize = 30;
const VALUE: usize = 44;

fn told(survey: &Survey, name: &str) -> Result<String, fmt::Error> {
    let mut out = String::new();
    let origin =
        |line: Option<usize>| line.map_or_else(|| "default".to_owned(), |line| format!("{name}:{line}"));
    for Setting { key, value, line } in &survey.settings {
        writeln!(out, "{key:<KEY$} {:<VALUE$} {}", cut(value), origin(*line))?;
    }
    for Block { kind, title, line } in &survey.blocks {
        writeln!(out, "{:<KEY$} {:<VALUE$} {}", format!("[[{kind}]]"), cut(title), origin(*line))?;
    }
    Ok(out)
}

fn cut(value: &str) -> String {
    let shown: String = value.chars().take(VALUE - 1).collect();
    if shown.len() < value.len() { shown + "…" } else { shown }
}
