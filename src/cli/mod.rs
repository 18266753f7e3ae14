//! The command line: one file a subcommand.
//!
//! Here the arguments are read, the log is set up, the subcommand runs, and what went wrong becomes a message and
//! an exit code. A subcommand returns [`Exit`], or an error that [`Exit::of`] knows.

mod backtest;
mod check;
mod demo;
mod exit;
mod explain;
mod log;
mod replay;
mod serve;

use std::io::Write;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use exit::Exit;

use crate::config;

/// An OpenAI-compatible proxy that holds each tool call of a model until it is judged
///
/// Good calls go on to the agent untouched. Bad ones go back to the model with an error that it
/// can learn from. The agent needs no change: it points its base URL here.
#[derive(Parser, Debug)]
#[command(name = "remand", version, verbatim_doc_comment, arg_required_else_help = true, after_help = AFTER_HELP)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

// One variant a subcommand, each with its own file beside this one.
#[derive(Subcommand, Debug)]
enum Command {
    /// Run the proxy
    Serve(serve::Arguments),
    /// Show on a scripted model what the proxy does; no key, no network
    Demo(demo::Arguments),
    /// Answer from scripts, in the place of a provider
    Replay(replay::Arguments),
    /// Tell what the proxy would do with one request, and with its answer
    Explain(explain::Arguments),
    /// Judge recorded conversations: what would have been refused, and how often wrongly
    Backtest(backtest::Arguments),
    /// Tell whether a configuration is right, and what is in force
    Check(check::Arguments),
}

const AFTER_HELP: &str = "\
Examples:
  remand demo                                           see it work
  remand serve                                          in front of https://api.openai.com/v1
  remand serve --upstream http://127.0.0.1:11434/v1     in front of another provider
  remand serve --config config.toml --mode observe      see what it would do, change nothing
  remand explain request.json                           what it would do with one request, and why
  remand backtest conversations.jsonl                   what it would have done to these, rightly or not
  remand check --config config.toml                     is it right, and what is in force
  OPENAI_BASE_URL=http://127.0.0.1:8787/v1 my-agent     point an agent at it

Environment:
  REMAND_LOG   what to log, to standard error: `debug`, or `remand=debug,hyper=info`, …
               [default: remand=info for `serve`, remand=warn for the others]
  NO_COLOR     if set, there are no colours
  NAME         any string of the configuration file may be \"env:NAME\"

Exit codes:
  0   all went well
  1   it ran, and found something to complain about, or to change
  2   the command line is wrong
  64  the configuration is wrong, or the address is taken
  65  an input file is wrong
  69  the upstream cannot be reached
  70  a fault of our own";

/// Reads the command line, and does what it says.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => return tell_usage(&told).into(),
    };
    match log::start(cli.command.log_level()).and_then(|()| cli.command.run()) {
        Ok(exit) => exit.into(),
        Err(error) => {
            tell(&complaint(&error));
            Exit::of(&error).into()
        }
    }
}

/// Help and version are told here too; they are no mistake.
fn tell_usage(told: &clap::Error) -> Exit {
    match (told.print(), told.use_stderr()) {
        (Ok(()), false) => Exit::Fine,
        (Ok(()), true) => Exit::Usage,
        (Err(_), _) => Exit::Ours,
    }
}

fn complaint(error: &anyhow::Error) -> String {
    // Faults of the configuration stand alone on their lines, so that editors can follow them.
    if let Some(config::Error::Faulty(faults)) = error.downcast_ref() {
        let plural = if faults.len() == 1 { "" } else { "s" };
        return format!("{error}\nremand: {} mistake{plural} in the configuration\n", faults.len());
    }
    format!("remand: {error:#}\n")
}

/// Tells the person at the terminal. Where nobody listens any more, that is no reason to fail.
fn tell(text: &str) {
    std::io::stderr().write_all(text.as_bytes()).ok();
}

// === impl Command ===

impl Command {
    /// What tells its own story needs no log beside it.
    fn log_level(&self) -> &'static str {
        match self {
            Self::Serve(_) => "remand=info",
            Self::Backtest(_) | Self::Check(_) | Self::Demo(_) | Self::Replay(_) | Self::Explain(_) => {
                "remand=warn"
            }
        }
    }

    fn run(self) -> anyhow::Result<Exit> {
        match self {
            Self::Serve(arguments) => serve::run(&arguments),
            Self::Demo(arguments) => demo::run(&arguments),
            Self::Replay(arguments) => replay::run(&arguments),
            Self::Backtest(arguments) => backtest::run(&arguments),
            Self::Check(arguments) => check::run(&arguments),
            Self::Explain(arguments) => explain::run(&arguments),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_help_tells_every_exit_code() {
        for exit in Exit::ALL {
            let line = format!("\n  {:<4}", exit as u8);
            assert!(AFTER_HELP.contains(&line), "{exit:?}");
        }
    }

    #[test]
    fn faults_stand_alone_on_their_lines_and_other_errors_with_their_causes() {
        let fault = config::Fault {
            file: "a.toml".to_owned(),
            line: 2,
            column: 1,
            key: "listen.x".to_owned(),
            message: "no".to_owned(),
        };
        let faulty = config::Error::Faulty(vec![fault.clone(), fault]);
        let told =
            "a.toml:2:1: listen.x: no\na.toml:2:1: listen.x: no\nremand: 2 mistakes in the configuration\n";
        assert_eq!(complaint(&faulty.into()), told);
        let other = anyhow::anyhow!("the cause").context("failed to start");
        assert_eq!(complaint(&other), "remand: failed to start: the cause\n");
    }

    #[test]
    fn every_command_of_the_readme_can_be_given() {
        let readme = include_str!("../../README.md");
        let commands: Vec<Vec<&str>> = readme
            .lines()
            .filter_map(|line| line.strip_prefix("cargo run --release -- ").or(line.strip_prefix("remand ")))
            .map(|rest| rest.split(' ').collect())
            .collect();
        assert!(commands.len() >= 6, "{commands:?}");
        for words in commands {
            let given = std::iter::once("remand").chain(words.iter().copied());
            assert!(Cli::try_parse_from(given).is_ok(), "{words:?}");
            let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
            let files = words.iter().map(|word| root.join(word));
            for file in files.filter(|file| file.extension().is_some_and(|extension| extension == "toml")) {
                assert!(file.exists(), "{}", file.display());
            }
        }
    }

    #[test]
    fn help_is_no_mistake_and_an_unknown_flag_is() {
        let parse = |arguments: &[&str]| Cli::try_parse_from(arguments).unwrap_err();
        assert!(!parse(&["remand", "--help"]).use_stderr());
        assert!(parse(&["remand", "serve", "--upsteam", "x"]).use_stderr());
        assert!(parse(&["remand"]).use_stderr());
    }
}
