//! Numbers of bytes: `64MiB`, `10MB`, `4096`.

use std::str::FromStr;

use super::Written;

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Size(pub usize);

impl Written for Size {
    const EXPECTED: &'static str = "a size such as \"64MiB\", \"10MB\" or \"4096\"";
    const NUMBERS: bool = true;
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unread = || format!("`{text}` is not {}", Self::EXPECTED);
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at_checked(digits).ok_or_else(unread)?;
        let number: usize = number.parse().map_err(|_| unread())?;
        let factor: usize = match unit.trim_start().to_ascii_lowercase().as_str() {
            "" | "b" => 1,
            "kb" => 1_000,
            "mb" => 1_000_000,
            "gb" => 1_000_000_000,
            "kib" => 1 << 10,
            "mib" => 1 << 20,
            "gib" => 1 << 30,
            _ => return Err(unread()),
        };
        number.checked_mul(factor).map(Self).ok_or_else(|| format!("`{text}` is more than can be counted"))
    }
}
