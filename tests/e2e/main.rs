//! End to end, over real sockets on this machine.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it fails"
)]

mod bounds;
mod epochs;
mod scene;
mod siblings;
mod slugs;
mod terminal;
mod told;
mod transport;
mod twice;
mod verdict;
