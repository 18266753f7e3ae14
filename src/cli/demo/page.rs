//! How the demo looks: a column of who speaks, and beside it what is said.
//!
//! Colour is a hint, never the message: without it every line still says who speaks.

use super::scene::Scene;
use super::story::{Answer, Became, Judged, Story};

#[cfg(test)]
mod tests;

/// Columns of a line. It fits a terminal of eighty.
const WIDTH: usize = 80;
/// Columns before what is said.
const MARGIN: usize = 11;
/// Columns of a cell in the table.
const COLUMN: usize = 24;

/// Writes text, with colour or without.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page {
    pub(super) colour: bool,
}

#[derive(Clone, Copy, Debug)]
enum Voice {
    User,
    Model,
    Proxy,
    Agent,
    Plain,
    Loud,
}

// === impl Page ===

impl Page {
    pub(super) fn opening(self) -> String {
        let title = self.paint(Voice::Loud, "remand demo");
        let about = "A scripted model, the proxy and a small agent, all in this process: no key, no network. \
                     The agent knows nothing of the proxy; it was only given its base URL.";
        format!("{title}\n{}", wrapped(about, 0))
    }

    pub(super) fn scene(self, number: usize, scene: &Scene, story: &Story) -> String {
        let mut out = format!("\n{}\n", self.paint(Voice::Loud, &format!("{number}. {}", scene.title)));
        out.push_str(&wrapped(scene.what, 0));
        out.push('\n');
        if let (Some(cancelled), Some(lost)) = (&scene.cancelled, &story.lost) {
            self.say(&mut out, Voice::User, "user", cancelled.user);
            self.say(&mut out, Voice::Model, "model", &format!("calls {} {}", lost.name, lost.written));
            let text = format!("is stopped before {} has a result", lost.subject());
            self.say(&mut out, Voice::Agent, "agent", &text);
        }
        self.say(&mut out, Voice::User, "user", scene.user);
        if let Some(refusal) = &story.refusal {
            self.say(&mut out, Voice::Plain, "provider", &format!("would refuse this: {refusal}"));
        }
        if let Some(lost) = &story.lost {
            self.judged(&mut out, lost);
        }
        if !scene.told.is_empty() {
            self.say(&mut out, Voice::Proxy, "proxy", &format!("adds to the prompt: {}", story.told));
        }
        for answer in &story.answers {
            self.answer(&mut out, answer);
        }
        out
    }

    fn answer(self, out: &mut String, answer: &Answer) {
        for (number, round) in answer.rounds.iter().enumerate() {
            if number > 0 {
                self.say(out, Voice::Proxy, "proxy", "asks the model again, in the same answer");
            }
            self.say(out, Voice::Model, "model", &round.text);
            for call in &round.calls {
                self.say(out, Voice::Model, "  calls", &format!("{} {}", call.name, call.written));
            }
            for call in &round.calls {
                self.judged(out, call);
            }
        }
        for call in answer.rounds.iter().flat_map(|round| &round.calls) {
            let Some(ran) = call.ran() else { continue };
            let answered = call.answered.as_deref().unwrap_or("nothing");
            let news = answered.strip_prefix(&format!("{ran}: ")).unwrap_or(answered);
            self.say(out, Voice::Agent, "agent", &format!("runs {ran} → {news}"));
            if let Some(told) = call.result.as_deref().filter(|told| *told != answered) {
                self.say(out, Voice::Proxy, "proxy", &format!("{ran}: the model reads: {told}"));
            }
        }
        for call in answer.rounds.last().into_iter().flat_map(|round| &round.calls) {
            if call.ran().is_none() {
                let text =
                    format!("puts {} and its error back in place, in the next request", call.subject());
                self.say(out, Voice::Proxy, "proxy", &text);
            }
        }
    }

    fn judged(self, out: &mut String, call: &Judged) {
        match &call.became {
            Became::Forwarded => {
                self.say(out, Voice::Plain, "proxy", &format!("{}: goes on as written", call.subject()));
            }
            Became::Rewritten(arguments) => {
                self.say(out, Voice::Proxy, "proxy", &format!("rewritten: {arguments}"));
            }
            Became::Kept => {
                let told = call.result.as_deref().unwrap_or("nothing");
                let text = format!("{}: held back. The model reads: {told}", call.subject());
                self.say(out, Voice::Proxy, "proxy", &text);
            }
            Became::Lost => {
                let told = call.result.as_deref().unwrap_or("nothing");
                let text = format!("{}: gets a result. The model reads: {told}", call.subject());
                self.say(out, Voice::Proxy, "proxy", &text);
            }
        }
    }

