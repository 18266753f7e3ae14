//! Who may come in, and whose state is whose.
//!
//! A key that opens this proxy is recognised here and marked, so that it is never passed on. A tenant is told by
//! what was shown; nothing but its digest is kept.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::hmac;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};

use super::failure::Failure;
use super::upstream::headers::CREDENTIALS;
use crate::config::Plan;
use crate::config::plan::Secret;

#[cfg(test)]
mod tests;

/// Whose state it is: state is never shared between two of these.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Tenant([u8; 16]);

/// Tells tenants apart, and keeps out who has no key.
#[derive(Debug)]
pub(crate) struct Door {
    secret: hmac::Key,
    /// Digests of the keys that open; if empty, the door is open.
    keys: Vec<hmac::Tag>,
}

/// What the door found out about a request.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) tenant: Tenant,
    /// The headers that show a key of this proxy.
    pub(crate) ours: Vec<HeaderName>,
}

// === impl Door ===

impl Door {
    pub(crate) fn new(plan: &Plan) -> Self {
        let secret = hmac::Key::new(hmac::HMAC_SHA256, plan.state.secret.expose());
        let keys = plan.listen.keys.iter().map(Secret::expose).map(|key| digest(&secret, [key])).collect();
        Self { secret, keys }
    }

    pub(crate) fn admit(&self, headers: &HeaderMap) -> Result<Entry, Failure> {
        if self.keys.is_empty() {
            let shown = credentials(headers).map(|(_, shown)| shown);
            return Ok(Entry { tenant: Tenant::of(&digest(&self.secret, shown)), ours: Vec::new() });
        }
        let mut tenant = None;
        let mut ours = Vec::new();
        for (name, shown) in credentials(headers) {
            let shown = digest(&self.secret, [shown]);
            if self.opens(&shown) {
                tenant.get_or_insert(Tenant::of(&shown));
                ours.push(name);
            }
        }
        tenant.map(|tenant| Entry { tenant, ours }).ok_or(Failure::Unauthorized)
    }

    /// Every key is compared, and wholly: how long it takes says nothing about any of them.
    fn opens(&self, shown: &hmac::Tag) -> bool {
        let matches = |key: &hmac::Tag| verify_slices_are_equal(key.as_ref(), shown.as_ref()).is_ok();
        self.keys.iter().fold(false, |opened, key| opened | matches(key))
    }
}

// === impl Tenant ===

impl Tenant {
    fn of(tag: &hmac::Tag) -> Self {
        let mut digest = [0; 16];
        for (to, from) in digest.iter_mut().zip(tag.as_ref()) {
            *to = *from;
        }
        Self(digest)
    }

    #[cfg(test)]
    pub(crate) fn for_tests(number: u8) -> Self {
        Self([number; 16])
    }

    pub fn bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl std::fmt::Debug for Tenant {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Tenant({:032x})", u128::from_be_bytes(self.0))
    }
}

/// Each with its length, so that two lists never run together into the same bytes.
fn digest<'a>(secret: &hmac::Key, shown: impl IntoIterator<Item = &'a [u8]>) -> hmac::Tag {
    let mut context = hmac::Context::with_key(secret);
    for bytes in shown {
        context.update(&(bytes.len() as u64).to_le_bytes());
        context.update(bytes);
    }
    context.sign()
}

/// All keys that a request shows: were only the first taken, agents that send a placeholder in one header and
/// their key in another would be one tenant.
fn credentials(headers: &HeaderMap) -> impl Iterator<Item = (HeaderName, &[u8])> {
    CREDENTIALS.into_iter().flat_map(move |name| {
        headers
            .get_all(&name)
            .iter()
            .map(move |value| (name.clone(), token(&name, value)))
            .collect::<Vec<_>>()
    })
}

/// The key itself, without its scheme.
fn token<'a>(name: &HeaderName, value: &'a HeaderValue) -> &'a [u8] {
    let value = value.as_bytes().trim_ascii();
    if *name != AUTHORIZATION {
        return value;
    }
    match value.split_at_checked(b"bearer ".len()) {
        Some((scheme, key)) if scheme.eq_ignore_ascii_case(b"bearer ") => key.trim_ascii(),
        _ => value,
    }
}
