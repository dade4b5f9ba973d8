//! Runs by table and against a walk through the hours.

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
            format!("{}{}", run.date.to_readable().trim_end_matches(":00"), if run.is_extra { " +" } else { "" })
        })
        .collect();
    assert_eq!(dates, expected, "{schedule:?} after {after}");
}

#[test]
fn without_a_date_the_rules_decide() {
    use Frequency::*;
    let plain = |frequency| schedule(frequency, "", "");
    check(&plain(Manual), "2026-11-20", &[]);
    check(&plain(Hourly), "2026-11-20T10:59", &["2026-11-20 11", "2026-11-20 12", "2026-11-20 13", "2026-11-20 14"]);
    check(&plain(Daily), "2026-11-20T09:00", &["2026-11-21 09", "2026-11-22 09", "2026-11-23 09", "2026-11-24 09"]);
    check(&plain(Weekly), "2026-11-20", &["2026-11-23 09", "2026-11-30 09", "2026-12-07 09", "2026-12-14 09"]);
    check(&plain(Monthly), "2026-11-20", &["2026-12-01 09", "2027-01-01 09", "2027-02-01 09", "2027-03-01 09"]);
    check(&plain(SixMonthly), "2026-11-20", &["2027-01-01 09", "2027-07-01 09", "2028-01-01 09", "2028-07-01 09"]);
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

/// Runs of a schedule in a zone, as instants.
#[track_caller]
fn check_zone(frequency: Frequency, zone: &str, start: &str, expected: &[&str]) {
    let schedule = Schedule { time_zone: Some(zone.to_owned()), ..schedule(frequency, start, "") };
    let runs = schedule.next_runs(CaptureDate::default(), CaptureDate::default(), expected.len()).unwrap();
    let dates: Vec<String> = runs.iter().map(|run| run.date.to_readable().trim_end_matches(":00").to_owned()).collect();
    assert_eq!(dates, expected, "{zone} {start}");
}

#[test]
fn a_skipped_hour_moves_its_run_and_a_doubled_one_has_one_run() {
    use Frequency::{Daily, Hourly, Monthly, Weekly};
    // Lisbon and London: 01:00 becomes 02:00 on 29 March 2026, 02:00 becomes 01:00 on 25 October.
    for zone in ["Europe/Lisbon", "Europe/London"] {
        check_zone(Daily, zone, "2026-03-28T01:30", &["2026-03-28 01:30", "2026-03-29 01:30", "2026-03-30 00:30"]);
        check_zone(Daily, zone, "2026-10-24T01:30", &["2026-10-24 00:30", "2026-10-25 00:30", "2026-10-26 01:30"]);
        check_zone(Weekly, zone, "2026-03-22T09:00", &["2026-03-22 09", "2026-03-29 08", "2026-04-05 08"]);
        check_zone(Hourly, zone, "2026-03-29T00:15", &["2026-03-29 00:15", "2026-03-29 01:15", "2026-03-29 02:15"]);
    }
    // New York: 02:00 becomes 03:00 on 8 March 2026, 02:00 becomes 01:00 on 1 November.
    let zone = "America/New_York";
    check_zone(Daily, zone, "2026-03-07T02:30", &["2026-03-07 07:30", "2026-03-08 07:30", "2026-03-09 06:30"]);
    check_zone(Daily, zone, "2026-10-31T01:30", &["2026-10-31 05:30", "2026-11-01 05:30", "2026-11-02 06:30"]);
    check_zone(Monthly, zone, "2026-01-08T02:30", &["2026-01-08 07:30", "2026-02-08 07:30", "2026-03-08 07:30"]);
    // Kolkata has half an hour and no clock changes; Lord Howe changes by half an hour.
    check_zone(Daily, "Asia/Kolkata", "2026-03-28T02:30", &["2026-03-27 21", "2026-03-28 21", "2026-03-29 21"]);
    let zone = "Australia/Lord_Howe";
    check_zone(Daily, zone, "2026-10-03T02:15", &["2026-10-02 15:45", "2026-10-03 15:45", "2026-10-04 15:15"]);
    // Samoa went over the date line: there was no 30 December 2011.
    check_zone(Daily, "Pacific/Apia", "2011-12-29T09:00", &["2011-12-29 19", "2011-12-30 19", "2011-12-31 19"]);
}

#[test]
fn no_hourly_run_is_lost_where_a_zone_leaves_out_a_day() {
    // In Samoa the hour after 29 December 2011, 23:15 (09:15 UTC) is of the 31st.
    let zone = Some("Pacific/Apia".to_owned());
    let schedule = Schedule { time_zone: zone, ..schedule(Frequency::Hourly, "2011-12-01T09:15", "") };
    check(
        &schedule,
        "2011-12-30T08:30",
        &["2011-12-30 09:15", "2011-12-30 10:15", "2011-12-30 11:15", "2011-12-30 12:15"],
    );
    check(
        &schedule,
        "2011-12-30T11:00",
        &["2011-12-30 11:15", "2011-12-30 12:15", "2011-12-30 13:15", "2011-12-30 14:15"],
    );
}

#[test]
fn a_start_within_a_clock_change_moves_no_other_run() {
    use Frequency::{Daily, Hourly, Weekly};
    // Berlin: 02:00 becomes 03:00 on 29 March 2026, 03:00 becomes 02:00 on 25 October.
    let zone = "Europe/Berlin";
    check_zone(Daily, zone, "2026-03-29T02:30", &["2026-03-29 01:30", "2026-03-30 00:30", "2026-03-31 00:30"]);
    check_zone(Weekly, zone, "2026-03-29T02:30", &["2026-03-29 01:30", "2026-04-05 00:30", "2026-04-12 00:30"]);
    check_zone(Hourly, zone, "2026-03-29T02:30", &["2026-03-29 01:30", "2026-03-29 02:30", "2026-03-29 03:30"]);
    // The second of two equal hours.
    check_zone(Daily, zone, "2026-10-25T02:30+01:00", &["2026-10-25 01:30", "2026-10-26 01:30"]);
    check_zone(Hourly, zone, "2026-10-25T02:30+01:00", &["2026-10-25 01:30", "2026-10-25 02:30"]);
    check_zone(Daily, zone, "2026-10-25T02:30+02:00", &["2026-10-25 00:30", "2026-10-26 01:30"]);
    check_zone(Daily, zone, "2026-10-25T02:30", &["2026-10-25 00:30", "2026-10-26 01:30"]);
}

#[test]
fn labels_show_the_clock_of_the_zone() {
    let mut daily = schedule(Frequency::Daily, "2026-03-28T01:30", "");
    daily.time_zone = Some("Europe/Lisbon".into());
    let runs = daily.next_runs(CaptureDate::default(), CaptureDate::default(), 3).unwrap();
    let texts: Vec<&str> = runs.iter().map(|run| run.words.as_str()).collect();
    assert_eq!(
        texts,
        [
            "Saturday 28 Mar 2026 01:30 Europe/Lisbon",
            "Sunday 29 Mar 2026 02:30 Europe/Lisbon",
            "Monday 30 Mar 2026 01:30 Europe/Lisbon",
        ]
    );
}

#[test]
fn a_bare_end_includes_its_day_in_the_zone() {
    let mut daily = schedule(Frequency::Daily, "2026-03-28T23:30", "2026-03-29");
    daily.time_zone = Some("America/New_York".into());
    let runs = daily.next_runs(CaptureDate::default(), CaptureDate::default(), 9).unwrap();
    assert_eq!(runs.last().unwrap().date.to_readable(), "2026-03-30 03:30:00");
    assert_eq!(runs.len(), 2);
}

#[test]
fn other_programs_count_otherwise() {
    #[track_caller]
    fn check(calendar: Calendar, frequency: Frequency, start: &str, after: &str, expected: &[&str]) {
        let schedule = schedule(frequency, start, "");
        let after = CaptureDate::parse(after).unwrap();
        let runs = schedule.next_runs_by(calendar, after, after, expected.len().max(1)).unwrap();
        let dates: Vec<String> = runs.iter().map(|run| run.date.to_readable()[..13].to_owned()).collect();
        assert_eq!(dates, expected, "{calendar:?} {frequency:?} {start} after {after}");
    }
    use Calendar::{Launcher, W3act};
    use Frequency::*;
    // A month added to the last result drifts to the shortest month met.
    check(
        W3act,
        Monthly,
        "2026-01-31T10:00",
        "2026-01-01",
        &["2026-01-31 10", "2026-02-28 10", "2026-03-28 10", "2026-04-28 10"],
    );
    // The year of an old start is raised to last year first.
    check(W3act, Monthly, "2010-01-31T10:00", "2026-01-01", &["2026-01-28 10", "2026-02-28 10"]);
    check(W3act, Yearly, "2012-02-29T10:00", "2026-01-01", &["2026-03-01 10", "2027-03-01 10"]);
    check(W3act, SixMonthly, "2026-08-31T10:00", "2026-01-01", &["2026-08-31 10", "2027-02-28 10", "2027-08-28 10"]);
    check(W3act, Hourly, "2026-01-01T10:00", "2026-01-01", &[]);
    check(W3act, Daily, "", "2026-01-01", &[]);
    // Months that lack the day have no launch.
    check(
        Launcher,
        Monthly,
        "2025-01-31T10:00",
        "2026-01-01",
        &["2026-01-31 10", "2026-03-31 10", "2026-05-31 10", "2026-07-31 10", "2026-08-31 10", "2026-10-31 10"],
    );
    check(Launcher, Quarterly, "2025-01-31T10:00", "2026-02-01", &["2026-07-31 10", "2026-10-31 10", "2027-01-31 10"]);
    check(Launcher, SixMonthly, "2025-08-31T10:00", "2026-01-01", &["2026-08-31 10", "2027-08-31 10"]);
    check(Launcher, Yearly, "2024-02-29T10:00", "2025-01-01", &["2028-02-29 10", "2032-02-29 10"]);
    check(Launcher, Weekly, "2026-11-18T10:59", "2026-11-19", &["2026-11-25 10", "2026-12-02 10"]);
    let launches = |start: &str, zone: &str| {
        let schedule = Schedule { time_zone: Some(zone.into()), ..schedule(Daily, start, "") };
        let after = CaptureDate::default();
        let runs = schedule.next_runs_by(Launcher, after, after, 3).unwrap();
        runs.iter().map(|run| run.date.to_readable()[..13].to_owned()).collect::<Vec<_>>()
    };
    // Its own start is compared with minutes, so the first day is lost here.
    assert_eq!(launches("2026-03-27T01:30", "Europe/Lisbon"), ["2026-03-28 01", "2026-03-30 00", "2026-03-31 00"]);
    assert_eq!(launches("2026-10-24T01:00", "Europe/Lisbon"), ["2026-10-24 00", "2026-10-25 00", "2026-10-25 01"]);
}

#[test]
fn runs_of_a_long_sleep_are_counted() {
    let hourly = schedule(Frequency::Hourly, "2026-01-01T00:00", "");
    let at = |text: &str| CaptureDate::parse(text).unwrap();
    let between = |after: &str, until: &str, most| hourly.runs_between(at(after), at(until), at("2026-01-01"), most);
    let (runs, left_away) = between("2026-02-01T10:00", "2026-02-01T12:00", 9).unwrap();
    let dates: Vec<String> = runs.iter().map(|run| run.date.to_readable()).collect();
    assert_eq!((dates, left_away), (vec!["2026-02-01 11:00:00".to_owned(), "2026-02-01 12:00:00".to_owned()], 0));
    assert_eq!(between("2026-02-01T12:00", "2026-02-01T12:59", 9).unwrap(), (Vec::new(), 0));
    assert_eq!(between("2026-02-01T12:00", "2026-01-01T12:59", 9).unwrap(), (Vec::new(), 0));
    let (runs, left_away) = between("2026-01-01T00:00", "2027-01-01T00:00", 5).unwrap();
    assert_eq!((runs.len() as u64 + left_away, runs[4].date), (8760, at("2027-01-01")));
}

mod walk {
    //! Runs found by walking through the hours, in steps that no zone's clock change is finer than.

    use super::*;
    use jiff::civil::Date;
    use proptest::prelude::*;

    const STEP_SECONDS: i64 = 15 * 60;
    const ZONES: [&str; 8] = [
        "UTC",
        "Europe/Lisbon",
        "Europe/London",
        "America/New_York",
        "Asia/Kolkata",
        "Australia/Lord_Howe",
        "America/St_Johns",
        "Pacific/Apia",
    ];

    /// The instant at which the clock of the zone first shows `local`, or would
    /// have shown it without the change that skips it.
    fn first_instant(local: DateTime, zone: &TimeZone) -> Timestamp {
        let utc = local.to_zoned(TimeZone::UTC).unwrap().timestamp().as_second();
        let mut below = None;
        let mut at = utc - 40 * 3600;
        loop {
            let instant = Timestamp::from_second(at).unwrap();
            let shown = zone.to_datetime(instant);
            if shown == local {
                return instant;
            }
            if shown > local {
                let (instant, shown): (Timestamp, DateTime) = below.unwrap();
                return instant + local.duration_since(shown);
            }
            below = Some((instant, shown));
            at += STEP_SECONDS;
        }
    }

    fn fits(frequency: Frequency, start: Date, day: Date) -> bool {
        let months = (i32::from(day.year()) - i32::from(start.year())) * 12 + i32::from(day.month() - start.month());
        let same_day = day.day() == start.day().min(day.days_in_month());
        day >= start
            && match frequency {
                Frequency::Manual | Frequency::Hourly => false,
                Frequency::Daily => true,
                Frequency::Weekly => day.weekday() == start.weekday(),
                Frequency::Monthly => same_day,
                Frequency::Quarterly => same_day && months % 3 == 0,
                Frequency::SixMonthly => same_day && months % 6 == 0,
                Frequency::Yearly => same_day && months % 12 == 0,
            }
    }

    fn walked(frequency: Frequency, start: DateTime, zone: &TimeZone, after: Timestamp, count: usize) -> Vec<i64> {
        let mut runs = Vec::new();
        if frequency == Frequency::Hourly {
            let mut at = first_instant(start, zone).as_second();
            while runs.len() < count {
                if at > after.as_second() {
                    runs.push(at * 1000);
                }
                at += 3600;
            }
            return runs;
        }
        let mut day = start.date();
        while runs.len() < count {
            if fits(frequency, start.date(), day) {
                let run = first_instant(day.to_datetime(start.time()), zone).as_millisecond();
                if run > after.as_millisecond() && runs.last() != Some(&run) {
                    runs.push(run);
                }
            }
            day = day.tomorrow().unwrap();
        }
        runs
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
        #[test]
        fn runs_grow_and_are_those_of_a_walk_through_the_hours(
            zone in 0..ZONES.len(),
            frequency in 1..Frequency::ALL.len(),
            day in 0_i64..6000,
            quarter_hour in 0_i64..96,
            later_hours in -100_i64..9000,
        ) {
            let (zone, frequency) = (ZONES[zone], Frequency::ALL[frequency]);
            let start = (Date::constant(2011, 1, 1) + jiff::Span::new().days(day)).to_datetime(Time::midnight())
                + jiff::SignedDuration::from_mins(quarter_hour * 15);
            let schedule =
                Schedule { time_zone: Some(zone.to_owned()), ..schedule(frequency, &start.to_string(), "") };
            let zone = TimeZone::get(zone).unwrap();
            let after = first_instant(start, &zone).as_second() + later_hours * 3600;
            let after = CaptureDate::from_seconds(after);
            let count = 8;
            let runs = schedule.next_runs(after, CaptureDate::default(), count).unwrap();
            let runs: Vec<i64> = runs.iter().map(|run| run.date.millis()).collect();
            prop_assert!(runs.is_sorted_by(|a, b| a < b));
            let after = Timestamp::from_millisecond(after.millis()).unwrap();
            prop_assert_eq!(runs, walked(frequency, start, &zone, after, count));
        }
    }
}

#[test]
fn no_calendar_takes_a_skipped_hour_for_the_hour_of_later_runs() {
    // 01:30 is left out on that Sunday in Lisbon.
    let schedule =
        Schedule { time_zone: Some("Europe/Lisbon".to_owned()), ..schedule(Frequency::Daily, "2026-03-29T01:30", "") };
    let after = CaptureDate::parse("2026-03-28").unwrap();
    let runs = |calendar| {
        let runs = schedule.next_runs_by(calendar, after, after, 3).unwrap();
        runs.into_iter().map(|run| run.words).collect::<Vec<_>>()
    };
    let expected = ["Sunday 29 Mar 2026 02:30", "Monday 30 Mar 2026 01:30", "Tuesday 31 Mar 2026 01:30"];
    let expected = expected.map(|text| format!("{text} Europe/Lisbon"));
    assert_eq!(runs(Calendar::Fonds), expected);
    assert_eq!(runs(Calendar::W3act), expected);
    // The launcher knows whole hours and has no run in one that is left out.
    assert_eq!(
        runs(Calendar::Launcher),
        [30, 31, 1].map(|day| match day {
            1 => "Wednesday 1 Apr 2026 01:00 Europe/Lisbon".to_owned(),
            30 => "Monday 30 Mar 2026 01:00 Europe/Lisbon".to_owned(),
            _ => "Tuesday 31 Mar 2026 01:00 Europe/Lisbon".to_owned(),
        })
    );
}

#[test]
fn labels_are_for_people() {
    let now = CaptureDate::parse("2026-11-20T17:00").unwrap();
    let runs = schedule(Frequency::Weekly, "", "").next_runs(now, now, 1).unwrap();
    assert_eq!(runs[0].words, "Monday 23 Nov 2026 09:00 UTC");
    assert_eq!(schedule(Frequency::Hourly, "", "").next_runs(now, now, usize::MAX).unwrap().len(), MAX_NEXT_RUNS);
    assert_eq!(schedule(Frequency::Daily, "", "").next_runs(CaptureDate::from_millis(i64::MAX), now, 1).unwrap(), []);
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
        &schedule(Frequency::Daily, "2026-07-01T00:30[Europe/Lisbon]", ""),
        &["start: names a zone behind the clock"],
    );
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
