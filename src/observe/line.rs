//! An event as one line of JSON. The names are part of the interface; new ones may be added.
//!
//! Every line has `time` (RFC 3339, UTC, milliseconds), `exchange` and `type`. By type:
//!
//! - `judged`: `round`, `position`, `tool`, `call_id`, `verdict` (`forwarded`, `rewritten`, `refused`, `gave_up`),
//!   `reasons` (a list of codes)
//! - `prepared`: `reason`, `count`
//! - `remanded`: `round`, `refused`
//! - `ended`: `upstream`, `model` (or null), `rounds`, `status`, `outcome` (`complete`, `provider_error`, `broken`,
//!   `abandoned`, `failed`), `actions` (a list of codes: all that was done), `input_tokens`, `output_tokens` (of all
//!   rounds together), `bytes_in`, `bytes_out`
//! - `unjudged`: `reason`, `detail`
//! - `dropped`: `count`, and no `exchange`: events that are missing before this line, because the queue was full or
//!   the file could not be written
//!
//! What a model, an agent or a provider chose (names, ids, details) is cut at [`LONGEST`] bytes.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::event::{Event, Fact};
use crate::guard::Reason;

/// Bytes of a name or an id that are written down.
pub const LONGEST: usize = 256;

/// The event that was emitted at `time`, with its line break.
pub fn event(time: SystemTime, event: &Event) -> Vec<u8> {
    write(&EventLine { time, event })
}

/// Tells that `count` events are missing.
pub fn dropped(time: SystemTime, count: u64) -> Vec<u8> {
    write(&DroppedLine { time, count })
}

struct EventLine<'a> {
    time: SystemTime,
    event: &'a Event,
}

struct DroppedLine {
    time: SystemTime,
    count: u64,
}

fn write(line: &impl Serialize) -> Vec<u8> {
    let mut bytes =
        serde_json::to_vec(line).expect("strings and numbers can be written, and a vector takes all");
    bytes.push(b'\n');
    bytes
}

impl Serialize for EventLine<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_map(None)?;
        line.serialize_entry("time", &rfc3339(self.time))?;
        line.serialize_entry("exchange", clip(&self.event.exchange))?;
        line.serialize_entry("type", self.event.fact.code())?;
        members(&self.event.fact, &mut line)?;
        line.end()
    }
}

impl Serialize for DroppedLine {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_map(None)?;
        line.serialize_entry("time", &rfc3339(self.time))?;
        line.serialize_entry("type", "dropped")?;
        line.serialize_entry("count", &self.count)?;
        line.end()
    }
}

fn members<M: SerializeMap>(fact: &Fact, line: &mut M) -> Result<(), M::Error> {
    match fact {
        Fact::Judged { round, position, tool, call_id, verdict, reasons } => {
            line.serialize_entry("round", round)?;
            line.serialize_entry("position", position)?;
            line.serialize_entry("tool", clip(tool))?;
            line.serialize_entry("call_id", clip(call_id))?;
            line.serialize_entry("verdict", verdict.code())?;
            line.serialize_entry("reasons", &codes(reasons))
        }
        Fact::Prepared { reason, count } => {
            line.serialize_entry("reason", reason.code())?;
            line.serialize_entry("count", count)
        }
        Fact::Remanded { round, refused } => {
            line.serialize_entry("round", round)?;
            line.serialize_entry("refused", refused)
        }
        Fact::Ended { .. } => ended(fact, line),
        Fact::Unjudged { reason, detail } => {
            line.serialize_entry("reason", reason.code())?;
            line.serialize_entry("detail", clip(detail))
        }
    }
}

fn ended<M: SerializeMap>(fact: &Fact, line: &mut M) -> Result<(), M::Error> {
    let Fact::Ended {
        upstream,
        model,
        rounds,
        status,
        outcome,
        actions,
        input_tokens,
        output_tokens,
        bytes_in,
        bytes_out,
    } = fact
    else {
        return Ok(());
    };
    line.serialize_entry("upstream", clip(upstream))?;
    line.serialize_entry("model", &model.as_deref().map(clip))?;
    line.serialize_entry("rounds", rounds)?;
    line.serialize_entry("status", status)?;
    line.serialize_entry("outcome", outcome.code())?;
    line.serialize_entry("actions", &codes(actions))?;
    line.serialize_entry("input_tokens", input_tokens)?;
    line.serialize_entry("output_tokens", output_tokens)?;
    line.serialize_entry("bytes_in", bytes_in)?;
    line.serialize_entry("bytes_out", bytes_out)
}

