//! What the model reads of tool results, where a rule or a marker says that it is to read something else.
//!
//! In this order: pointers are taken out of JSON (`strip`), an error is put into the words that its class has
//! (`tell`), and what is too long loses its middle (`cut`). Everything else passes byte for byte, transient errors
//! too: when it may work again, and what to wait for, the tool says best itself. The new text depends on the
//! result, its call's tool and the rules, and on nothing else, so that it is the same in each later request.

mod caller;
mod cut;
mod draft;
mod strip;
mod tell;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::HashMap;

use super::Reason;
use super::classify::{class, may_hold};
use super::rules::{Rules, ToolPolicy};
use crate::dialect::{Element, Role, Transcript};
use crate::wire::splice::Splices;
use caller::Callers;
use draft::Draft;
use strip::Wanted;

/// Makes the changes to all results of a history, and says what was done: one reason for each result and kind.
pub fn rewrite(transcript: &Transcript, rules: &Rules, edits: &mut Splices) -> Vec<Reason> {
    let settled = transcript.settled().len();
    walk(transcript, rules, edits, &|index| (index >= settled).then_some(Telling::All))
}

/// Makes the changes to results that become the user's words, since their call is gone: what no model is to read is
/// taken out of them too. They keep their own words, for they are no results of this conversation any more.
pub fn tidy(transcript: &Transcript, rules: &Rules, strays: &[usize], edits: &mut Splices) -> Vec<Reason> {
    walk(transcript, rules, edits, &|index| strays.contains(&index).then_some(Telling::OwnWords))
}

/// How results are told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Telling {
    All,
    OwnWords,
}

/// `wanted`: how each element is to be told, where it is to be looked at.
fn walk(
    transcript: &Transcript,
    rules: &Rules,
    edits: &mut Splices,
    wanted: &dyn Fn(usize) -> Option<Telling>,
) -> Vec<Reason> {
    let marker = rules.failures.marker.as_str();
    let ruled = rules
        .tools
        .iter()
        .any(|rule| !rule.results.is_empty() || !rule.strip.is_empty() || rule.max_result.is_some());
    let marked = !marker.is_empty() && may_hold(transcript.unsettled(), marker);
    let mut done = Vec::new();
    if !ruled && !marked {
        return done;
    }
    let (mut callers, unruled) = (Callers::default(), ToolPolicy::default());
    let mut policies: HashMap<Cow<'_, str>, ToolPolicy<'_>> = HashMap::new();
    for (index, element) in transcript.elements.iter().enumerate() {
        match element.role {
            // Without rules for tools, nobody asks which tool it was.
            Role::Assistant if ruled => callers.hear(transcript.called(element)),
            Role::Tool => {
                let tool = if ruled { callers.tool(transcript, element) } else { None };
                let Some(telling) = wanted(index) else { continue };
                let policy = match &tool {
                    Some(tool) => policies.entry(tool.clone()).or_insert_with(|| rules.policy(tool)),
                    None => &unruled,
                };
                let result =
                    ToolResult { transcript, element, tool: tool.as_deref(), policy, rules, telling };
                done.extend(result.rewrite(marked, edits));
            }
            _ => {}
        }
    }
    done
}

/// A result, and what is known of it.
struct ToolResult<'a> {
    transcript: &'a Transcript,
    element: &'a Element,
    /// `None` where its call is not known; then no rules of tools are, either.
    tool: Option<&'a str>,
    policy: &'a ToolPolicy<'a>,
    rules: &'a Rules,
    telling: Telling,
}

// === impl ToolResult ===

impl ToolResult<'_> {
    fn rewrite(&self, marked: bool, edits: &mut Splices) -> Vec<Reason> {
        let span = self.element.span;
        let bytes = self.transcript.body().get(span.start..span.end).unwrap_or_default();
        let wanted = Wanted {
            marker: Some(self.rules.failures.marker.as_str())
                .filter(|marker| marked && may_hold(bytes, marker)),
            strip: self.policy.strip.iter().copied().filter(|pointer| may_hold(bytes, pointer)).collect(),
        };
        // As it is written it is never shorter than as it reads.
        let max = self.policy.max_result.filter(|max| bytes.len() > *max);
        if wanted.is_empty() && self.policy.results.is_empty() && max.is_none() {
            return Vec::new();
        }
        let mut drafts: Vec<_> = self.transcript.texts(self.element).into_iter().map(Draft::new).collect();
        let mut done = Vec::new();
        if strip::strip(&mut drafts, &wanted) {
            done.push(Reason::ResultStripped);
        }
        if self.telling == Telling::All && self.tell(&mut drafts) {
            done.push(Reason::ResultTold);
        } else if max.is_some_and(|max| cut::cut(&mut drafts, max, &self.rules.notices)) {
            done.push(Reason::ResultCut);
        }
        if !done.is_empty() {
            let texts: Vec<_> = drafts.into_iter().map(Draft::rewritten).collect();
            self.transcript.rewrite(self.element, &texts, edits);
        }
        done
    }

    /// Puts an error into the words of its class.
    fn tell(&self, drafts: &mut [Draft<'_>]) -> bool {
        let content = self.transcript.content(self.element);
        let notice = class(&content, self.policy).and_then(tell::notice);
        let Some(notice) = notice.filter(|_| !self.rules.notices.wrote(&content)) else { return false };
        let left = draft::joined(drafts);
        let max = self.policy.max_result;
        let Some(text) = tell::text(&self.rules.notices, notice, self.tool.unwrap_or_default(), &left, max)
        else {
            return false;
        };
        draft::say(drafts, &text)
    }
}
