//! The binary: everything is in [`remand::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    remand::cli::main()
}
