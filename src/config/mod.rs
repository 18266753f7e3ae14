//! The configuration: one TOML file, as written here, as meant in [`plan`].

pub mod plan;

pub use plan::Plan;
