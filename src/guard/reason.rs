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
    // Around them.
    GaveUp,
    Concluded,
    FellBack,
    Restored,
    ReaskFailed,
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
            Self::GaveUp => "gave_up",
            Self::Concluded => "concluded",
            Self::FellBack => "fell_back",
            Self::Restored => "restored",
            Self::ReaskFailed => "reask_failed",
            Self::SchemaIgnored => "schema_ignored",
            Self::Unjudged => "unjudged",
            Self::Uninspected => "uninspected",
        }
    }

    /// A call refused for this may go on in the end as the model wrote it: it can be read, its tool is
    /// offered, and nobody forbade it.
    pub fn may_go_on(self) -> bool {
        matches!(self, Self::Invalid)
    }
}
