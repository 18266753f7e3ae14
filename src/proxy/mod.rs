//! Moves bytes: from the agent to the provider and back. Here is where things await.
//!
//! It knows no field of any API and no rule. A request walks through [`server`] (sockets) and `service` (who
//! may come in, and which way it takes); `exchange` runs the rounds of a request that is guarded; [`upstream`] carries it on; [`body`] holds what flows either way;
//! [`failure`] is what the agent is told when that does not work.

mod aside;
pub mod body;
pub mod door;
mod exchange;
pub mod failure;
mod house;
mod prefix;
mod schemas;
pub mod server;
mod service;
mod tasks;
mod tunnel;
pub mod upstream;
