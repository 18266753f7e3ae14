//! What is added to prompts, out of the `[[constraint]]` blocks and of what `[[tool]]` blocks tell the model.

use globset::GlobSet;
use toml::Spanned;

use super::Compiler;
use crate::config::value::Globs;
use crate::config::written;
use crate::guard::constrain::{Additions, Constraint, Overlay, ToolAddition};

impl Compiler<'_> {
    pub(super) fn additions(&mut self, file: &written::File) -> Additions {
        let upstreams = self.known_upstreams(&file.upstream);
        let tools = file.tool.iter().map(|tool| self.tool_addition(tool));
        let tools = tools.filter(|addition| !addition.is_empty()).collect();
        let constraints =
            file.constraint.iter().map(|written| self.constraint(written, upstreams.as_deref()));
        Additions { constraints: constraints.collect(), tools }
    }

    /// The names of all upstreams, as far as they are the file's: the command line may have put another in their
    /// place, and one that could not be read is missing.
    fn known_upstreams<'f>(&self, written: &'f Spanned<Vec<written::Upstream>>) -> Option<Vec<&'f str>> {
        let are_known = !written.span().is_empty() && self.faults.is_empty();
        are_known.then(|| written.get_ref().iter().map(|one| one.name.get_ref().as_str()).collect())
    }

    fn constraint(&mut self, written: &written::Constraint, upstreams: Option<&[&str]>) -> Constraint {
        let written::Constraint { when, place: written::Place::System, text } = written;
        Constraint {
            tools: self.narrowing(when.tools.as_ref()),
            models: self.narrowing(when.models.as_ref()),
            upstreams: self.narrowing_upstreams(when.upstreams.as_ref(), upstreams),
            text: self.told(text),
        }
    }

    /// A glob that means none of the upstreams is a slip.
    fn narrowing_upstreams(
        &mut self,
        written: Option<&Spanned<Globs>>,
        known: Option<&[&str]>,
    ) -> Option<GlobSet> {
        if let Some((globs, known)) = written.zip(known) {
            for glob in &globs.get_ref().written {
                let glob = &glob.0;
                if !known.iter().any(|name| glob.compile_matcher().is_match(name)) {
                    let names = known.join(", ");
                    self.fault(globs.span(), format!("no upstream matches `{glob}`; there are: {names}"));
                }
            }
        }
        self.narrowing(written)
    }

    fn tool_addition(&mut self, written: &written::Tool) -> ToolAddition {
        let overlays = written
            .argument
            .iter()
            .filter_map(|argument| Some(Overlay::of(&argument.at.0, &argument.schema.as_ref()?.0)));
        ToolAddition {
            names: written.name.get_ref().set.clone(),
            overlays: overlays.flatten().collect(),
            describe: written.describe.as_ref().map(|text| self.told(text)),
        }
    }

    /// A text for the model, without the line breaks that a text of several lines is written between.
    fn told(&mut self, written: &Spanned<String>) -> String {
        let text = written.get_ref().trim();
        if text.is_empty() {
            self.fault(written.span(), "the text is empty");
        }
        text.to_owned()
    }
}
