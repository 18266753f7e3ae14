//! The README tells the truth: its configuration loads, and its tables name what the program names.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::SystemTime;

use regex::Regex;
use remand::cli::Exit;
use remand::config::{self, Overrides, Plan};
use remand::guard::Reason;
use remand::guard::notice::Notices;
use remand::observe::event::Judged;
use remand::observe::{Event, Fact, line};
use remand::replay::Script;

const README: &str = include_str!("../README.md");
const REASONS: &str = include_str!("../src/guard/reason.rs");
const FAILURES: &str = include_str!("../src/proxy/failure.rs");
const EVENTS: &str = include_str!("../src/observe/event.rs");
const LINES: &str = include_str!("../src/observe/line.rs");
const HEAD: &str = include_str!("../src/proxy/exchange/outlet.rs");

#[test]
fn the_first_command_under_tests_runs_the_tests() {
    assert_eq!(blocks(section("Tests"), "sh").first().map(String::as_str), Some("cargo test\n"));
}

#[test]
fn its_configuration_loads_and_says_something() {
    let blocks = blocks(README, "toml");
    assert!(blocks.len() >= 6);
    for block in blocks {
        assert_ne!(shown(&block), shown(""), "{block}");
    }
}

#[test]
fn its_script_is_short_and_every_step_can_be_reached() {
    let [script] = blocks(README, "toml script").try_into().unwrap();
    assert!(script.lines().filter(|line| !line.is_empty()).count() <= 20);
    let read = Script::parse("order.toml", &script).unwrap();
    assert_eq!((read.len(), read.unreachable()), (2, vec![]));
}

#[test]
fn each_line_that_turns_a_part_off_is_a_configuration() {
    let table = table("What it does by default", "part");
    let lines: Vec<&str> = table.iter().flat_map(|row| spans(&row[3])).collect();
    assert!(lines.len() >= 8, "{lines:?}");
    for line in lines {
        assert_ne!(shown(line), shown(""), "{line}");
    }
}

#[test]
fn a_mistake_is_told_as_it_is_shown() {
    let told = read("remand.toml", "[listen]\nadress = \"127.0.0.1:1\"\n").unwrap_err().to_string();
    assert!(blocks(README, "").contains(&(told.clone() + "\n")), "{told}");
}