fn codes(reasons: &[Reason]) -> Vec<&'static str> {
    reasons.iter().map(|reason| reason.code()).collect()
}

// === impl Fact ===

impl Fact {
    pub fn code(&self) -> &'static str {
        match self {
            Self::Judged { .. } => "judged",
            Self::Prepared { .. } => "prepared",
            Self::Remanded { .. } => "remanded",
            Self::Ended { .. } => "ended",
            Self::Unjudged { .. } => "unjudged",
        }
    }
}

/// The beginning of a text that somebody else chose.
pub(super) fn clip(text: &str) -> &str {
    text.get(..text.floor_char_boundary(LONGEST)).unwrap_or(text)
}

/// A time as RFC 3339 writes it, in UTC. What lies before 1970 is 1970.
fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    let milliseconds = since.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

/// Year, month and day of a day counted from 1970-01-01, by the Gregorian calendar. Years are taken to begin in
/// March, so that the day that comes and goes is the last one (Howard Hinnant, "`chrono`-Compatible Low-Level Date
/// Algorithms").
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::observe::event::{Ended, Judged};

    fn line(fact: Fact) -> String {
        let time = UNIX_EPOCH + Duration::from_millis(1_700_000_000_123);
        String::from_utf8(event(time, &Event { exchange: "e1".into(), fact })).unwrap()
    }

    #[test]
    fn each_fact_has_its_line() {
        let judged = Fact::Judged {
            round: 1,
            position: 0,
            tool: "git\n\"x\"".to_owned(),
            call_id: "call_1".to_owned(),
            verdict: Judged::Refused,
            reasons: vec![Reason::ArgumentsNormalised, Reason::Invalid],
        };
        let ended = Fact::Ended {
            upstream: "openai".into(),
            model: None,
            rounds: 2,
            status: 200,
            outcome: Ended::ProviderError,
            actions: vec![Reason::ReaskFailed],
            input_tokens: 100,
            output_tokens: 45,
            bytes_in: 7,
            bytes_out: 9,
        };
        let lines = [
            judged,
            Fact::Prepared { reason: Reason::Restored, count: 2 },
            Fact::Remanded { round: 2, refused: 1 },
            ended,
            Fact::Unjudged { reason: Reason::Unjudged, detail: "not UTF-8".to_owned() },
        ]
        .map(line)
        .concat();
        insta::assert_snapshot!(lines, @r#"
        {"time":"2023-11-14T22:13:20.123Z","exchange":"e1","type":"judged","round":1,"position":0,"tool":"git\n\"x\"","call_id":"call_1","verdict":"refused","reasons":["arguments_normalised","invalid"]}
        {"time":"2023-11-14T22:13:20.123Z","exchange":"e1","type":"prepared","reason":"restored","count":2}
        {"time":"2023-11-14T22:13:20.123Z","exchange":"e1","type":"remanded","round":2,"refused":1}
        {"time":"2023-11-14T22:13:20.123Z","exchange":"e1","type":"ended","upstream":"openai","model":null,"rounds":2,"status":200,"outcome":"provider_error","actions":["reask_failed"],"input_tokens":100,"output_tokens":45,"bytes_in":7,"bytes_out":9}
        {"time":"2023-11-14T22:13:20.123Z","exchange":"e1","type":"unjudged","reason":"unjudged","detail":"not UTF-8"}
        "#);
    }

    #[test]
    fn what_is_missing_is_told() {
        let told = String::from_utf8(dropped(UNIX_EPOCH, 3)).unwrap();
        assert_eq!(told, "{\"time\":\"1970-01-01T00:00:00.000Z\",\"type\":\"dropped\",\"count\":3}\n");
    }

    #[test]
    fn a_long_name_is_cut_between_characters() {
        let name = "é".repeat(1000);
        assert_eq!(clip(&name).len(), LONGEST);
        assert_eq!(clip(&format!("x{name}")).len(), LONGEST - 1);
        assert_eq!(clip("short"), "short");
    }

    #[test]
    fn times_are_written_as_rfc_3339_says() {
        for (seconds, written) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399, "2000-02-28T23:59:59.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (951_868_800, "2000-03-01T00:00:00.000Z"),
            (1_735_689_599, "2024-12-31T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
            (253_402_300_799, "9999-12-31T23:59:59.000Z"),
        ] {
            assert_eq!(rfc3339(UNIX_EPOCH + Duration::from_secs(seconds)), written);
        }
        assert_eq!(rfc3339(UNIX_EPOCH - Duration::from_secs(1)), "1970-01-01T00:00:00.000Z");
    }
}
