//! End to end, over real sockets on this machine.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test ends where it fails"
)]
#![expect(
    clippy::disallowed_methods,
    reason = "the macro for JSON in tests goes through a value; no body does"
)]
#![expect(unreachable_pub, reason = "nothing here is reached from elsewhere")]

mod arguments;
mod bounds;
mod constrained;
mod court;
mod deaths;
mod deny;
mod disconnects;
mod epochs;
mod explained;
mod kinds;
mod language;
mod mended;
mod modes;
mod properties;
mod remembered;
mod results;
mod scene;
mod siblings;
mod slugs;
mod streams;
mod terminal;
mod told;
mod transport;
mod twice;
mod uninspected;
mod unreadable;
mod untouched;
mod untyped;
mod vain;
mod verdict;
mod watched;
