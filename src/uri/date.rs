//! The instant of a capture.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use std::fmt;

/// When something was captured: milliseconds since 1970 in UTC.
///
/// Written as 14 digits (CDX, launch folders), as `2024-03-01T09:00:00`
/// (inlink data set) or as RFC 3339 with `Z` (WARC, logs).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Default)]
#[serde(transparent)]
pub struct CaptureDate(i64);

/// The text is no date that archives use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not a date: 14 digits or ISO 8601 is wanted, such as 20240301090000 or 2024-03-01T09:00:00Z")]
pub struct DateError(pub String);

impl CaptureDate {
    /// The present moment.
    pub fn now() -> Self {
        Self(Timestamp::now().as_millisecond())
    }

    /// From milliseconds since 1970.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// From seconds since 1970.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(1000))
    }

    /// Milliseconds since 1970.
    pub const fn millis(self) -> i64 {
        self.0
    }

    /// Whole seconds since 1970.
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }

    /// Reads 4 to 17 digits (`yyyy` to `yyyyMMddHHmmssSSS`; what is missing
    /// is the start of the period) or ISO 8601 with or without seconds,
    /// fraction, `Z` or offset. Text without a zone is UTC. Years before 0,
    /// which have no four digits, are no dates of archives.
    pub fn parse(text: &str) -> Result<Self, DateError> {
        let text = text.trim();
        Self::read(text).filter(|date| date.civil().year() >= 0).ok_or_else(|| DateError(text.to_owned()))
    }

    fn read(text: &str) -> Option<Self> {
        if text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Self::from_digits(text);
        }
        if let Ok(instant) = text.parse::<Timestamp>() {
            return Some(Self(instant.as_millisecond()));
        }
        let local = match text.parse::<DateTime>() {
            Ok(local) => local,
            // WARC/1.1 allows `2024-03` and `2024`.
            Err(_) => return Self::from_digits(&text.replace('-', "")).filter(|_| text.len() <= 7),
        };
        let instant = local.to_zoned(TimeZone::UTC).ok()?;
        Some(Self(instant.timestamp().as_millisecond()))
    }

    fn from_digits(digits: &str) -> Option<Self> {
        if digits.len() > 17 || digits.len() < 4 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let part = |from: usize, to: usize, default: i16| -> Option<i16> {
            match digits.get(from..to.min(digits.len())) {
                Some(text) if text.len() == to - from => text.parse().ok(),
                None | Some("") => Some(default),
                Some(_) => None,
            }
        };
        let millis: i32 = match digits.get(14..) {
            None | Some("") => 0,
            Some(text) => format!("{text:0<3}").parse().ok()?,
        };
        let byte = |value: i16| i8::try_from(value).ok();
        DateTime::new(
            part(0, 4, 0)?,
            byte(part(4, 6, 1)?)?,
            byte(part(6, 8, 1)?)?,
            byte(part(8, 10, 0)?)?,
            byte(part(10, 12, 0)?)?,
            byte(part(12, 14, 0)?)?,
            millis * 1_000_000,
        )
        .ok()?
        .to_zoned(TimeZone::UTC)
        .ok()
        .map(|instant| Self(instant.timestamp().as_millisecond()))
    }

    fn civil(self) -> DateTime {
        // Out of range only for years beyond 9999, which no archive holds.
        let instant = Timestamp::from_millisecond(self.0).unwrap_or_default();
        TimeZone::UTC.to_datetime(instant)
    }

    /// `20240301090000`
    pub fn to_digits14(self) -> String {
        let t = self.civil();
        format!("{:04}{:02}{:02}{:02}{:02}{:02}", t.year(), t.month(), t.day(), t.hour(), t.minute(), t.second())
    }

    /// `20240301090000123`, as the ninth column of a crawl log.
    pub fn to_digits17(self) -> String {
        format!("{}{:03}", self.to_digits14(), self.0.rem_euclid(1000))
    }

    /// `2024-03-01T09:00:00`, as the inlink data set has it.
    pub fn to_dataset(self) -> String {
        let t = self.civil();
        format!("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", t.year(), t.month(), t.day(), t.hour(), t.minute(), t.second())
    }

    /// `2024-03-01T09:00:00Z`, fractions only where there are some (WARC/1.1).
    pub fn to_warc(self) -> String {
        match self.0.rem_euclid(1000) {
            0 => format!("{}Z", self.to_dataset()),
            millis => format!("{}.{millis:03}Z", self.to_dataset()),
        }
    }

    /// `2024-03-01T09:00:00.000Z`, as Heritrix logs have it.
    pub fn to_log(self) -> String {
        format!("{}.{:03}Z", self.to_dataset(), self.0.rem_euclid(1000))
    }

    /// `2024-03-01 09:00:00`, for people.
    pub fn to_words(self) -> String {
        self.to_dataset().replace('T', " ")
    }
}

impl fmt::Display for CaptureDate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_warc())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(CaptureDate::parse(text).unwrap().to_log(), expected, "{text}");
    }

    #[test]
    fn reads_what_archives_write() {
        check("20240301090000", "2024-03-01T09:00:00.000Z");
        check("20240301090000123", "2024-03-01T09:00:00.123Z");
        check("2024", "2024-01-01T00:00:00.000Z");
        check("202403", "2024-03-01T00:00:00.000Z");
        check("2024-03-01T09:00", "2024-03-01T09:00:00.000Z");
        check("2024-03-01T09:00:00", "2024-03-01T09:00:00.000Z");
        check("2024-03-01T09:00:00.5Z", "2024-03-01T09:00:00.500Z");
        check("2024-03-01T10:00:00+01:00", "2024-03-01T09:00:00.000Z");
        check("2024-03", "2024-03-01T00:00:00.000Z");
        check("1969-12-31T23:59:59.250Z", "1969-12-31T23:59:59.250Z");
    }

    #[test]
    fn refuses_what_is_no_date() {
        for text in [
            "",
            "yesterday",
            "20241301000000",
            "2024-02-30T00:00:00Z",
            "202",
            "12345678901234567890",
            "-000001-01-01T00:00:00Z",
            "0000-01-01T00:00:00+10:00",
        ] {
            assert!(CaptureDate::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn writes_every_form() {
        let date = CaptureDate::parse("2024-03-01T09:00:00.120Z").unwrap();
        assert_eq!(date.to_digits14(), "20240301090000");
        assert_eq!(date.to_digits17(), "20240301090000120");
        assert_eq!(date.to_dataset(), "2024-03-01T09:00:00");
        assert_eq!(date.to_warc(), "2024-03-01T09:00:00.120Z");
        assert_eq!(date.to_words(), "2024-03-01 09:00:00");
    }
}
