//! What a mend has to know of a history, and how a history is put together anew.
//!
//! Nothing is unescaped before it is asked for: a sound history is to cost next to nothing. What an API's fields
//! are called is for its own room; here they are values with a place.

use std::borrow::Cow;

use bytes::Bytes;

use super::chat;
use super::{CallKind, Dialect, Element, Transcript};
use crate::wire::span::{Json, Span};
use crate::wire::splice::{Change, Splices};
use crate::wire::surrogate;

/// A call of a history as it is written. What is missing, or of another form, is `None`.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// A string, and never empty.
    pub id: Option<Json<'a>>,
    /// A string.
    pub name: Option<Json<'a>>,
    /// Of any kind.
    pub input: Option<Json<'a>>,
    /// What is not understood is custom: its input is nobody's business.
    pub kind: CallKind,
    /// The object that holds the name and the input.
    pub(crate) inner: Span,
    /// All of it.
    pub(crate) whole: Span,
}

/// What stands at one place of a history that is put together anew.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// An element that stays where it is among those that stay.
    Element(usize),
    /// An element that comes from further down.
    Moved(usize),
    /// Something else in the place of this element.
    Instead(usize, Bytes),
    /// An element that was not there.
    New(Bytes),
}

// === impl Dialect ===

impl Dialect {
    /// A result of ours for a call.
    pub fn result(self, kind: CallKind, id: &str, name: &str, text: &str) -> Bytes {
        match self {
            Self::Chat => chat::mend::result(kind, id, name, text),
        }
    }
    /// Words of ours on the user's side.
    pub fn words(self, text: &str) -> Bytes {
        match self {
            Self::Chat => chat::mend::words(text),
        }
    }
    /// Argument text that is no object, kept as text in one.
    pub fn wrapped(self, arguments: &str) -> String {
        match self {
            Self::Chat => chat::mend::wrapped(arguments),
        }
    }
    /// The name by which the API lets a tool be called; `None` where `name` is one.
    pub fn legal_name(self, name: &str) -> Option<String> {
        match self {
            Self::Chat => chat::mend::legal_name(name),
        }
    }
}

// === impl Transcript ===

