//! The configuration: one TOML file, as it is [`written`], and as it is meant, the [`Plan`].
//!
//! [`load`] reads the file, lays the command line over it and checks everything at once: what is wrong is told
//! with file, line, column, key and the nearest known key, as many mistakes as can be found in one go. No file
//! is a configuration too. Nothing is checked again once requests run; nothing is watched for changes here.

mod compile;
mod document;
pub mod error;
pub mod plan;
pub mod survey;
pub mod value;
pub mod written;

pub use error::{Error, Fault};
pub use plan::Plan;
pub use survey::Survey;

use std::net::SocketAddr;
use std::path::Path;

use crate::guard::rules::Mode;
use document::Document;
pub use document::Environment;
use value::BaseUrl;
use written::{File, Upstream, built_in};

/// What the command line says. It wins over the file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Overrides {
    pub listen: Option<SocketAddr>,
    /// Stands in the place of all providers of the file: a key that was written for one of them must not go to
    /// another.
    pub upstream: Option<BaseUrl>,
    pub mode: Option<Mode>,
}

/// Reads the configuration from a file, or from nothing.
pub fn load(path: Option<&Path>, overrides: &Overrides) -> Result<Plan, Error> {
    Ok(load_surveyed(path, overrides)?.0)
}

/// The same, and what the file says key by key.
pub fn load_surveyed(path: Option<&Path>, overrides: &Overrides) -> Result<(Plan, Survey), Error> {
    let environment = |name: &str| std::env::var(name).ok();
    let Some(path) = path else {
        return look("(no file)", "", Path::new(""), overrides, &environment);
    };
    let text =
        std::fs::read_to_string(path).map_err(|source| Error::Closed { path: path.to_path_buf(), source })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    look(&path.display().to_string(), &text, folder, overrides, &environment)
}

/// Reads the configuration from a text, called `name` in what is told of it. Relative paths in it start at
/// `folder`.
pub fn parse(
    name: &str,
    text: &str,
    folder: &Path,
    overrides: &Overrides,
    environment: Environment<'_>,
) -> Result<Plan, Error> {
    Ok(look(name, text, folder, overrides, environment)?.0)
}

/// Reads a text as [`parse`] does, and surveys it.
fn look(
    name: &str,
    text: &str,
    folder: &Path,
    overrides: &Overrides,
    environment: Environment<'_>,
) -> Result<(Plan, Survey), Error> {
    let document = Document::parse(name, text, environment).map_err(Error::Faulty)?;
    let (mut file, mut faults) = document.read();
    overrides.apply(&mut file);
    let plan = compile::compile(&file, &document, folder, &mut faults)?;
    if faults.is_empty() {
        return Ok((plan, survey::survey(text, &file)));
    }
    faults.sort_by_key(|fault| (fault.line, fault.column));
    Err(Error::Faulty(faults))
}

// === impl Overrides ===

impl Overrides {
    fn apply(&self, file: &mut File) {
        if let Some(address) = self.listen {
            file.listen.address = built_in(address.to_string());
        }
        if let Some(base_url) = &self.upstream {
            let name = base_url.0.host().unwrap_or("upstream");
            file.upstream = built_in(vec![Upstream::at(name, base_url.clone())]);
        }
        if let Some(mode) = self.mode {
            file.guard.mode = match mode {
                Mode::Enforce => written::Mode::Enforce,
                Mode::Observe => written::Mode::Observe,
            };
        }
    }
}

#[cfg(test)]
mod tests;
