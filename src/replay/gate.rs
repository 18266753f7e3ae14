//! Gates: named places where the server stops until it is let on.
//!
//! A gate needs no announcement: it exists once somebody names it. It opens for good; whoever comes later
//! walks through.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::watch;

/// A named gate of a running server.
#[derive(Clone, Debug)]
pub struct Gate {
    gates: Gates,
    name: String,
}

/// All gates of a server, seen from a session. Each session has its own, so that tests that run side by side do
/// not open each other's.
#[derive(Clone, Debug)]
pub(super) struct Gates {
    state: Arc<watch::Sender<BTreeMap<Name, State>>>,
    session: String,
}

/// Session and name.
type Name = (String, String);

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct State {
    /// How often an answer came here.
    pub(super) reached: usize,
    pub(super) open: bool,
}

// === impl Gate ===

impl Gate {
    /// Opens the gate, now and for all who come later.
    pub fn release(&self) {
        self.gates
            .state
            .send_modify(|gates| gates.entry(self.gates.key(&self.name)).or_default().open = true);
    }
    /// How often an answer has come to this gate.
    pub fn reached(&self) -> usize {
        self.gates.state.borrow().get(&self.gates.key(&self.name)).map_or(0, |gate| gate.reached)
    }
    /// Resolves once an answer stands at this gate, or has passed it.
    pub async fn wait_reached(&self) {
        self.wait_reached_times(1).await;
    }
    /// Resolves once answers have come to this gate so often.
    pub async fn wait_reached_times(&self, times: usize) {
        self.gates.wait(&self.name, |gate| gate.reached >= times).await;
    }
}

// === impl Gates ===

impl Gates {
    pub(super) fn new() -> Self {
        Self { state: Arc::new(watch::Sender::new(BTreeMap::new())), session: String::new() }
    }
    pub(super) fn of(&self, session: &str) -> Self {
        Self { session: session.to_owned(), ..self.clone() }
    }
    /// Every gate that somebody named, with its session and name.
    pub(super) fn all(&self) -> BTreeMap<Name, State> {
        self.state.borrow().clone()
    }
    /// As if nobody had ever come, in one session or in all. Who waits goes on waiting.
    pub(super) fn reset(&self, session: Option<&str>) {
        self.state.send_modify(|gates| gates.retain(|(of, _), _| session.is_some_and(|name| name != of)));
    }

    fn key(&self, name: &str) -> Name {
        (self.session.clone(), name.to_owned())
    }
    pub(super) fn gate(&self, name: impl Into<String>) -> Gate {
        Gate { gates: self.clone(), name: name.into() }
    }
    /// Comes to the gate and waits until it is open.
    pub(super) async fn pass(self, name: String) {
        self.state.send_modify(|gates| gates.entry(self.key(&name)).or_default().reached += 1);
        self.wait(&name, |gate| gate.open).await;
    }

    async fn wait(&self, name: &str, mut done: impl FnMut(State) -> bool) {
        let (mut changes, key) = (self.state.subscribe(), self.key(name));
        let reached = changes.wait_for(|gates| done(gates.get(&key).copied().unwrap_or_default())).await;
        // The sender lives in `self`, so the wait can only end by the condition.
        drop(reached);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn holds_until_it_is_released_and_then_lets_all_pass() {
        let gates = Gates::new();
        let gate = gates.gate("g");
        let ((), ()) = tokio::join!(gates.clone().pass("g".to_owned()), async {
            gate.wait_reached().await;
            assert_eq!(gate.reached(), 1);
            gate.release();
        });
        gates.pass("g".to_owned()).await;
        assert_eq!(gate.reached(), 2);
    }

    #[tokio::test]
    async fn each_session_has_its_own() {
        let gates = Gates::new();
        gates.of("a").gate("g").release();
        gates.of("a").pass("g".to_owned()).await;
        assert_eq!((gates.of("a").gate("g").reached(), gates.of("b").gate("g").reached()), (1, 0));
        gates.gate("g").release();
        gates.reset(Some("a"));
        assert_eq!(gates.all().into_keys().collect::<Vec<_>>(), [(String::new(), "g".to_owned())]);
        gates.reset(None);
        assert!(gates.all().is_empty());
    }

    #[tokio::test]
    async fn is_not_opened_by_the_release_of_another() {
        let gates = Gates::new();
        gates.gate("other").release();
        let passing = gates.clone().pass("g".to_owned());
        tokio::select! {
            biased;
            () = passing => panic!("went through a closed gate"),
            () = async { gates.gate("g").wait_reached().await; tokio::task::yield_now().await } => {}
        }
    }
}
