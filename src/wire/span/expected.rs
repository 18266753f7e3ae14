//! What a JSON text should have gone on with where it is malformed.

use std::fmt;

/// What was expected. The `Display` form is English; who speaks to models has words in other languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Expected {
    Value,
    Object,
    Array,
    /// A member's name, in double quotes.
    Name,
    Digit,
    HexDigit,
    /// An escape in the place of a control character, or the rest of one.
    Escape,
    StringEnd,
    CommentEnd,
    TextEnd,
    Colon,
    True,
    False,
    Null,
    CommaOrBrace,
    CommaOrBracket,
}

// === impl Expected ===

impl Expected {
    /// What may follow a member or an element.
    pub(crate) fn after(in_object: bool) -> Self {
        if in_object { Self::CommaOrBrace } else { Self::CommaOrBracket }
    }

    /// The marks that are expected, one of two or just one. Nothing where it takes words to say it.
    pub fn marks(self) -> &'static [&'static str] {
        match self {
            Self::Colon => &["`:`"],
            Self::True => &["`true`"],
            Self::False => &["`false`"],
            Self::Null => &["`null`"],
            Self::CommaOrBrace => &["`,`", "`}`"],
            Self::CommaOrBracket => &["`,`", "`]`"],
            Self::Value
            | Self::Object
            | Self::Array
            | Self::Name
            | Self::Digit
            | Self::HexDigit
            | Self::Escape
            | Self::StringEnd
            | Self::CommentEnd
            | Self::TextEnd => &[],
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::Value => "a value",
            Self::Object => "an object",
            Self::Array => "an array",
            Self::Name => "a name in double quotes",
            Self::Digit => "a digit",
            Self::HexDigit => "a hexadecimal digit",
            Self::Escape => "a valid escape",
            Self::StringEnd => "the end of a string",
            Self::CommentEnd => "the end of a comment",
            Self::TextEnd => "the end of the text",
            marked => return formatter.write_str(&marked.marks().join(" or ")),
        };
        formatter.write_str(words)
    }
}
