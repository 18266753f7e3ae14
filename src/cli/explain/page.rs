//! How an account reads: the conversation, what is changed, what has failed, and what becomes of the answer.
//!
//! Colour is a hint, never the message.

use std::fmt::{self, Write};

use super::account::{Account, Called, Edit, Judged, Message, Standing};

/// Writes text, with colour or without.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    pub(super) colour: bool,
}

#[derive(Clone, Copy, Debug)]
enum Tone {
    Loud,
    Dim,
    Old,
    New,
    Bad,
}

/// Characters of a text that are shown.
const SHOWN: usize = 100;
/// Of what stands around a change.
const AROUND: usize = 30;
/// Of one side of a change.
const CHANGED: usize = 400;

// === impl Page ===

impl Page {
    pub(super) fn text(self, account: &Account, name: &str) -> Result<String, fmt::Error> {
        let mut out = self.head(account, name);
        self.title(&mut out, "The conversation")?;
        for message in &account.messages {
            self.message(&mut out, message)?;
        }
        self.title(&mut out, "What is changed before it is sent")?;
        if account.changes.is_empty() {
            out.push_str("  nothing: the provider gets the bytes that came\n");
        }
        for edit in &account.changes {
            self.edit(&mut out, edit)?;
        }
        self.title(&mut out, "Failures that stand")?;
        if account.failures.is_empty() {
            out.push_str("  none: no call would be refused as a repetition\n");
        }
        for failure in &account.failures {
            self.failure(&mut out, failure)?;
        }
        if let Some(calls) = &account.answer {
            self.title(&mut out, "The answer")?;
            if calls.is_empty() {
                out.push_str("  no calls: it goes on as it came\n");
            }
            for call in calls {
                self.judged(&mut out, call)?;
            }
        }
        Ok(out)
    }

    fn head(self, account: &Account, name: &str) -> String {
        let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let model = account.model.as_deref().unwrap_or("no model");
        format!(
            "{} {}, {}, {model} at {}\n",
            self.paint(Tone::Loud, &format!("{name}:")),
            count(account.messages.len(), "message"),
            count(account.tools.len(), "tool"),
            account.upstream
        )
    }

    fn title(self, out: &mut String, title: &str) -> fmt::Result {
        writeln!(out, "\n{}", self.paint(Tone::Loud, title))?;
        Ok(())
    }

    fn message(self, out: &mut String, message: &Message) -> fmt::Result {
        let epoch = self.paint(Tone::Dim, &format!("epoch {}", message.epoch));
        write!(out, "  {:>3} {:<9} {epoch}", message.number, message.role)?;
        if let Some(outcome) = &message.outcome {
            let tone = if outcome.starts_with("failure") { Tone::Bad } else { Tone::Dim };
            let tool = message.tool.as_deref().unwrap_or("no call that is here");
            write!(out, "  {tool}: {}", self.paint(tone, outcome))?;
        }
        if !message.text.trim().is_empty() {
            write!(out, "  {}", line(&message.text, SHOWN))?;
        }
        out.push('\n');
        for Called { id, tool, arguments, read_only } in &message.calls {
            let reads = if *read_only { "reads" } else { "may change" };
            writeln!(
                out,
                "      calls {tool} {}  {}",
                line(arguments, SHOWN),
                self.paint(Tone::Dim, &format!("{id}, {reads}"))
            )?;
        }
        Ok(())
    }

    fn edit(self, out: &mut String, edit: &Edit) -> fmt::Result {
        let codes =
            if edit.reasons.is_empty() { String::new() } else { format!(": {}", edit.reasons.join(", ")) };
        writeln!(out, "  {}{codes}", edit.place)?;
        let (before, after) = edit.change.core(AROUND);
        for (sign, tone, text) in [("-", Tone::Old, before), ("+", Tone::New, after)] {
            if let Some(text) = text {
                writeln!(out, "    {}", self.paint(tone, &format!("{sign} {}", line(&text, CHANGED))))?;
            }
        }
        Ok(())
    }

    fn failure(self, out: &mut String, failure: &Standing) -> fmt::Result {
        let Standing { tool, arguments, signature, error, times, for_good } = failure;
        let until = if *for_good { "until the user speaks" } else { "until something may have changed" };
        let times = if *times == 1 { "once".to_owned() } else { format!("{times} times") };
        writeln!(
            out,
            "  {tool} {}\n    failed {times} ({}: {}), refused {until}",
            line(arguments, SHOWN),
            self.paint(Tone::Bad, signature),
            line(error, SHOWN)
        )?;
        Ok(())
    }

    fn judged(self, out: &mut String, call: &Judged) -> fmt::Result {
        let tone = if call.verdict == "refused" { Tone::Bad } else { Tone::Loud };
        writeln!(
            out,
            "  {} {}  {}",
            call.tool,
            line(&call.arguments, SHOWN),
            self.paint(Tone::Dim, &call.id)
        )?;
        let codes =
            if call.reasons.is_empty() { String::new() } else { format!(": {}", call.reasons.join(", ")) };
        writeln!(out, "    {}{codes}", self.paint(tone, call.verdict))?;
        for (tool, arguments) in &call.becomes {
            writeln!(
                out,
                "    {}",
                self.paint(Tone::New, &format!("+ {tool} {}", line(arguments, CHANGED)))
            )?;
        }
        if let Some(told) = &call.told {
            writeln!(out, "    the model is told: {}", line(told, CHANGED))?;
        }
        Ok(())
    }

    fn paint(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Loud => "1",
            Tone::Dim => "2",
            Tone::Old | Tone::Bad => "31",
            Tone::New => "32",
        };
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// A text in one line of so many characters at most.
fn line(text: &str, most: usize) -> String {
    let mut words = text.split_whitespace();
    let mut line = words.next().unwrap_or_default().to_owned();
    for word in words {
        line.push(' ');
        line.push_str(word);
        if line.len() > 4 * most {
            break;
        }
    }
    let shown: String = line.chars().filter(|letter| !letter.is_control()).take(most).collect();
    if line.chars().nth(most).is_some() { shown + "…" } else { shown }
}
