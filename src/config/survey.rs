//! What a configuration says, key by key and with the line that says it, and what in it can never count.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::value::{Globs, Status};
use super::written::{Constraint, File, Outcome, Tool, Upstream, When};

/// Every key, with its default: what is not written is taken from here.
const DEFAULTS: &str = include_str!("../../config.example.toml");

/// All that is in force.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Survey {
    /// In the order of `config.example.toml`.
    pub settings: Vec<Setting>,
    /// `[[upstream]]`, `[[tool]]` and `[[constraint]]`, in the order of the file.
    pub blocks: Vec<Block>,
    pub warnings: Vec<Warning>,
}

/// A key and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    pub key: String,
    /// As it is written, in one line; of secrets, only that there is one.
    pub value: String,
    /// The line that says so; `None` for a default.
    pub line: Option<usize>,
}

/// One of several tables of a kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    pub kind: String,
    /// What tells it from others.
    pub title: String,
    pub line: Option<usize>,
}

/// Something that has no effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    pub line: usize,
    pub message: String,
}

/// Keys whose values are told to nobody, unless they only name a variable.
const SECRET: [&str; 2] = ["listen.keys", "state.secret"];

/// Surveys a text that has no mistakes, and what was read from it.
pub(super) fn survey(text: &str, file: &File) -> Survey {
    let (mut settings, mut blocks) = (Vec::new(), Vec::new());
    collect(DEFAULTS, false, &mut settings, &mut blocks);
    let (mut written, mut own_blocks) = (Vec::new(), Vec::new());
    collect(text, true, &mut written, &mut own_blocks);
    for setting in written {
        match settings.iter_mut().find(|known| known.key == setting.key) {
            Some(known) => *known = setting,
            None => settings.push(setting),
        }
    }
    // An upstream of the file stands in the place of the one that is built in.
    if own_blocks.iter().any(|block| block.kind == "upstream") {
        blocks.clear();
    }
    blocks.extend(own_blocks);
    let mut warnings = never(text, file);
    warnings.sort_by_key(|warning| warning.line);
    Survey { settings, blocks, warnings }
}

/// Gathers what a text says; without lines where it holds the defaults.
fn collect(text: &str, has_lines: bool, settings: &mut Vec<Setting>, blocks: &mut Vec<Block>) {
    let (table, _) = DeTable::parse_recoverable(text);
    let mut gathered = Gathered { text, has_lines, settings, blocks };
    gathered.table("", table.get_ref());
}

struct Gathered<'a> {
    text: &'a str,
    has_lines: bool,
    settings: &'a mut Vec<Setting>,
    blocks: &'a mut Vec<Block>,
}

impl Gathered<'_> {
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) {
        let mut entries: Vec<_> = table.iter().collect();
        entries.sort_by_key(|(key, _)| key.span().start);
        for (key, value) in entries {
            let name = format!("{prefix}{}", key.get_ref());
            match value.get_ref() {
                DeValue::Table(inner) if !self.is_inline(value) => self.table(&format!("{name}."), inner),
                DeValue::Array(items) if items.iter().any(|item| !self.is_inline(item) && is_table(item)) => {
                    for item in items {
                        self.block(&name, item);
                    }
                }
                _ => {
                    let value = self.shown(&name, value.span());
                    let line = self.line(key.span());
                    self.settings.push(Setting { key: name, value, line });
                }
            }
        }
    }

    fn block(&mut self, kind: &str, block: &Spanned<DeValue<'_>>) {
        let DeValue::Table(table) = block.get_ref() else { return };
        let value = |name: &str| table.get(name).map(|value| self.shown(name, value.span()));
        let title = value("name").or_else(|| value("when")).unwrap_or_else(|| "always".to_owned());
        let first = table.iter().map(|(key, _)| key.span().start).min().unwrap_or(block.span().start);
        let line = self.line(first..first);
        self.blocks.push(Block { kind: kind.to_owned(), title, line });
    }

    /// A table between braces is a value, not a part of the file.
    fn is_inline(&self, value: &Spanned<DeValue<'_>>) -> bool {
        self.text.get(value.span()).is_some_and(|text| text.starts_with('{'))
    }

    fn shown(&self, key: &str, span: Range<usize>) -> String {
        let value = self.text.get(span).unwrap_or_default();
        let is_borrowed = value.split('"').skip(1).step_by(2).all(|text| text.starts_with("env:"));
        if SECRET.contains(&key) && !is_borrowed {
            return "(a secret)".to_owned();
        }
        value.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn line(&self, span: Range<usize>) -> Option<usize> {
        self.has_lines.then(|| line(self.text, &span))
    }
}

fn is_table(value: &Spanned<DeValue<'_>>) -> bool {
    matches!(value.get_ref(), DeValue::Table(_))
}

