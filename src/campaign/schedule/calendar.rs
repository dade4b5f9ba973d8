//! Calendars of other programs for the same schedule, to compare with.
//!
//! W3ACT shows a curator one calendar and its launcher keeps another; neither
//! is the one of [`Schedule::next_runs`]. Both need a start date, know no
//! hourly runs, and take one-off dates for nothing.

use super::{Frequency, MAX_NEXT_RUNS, Run, Schedule, ScheduleError, Start, describe};
use crate::uri::CaptureDate;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan, Zoned};
use serde::{Deserialize, Serialize};

/// The program whose calendar counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Calendar {
    /// This program: a run is never left out and never drifts.
    #[default]
    Fonds,
    /// What W3ACT shows a curator (`Target.getNextScheduledCrawlDate`): the
    /// start, its year raised to last year when it is older, and then one
    /// period more each time. Months drift: 31 Jan, 28 Feb, 28 Mar, 28 Apr.
    W3act,
    /// What W3ACT's launcher starts (`ukwa-manage`, `launch.py`), called every
    /// hour: hour and day of the start have to be those of the clock. Months
    /// that lack the day have no run, minutes do not count, an hour that a
    /// clock change skips is lost and one that comes twice launches twice.
    Launcher,
}

/// Days looked through for a launcher that may have one run in eight years.
const MOST_DAYS: i32 = 366 * 60;

impl Schedule {
    /// The next `count` runs after an instant, as `calendar` counts them, of a
    /// campaign made at `created`.
    pub fn next_runs_by(
        &self,
        calendar: Calendar,
        after: CaptureDate,
        created: CaptureDate,
        count: usize,
    ) -> Result<Vec<Run>, ScheduleError> {
        if calendar == Calendar::Fonds {
            return self.next_runs(after, created, count);
        }
        let dates = self.read()?;
        let count = count.min(MAX_NEXT_RUNS);
        let (Some(start), Ok(after)) = (dates.start, Timestamp::from_millisecond(after.millis())) else {
            return Ok(Vec::new());
        };
        let runs = if calendar == Calendar::W3act {
            w3act(self.frequency, &start, after, &dates.zone, count)
        } else {
            launcher(self.frequency, &start, after, &dates.zone, count)
        };
        let in_time = runs.into_iter().filter(|run| dates.end.as_ref().is_none_or(|end| run <= end));
        Ok(in_time.map(|run| describe(&run, false, self.time_zone.as_deref())).collect())
    }
}

fn w3act(frequency: Frequency, start: &Start, after: Timestamp, zone: &TimeZone, count: usize) -> Vec<Zoned> {
    let Some(period) = period(frequency) else { return Vec::new() };
    let mut runs = Vec::new();
    let last_year = after.to_zoned(zone.clone()).year() - 1;
    // By the clock as it was typed: only the run that a clock change skips is moved by it.
    let mut at = start.clock;
    if at.year() < last_year {
        // As Java's calendar has it: 29 February of another year is 1 March.
        let day = Date::new(last_year, at.month(), at.day())
            .or_else(|_| Date::new(last_year, at.month(), 28).and_then(|day| day.checked_add(1.day())));
        let Ok(day) = day else { return Vec::new() };
        at = day.to_datetime(at.time());
    }
    while runs.len() < count {
        let Ok(run) = at.to_zoned(zone.clone()) else { break };
        if run.timestamp() > after {
            runs.push(run);
        }
        let Ok(next) = at.checked_add(period) else { break };
        at = next;
    }
    runs
}

fn period(frequency: Frequency) -> Option<Span> {
    Some(match frequency {
        Frequency::Manual | Frequency::Hourly => return None,
        Frequency::Daily => 1.day(),
        Frequency::Weekly => 1.week(),
        Frequency::Monthly => 1.month(),
        Frequency::Quarterly => 3.months(),
        Frequency::SixMonthly => 6.months(),
        Frequency::Yearly => 1.year(),
    })
}

fn launcher(frequency: Frequency, start: &Start, after: Timestamp, zone: &TimeZone, count: usize) -> Vec<Zoned> {
    let mut runs = Vec::new();
    let from = after.to_zoned(zone.clone()).date().max(start.clock.date());
    let mut day = from.yesterday().unwrap_or(from);
    for _ in 0..MOST_DAYS {
        if runs.len() >= count {
            break;
        }
        if launches_on(frequency, start.clock, day) {
            let hours = instants(day.at(start.clock.hour(), 0, 0, 0), zone);
            // The launcher compares with the start itself, minutes and all.
            runs.extend(hours.into_iter().filter(|run| run.timestamp() > after && *run >= start.instant));
        }
        let Ok(next) = day.tomorrow() else { break };
        day = next;
    }
    runs.truncate(count);
    runs
}

fn launches_on(frequency: Frequency, start: DateTime, day: Date) -> bool {
    let same_day = day.day() == start.day();
    let months = (day.month() - start.month()).rem_euclid(12);
    match frequency {
        Frequency::Manual | Frequency::Hourly => false,
        Frequency::Daily => true,
        Frequency::Weekly => day.weekday() == start.weekday(),
        Frequency::Monthly => same_day,
        Frequency::Quarterly => same_day && months % 3 == 0,
        Frequency::SixMonthly => same_day && months % 6 == 0,
        Frequency::Yearly => same_day && months == 0,
    }
}

/// When a clock on the wall shows this: never, once or twice.
fn instants(local: DateTime, zone: &TimeZone) -> Vec<Zoned> {
    let shows = |at: Timestamp| at.to_zoned(zone.clone());
    let ambiguous = zone.to_ambiguous_timestamp(local);
    let both = [ambiguous.earlier(), ambiguous.later()];
    let mut found: Vec<Zoned> = both.into_iter().flatten().map(shows).filter(|at| at.datetime() == local).collect();
    found.dedup();
    found
}
