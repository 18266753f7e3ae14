//! What passed in one scene, put together from both ends: what the provider was asked and said, and what the
//! agent heard. Nothing in it comes from the proxy itself.

use std::ops::Range;

use serde::Deserialize;

use super::agent::{SYSTEM, Turn};
use super::scene::{Cancelled, Expected, Fate, Scene};
use crate::replay::{Recorded, Server, strict};

#[cfg(test)]
mod tests;

/// One conversation, as it went.
#[derive(Debug)]
pub(super) struct Story {
    /// The call of a turn that was cancelled before.
    pub(super) lost: Option<Judged>,
    /// What the provider would have said to the first request as the agent sent it, if that is a refusal.
    pub(super) refusal: Option<String>,
    pub(super) answers: Vec<Answer>,
    /// What the model was told at the head of the history besides what the agent tells it.
    pub(super) told: String,
    /// What the provider was asked, in order.
    requests: Vec<Recorded>,
}

/// One answer that the agent got, and the rounds it took.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) turn: Turn,
    pub(super) rounds: Vec<Round>,
}

/// What the model said in one round.
#[derive(Clone, Debug)]
pub(super) struct Round {
    pub(super) text: String,
    pub(super) calls: Vec<Judged>,
}

/// A call of the model.
#[derive(Clone, Debug)]
pub(super) struct Judged {
    pub(super) id: String,
    pub(super) name: String,
    /// The arguments as the model wrote them.
    pub(super) written: String,
    pub(super) became: Became,
    /// What the agent's tool answered, if it ran.
    pub(super) answered: Option<String>,
    /// What the model was told of it in the end.
    pub(super) result: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Became {
    /// The agent got it as it was written.
    Forwarded,
    /// The agent got it with these arguments.
    Rewritten(String),
    /// The agent never got it.
    Kept,
    /// The agent got it in a turn that was cancelled.
    Lost,
}

#[derive(Deserialize)]
struct Request {
    messages: Vec<Message>,
}

#[derive(Deserialize)]
struct Message {
    tool_call_id: Option<String>,
    content: Option<String>,
}

// === impl Story ===

impl Story {
    /// Puts together the answers of the agent, each with the provider's requests that it took.
    pub(super) fn tell(
        provider: &Server,
        cancelled: Option<&Cancelled>,
        turns: Vec<(Turn, Range<usize>)>,
    ) -> anyhow::Result<Self> {
        let all = provider.requests();
        let last = turns.last().map_or(0, |(_, range)| range.end);
        let first = turns.first().map_or(0, |(_, range)| range.start);
        let requests: Vec<Recorded> = all.get(first..last).unwrap_or_default().to_vec();
        let results = results(&requests)?;
        let lost = cancelled.map(|cancelled| Judged::lost(cancelled, &results));
        let refusal = turns.first().and_then(|(turn, _)| strict::refusal(&turn.asked));
        let answers = turns
            .into_iter()
            .map(|(turn, range)| {
                let asked = all.get(range).unwrap_or_default();
                let rounds =
                    asked.iter().map(|asked| Round::tell(provider, asked, &turn, &results)).collect();
                Answer { turn, rounds }
            })
            .collect();
        let told = requests.first().map(told).transpose()?.unwrap_or_default();
        Ok(Self { lost, refusal, answers, told, requests })
    }

    #[cfg(test)]
    pub(super) fn of(answers: Vec<Answer>) -> Self {
        Self { lost: None, refusal: None, answers, told: String::new(), requests: Vec::new() }
    }

    pub(super) fn calls(&self) -> impl Iterator<Item = &Judged> {
        let rounds = self.answers.iter().flat_map(|answer| &answer.rounds);
        self.lost.iter().chain(rounds.flat_map(|round| &round.calls))
    }

    /// What went otherwise than the scene wants it; empty if all went as told.
    pub(super) fn differences(&self, scene: &Scene) -> Vec<String> {
        let mut found = Vec::new();
        if self.requests.len() != scene.requests {
            let (wanted, got) = (scene.requests, self.requests.len());
            found.push(format!("{wanted} requests were to reach the provider, {got} did"));
        }
        let ids: Vec<_> = self.calls().map(|call| call.id.as_str()).collect();
        let wanted: Vec<_> = scene.expected.iter().map(|expected| expected.id).collect();
        if ids == wanted {
            let pairs = self.calls().zip(scene.expected);
            found.extend(pairs.filter_map(|(call, expected)| self.differs(call, expected)));
        } else {
            found.push(format!("the model was to make the calls {wanted:?}, it made {ids:?}"));
        }
        if !self.told.contains(scene.told) {
            found.push(format!("the model was to be told {:?}, it was told {:?}", scene.told, self.told));
        }
        if self.refusal.is_some() != scene.cancelled.is_some() {
            found.push(format!("of what the agent sent, a provider would have said {:?}", self.refusal));
        }
        found.extend(self.out_of_place());
        found.extend(self.prefixes());
        found
    }