impl Transcript {
    /// The calls of an element, whatever its role, those too that [`calls`](Self::calls) cannot read.
    pub fn entries(&self, element: &Element) -> impl Iterator<Item = Entry<'_>> {
        let (start, end) = element.entries;
        let value = |span: Option<Span>| span.map(|span| self.json(span));
        self.entries.get(start..end).unwrap_or_default().iter().map(move |entry| Entry {
            id: value(entry.id),
            name: value(entry.name),
            input: value(entry.input),
            kind: entry.kind,
            inner: entry.inner,
            whole: entry.whole,
        })
    }
    /// An empty list of tools is given.
    pub fn is_bare(&self) -> bool {
        self.bare
    }
    /// Takes out an empty list of tools, and what may not be said without one.
    pub fn without_tools(&self, edits: &mut Splices) {
        match self.dialect {
            Dialect::Chat => chat::mend::without_tools(self, edits),
        }
    }
    /// A result says nothing at all.
    pub fn is_empty_result(&self, element: &Element) -> bool {
        match self.dialect {
            Dialect::Chat => chat::mend::is_empty(self, element),
        }
    }
    /// An element's content is `text`.
    pub fn fill(&self, element: &Element, text: &str) -> Change {
        match self.dialect {
            Dialect::Chat => chat::mend::fill(self, element, text),
        }
    }
    /// A result holds images, which belong elsewhere.
    pub fn has_images(&self, element: &Element) -> bool {
        match self.dialect {
            Dialect::Chat => chat::mend::has_images(self, element),
        }
    }
    /// Takes the images out of a result and says so in `text`.
    pub fn without_images(&self, element: &Element, text: &str) -> Vec<Change> {
        match self.dialect {
            Dialect::Chat => chat::mend::without_images(self, element, text),
        }
    }
    /// The images of results on the user's side, those of each result behind a label.
    pub fn images(&self, of: &[(String, &Element)]) -> Bytes {
        match self.dialect {
            Dialect::Chat => chat::mend::images(self, of),
        }
    }
    /// A result on the user's side, behind a label.
    pub fn as_words(&self, element: &Element, label: &str) -> Bytes {
        match self.dialect {
            Dialect::Chat => chat::mend::as_words(self, element, label),
        }
    }
    /// Takes out the calls at these positions of an element that has others.
    pub fn without_calls(&self, element: &Element, positions: &[usize]) -> Vec<Change> {
        match self.dialect {
            Dialect::Chat => chat::mend::without_calls(self, element, positions),
        }
    }
    /// Takes out an empty list of calls.
    pub fn without_bare(&self, element: &Element) -> Vec<Change> {
        match self.dialect {
            Dialect::Chat => chat::mend::without_bare(self, element),
        }
    }
    /// An answer says nothing, in the words that providers take for that.
    pub fn silence(&self, element: &Element) -> Change {
        match self.dialect {
            Dialect::Chat => chat::mend::silence(self, element),
        }
    }
    /// An answer has no content where it must have one, or one that no provider takes.
    pub fn lacks_content(&self, element: &Element) -> bool {
        match self.dialect {
            Dialect::Chat => chat::mend::lacks_content(self, element),
        }
    }
    /// Takes out a call in the API's first form that stands in the list of calls too. One that stands only there
    /// stays: which of them the agent made, nobody can tell.
    pub fn without_mixed(&self, element: &Element) -> Vec<Change> {
        match self.dialect {
            Dialect::Chat => chat::mend::without_mixed(self, element),
        }
    }
    /// Calls stand in the content too, in another API's form.
    pub fn may_double_calls(&self, element: &Element) -> bool {
        match self.dialect {
            Dialect::Chat => chat::mend::may_double_calls(self, element),
        }
    }
    /// Takes out of the content what are calls of the same ids.
    pub fn without_doubled_calls(&self, element: &Element) -> Vec<Change> {
        match self.dialect {
            Dialect::Chat => chat::mend::without_doubled_calls(self, element),
        }
    }
    /// A call has an id that is none: empty, or no string. Where calls have no ids at all, that is how their provider
    /// wants them.
    pub fn has_void_id(&self, entry: &Entry<'_>) -> bool {
        match self.dialect {
            Dialect::Chat => chat::mend::has_void_id(self, entry),
        }
    }
    /// A call has this id.
    pub fn with_id(&self, entry: &Entry<'_>, id: &str) -> Change {
        match self.dialect {
            Dialect::Chat => chat::mend::with_id(self, entry, id),
        }
    }
    /// A result answers the call of this id.
    pub fn with_answers(&self, element: &Element, id: &str) -> Change {
        match self.dialect {
            Dialect::Chat => chat::mend::with_answers(self, element, id),
        }
    }
    /// A call's input is `text`.
    pub fn with_input(&self, entry: &Entry<'_>, text: &str) -> Change {
        match self.dialect {
            Dialect::Chat => chat::mend::with_input(self, entry, text),
        }
    }
    /// The same request with each lone surrogate made readable, which moves nothing; `None` where there is none.
    pub(crate) fn readable(&self) -> Option<Self> {
        let body = surrogate::readable(self.text())?;
        Some(Self { body: body.into(), ..self.clone() })
    }
    /// The body with its history put together from `pieces`, each element with its own changes.
    pub(crate) fn rearranged<'c>(
        &self,
        pieces: &[Piece],
        changes: impl Fn(usize) -> &'c [Change],
        edits: &mut Splices,
    ) {
        let Some(history) = self.history else { return };
        let mut arrangement = Arrangement::default();
        for piece in pieces {
            match piece {
                Piece::Element(index) => {
                    for change in changes(*index) {
                        edits.replace(change.at, change.with.clone());
                    }
                    arrangement.stay(*index, self.span(*index));
                }
                Piece::Instead(index, with) => {
                    edits.replace(self.span(*index), with.clone());
                    arrangement.stay(*index, self.span(*index));
                }
                Piece::Moved(index) => arrangement.put(self.changed(*index, changes(*index)), edits),
                Piece::New(element) => arrangement.put(element.clone(), edits),
            }
        }
        arrangement.finish(self, history, edits);
    }
    fn span(&self, index: usize) -> Span {
        self.elements.get(index).map(|element| element.span).unwrap_or_default()
    }
    /// An element by itself, with its changes.
    fn changed(&self, index: usize, changes: &[Change]) -> Bytes {
        let span = self.span(index);
        let mut edits = Splices::default();
        for change in changes {
            let at = Span::new(change.at.start - span.start, change.at.end - span.start);
            edits.replace(at, change.with.clone());
        }
        edits.apply(&self.body.slice(span.start..span.end))
    }
}

/// Elements being put in order: those that stay are not touched, the others stand behind them.
#[derive(Default)]
struct Arrangement {
    /// Those that stay, in order.
    stay: Vec<usize>,
    /// Where the last of them ends.
    end: usize,
}

impl Arrangement {
    fn stay(&mut self, index: usize, span: Span) {
        self.stay.push(index);
        self.end = span.end;
    }

    /// Never the first: what is put in answers what stays, or follows it.
    fn put(&self, element: Bytes, edits: &mut Splices) {
        debug_assert!(!self.stay.is_empty(), "nothing is put before what stays");
        edits.insert(self.end, ",");
        edits.insert(self.end, element);
    }

    fn finish(self, transcript: &Transcript, history: Span, edits: &mut Splices) {
        let mut stay = self.stay.into_iter().peekable();
        let gone = |index: &usize| stay.next_if_eq(index).is_none();
        let gone: Vec<usize> = (0..transcript.elements.len()).filter(gone).collect();
        for cut in crate::wire::splice::without(transcript.json(history), history.start, &gone) {
            edits.remove(cut);
        }
    }
}

// === impl Entry ===

impl<'a> Entry<'a> {
    /// The input as text; nothing where none is given.
    pub fn text(&self) -> Cow<'a, str> {
        self.input.map(chat::request::input_text).unwrap_or_default()
    }
}
