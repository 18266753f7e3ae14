//! The JSON grammar over bytes: each function passes over one thing and says where it ends.
//!
//! Nesting is kept as one bit a level, so that depth costs neither stack nor much memory. Offsets that come
//! out always lie beside an ASCII byte, hence on a border between characters.

use super::{Expected, Kind, Malformed};

/// Which containers are open, innermost last: one bit each, set for an object.
#[derive(Default)]
struct Nesting {
    bits: u64,
    /// How many of `bits` are in use; 0 only when nothing is open at all.
    used: u32,
    /// Full words of the outer levels.
    outer: Vec<u64>,
}

/// Refuses what stands at `at`. Where nothing stands there, the text was cut.
pub(super) fn malformed<T>(bytes: &[u8], at: usize, expected: Expected) -> Result<T, Malformed> {
    Err(Malformed { at, expected, truncated: at >= bytes.len() })
}

pub(super) fn white_space(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

/// Passes the byte `wanted`, which has to stand at `at`.
pub(super) fn byte(bytes: &[u8], at: usize, wanted: u8, expected: Expected) -> Result<usize, Malformed> {
    if bytes.get(at) == Some(&wanted) { Ok(at + 1) } else { malformed(bytes, at, expected) }
}

/// The kind of the value whose first byte stands at `at`.
pub(super) fn kind(bytes: &[u8], at: usize) -> Result<Kind, Malformed> {
    match bytes.get(at).and_then(|first| Kind::of(*first)) {
        Some(kind) => Ok(kind),
        None => malformed(bytes, at, Expected::Value),
    }
}

/// Passes one value of any kind and depth, whose first byte stands at `at`.
pub(super) fn value(bytes: &[u8], mut at: usize) -> Result<usize, Malformed> {
    let mut nesting = Nesting::default();
    loop {
        let kind = kind(bytes, at)?;
        at = match kind {
            Kind::Object | Kind::Array => {
                let inside = white_space(bytes, at + 1);
                let is_object = kind == Kind::Object;
                if bytes.get(inside) != Some(&closing(is_object)) {
                    nesting.push(is_object);
                    at = if is_object { name(bytes, inside)? } else { inside };
                    continue;
                }
                inside + 1
            }
            _ => scalar(bytes, at)?,
        };
        match next_sibling(bytes, at, &mut nesting)? {
            Sibling::At(next) => at = next,
            Sibling::None(end) => return Ok(end),
        }
    }
}

enum Sibling {
    /// Another value begins here.
    At(usize),
    /// The outermost value ended here.
    None(usize),
}

/// What follows a value that ended at `at`, once all containers that close here are passed.
fn next_sibling(bytes: &[u8], mut at: usize, nesting: &mut Nesting) -> Result<Sibling, Malformed> {
    while let Some(in_object) = nesting.innermost() {
        at = white_space(bytes, at);
        match bytes.get(at) {
            Some(b',') => {
                at = white_space(bytes, at + 1);
                return Ok(Sibling::At(if in_object { name(bytes, at)? } else { at }));
            }
            Some(byte) if *byte == closing(in_object) => nesting.pop(),
            _ => return malformed(bytes, at, Expected::after(in_object)),
        }
        at += 1;
    }
    Ok(Sibling::None(at))
}

/// Passes a member's name and colon, up to the first byte of its value.
fn name(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    if bytes.get(at) != Some(&b'"') {
        return malformed(bytes, at, Expected::Name);
    }
    colon(bytes, string(bytes, at)?)
}

/// Passes the colon after a member's name, and the white space on both of its sides.
pub(super) fn colon(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    let after = byte(bytes, white_space(bytes, at), b':', Expected::Colon)?;
    Ok(white_space(bytes, after))
}

fn closing(is_object: bool) -> u8 {
    if is_object { b'}' } else { b']' }
}

fn scalar(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    match bytes.get(at) {
        Some(b'"') => string(bytes, at),
        Some(b't') => literal(bytes, at, b"true", Expected::True),
        Some(b'f') => literal(bytes, at, b"false", Expected::False),
        Some(b'n') => literal(bytes, at, b"null", Expected::Null),
        _ => number(bytes, at),
    }
}

fn literal(bytes: &[u8], at: usize, word: &[u8], expected: Expected) -> Result<usize, Malformed> {
    let rest = bytes.get(at..).unwrap_or_default();
    let equal = rest.iter().zip(word).take_while(|(is, wanted)| is == wanted).count();
    if equal == word.len() { Ok(at + equal) } else { malformed(bytes, at + equal, expected) }
}

fn number(bytes: &[u8], mut at: usize) -> Result<usize, Malformed> {
    if bytes.get(at) == Some(&b'-') {
        at += 1;
    }
    // A leading zero stands alone; a digit after it is then found where a comma or the end should be.
    at = if bytes.get(at) == Some(&b'0') { at + 1 } else { digits(bytes, at)? };
    if bytes.get(at) == Some(&b'.') {
        at = digits(bytes, at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        at = digits(bytes, at)?;
    }
    Ok(at)
}

fn digits(bytes: &[u8], start: usize) -> Result<usize, Malformed> {
    let mut at = start;
    while matches!(bytes.get(at), Some(b'0'..=b'9')) {
        at += 1;
    }
    if at == start { malformed(bytes, at, Expected::Digit) } else { Ok(at) }
}

/// Passes a string whose opening quote stands at `at`.
pub(super) fn string(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    let mut at = at + 1;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        at += first_special(rest).unwrap_or(rest.len());
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at = escape(bytes, at + 1)?,
            Some(_) => return malformed(bytes, at, Expected::Escape),
            None => return malformed(bytes, at, Expected::StringEnd),
        }
    }
}

