//! End to end, over real sockets on this machine.

mod transport;
