//! The configuration as it is written, one type a table, with the defaults that `config.example.toml` shows.
//!
//! Each value is read and checked by its kind ([`super::value`]); what takes more than one value or a file to
//! check is left to `super::compile`. Nothing here is flattened or untagged: that would lose the place of a
//! mistake.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::value::{
    BaseUrl, Credential, Globs, Heartbeat, Interval, Name, Overlay, Pattern, Pointer, Size, Status, Text,
};

/// The whole file.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct File {
    pub listen: Listen,
    pub upstream: Spanned<Vec<Upstream>>,
    pub guard: Guard,
    pub tool: Vec<Tool>,
    pub constraint: Vec<Constraint>,
    pub audit: Audit,
    pub state: State,
}

/// `[listen]`
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Listen {
    pub address: Spanned<String>,
    pub tls: Option<Tls>,
    pub keys: Vec<Credential>,
    pub max_body: Spanned<Size>,
    pub max_held: Spanned<Size>,
    pub max_exchanges: NonZeroU32,
    pub idle_timeout: Spanned<Interval>,
    pub heartbeat: Heartbeat,
    pub drain: Interval,
}

/// `listen.tls`: two PEM files.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { cert = \"cert.pem\", key = \"key.pem\" }")]
pub struct Tls {
    pub cert: Spanned<String>,
    pub key: Spanned<String>,
}

/// `[[upstream]]`
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Upstream {
    pub name: Spanned<String>,
    pub base_url: BaseUrl,
    pub models: Option<Spanned<Globs>>,
    pub paths: Option<Spanned<Globs>>,
    pub key: Option<Credential>,
    #[serde(default)]
    pub headers: BTreeMap<Name, Text>,
    pub ca: Option<Spanned<String>>,
    #[serde(default)]
    pub http: Http,
}

/// `upstream.http`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
pub enum Http {
    #[default]
    #[serde(rename = "1.1")]
    One,
    #[serde(rename = "2")]
    Two,
    #[serde(rename = "auto")]
    Auto,
}

/// `[guard]`
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Guard {
    pub mode: Mode,
    pub rounds: Spanned<u32>,
    pub locale: Spanned<String>,
    pub notice: BTreeMap<Spanned<String>, Spanned<String>>,
    pub history: History,
    pub calls: Calls,
    pub failures: Failures,
}

/// `[guard.history]`
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct History {
    pub mend: bool,
}

/// `guard.mode`
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Enforce,
    Observe,
}

/// `[guard.calls]`
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Calls {
    pub repair: bool,
    pub unknown_tool: Treatment,
    pub invalid: Treatment,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Treatment {
    Refuse,
    Forward,
}

/// `[guard.failures]`
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Failures {
    pub refuse: bool,
    pub capacity: u32,
    pub reopen: Reopen,
    pub read_only: Globs,
    pub marker: Pointer,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reopen {
    User,
    Never,
}

/// `[[tool]]`
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Tool {
    pub name: Spanned<Globs>,
    pub describe: Option<Spanned<String>>,
    pub read_only: Option<bool>,
    pub after: Option<NonZeroU32>,
    #[serde(default)]
    pub ignore: Vec<Pointer>,
    #[serde(default)]
    pub argument: Vec<Argument>,
    #[serde(default)]
    pub result: Vec<Outcome>,
    #[serde(default)]
    pub deny: Vec<Deny>,
}

/// `[[tool.argument]]`
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Argument {
    pub at: Pointer,
    #[serde(default)]
    pub normalise: Vec<Operation>,
    pub schema: Option<Overlay>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    Trim,
    Lowercase,
    Uppercase,
    Kebab,
    CollapseSpace,
}

/// `[[tool.result]]`
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Outcome {
    pub when: When,
    #[serde(rename = "as")]
    pub class: Class,
}

/// `tool.result.when`
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table such as { status = [\"4xx\"] }")]
pub struct When {
    #[serde(default)]
    pub status: Vec<Status>,
    #[serde(default)]
    pub except: Vec<Status>,
    pub matches: Option<Pattern>,
    pub pointer: Option<Pointer>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    Success,
    Correctable,
    Failed,
    Terminal,
    Transient,
    Control,
}

/// `[[tool.deny]]`
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Deny {
    #[serde(default)]
    pub at: Pointer,
    pub matches: Pattern,
    pub reason: String,
}

/// `[[constraint]]`
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
pub struct Constraint {
    #[serde(default)]
    pub when: Where,
    #[serde(default)]
    pub place: Place,
    pub text: Spanned<String>,
}

/// `constraint.when`
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table such as { tools = [\"git_*\"] }")]
pub struct Where {
    pub tools: Option<Spanned<Globs>>,
    pub models: Option<Spanned<Globs>>,
    pub upstreams: Option<Spanned<Globs>>,
}

/// `constraint.place`: where in the request the text goes. There is one so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    #[default]
    System,
}

/// `[audit]`
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct Audit {
    pub jsonl: Option<String>,
}

/// `[state]`
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a table")]
pub struct State {
    pub memory: Size,
    pub ttl: Spanned<Interval>,
    pub secret: Option<Credential>,
}

// === defaults ===

/// A value that stands in no file.
pub(super) fn built_in<T>(value: T) -> Spanned<T> {
    Spanned::new(0..0, value)
}

impl Default for File {
    fn default() -> Self {
        Self {
            listen: Listen::default(),
            upstream: built_in(vec![Upstream::default()]),
            guard: Guard::default(),
            tool: Vec::new(),
            constraint: Vec::new(),
            audit: Audit::default(),
            state: State::default(),
        }
    }
}

impl Default for Listen {
    fn default() -> Self {
        Self {
            address: built_in("127.0.0.1:8787".to_owned()),
            tls: None,
            keys: Vec::new(),
            max_body: built_in(Size(64 << 20)),
            max_held: built_in(Size(4 << 20)),
            max_exchanges: NonZeroU32::new(4096).expect("it is not zero"),
            idle_timeout: built_in(Interval(Duration::from_mins(5))),
            heartbeat: Heartbeat(Some(Duration::from_secs(10))),
            drain: Interval(Duration::from_secs(30)),
        }
    }
}

impl Default for Upstream {
    fn default() -> Self {
        Self::at("openai", "https://api.openai.com/v1".parse().expect("it is a URL"))
    }
}

impl Upstream {
    /// The provider at `base_url`, with nothing else said of it.
    pub(super) fn at(name: &str, base_url: BaseUrl) -> Self {
        Self {
            name: built_in(name.to_owned()),
            base_url,
            models: None,
            paths: None,
            key: None,
            headers: BTreeMap::new(),
            ca: None,
            http: Http::One,
        }
    }
}

impl Default for Guard {
    fn default() -> Self {
        Self {
            mode: Mode::Enforce,
            rounds: built_in(3),
            locale: built_in("en".to_owned()),
            notice: BTreeMap::new(),
            history: History::default(),
            calls: Calls::default(),
            failures: Failures::default(),
        }
    }
}

impl Default for History {
    fn default() -> Self {
        Self { mend: true }
    }
}

impl Default for Calls {
    fn default() -> Self {
        Self { repair: true, unknown_tool: Treatment::Refuse, invalid: Treatment::Refuse }
    }
}

impl Default for Failures {
    fn default() -> Self {
        Self {
            refuse: true,
            capacity: 128,
            reopen: Reopen::User,
            read_only: Globs::default(),
            marker: Pointer("/_terminal_failure".to_owned()),
        }
    }
}

impl Default for State {
    fn default() -> Self {
        Self { memory: Size(256 << 20), ttl: built_in(Interval(Duration::from_hours(24))), secret: None }
    }
}