/// Passes what follows a backslash.
fn escape(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    match bytes.get(at) {
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(at + 1),
        Some(b'u') => {
            let end = at + 5;
            match (at + 1..end).find(|at| !bytes.get(*at).is_some_and(u8::is_ascii_hexdigit)) {
                Some(at) => malformed(bytes, at, Expected::HexDigit),
                None => Ok(end),
            }
        }
        _ => malformed(bytes, at, Expected::Escape),
    }
}

/// What is passed by words before blocks are tried, in bytes.
const SHORT: usize = 16;
const BLOCK: usize = 32;

const ONES: u64 = u64::from_ne_bytes([0x01; 8]);
const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);
const QUOTES: u64 = u64::from_ne_bytes([b'"'; 8]);
const BACKSLASHES: u64 = u64::from_ne_bytes([b'\\'; 8]);
const SPACES: u64 = u64::from_ne_bytes([b' '; 8]);

/// Where the first byte stands that may not stand in a string as itself: quote, backslash, control.
///
/// All three are looked for at once, first by words: names are short, and text breaks its lines by `\n` every few
/// dozen bytes, too short a run for a `memchr2` and a second look for control characters to pay for their calls.
/// What has been clean for a while is likely long, and is passed by blocks.
#[inline]
fn first_special(bytes: &[u8]) -> Option<usize> {
    let (start, rest) = bytes.split_at(bytes.len().min(SHORT));
    first_special_by_words(start).or_else(|| {
        let (blocks, _) = rest.as_chunks::<BLOCK>();
        let clean = SHORT + BLOCK * blocks.iter().take_while(|block| !has_special(block)).count();
        Some(clean + first_special_by_words(bytes.get(clean..)?)?)
    })
}

#[inline]
fn first_special_by_words(bytes: &[u8]) -> Option<usize> {
    let (words, tail) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let hits = specials(u64::from_le_bytes(*word));
        if hits != 0 {
            return Some(index * 8 + (hits.trailing_zeros() / 8) as usize);
        }
    }
    Some(words.len() * 8 + tail.iter().position(|byte| is_special(*byte))?)
}

/// Without an early way out, so that the compiler turns it into vector instructions.
fn has_special(block: &[u8; BLOCK]) -> bool {
    block.iter().fold(false, |found, byte| found | is_special(*byte))
}

fn is_special(byte: u8) -> bool {
    (byte == b'"') || (byte == b'\\') || (byte < b' ')
}

/// The high bit of each byte that is special. Only the lowest of them is sure: a borrow can set false ones above.
fn specials(word: u64) -> u64 {
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let control = word.wrapping_sub(SPACES) & !word;
    (zero(word ^ QUOTES) | zero(word ^ BACKSLASHES) | control) & HIGHS
}

// === impl Nesting ===

impl Nesting {
    fn push(&mut self, is_object: bool) {
        if self.used == u64::BITS {
            self.outer.push(self.bits);
            self.used = 0;
        }
        self.bits = self.bits << 1 | u64::from(is_object);
        self.used += 1;
    }

    fn pop(&mut self) {
        self.bits >>= 1;
        self.used = self.used.saturating_sub(1);
        if self.used == 0
            && let Some(outer) = self.outer.pop()
        {
            self.bits = outer;
            self.used = u64::BITS;
        }
    }

    /// Whether the innermost open container is an object; `None` when nothing is open.
    fn innermost(&self) -> Option<bool> {
        (self.used > 0).then_some(self.bits & 1 == 1)
    }
}
