//! How bytes are carried: what goes through untouched, who may come in, who hears of it when someone leaves.

mod abort;
mod address;
mod door;
mod drain;
mod encoded;
mod fault;
mod header;
mod http2;
mod identity;
mod judged;
mod own;
mod path;
mod relay;
mod rig;
mod through;
mod tls;
mod trust;
mod websocket;
