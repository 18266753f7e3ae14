//! The scripted provider: a server that answers from a script, so that agents and proxies are tested without a
//! real one.
//!
//! A [`Script`] is a list of steps, written in TOML or built in Rust. [`Server`] serves it on a free port of
//! this machine. A request is matched to a step (`find`), the step's blocks become the API's bytes (`answer`),
//! its faults and gates are laid between them (`fault`), and all of it is written down (`journal`). Ids and
//! times come from the script alone: two runs give equal bytes.
//!
//! Nothing in here measures time. A test that needs a moment to last puts a gate there and opens it.

mod answer;
mod fault;
mod find;
mod gate;
mod journal;
pub mod script;
mod server;
pub mod strict;

pub use gate::Gate;
pub use journal::{Progress, Recorded};
pub use script::{Place, Script, Step, When};
pub use server::{Server, Unmet};
