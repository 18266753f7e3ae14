//! How a tally reads.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt::{self, Write};

use super::tally::{Case, Tally};

/// Cases of a kind that are listed.
const LISTED: usize = 20;
/// Characters of a field.
const SHOWN: usize = 110;

pub(super) fn text(tally: &Tally) -> Result<String, fmt::Error> {
    let mut out = String::new();
    writeln!(
        out,
        "{} conversations ({} KB), {} answers with {} calls{}",
        tally.conversations,
        tally.bytes / 1000,
        tally.answers,
        tally.calls,
        if tally.stopped { "; stopped before the end" } else { "" }
    )?;
    table(&mut out, "Calls by verdict", tally.verdicts.iter().map(|(name, count)| (name.as_str(), *count)))?;

    let missed: usize = tally.missed.values().map(Vec::len).sum();
    let repeats = [
        ("refused, and they failed again", tally.refused_rightly.len()),
        ("refused, and they worked: wrong", tally.refused_wrongly.len()),
        ("refused, and nobody knows", tally.refused_unknown.len()),
        ("let through, and they failed again", missed),
        ("let through, and they did not", tally.let_through),
    ];
    table(&mut out, "Repeats of calls that had failed", repeats.into_iter())?;
    cases(&mut out, "Refused, and it worked", &tally.refused_wrongly)?;
    cases(&mut out, "Refused for itself, and it worked", &tally.remanded_wrongly)?;
    cases(&mut out, "Refused", &tally.refused_rightly)?;
    cases(&mut out, "Refused, outcome unknown", &tally.refused_unknown)?;
    for (why, list) in &tally.missed {
        cases(&mut out, &format!("Let through and failed again, for {why}"), list)?;
    }
    table(
        &mut out,
        "Results by what they are taken for",
        tally.outcomes.iter().map(|(name, count)| (*name, *count)),
    )?;
    if !tally.flags.is_empty() {
        writeln!(out, "\nResults that say outright whether they failed")?;
        for (flag, (agreed, all)) in &tally.flags {
            writeln!(out, "  {flag:<40} agreed with {agreed} of {all}")?;
        }
    }
    cases(&mut out, "Not agreed with", &tally.disagreed)?;
    table(
        &mut out,
        "Histories mended, by what was done",
        tally.mended.iter().map(|(name, count)| (*name, *count)),
    )?;
    writeln!(out, "  {:<40} {:>8}", "conversations", tally.changed.len())?;
    writeln!(out, "\nRequests to the provider that would have been saved: {}", tally.refused())?;
    if !tally.unreadable.is_empty() {
        writeln!(out, "\nNo conversations: {}", tally.unreadable.len())?;
        for (place, why) in tally.unreadable.iter().take(LISTED) {
            writeln!(out, "  {place}: {why}")?;
        }
        more(&mut out, tally.unreadable.len())?;
    }
    Ok(out)
}

/// Two tallies over the same conversations, number beside number.
pub(super) fn compared(first: &Tally, second: &Tally) -> Result<String, fmt::Error> {
    let mut out = String::new();
    writeln!(out, "{} conversations, {} calls", first.conversations, first.calls)?;
    writeln!(out, "\n  {:<40} {:>8} {:>8} {:>8}", "", "this", "other", "change")?;
    let verdicts: BTreeSet<&String> = first.verdicts.keys().chain(second.verdicts.keys()).collect();
    for name in verdicts {
        let count = |tally: &Tally| tally.verdicts.get(name).copied().unwrap_or_default();
        beside(&mut out, name, count(first), count(second))?;
    }
    let missed = |tally: &Tally| tally.missed.values().map(Vec::len).sum();
    let wrong = |tally: &Tally| tally.refused_wrongly.len() + tally.remanded_wrongly.len();
    beside(&mut out, "repeats refused", first.refused(), second.refused())?;
    beside(&mut out, "calls that worked, refused", wrong(first), wrong(second))?;
    beside(&mut out, "repeats let through that failed again", missed(first), missed(second))?;
    beside(&mut out, "histories mended", first.changed.len(), second.changed.len())?;
    cases(&mut out, "Refused by the other, and it worked", &second.refused_wrongly)?;
    cases(&mut out, "Refused by the other for itself, and it worked", &second.remanded_wrongly)?;
    Ok(out)
}

fn beside(out: &mut String, name: &str, first: usize, second: usize) -> fmt::Result {
    let change = match first.cmp(&second) {
        Ordering::Less => format!("+{}", second - first),
        Ordering::Equal => String::new(),
        Ordering::Greater => format!("-{}", first - second),
    };
    writeln!(out, "  {name:<40} {first:>8} {second:>8} {change:>8}")
}

fn table<'n>(out: &mut String, title: &str, rows: impl Iterator<Item = (&'n str, usize)>) -> fmt::Result {
    writeln!(out, "\n{title}")?;
    for (name, count) in rows {
        writeln!(out, "  {name:<40} {count:>8}")?;
    }
    Ok(())
}

fn cases(out: &mut String, title: &str, cases: &[Case]) -> fmt::Result {
    if cases.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}: {}", cases.len())?;
    for Case { at, tool, arguments, why, result } in cases.iter().take(LISTED) {
        writeln!(out, "  {} message {}: {tool} {}", at.place, at.message, cut(arguments))?;
        writeln!(out, "    {}", cut(why))?;
        if !result.is_empty() {
            writeln!(out, "    result: {}", cut(result))?;
        }
    }
    more(out, cases.len())
}

fn more(out: &mut String, count: usize) -> fmt::Result {
    if count > LISTED { writeln!(out, "  … and {} more (all with --json)", count - LISTED) } else { Ok(()) }
}

fn cut(text: &str) -> String {
    let shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() { shown + "…" } else { shown }
}
