//! From the written form to the [`Plan`]: what takes more than one value, or a file, to check.

mod additions;
mod rules;

use std::collections::HashSet;
use std::net::SocketAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use globset::GlobSet;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use toml::Spanned;

use super::document::Document;
use super::error::{Error, Fault};
use super::plan::{Events, HttpVersion, Listen, Plan, Secret, State, Tls, Upstream};
use super::value::{Globs, Interval, Size};
use super::written;

/// Gathers what is wrong while the plan is made. Where something is, the plan gets a stand-in.
struct Compiler<'a> {
    document: &'a Document<'a>,
    /// Where relative paths start.
    folder: &'a Path,
    faults: &'a mut Vec<Fault>,
}

/// Makes the plan. It is good only if no fault was added.
pub(super) fn compile(
    file: &written::File,
    document: &Document<'_>,
    folder: &Path,
    faults: &mut Vec<Fault>,
) -> Result<Plan, Error> {
    let mut compiler = Compiler { document, folder, faults };
    Ok(Plan {
        listen: compiler.listen(&file.listen),
        upstreams: compiler.upstreams(&file.upstream),
        rules: Arc::new(compiler.rules(file)),
        state: compiler.state(&file.state)?,
        events: compiler.events(&file.audit),
    })
}

impl Compiler<'_> {
    fn fault(&mut self, span: Range<usize>, message: impl Into<String>) {
        self.faults.push(self.document.fault(span, message.into()));
    }

    fn listen(&mut self, written: &written::Listen) -> Listen {
        Listen {
            address: self.address(&written.address),
            tls: written.tls.as_ref().and_then(|tls| self.tls(tls)),
            keys: written.keys.iter().map(|key| key.0.clone()).collect(),
            max_body: self.positive(&written.max_body),
            max_exchanges: usize::try_from(written.max_exchanges.get()).unwrap_or(usize::MAX),
            idle_timeout: self.lasting(&written.idle_timeout),
            heartbeat: written.heartbeat.0,
            drain: written.drain.0,
            max_held: self.positive(&written.max_held),
        }
    }

    fn address(&mut self, written: &Spanned<String>) -> SocketAddr {
        let text = written.get_ref();
        text.parse().unwrap_or_else(|_| {
            let message = format!("`{text}` is not an address and port such as \"127.0.0.1:8787\"");
            self.fault(written.span(), message);
            SocketAddr::from(([127, 0, 0, 1], 0))
        })
    }

    fn tls(&mut self, written: &written::Tls) -> Option<Tls> {
        let cert = self.certificates(&written.cert);
        let key = self.file(&written.key);
        if key.as_ref().is_some_and(|pem| PrivateKeyDer::from_pem_slice(pem).is_err()) {
            self.fault(written.key.span(), "the file holds no private key in PEM form");
        }
        Some(Tls { cert: cert?, key: Secret::new(key?) })
    }

    fn upstreams(&mut self, written: &Spanned<Vec<written::Upstream>>) -> Vec<Arc<Upstream>> {
        // An upstream that could not be read is missing here; that it is was told.
        if written.get_ref().is_empty() && self.faults.is_empty() {
            self.fault(
                written.span(),
                "at least one upstream is needed; leave the key out for the default one",
            );
        }
        self.one_takes_the_rest(written.get_ref());
        let mut names = HashSet::new();
        let mut upstreams = Vec::new();
        for upstream in written.get_ref() {
            let name = &upstream.name;
            if name.get_ref().is_empty() {
                self.fault(name.span(), "the name is empty");
            } else if !names.insert(name.get_ref()) {
                self.fault(name.span(), format!("another upstream is called `{name}` already"));
            }
            upstreams.push(Arc::new(self.upstream(upstream)));
        }
        upstreams
    }

    /// Of several that take the rest only one would ever be asked.
    fn one_takes_the_rest(&mut self, written: &[written::Upstream]) {
        let mut open = written.iter().filter(|one| one.models.is_none() && one.paths.is_none());
        let Some(first) = open.next() else { return };
        for other in open {
            let message = format!(
                "`{}` takes the rest already: `models` or `paths` must say what this one is for",
                first.name.get_ref()
            );
            self.fault(other.name.span(), message);
        }
    }

    fn upstream(&mut self, written: &written::Upstream) -> Upstream {
        Upstream {
            name: written.name.get_ref().clone(),
            base_url: written.base_url.0.clone(),
            models: self.narrowing(written.models.as_ref()),
            paths: self.narrowing(written.paths.as_ref()),
            key: written.key.as_ref().map(|key| key.0.clone()),
            headers: written.headers.iter().map(|(name, value)| (name.0.clone(), value.0.clone())).collect(),
            ca: written.ca.as_ref().and_then(|ca| self.certificates(ca)),
            http: match written.http {
                written::Http::One => HttpVersion::One,
                written::Http::Two => HttpVersion::Two,
                written::Http::Auto => HttpVersion::Auto,
            },
        }
    }

    fn narrowing(&mut self, written: Option<&Spanned<Globs>>) -> Option<GlobSet> {
        let globs = written?;
        if globs.get_ref().written.is_empty() {
            self.fault(globs.span(), "an empty list matches nothing; leave the key out to match all");
        }
        Some(globs.get_ref().set.clone())
    }

    fn state(&mut self, written: &written::State) -> Result<State, Error> {
        let secret = match &written.secret {
            Some(secret) => secret.0.clone(),
            None => random_secret()?,
        };
        Ok(State { memory: written.memory.0, ttl: self.lasting(&written.ttl), secret })
    }

    fn events(&mut self, written: &written::Audit) -> Events {
        match written.jsonl.as_deref() {
            None | Some("") => Events::Off,
            Some("-") => Events::Stdout,
            Some(path) => Events::File(self.path(path)),
        }
    }

    fn positive(&mut self, written: &Spanned<Size>) -> usize {
        if written.get_ref().0 == 0 {
            self.fault(written.span(), "must be more than 0");
        }
        written.get_ref().0
    }

    fn lasting(&mut self, written: &Spanned<Interval>) -> Duration {
        if written.get_ref().0.is_zero() {
            self.fault(written.span(), "must be longer than 0");
        }
        written.get_ref().0
    }

    fn certificates(&mut self, written: &Spanned<String>) -> Option<Vec<u8>> {
        let pem = self.file(written)?;
        let mut count = 0;
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            if let Err(error) = certificate {
                self.fault(written.span(), format!("the file holds a broken certificate: {error}"));
                return None;
            }
            count += 1;
        }
        if count == 0 {
            self.fault(written.span(), "the file holds no certificate in PEM form");
            return None;
        }
        Some(pem)
    }

    fn file(&mut self, written: &Spanned<String>) -> Option<Vec<u8>> {
        let path = self.path(written.get_ref());
        match std::fs::read(&path) {
            Ok(bytes) => Some(bytes),
            Err(error) => {
                self.fault(written.span(), format!("{} cannot be read: {error}", path.display()));
                None
            }
        }
    }

    fn path(&self, written: &str) -> PathBuf {
        self.folder.join(written)
    }
}

fn random_secret() -> Result<Secret, Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| Error::NoRandomness(error.to_string()))?;
    Ok(Secret::new(bytes))
}
