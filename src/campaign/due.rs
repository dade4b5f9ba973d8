//! Decision on scheduled runs that fell due.

use super::{CatchUp, Run};
use crate::uri::CaptureDate;

/// The decision on a run that fell due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It starts: on time, or late enough to be one only.
    Start,
    /// It starts late, and makes up for those before it.
    MakeUp,
    /// A person decides whether it shall start, for itself and those before it.
    Confirm,
    /// Nobody was there to start it, and it is left out.
    Missed,
    /// A later run makes up for it.
    MadeUp,
    /// The campaign's crawl was at work, or waited for its turn.
    Overlapped,
}

/// Decides on runs that fell due, earliest first, at `now`.
///
/// A run that is at most `on_time_ms` late is on time; of several such ones
/// the latest starts. Those that are later were missed: where one starts on
/// time it makes up for them, else the campaign's policy decides about the
/// latest of them. With the crawl still at work none starts.
pub fn settle(runs: Vec<Run>, now: CaptureDate, on_time_ms: i64, policy: CatchUp, at_work: bool) -> Vec<(Run, Fate)> {
    let last = runs.len().saturating_sub(1);
    let on_time = |run: &Run| now.millis().saturating_sub(run.date.millis()) <= on_time_ms;
    let one_starts = runs.last().is_some_and(on_time);
    runs.into_iter()
        .enumerate()
        .map(|(at, run)| {
            let fate = match (at_work, at == last, one_starts, policy) {
                (true, ..) => Fate::Overlapped,
                (false, true, true, _) => Fate::Start,
                (false, true, false, CatchUp::Once) => Fate::MakeUp,
                (false, true, false, CatchUp::Confirm) => Fate::Confirm,
                (false, _, _, CatchUp::Skip) => Fate::Missed,
                (false, false, ..) => Fate::MadeUp,
            };
            (run, fate)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    /// Fates of runs that were due so many hours before now, with one hour's grace.
    #[track_caller]
    fn check(hours_late: &[i64], policy: CatchUp, at_work: bool, expected: &[Fate]) {
        let now = CaptureDate::from_seconds(4_000_000_000);
        let run = |hours: &i64| Run {
            date: CaptureDate::from_millis(now.millis() - hours * HOUR),
            is_extra: false,
            words: String::new(),
        };
        let fates = settle(hours_late.iter().map(run).collect(), now, HOUR, policy, at_work);
        let fates: Vec<Fate> = fates.into_iter().map(|(_, fate)| fate).collect();
        assert_eq!(fates, expected, "{hours_late:?} {policy:?}");
    }

    #[test]
    fn lateness_policy_and_a_crawl_at_work_decide() {
        use CatchUp::{Confirm, Once, Skip};
        use Fate::{MadeUp, MakeUp, Missed, Overlapped, Start};
        check(&[], Confirm, false, &[]);
        for policy in [Once, Skip, Confirm] {
            check(&[0], policy, false, &[Start]);
            check(&[1], policy, false, &[Start]);
            check(&[30, 1], policy, true, &[Overlapped, Overlapped]);
        }
        check(&[2], Once, false, &[MakeUp]);
        check(&[2], Skip, false, &[Missed]);
        check(&[2], Confirm, false, &[Fate::Confirm]);
        check(&[72, 48, 24], Once, false, &[MadeUp, MadeUp, MakeUp]);
        check(&[72, 48, 24], Skip, false, &[Missed, Missed, Missed]);
        check(&[72, 48, 24], Confirm, false, &[MadeUp, MadeUp, Fate::Confirm]);
        // A run on time makes up for those that were missed.
        check(&[48, 24, 0], Once, false, &[MadeUp, MadeUp, Start]);
        check(&[48, 24, 0], Confirm, false, &[MadeUp, MadeUp, Start]);
        check(&[48, 24, 0], Skip, false, &[Missed, Missed, Start]);
    }
}
