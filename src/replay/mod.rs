//! The scripted provider: a server that answers from a script, so that agents and proxies are tested without a
//! real one.
//!
//! A [`Script`] is a list of steps, written in TOML or built in Rust. [`Server`] serves it on a free port of
//! this machine. A request is matched to a step (`find`), the step's blocks become the API's bytes (`answer`),
//! its faults and gates are laid between them (`fault`), and all of it is written down (`journal`). What no
//! script is needed for is `own`. Ids and times come from the script alone: two runs give equal bytes.
//!
//! It answers, and asks nobody: nothing in here opens a connection. A clock is read only where a script has a
//! pace; a test that needs a moment to last puts a gate there and opens it.

mod answer;
mod fault;
mod find;
mod gate;
mod journal;
mod own;
pub mod script;
mod server;
pub mod strict;

pub use gate::Gate;
pub use journal::{Progress, Recorded};
pub use script::{Chunk, Odd, Place, Require, Script, Step, When};
pub use server::{Server, Unmet, Verifying};
