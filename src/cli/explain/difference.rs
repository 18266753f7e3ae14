//! What differs between two histories: which elements, and where within them.

use serde::Serialize;

/// An element as it was and as it is now.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub(super) struct Change {
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

/// Two histories are compared element by element up to so many pairs; beyond, all between what is alike at their ends
/// counts as changed.
const PAIRS: usize = 4_000_000;

/// The changes that make `after` of `before`, in order, each with the place in `before` of what it changes.
pub(super) fn changes(before: &[String], after: &[String]) -> Vec<(Option<usize>, Change)> {
    let front = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let (old, new) = (before.get(front..).unwrap_or_default(), after.get(front..).unwrap_or_default());
    let back = old.iter().rev().zip(new.iter().rev()).take_while(|(one, other)| one == other).count();
    let old = old.get(..old.len() - back).unwrap_or_default();
    let new = new.get(..new.len() - back).unwrap_or_default();
    let mut found = Vec::new();
    let (mut at, mut to) = (0, 0);
    for (same, other) in common(old, new).into_iter().chain([(old.len(), new.len())]) {
        let gone = old.get(at..same).unwrap_or_default();
        let come = new.get(to..other).unwrap_or_default();
        for place in 0..gone.len().max(come.len()) {
            let change = Change { before: gone.get(place).cloned(), after: come.get(place).cloned() };
            found.push((gone.get(place).map(|_| front + at + place), change));
        }
        (at, to) = (same + 1, other + 1);
    }
    found
}

/// The longest row of elements that are in both, in order: their places.
fn common(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    if old.len().saturating_mul(new.len()) > PAIRS {
        return Vec::new();
    }
    let width = new.len() + 1;
    let mut lengths = vec![0_u32; (old.len() + 1) * width];
    let length =
        |lengths: &[u32], one: usize, other: usize| lengths.get(one * width + other).copied().unwrap_or(0);
    for (one, from) in old.iter().enumerate().rev() {
        for (other, to) in new.iter().enumerate().rev() {
            let longest = if from == to {
                length(&lengths, one + 1, other + 1) + 1
            } else {
                length(&lengths, one + 1, other).max(length(&lengths, one, other + 1))
            };
            if let Some(cell) = lengths.get_mut(one * width + other) {
                *cell = longest;
            }
        }
    }
    let (mut one, mut other, mut places) = (0, 0, Vec::new());
    while let (Some(from), Some(to)) = (old.get(one), new.get(other)) {
        if from == to {
            places.push((one, other));
            (one, other) = (one + 1, other + 1);
        } else if length(&lengths, one + 1, other) >= length(&lengths, one, other + 1) {
            one += 1;
        } else {
            other += 1;
        }
    }
    places
}

// === impl Change ===

impl Change {
    /// What is new is a tool's result.
    pub(super) fn is_result(&self) -> bool {
        let after = self.after.as_deref().unwrap_or_default();
        [r#""role":"tool""#, r#""role":"function""#].iter().any(|role| after.contains(role))
    }

    /// Both texts without what they begin and end with alike, but for a little around it.
    pub(super) fn core(&self, around: usize) -> (Option<String>, Option<String>) {
        let (Some(before), Some(after)) = (&self.before, &self.after) else {
            return (self.before.clone(), self.after.clone());
        };
        let front = before.chars().zip(after.chars()).take_while(|(one, other)| one == other);
        let front: usize = front.map(|(letter, _)| letter.len_utf8()).sum();
        let rest = |text: &str| text.get(front..).unwrap_or_default().to_owned();
        let (old, new) = (rest(before), rest(after));
        let back = old.chars().rev().zip(new.chars().rev()).take_while(|(one, other)| one == other);
        let back: usize = back.map(|(letter, _)| letter.len_utf8()).sum();
        let core = |text: &str| {
            let start = text.floor_char_boundary(front.saturating_sub(around));
            let end = text.ceil_char_boundary((text.len() - back + around).min(text.len()));
            let mark = |cut: bool| if cut { "…" } else { "" };
            let middle = text.get(start..end).unwrap_or_default();
            Some(format!("{}{middle}{}", mark(start > 0), mark(end < text.len())))
        };
        (core(before), core(after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(letters: &str) -> Vec<String> {
        letters.chars().map(String::from).collect()
    }

    fn told(before: &str, after: &str) -> String {
        let change = |(place, change): (Option<usize>, Change)| {
            let text = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
            let place = place.map_or_else(|| "+".to_owned(), |place| place.to_string());
            format!("{place}:{}>{}", text(change.before), text(change.after))
        };
        changes(&texts(before), &texts(after)).into_iter().map(change).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn elements_that_are_alike_are_no_change() {
        assert_eq!(told("abc", "abc"), "");
        assert_eq!(told("abc", "axc"), "1:b>x");
        assert_eq!(told("abc", "abxc"), "+:->x");
        assert_eq!(told("abc", "ac"), "1:b>-");
        assert_eq!(told("abcd", "xbd"), "0:a>x 2:c>-");
        assert_eq!(told("", "x"), "+:->x");
    }

    #[test]
    fn of_what_changed_the_middle_is_told() {
        let change = |before: &str, after: &str| Change {
            before: Some(before.to_owned()),
            after: Some(after.to_owned()),
        };
        let (before, after) = change("aaaa-é-bbbb", "aaaa-è!-bbbb").core(2);
        assert_eq!((before.unwrap(), after.unwrap()), ("…a-é-b…".to_owned(), "…a-è!-b…".to_owned()));
        let (before, after) = change("ab", "ab").core(2);
        assert_eq!((before.unwrap(), after.unwrap()), ("ab".to_owned(), "ab".to_owned()));
    }
}
