//! Remand holds each tool call of a model until it is judged.
//!
//! Data walks one way, and so do imports: `cli` over `proxy` and `replay`, over `observe`, over
//! `config`, over `guard`, over `dialect`, over `wire`. `tests/layers.rs` keeps it so.

pub mod cli;
pub mod config;
pub mod dialect;
pub mod guard;
pub mod observe;
pub mod proxy;
pub mod replay;
pub mod wire;
