//! HTTP statuses: `422`, `"4xx"`, `"400-499"`.

use std::str::FromStr;

use super::Written;

/// A range of HTTP statuses, both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Status {
    pub first: u16,
    /// Not below `first`.
    pub last: u16,
}

impl Written for Status {
    const EXPECTED: &'static str = "a status such as 422, \"4xx\" or \"400-499\"";
    const NUMBERS: bool = true;
}

impl FromStr for Status {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unread = || format!("`{text}` is not {}", Self::EXPECTED);
        let number = |text: &str| {
            text.trim().parse().ok().filter(|status| (100..=599).contains(status)).ok_or_else(unread)
        };
        if let Some(class) = text.strip_suffix("xx").or_else(|| text.strip_suffix("XX")) {
            let first = number(&format!("{class}00"))?;
            return Ok(Self { first, last: first + 99 });
        }
        if let Some((first, last)) = text.split_once('-') {
            let (first, last) = (number(first)?, number(last)?);
            if first > last {
                return Err(format!("`{text}` runs backwards"));
            }
            return Ok(Self { first, last });
        }
        let status = number(text)?;
        Ok(Self { first: status, last: status })
    }
}