    fn differs(&self, call: &Judged, expected: &Expected) -> Option<String> {
        let Judged { id, became, result, .. } = call;
        let result = result.as_deref().unwrap_or_default();
        let reads = |parts: &[&str]| parts.iter().all(|part| result.contains(part));
        let as_told = match (expected.fate, became) {
            (Fate::Forwarded, Became::Forwarded) => true,
            (Fate::Rewritten(holds), Became::Rewritten(arguments)) => arguments.contains(holds),
            (Fate::Failed(parts), Became::Forwarded)
            | (Fate::Refused(parts), Became::Kept)
            | (Fate::Lost(parts), Became::Lost) => reads(parts),
            _ => false,
        };
        let leaked = *became == Became::Kept && self.answers.iter().any(|answer| answer.turn.heard_of(id));
        if leaked {
            return Some(format!("the agent heard of {id}, which was refused"));
        }
        (!as_told)
            .then(|| format!("{id}: expected {:?}, got {became:?} with the result {result:?}", expected.fate))
    }

    /// In its last request the model sees a result for each call, in the order of the calls.
    fn out_of_place(&self) -> Option<String> {
        let last = self.requests.last()?;
        let calls: Vec<_> = self.calls().map(|call| call.id.clone()).collect();
        let results: Vec<_> = Request::read(last).ok()?.results().map(|(id, _)| id).collect();
        (calls != results).then(|| format!("the calls were {calls:?}, the model saw results of {results:?}"))
    }

    /// Each request goes on where the one before it ended, byte for byte.
    fn prefixes(&self) -> Vec<String> {
        let broken = |(number, pair): (usize, &[Recorded])| {
            let [before, after] = pair else { return None };
            let kept = before.body.strip_suffix(b"]}").is_some_and(|prefix| after.body.starts_with(prefix));
            (!kept).then(|| format!("request {} does not begin with request {}", number + 2, number + 1))
        };
        self.requests.windows(2).enumerate().filter_map(broken).collect()
    }
}

/// What the model was told of each call, in the last request that holds it.
fn results(requests: &[Recorded]) -> anyhow::Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    for request in requests.iter().rev() {
        all.extend(Request::read(request)?.results());
    }
    Ok(all)
}

/// What the model was told of the call with this id.
fn of(results: &[(String, String)], id: &str) -> Option<String> {
    results.iter().find(|(known, _)| known == id).map(|(_, text)| text.clone())
}

/// What the head of a request's history says besides the agent's own words.
fn told(request: &Recorded) -> anyhow::Result<String> {
    let head = Request::read(request)?.messages.into_iter().next().and_then(|message| message.content);
    let head = head.unwrap_or_default();
    Ok(head.strip_prefix(SYSTEM).unwrap_or_default().trim().to_owned())
}

// === impl Round ===

impl Round {
    fn tell(provider: &Server, asked: &Recorded, turn: &Turn, results: &[(String, String)]) -> Self {
        let Some(step) = asked.step.and_then(|step| provider.step(step)) else {
            return Self { text: String::new(), calls: Vec::new() };
        };
        let calls = step.calls().map(|call| {
            let id = call.id.clone().unwrap_or_default();
            let place = turn.calls.iter().position(|got| got.id == id);
            let became = match place.and_then(|place| turn.calls.get(place)) {
                None => Became::Kept,
                Some(got) if got.arguments == call.arguments && got.name == call.name => Became::Forwarded,
                Some(got) => Became::Rewritten(got.arguments.clone()),
            };
            let answered = place.and_then(|place| turn.results.get(place)).cloned();
            let result = of(results, &id);
            Judged { id, name: call.name.clone(), written: call.arguments.clone(), became, answered, result }
        });
        Self { text: step.text(), calls: calls.collect() }
    }
}

// === impl Judged ===

impl Judged {
    fn lost(cancelled: &Cancelled, results: &[(String, String)]) -> Self {
        Self {
            id: cancelled.id.to_owned(),
            name: cancelled.name.to_owned(),
            written: cancelled.arguments.to_owned(),
            became: Became::Lost,
            answered: None,
            result: of(results, cancelled.id),
        }
    }
}

// === impl Request ===

impl Request {
    fn read(recorded: &Recorded) -> anyhow::Result<Self> {
        Ok(serde_json::from_slice(&recorded.body)?)
    }
    fn results(self) -> impl Iterator<Item = (String, String)> {
        self.messages
            .into_iter()
            .filter_map(|message| Some((message.tool_call_id?, message.content.unwrap_or_default())))
    }
}

// === impl Turn ===

impl Turn {
    /// Whether any byte that arrived speaks of this call.
    fn heard_of(&self, id: &str) -> bool {
        memchr::memmem::find(&self.heard, format!("\"{id}\"").as_bytes()).is_some()
    }
}
