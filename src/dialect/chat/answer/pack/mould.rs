//! What events have in common, and where they differ.

use memchr::memchr2;

use crate::wire::span::Span;

use super::super::queue::About;

/// Where an event can be left open: the inside of each string, and each number, in order. That is a guess at what
/// may differ, and need not be JSON.
#[derive(Debug, Default)]
pub(super) struct Cut {
    tokens: Vec<Span>,
    /// Which of them is the piece of input.
    pub(super) piece: Option<usize>,
}

/// The bytes of some event, left open in places.
#[derive(Debug)]
pub(super) struct Mould {
    pub(super) about: About,
    event: Box<[u8]>,
    /// How many tokens the event has, and which of them is the piece.
    tokens: usize,
    piece: Option<usize>,
    /// Open tokens in order, the piece among them: each with its number and its place in `event`.
    open: Box<[(usize, Span)]>,
    /// Where in the call's input the piece ended that was packed last, and that was unpacked last.
    pub(super) packed_to: usize,
    pub(super) unpacked_to: usize,
}

// === impl Cut ===

impl Cut {
    pub(super) fn read(&mut self, raw: &[u8], piece: Option<Span>) {
        self.tokens.clear();
        self.piece = None;
        let mut at = 0;
        while let Some(&byte) = raw.get(at) {
            let token = match byte {
                b'"' => Span::new(at + 1, string_end(raw, at + 1)),
                b'0'..=b'9' => Span::new(at, number_end(raw, at)),
                _ => {
                    at += 1;
                    continue;
                }
            };
            if piece == Some(token) {
                self.piece = Some(self.tokens.len());
            }
            self.tokens.push(token);
            at = token.end + usize::from(byte == b'"');
        }
    }

    pub(super) fn piece_at(&self) -> Option<Span> {
        self.tokens.get(self.piece?).copied()
    }
}

fn string_end(raw: &[u8], mut at: usize) -> usize {
    while let Some(found) = raw.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if raw.get(at) == Some(&b'"') {
            return at;
        }
        at += 2;
    }
    raw.len()
}

fn number_end(raw: &[u8], at: usize) -> usize {
    let digits = raw.iter().skip(at).take_while(|byte| byte.is_ascii_digit());
    at + digits.count()
}

// === impl Mould ===

impl Mould {
    /// Open for a piece of input alone.
    pub(super) fn new(raw: &[u8], cut: &Cut, about: About) -> Self {
        Self::open(raw, cut, about, cut.piece.into_iter().collect())
    }

    fn open(raw: &[u8], cut: &Cut, about: About, open: Vec<usize>) -> Self {
        let open = open.into_iter().filter_map(|token| Some((token, *cut.tokens.get(token)?))).collect();
        Self {
            about,
            event: raw.into(),
            tokens: cut.tokens.len(),
            piece: cut.piece,
            open,
            packed_to: 0,
            unpacked_to: 0,
        }
    }

    /// Whether the event has as many tokens, and all else but its bytes in common with what was made in this mould.
    pub(super) fn is_like(&self, cut: &Cut, about: &About) -> bool {
        self.tokens == cut.tokens.len() && self.piece == cut.piece && self.about == *about
    }

    /// Whether an event that [`is_like`](Self::is_like) has the bytes that are not open.
    pub(super) fn fits(&self, raw: &[u8], cut: &Cut) -> bool {
        let (mut mine, mut other) = (0, 0);
        for (token, at) in &self.open {
            let Some(token) = cut.tokens.get(*token) else { return false };
            if self.event.get(mine..at.start) != raw.get(other..token.start) {
                return false;
            }
            (mine, other) = (at.end, token.end);
        }
        self.event.get(mine..) == raw.get(other..)
    }

    /// A mould for an event that [`is_like`](Self::is_like): open where this one is, and where the event
    /// differs from it. `None` where they differ otherwise, or in most.
    pub(super) fn opened_for(&self, raw: &[u8], cut: &Cut) -> Option<Self> {
        let mut own = Cut::default();
        own.read(&self.event, None);
        let mut opened: Vec<usize> = self.open.iter().map(|(token, _)| *token).collect();
        let (mut mine, mut other, mut differs) = (0, 0, 0);
        for (token, (at, there)) in own.tokens.iter().zip(&cut.tokens).enumerate() {
            if self.event.get(mine..at.start) != raw.get(other..there.start) {
                return None;
            }
            (mine, other) = (at.end, there.end);
            if self.event.get(at.start..at.end) != raw.get(there.start..there.end) && cut.piece != Some(token)
            {
                differs += there.len();
                opened.push(token);
            }
        }
        if self.event.get(mine..) != raw.get(other..) || 2 * differs > raw.len() {
            return None;
        }
        opened.sort_unstable();
        opened.dedup();
        Some(Self::open(raw, cut, self.about.clone(), opened))
    }

    /// The open tokens of an event besides the piece.
    pub(super) fn own<'c>(&'c self, cut: &'c Cut) -> impl Iterator<Item = Span> + 'c {
        let own = self.open.iter().filter(|(token, _)| self.piece != Some(*token));
        own.filter_map(|(token, _)| cut.tokens.get(*token).copied())
    }

    /// The bytes that are not open, in order, each with what follows: the piece, another open token, or the end.
    pub(super) fn parts(&self) -> impl Iterator<Item = (&[u8], Option<bool>)> {
        let starts = std::iter::once(0).chain(self.open.iter().map(|(_, at)| at.end));
        let ends = self.open.iter().map(|(token, at)| (at.start, Some(self.piece == Some(*token))));
        let ends = ends.chain(std::iter::once((self.event.len(), None)));
        starts.zip(ends).map(|(start, (end, next))| (self.event.get(start..end).unwrap_or_default(), next))
    }

    /// Bytes of memory, about.
    pub(super) fn weight(&self) -> usize {
        size_of::<Self>() + self.event.len() + size_of_val(&*self.open) + self.about.calls.weight()
    }
}
