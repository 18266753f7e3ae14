//! All texts that a model can read from us, by locale. Each can be overridden by the operator.

/// The texts in force.
#[derive(Clone, Debug)]
pub struct Notices {
    _private: (),
}

/// Which text.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Notice {
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
    /// Said to the user in the model's place when it would not come to an end.
    FellBack,
}

impl Notices {
    /// Fills a text's placeholders: `{tool}` from `("tool", …)`.
    pub fn text(&self, notice: Notice, values: &[(&str, &str)]) -> String {
        todo!()
    }
    /// Puts `text` in the place of a built-in one. The name is the configuration key; unknown names and
    /// placeholders are errors, told in a message that says what is known.
    pub fn replace(&mut self, name: &str, text: &str) -> Result<(), String> {
        todo!()
    }
    /// Whether `text` was written by us, whatever filled its placeholders.
    pub fn wrote(&self, text: &str) -> bool {
        todo!()
    }
}

impl Default for Notices {
    fn default() -> Self {
        Self { _private: () }
    }
}
