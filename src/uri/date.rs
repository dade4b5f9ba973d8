//! Parses and writes instants of captures.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Instant of a capture, in milliseconds since 1970 in UTC.
///
/// Written as 14 digits (CDX, launch folders), as `2024-03-01T09:00:00`
/// (inlink data set) or as RFC 3339 with `Z` (WARC, logs, JSON).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct CaptureDate(i64);

impl Serialize for CaptureDate {
    /// As RFC 3339 in UTC: `2024-03-01T09:00:00Z`.
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CaptureDate {
    /// Reads any text that [`CaptureDate::parse`] takes, and the milliseconds
    /// that earlier versions of the catalogue hold.
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = CaptureDate;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a date such as 2024-03-01T09:00:00Z, or milliseconds since 1970")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<CaptureDate, E> {
                CaptureDate::parse(text).map_err(E::custom)
            }

            fn visit_i64<E: serde::de::Error>(self, millis: i64) -> Result<CaptureDate, E> {
                Ok(CaptureDate(millis))
            }

            fn visit_u64<E: serde::de::Error>(self, millis: u64) -> Result<CaptureDate, E> {
                i64::try_from(millis).map(CaptureDate).map_err(E::custom)
            }
        }
        from.deserialize_any(Visitor)
    }
}

/// The text is no date that archives use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("“{0}” is not a date: 14 digits or ISO 8601 is wanted, such as 20240301090000 or 2024-03-01T09:00:00Z")]
pub struct DateError(pub String);

/// Seconds of the last instant that dates are made of: a day before the year
/// 10000, since it has to be a date in every time zone.
const LAST_SECOND: i64 = 253_402_207_200;

/// Seconds of the begin of the year 0.
const FIRST_SECOND: i64 = -62_167_219_200;

impl CaptureDate {
    /// The present moment by the system's clock, which is read nowhere else.
    pub fn now() -> Self {
        Self::of_system(SystemTime::now())
    }

