//! Which tool a result is of.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use crate::dialect::{Address, Called, Element, Transcript};

/// The calls heard so far that a result may answer.
///
/// A result answers the nearest call under its address, for ids come again; equal ids in one answer are answered
/// in order. A second result for one call is of that call, too.
#[derive(Debug, Default)]
pub(super) struct Callers<'t> {
    /// By address, the tools of the last answer that had such a call.
    tools: HashMap<Address<'t>, Asked<'t>>,
    answers: usize,
}

/// Equal calls of one answer.
#[derive(Debug, Default)]
struct Asked<'t> {
    answer: usize,
    /// Never empty.
    tools: VecDeque<Cow<'t, str>>,
}

// === impl Callers ===

impl<'t> Callers<'t> {
    /// Takes in the calls of the next answer.
    pub(super) fn hear(&mut self, calls: Vec<Called<'t>>) {
        self.answers += 1;
        for call in calls {
            let asked = self.tools.entry(call.address).or_default();
            if asked.answer != self.answers {
                *asked = Asked { answer: self.answers, tools: VecDeque::new() };
            }
            asked.tools.push_back(call.name);
        }
    }

    /// The tool that gave this result; without a call of its own, the one that it names itself.
    pub(super) fn tool(&mut self, transcript: &'t Transcript, element: &Element) -> Option<Cow<'t, str>> {
        let asked = transcript.address(element).and_then(|address| self.tools.get_mut(&address));
        let heard = asked.and_then(|asked| {
            if asked.tools.len() > 1 { asked.tools.pop_front() } else { asked.tools.front().cloned() }
        });
        heard.or_else(|| transcript.result_name(element))
    }
}
