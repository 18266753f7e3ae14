//! End to end, over real sockets on this machine.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it fails"
)]

mod court;
mod properties;
mod scene;
mod slugs;
mod transport;
mod untouched;
