//! Findings: what checks answer, and what they come to for a page.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The severity from which a finding is a problem.
pub const PROBLEM_SEVERITY: f64 = 0.5;

/// The highest severity of what is only odd.
const MOST_ODD: f64 = 0.49;

/// The conclusion of a check. Without a finding nothing is known: silence is never a good sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum FindingState {
    /// The page is not what it should be, by signals that do not depend on each other.
    #[serde(rename = "problem")]
    Problem,
    /// A person should see it.
    #[serde(rename = "odd")]
    Odd,
    /// The check cannot speak about this page; the evidence says why.
    #[serde(rename = "not applicable")]
    NotApplicable,
}

impl FindingState {
    /// Every state, the worst first.
    pub const ALL: [Self; 3] = [Self::Problem, Self::Odd, Self::NotApplicable];

    /// Its name in data.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Problem => "problem",
            Self::Odd => "odd",
            Self::NotApplicable => "not applicable",
        }
    }

    /// Its name on the screen.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Problem => "Problem",
            Self::Odd => "Odd",
            Self::NotApplicable => "Not applicable",
        }
    }

    /// Its number in the catalogue.
    pub const fn number(self) -> i64 {
        match self {
            Self::Problem => 0,
            Self::Odd => 1,
            Self::NotApplicable => 2,
        }
    }

    /// The state of a number in the catalogue; any other number is the last one.
    pub const fn of_number(number: i64) -> Self {
        match number {
            0 => Self::Problem,
            1 => Self::Odd,
            _ => Self::NotApplicable,
        }
    }

    /// The state of a name in data.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// What a check read in its inputs, before its weight counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// From 0 to 1.
    pub strength: f64,
    /// The worst state that it can be.
    pub ceiling: FindingState,
    /// What it was read in: an object, whose `text` is a short sentence without a full stop.
    pub evidence: Value,
}

impl Signal {
    /// Signals that do not depend on each other, or a fact.
    pub fn problem(strength: f64, evidence: Value) -> Self {
        Self { strength, ceiling: FindingState::Problem, evidence }
    }

    /// One signal alone.
    pub fn odd(strength: f64, evidence: Value) -> Self {
        Self { strength, ceiling: FindingState::Odd, evidence }
    }

    /// A problem where two signals agree, odd otherwise.
    pub fn paired(is_pair: bool, strength: f64, evidence: Value) -> Self {
        if is_pair { Self::problem(strength, evidence) } else { Self::odd(strength, evidence) }
    }

    /// The reason why the check cannot speak.
    pub fn not_applicable(why: &str) -> Self {
        Self { strength: 0.0, ceiling: FindingState::NotApplicable, evidence: serde_json::json!({ "text": why }) }
    }

    /// State and severity of it in a check of this weight.
    pub fn weighted(&self, weight: f64) -> (FindingState, f64) {
        let severity = (weight * self.strength).clamp(0.0, 1.0);
        match self.ceiling {
            FindingState::NotApplicable => (FindingState::NotApplicable, 0.0),
            FindingState::Problem if severity >= PROBLEM_SEVERITY => (FindingState::Problem, severity),
            _ => (FindingState::Odd, severity.min(MOST_ODD)),
        }
    }
}

/// The result of one check on one page, host or launch.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The check, by its name in data.
    pub check: &'static str,
    /// The conclusion.
    pub state: FindingState,
    /// Weight times strength, from 0 to 1.
    pub severity: f64,
    /// Why: an object, whose `text` is a short sentence without a full stop. Hostile text.
    pub evidence: Value,
}

/// The loss of a page by the severities of its findings, from 0 to 1: ten small findings do not outweigh an empty page.
pub fn page_loss(severities: impl IntoIterator<Item = f64>) -> f64 {
    1.0 - severities.into_iter().map(|severity| 1.0 - severity.clamp(0.0, 1.0)).product::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_signal_alone_is_never_a_problem() {
        let of = |signal: Signal, weight| signal.weighted(weight);
        assert_eq!(of(Signal::problem(1.0, json!({})), 0.5), (FindingState::Problem, 0.5));
        assert_eq!(of(Signal::problem(0.9, json!({})), 0.5), (FindingState::Odd, 0.45));
        assert_eq!(of(Signal::odd(1.0, json!({})), 1.0), (FindingState::Odd, MOST_ODD));
        assert_eq!(of(Signal::not_applicable("no text"), 1.0), (FindingState::NotApplicable, 0.0));
    }

    #[test]
    fn many_small_findings_do_not_outweigh_a_large_one() {
        assert!((page_loss([0.5, 0.5]) - 0.75).abs() < 1e-12 && page_loss([]).abs() < 1e-12);
        assert!(page_loss([0.05; 10]) < page_loss([0.9]));
        assert!(FindingState::ALL.iter().all(|of| FindingState::of_number(of.number()) == *of));
    }
}