    /// What the agent saw and what the model saw, one line a call.
    pub(super) fn table(self, stories: &[Story]) -> String {
        let row = |mark: &str, cells: [&str; 3]| {
            let [wrote, agent, model] = cells.map(|cell| cut(cell, COLUMN));
            format!("{mark:<3}{wrote:<COLUMN$} {agent:<COLUMN$} {model}").trim_end().to_owned()
        };
        let head = row("", ["the model wrote", "the agent saw", "the model saw"]);
        let mut out = format!("\n{}\n", self.paint(Voice::Loud, &head));
        for (number, story) in stories.iter().enumerate() {
            let mut mark = (number + 1).to_string();
            for call in story.calls() {
                let (agent, model) = match (&call.became, call.ran()) {
                    (_, Some(ran)) => (ran, brief(call)),
                    (Became::Lost, None) => ("no result".to_owned(), "interrupted: look first".to_owned()),
                    (_, None) => ("–".to_owned(), "refused, with the reason".to_owned()),
                };
                out.push_str(&row(&mark, [&call.subject(), &agent, &model]));
                out.push('\n');
                mark.clear();
            }
        }
        out
    }

    /// How to go on. `program` starts this program.
    pub(super) fn closing(self, program: &str) -> String {
        let head = self.paint(Voice::Loud, "Point a real agent here");
        let lines = format!(
            "\n  {program} serve --upstream https://api.openai.com/v1\n  \
             export OPENAI_BASE_URL=http://127.0.0.1:8787/v1\n\n"
        );
        let more = "The agent's own key goes through. The rules of this demo are in replay/demo-config.toml.";
        format!("\n{head}\n{lines}{}", wrapped(more, 0))
    }

    /// One speaker, and what is said, in lines that fit.
    fn say(self, out: &mut String, voice: Voice, who: &str, what: &str) {
        if what.is_empty() {
            return;
        }
        let name = self.paint(voice, &format!("  {who:<width$}", width = MARGIN - 2));
        let said = wrapped(what, MARGIN);
        out.push_str(&name);
        out.push_str(said.trim_start_matches(' '));
    }

    fn paint(self, voice: Voice, text: &str) -> String {
        let code = match voice {
            Voice::User => "1",
            Voice::Model => "36",
            Voice::Proxy => "1;33",
            Voice::Agent => "32",
            Voice::Plain => "33",
            Voice::Loud => "1;4",
        };
        if self.colour { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

// === impl Judged ===

impl Judged {
    /// The one argument that tells this call from others.
    fn subject(&self) -> String {
        subject(&self.written)
    }
    /// The same of the call that the agent got, if it got one.
    fn ran(&self) -> Option<String> {
        match &self.became {
            Became::Forwarded => Some(self.subject()),
            Became::Rewritten(arguments) => Some(subject(arguments)),
            Became::Kept | Became::Lost => None,
        }
    }
}

/// The first string among the arguments that are worth showing.
fn subject(arguments: &str) -> String {
    #[derive(serde::Deserialize)]
    struct Telling {
        branch_slug: Option<String>,
        action: Option<String>,
    }
    let read = serde_json::from_str::<Telling>(arguments).ok();
    read.and_then(|telling| telling.branch_slug.or(telling.action)).unwrap_or_else(|| arguments.to_owned())
}

/// A result in a few words.
fn brief(call: &Judged) -> String {
    #[derive(serde::Deserialize)]
    struct Failed {
        status: u16,
        #[serde(rename = "Code")]
        code: String,
    }
    let result = call.result.as_deref().unwrap_or("nothing");
    // An error is told in the words of its class, with what the tool said of it in the middle.
    let said = result.find('{').and_then(|at| result.get(at..)).unwrap_or_default();
    let failed = serde_json::Deserializer::from_str(said).into_iter::<Failed>().next();
    match failed.and_then(Result::ok) {
        Some(Failed { status, code }) => format!("{status} {code}"),
        None if result.ends_with("Please fix your mistakes.") => "told to mend its mistake".to_owned(),
        None if result.starts_with('{') => "an answer".to_owned(),
        None => match result.rsplit_once(": ") {
            Some((_, outcome)) => outcome.to_owned(),
            None => result.to_owned(),
        },
    }
}

/// The text in at most `width` columns.
fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width - 1).chain(['…']).collect()
}

/// The text in lines that fit, each indented, each ended. Words longer than a line are broken.
fn wrapped(text: &str, indent: usize) -> String {
    let room = WIDTH - indent;
    let mut out = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let mut word: Vec<char> = word.chars().collect();
        if used > 0 && used + 1 + word.len() > room {
            out.push('\n');
            used = 0;
        }
        while !word.is_empty() {
            if used == 0 {
                out.extend(std::iter::repeat_n(' ', indent));
            } else {
                out.push(' ');
                used += 1;
            }
            let rest = word.split_off(word.len().min(room - used));
            used += word.len();
            out.extend(word);
            word = rest;
            if !word.is_empty() {
                out.push('\n');
                used = 0;
            }
        }
    }
    out.push('\n');
    out
}
