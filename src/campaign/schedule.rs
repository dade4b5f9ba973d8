//! When a campaign runs.
//!
//! The scheduler's rules (ARCOMEM 5.3.4.4): with a start date, runs keep its
//! hour and day. Without one they are at 09:00: yearly on the campaign's
//! birthday, quarterly on the 1st of January, April, July and October, every
//! half year on the 1st of January and July, monthly on the 1st, weekly on
//! Monday; hourly on the hour. Where a month is too short, the run is on its
//! last day, and the day comes back in longer months (31 Jan, 28 Feb, 31 Mar).
//! Dates without an offset are in the schedule's time zone, UTC where none is
//! given; where a clock change skips the hour, the run is after it.
//!
//! Not here: whether the campaign is active (inactive beats all), what is
//! done about runs that were missed.

use crate::uri::CaptureDate;
use jiff::civil::{Date, DateTime, Time, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, Timestamp, ToSpan, Zoned};
use serde::{Deserialize, Serialize};

/// Hour of runs for which nobody gave one.
const DEFAULT_HOUR: i8 = 9;
/// Most runs told at once.
pub const MAX_NEXT_RUNS: usize = 1000;

/// How often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Frequency {
    /// Only when a person starts it.
    #[default]
    Manual,
    /// Every hour.
    Hourly,
    /// Every day.
    Daily,
    /// Every week, on Monday when no date is given.
    Weekly,
    /// Every month, on the 1st when no date is given.
    Monthly,
    /// Every three months.
    Quarterly,
    /// Every six months.
    HalfYearly,
    /// Every year, on the campaign's birthday when no date is given.
    Yearly,
}

/// When a campaign runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Schedule {
    /// How often.
    pub frequency: Frequency,
    /// First run, ISO 8601; gives hour and day of the later ones.
    pub start: Option<String>,
    /// No run after this, ISO 8601; a bare date includes its whole day.
    pub end: Option<String>,
    /// One-off dates besides, ISO 8601.
    pub extra: Vec<String>,
    /// Time zone of dates without an offset, by its IANA name
    /// (`Europe/Lisbon`); UTC where none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
}

/// A planned run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// When.
    pub date: CaptureDate,
    /// Whether it is a one-off date and not of the frequency.
    pub is_extra: bool,
    /// When, for people: `Monday 23 Nov 2026 09:00 UTC`.
    pub words: String,
}

/// A field of the schedule cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: “{text}” {why}")]
pub struct ScheduleError {
    /// The field: `start`, `end`, `extra[0]`, `time_zone`.
    pub field: String,
    /// What stands there.
    pub text: String,
    /// What is wrong and what is wanted.
    pub why: &'static str,
}

impl Schedule {
    /// The next `count` runs (at most [`MAX_NEXT_RUNS`]) after an instant,
    /// earliest first, for a campaign made at `created`.
    pub fn next_runs(&self, after: CaptureDate, created: CaptureDate, count: usize) -> Result<Vec<Run>, ScheduleError> {
        let count = count.min(MAX_NEXT_RUNS);
        let dates = self.read()?;
        let Ok(after) = Timestamp::from_millisecond(after.millis()) else {
            // Beyond the years a calendar knows: nothing comes after.
            return Ok(Vec::new());
        };
        let created = Timestamp::from_millisecond(created.millis()).unwrap_or(after).to_zoned(dates.zone.clone());
        let in_time = |run: &Zoned| dates.end.as_ref().is_none_or(|end| run <= end);

        let mut runs: Vec<(Zoned, bool)> = Vec::new();
        if let Some(plan) = Plan::of(self.frequency, dates.start.as_ref(), &created) {
            let mut step = plan.last_step_before(&after.to_zoned(dates.zone.clone()));
            while runs.len() < count {
                let Some(run) = plan.run(step, &dates.zone).filter(|run| in_time(run)) else {
                    break;
                };
                if run.timestamp() > after && run >= plan.first {
                    runs.push((run, false));
                }
                step += 1;
            }
        }
        let extra = dates.extra.into_iter().filter(|run| run.timestamp() > after && in_time(run));
        runs.extend(extra.map(|run| (run, true)));
        runs.sort_by(|(a, a_extra), (b, b_extra)| a.cmp(b).then(a_extra.cmp(b_extra)));
        runs.dedup_by(|(later, _), (earlier, _)| later == earlier);
        runs.truncate(count);
        Ok(runs.iter().map(|(run, is_extra)| describe(run, *is_extra, self.time_zone.as_deref())).collect())
    }

