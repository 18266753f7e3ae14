//! The languages.

use super::{Notice, chinese, english, french, german, japanese, spanish};

/// The language that a model is told in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Locale {
    #[default]
    English,
    Chinese,
    Japanese,
    German,
    Spanish,
    French,
}

// === impl Locale ===

impl Locale {
    pub const ALL: [Self; 6] =
        [Self::English, Self::Chinese, Self::Japanese, Self::German, Self::Spanish, Self::French];

    /// The value of the configuration key, as ISO 639-1 has it.
    pub fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Chinese => "zh",
            Self::Japanese => "ja",
            Self::German => "de",
            Self::Spanish => "es",
            Self::French => "fr",
        }
    }

    /// The template of a text.
    pub(super) fn text(self, notice: Notice) -> &'static str {
        match self {
            Self::English => english::text(notice),
            Self::Chinese => chinese::text(notice),
            Self::Japanese => japanese::text(notice),
            Self::German => german::text(notice),
            Self::Spanish => spanish::text(notice),
            Self::French => french::text(notice),
        }
    }
}
