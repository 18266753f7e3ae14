//! The texts in English.

use super::Notice;

#[expect(clippy::too_many_lines, reason = "a table")]
pub(super) fn text(notice: Notice) -> &'static str {
    match notice {
        Notice::Truncated => {
            "Error: {tool} was not run: its arguments were cut at the output limit. Send less, or send it in \
             pieces."
        }
        Notice::UnknownTool => {
            "Error: {tool} was not run: no tool of that name is offered. Names to choose from: {names}. Please \
             fix your mistakes."
        }
        Notice::NoTools => "Error: {tool} was not run: no tools are available in this turn. Answer in words.",
        Notice::Unreadable | Notice::Invalid => {
            "Error: {tool} was not run: {problems}. Please fix your mistakes."
        }
        Notice::Denied => "Error: {tool} was not run: this request is not allowed here. {reason}",
        Notice::Repeated => {
            "Error: {tool} was not run. An equivalent request already failed with {error}. Sending it again \
             will fail the same way. Find the cause first; then change the request, take a path that does not \
             depend on the rejected input, or state plainly what you conclude."
        }
        Notice::Terminal => {
            "Error: {tool} was not run. An equivalent request already failed with {error}. Nothing that was \
             done since can change that: sending it again will fail the same way. Find the cause first; then \
             change the request, take a path that does not depend on the rejected input, or state plainly what \
             you conclude."
        }
        Notice::TooLarge => {
            "Error: {tool} was not run: its arguments are larger than can be taken. Send less, or send it in \
             pieces."
        }
        Notice::ProviderRefused => {
            "Error: {tool} was not run: the provider refused this call with {error}. Please fix your mistakes."
        }
        Notice::Interrupted => {
            "This call of {tool} was interrupted: its result was not recorded and its outcome is unknown. \
             Check what it did before you repeat it."
        }
        Notice::Orphan => "The result of an earlier tool call that is no longer part of this conversation:",
        Notice::EmptyResult => "(The tool returned no output.)",
        Notice::ImageBelow => "(The image in this result follows below.)",
        Notice::ImageFrom => "The image from the result of {tool}:",
        Notice::ResultAbove => "(A result of {tool} came in here. It stands above, behind its call.)",
        Notice::ResultCorrectable => "Error: {error} Please fix your mistakes.",
        Notice::ResultFailed => "Error: {error}",
        Notice::ResultTerminal => {
            "Error: {tool} failed for good: {error} An equivalent request will fail the same way, so do not \
             send it again. Find the cause first; then change the request, take a path that does not depend \
             on the rejected input, or state plainly what you conclude."
        }
        Notice::ResultCut => "[… {bytes} bytes left out …]",
        Notice::FellBack => "The last tool calls could not be run and were given up. {refusals}",

        Notice::ErrorUnsaid => "an error without a message",
        Notice::UnreadableForm => "the arguments are not a JSON object",
        Notice::UnreadableBackslash => {
            "the arguments hold a backslash that JSON does not know at byte {at}; escape each backslash as \\\\"
        }
        Notice::UnreadableSyntax => "the arguments are not valid JSON: expected {expected} at byte {at}",
        Notice::UnreadableSeveral => "the arguments hold several calls; make one call at a time",
        Notice::UnreadableList => {
            "the arguments hold no list \"tool_uses\" of calls, each with \"recipient_name\" and \"parameters\""
        }
        Notice::ExpectedValue => "a value",
        Notice::ExpectedObject => "an object",
        Notice::ExpectedName => "a name in double quotes",
        Notice::ExpectedDigit => "a digit",
        Notice::ExpectedEscape => "a valid escape",
        Notice::ExpectedStringEnd => "the end of a string",
        Notice::ExpectedCommentEnd => "the end of a comment",
        Notice::ExpectedTextEnd => "the end of the text",

        Notice::ProblemAt => "{place}: {problem}",
        Notice::ProblemArguments => "the arguments",
        Notice::ProblemName => "a name",
        Notice::ProblemNothing => "nothing",
        Notice::ProblemRequired => "missing required {names}; received: {received}",
        Notice::ProblemUnknown => "unknown member {names}",
        Notice::ProblemUnknownSeveral => "unknown members {names}",
        Notice::ProblemKnown => "{problem}; known: {names}",
        Notice::ProblemType => "{place} must be {kinds}, got {got}",
        Notice::ProblemForm => "{place} must be in one of the forms offered, got {got}",
        Notice::ProblemPattern => "{place} must match {pattern}, got {got}",
        Notice::ProblemEnum => "{place} must be one of {options}, got {got}",
        Notice::ProblemConst => "{place} must be {value}, got {got}",
        Notice::ProblemMaxLength => "{place} must have at most {limit} character(s), got {got}",
        Notice::ProblemMinLength => "{place} must have at least {limit} character(s), got {got}",
        Notice::ProblemMaxItems => "{place} must have at most {limit} item(s), got {got}",
        Notice::ProblemMinItems => "{place} must have at least {limit} item(s), got {got}",
        Notice::ProblemMaxProperties => "{place} must have at most {limit} member(s), got {got}",
        Notice::ProblemMinProperties => "{place} must have at least {limit} member(s), got {got}",
        Notice::ProblemMaximum => "{place} must be at most {limit}, got {got}",
        Notice::ProblemMinimum => "{place} must be at least {limit}, got {got}",
        Notice::ProblemExclusiveMaximum => "{place} must be less than {limit}, got {got}",
        Notice::ProblemExclusiveMinimum => "{place} must be greater than {limit}, got {got}",
        Notice::ProblemMultipleOf => "{place} must be a multiple of {factor}, got {got}",
        Notice::ProblemUniqueItems => "{place} must not hold an item twice, got {got}",
        Notice::ProblemFalseSchema => "{place} is not allowed here, got {got}",
        Notice::ProblemOneOf => "{place} must fit only one of its forms, got {got}",
        Notice::ProblemPropertyNames => "{place} must have other member names: {problem}",
        Notice::ProblemKeyword => "{place} does not meet the schema's \"{keyword}\", got {got}",

        Notice::ListNext => "{list}, {item}",
        Notice::ListOr => "{list} or {item}",
        Notice::ListMore => "{list}, … ({count} more)",
        Notice::ProblemsNext => "{list}; {item}",
        Notice::ProblemsMore => "{list}; and {count} more",
    }
}
