//! The guard's rules out of `[guard]` and the `[[tool]]` blocks; what is added to prompts is left to `additions`.

use std::collections::BTreeMap;

use toml::Spanned;

use super::Compiler;
use crate::config::error::unknown;
use crate::config::written;
use crate::guard::Rules;
use crate::guard::notice::{Locale, Notice, Notices};
use crate::guard::rules::{
    ArgumentRule, CallRules, DenyRule, FailureRules, HistoryRules, Mode, Normalise, Reopen, ResultClass,
    ResultRule, ResultWhen, ToolRule, Treatment,
};

/// More than any model has use for: what it has not learnt by then it will not learn.
const MOST_ROUNDS: u32 = 16;

impl Compiler<'_> {
    pub(super) fn rules(&mut self, file: &written::File) -> Rules {
        let guard = &file.guard;
        Rules {
            mode: match guard.mode {
                written::Mode::Enforce => Mode::Enforce,
                written::Mode::Observe => Mode::Observe,
            },
            rounds: self.rounds(&guard.rounds),
            calls: CallRules {
                repair: guard.calls.repair,
                unknown_tool: treatment(guard.calls.unknown_tool),
                invalid: treatment(guard.calls.invalid),
            },
            failures: failures(&guard.failures),
            history: HistoryRules { mend: guard.history.mend },
            tools: file.tool.iter().map(|tool| self.tool(tool)).collect(),
            notices: self.notices(&guard.locale, &guard.notice),
            additions: self.additions(file),
        }
    }

    fn rounds(&mut self, written: &Spanned<u32>) -> u32 {
        let rounds = *written.get_ref();
        if rounds > MOST_ROUNDS {
            self.fault(
                written.span(),
                format!("must be {MOST_ROUNDS} at most: each is a request that is paid for"),
            );
        }
        rounds
    }

    fn notices(
        &mut self,
        locale: &Spanned<String>,
        written: &BTreeMap<Spanned<String>, Spanned<String>>,
    ) -> Notices {
        let mut notices = Notices::new(self.locale(locale));
        let known = Notice::ALL.map(Notice::code);
        for (name, text) in written {
            if !known.contains(&name.get_ref().as_str()) {
                self.fault(name.span(), unknown("key", name.get_ref(), &known));
            } else if let Err(message) = notices.replace(name.get_ref(), text.get_ref()) {
                self.fault(text.span(), message);
            }
        }
        notices
    }

    fn locale(&mut self, written: &Spanned<String>) -> Locale {
        let code = written.get_ref();
        Locale::ALL.into_iter().find(|locale| locale.code() == code).unwrap_or_else(|| {
            let known = Locale::ALL.map(Locale::code).join(", ");
            let message = format!("unknown locale `{}`; known here: {known}", code.escape_debug());
            self.fault(written.span(), message);
            Locale::default()
        })
    }

    fn tool(&mut self, written: &written::Tool) -> ToolRule {
        if written.name.get_ref().written.is_empty() {
            self.fault(written.name.span(), "names no tool; `[\"*\"]` means all");
        }
        ToolRule {
            names: written.name.get_ref().set.clone(),
            read_only: written.read_only,
            after: written.after.map(std::num::NonZeroU32::get),
            ignore: written.ignore.iter().map(|pointer| pointer.0.clone()).collect(),
            arguments: written.argument.iter().map(argument).collect(),
            results: written.result.iter().map(result).collect(),
            deny: written.deny.iter().map(deny).collect(),
        }
    }
}

fn treatment(written: written::Treatment) -> Treatment {
    match written {
        written::Treatment::Refuse => Treatment::Refuse,
        written::Treatment::Forward => Treatment::Forward,
    }
}

fn failures(written: &written::Failures) -> FailureRules {
    FailureRules {
        refuse: written.refuse,
        capacity: usize::try_from(written.capacity).unwrap_or(usize::MAX),
        reopen: match written.reopen {
            written::Reopen::User => Reopen::User,
            written::Reopen::Never => Reopen::Never,
        },
        read_only: written.read_only.set.clone(),
        marker: written.marker.0.clone(),
    }
}

fn argument(written: &written::Argument) -> ArgumentRule {
    let operation = |operation: &written::Operation| match operation {
        written::Operation::Trim => Normalise::Trim,
        written::Operation::Lowercase => Normalise::Lowercase,
        written::Operation::Uppercase => Normalise::Uppercase,
        written::Operation::Kebab => Normalise::Kebab,
        written::Operation::CollapseSpace => Normalise::CollapseSpace,
    };
    ArgumentRule {
        at: written.at.0.clone(),
        normalise: written.normalise.iter().map(operation).collect(),
        schema: written.schema.as_ref().map(|overlay| overlay.0.clone()),
    }
}

fn result(written: &written::Outcome) -> ResultRule {
    ResultRule {
        when: ResultWhen {
            status: written.when.status.iter().map(|status| (status.first, status.last)).collect(),
            except: written.when.except.iter().flat_map(|status| status.first..=status.last).collect(),
            matches: written.when.matches.as_ref().map(|pattern| pattern.0.clone()),
            pointer: written.when.pointer.as_ref().map(|pointer| pointer.0.clone()),
        },
        class: match written.class {
            written::Class::Success => ResultClass::Success,
            written::Class::Correctable => ResultClass::Correctable,
            written::Class::Failed => ResultClass::Failed,
            written::Class::Terminal => ResultClass::Terminal,
            written::Class::Transient => ResultClass::Transient,
            written::Class::Control => ResultClass::Control,
        },
    }
}

fn deny(written: &written::Deny) -> DenyRule {
    DenyRule { at: written.at.0.clone(), pattern: written.matches.0.clone(), reason: written.reason.clone() }
}
