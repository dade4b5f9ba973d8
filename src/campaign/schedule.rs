//! Schedule of a campaign, and the runs that follow from it.
//!
//! The scheduler's rules (ARCOMEM 5.3.4.4): with a start date, runs keep its
//! hour and day. Without one they are at 09:00: yearly on the campaign's
//! birthday, quarterly on the 1st of January, April, July and October,
//! monthly on the 1st, weekly on Monday; hourly on the hour. Where a month is
//! too short, the run is on its last day, and the day comes back in longer
//! months (31 Jan, 28 Feb, 31 Mar). Dates without an offset are in the
//! schedule's time zone, UTC where none is given.
//!
//! Clock changes (RFC 5545, 3.3.5): a time of day that a change skips is read
//! with the offset before it, so 02:30 becomes 03:30 where the clocks go from
//! 02:00 to 03:00; one that comes twice means the first. Either way there is
//! one run. Hourly runs go by instants: an hour stays an hour. A day that a
//! zone leaves out altogether (Samoa, 30 December 2011) has no run of its own.
//!
//! Not here: what is done about runs that fell due ([`super::settle`]); how
//! other programs count ([`Calendar`]).

mod calendar;
mod plan;
#[cfg(test)]
mod tests;

pub use calendar::Calendar;

use crate::uri::CaptureDate;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use plan::Plan;
use serde::{Deserialize, Serialize};

/// Hour of runs for which nobody gave one.
const DEFAULT_HOUR: i8 = 9;
/// Most runs listed at once.
pub const MAX_NEXT_RUNS: usize = 1000;

/// The frequency of runs.
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
    /// Every six months, in January and July when no date is given.
    SixMonthly,
    /// Every year, on the campaign's birthday when no date is given.
    Yearly,
}

impl Frequency {
    /// Every one, the most frequent first.
    pub const ALL: [Self; 8] = [
        Self::Manual,
        Self::Hourly,
        Self::Daily,
        Self::Weekly,
        Self::Monthly,
        Self::Quarterly,
        Self::SixMonthly,
        Self::Yearly,
    ];

    /// The name of the frequency for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::Manual => "only by hand",
            Self::Hourly => "every hour",
            Self::Daily => "every day",
            Self::Weekly => "every week",
            Self::Monthly => "every month",
            Self::Quarterly => "every three months",
            Self::SixMonthly => "every six months",
            Self::Yearly => "every year",
        }
    }
}

/// The policy for runs that fell due while the program was not running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CatchUp {
    /// They are made up for by one run, however many they were.
    Once,
    /// They are left out.
    Skip,
    /// A person decides each time.
    #[default]
    #[serde(rename = "ask")]
    Confirm,
}

impl CatchUp {
    /// Every policy with its words.
    pub const ALL: [(Self, &str); 3] =
        [(Self::Once, "make up for them by one run"), (Self::Skip, "leave them out"), (Self::Confirm, "ask each time")];
}

/// The schedule of a campaign.
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
    /// The policy for runs that were missed.
    pub catch_up: CatchUp,
}

/// A planned run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
    /// Its text.
    pub text: String,
    /// The mistake, and what to write instead.
    pub why: &'static str,
}

impl Schedule {
    /// Whether it starts crawls at all.
    pub fn is_set(&self) -> bool {
        self.frequency != Frequency::Manual || self.extra.iter().any(|date| !date.trim().is_empty())
    }

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
                // A day that the zone leaves out gives the instant of the next one.
                let again = runs.last().is_some_and(|(last, _)| run <= *last);
                if run.timestamp() > after && run >= plan.first && !again {
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
        Ok((dates.start.map(|start| instant(start.instant)), dates.end.map(instant)))
    }

    /// The runs after `after` up to `until`, that instant included, earliest
    /// first. Of more than `most` the latest, with the number of those left out.
    pub fn runs_between(
        &self,
        after: CaptureDate,
        until: CaptureDate,
        created: CaptureDate,
        most: usize,
    ) -> Result<(Vec<Run>, u64), ScheduleError> {
        let mut kept = std::collections::VecDeque::new();
        let (mut after, mut left_away) = (after, 0);
        // Seldom more than one is due; a long sleep is gone through in larger steps.
        let mut limit = 4;
        loop {
            let runs = self.next_runs(after, created, limit)?;
            let Some(last) = runs.last() else { break };
            after = last.date;
            let found = runs.len();
            kept.extend(runs.into_iter().filter(|run| run.date <= until));
            while kept.len() > most {
                kept.pop_front();
                left_away += 1;
            }
            if after > until || found < limit {
                break;
            }
            limit = MAX_NEXT_RUNS;
        }
        Ok((kept.into(), left_away))
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
        let start = one("start", &self.start, Bound::Start)?.map(|instant| {
            // A clock typed without an offset is kept as it is typed: the zone may leave it out that day.
            let typed = self.start.as_deref().filter(|text| text.parse::<Timestamp>().is_err());
            let typed = typed.and_then(|text| clock(text, Bound::Start));
            Start { clock: typed.unwrap_or_else(|| instant.datetime()), instant }
        });
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
                why: "is no time zone this computer knows; give a name such as Europe/Lisbon",
            }),
        }
    }
}

/// A schedule's dates, understood.
struct Dates {
    start: Option<Start>,
    end: Option<Zoned>,
    extra: Vec<Zoned>,
    zone: TimeZone,
}

/// The start of a schedule.
struct Start {
    instant: Zoned,
    /// The local date and time, as it was typed.
    clock: DateTime,
}

/// The instant of its day that a bare date means.
#[derive(Clone, Copy)]
enum Bound {
    Start,
    End,
}

fn instant(field: &str, text: &str, zone: &TimeZone, bound: Bound) -> Result<Zoned, ScheduleError> {
    let error = || ScheduleError {
        field: field.to_owned(),
        text: text.to_owned(),
        why: "is no date; give ISO 8601 such as 2026-03-01 or 2026-03-01T09:00",
    };
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Ok(instant.to_zoned(zone.clone()));
    }
    // A parser of clocks passes over the zone behind one.
    if text.contains('[') {
        let why = "names a zone behind the clock; write the clock alone, and the zone as the schedule's time_zone";
        return Err(ScheduleError { why, ..error() });
    }
    clock(text, bound).and_then(|local| local.to_zoned(zone.clone()).ok()).ok_or_else(error)
}

/// Reads a text without an offset.
fn clock(text: &str, bound: Bound) -> Option<DateTime> {
    match text.parse::<Date>() {
        // A date parser also takes the date of a longer text.
        Ok(date) if !text.contains(['T', 't', ' ', ':']) => Some(date.to_datetime(match bound {
            Bound::Start => Time::constant(DEFAULT_HOUR, 0, 0, 0),
            Bound::End => Time::constant(23, 59, 59, 999_999_999),
        })),
        _ => text.parse().ok(),
    }
}

fn describe(run: &Zoned, is_extra: bool, zone: Option<&str>) -> Run {
    let text = format!("{} {}", run.strftime("%A %-d %b %Y %H:%M"), zone.unwrap_or("UTC"));
    Run { date: CaptureDate::from_millis(run.timestamp().as_millisecond()), is_extra, words: text }
}
