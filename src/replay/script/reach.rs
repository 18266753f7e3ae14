//! Steps that can never serve: a script that has one does not say what its writer thinks.

use std::fmt;

use super::Script;

/// A step that an earlier one always comes before.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unreachable {
    /// Where it is written, if it is in a file.
    pub written: Option<String>,
    pub step: String,
    pub by: String,
}

// === impl Script ===

impl Script {
    /// The steps that can never serve, because an earlier one repeats and meets all that they meet.
    pub fn unreachable(&self) -> Vec<Unreachable> {
        let steps = self.steps.iter().enumerate();
        let shadowed = steps.filter_map(|(number, step)| {
            let mut before = self.steps.iter().enumerate().take(number);
            let (by, first) = before.find(|(other, earlier)| {
                earlier.repeat && earlier.when.covers(&step.when) && !self.is_over(*other, number)
            })?;
            let written = step.written.clone();
            Some(Unreachable { written, step: step.title(number), by: first.title(by) })
        });
        shadowed.collect()
    }

    /// Whether `other` has had its time once it could be the turn of `number`. Of steps in order that is so,
    /// but for neighbours.
    fn is_over(&self, other: usize, number: usize) -> bool {
        number > other + 1 && self.steps.get(other + 1).is_some_and(|next| next.ordered)
    }
}

// === impl Unreachable ===

impl fmt::Display for Unreachable {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.written {
            write!(formatter, "{place}: ")?;
        }
        write!(
            formatter,
            "{} can never be reached: {} repeats and answers all that it would",
            self.step, self.by
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::{Step, When};

    fn unreachable(script: Script) -> Vec<String> {
        script.unreachable().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_stands_behind_a_wider_step_that_repeats_is_never_reached() {
        let wide = || Step::new().on_user("a").say("x");
        let narrow = || Step::new().named("n").on_user("a").on_turn(1).say("y");
        let told = "step 2 (n) can never be reached: step 1 repeats and answers all that it would";
        assert_eq!(unreachable(Script::new().step(wide().repeat()).step(narrow())), [told]);
        assert_eq!(unreachable(Script::new().step(wide().repeat()).and_then(narrow())), [told]);
        let none: [&str; 0] = [];
        assert_eq!(unreachable(Script::new().step(wide()).step(narrow())), none, "it serves once");
        assert_eq!(unreachable(Script::new().step(narrow().repeat()).step(wide())), none, "it is narrower");
        let other = When { path: Some("/embeddings".to_owned()), ..When::default() };
        assert_eq!(unreachable(Script::new().step(wide().repeat()).step(narrow().when(other))), none);
        let between = Step::new().on_turn(3).say("z");
        let over = Script::new().step(wide().repeat()).and_then(between).and_then(narrow());
        assert_eq!(unreachable(over), none, "in order, the first is over by then");
    }

    #[test]
    fn tells_the_place() {
        let text = "[[step]]\nrepeat = true\nfinish = \"stop\"\n[[step]]\nfinish = \"stop\"\n";
        let script = Script::parse("s.toml", text).unwrap();
        assert!(script.unreachable()[0].to_string().starts_with("s.toml:4: step 2 can never"));
    }
}
