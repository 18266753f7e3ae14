//! Joining a request's path to a provider's base URL.
//!
//! Agents are configured with or without `/v1`, base URLs with or without a version and a trailing slash; all of
//! these must meet. The query, and every byte of the path that is not a repeated version, stay as they are.

use http::Uri;
use http::uri::{InvalidUri, PathAndQuery};

#[cfg(test)]
mod tests;

/// The path and query to ask a provider for.
///
/// - Where the base ends in a version (`/v1`, `/api/v1`) and the path begins with the same segments, they are
///   taken once.
/// - Where the base holds a version anywhere (`/api/paas/v4`, `/v1beta/openai`), a leading `/v1` of the path is
///   only the agent's habit, and is dropped.
/// - Nothing is ever added: providers with and without versions both exist.
pub(super) fn join(base: &Uri, asked: &PathAndQuery) -> Result<PathAndQuery, InvalidUri> {
    let base = base.path().trim_end_matches('/');
    let path = asked.path();
    // `OPTIONS *` asks about the server; `//x` comes of a base URL with a trailing slash.
    let path = if path == "*" { "" } else { path.trim_start_matches('/') };
    let rest = without_version(base, path);
    let query = asked.query().map_or_else(String::new, |query| format!("?{query}"));
    let slash = if rest.is_empty() && !base.is_empty() { "" } else { "/" };
    format!("{base}{slash}{rest}{query}").try_into()
}

/// `path` (without its leading slash) without the segments that `base` already has.
fn without_version<'a>(base: &str, path: &'a str) -> &'a str {
    if base.rsplit('/').next().is_some_and(is_version) {
        // The longest ending of the base first: `/api/v1` before `/v1`.
        let mut endings = base.match_indices('/').filter_map(|(at, _)| base.get(at + 1..));
        if let Some(rest) = endings.find_map(|ending| after(ending, path)) {
            return rest;
        }
    }
    if base.split('/').any(is_version) { after("v1", path).unwrap_or(path) } else { path }
}

/// What follows `start` in `path`, where it is made of whole segments.
fn after<'a>(start: &str, path: &'a str) -> Option<&'a str> {
    let rest = path.strip_prefix(start)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// `v1`, `v4`, `v1beta`, `v1alpha1`.
fn is_version(segment: &str) -> bool {
    let Some(rest) = segment.strip_prefix('v') else { return false };
    rest.starts_with(|first: char| first.is_ascii_digit())
        && rest.bytes().all(|byte| byte.is_ascii_alphanumeric())
}
