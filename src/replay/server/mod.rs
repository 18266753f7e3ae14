//! The server: one port, one script, one journal.
//!
//! It runs on tasks of its own inside the caller's runtime and stops when it is dropped. Each answer was laid
//! out before its first byte went; playing it is all that is left.

mod connection;
mod control;
mod ending;
mod outgoing;
mod play;
mod stage;
mod verifying;

#[cfg(test)]
mod tests;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpSocket;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::gate::Gate;
use super::journal::Recorded;
use super::script::{Script, Step};
use stage::Stage;

pub use verifying::Verifying;

/// A running provider. Dropping it ends every connection.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    stage: Arc<Stage>,
    tracker: TaskTracker,
    stop: CancellationToken,
}

/// What did not go as the script foresaw.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{}", self.lines().join("\n"))]
pub struct Unmet {
    /// Why each request that no step answered was not answered.
    pub misses: Vec<String>,
    /// Steps that never served.
    pub unused: Vec<String>,
}

/// Bytes that the system may take of a request that waits to be read. By default it takes tens of megabytes,
/// and whoever sends them would never be held up.
const UNREAD: u32 = 64 << 10;

/// Connections that may wait to be accepted, as the standard library has it.
const BACKLOG: u32 = 128;

// === impl Server ===

impl Server {
    /// Serves `script` on a free port of this machine. Must be called inside a tokio runtime.
    pub fn start(script: Script) -> io::Result<Self> {
        Self::bind(script, (Ipv4Addr::LOCALHOST, 0).into())
    }

    /// Serves `script` on an address. Must be called inside a tokio runtime.
    pub fn bind(script: Script, address: SocketAddr) -> io::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.set_reuseaddr(true)?;
        if script.read_gate.is_some() {
            socket.set_recv_buffer_size(UNREAD)?;
        }
        socket.bind(address)?;
        let listener = socket.listen(BACKLOG)?;
        let address = listener.local_addr()?;
        let stage = Arc::new(Stage::new(script));
        let (tracker, stop) = (TaskTracker::new(), CancellationToken::new());
        tracker.spawn(connection::accept(listener, Arc::clone(&stage), tracker.clone(), stop.clone()));
        Ok(Self { address, stage, tracker, stop })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }
    /// What an agent is given as its base URL.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }
    /// The base URL of a session: what it uses up, no other session lacks.
    pub fn session_url(&self, session: &str) -> String {
        format!("http://{}/s/{session}/v1", self.address)
    }

    /// A step of the script, counted from 0.
    pub fn step(&self, number: usize) -> Option<Arc<Step>> {
        self.stage.script().steps.get(number).cloned()
    }
    /// How messages name a step.
    pub fn title(&self, number: usize) -> Option<String> {
        self.step(number).map(|step| step.title(number))
    }

    /// All requests so far, in the order in which they came.
    pub fn requests(&self) -> Vec<Recorded> {
        self.stage.journal.requests()
    }
    /// Resolves once the body of request `number`, counted from 0, has come.
    pub async fn arrived(&self, number: usize) -> Recorded {
        self.stage.journal.arrived(number).await
    }
    /// Resolves once request `number` has got its answer, or will never get it.
    pub async fn settled(&self, number: usize) -> Recorded {
        self.stage.journal.settled(number).await
    }
    /// Resolves once the peer has gone away from request `number` before its answer had ended. If it does get
    /// its answer, this never resolves.
    pub async fn aborted(&self, number: usize) -> Recorded {
        self.stage.journal.aborted(number).await
    }

    pub fn gate(&self, name: impl Into<String>) -> Gate {
        self.stage.gates.gate(name)
    }
    /// The gate of a session.
    pub fn gate_of(&self, session: &str, name: impl Into<String>) -> Gate {
        self.stage.gates.of(session).gate(name)
    }
    /// Plays another script from now on, from its beginning.
    pub fn replace(&self, script: Script) {
        self.stage.replace(script);
    }
    /// Plays the script from its beginning in every session, and forgets what was missed.
    pub fn reset(&self) {
        self.stage.reset(None);
    }

    /// Why each request that no step answered was not answered.
    pub fn misses(&self) -> Vec<String> {
        self.stage.journal.misses(None)
    }
    /// Whether every request was answered by a step, and every step answered one.
    pub fn verify(&self) -> Result<(), Unmet> {
        let unmet = Unmet { misses: self.misses(), unused: self.stage.unused(None) };
        if unmet.misses.is_empty() && unmet.unused.is_empty() { Ok(()) } else { Err(unmet) }
    }

    /// The same server, which panics where it is dropped and `verify` fails: no test forgets to ask.
    pub fn verifying(self) -> Verifying {
        Verifying::new(self)
    }

    /// Ends every connection and waits until all is quiet.
    pub async fn stop(self) {
        self.stop.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

// === impl Unmet ===

impl Unmet {
    fn lines(&self) -> Vec<String> {
        let unused = self.unused.iter().map(|step| format!("{step} never served"));
        self.misses.iter().cloned().chain(unused).collect()
    }
}
