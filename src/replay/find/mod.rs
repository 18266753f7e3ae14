//! Which step answers a request, and why none does.
//!
//! The first step that matches wins, in the order of the script. A step that has served is passed over unless
//! it repeats. A miss names the step that came nearest and what kept it from serving.

mod question;

#[cfg(test)]
mod tests;

use super::script::{Script, Step, When};

pub(super) use question::Question;

/// The step that answers, and how often it has served before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Turn {
    pub(super) step: usize,
    pub(super) served: usize,
}

/// A condition that does not hold.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Failed {
    condition: &'static str,
    expected: String,
    got: String,
}

/// Finds the step for a request and counts it as served. `served` has one counter a step. If none serves, the
/// error says why.
pub(super) fn find(script: &Script, served: &mut [usize], question: &Question) -> Result<Turn, String> {
    for (number, (step, count)) in script.steps.iter().zip(served.iter_mut()).enumerate() {
        if (*count == 0 || step.repeat) && failures(&step.when, question).is_empty() {
            let turn = Turn { step: number, served: *count };
            *count += 1;
            return Ok(turn);
        }
    }
    Err(explain(script, served, question))
}

/// What keeps a step from answering; empty if nothing does.
fn failures(when: &When, question: &Question) -> Vec<Failed> {
    let mut failed = Vec::new();
    let mut check = |condition, expected: String, holds: bool, got: &dyn Fn() -> String| {
        if !holds {
            failed.push(Failed { condition, expected, got: got() });
        }
    };
    match &when.path {
        Some(path) => {
            let holds = question.path.ends_with(path.as_str());
            check("path", quoted(path), holds, &|| quoted(&question.path));
        }
        None => check("path", quoted("…/chat/completions"), question.chat, &|| quoted(&question.path)),
    }
    if let Some(unread) = &question.unread
        && *when != (When { path: when.path.clone(), ..When::default() })
    {
        check("body", "a chat completion".to_owned(), false, &|| unread.clone());
        return failed;
    }
    let mut same = |condition, expected: &Option<String>, got: Option<&str>| {
        if let Some(expected) = expected {
            let shown = || got.map_or_else(|| "none".to_owned(), quoted);
            check(condition, quoted(expected), got == Some(expected), &shown);
        }
    };
    same("model", &when.model, question.model.as_deref());
    same("last_role", &when.last_role, question.last_role.as_deref());
    same("tool_choice", &when.tool_choice, question.tool_choice.as_deref());
    let mut contains = |condition, expected: &Option<String>, among: &[String]| {
        if let Some(expected) = expected {
            let holds = among.iter().any(|text| text.contains(expected.as_str()));
            check(condition, quoted(expected), holds, &|| list(among));
        }
    };
    contains("last_user_contains", &when.last_user_contains, question.last_user.as_slice());
    contains("last_contains", &when.last_contains, question.last_text.as_slice());
    contains("tool_result_contains", &when.tool_result_contains, &question.results);
    if let Some(name) = &when.tool_offered {
        check("tool_offered", quoted(name), question.tools.contains(name), &|| list(&question.tools));
    }
    if let Some(turn) = when.turn {
        check("turn", turn.to_string(), turn == question.turn, &|| question.turn.to_string());
    }
    if let Some(stream) = when.stream {
        check("stream", stream.to_string(), stream == question.stream, &|| question.stream.to_string());
    }
    if let Some(has) = when.has_tool_result {
        let got = !question.results.is_empty();
        check("has_tool_result", has.to_string(), has == got, &|| got.to_string());
    }
    failed
}

/// Names the step that came nearest, each condition that failed there, and what is used up.
fn explain(script: &Script, served: &[usize], question: &Question) -> String {
    let used = |number: usize, step: &Step| served.get(number).is_some_and(|n| *n > 0) && !step.repeat;
    let nearest = script
        .steps
        .iter()
        .enumerate()
        .map(|(number, step)| (failures(&step.when, question), used(number, step), number, step))
        .min_by_key(|(failed, used, number, _)| (failed.len() + usize::from(*used), *number));
    let Some((failed, spent, number, step)) = nearest else {
        return "the script has no steps".to_owned();
    };
    let mut reasons: Vec<String> = failed
        .iter()
        .map(|Failed { condition, expected, got }| format!("{condition}: expected {expected}, got {got}"))
        .collect();
    if spent {
        reasons.push("it has served already and does not repeat".to_owned());
    }
    let gone: Vec<String> = script
        .steps
        .iter()
        .enumerate()
        .filter(|(other, step)| *other != number && used(*other, step))
        .map(|(other, step)| step.title(other))
        .collect();
    if !gone.is_empty() {
        reasons.push(format!("used up: {}", gone.join(", ")));
    }
    format!("no step matches; the nearest is {}: {}", step.title(number), reasons.join("; "))
}

fn list(texts: &[String]) -> String {
    if texts.is_empty() {
        return "none".to_owned();
    }
    texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", ")
}

/// The text in quotes, cut where it is long.
fn quoted(text: &str) -> String {
    const SHOWN: usize = 120;
    let mut head: String = text.chars().take(SHOWN).collect();
    if head.len() < text.len() {
        head.push('…');
    }
    format!("{head:?}")
}
