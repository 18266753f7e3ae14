//! All texts that a model can read from us, in six languages. Each can be overridden by the operator.
//!
//! A text is a template: words, and `{placeholders}` that the matter at hand fills. Some stand alone, others fill
//! a placeholder of one that does. The words of those that stand alone must be enough to know the text by, for our
//! own texts may come back in a history, in any of the languages, and are then neither a failure nor an execution.
//!
//! `catalogue` lists the texts, and there is a file for each language.

mod catalogue;
mod chinese;
mod english;
mod french;
mod german;
mod japanese;
mod locale;
mod spanish;
mod template;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use template::Template;

pub use catalogue::{Notice, Use};
pub use locale::Locale;

/// The texts in force.
#[derive(Clone, Debug)]
pub struct Notices {
    locale: Locale,
    /// What the operator put in the place of a text; at most one for each.
    own: Vec<(Notice, String)>,
    /// All that stand alone, in any language, and the operator's.
    known: Vec<Template<'static>>,
}

/// Letters and digits that a text which stands alone must bring of its own, by [`Template::weight`]. With fewer it
/// would be found in the results of real tools.
const OWN_WORDS: usize = 16;

/// Characters of a tool's name that a text quotes.
pub(crate) const NAME: usize = 128;

// === impl Notices ===

impl Notices {
    pub fn new(locale: Locale) -> Self {
        let whole = || Notice::ALL.into_iter().filter(|notice| notice.used() == Use::Whole);
        let texts = Locale::ALL.into_iter().flat_map(|locale| whole().map(move |notice| locale.text(notice)));
        let known = texts.map(|text| Template::new(text).into_mould()).collect();
        Self { locale, own: Vec::new(), known }
    }

    /// Fills a text's placeholders: `{tool}` from `("tool", …)`, without white space around it. One that no value is
    /// given for is left empty; what stands alone does not end in white space for that.
    pub fn text(&self, notice: Notice, values: &[(&str, &str)]) -> String {
        let mut text = self.template(notice).fill(values);
        if notice.used() == Use::Whole {
            text.truncate(text.trim_end().len());
        }
        text
    }

    /// Tells several things one after another, two at a time with a text of `{list}` and `{item}`.
    pub fn joined(&self, by: Notice, items: impl IntoIterator<Item = String>) -> String {
        let next = |list: String, item: String| self.text(by, &[("list", &list), ("item", &item)]);
        items.into_iter().reduce(next).unwrap_or_default()
    }

    /// Puts `text` in the place of a built-in one. The name is the configuration key; unknown names and
    /// placeholders are errors, told in a message that says what is known.
    pub fn replace(&mut self, name: &str, text: &str) -> Result<(), String> {
        let Some(notice) = Notice::ALL.into_iter().find(|notice| notice.code() == name) else {
            let known = Notice::ALL.map(Notice::code).join(", ");
            return Err(format!("unknown text `{name}`; known: {known}"));
        };
        let template = Template::new(text);
        let known = notice.placeholders();
        if let Some(name) = template.placeholders().find(|name| !known.contains(name)) {
            return Err(match known {
                [] => format!("unknown placeholder `{{{name}}}`; this text has none"),
                known => format!("unknown placeholder `{{{name}}}`; known: {{{}}}", known.join("}, {")),
            });
        }
        if notice.used() == Use::Whole {
            if template.weight() < OWN_WORDS {
                return Err(format!(
                    "too few words beside the placeholders: {OWN_WORDS} letters at least (a Chinese character \
                     counts as two), or the results of tools could be taken for this text"
                ));
            }
            self.known.push(template.into_mould());
        }
        self.own.retain(|(own, _)| *own != notice);
        self.own.push((notice, text.to_owned()));
        Ok(())
    }

    /// Whether `text` holds the words of this notice in order, so that there is nothing to add to it: looser than
    /// [`wrote`](Self::wrote), for others' white space does not make it another text.
    pub fn frames(&self, notice: Notice, text: &str) -> bool {
        self.template(notice).frames(text)
    }

    /// Whether `text` was written by us, whatever the language and whatever filled its placeholders.
    pub fn wrote(&self, text: &str) -> bool {
        let text = text.trim();
        self.known.iter().any(|template| template.fits(text))
    }

    fn template(&self, notice: Notice) -> Template<'_> {
        let own = self.own.iter().find(|(own, _)| *own == notice);
        Template::new(own.map_or_else(|| self.locale.text(notice), |(_, text)| text))
    }
}

impl Default for Notices {
    fn default() -> Self {
        Self::new(Locale::default())
    }
}

/// A tool's name as texts say it. Models call tools by no name, and agents keep that.
pub(crate) fn tool_name(name: &str) -> Cow<'_, str> {
    if name.trim().is_empty() { Cow::Borrowed("?") } else { excerpt(name, NAME) }
}

/// The first `most` characters of `text`, and a mark where there are more.
pub(crate) fn excerpt(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most).and_then(|(end, _)| text.get(..end)) {
        Some(start) => Cow::Owned(format!("{start}…")),
        None => Cow::Borrowed(text),
    }
}
