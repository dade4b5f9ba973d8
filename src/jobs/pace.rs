//! Estimates the speed of a job and its remaining time, for the window and the command line.

use super::Progress;
use std::time::{Duration, Instant};

/// The rate is that of about the last seconds.
const SPAN: Duration = Duration::from_secs(2);

/// The rate of a job, measured from samples of its progress.
#[derive(Debug, Clone)]
pub struct Pace {
    since: Instant,
    done: u64,
    stage: String,
    per_second: f64,
}

impl Default for Pace {
    fn default() -> Self {
        Self { since: Instant::now(), done: 0, stage: String::new(), per_second: 0.0 }
    }
}

impl Pace {
    /// Takes a sample; called several times a second.
    pub fn sample(&mut self, progress: &Progress) {
        self.sample_at(progress, Instant::now());
    }

    fn sample_at(&mut self, progress: &Progress, now: Instant) {
        let elapsed = now.saturating_duration_since(self.since);
        let goes_on = progress.stage == self.stage && progress.done >= self.done;
        if goes_on && elapsed < SPAN {
            return;
        }
        self.per_second = if goes_on { (progress.done - self.done) as f64 / elapsed.as_secs_f64() } else { 0.0 };
        (self.since, self.done) = (now, progress.done);
        self.stage.clone_from(&progress.stage);
    }

    /// Units a second, lately; 0 where it is not known.
    pub fn per_second(&self) -> f64 {
        self.per_second
    }

    /// Remaining time of the present stage; none where that is not known or the job waits.
    pub fn left(&self, progress: &Progress) -> Option<Duration> {
        let left = progress.total?.checked_sub(progress.done).filter(|left| *left > 0)?;
        let is_known = self.per_second > 0.0 && !progress.paused;
        is_known.then(|| Duration::from_secs_f64((left as f64 / self.per_second).min(1e9)))
    }

    /// Speed and remaining time for a person, such as `12 MB/s, 3 min 10 s left`; empty where neither is
    /// known.
    pub fn summary(&self, progress: &Progress) -> String {
        if self.per_second <= 0.0 {
            return String::new();
        }
        let speed = match progress.in_bytes {
            true => format!("{}/s", bytes_text(self.per_second as u64)),
            false => format!("{:.1}/s", self.per_second),
        };
        match self.left(progress) {
            Some(left) => format!("{speed}, {} left", duration_text(left.as_secs_f64())),
            None => speed,
        }
    }
}

/// `1.4 MB`: decimal units.
pub fn bytes_text(number: u64) -> String {
    const UNITS: [&str; 5] = ["B", "kB", "MB", "GB", "TB"];
    let mut value = number as f64;
    let mut unit = 0;
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    match unit {
        0 => format!("{number} B"),
        _ if value < 10.0 => format!("{value:.1} {}", UNITS[unit]),
        _ => format!("{value:.0} {}", UNITS[unit]),
    }
}

/// `2 h 10 min`, `41 s`.
pub fn duration_text(seconds: f64) -> String {
    let seconds = seconds.max(0.0) as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_and_remaining_time_are_those_of_the_last_seconds_of_a_stage() {
        let begun = Instant::now();
        let mut pace = Pace { since: begun, ..Pace::default() };
        let progress = |stage: &str, done, paused| Progress {
            stage: stage.to_owned(),
            done,
            total: Some(100_000_000),
            in_bytes: true,
            paused,
            ..Progress::default()
        };
        let second = |number| begun + Duration::from_secs(number);
        pace.sample_at(&progress("Writing", 0, false), second(0));
        assert_eq!(pace.summary(&progress("Writing", 0, false)), "");
        pace.sample_at(&progress("Writing", 10_000_000, false), second(2));
        assert_eq!(pace.summary(&progress("Writing", 10_000_000, false)), "5.0 MB/s, 18 s left");
        assert_eq!(pace.summary(&progress("Writing", 10_000_000, true)), "5.0 MB/s");
        // A sample that comes too soon changes nothing.
        pace.sample_at(&progress("Writing", 99_000_000, false), second(3));
        assert!((pace.per_second() - 5e6).abs() < 1.0);
        // Another stage counts other things.
        pace.sample_at(&progress("Indexing", 99_000_000, false), second(4));
        assert_eq!(pace.left(&progress("Indexing", 99_000_000, false)), None);
    }
}
