//! The operator's rules as they are meant: globs and patterns compiled, nothing left to interpret.
//!
//! `config` makes them; everything in `guard` reads them.

use globset::GlobSet;
use regex::Regex;

use super::constrain::Additions;
use super::notice::Notices;

/// Everything that decides.
#[derive(Clone, Debug)]
pub struct Rules {
    pub mode: Mode,
    /// How often one exchange may go back to the model; the last time it concludes.
    pub rounds: u32,
    pub calls: CallRules,
    pub failures: FailureRules,
    pub history: HistoryRules,
    /// In the order written: of scalars the later wins, lists add up.
    pub tools: Vec<ToolRule>,
    pub notices: Notices,
    pub additions: Additions,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    #[default]
    Enforce,
    /// Decide and record; hold nothing, change nothing.
    Observe,
}

/// What to do about arguments and names.
#[derive(Clone, Debug)]
pub struct CallRules {
    /// Loss-free repairs and schema-guided coercion.
    pub repair: bool,
    pub unknown_tool: Treatment,
    pub invalid: Treatment,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Treatment {
    #[default]
    Refuse,
    Forward,
}

/// What to do about a history.
#[derive(Clone, Debug)]
pub struct HistoryRules {
    /// What providers would refuse is mended.
    pub mend: bool,
}

/// What to remember of failures.
#[derive(Clone, Debug)]
pub struct FailureRules {
    pub refuse: bool,
    /// Entries kept; the oldest failure goes first.
    pub capacity: usize,
    pub reopen: Reopen,
    /// Tools known to change nothing, besides those told by their names.
    pub read_only: GlobSet,
    /// Pointer in a JSON result whose string says: this failed for good.
    pub marker: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Reopen {
    /// A user message empties the ledger.
    #[default]
    User,
    Never,
}

/// One `[[tool]]` block.
#[derive(Clone, Debug, Default)]
pub struct ToolRule {
    pub names: GlobSet,
    pub read_only: Option<bool>,
    /// Failures before an equivalent call is refused.
    pub after: Option<u32>,
    /// Pointers that are not part of a call's identity.
    pub ignore: Vec<String>,
    pub arguments: Vec<ArgumentRule>,
    pub results: Vec<ResultRule>,
    /// Pointers that are taken out of JSON results.
    pub strip: Vec<String>,
    /// Bytes of a result that the model gets.
    pub max_result: Option<usize>,
    pub deny: Vec<DenyRule>,
}

/// What is known of one argument.
#[derive(Clone, Debug)]
pub struct ArgumentRule {
    pub at: String,
    pub normalise: Vec<Normalise>,
    /// A JSON Schema that the value must meet besides the tool's own.
    pub schema: Option<String>,
}

/// An operation on a string argument. Each is idempotent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Normalise {
    Trim,
    Lowercase,
    Uppercase,
    /// Runs of white space and underscores become one hyphen; nothing else is touched.
    Kebab,
    /// Runs of white space become one space.
    CollapseSpace,
}

/// How to class a result. The first that matches counts.
#[derive(Clone, Debug)]
pub struct ResultRule {
    pub when: ResultWhen,
    pub class: ResultClass,
}

/// All that is given must hold.
#[derive(Clone, Debug, Default)]
pub struct ResultWhen {
    /// HTTP statuses, ranges inclusive; empty: any result, with or without one.
    pub status: Vec<(u16, u16)>,
    pub except: Vec<u16>,
    pub matches: Option<Regex>,
    /// Pointer into a JSON result that must be there and be neither `false`, `null` nor empty.
    pub pointer: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultClass {
    Success,
    /// A mistake in the arguments, which the model can mend.
    Correctable,
    Failed,
    /// It will fail the same way until the user speaks.
    Terminal,
    /// It may work the next time.
    Transient,
    /// An interrupt or an approval: no outcome.
    Control,
}

/// What never goes through.
#[derive(Clone, Debug)]
pub struct DenyRule {
    /// Every string at or below this pointer is looked at.
    pub at: String,
    pub pattern: Regex,
    pub reason: String,
}

/// All that the rules say of one tool, the blocks that match it laid together.
#[derive(Clone, Debug, Default)]
pub struct ToolPolicy<'a> {
    pub read_only: Option<bool>,
    pub after: Option<u32>,
    pub ignore: &'a [String],
    pub arguments: Vec<&'a ArgumentRule>,
    /// Those of later blocks first.
    pub results: Vec<&'a ResultRule>,
    pub strip: Vec<&'a str>,
    pub max_result: Option<usize>,
    pub deny: Vec<&'a DenyRule>,
}

impl Rules {
    /// Lays together what the rules say of `tool`.
    pub fn policy(&self, tool: &str) -> ToolPolicy<'_> {
        let mut policy = ToolPolicy::default();
        for rule in self.tools.iter().filter(|rule| rule.names.is_match(tool)) {
            policy.read_only = rule.read_only.or(policy.read_only);
            policy.after = rule.after.or(policy.after);
            if !rule.ignore.is_empty() {
                policy.ignore = &rule.ignore;
            }
            policy.arguments.extend(&rule.arguments);
            policy.results.splice(0..0, &rule.results);
            policy.strip.extend(rule.strip.iter().map(String::as_str));
            policy.max_result = rule.max_result.or(policy.max_result);
            policy.deny.extend(&rule.deny);
        }
        policy
    }
}

impl Default for CallRules {
    fn default() -> Self {
        Self { repair: true, unknown_tool: Treatment::Refuse, invalid: Treatment::Refuse }
    }
}

impl Default for HistoryRules {
    fn default() -> Self {
        Self { mend: true }
    }
}

impl Default for FailureRules {
    fn default() -> Self {
        Self {
            refuse: true,
            capacity: 128,
            reopen: Reopen::User,
            read_only: GlobSet::empty(),
            marker: "/_terminal_failure".to_owned(),
        }
    }
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            mode: Mode::Enforce,
            rounds: 3,
            calls: CallRules::default(),
            failures: FailureRules::default(),
            history: HistoryRules::default(),
            tools: Vec::new(),
            notices: Notices::default(),
            additions: Additions::default(),
        }
    }
}
