//! Facts about what was done. Awaits nothing on the path of a request.

pub mod event;
