//! How dear a schema can get, told before it is compiled or run.
//!
//! References may stand for one another so often that a short text means more schemas than anyone can look at.
//! And where a schema refers to itself from several branches of a choice, each level of the arguments multiplies
//! the work. A validator cannot be stopped once it runs, so neither is let come to that.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use serde_json::Value;

/// What a schema amounts to with every reference written out once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Weight {
    /// Schemas and other values in it.
    nodes: u64,
    /// References that lead back into what they stand in.
    circles: u64,
}

/// A walk over a schema's text.
struct Scale<'s> {
    root: &'s Value,
    /// By pointer; `None` while it is being weighed.
    known: HashMap<&'s str, Option<Weight>>,
}

/// More is not looked at. The largest schema among some thousand tools seen comes to a few thousand.
const NODES: u64 = 200_000;

/// Levels of the walk, references followed: what compiles it recurses likewise.
const LEVELS: u32 = 400;

/// Schemas that may be looked at for one set of arguments, where a schema leads back to itself.
const WORK: f64 = 1e6;

/// Levels of arguments that are looked at in any case.
const SHALLOW: usize = 4;

// === impl Weight ===

impl Weight {
    /// Weighs a schema; `None` where it is too heavy.
    pub(super) fn of(schema: &Value) -> Option<Self> {
        let mut scale = Scale { root: schema, known: HashMap::from([("", None)]) };
        scale.weigh(schema, 0)
    }

    /// How deep arguments may be for this schema to be held against them; `None`: as deep as they like.
    pub(super) fn deepest(self) -> Option<usize> {
        if self.circles < 2 {
            return None;
        }
        let mut depth = 0;
        let mut work = 1.0;
        #[expect(clippy::cast_precision_loss, reason = "far below what a float holds exactly")]
        while work * self.circles as f64 <= WORK {
            work *= self.circles as f64;
            depth += 1;
        }
        Some(depth.max(SHALLOW))
    }

    fn add(&mut self, other: Self) -> Option<()> {
        self.nodes += other.nodes;
        self.circles += other.circles;
        (self.nodes <= NODES).then_some(())
    }
}

// === impl Scale ===

impl<'s> Scale<'s> {
    fn weigh(&mut self, value: &'s Value, level: u32) -> Option<Weight> {
        let mut weight = Weight { nodes: 1, circles: 0 };
        if level > LEVELS {
            return None;
        }
        match value {
            Value::Array(items) => {
                for item in items {
                    weight.add(self.weigh(item, level + 1)?)?;
                }
            }
            Value::Object(members) => {
                for (name, member) in members {
                    let part = match (name.as_str(), member) {
                        // These count where they are referred to.
                        ("$defs" | "definitions", _) => continue,
                        ("$ref", Value::String(target)) => self.follow(target, level + 1)?,
                        ("$dynamicRef" | "$recursiveRef", _) => Weight { nodes: 1, circles: 1 },
                        (_, member) => self.weigh(member, level + 1)?,
                    };
                    weight.add(part)?;
                }
            }
            _ => {}
        }
        Some(weight)
    }

    fn follow(&mut self, target: &'s str, level: u32) -> Option<Weight> {
        // One that no pointer finds may lead anywhere, so back.
        let circle = Weight { nodes: 1, circles: 1 };
        let found = target.strip_prefix('#').and_then(|at| Some((at, self.root.pointer(at)?)));
        let Some((pointer, schema)) = found else { return Some(circle) };
        match self.known.get(pointer) {
            Some(Some(weight)) => Some(*weight),
            Some(None) => Some(circle),
            None => {
                self.known.insert(pointer, None);
                let weight = self.weigh(schema, level)?;
                self.known.insert(pointer, Some(weight));
                Some(weight)
            }
        }
    }
}

/// How many objects and arrays lie inside one another.
pub(super) fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or_default(),
        Value::Object(members) => 1 + members.values().map(depth).max().unwrap_or_default(),
        _ => 0,
    }
}