    /// An instant of the system; those after the last date that archives write
    /// are that date, those before the year 0 its begin: a clock may be wrong.
    fn of_system(time: SystemTime) -> Self {
        let millis = |span: Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        let millis = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => millis(after),
            Err(before) => -millis(before.duration()),
        };
        Self(millis.clamp(FIRST_SECOND * 1000, LAST_SECOND * 1000))
    }

    /// Makes a date from milliseconds since 1970.
    pub const fn from_millis(millis: i64) -> Self {
        Self(millis)
    }

    /// Makes a date from seconds since 1970.
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
        if let Some(date) = Self::from_digits14(text.as_bytes()) {
            return Ok(date);
        }
        Self::read(text).filter(|date| date.civil().year() >= 0).ok_or_else(|| DateError(text.to_owned()))
    }

    /// First and last millisecond of what a text says: `2024-03` is March to
    /// its end, an instant its second.
    ///
    /// # Errors
    /// As of [`Self::parse`].
    pub fn period(text: &str) -> Result<(Self, Self), DateError> {
        let begin = Self::parse(text)?;
        Ok((begin, Self::end_of_period(begin, text).unwrap_or(begin)))
    }

    fn end_of_period(begin: Self, text: &str) -> Option<Self> {
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let number = |from: usize, to: usize| digits.get(from..to)?.parse::<u32>().ok();
        let next = match digits.len() {
            4 => Self::parse(&format!("{:04}", number(0, 4)? + 1)).ok()?,
            6 if number(4, 6)? == 12 => Self::parse(&format!("{:04}01", number(0, 4)? + 1)).ok()?,
            6 => Self::parse(&format!("{:06}", number(0, 6)? + 1)).ok()?,
            8 => Self(begin.0 + 86_400_000),
            10 => Self(begin.0 + 3_600_000),
            12 => Self(begin.0 + 60_000),
            14 => Self(begin.0 + 1000),
            _ => return Some(begin),
        };
        Some(Self(next.0 - 1))
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

    /// Fourteen digits that are a date of the calendar: the form of the many.
    fn from_digits14(text: &[u8]) -> Option<Self> {
        let digits: &[u8; 14] = text.try_into().ok()?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let two = |at: usize| i64::from(digits[at] - b'0') * 10 + i64::from(digits[at + 1] - b'0');
        let (year, month, day) = (two(0) * 100 + two(2), two(4), two(6));
        let (hour, minute, second) = (two(8), two(10), two(12));
        let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let days = match month {
            4 | 6 | 9 | 11 => 30,
            2 => 28 + i64::from(is_leap),
            _ => 31,
        };
        if !(1..=12).contains(&month) || !(1..=days).contains(&day) || hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        // Years that begin in March: a leap day ends its year.
        let year = year - i64::from(month <= 2);
        let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
        let days = era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468;
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second;
        (seconds <= LAST_SECOND).then(|| Self::from_seconds(seconds))
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
        let mut text = Vec::with_capacity(24);
        self.push_dataset(&mut text);
        String::from_utf8(text).unwrap_or_default()
    }

    fn civil_text(self) -> String {
        let t = self.civil();
        format!("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", t.year(), t.month(), t.day(), t.hour(), t.minute(), t.second())
    }

    /// Appends what [`Self::to_dataset`] gives, for the many dates of a data set.
    pub fn push_dataset(self, out: &mut Vec<u8>) {
        let seconds = self.seconds();
        if !(FIRST_SECOND..=LAST_SECOND).contains(&seconds) {
            out.extend_from_slice(self.civil_text().as_bytes());
            return;
        }
        let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
        // Days since 0000-03-01, so that a leap day ends its year.
        let days = days + 719_468;
        let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 3 } else { month - 9 };
        let year = year + era * 400 + i64::from(month <= 2);
        let mut text = *b"0000-00-00T00:00:00";
        let numbers = [year / 100, year % 100, month, day, second / 3600, second / 60 % 60, second % 60];
        for (at, value) in [0, 2, 5, 8, 11, 14, 17].into_iter().zip(numbers) {
            text[at] = b'0' + (value / 10 % 10) as u8;
            text[at + 1] = b'0' + (value % 10) as u8;
        }
        out.extend_from_slice(&text);
    }

    /// `2024-03-01T09:00:00Z`, fractions only where there are some (WARC/1.1).
    pub fn to_warc(self) -> String {
        match self.0.rem_euclid(1000) {
            0 => self.to_dataset() + "Z",
            millis => format!("{}.{millis:03}Z", self.to_dataset()),
        }
    }

    /// `2024-03-01T09:00:00.000Z`, as Heritrix logs have it.
    pub fn to_log(self) -> String {
        format!("{}.{:03}Z", self.to_dataset(), self.0.rem_euclid(1000))
    }

    /// `2024-03-01 09:00:00`, for people.
    pub fn to_readable(self) -> String {
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
    fn json_has_the_date_as_text_and_reads_what_earlier_versions_wrote() {
        for (text, millis) in [("2024-03-01T09:00:00Z", 1_709_283_600_000), ("1969-12-31T23:59:59.999Z", -1)] {
            let date = CaptureDate::from_millis(millis);
            let json = serde_json::to_string(&date).unwrap();
            assert_eq!(json, format!("\"{text}\""));
            for read in [json, millis.to_string(), "\"2024-03-01T10:00:00+01:00\"".to_owned()] {
                let back: CaptureDate = serde_json::from_str(&read).unwrap();
                assert!(back == date || read.contains("+01:00"), "{read}");
            }
        }
        assert!(serde_json::from_str::<CaptureDate>("\"soon\"").unwrap_err().to_string().contains("“soon”"));
    }

    #[test]
    fn a_clock_beyond_all_dates_is_at_the_last_one() {
        let day = Duration::from_secs(86_400);
        for (time, expected) in [
            (UNIX_EPOCH + day * 2, "1970-01-03T00:00:00Z"),
            (UNIX_EPOCH - day, "1969-12-31T00:00:00Z"),
            (UNIX_EPOCH + day * 366 * 8030, "9999-12-30T22:00:00Z"),
            (UNIX_EPOCH + day * 366 * 1_000_000, "9999-12-30T22:00:00Z"),
            (UNIX_EPOCH - day * 366 * 3000, "0000-01-01T00:00:00Z"),
        ] {
            let date = CaptureDate::of_system(time);
            assert_eq!(date.to_warc(), expected);
            assert_eq!(CaptureDate::parse(&date.to_digits14()).map(CaptureDate::to_warc).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn periods_end_where_the_next_begins() {
        let end = |text: &str| CaptureDate::period(text).map(|(_, end)| end.to_warc()).unwrap_or_default();
        assert_eq!(end("2023"), "2023-12-31T23:59:59.999Z");
        assert_eq!(end("2023-12"), "2023-12-31T23:59:59.999Z");
        assert_eq!(end("20240229"), "2024-02-29T23:59:59.999Z");
        assert_eq!(end("2024-03-01T09:00:00Z"), "2024-03-01T09:00:00.999Z");
        assert_eq!(end("x"), "");
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
        assert_eq!(date.to_readable(), "2024-03-01 09:00:00");
    }

    proptest::proptest! {
        #[test]
        fn fourteen_digits_are_read_the_same_in_both_ways(
            year in 0..10_000, month in 0..14, day in 0..33, hour in 0..26, minute in 0..62, second in 0..62,
        ) {
            let text = format!("{year:04}{month:02}{day:02}{hour:02}{minute:02}{second:02}");
            proptest::prop_assert_eq!(CaptureDate::from_digits14(text.as_bytes()), CaptureDate::from_digits(&text), "{}", text);
        }

        #[test]
        fn dates_of_a_data_set_are_written_the_same_in_both_ways(seconds in -70_000_000_000_i64..260_000_000_000, millis in 0_i64..1000) {
            let date = CaptureDate::from_millis(seconds * 1000 + millis);
            let mut out = Vec::new();
            date.push_dataset(&mut out);
            proptest::prop_assert_eq!(String::from_utf8(out).unwrap(), date.civil_text());
        }
    }
}
