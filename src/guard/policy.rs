//! What the operator forbids.

use super::rules::DenyRule;

/// The first rule that an argument text meets: every string leaf at or below the rule's pointer is looked at,
/// under duplicate keys too. Text that is not JSON is matched as it stands.
pub fn denied<'a>(arguments: &str, rules: &[&'a DenyRule]) -> Option<&'a DenyRule> {
    todo!()
}
