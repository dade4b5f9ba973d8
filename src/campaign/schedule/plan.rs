//! The runs of a frequency, each by its number, so that a day that a short
//! month lacks comes back in the next one.

use super::{DEFAULT_HOUR, Frequency, Start};
use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Span, ToSpan, Zoned};

/// The runs of a frequency, by number.
pub(super) struct Plan {
    /// Gives the hour and the day, also where the clocks of number 0 leave them out.
    pub(super) anchor: DateTime,
    every: Every,
    /// No run before this.
    pub(super) first: Zoned,
    /// Whether `first` is number 0.
    starts: bool,
}

#[derive(Clone, Copy)]
enum Every {
    Hours(i64),
    Days(i64),
    Months(i64),
}

impl Plan {
    pub(super) fn of(frequency: Frequency, start: Option<&Start>, created: &Zoned) -> Option<Self> {
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
            Frequency::SixMonthly => (Every::Months(6), at_nine(day.first_of_year())),
            Frequency::Yearly => (Every::Months(12), at_nine(day)),
        };
        Some(match start {
            Some(start) => Self { anchor: start.clock, every, first: start.instant.clone(), starts: true },
            None => Self { anchor, every, first: created.clone(), starts: false },
        })
    }

    /// A run's number from which on runs can be after an instant; never below 0.
    pub(super) fn last_step_before(&self, after: &Zoned) -> i64 {
        let days = i64::from((after.date() - self.anchor.date()).get_days());
        let months = i64::from(after.year() - self.anchor.year()) * 12 + i64::from(after.month() - self.anchor.month());
        let step = match self.every {
            // Not by the calendar: a zone may leave out a whole day of it.
            Every::Hours(hours) => match self.hour_zero(after.time_zone()) {
                Some(zero) => after.timestamp().duration_since(zero.timestamp()).as_hours() / hours,
                None => 0,
            },
            Every::Days(every) => days / every,
            Every::Months(every) => months / every,
        };
        (step - 1).max(0)
    }

    /// The instant from which hourly runs are counted.
    fn hour_zero(&self, zone: &TimeZone) -> Option<Zoned> {
        match self.starts {
            true => Some(self.first.clone()),
            false => self.anchor.to_zoned(zone.clone()).ok(),
        }
    }

    /// The run after so many steps; none beyond the years that a calendar has.
    pub(super) fn run(&self, step: i64, zone: &TimeZone) -> Option<Zoned> {
        if self.starts && step == 0 {
            return Some(self.first.clone());
        }
        match self.every {
            // By instants: an hour stays an hour when the clocks change.
            Every::Hours(hours) => {
                self.hour_zero(zone)?.checked_add(SignedDuration::from_hours(step.checked_mul(hours)?)).ok()
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
