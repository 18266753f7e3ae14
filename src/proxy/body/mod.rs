//! Bodies, as they flow through: read whole, watched for silence, driven by an exchange, sent to the agent.
//!
//! Nothing here is spawned: whoever drops a body stops all that stands behind it.

mod driven;
mod idle;
mod read;
mod reply;

pub use driven::{Driven, FrameResult};
pub use idle::Idle;
pub use read::{Whole, read};
pub use reply::Reply;

/// Any cause, kept for the log and for `source`.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
