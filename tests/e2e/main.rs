//! End to end, over real sockets on this machine.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it fails"
)]

mod arguments;
mod deaths;
mod deny;
mod disconnects;
mod kinds;
mod modes;
mod scene;
mod slugs;
mod transport;
mod unreadable;
mod watched;
