//! A check as data.

use super::{CaptureSigns, CheckLimits, Finding, FindingState, LaunchSigns, Signal};

/// What a check speaks about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CheckLevel {
    /// One capture.
    Page,
    /// A capture beside an earlier one of its page.
    Pair,
    /// A capture among all of its host.
    Host,
    /// A launch, a host of it or one of its seeds.
    Launch,
}

impl CheckLevel {
    /// Its name in data.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Page => "page",
            Self::Pair => "pair of versions",
            Self::Host => "host",
            Self::Launch => "launch",
        }
    }
}

/// A number that decides, which a person may set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// Its name in data: `main_words`.
    pub name: &'static str,
    /// What it decides, with its unit.
    pub about: &'static str,
    /// The program's value.
    pub default: f64,
}

/// A threshold of this name.
pub(super) const fn threshold(name: &'static str, default: f64, about: &'static str) -> Threshold {
    Threshold { name, about, default }
}

/// Reads the signs of a capture.
type ReadCapture = fn(&CaptureSigns<'_>, CheckLimits<'_>) -> Option<Signal>;
/// Reads the signs of a launch: a signal of each subject, which is a URL or a host.
type ReadLaunch = fn(&LaunchSigns, CheckLimits<'_>) -> Vec<(String, Signal)>;

/// How a check reads its signs.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reads {
    Capture(ReadCapture),
    Launch(ReadLaunch),
}

/// A check of captured pages, hosts or launches.
#[derive(Debug)]
pub struct Check {
    /// Its name in data, which stays the same for ever: `soft-404`.
    pub id: &'static str,
    /// Its name on the screen.
    pub label: &'static str,
    /// What it speaks about.
    pub level: CheckLevel,
    /// From 0 to 1: what a page loses by it.
    pub weight: f64,
    /// The rule in whole sentences.
    pub rule: &'static str,
    /// What it compares, in the words of the catalogue.
    pub inputs: &'static [&'static str],
    /// What may be set.
    pub thresholds: &'static [Threshold],
    /// Where the rule is from.
    pub sources: &'static [&'static str],
    pub(super) reads: Reads,
}

impl Check {
    /// Its finding on a capture; none where it has nothing to say.
    pub fn of_capture(&'static self, signs: &CaptureSigns<'_>, limits: CheckLimits<'_>) -> Option<Finding> {
        match self.reads {
            Reads::Capture(read) => read(signs, limits).map(|signal| self.finding(signal)),
            Reads::Launch(_) => None,
        }
    }

    /// Its findings on a launch, each with its subject.
    pub fn of_launch(&'static self, signs: &LaunchSigns, limits: CheckLimits<'_>) -> Vec<(String, Finding)> {
        match self.reads {
            Reads::Capture(_) => Vec::new(),
            Reads::Launch(read) => {
                read(signs, limits).into_iter().map(|(subject, signal)| (subject, self.finding(signal))).collect()
            }
        }
    }

    fn finding(&self, signal: Signal) -> Finding {
        let (state, severity) = signal.weighted(self.weight);
        Finding { check: self.id, state, severity, evidence: signal.evidence }
    }

    /// Whether it is about launches.
    pub fn is_of_launch(&self) -> bool {
        matches!(self.reads, Reads::Launch(_))
    }

    /// Whether a finding of it can be a problem at all.
    pub fn can_be(&self, state: FindingState) -> bool {
        state != FindingState::Problem || self.weight >= super::PROBLEM_SEVERITY
    }
}
