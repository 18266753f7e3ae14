//! The kinds of value that a key can hold, each read from its text at once, so that what is wrong with one is told
//! with its line.
//!
//! Each compares by what was written. None is interpreted again later.

mod interval;
mod keyword;
mod matching;
mod overlay;
mod size;
mod status;
mod transport;

pub use interval::{Heartbeat, Interval};
pub use matching::{Glob, Globs, Pattern, Pointer};
pub use overlay::Overlay;
pub use size::Size;
pub use status::Status;
pub use transport::{BaseUrl, Credential, Name, Text};

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::Deserializer;
use serde::de::{Error, Visitor};

/// A value that is written as a string.
pub(crate) trait Written: FromStr<Err = String> {
    /// What one looks like, to fit after "expected".
    const EXPECTED: &'static str;

    /// Whether a bare whole number says the same as that number in quotes.
    const NUMBERS: bool = false;
}

struct Reader<T>(PhantomData<T>);

impl<T: Written> Visitor<'_> for Reader<T> {
    type Value = T;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(T::EXPECTED)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
        if T::NUMBERS {
            return number.to_string().parse().map_err(E::custom);
        }
        Err(E::invalid_type(serde::de::Unexpected::Signed(number), &self))
    }
}

fn read<'de, T: Written, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    deserializer.deserialize_any(Reader(PhantomData))
}

/// Lets kinds of value be read by serde from their text.
macro_rules! read_from_text {
    ($($kind:ty),+ $(,)?) => {$(
        impl<'de> serde::Deserialize<'de> for $kind {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read(deserializer)
            }
        }
    )+};
}

read_from_text!(Interval, Heartbeat, Size, Status, Glob, Pattern, Pointer, BaseUrl, Credential, Name, Text);

#[cfg(test)]
mod tests;
