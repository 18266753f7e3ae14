//! The binary: everything is in [`remand::cli`].

use std::process::ExitCode;

use mimalloc::MiMalloc;

/// Small blocks come and go with each exchange, and bodies of a megabyte must not be unmapped with it.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    remand::cli::main()
}
