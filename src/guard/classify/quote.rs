//! One line out of an error, to quote.

/// Longest quotation, in characters.
const LENGTH: usize = 200;

/// The beginning of `text` on one line: runs of white space and control characters are one space.
pub(super) fn line(text: &str) -> String {
    let mut line = String::new();
    let mut length = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        let gap = usize::from(length > 0);
        let room = LENGTH.saturating_sub(length + gap);
        if room == 0 {
            break;
        }
        if gap == 1 {
            line.push(' ');
        }
        line.extend(word.chars().take(room));
        length += gap + word.chars().take(room).count();
    }
    line
}

/// What is best quoted of an error text: of a Python traceback the last line, which names the error, else the
/// beginning.
pub(super) fn error(text: &str) -> String {
    let text = text.trim();
    if !text.starts_with("Traceback") {
        return line(text);
    }
    text.lines().next_back().map(line).unwrap_or_default()
}