    /// First and last instant that runs may have.
    ///
    /// # Errors
    ///
    /// When a date or the time zone cannot be understood.
    pub fn term(&self) -> Result<(Option<CaptureDate>, Option<CaptureDate>), ScheduleError> {
        let dates = self.read()?;
        let instant = |date: Zoned| CaptureDate::from_millis(date.timestamp().as_millisecond());
        Ok((dates.start.map(instant), dates.end.map(instant)))
    }

    /// Every field that cannot be understood or contradicts another.
    pub fn errors(&self) -> Vec<ScheduleError> {
        let mut errors = Vec::new();
        let zone = self.zone().unwrap_or_else(|error| {
            errors.push(error);
            TimeZone::UTC
        });
        let mut read = |field: &str, text: Option<&String>, bound| {
            instant(field, text?, &zone, bound).map_err(|error| errors.push(error)).ok()
        };
        let start = read("start", self.start.as_ref(), Bound::Start);
        let end = read("end", self.end.as_ref(), Bound::End);
        let extra: Vec<Option<Zoned>> = self
            .extra
            .iter()
            .enumerate()
            .map(|(i, text)| read(&format!("extra[{i}]"), Some(text), Bound::Start))
            .collect();
        let mut blame =
            |field: String, text: &str, why| errors.push(ScheduleError { field, text: text.to_owned(), why });
        if let (Some(start), Some(end), Some(text)) = (&start, &end, &self.end)
            && end < start
        {
            blame("end".to_owned(), text, "is before the start: the schedule never runs");
        }
        for (i, (date, text)) in extra.iter().zip(&self.extra).enumerate() {
            if let (Some(date), Some(end)) = (date, &end)
                && date > end
            {
                blame(format!("extra[{i}]"), text, "is after the schedule's end: this run never comes");
            }
        }
        if let (Frequency::Manual, Some(text)) = (self.frequency, &self.start) {
            blame(
                "start".to_owned(),
                text,
                "has no effect while the campaign runs by hand only: choose a frequency, or make it an extra date",
            );
        }
        errors
    }

    fn read(&self) -> Result<Dates, ScheduleError> {
        let zone = self.zone()?;
        let one = |field: &str, text: &Option<String>, bound| {
            text.as_ref().map(|text| instant(field, text, &zone, bound)).transpose()
        };
        let start = one("start", &self.start, Bound::Start)?;
        let end = one("end", &self.end, Bound::End)?;
        let extra: Result<Vec<Zoned>, _> = self
            .extra
            .iter()
            .enumerate()
            .map(|(i, text)| instant(&format!("extra[{i}]"), text, &zone, Bound::Start))
            .collect();
        Ok(Dates { start, end, extra: extra?, zone })
    }

    fn zone(&self) -> Result<TimeZone, ScheduleError> {
        match self.time_zone.as_deref() {
            None | Some("UTC") => Ok(TimeZone::UTC),
            Some(name) => TimeZone::get(name).map_err(|_| ScheduleError {
                field: "time_zone".to_owned(),
                text: name.to_owned(),
                why: "is no time zone this computer knows; wanted is a name such as Europe/Lisbon",
            }),
        }
    }
}

/// A schedule's dates, understood.
struct Dates {
    start: Option<Zoned>,
    end: Option<Zoned>,
    extra: Vec<Zoned>,
    zone: TimeZone,
}

/// Which instant of its day a bare date means.
#[derive(Clone, Copy)]
enum Bound {
    Start,
    End,
}

