//! What was found on hosts so far, by which the next one is chosen.
//!
//! Thompson sampling over hosts with forgetting: what a host gave lately counts more than what it
//! gave at first. Of each host that is due a number of Beta(gain + 1, fetches − gain + 3) is drawn;
//! the highest sum of that and half its best priority comes next.
//!
//! A host rests, until no other host has anything, where it has given as many pages as its budget
//! lets it, or where its pages show that it has little: the upper bound (Wilson, 95 %) of its share
//! of relevant pages is below a fifth of the share of all. Hosts of seeds never rest, nor do those that
//! a person had come in their turn again.

use super::draws::Draws;
use crate::crawl::{RELEVANT_POINTS, TOP_POINTS};
use crate::jobs::counted;
use std::collections::{HashMap, HashSet};
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

/// Pages of a host before it is judged by its share of relevant ones.
const PAGES_TO_JUDGE: u64 = 100;
/// A host rests whose share is surely below this part of the share of all hosts.
const LEAST_SHARE: f64 = 0.2;
/// Standard deviations of a bound that holds in 95 of 100 cases.
const DEVIATIONS: f64 = 1.96;
/// The least budget of a host, in pages of a launch.
const LEAST_BUDGET: u64 = 2_000;

/// The gains of all hosts of a launch.
#[derive(Debug, Clone, Default)]
pub struct HostGains {
    draws: Draws,
    all: PageTally,
    /// The most pages of a host before it rests; none where hosts never rest.
    budget: Option<u64>,
    /// Hosts that never rest.
    spared: HashSet<Arc<str>>,
    /// Why each host rests.
    resting: HashMap<Arc<str>, String>,
    hosts: HashMap<Arc<str>, HostGain>,
}

#[derive(Debug, Clone, Copy, Default)]
struct HostGain {
    gain: f64,
    fetches: f64,
    tally: PageTally,
}

/// Pages that were read, and those of them that are relevant.
#[derive(Debug, Clone, Copy, Default)]
struct PageTally {
    pages: u64,
    relevant: u64,
}

impl PageTally {
    fn count(&mut self, is_relevant: bool) {
        self.pages += 1;
        self.relevant += u64::from(is_relevant);
    }

    fn share(self) -> f64 {
        if self.pages == 0 { 0.0 } else { self.relevant as f64 / self.pages as f64 }
    }

    /// The upper bound of the share that these pages are a sample of (E. B. Wilson 1927).
    fn most_share(self) -> f64 {
        let (pages, share) = (self.pages.max(1) as f64, self.share());
        let square = DEVIATIONS * DEVIATIONS;
        let spread = DEVIATIONS * (share * (1.0 - share) / pages + square / (4.0 * pages * pages)).sqrt();
        (share + square / (2.0 * pages) + spread) / (1.0 + square / pages)
    }
}

impl HostGains {
    /// The same with the draws of a launch.
    pub fn drawn_by(self, draws: Draws) -> Self {
        Self { draws, ..self }
    }

    /// Lets hosts rest, but for those of seeds: where they have given 2,000 pages, or a twentieth of
    /// the limit of a launch (0 is none) where that is more, or where they give too little. Pages are
    /// counted from now on.
    pub fn let_rest(&mut self, seeds: impl Iterator<Item = Arc<str>>, limit: u64) {
        self.budget = Some(LEAST_BUDGET.max(limit / 20));
        self.spared = seeds.collect();
        self.resting.clear();
        self.all = PageTally::default();
        self.hosts.values_mut().for_each(|of| of.tally = PageTally::default());
    }

    /// Has a host come in its turn, whatever its pages are.
    pub fn spare(&mut self, host: &Arc<str>) {
        self.resting.remove(host);
        self.spared.insert(Arc::clone(host));
    }

    /// Why a host rests; none where it does not.
    pub fn rests(&self, host: &str) -> Option<&str> {
        self.resting.get(host).map(String::as_str)
    }

    /// Whether any host rests.
    pub fn has_resting(&self) -> bool {
        !self.resting.is_empty()
    }

    /// A page of a host was read that has this score, from 0 to 1. Gives why the host rests from
    /// now on, where it does.
    pub fn add(&mut self, host: &str, score: f64) -> Option<String> {
        let gained = (score / FULL_GAIN).clamp(0.0, 1.0);
        if !self.hosts.contains_key(host) {
            self.hosts.insert(host.into(), HostGain::default());
        }
        if let Some(of) = self.hosts.get_mut(host) {
            of.gain = of.gain * REMEMBERED + gained;
            of.fetches = (of.fetches + 1.0) * REMEMBERED;
            let is_relevant = score * f64::from(TOP_POINTS) >= f64::from(RELEVANT_POINTS);
            of.tally.count(is_relevant);
            self.all.count(is_relevant);
        }
        let (name, of) = self.hosts.get_key_value(host)?;
        if self.spared.contains(host) || self.resting.contains_key(host) {
            return None;
        }
        let (tally, pages) = (of.tally, counted(of.tally.pages, "page"));
        let gives_little = tally.pages >= PAGES_TO_JUDGE && tally.most_share() < LEAST_SHARE * self.all.share();
        let why = match self.budget {
            Some(_) if gives_little => format!("{} of its {pages} are about the request", tally.relevant),
            Some(budget) if tally.pages >= budget => format!("it gave {pages}, the most of one host"),
            _ => return None,
        };
        self.resting.insert(Arc::clone(name), why.clone());
        Some(why)
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
    fn a_host_rests_that_surely_has_little_or_has_given_its_budget() {
        let bound = |relevant, pages| PageTally { pages, relevant }.most_share();
        assert!((bound(0, 100) - 0.037).abs() < 0.0005, "{}", bound(0, 100));
        // 0 of 100 pages, where of all pages some 0.25 and some 0.10 are relevant.
        for (every, rests) in [(3, true), (10, false)] {
            let mut gains = HostGains::default();
            gains.let_rest(["seed".into()].into_iter(), 0);
            for number in 0..900 {
                gains.add("rich", if number % every == 0 { 0.9 } else { 0.0 });
            }
            let mut why = None;
            for _ in 0..100 {
                gains.add("seed", 0.0);
                why = gains.add("poor", 0.0).or(why);
            }
            let expected = rests.then(|| "0 of its 100 pages are about the request".to_owned());
            assert_eq!(why, expected, "{}", gains.all.share());
            assert_eq!((gains.rests("seed"), gains.rests("rich")), (None, None));
        }
        let mut gains = HostGains::default();
        gains.let_rest(std::iter::empty(), 60_000);
        let rests: Vec<String> = (0..3_001).filter_map(|_| gains.add("rich", 0.9)).collect();
        assert_eq!(rests, ["it gave 3000 pages, the most of one host"]);
        gains.let_rest(std::iter::empty(), 0);
        assert!(gains.rests("rich").is_none(), "another request, another judgement");
        let rich: Arc<str> = "rich".into();
        let first: Vec<String> = (0..2_000).filter_map(|_| gains.add("rich", 0.9)).collect();
        assert_eq!((first.len(), gains.has_resting()), (1, true));
        gains.spare(&rich);
        assert!((0..2_000).all(|_| gains.add("rich", 0.9).is_none()) && !gains.has_resting(), "a person spared it");
    }

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
