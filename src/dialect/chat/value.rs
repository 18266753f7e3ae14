//! Elements and answers by value, so that they are known again however an agent writes them.
//!
//! Half of all agents write arguments anew, some turn a string into a list of one part and back, some move
//! cache marks, many drop reasoning. None of that makes another element.

use std::sync::OnceLock;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use crate::dialect::{Element, Transcript, Visible};
use crate::wire::canonical::{Digest, canonical, digest};
use crate::wire::span::{Json, Kind};

/// What ids of ours are made from: the same for the same request, another in the next. Few answers need one, so
/// it is digested when one does.
#[derive(Clone, Debug)]
pub(super) struct Seed {
    /// The last element of the history.
    last: Bytes,
    elements: usize,
    /// Of `last`, once it was needed.
    digest: OnceLock<Digest>,
}

impl Seed {
    pub(super) fn of(transcript: &Transcript) -> Self {
        let span = transcript.elements.last().map(|element| element.span).unwrap_or_default();
        let last = transcript.body().slice(span.start..span.end);
        Self { last, elements: transcript.elements.len(), digest: OnceLock::new() }
    }

    pub(super) fn text(&self) -> String {
        let digest = self.digest.get_or_init(|| Sha256::digest(&self.last).into());
        format!("{} {digest:?}", self.elements)
    }
}

/// The text and the calls (id, name, arguments) of an answer.
pub(super) fn visible(text: &str, calls: &[(String, String, String)]) -> Digest {
    let mut links = Vec::new();
    link(&mut links, text.as_bytes());
    for (id, name, arguments) in calls {
        link(&mut links, id.as_bytes());
        link(&mut links, name.as_bytes());
        link(&mut links, by_value(arguments).as_bytes());
    }
    Sha256::digest(links).into()
}

/// An assistant's element of a history, as an answer that an agent saw.
pub(crate) fn visible_of(transcript: &Transcript, element: &Element) -> Visible {
    let calls: Vec<_> = transcript
        .calls(element)
        .into_iter()
        .map(|call| (call.id.into_owned(), call.name.into_owned(), call.arguments.into_owned()))
        .collect();
    let digest = visible(&transcript.content(element), &calls);
    Visible { ids: calls.into_iter().map(|(id, ..)| id).collect(), digest }
}

/// An element's value as bytes. Two elements that say the same have the same.
pub(crate) fn bytes_of(transcript: &Transcript, element: &Element) -> Vec<u8> {
    let mut links = vec![element.role as u8];
    match element.content.map(|span| transcript.json(span)) {
        Some(content) if content.kind() == Kind::Array => {
            for part in content.elements() {
                link(&mut links, &part_value(part));
            }
        }
        Some(content) => {
            link(&mut links, content.string().unwrap_or_else(|| content.text().into()).as_bytes());
        }
        None => link(&mut links, b""),
    }
    for call in transcript.calls(element) {
        link(&mut links, call.id.as_bytes());
        link(&mut links, call.name.as_bytes());
        link(&mut links, by_value(&call.arguments).as_bytes());
    }
    link(&mut links, transcript.answers(element).unwrap_or_default().as_bytes());
    links
}

fn part_value(part: Json<'_>) -> Vec<u8> {
    match part.member("text").and_then(Json::string) {
        Some(text) => text.into_owned().into_bytes(),
        None => digest(part, &["/cache_control".to_owned()]).to_vec(),
    }
}

fn by_value(arguments: &str) -> String {
    Json::parse(arguments).map_or_else(|_| arguments.to_owned(), canonical)
}

fn link(links: &mut Vec<u8>, bytes: &[u8]) {
    links.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
    links.extend_from_slice(bytes);
}
