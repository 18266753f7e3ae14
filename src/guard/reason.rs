//! Stable codes for everything that is done to a call or a history.

/// Why something was changed or refused. The code is part of the interface: logs, headers, metrics.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Reason {
    // Rewritten.
    NameRepaired,
    ArgumentsRepaired,
    ArgumentsNormalised,
    ArgumentsCoerced,
    CallsSplit,
    CallsExpanded,
    // Mended in a history.
    /// A call without a result was answered.
    MendedMissing,
    /// A result was moved up to its call.
    MendedMoved,
    /// A result of no call became words.
    MendedOrphan,
    /// A call or a result that was there twice.
    MendedDuplicate,
    /// A call whose id is none.
    MendedId,
    /// Arguments that are no object in a string.
    MendedArguments,
    /// A tool's name that the API does not allow.
    MendedName,
    /// Half of a surrogate pair.
    MendedText,
    /// A list or a content that may not be empty.
    MendedEmpty,
    /// An image in a result.
    MendedImage,
    // Refused.
    Truncated,
    Unreadable,
    UnknownTool,
    NoTools,
    Invalid,
    Denied,
    Repeated,
    Terminal,
    TooLarge,
    ProviderRefused,
    // Changed in a result, before the model reads it.
    ResultTold,
    ResultStripped,
    ResultCut,
    // Told to the model besides.
    Constrained,
    Described,
    // Around them.
    GaveUp,
    Concluded,
    FellBack,
    Restored,
    ReaskFailed,
    AskedAnew,
    SchemaIgnored,
    Unjudged,
    Uninspected,
}

impl Reason {
    pub fn code(self) -> &'static str {
        match self {
            Self::NameRepaired => "name_repaired",
            Self::ArgumentsRepaired => "arguments_repaired",
            Self::ArgumentsNormalised => "arguments_normalised",
            Self::ArgumentsCoerced => "arguments_coerced",
            Self::CallsSplit => "calls_split",
            Self::CallsExpanded => "calls_expanded",
            Self::MendedMissing => "mended_missing",
            Self::MendedMoved => "mended_moved",
            Self::MendedOrphan => "mended_orphan",
            Self::MendedDuplicate => "mended_duplicate",
            Self::MendedId => "mended_id",
            Self::MendedArguments => "mended_arguments",
            Self::MendedName => "mended_name",
            Self::MendedText => "mended_text",
            Self::MendedEmpty => "mended_empty",
            Self::MendedImage => "mended_image",
            Self::Truncated => "truncated",
            Self::Unreadable => "unreadable",
            Self::UnknownTool => "unknown_tool",
            Self::NoTools => "no_tools",
            Self::Invalid => "invalid",
            Self::Denied => "denied",
            Self::Repeated => "repeated",
            Self::Terminal => "terminal",
            Self::TooLarge => "too_large",
            Self::ProviderRefused => "provider_refused",
            Self::ResultTold => "result_told",
            Self::ResultStripped => "result_stripped",
            Self::ResultCut => "result_cut",
            Self::Constrained => "constrained",
            Self::Described => "described",
            Self::GaveUp => "gave_up",
            Self::Concluded => "concluded",
            Self::FellBack => "fell_back",
            Self::Restored => "restored",
            Self::ReaskFailed => "reask_failed",
            Self::AskedAnew => "asked_anew",
            Self::SchemaIgnored => "schema_ignored",
            Self::Unjudged => "unjudged",
            Self::Uninspected => "uninspected",
        }
    }

    /// The agent's own history is told in another way than it was sent.
    pub fn is_retold(self) -> bool {
        self >= Self::MendedMissing && self <= Self::MendedImage
            || self >= Self::ResultTold && self <= Self::ResultCut
    }

    /// A call refused for this may go on in the end as the model wrote it: it can be read, its tool is
    /// offered, and nobody forbade it.
    pub fn may_go_on(self) -> bool {
        matches!(self, Self::Invalid)
    }
}
