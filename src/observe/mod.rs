//! Facts about what was done. Awaits nothing on the path of a request.
//!
//! An [`event::Event`] goes to the log at once and, where the operator asked for it, as a [`line`](mod@line) of
//! JSON to a file or to standard output, through the bounded queue of a [`sink`]. Contents and secrets never
//! come here.

pub mod event;
pub mod line;
mod log;
pub mod sink;

pub use event::{Event, Fact};
pub use sink::{Events, Guard};