fn line(text: &str, span: &Range<usize>) -> usize {
    text.get(..span.start).unwrap_or(text).matches('\n').count() + 1
}

/// What can never count.
fn never(text: &str, file: &File) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let mut warn = |span: Range<usize>, message: String| {
        warnings.push(Warning { line: line(text, &span), message });
    };
    let upstreams = file.upstream.get_ref();
    for (place, upstream) in upstreams.iter().enumerate() {
        let before = upstreams.get(..place).unwrap_or_default();
        if let Some(first) = before.iter().find(|first| takes_all_of(first, upstream)) {
            let (name, first) = (upstream.name.get_ref(), first.name.get_ref());
            warn(
                upstream.name.span(),
                format!("upstream `{name}` is never asked: `{first}` before it takes all that it takes"),
            );
        }
    }
    for (place, tool) in file.tool.iter().enumerate() {
        for (number, rule) in tool.result.iter().enumerate() {
            if let Some(why) = never_meets(rule, tool.result.get(..number).unwrap_or_default()) {
                warn(tool.name.span(), format!("result rule {} of this block {why}", number + 1));
            }
        }
        for later in file.tool.get(place + 1..).unwrap_or_default() {
            for key in overruled(tool, later) {
                let at = line(text, &later.name.span());
                warn(
                    tool.name.span(),
                    format!(
                        "`{key}` of this block never counts: the block at line {at} matches the same tools, and the later wins"
                    ),
                );
            }
        }
    }
    for constraint in &file.constraint {
        if let Some(globs) = unknown_upstreams(constraint, upstreams) {
            warn(globs.span(), "this constraint is never told: no upstream has such a name".to_owned());
        }
    }
    warnings
}

/// Every name that one list of globs matches, the other does, as far as it can be seen. No list matches all.
fn covers(wide: Option<&Globs>, narrow: Option<&Globs>) -> bool {
    let Some(wide) = wide else { return true };
    let has = |glob: &str| wide.written.iter().any(|known| known.0.glob() == glob);
    has("*") || narrow.is_some_and(|narrow| narrow.written.iter().all(|glob| has(glob.0.glob())))
}

fn takes_all_of(first: &Upstream, later: &Upstream) -> bool {
    let globs = |globs: &Option<Spanned<Globs>>| globs.as_ref().map(|globs| globs.get_ref().clone());
    let is_open = |upstream: &Upstream| upstream.models.is_none() && upstream.paths.is_none();
    // The one that takes the rest is asked last wherever it stands.
    !is_open(first)
        && !is_open(later)
        && covers(globs(&first.models).as_ref(), globs(&later.models).as_ref())
        && covers(globs(&first.paths).as_ref(), globs(&later.paths).as_ref())
}

/// Why a rule meets no result.
fn never_meets(rule: &Outcome, before: &[Outcome]) -> Option<String> {
    let When { status, except, .. } = &rule.when;
    let codes = |ranges: &[Status]| -> Vec<u16> {
        ranges.iter().flat_map(|range| range.first..=range.last).collect()
    };
    let excepted = codes(except);
    if !status.is_empty() && codes(status).iter().all(|code| excepted.contains(code)) {
        return Some("never matches: `except` takes out all that `status` names".to_owned());
    }
    let is_open = |when: &When| {
        when.status.is_empty() && when.except.is_empty() && when.matches.is_none() && when.pointer.is_none()
    };
    let first = before.iter().position(|first| is_open(&first.when) || first.when == rule.when)?;
    Some(format!("never matches: rule {} before it meets all that it meets", first + 1))
}

/// Single values of a block that a later one with the same tools sets too.
fn overruled(tool: &Tool, later: &Tool) -> Vec<&'static str> {
    if !covers(Some(later.name.get_ref()), Some(tool.name.get_ref())) {
        return Vec::new();
    }
    let both = [
        ("describe", tool.describe.is_some() && later.describe.is_some()),
        ("read_only", tool.read_only.is_some() && later.read_only.is_some()),
        ("after", tool.after.is_some() && later.after.is_some()),
        ("ignore", !tool.ignore.is_empty() && !later.ignore.is_empty()),
        ("max_result", tool.max_result.is_some() && later.max_result.is_some()),
    ];
    both.into_iter().filter(|(_, both)| *both).map(|(key, _)| key).collect()
}

fn unknown_upstreams<'c>(constraint: &'c Constraint, upstreams: &[Upstream]) -> Option<&'c Spanned<Globs>> {
    let globs = constraint.when.upstreams.as_ref()?;
    let is_known = |upstream: &Upstream| globs.get_ref().set.is_match(upstream.name.get_ref());
    (!upstreams.iter().any(is_known)).then_some(globs)
}

#[cfg(test)]
mod tests;