fn instant(field: &str, text: &str, zone: &TimeZone, bound: Bound) -> Result<Zoned, ScheduleError> {
    let error = || ScheduleError {
        field: field.to_owned(),
        text: text.to_owned(),
        why: "is no date; wanted is ISO 8601 such as 2026-03-01 or 2026-03-01T09:00",
    };
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Ok(instant.to_zoned(zone.clone()));
    }
    let local: DateTime = match text.parse::<Date>() {
        // A date parser also takes the date of a longer text.
        Ok(date) if !text.contains(['T', 't', ' ', ':']) => date.to_datetime(match bound {
            Bound::Start => Time::constant(DEFAULT_HOUR, 0, 0, 0),
            Bound::End => Time::constant(23, 59, 59, 999_999_999),
        }),
        _ => text.parse().map_err(|_| error())?,
    };
    local.to_zoned(zone.clone()).map_err(|_| error())
}

/// The runs of a frequency, by number.
struct Plan {
    /// Number 0; gives the hour and the day.
    anchor: DateTime,
    every: Every,
    /// No run before this.
    first: Zoned,
}

#[derive(Clone, Copy)]
enum Every {
    Hours(i64),
    Days(i64),
    Months(i64),
}

impl Plan {
    fn of(frequency: Frequency, start: Option<&Zoned>, created: &Zoned) -> Option<Self> {
        let day = created.date();
        let (every, anchor) = match frequency {
            Frequency::Manual => return None,
            Frequency::Hourly => (Every::Hours(1), day.at(created.hour(), 0, 0, 0)),
            Frequency::Daily => (Every::Days(1), at_nine(day)),
            Frequency::Weekly => {
                let since_monday = day.weekday().since(Weekday::Monday);
                (Every::Days(7), at_nine(day.saturating_sub(i64::from(since_monday).days())))
            }
            Frequency::Monthly => (Every::Months(1), at_nine(day.first_of_month())),
            Frequency::Quarterly => (Every::Months(3), at_nine(day.first_of_year())),
            Frequency::HalfYearly => (Every::Months(6), at_nine(day.first_of_year())),
            Frequency::Yearly => (Every::Months(12), at_nine(day)),
        };
        Some(match start {
            Some(start) => Self { anchor: start.datetime(), every, first: start.clone() },
            None => Self { anchor, every, first: created.clone() },
        })
    }

    /// A run's number from which on runs can be after an instant; never below 0.
    fn last_step_before(&self, after: &Zoned) -> i64 {
        let days = i64::from((after.date() - self.anchor.date()).get_days());
        let months = i64::from(after.year() - self.anchor.year()) * 12 + i64::from(after.month() - self.anchor.month());
        let step = match self.every {
            Every::Hours(hours) => (days - 1) * 24 / hours,
            Every::Days(every) => days / every,
            Every::Months(every) => months / every,
        };
        (step - 1).max(0)
    }

    /// None beyond the years a calendar knows.
    fn run(&self, step: i64, zone: &TimeZone) -> Option<Zoned> {
        match self.every {
            // By instants: an hour stays an hour when the clocks change.
            Every::Hours(hours) => {
                let anchor = self.anchor.to_zoned(zone.clone()).ok()?;
                anchor.checked_add(SignedDuration::from_hours(step.checked_mul(hours)?)).ok()
            }
            Every::Days(days) => {
                let days = step.checked_mul(days)?;
                self.anchor.checked_add(Span::new().try_days(days).ok()?).ok()?.to_zoned(zone.clone()).ok()
            }
            Every::Months(every) => {
                let month = i64::from(self.anchor.month()) - 1 + step.checked_mul(every)?;
                let year = i64::from(self.anchor.year()) + month.div_euclid(12);
                let month = i8::try_from(month.rem_euclid(12) + 1).ok()?;
                let first = Date::new(i16::try_from(year).ok()?, month, 1).ok()?;
                let day = self.anchor.day().min(first.days_in_month());
                let date = Date::new(first.year(), month, day).ok()?;
                date.to_datetime(self.anchor.time()).to_zoned(zone.clone()).ok()
            }
        }
    }
}

fn at_nine(day: Date) -> DateTime {
    day.at(DEFAULT_HOUR, 0, 0, 0)
}

