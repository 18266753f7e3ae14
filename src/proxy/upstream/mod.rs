//! The way to the providers: which one, at what address, with which headers, over which connection.
//!
//! One [`Target`] for each configured provider, with a pool of connections of its own, built at start. Whoever
//! drops the future of a request, or the body of its answer, aborts that request at the provider.

mod connect;
mod dialer;
pub mod headers;
mod join;
mod outgoing;
mod relayed;
mod target;

use std::sync::Arc;

use crate::config::Plan;
use crate::config::plan::Upstream;

pub use connect::ConnectError;
pub(crate) use connect::crypto;
pub use headers::Way;
pub use outgoing::Outgoing;
pub(crate) use relayed::relayed;
pub use target::{Answer, Prepared, Target};

#[cfg(test)]
mod tests;

/// Every provider of a plan.
#[derive(Debug)]
pub struct Upstreams {
    /// In the order of the configuration; never empty.
    targets: Vec<Arc<Target>>,
    /// Index of the one that takes what no other wants.
    fallback: Arc<Target>,
}

/// Why the way to a provider cannot be laid.
#[derive(Debug, thiserror::Error)]
pub enum UpstreamError {
    #[error("no upstream is configured")]
    None,
    #[error("the upstream `{name}` cannot be used")]
    Unusable { name: String, source: ConnectError },
}

// === impl Upstreams ===

impl Upstreams {
    pub fn new(plan: &Plan) -> Result<Self, UpstreamError> {
        let targets = plan
            .upstreams
            .iter()
            .map(|upstream| {
                Target::new(Arc::clone(upstream), plan.listen.idle_timeout)
                    .map(Arc::new)
                    .map_err(|source| UpstreamError::Unusable { name: upstream.name.clone(), source })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let open = |target: &&Arc<Target>| is_open(target.upstream());
        let fallback = targets.iter().rfind(open).or(targets.last()).cloned().ok_or(UpstreamError::None)?;
        Ok(Self { targets, fallback })
    }

    /// The first provider that asks for this model or path; else the default.
    pub fn route(&self, path: &str, model: Option<&str>) -> &Arc<Target> {
        let wants = |target: &&Arc<Target>| {
            let upstream = target.upstream();
            !is_open(upstream) && takes_model(upstream, model) && takes_path(upstream, path)
        };
        self.targets.iter().find(wants).unwrap_or(&self.fallback)
    }
}

fn is_open(upstream: &Upstream) -> bool {
    upstream.models.is_none() && upstream.paths.is_none()
}

fn takes_model(upstream: &Upstream, model: Option<&str>) -> bool {
    let Some(models) = &upstream.models else { return true };
    model.is_some_and(|model| models.is_match(model))
}

/// An agent's base URL may or may not end in `/v1`; a pattern means both.
fn takes_path(upstream: &Upstream, path: &str) -> bool {
    let Some(paths) = &upstream.paths else { return true };
    paths.is_match(path) || (!path.starts_with("/v1/") && paths.is_match(format!("/v1{path}")))
}
