//! Oddities of providers, as seen in the field: each a switch of a step or of a fault.
//!
//! They change how an answer is written, never what it says, but for those that leave something out.

/// One of them. All hold for streams; `legacy_function_call`, `whole`, `streamed`, `gzip`, `empty_body` and the
/// lengths for whole answers too.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Odd {
    // Calls.
    /// No piece of a call says which call it belongs to.
    IndexMissing,
    /// Every call has the index 0.
    IndexZero,
    /// Indices begin with 1.
    IndexFromOne,
    /// Later pieces have an empty id.
    IdEmpty,
    /// Later pieces have the id again.
    IdRepeated,
    /// Each piece has another id.
    IdChanging,
    /// Only the last piece has the id.
    IdLate,
    /// No piece has an id.
    IdMissing,
    /// Later pieces have an empty name.
    NameEmpty,
    /// Each piece has the name.
    NameRepeated,
    /// The name comes in two halves.
    NameSplit,
    /// The first call is written in the form that was there before tools.
    LegacyFunctionCall,
    // Roles, usage, choices.
    RoleMissing,
    RoleNull,
    RoleEmpty,
    /// Each piece has the role.
    RoleRepeated,
    /// The usage comes first, with no choices.
    UsageFirst,
    /// The usage comes in the event with the finish.
    UsageInFinish,
    /// An event without choices comes first.
    ChoicesMissing,
    // Events.
    /// An event that is cut in the middle of its JSON, after the first.
    MalformedEvent,
    /// An event that is no JSON, after the first.
    GarbageEvent,
    /// The second event comes twice.
    DoubledEvent,
    /// A comment before each event.
    Comments,
    /// Lines end with CR LF.
    Crlf,
    /// Lines end with CR.
    Cr,
    /// No blank after `data:`.
    NoSpace,
    /// The data of an event stands in two lines.
    MultiLine,
    /// A byte order mark comes first.
    Bom,
    /// Events have the fields `event`, `id` and `retry` too.
    Fields,
    // The answer as a whole.
    /// A whole answer although a stream was asked for.
    Whole,
    /// A stream although none was asked for.
    Streamed,
    Gzip,
    /// Not a byte of a body.
    EmptyBody,
    /// The head tells ten bytes more than come.
    LengthLong,
    /// The head tells ten bytes less than there are.
    LengthShort,
}
