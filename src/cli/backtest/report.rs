//! A tally as one page that needs nothing beside it: what would have been refused, drawn and listed.

use std::fmt::{self, Write};

use super::tally::{Case, Tally};

const HEAD: &str = include_str!("report.html");

/// Cases of a kind that are listed.
const LISTED: usize = 200;

pub(super) fn html(tally: &Tally) -> Result<String, fmt::Error> {
    let mut out = HEAD.to_owned();
    let wrong = tally.refused_wrongly.len() + tally.remanded_wrongly.len();
    writeln!(out, "<header><h1>remand backtest</h1><p>")?;
    write!(out, "{} conversations, {} answers, {} calls", tally.conversations, tally.answers, tally.calls)?;
    writeln!(out, "{}</p></header>", if tally.stopped { "; stopped before the end" } else { "" })?;
    writeln!(out, "<section class=figures>")?;
    figure(&mut out, tally.refused(), "repeats refused", "")?;
    figure(&mut out, wrong, "calls that worked, refused", if wrong == 0 { "good" } else { "bad" })?;
    figure(&mut out, tally.missed.values().map(Vec::len).sum(), "repeats let through that failed again", "")?;
    figure(&mut out, tally.changed.len(), "histories mended", "")?;
    writeln!(out, "</section>")?;

    chart(&mut out, "Calls by verdict", tally.verdicts.iter().map(|(name, count)| (name.as_str(), *count)))?;
    let let_through = tally.missed.values().map(Vec::len).sum();
    let repeats = [
        ("refused, and they failed again", tally.refused_rightly.len()),
        ("refused, and they worked", tally.refused_wrongly.len()),
        ("refused, and nobody knows", tally.refused_unknown.len()),
        ("let through, and they failed again", let_through),
        ("let through, and they did not", tally.let_through),
    ];
    chart(&mut out, "Repeats of calls that had failed", repeats.into_iter())?;
    chart(
        &mut out,
        "Results by what they are taken for",
        tally.outcomes.iter().map(|(name, count)| (*name, *count)),
    )?;
    chart(
        &mut out,
        "Histories mended, by what was done",
        tally.mended.iter().map(|(name, count)| (*name, *count)),
    )?;

    cases(&mut out, "Refused, and it worked", &tally.refused_wrongly, true)?;
    cases(&mut out, "Refused for itself, and it worked", &tally.remanded_wrongly, true)?;
    cases(&mut out, "Refused, and it failed again", &tally.refused_rightly, true)?;
    cases(&mut out, "Refused, outcome unknown", &tally.refused_unknown, false)?;
    for (why, list) in &tally.missed {
        cases(&mut out, &format!("Let through and failed again: {why}"), list, false)?;
    }
    cases(&mut out, "Results that say otherwise than they are taken for", &tally.disagreed, false)?;
    writeln!(out, "</main></html>")?;
    Ok(out)
}

fn figure(out: &mut String, number: usize, what: &str, class: &str) -> fmt::Result {
    writeln!(out, "<div class='figure {class}'><b>{number}</b><span>{what}</span></div>")
}

/// Bars of one colour, each with its number.
fn chart<'n>(out: &mut String, title: &str, rows: impl Iterator<Item = (&'n str, usize)>) -> fmt::Result {
    let rows: Vec<_> = rows.collect();
    let most = rows.iter().map(|(_, count)| *count).max().unwrap_or_default().max(1);
    if rows.is_empty() {
        return Ok(());
    }
    writeln!(out, "<section><h2>{}</h2><table class=chart>", escaped(title))?;
    for (name, count) in rows {
        // In thousandths, so that the smallest can be told from none.
        let width = (count * 1000).div_ceil(most);
        writeln!(
            out,
            "<tr><th scope=row>{}</th><td><i style='width:calc({width}% / 10)'></i></td><td class=number>{count}</td></tr>",
            escaped(name)
        )?;
    }
    writeln!(out, "</table></section>")
}

fn cases(out: &mut String, title: &str, cases: &[Case], open: bool) -> fmt::Result {
    if cases.is_empty() {
        return Ok(());
    }
    let open = if open { " open" } else { "" };
    writeln!(out, "<details{open}><summary>{} <b>{}</b></summary>", escaped(title), cases.len())?;
    for Case { at, tool, arguments, why, result } in cases.iter().take(LISTED) {
        writeln!(
            out,
            "<article><p class=dim>{}, message {}</p><p><code>{} {}</code></p><p>{}</p><p class=dim>{}</p></article>",
            escaped(&at.place.to_string()),
            at.message,
            escaped(tool),
            escaped(arguments),
            escaped(why),
            escaped(result)
        )?;
    }
    if cases.len() > LISTED {
        writeln!(
            out,
            "<p class=dim>… and {} more: all are in the output of --json.</p>",
            cases.len() - LISTED
        )?;
    }
    writeln!(out, "</details>")
}

/// As text: what is told comes from outside.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
    out
}
