//! The JSON grammar over bytes: each function passes over one thing and says where it ends.
//!
//! Nesting is kept as one bit a level, so that depth costs neither stack nor much memory. Offsets that come
//! out always lie beside an ASCII byte, hence on a border between characters.

use wide::u8x16;

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
///
/// Quotes, backslashes and controls are looked for at once and block by block: names are short, and text breaks its
/// lines by `\n` every few dozen bytes, too short a run for a call of `memchr2` to pay. How many escapes are in a
/// block, and where, costs nothing: no branch depends on it.
#[inline]
pub(super) fn string(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    let start = at + 1;
    // Names, roles and ids end here.
    if let Some(front) = bytes.get(start..).and_then(<[u8]>::first_chunk::<HALF>) {
        let first = start + specials(*front).trailing_zeros() as usize;
        if bytes.get(first) == Some(&b'"') && first < start + HALF {
            return Ok(first + 1);
        }
    }
    long_string(bytes, start)
}

/// Passes the rest of a string, block by block.
fn long_string(bytes: &[u8], mut start: usize) -> Result<usize, Malformed> {
    while let Some(block) = bytes.get(start..).and_then(<[u8]>::first_chunk::<BLOCK>) {
        let block = Block::of(block);
        let end = block.quotes & !block.escaped;
        let inside = end.wrapping_sub(1) & !end;
        let mut odd = (block.controls | block.escaped & !block.usual) & inside;
        while odd != 0 {
            let at = start + odd.trailing_zeros() as usize;
            // A control is refused as itself.
            let is_escaped = block.escaped & odd & odd.wrapping_neg() != 0;
            escape(bytes, if is_escaped { at - 1 } else { at })?;
            odd &= odd - 1;
        }
        if end != 0 {
            return Ok(start + end.trailing_zeros() as usize + 1);
        }
        start += block.known;
    }
    short_string(bytes, start)
}

/// Passes the rest of a string that ends within the last few bytes of the text.
fn short_string(bytes: &[u8], mut at: usize) -> Result<usize, Malformed> {
    loop {
        at += bytes.get(at..).unwrap_or_default().iter().take_while(|byte| !is_special(**byte)).count();
        match bytes.get(at) {
            Some(b'"') => return Ok(at + 1),
            Some(_) => at = escape(bytes, at)?,
            None => return malformed(bytes, at, Expected::StringEnd),
        }
    }
}

fn is_special(byte: u8) -> bool {
    (byte == b'"') || (byte == b'\\') || (byte < b' ')
}

/// Passes the escape at `at`, where something stands that may not stand in a string as itself.
fn escape(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\\'), Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => Ok(at + 2),
        (Some(b'\\'), Some(b'u')) => {
            let end = at + 6;
            match (at + 2..end).find(|at| !bytes.get(*at).is_some_and(u8::is_ascii_hexdigit)) {
                Some(at) => malformed(bytes, at, Expected::HexDigit),
                None => Ok(end),
            }
        }
        (Some(b'\\'), _) => malformed(bytes, at + 1, Expected::Escape),
        _ => malformed(bytes, at, Expected::Escape),
    }
}

/// Bytes that are looked at together.
const BLOCK: usize = u32::BITS as usize;
const HALF: usize = BLOCK / 2;

/// Every other byte, the first among them.
const EVEN: u32 = 0x5555_5555;

/// What stands in a block that does not begin within an escape: one bit for each byte, the first byte's lowest.
struct Block {
    quotes: u32,
    controls: u32,
    /// What a backslash stands before that is not escaped itself, other than a backslash.
    escaped: u32,
    /// Letters of the escapes that text is full of.
    usual: u32,
    /// Bytes of which all this is known: not backslashes at the block's end, which escape what is behind it.
    known: usize,
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

// === impl Block ===

impl Block {
    #[inline]
    fn of(block: &[u8; BLOCK]) -> Self {
        let (front, back) = block.split_at(HALF);
        let halves = [front, back].map(|half| u8x16::new(half.try_into().unwrap_or_default()));
        let bits = |of: fn(u8x16) -> u8x16| {
            let [front, back] = halves.map(|half| of(half).to_bitmask());
            front | back << HALF
        };
        let quotes = bits(|half| half.simd_eq(u8x16::splat(b'"')));
        let controls = bits(controls);
        let mut backslashes = bits(|half| half.simd_eq(u8x16::splat(b'\\')));
        let usual = quotes | bits(|half| half.simd_eq(u8x16::splat(b'n')));
        let mut known = BLOCK;
        // So many pairs, where there is nothing but backslashes.
        if backslashes >> (BLOCK - 1) == 1 && backslashes != u32::MAX {
            known -= backslashes.leading_ones() as usize;
            backslashes &= (1 << known) - 1;
        }
        Self { quotes, controls, escaped: escaped(backslashes), usual, known }
    }
}

/// One bit for each byte that may not stand in a string as itself.
#[inline]
fn specials(bytes: [u8; HALF]) -> u32 {
    let bytes = u8x16::new(bytes);
    let marks = bytes.simd_eq(u8x16::splat(b'"')) | bytes.simd_eq(u8x16::splat(b'\\'));
    (marks | controls(bytes)).to_bitmask()
}

#[inline]
fn controls(bytes: u8x16) -> u8x16 {
    bytes.simd_eq(bytes.min(u8x16::splat(0x1f)))
}

/// What stands behind runs of an odd number of backslashes, none of which reaches the end.
#[inline]
fn escaped(backslashes: u32) -> u32 {
    let starts = backslashes & !(backslashes << 1);
    // A start added to its run moves to the byte behind it.
    let behind = |starts: u32| backslashes.wrapping_add(starts) & !backslashes;
    behind(starts & EVEN) & !EVEN | behind(starts & !EVEN) & EVEN
}
