//! All texts that a model can read from us, by locale. Each can be overridden by the operator.
//!
//! A text is a template: words, and `{placeholders}` that the refusal at hand fills. The words must be enough
//! to know the text by, for our own texts may come back in a history and are then neither a failure nor an
//! execution.

mod english;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

/// The texts in force.
#[derive(Clone, Debug)]
pub struct Notices {
    locale: Locale,
    /// What the operator put in the place of a text; at most one for each.
    own: Vec<(Notice, String)>,
}

/// Which text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Notice {
    Truncated,
    Unreadable,
    UnknownTool,
    NoTools,
    Invalid,
    Denied,
    Repeated,
    Terminal,
    TooLarge,
    ProviderRefused,
    /// Said to the user in the model's place when it would not come to an end.
    FellBack,
    /// The result of a call that has none.
    Interrupted,
    /// Before what came as the result of no call.
    Orphan,
    /// The result of a tool that said nothing.
    EmptyResult,
    /// In the place of an image in a result.
    ImageBelow,
    /// Before an image that came in a result.
    ImageFrom,
    /// Where a result stood that was moved to its call.
    ResultAbove,
}

/// A language: the template of each text.
type Locale = fn(Notice) -> &'static str;

/// Every language, so that a text is known again whatever language wrote it.
const LOCALES: &[Locale] = &[english::text];

/// Letters and digits that a template must bring of its own. With fewer it would be found in the results of
/// real tools.
const OWN_WORDS: usize = 16;

/// Characters of a tool's name that a text quotes.
pub(crate) const NAME: usize = 128;

/// A piece of a template.
enum Piece<'a> {
    Words(&'a str),
    Placeholder(&'a str),
}

// === impl Notice ===

impl Notice {
    pub const ALL: [Self; 17] = [
        Self::Truncated,
        Self::Unreadable,
        Self::UnknownTool,
        Self::NoTools,
        Self::Invalid,
        Self::Denied,
        Self::Repeated,
        Self::Terminal,
        Self::TooLarge,
        Self::ProviderRefused,
        Self::FellBack,
        Self::Interrupted,
        Self::Orphan,
        Self::EmptyResult,
        Self::ImageBelow,
        Self::ImageFrom,
        Self::ResultAbove,
    ];

    /// The configuration key.
    pub fn code(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Unreadable => "unreadable",
            Self::UnknownTool => "unknown_tool",
            Self::NoTools => "no_tools",
            Self::Invalid => "invalid",
            Self::Denied => "denied",
            Self::Repeated => "repeated",
            Self::Terminal => "terminal",
            Self::TooLarge => "too_large",
            Self::ProviderRefused => "provider_refused",
            Self::FellBack => "fell_back",
            Self::Interrupted => "interrupted",
            Self::Orphan => "orphan",
            Self::EmptyResult => "empty_result",
            Self::ImageBelow => "image_below",
            Self::ImageFrom => "image_from",
            Self::ResultAbove => "result_above",
        }
    }

    /// What its template may hold between braces.
    pub fn placeholders(self) -> &'static [&'static str] {
        match self {
            Self::Truncated
            | Self::NoTools
            | Self::TooLarge
            | Self::Interrupted
            | Self::ImageFrom
            | Self::ResultAbove => &["tool"],
            Self::Unreadable | Self::Invalid | Self::ProviderRefused => &["tool", "problems"],
            Self::UnknownTool => &["tool", "names"],
            Self::Denied => &["tool", "reason"],
            Self::Repeated | Self::Terminal => &["tool", "error"],
            Self::FellBack => &["refusals"],
            Self::Orphan | Self::EmptyResult | Self::ImageBelow => &[],
        }
    }
}

// === impl Notices ===

impl Notices {
    /// Fills a text's placeholders: `{tool}` from `("tool", …)`. One that no value is given for is left empty.
    pub fn text(&self, notice: Notice, values: &[(&str, &str)]) -> String {
        let mut text = String::new();
        for piece in pieces(self.template(notice)) {
            match piece {
                Piece::Words(words) => text.push_str(words),
                Piece::Placeholder(name) => {
                    let value = values.iter().find(|(key, _)| *key == name);
                    text.push_str(value.map_or("", |(_, value)| value));
                }
            }
        }
        text
    }

