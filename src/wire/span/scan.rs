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
/// lines by `\n` every few dozen bytes, too short a run for a call of `memchr2` to pay. A block is looked at once,
/// however many escapes are in it.
pub(super) fn string(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    let mut start = at + 1;
    while let Some(block) = bytes.get(start..).and_then(<[u8]>::first_chunk::<BLOCK>) {
        let mut hits = specials(*block);
        let mut next = start + BLOCK;
        while hits != 0 {
            let at = start + hits.trailing_zeros() as usize;
            if bytes.get(at) == Some(&b'"') {
                return Ok(at + 1);
            }
            let end = escape(bytes, at)?;
            if end >= next {
                next = end;
                break;
            }
            hits &= u32::MAX << (end - start);
        }
        start = next;
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

/// Passes the escape at `at`, where something stands that may not stand in a string as itself.
#[inline]
fn escape(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    match bytes.get(at..).and_then(<[u8]>::first_chunk) {
        Some([b'\\', b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't']) => Ok(at + 2),
        _ => rare_escape(bytes, at),
    }
}

#[cold]
fn rare_escape(bytes: &[u8], at: usize) -> Result<usize, Malformed> {
    match (bytes.get(at), bytes.get(at + 1)) {
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
const BLOCK: usize = 16;

fn is_special(byte: u8) -> bool {
    (byte == b'"') || (byte == b'\\') || (byte < b' ')
}

/// One bit for each byte of the block that is special, the first byte's lowest.
#[inline]
fn specials(block: [u8; BLOCK]) -> u32 {
    let block = u8x16::new(block);
    let quotes = block.simd_eq(u8x16::splat(b'"'));
    let backslashes = block.simd_eq(u8x16::splat(b'\\'));
    let controls = block.simd_eq(block.min(u8x16::splat(0x1f)));
    (quotes | backslashes | controls).to_bitmask()
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
