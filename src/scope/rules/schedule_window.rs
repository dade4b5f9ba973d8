//! Rule on the time of the decision.

use super::{Change, DecideRule, Edit, RuleKind, verb};
use crate::scope::{Candidate, Decision, Facts};
use crate::uri::CaptureDate;
use serde::{Deserialize, Serialize};

/// Rejects (or accepts) what is decided outside a window of time: before or
/// after a date, on other days of the week, at other hours. All in UTC.
///
/// Why: an agreement that ends, an event that is over, a server whose keepers
/// ask for nights and weekends. What is decided without a date gets no opinion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScheduleWindow {
    /// First instant inside, such as `2024-06-21`; empty is no limit.
    #[serde(default)]
    pub from: String,
    /// First instant no more inside; empty is no limit.
    #[serde(default)]
    pub until: String,
    /// Days inside, `mon` to `sun`; none means all.
    #[serde(default)]
    pub days: Vec<String>,
    /// First hour inside and first hour no more inside, 0 to 24; `[22, 6]`
    /// goes over midnight. Equal ones mean the whole day.
    #[serde(default)]
    pub hours: [u8; 2],
    /// The decision outside the window.
    pub decision: Decision,
}

const DAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];
const HOUR_MS: i64 = 3_600_000;

#[derive(Debug)]
pub(super) struct CompiledScheduleWindow {
    rule: ScheduleWindow,
    from: Option<CaptureDate>,
    until: Option<CaptureDate>,
    /// Monday first.
    days: [bool; 7],
}

impl ScheduleWindow {
    pub(super) fn compile(&self) -> Result<CompiledScheduleWindow, String> {
        let instant = |text: &str| match text.trim() {
            "" => Ok(None),
            text => CaptureDate::parse(text).map(Some).map_err(|error| error.to_string()),
        };
        let mut days = [self.days.is_empty(); 7];
        for day in &self.days {
            let at = DAYS.iter().position(|known| known.eq_ignore_ascii_case(day.trim()));
            *at.and_then(|at| days.get_mut(at)).ok_or_else(|| format!("“{day}” is no day; give mon, tue, … sun"))? =
                true;
        }
        if let Some(hour) = self.hours.iter().find(|hour| **hour > 24) {
            return Err(format!("{hour} is no hour; give 0 to 24"));
        }
        let (from, until) = (instant(&self.from)?, instant(&self.until)?);
        if let (Some(from), Some(until)) = (from, until)
            && until <= from
        {
            return Err(format!("the window ends ({}) before it begins ({})", self.until, self.from));
        }
        Ok(CompiledScheduleWindow { rule: self.clone(), from, until, days })
    }
}

impl CompiledScheduleWindow {
    fn inside(&self, date: CaptureDate) -> bool {
        let hours = date.millis().div_euclid(HOUR_MS);
        // 1970 began on a Thursday.
        let day = usize::try_from((hours.div_euclid(24) + 3).rem_euclid(7)).unwrap_or(0);
        let hour = hours.rem_euclid(24);
        let [first, end] = self.rule.hours.map(i64::from);
        let in_hours = match first.cmp(&end) {
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Less => (first..end).contains(&hour),
            std::cmp::Ordering::Greater => hour >= first || hour < end,
        };
        self.from.is_none_or(|from| date >= from)
            && self.until.is_none_or(|until| date < until)
            && self.days.get(day).copied().unwrap_or(true)
            && in_hours
    }

    fn window(&self) -> String {
        let rule = &self.rule;
        let mut parts = Vec::new();
        if !rule.from.trim().is_empty() {
            parts.push(format!("from {}", rule.from.trim()));
        }
        if !rule.until.trim().is_empty() {
            parts.push(format!("until {}", rule.until.trim()));
        }
        if !rule.days.is_empty() {
            parts.push(format!("on {}", rule.days.join(", ")));
        }
        if let [first, end] = rule.hours
            && first != end
        {
            parts.push(format!("between {first}:00 and {end}:00 UTC"));
        }
        parts.join(" ")
    }
}