    /// Puts `text` in the place of a built-in one. The name is the configuration key; unknown names and
    /// placeholders are errors, told in a message that says what is known.
    pub fn replace(&mut self, name: &str, text: &str) -> Result<(), String> {
        let Some(notice) = Notice::ALL.into_iter().find(|notice| notice.code() == name) else {
            let known = Notice::ALL.map(Notice::code).join(", ");
            return Err(format!("unknown text `{name}`; known: {known}"));
        };
        let mut own_words = 0;
        for piece in pieces(text) {
            match piece {
                Piece::Words(words) => own_words += words.chars().filter(|c| c.is_alphanumeric()).count(),
                Piece::Placeholder(name) if notice.placeholders().contains(&name) => {}
                Piece::Placeholder(name) => {
                    let known = notice.placeholders().join("}, {");
                    return Err(format!("unknown placeholder `{{{name}}}`; known: {{{known}}}"));
                }
            }
        }
        if own_words < OWN_WORDS {
            return Err(format!(
                "too few words beside the placeholders: {OWN_WORDS} letters at least, or the results of tools \
                 could be taken for this text"
            ));
        }
        self.own.retain(|(own, _)| *own != notice);
        self.own.push((notice, text.to_owned()));
        Ok(())
    }

    /// Whether `text` was written by us, whatever filled its placeholders.
    pub fn wrote(&self, text: &str) -> bool {
        // Others trim what they pass on; a value left empty at the end needs the white space before it.
        let trimmed = text.trim();
        let built_in = LOCALES.iter().flat_map(|locale| Notice::ALL.into_iter().map(locale));
        built_in
            .chain(self.own.iter().map(|(_, own)| own.as_str()))
            .any(|template| fits(template, trimmed) || fits(template, text))
    }

    fn template(&self, notice: Notice) -> &str {
        let own = self.own.iter().find(|(own, _)| *own == notice);
        own.map_or_else(|| (self.locale)(notice), |(_, text)| text)
    }
}

impl Default for Notices {
    fn default() -> Self {
        Self { locale: english::text, own: Vec::new() }
    }
}

/// The first `most` characters of `text`, and a mark where there are more.
pub(crate) fn excerpt(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most).and_then(|(end, _)| text.get(..end)) {
        Some(start) => Cow::Owned(format!("{start}…")),
        None => Cow::Borrowed(text),
    }
}

/// Whether some values make `text` of `template`: its words in order, at both ends where it has words there.
fn fits(template: &str, text: &str) -> bool {
    let mut pieces = pieces(template.trim()).into_iter().peekable();
    let mut rest = text;
    let mut open = false;
    while let Some(piece) = pieces.next() {
        let Piece::Words(words) = piece else {
            open = true;
            continue;
        };
        if open && pieces.peek().is_none() {
            return rest.ends_with(words);
        }
        // The first place that fits leaves the most for what follows, so no other has to be tried.
        let after = if open {
            rest.find(words).and_then(|at| rest.get(at + words.len()..))
        } else {
            rest.strip_prefix(words)
        };
        let Some(after) = after else { return false };
        rest = after;
        open = false;
    }
    open || rest.is_empty()
}

/// Cuts a template at its placeholders. A brace that does not begin one is a word like others.
fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    let mut from = 0;
    while let Some(open) = rest.get(from..).and_then(|tail| tail.find('{')).map(|at| from + at) {
        let inner = rest.get(open + 1..).unwrap_or_default();
        let name = inner.split('}').next().unwrap_or_default();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
        if !is_name || name.len() == inner.len() {
            from = open + 1;
            continue;
        }
        let (words, after) = rest.split_at(open);
        if !words.is_empty() {
            pieces.push(Piece::Words(words));
        }
        pieces.push(Piece::Placeholder(name));
        rest = after.get(name.len() + 2..).unwrap_or_default();
        from = 0;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Words(rest));
    }
    pieces
}
