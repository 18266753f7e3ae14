//! Stretches of time: `500ms`, `5s`, `2m`, `24h`, `7d`.

use std::str::FromStr;
use std::time::Duration;

use super::Written;

/// What no timer needs to exceed, and no clock arithmetic overflows at.
const LONGEST: Duration = Duration::from_hours(365 * 24);

/// A stretch of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval(pub Duration);

/// How often something is said; `off`: never.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Heartbeat(pub Option<Duration>);

// === impl Interval ===

impl Written for Interval {
    const EXPECTED: &'static str = "a duration such as \"5s\", \"500ms\", \"2m\" or \"24h\"";
}

impl FromStr for Interval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unread = || format!("`{text}` is not {}", Self::EXPECTED);
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = text.split_at_checked(digits).ok_or_else(unread)?;
        let number: u64 = number.parse().map_err(|_| unread())?;
        let milliseconds = match unit.trim_start() {
            "ms" => 1,
            "s" => 1_000,
            "m" => 60_000,
            "h" => 3_600_000,
            "d" => 86_400_000,
            "" => return Err(format!("`{text}` lacks a unit: ms, s, m, h or d")),
            _ => return Err(unread()),
        };
        let interval = Duration::from_millis(number.saturating_mul(milliseconds));
        if interval > LONGEST {
            return Err(format!("`{text}` is longer than a year"));
        }
        Ok(Self(interval))
    }
}

// === impl Heartbeat ===

impl Written for Heartbeat {
    const EXPECTED: &'static str = "a duration such as \"10s\", or \"off\"";
}

impl FromStr for Heartbeat {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "off" {
            return Ok(Self(None));
        }
        let Interval(interval) =
            text.parse().map_err(|reason: String| format!("{reason}; \"off\" turns it off"))?;
        if interval.is_zero() {
            return Err("cannot be zero; \"off\" turns it off".to_owned());
        }
        Ok(Self(Some(interval)))
    }
}
