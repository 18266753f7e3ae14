//! How bytes are carried: what goes through untouched, who may come in, who hears of it when someone leaves.

mod abort;
mod door;
mod drain;
mod fault;
mod http2;
mod path;
mod relay;
mod rig;
mod tls;
mod websocket;