impl DecideRule for CompiledScheduleWindow {
    fn name(&self) -> &'static str {
        "ScheduleWindowDecideRule"
    }

    fn summary(&self) -> String {
        match self.window() {
            window if window.is_empty() => "tests nothing (no window is set)".to_owned(),
            window => format!("{} what is not decided {window}", verb(self.rule.decision)),
        }
    }

    fn decide(&self, _: &Candidate, facts: &Facts) -> Option<Decision> {
        facts.date.is_some_and(|date| !self.inside(date)).then_some(self.rule.decision)
    }

    fn tested(&self, _: &Candidate, facts: &Facts) -> String {
        match facts.date {
            None => "no date is given".to_owned(),
            Some(date) if self.inside(date) => format!("{} is inside", date.to_readable()),
            Some(date) => format!("{} is outside", date.to_readable()),
        }
    }

    fn changes(&self, candidate: &Candidate, facts: &Facts, target: Option<Decision>) -> Vec<Change> {
        let Some(date) = facts.date.filter(|_| target.is_none()) else { return Vec::new() };
        if self.decide(candidate, facts).is_none() {
            return Vec::new();
        }
        let mut changes = Vec::new();
        let mut offer = |summary: String, rule: ScheduleWindow| {
            changes.push(Change { summary, edit: Edit::Number(RuleKind::ScheduleWindow(rule)) });
        };
        if self.from.is_some_and(|from| date < from) {
            let from = date.to_dataset();
            offer(format!("let the window begin at {from}"), ScheduleWindow { from, ..self.rule.clone() });
        }
        if self.until.is_some_and(|until| date >= until) {
            let until = CaptureDate::from_millis(date.millis() + HOUR_MS).to_dataset();
            offer(format!("let the window end at {until}"), ScheduleWindow { until, ..self.rule.clone() });
        }
        offer("open the window to all days".to_owned(), ScheduleWindow { days: Vec::new(), ..self.rule.clone() });
        offer("open the window to all hours".to_owned(), ScheduleWindow { hours: [0, 0], ..self.rule.clone() });
        changes
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::candidate;
    use super::*;

    fn rule(from: &str, until: &str, days: &[&str], hours: [u8; 2]) -> ScheduleWindow {
        ScheduleWindow {
            from: from.to_owned(),
            until: until.to_owned(),
            days: days.iter().map(|day| (*day).to_owned()).collect(),
            hours,
            decision: Decision::Reject,
        }
    }

    #[test]
    fn outside_the_window_it_speaks() {
        let dates = rule("2024-06-21", "2024-06-25T12:00:00", &[], [0, 0]);
        let weekends = rule("", "", &["Sat", "sun"], [0, 0]);
        let nights = rule("", "", &[], [22, 6]);
        let offices = rule("", "", &[], [9, 17]);
        let candidate = candidate("http://fct.pt/", "L");
        for (rule, date, speaks) in [
            (&dates, "2024-06-20T23:59:59", true),
            (&dates, "2024-06-21T00:00:00", false),
            (&dates, "2024-06-25T11:59:59", false),
            (&dates, "2024-06-25T12:00:00", true),
            // 2024-06-22 was a Saturday.
            (&weekends, "2024-06-21T23:59:59", true),
            (&weekends, "2024-06-22T00:00:00", false),
            (&weekends, "2024-06-23T23:59:59", false),
            (&weekends, "2024-06-24T00:00:00", true),
            (&weekends, "1969-12-28T12:00:00", false),
            (&nights, "2024-06-21T21:59:59", true),
            (&nights, "2024-06-21T22:00:00", false),
            (&nights, "2024-06-21T05:59:59", false),
            (&nights, "2024-06-21T06:00:00", true),
            (&offices, "2024-06-21T09:00:00", false),
            (&offices, "2024-06-21T17:00:00", true),
        ] {
            let facts = Facts { date: Some(CaptureDate::parse(date).unwrap()), ..Facts::default() };
            let compiled = rule.compile().unwrap();
            assert_eq!(compiled.decide(&candidate, &facts).is_some(), speaks, "{rule:?} {date}");
            assert_eq!(compiled.tested(&candidate, &facts).ends_with("outside"), speaks);
        }
        assert_eq!(dates.compile().unwrap().decide(&candidate, &Facts::default()), None);
    }

    #[test]
    fn what_is_no_window_is_refused() {
        for bad in [
            rule("soon", "", &[], [0, 0]),
            rule("2024-06-21", "2024-06-20", &[], [0, 0]),
            rule("", "", &["domingo"], [0, 0]),
            rule("", "", &[], [0, 25]),
        ] {
            assert!(bad.compile().is_err(), "{bad:?}");
        }
    }
}
