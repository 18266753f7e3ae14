//! The words for an error whose class a rule gives.

use super::cut;
use crate::guard::classify::said;
use crate::guard::notice::{Notice, Notices, tool_name};
use crate::guard::rules::ResultClass;

/// What a tool or its framework may have written around the error already.
const CRY: &str = "error:";
const PLEA: &str = "please fix your mistakes.";

/// The text for a class; `None` for results that the model reads as they are.
pub(super) fn notice(class: ResultClass) -> Option<Notice> {
    match class {
        ResultClass::Correctable => Some(Notice::ResultCorrectable),
        ResultClass::Failed => Some(Notice::ResultFailed),
        ResultClass::Terminal => Some(Notice::ResultTerminal),
        ResultClass::Success | ResultClass::Transient | ResultClass::Control => None,
    }
}

/// What the model reads in the place of `result`, within `max` bytes; `None` where the result says nothing that could
/// be told, or the words around it leave no room for it. Nothing of the error is lost where there is room.
pub(super) fn text(
    notices: &Notices,
    notice: Notice,
    tool: &str,
    result: &str,
    max: Option<usize>,
) -> Option<String> {
    let said = said(result);
    let fits = |text: &String| max.is_none_or(|max| text.len() <= max);
    if notices.frames(notice, &said) && fits(&said) {
        return Some(said);
    }
    let error = bare(&said);
    if error.is_empty() {
        return None;
    }
    let tool = tool_name(tool);
    let around = |error: &str| notices.text(notice, &[("tool", &tool), ("error", error)]);
    // A full stop may come behind the error.
    let room = max.map(|max| max.saturating_sub(around("").len() + 2));
    let error = room.and_then(|room| cut::middle(error, room, notices)).unwrap_or_else(|| error.to_owned());
    // Words of ours follow in these.
    let error = if notice == Notice::ResultFailed { error } else { ended(error) };
    Some(around(&error)).filter(fits)
}

/// An error without the cry before it and the plea behind it.
fn bare(error: &str) -> &str {
    let mut error = error.trim();
    while let Some((cry, rest)) = error.split_at_checked(CRY.len())
        && cry.eq_ignore_ascii_case(CRY)
    {
        error = rest.trim_start();
    }
    while let Some((rest, plea)) =
        error.len().checked_sub(PLEA.len()).and_then(|at| error.split_at_checked(at))
        && plea.eq_ignore_ascii_case(PLEA)
    {
        error = rest.trim_end();
    }
    error
}

/// As a sentence that another can follow.
fn ended(mut error: String) -> String {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '"' | '\'' | '`' | ')');
    if error.ends_with(goes_on) {
        error.push('.');
    }
    error
}

#[cfg(test)]
mod tests;
