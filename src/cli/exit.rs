//! How the process ends.

use std::io;
use std::process::ExitCode;

use tracing_subscriber::filter::ParseError;

use crate::config;
use crate::proxy::server::BindError;

/// What the exit code says. The numbers are part of the interface; those from 64 on are of BSD's `sysexits.h`, where
/// 64 is wider: all that the operator can mend by changing the configuration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Exit {
    /// All went well.
    Fine = 0,
    /// It ran, and found something to complain about.
    Found = 1,
    /// The command line is wrong.
    Usage = 2,
    /// The configuration is wrong.
    Configuration = 64,
    /// An input file is wrong.
    Input = 65,
    /// The upstream cannot be reached.
    Unreachable = 69,
    /// A fault of our own.
    Ours = 70,
}

impl Exit {
    pub const ALL: [Self; 7] = [
        Self::Fine,
        Self::Found,
        Self::Usage,
        Self::Configuration,
        Self::Input,
        Self::Unreachable,
        Self::Ours,
    ];

    /// The one table from causes to codes.
    pub fn of(error: &anyhow::Error) -> Self {
        let operators = |cause: &(dyn std::error::Error + 'static)| {
            let address = cause.downcast_ref::<io::Error>().is_some_and(is_about_an_address);
            cause.is::<config::Error>() || cause.is::<BindError>() || cause.is::<ParseError>() || address
        };
        if error.chain().any(operators) { Self::Configuration } else { Self::Ours }
    }
}

fn is_about_an_address(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::AddrInUse | io::ErrorKind::AddrNotAvailable)
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use anyhow::Context;

    use super::*;

    #[test]
    fn only_what_is_fine_ends_with_nought() {
        assert_eq!(Exit::ALL.map(|exit| exit as u8), [0, 1, 2, 64, 65, 69, 70]);
        for exit in Exit::ALL {
            assert_eq!(ExitCode::from(exit) == ExitCode::SUCCESS, exit == Exit::Fine, "{exit:?}");
        }
    }

    #[test]
    fn a_wrong_configuration_is_told_from_a_fault_of_ours() {
        let nowhere = config::load(Some(Path::new("/nowhere")), &config::Overrides::default());
        let wrong = nowhere.map(|_| ()).context("failed to start").unwrap_err();
        assert_eq!(Exit::of(&wrong), Exit::Configuration);
        assert_eq!(Exit::of(&anyhow::anyhow!("oh")), Exit::Ours);
    }
}
