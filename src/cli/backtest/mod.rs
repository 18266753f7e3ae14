//! `remand backtest`: what the guard would have done to recorded conversations, and how often it would have been wrong.
//!
//! Each recorded answer is judged by what stood before it, with the code that `serve` judges with, and held against
//! what really came of it. `judge` does that for one conversation, [`tally`] adds up, [`page`] tells.

mod judge;
mod page;
mod report;
mod tally;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{self, BufRead, BufReader, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::Exit;
use crate::config::{self, Overrides};
use crate::guard::Rules;
use judge::{Judge, Kept};
use tally::{Place, Tally};

#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  remand backtest conversations.jsonl
  remand backtest logs/*.jsonl --config config.toml --json
  remand backtest conversations.jsonl --html report.html
  remand backtest conversations.jsonl --compare config.toml

One conversation a line: an object with `messages`, and with `tools` where they are known, as in the
body of a request. A line may also be an object with a `request` and its `response`. What is no
conversation is counted and named. Ctrl-C tells what was found so far.

Exit code 0: no call that worked would have been refused, with --compare by the other configuration.
1: some would have been; they are listed.
65: there was no conversation to be found.")]
pub(super) struct Arguments {
    /// Recorded conversations, one a line; `-` is the standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The configuration, in TOML; without it the defaults hold
    #[arg(long, short, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Another configuration, to be held beside the first
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "html"])]
    compare: Option<PathBuf>,
    /// For programs: one JSON object
    #[arg(long)]
    json: bool,
    /// Write a page with charts to this file, too; it needs nothing beside it
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Lines that may wait for a thread: so much of the input is in memory, and no more.
const WAITING: usize = 64;

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<Exit> {
    let plan = config::load(arguments.config.as_deref(), &Overrides::default())?;
    let progress = Progress::of(&arguments.files);
    stop_on_ctrl_c(&progress.stopped)?;
    let tally = over(&arguments.files, &plan.rules, &progress);
    if let Some(other) = &arguments.compare {
        let other = config::load(Some(other), &Overrides::default())?;
        let other = over(&arguments.files, &other.rules, &progress);
        io::stdout().write_all(page::compared(&tally, &other)?.as_bytes())?;
        return Ok(ended(&tally, other.was_wrong()));
    }
    let mut told = if arguments.json { serde_json::to_string_pretty(&tally)? } else { page::text(&tally)? };
    if arguments.json {
        told.push('\n');
    }
    if let Some(path) = &arguments.html {
        let written = std::fs::write(path, report::html(&tally)?);
        written.with_context(|| format!("failed to write {}", path.display()))?;
    }
    io::stdout().write_all(told.as_bytes())?;
    Ok(ended(&tally, tally.was_wrong()))
}

fn ended(tally: &Tally, was_wrong: bool) -> Exit {
    match () {
        () if tally.conversations == 0 => Exit::Input,
        () if was_wrong => Exit::Found,
        () => Exit::Fine,
    }
}

/// How far it has come, for whoever watches.
struct Progress {
    done: AtomicU64,
    all: u64,
    since: Instant,
    stopped: Arc<AtomicBool>,
}

/// A line of a file.
struct Line {
    place: Place,
    text: String,
}

/// Judges all files on all cores.
fn over(files: &[PathBuf], rules: &Rules, progress: &Progress) -> Tally {
    let (sender, lines) = mpsc::sync_channel::<Line>(WAITING);
    let lines = Mutex::new(lines);
    let schemas = Kept::default();
    let threads = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| work(&lines, rules, &schemas))).collect();
        let mut tally = read(files, &sender, progress);
        drop(sender);
        for worker in workers {
            match worker.join() {
                Ok(theirs) => tally.add(theirs),
                Err(bug) => std::panic::resume_unwind(bug),
            }
        }
        tally.sort();
        tally
    })
}

fn work(lines: &Mutex<mpsc::Receiver<Line>>, rules: &Rules, schemas: &Kept) -> Tally {
    let mut judge = Judge::new(rules, schemas);
    loop {
        let next = lines.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Line { place, text }) = next else { return judge.tally };
        judge.line(place, text);
    }
}

/// Reads the files line by line; what cannot be read is noted.
fn read(files: &[PathBuf], sender: &mpsc::SyncSender<Line>, progress: &Progress) -> Tally {
    let mut tally = Tally::default();
    let mut told = Instant::now();
    for path in files {
        let name = path.display().to_string();
        let opened: io::Result<Box<dyn BufRead>> = if path == Path::new("-") {
            Ok(Box::new(BufReader::new(io::stdin())))
        } else {
            File::open(path).map(|file| Box::new(BufReader::new(file)) as Box<dyn BufRead>)
        };
        let lines = match opened {
            Ok(lines) => lines,
            Err(why) => {
                tally.unread(Place { file: name, line: 0 }, &why.to_string());
                continue;
            }
        };
        for (number, line) in lines.lines().enumerate() {
            let place = Place { file: name.clone(), line: number + 1 };
            match line {
                Ok(text) => {
                    progress.done.fetch_add(text.len() as u64 + 1, Ordering::Relaxed);
                    if progress.stopped.load(Ordering::Relaxed) || sender.send(Line { place, text }).is_err()
                    {
                        tally.stopped = true;
                        return tally;
                    }
                }
                Err(why) => tally.unread(place, &why.to_string()),
            }
            if told.elapsed() >= Duration::from_millis(200) {
                told = Instant::now();
                progress.tell();
            }
        }
    }
    Progress::clear();
    tally
}

fn stop_on_ctrl_c(stopped: &Arc<AtomicBool>) -> io::Result<()> {
    let stopped = Arc::clone(stopped);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    thread::spawn(move || {
        if runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            stopped.store(true, Ordering::Relaxed);
        }
    });
    Ok(())
}

// === impl Progress ===

impl Progress {
    fn of(files: &[PathBuf]) -> Self {
        let all = files.iter().filter_map(|path| path.metadata().ok()).map(|about| about.len()).sum();
        Self { done: AtomicU64::new(0), all, since: Instant::now(), stopped: Arc::default() }
    }

    /// How much, how fast, how long still: on a terminal only, in one line that is written over.
    fn tell(&self) {
        if !io::stderr().is_terminal() {
            return;
        }
        let done = self.done.load(Ordering::Relaxed);
        let spent = u64::try_from(self.since.elapsed().as_millis()).unwrap_or(u64::MAX).max(1);
        // Bytes in a millisecond are kilobytes in a second.
        let rate = (done / spent).max(1);
        let share = (100 * done).checked_div(self.all).unwrap_or_default();
        let left = self.all.saturating_sub(done) / rate / 1000;
        super::tell(&format!("\r{share:3} %  {}.{} MB/s  {left} s left   ", rate / 1000, rate % 1000 / 100));
    }

    fn clear() {
        if io::stderr().is_terminal() {
            super::tell("\r                                        \r");
        }
    }
}