fn describe(run: &Zoned, is_extra: bool, zone: Option<&str>) -> Run {
    let words = format!("{} {}", run.strftime("%A %-d %b %Y %H:%M"), zone.unwrap_or("UTC"));
    Run { date: CaptureDate::from_millis(run.timestamp().as_millisecond()), is_extra, words }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn schedule(frequency: Frequency, start: &str, end: &str) -> Schedule {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Schedule { frequency, start: some(start), end: some(end), ..Schedule::default() }
    }

    /// Runs after `after` of a campaign made at 2024-02-29T15:30.
    #[track_caller]
    fn check(schedule: &Schedule, after: &str, expected: &[&str]) {
        let created = CaptureDate::parse("2024-02-29T15:30").unwrap();
        let runs = schedule.next_runs(CaptureDate::parse(after).unwrap(), created, 4).unwrap();
        let dates: Vec<String> = runs
            .iter()
            .map(|run| {
                format!("{}{}", run.date.to_words().trim_end_matches(":00"), if run.is_extra { " +" } else { "" })
            })
            .collect();
        assert_eq!(dates, expected, "{schedule:?} after {after}");
    }

    #[test]
    fn without_a_date_the_rules_decide() {
        use Frequency::*;
        let plain = |frequency| schedule(frequency, "", "");
        check(&plain(Manual), "2026-11-20", &[]);
        check(
            &plain(Hourly),
            "2026-11-20T10:59",
            &["2026-11-20 11", "2026-11-20 12", "2026-11-20 13", "2026-11-20 14"],
        );
        check(&plain(Daily), "2026-11-20T09:00", &["2026-11-21 09", "2026-11-22 09", "2026-11-23 09", "2026-11-24 09"]);
        check(&plain(Weekly), "2026-11-20", &["2026-11-23 09", "2026-11-30 09", "2026-12-07 09", "2026-12-14 09"]);
        check(&plain(Monthly), "2026-11-20", &["2026-12-01 09", "2027-01-01 09", "2027-02-01 09", "2027-03-01 09"]);
        check(&plain(Quarterly), "2026-11-20", &["2027-01-01 09", "2027-04-01 09", "2027-07-01 09", "2027-10-01 09"]);
        // Born on 29 February.
        check(&plain(Yearly), "2026-11-20", &["2027-02-28 09", "2028-02-29 09", "2029-02-28 09", "2030-02-28 09"]);
    }

    #[test]
    fn nothing_runs_before_the_campaign_was_made() {
        use Frequency::*;
        check(&schedule(Weekly, "", "2024-03-12"), "2020-01-01", &["2024-03-04 09", "2024-03-11 09"]);
        check(&schedule(Monthly, "", "2024-04-01"), "2020-01-01", &["2024-03-01 09", "2024-04-01 09"]);
        check(&schedule(Yearly, "", "2025-01-01"), "2020-01-01", &[]);
        check(&schedule(Hourly, "", "2024-02-29T17:00"), "2020-01-01", &["2024-02-29 16", "2024-02-29 17"]);
    }

    #[test]
    fn the_start_gives_hour_and_day() {
        use Frequency::*;
        let start = "2024-01-31T18:45";
        check(
            &schedule(Monthly, start, ""),
            "2024-01-31T18:44",
            &["2024-01-31 18:45", "2024-02-29 18:45", "2024-03-31 18:45", "2024-04-30 18:45"],
        );
        check(
            &schedule(Quarterly, start, ""),
            "2024-05-01",
            &["2024-07-31 18:45", "2024-10-31 18:45", "2025-01-31 18:45", "2025-04-30 18:45"],
        );
        check(&schedule(Weekly, start, "2024-02-10"), "2020-01-01", &["2024-01-31 18:45", "2024-02-07 18:45"]);
        check(
            &schedule(Yearly, "2024-02-29", ""),
            "2024-02-29T09:00",
            &["2025-02-28 09", "2026-02-28 09", "2027-02-28 09", "2028-02-29 09"],
        );
        check(
            &schedule(Daily, "2024-03-01T23:30-02:00", ""),
            "2024-01-01",
            &["2024-03-02 01:30", "2024-03-03 01:30", "2024-03-04 01:30", "2024-03-05 01:30"],
        );
        check(
            &schedule(Hourly, "1996-01-01T00:20", ""),
            "2026-11-20T23:20",
            &["2026-11-21 00:20", "2026-11-21 01:20", "2026-11-21 02:20", "2026-11-21 03:20"],
        );
        check(&schedule(Daily, "9999-12-29", ""), "9999-12-29T10:00", &["9999-12-30 09"]);
    }

    #[test]
    fn extra_dates_come_besides_and_once() {
        let mut weekly = schedule(Frequency::Weekly, "", "2026-12-08");
        weekly.extra = vec!["2026-11-25T12:00".into(), "2026-11-30".into(), "2020-01-01".into(), "2027-01-01".into()];
        check(&weekly, "2026-11-20", &["2026-11-23 09", "2026-11-25 12 +", "2026-11-30 09", "2026-12-07 09"]);
        let mut manual = schedule(Frequency::Manual, "", "");
        manual.extra = vec!["2026-12-24".into()];
        check(&manual, "2026-11-20", &["2026-12-24 09 +"]);
    }

    #[test]
    fn a_time_zone_keeps_its_clock() {
        let mut daily = schedule(Frequency::Daily, "2026-03-27T01:30", "");
        daily.time_zone = Some("Europe/Lisbon".into());
        let Ok(runs) = daily.next_runs(CaptureDate::default(), CaptureDate::default(), 4) else {
            println!("skipped: no time zones on this computer");
            return;
        };
        let words: Vec<&str> = runs.iter().map(|run| run.words.as_str()).collect();
        assert_eq!(
            words,
            [
                "Friday 27 Mar 2026 01:30 Europe/Lisbon",
                "Saturday 28 Mar 2026 01:30 Europe/Lisbon",
                // The clocks go from 01:00 to 02:00.
                "Sunday 29 Mar 2026 02:30 Europe/Lisbon",
                "Monday 30 Mar 2026 01:30 Europe/Lisbon",
            ]
        );
        assert_eq!(runs[3].date.to_words(), "2026-03-30 00:30:00");
    }

    #[test]
    fn words_are_for_people() {
        let now = CaptureDate::parse("2026-11-20T17:00").unwrap();
        let runs = schedule(Frequency::Weekly, "", "").next_runs(now, now, 1).unwrap();
        assert_eq!(runs[0].words, "Monday 23 Nov 2026 09:00 UTC");
        assert_eq!(schedule(Frequency::Hourly, "", "").next_runs(now, now, usize::MAX).unwrap().len(), MAX_NEXT_RUNS);
        assert_eq!(
            schedule(Frequency::Daily, "", "").next_runs(CaptureDate::from_millis(i64::MAX), now, 1).unwrap(),
            []
        );
    }

    #[test]
    fn what_cannot_be_understood_is_named() {
        #[track_caller]
        fn check(schedule: &Schedule, expected: &[&str]) {
            let errors: Vec<String> = schedule
                .errors()
                .iter()
                .map(|e| format!("{}: {}", e.field, e.why.split([':', ';']).next().unwrap()))
                .collect();
            assert_eq!(errors, expected);
        }
        check(&Schedule::default(), &[]);
        check(&schedule(Frequency::Daily, "2026-01-01", "2026-01-01"), &[]);
        check(&schedule(Frequency::Daily, "soon", "2026-02-30"), &["start: is no date", "end: is no date"]);
        check(&schedule(Frequency::Daily, "2026-01-02", "2026-01-01"), &["end: is before the start"]);
        check(
            &schedule(Frequency::Manual, "2026-01-02", ""),
            &["start: has no effect while the campaign runs by hand only"],
        );
        let mut odd = schedule(Frequency::Daily, "", "2026-01-01");
        odd.extra = vec!["x".into(), "2026-01-02".into()];
        odd.time_zone = Some("Mars/Olympus".into());
        check(
            &odd,
            &[
                "time_zone: is no time zone this computer knows",
                "extra[0]: is no date",
                "extra[1]: is after the schedule's end",
            ],
        );
        let now = CaptureDate::now();
        assert!(odd.next_runs(now, now, 1).is_err());
    }
}
