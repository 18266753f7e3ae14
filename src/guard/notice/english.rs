//! The texts in English.

use super::Notice;

pub(super) fn text(notice: Notice) -> &'static str {
    match notice {
        Notice::Truncated => {
            "Error: {tool} was not run: its arguments were cut at the output limit. Send less, or send it in \
             pieces."
        }
        Notice::Unreadable => {
            "Error: {tool} was not run: the arguments {problems}. Please fix your mistakes."
        }
        Notice::UnknownTool => {
            "Error: {tool} was not run: no tool of that name is offered. Names to choose from: {names}. Please \
             fix your mistakes."
        }
        Notice::NoTools => "Error: {tool} was not run: no tools are available in this turn. Answer in words.",
        Notice::Invalid => "Error: {tool} was not run: {problems}. Please fix your mistakes.",
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
            "Error: {tool} was not run: the provider could not read this call. {problems} Please fix your \
             mistakes."
        }
        Notice::FellBack => "The last tool calls could not be run and were given up. {refusals}",
        Notice::Interrupted => {
            "This call of {tool} was interrupted: its result was not recorded and its outcome is unknown. Check \
             what it did before you repeat it."
        }
        Notice::Orphan => "The result of an earlier tool call that is no longer part of this conversation:",
        Notice::EmptyResult => "(The tool returned no output.)",
        Notice::ImageBelow => "(The image in this result follows below.)",
        Notice::ImageFrom => "The image from the result of {tool}:",
        Notice::ResultAbove => "(A result of {tool} came in here. It stands above, behind its call.)",
    }
}
