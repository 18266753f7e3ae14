//! Arguments that are almost JSON: is the text whole, and can it be read without losing or guessing anything?
//!
//! A repair is taken only where the text has one meaning. What is cut stays cut.

/// What an argument text is, told without repairing it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Nothing but white space.
    Empty,
    /// One well-formed object.
    Object,
    /// Well-formed, but not an object.
    Other,
    /// A string, object or array is open at the end.
    Truncated,
    /// Neither well-formed nor merely cut.
    Malformed,
}

/// One way in which a text was brought to JSON. Each loses nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Repair {
    /// One Markdown fence around the object.
    Fence,
    /// `True`, `False`, `None` as bare words.
    PythonLiteral,
    SingleQuotes,
    TrailingComma,
    Comment,
    /// A raw control character inside a string, escaped.
    ControlCharacter,
    /// `{}` before the real object.
    LeadingEmptyObject,
    /// The same object twice; one is kept.
    Repeated,
    /// An object inside a JSON string.
    DoubleEncoded,
}

/// Why a text cannot be read without guessing. The `Display` form completes "the arguments …".
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unreadable {
    #[error("are not a JSON object")]
    NotAnObject,
    #[error("hold a backslash that JSON does not know at byte {at}; escape each backslash as \\\\")]
    Backslash { at: usize },
    #[error("are not valid JSON: expected {expected} at byte {at}")]
    Syntax { at: usize, expected: &'static str },
}

/// What came of reading an argument text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reading {
    /// A well-formed object as it stands: the bytes go on untouched.
    Exact,
    /// The one object that the text can mean.
    Repaired {
        text: String,
        repairs: Vec<Repair>,
    },
    /// Several objects one after another: several calls glued together.
    Several {
        texts: Vec<String>,
    },
    /// White space only, `null` or `[]`: no arguments, where the tool needs none.
    Nothing,
    Truncated,
    Unreadable(Unreadable),
}

/// What `text` is as it stands.
pub fn shape(text: &str) -> Shape {
    todo!()
}

/// Reads `text`, repairing only what has one meaning.
pub fn read(text: &str) -> Reading {
    todo!()
}
