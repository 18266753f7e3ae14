//! What is the same in all events of one answer.
//!
//! Events of our own repeat what the provider told first. Where no answer of a provider came at all, what is said
//! in the model's place is an answer nevertheless, and has what every answer must have.

use sha2::{Digest as _, Sha256};

use crate::dialect::Transcript;
use crate::wire::canonical::{Digest, quote};
use crate::wire::span::Span;

use super::super::event::Event;
use super::super::value::Seed;

/// As the provider told it: raw values of the first round.
#[derive(Clone, Debug, Default)]
pub(super) struct Head {
    pub(super) id: Option<String>,
    pub(super) created: Option<String>,
    pub(super) model: Option<String>,
}

/// What stands in its place.
#[derive(Clone, Debug)]
pub(super) struct Own {
    seed: Seed,
    /// Seconds since 1970.
    pub(super) created: u64,
    /// The model that was asked, as a JSON string.
    model: String,
}

// === impl Head ===

impl Head {
    pub(super) fn keep(&mut self, event: &Event, data: &str) {
        let raw = |span: Option<Span>| span.map(|span| span.of(data).to_owned());
        self.id = self.id.take().or_else(|| raw(event.id));
        self.created = self.created.take().or_else(|| raw(event.created));
        self.model = self.model.take().or_else(|| raw(event.model));
    }

    /// The members, each with a comma behind it.
    pub(super) fn members(&self, own: &Own) -> String {
        let known = [("id", &self.id), ("created", &self.created), ("model", &self.model)];
        if known.iter().all(|(_, value)| value.is_none()) {
            return own.members();
        }
        let told = known.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
        told.map(|(name, value)| format!("\"{name}\":{value},")).collect::<Vec<_>>().concat()
    }
}

// === impl Own ===

impl Own {
    pub(super) fn of(transcript: &Transcript) -> Self {
        let model = quote(&transcript.model().unwrap_or_default());
        Self { seed: Seed::of(transcript), created: 0, model }
    }

    fn members(&self) -> String {
        let Self { seed, created, model } = self;
        let digest: Digest = Sha256::digest(format!("{} {created}", seed.text())).into();
        let id =
            digest.iter().take(12).fold(String::from("chatcmpl_"), |id, byte| id + &format!("{byte:02x}"));
        format!("\"id\":\"{id}\",\"created\":{created},\"model\":{model},")
    }
}