#[test]
fn names_every_reason_and_no_other() {
    let table = table("What it does by default", "part");
    let told: Vec<&str> = table.iter().flat_map(|row| spans(&row[2])).collect();
    assert_eq!(set(&told), matches(REASONS, r#"=> "([a-z_]+)""#), "in the table, and in the code");
    assert_eq!(told.len(), set(&told).len(), "one of them stands twice");
}

#[test]
fn names_every_error_with_its_status() {
    let code = Regex::new(r#"StatusCode::([A-Z_]+), "([a-z_]+)""#).unwrap();
    let known: BTreeSet<String> =
        code.captures_iter(FAILURES).map(|found| format!("{} {}", &found[2], status(&found[1]))).collect();
    let told = table("Errors and exit codes", "code");
    let told: BTreeSet<String> = told.iter().map(|row| format!("{} {}", spans(&row[0])[0], row[1])).collect();
    assert_eq!(told, known);
}

#[test]
fn names_every_exit_code() {
    let told = table("Errors and exit codes", "exit code");
    let told: Vec<&str> = told.iter().map(|row| row[0].as_str()).collect();
    assert_eq!(told, Exit::ALL.map(|exit| (exit as u8).to_string()));
}

#[test]
fn names_every_event_and_what_it_tells() {
    let table = table("What you see", "type");
    let types: Vec<&str> = table.iter().flat_map(|row| spans(&row[0])).collect();
    let mut known = matches(LINES, r#"=> "([a-z_]+)""#);
    known.insert("dropped".to_owned());
    assert_eq!(set(&types), known);
    let members: Vec<&str> = table.iter().flat_map(|row| spans(&row[2])).collect();
    let absent: Vec<_> = matches(EVENTS, r#"=> "([a-z_]+)""#)
        .into_iter()
        .filter(|code| !set(&members).contains(code))
        .collect();
    assert!(absent.is_empty(), "the table lacks {absent:?}");
    for word in members {
        let quoted = format!("\"{word}\"");
        assert!(LINES.contains(&quoted) || EVENTS.contains(&quoted), "no event has {word}");
    }
}

#[test]
fn the_event_it_shows_is_what_is_written() {
    let [shown] = blocks(section("What you see"), "json").try_into().unwrap();
    let fact = Fact::Judged {
        round: 1,
        position: 0,
        tool: "git_prepare_worktree".to_owned(),
        call_id: "call_hopeless".to_owned(),
        verdict: Judged::Refused,
        reasons: vec![Reason::Invalid],
    };
    let written = line::event(SystemTime::now(), &Event { exchange: "rx_56667373_1".into(), fact });
    let after_time = |text: &str| text.split_once(",\"exchange\"").map(|(_, rest)| rest.to_owned());
    assert_eq!(after_time(&shown), after_time(&String::from_utf8(written).unwrap()));
    assert!(after_time(&shown).is_some());
}

#[test]
fn names_the_headers_that_are_sent() {
    assert_eq!(matches(README, r"`(x-remand-[a-z]+)"), matches(HEAD, r#""(x-remand-[a-z]+)""#));
}

#[test]
fn the_texts_it_quotes_are_ours() {
    let quotes = section("What the model reads").split("\n\n").filter(|part| part.starts_with("> "));
    let quotes: Vec<String> = quotes.map(|quote| quote.replace("\n> ", " ")).collect();
    assert_eq!(quotes.len(), 3);
    for quote in quotes {
        let text = quote.trim_start_matches("> ").trim_end();
        assert!(Notices::default().wrote(text), "{text}");
    }
}

#[test]
fn what_it_links_to_is_there() {
    let heads: BTreeSet<String> = README
        .lines()
        .filter_map(|line| line.strip_prefix("## "))
        .map(|head| head.to_lowercase().replace(' ', "-"))
        .collect();
    for target in matches(README, r"\]\(([^)]+)\)") {
        match target.strip_prefix('#') {
            Some(head) => assert!(heads.contains(head), "#{head}"),
            None => assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(&target).exists(), "{target}"),
        }
    }
}

#[test]
fn the_programs_it_names_are_there() {
    let named = matches(section("Tests"), r"`(\.?[a-z]+/[a-z./]+)`");
    assert!(named.len() >= 3, "{named:?}");
    for path in named {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(&path).exists(), "{path}");
    }
}

fn read(name: &str, text: &str) -> Result<Plan, config::Error> {
    let environment = |name: &str| Some(format!("value-of-{name}"));
    config::parse(name, text, Path::new(""), &Overrides::default(), &environment)
}

/// All that a configuration says, with nothing secret in it.
fn shown(text: &str) -> String {
    format!("{:?}", read("README.md", text).expect(text))
}

/// What stands under a heading.
fn section(head: &str) -> &'static str {
    let (_, rest) = README.split_once(&format!("\n## {head}\n")).expect("the heading is there");
    rest.split("\n## ").next().unwrap_or_default()
}

/// The fenced blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(found) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if found == language {
            blocks.push(block.join("\n") + "\n");
        }
    }
    blocks
}

/// The rows of the table in a section whose first column has this head.
fn table(head: &str, first: &str) -> Vec<Vec<String>> {
    let begins = format!("| {first} |");
    let lines = section(head).lines().skip_while(|line| !line.starts_with(&begins)).skip(2);
    let rows: Vec<Vec<String>> = lines.take_while(|line| line.starts_with('|')).map(cells).collect();
    assert!(!rows.is_empty(), "no table of {first}");
    rows
}

fn cells(row: &str) -> Vec<String> {
    let inner = row.trim_matches('|').replace("\\|", "\u{0}");
    inner.split('|').map(|cell| cell.trim().replace('\u{0}', "|")).collect()
}

/// What stands between backticks.
fn spans(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

fn matches(text: &str, pattern: &str) -> BTreeSet<String> {
    Regex::new(pattern)
        .expect("it is a pattern")
        .captures_iter(text)
        .map(|found| found[1].to_owned())
        .collect()
}

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// The number of a status that the code calls by its name.
fn status(name: &str) -> u16 {
    let named = |number: &u16| {
        let reason = http::StatusCode::from_u16(*number).ok().and_then(|status| status.canonical_reason());
        reason.is_some_and(|reason| reason.to_uppercase().replace(' ', "_") == name)
    };
    (100..600).find(named).expect(name)
}
