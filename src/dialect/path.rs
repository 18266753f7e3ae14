//! Paths as servers read them, to tell which API is spoken.
//!
//! A request that is taken for another API would go through unguarded, so a path is read as the most lenient
//! server would: escapes undone, case and empty segments of no account. A request that no server takes costs
//! nothing to guard. The path that goes on stays as it came.

#[cfg(test)]
mod tests;

/// Whether the last segments of `path` are these, which are given in lower case.
pub(super) fn ends_in(path: &str, last: &[&str]) -> bool {
    is_written(path, last) || is_meant(path, last)
}

/// As nearly all requests write it.
fn is_written(path: &str, last: &[&str]) -> bool {
    let before = last.iter().rev().try_fold(path, |path, name| path.strip_suffix(name)?.strip_suffix('/'));
    before.is_some()
}

fn is_meant(path: &str, last: &[&str]) -> bool {
    let decoded = decoded(path);
    let mut segments: Vec<Vec<u8>> = Vec::new();
    for segment in decoded.split(|byte| matches!(byte, b'/' | b'\\')) {
        // Java's servers take what stands behind a semicolon for parameters.
        let name = segment.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        match name {
            b"" | b"." => {}
            b".." => {
                segments.pop();
            }
            name => segments.push(name.to_ascii_lowercase()),
        }
    }
    let own = segments.len().checked_sub(last.len()).and_then(|before| segments.get(before..));
    own.is_some_and(|own| own.iter().zip(last).all(|(one, other)| one == other.as_bytes()))
}

/// RFC 3986, section 2.1, once. What is no escape stands for itself.
fn decoded(path: &str) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.split_at_checked(2).filter(|_| *first == b'%');
        let byte = escaped.and_then(|(digits, after)| Some((hex(digits)?, after)));
        let (byte, after) = byte.unwrap_or((*first, after));
        decoded.push(byte);
        rest = after;
    }
    decoded
}

fn hex(digits: &[u8]) -> Option<u8> {
    let digit = |digit: &u8| char::from(*digit).to_digit(16);
    let [high, low] = digits else { return None };
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}
