//! What was found on hosts so far, by which the next one is chosen.
//!
//! Thompson sampling over hosts with forgetting: what a host gave lately counts more than what it
//! gave at first. Of each host that is due a number of Beta(gain + 1, fetches − gain + 3) is drawn;
//! the highest sum of that and half its best priority comes next.

use super::draws::Draws;
use std::collections::HashMap;
use std::sync::Arc;

/// The share of what is known of a host that stays after each of its pages.
const REMEMBERED: f64 = 0.995;
/// The score from which on a page gains all that it can: some two occurrences of two words in a
/// short text. With half of it, hosts where words are used by the way look as good as others.
const FULL_GAIN: f64 = 0.4;
/// Weight of the best priority of a host beside what is drawn.
const PRIORITY_WEIGHT: f64 = 0.5;
/// The share of fetches that go to a random URL of the queue.
const EXPLORED: f64 = 0.1;

/// The gains of all hosts of a launch.
#[derive(Debug, Clone, Default)]
pub struct HostGains {
    draws: Draws,
    hosts: HashMap<Arc<str>, HostGain>,
}

#[derive(Debug, Clone, Copy, Default)]
struct HostGain {
    gain: f64,
    fetches: f64,
}

impl HostGains {
    /// The same with the draws of a launch.
    pub fn drawn_by(self, draws: Draws) -> Self {
        Self { draws, ..self }
    }

    /// A page of a host was read that has this score, from 0 to 1.
    pub fn add(&mut self, host: &str, score: f64) {
        let gained = (score / FULL_GAIN).clamp(0.0, 1.0);
        if !self.hosts.contains_key(host) {
            self.hosts.insert(host.into(), HostGain::default());
        }
        if let Some(of) = self.hosts.get_mut(host) {
            of.gain = of.gain * REMEMBERED + gained;
            of.fetches = (of.fetches + 1.0) * REMEMBERED;
        }
    }

    /// The rank of a host among those that are due, higher first; `points` are the best priority
    /// among its URLs, from 0 to 1.
    pub fn rank(&mut self, host: &str, points: f64) -> f64 {
        let of = self.hosts.get(host).copied().unwrap_or_default();
        PRIORITY_WEIGHT * points + self.draws.beta(of.gain + 1.0, (of.fetches - of.gain).max(0.0) + 3.0)
    }

    /// Whether the next URL is a random one.
    pub fn explores(&mut self) -> bool {
        self.draws.unit() < EXPLORED
    }

    /// A whole number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draws.below(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_that_gave_something_lately_come_first_and_others_are_tried() {
        let mut gains = HostGains::default().drawn_by(Draws::new(1, 0));
        for _ in 0..300 {
            gains.add("good", 0.4);
            gains.add("dry", 0.0);
        }
        let mut wins = |a: &str, b: &str| (0..1000).filter(|_| gains.rank(a, 0.3) > gains.rank(b, 0.3)).count();
        assert!(wins("good", "dry") > 990);
        assert!(wins("new", "dry") > 800 && wins("new", "good") < 50);
        for _ in 0..1000 {
            gains.add("good", 0.0);
        }
        assert!((0..100).all(|_| gains.rank("good", 0.0) < 0.2), "what it gave long ago is forgotten");
        let explored = (0..10_000).filter(|_| gains.explores()).count();
        assert!((900..1100).contains(&explored), "{explored}");
    }
}
