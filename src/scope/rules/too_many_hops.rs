//! Distance from the seed.

use super::{Change, DecideRule, Edit, RuleKind, counted, hop_count};
use crate::scope::{Candidate, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Rejects candidates further than `max_hops` hops of any kind from their seed.
/// Why: guards against calendars and other endless paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TooManyHops {
    /// The most hops that are let through.
    pub max_hops: usize,
}

impl DecideRule for TooManyHops {
    fn name(&self) -> &'static str {
        "TooManyHopsDecideRule"
    }

    fn summary(&self) -> String {
        format!("rejects more than {} from the seed", counted(self.max_hops as u64, "hop"))
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        (hop_count(&candidate.hops) > self.max_hops).then_some(Decision::Reject)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        let count = counted(hop_count(&candidate.hops) as u64, "hop");
        if candidate.hops.is_empty() { count } else { format!("{count} ({})", candidate.hops) }
    }

    fn changes(&self, candidate: &Candidate, _: &Facts, target: Option<Decision>) -> Vec<Change> {
        let hops = hop_count(&candidate.hops);
        if target.is_some() || hops <= self.max_hops {
            return Vec::new();
        }
        vec![Change {
            summary: format!("raise the limit from {} to {hops}", counted(self.max_hops as u64, "hop")),
            edit: Edit::Number(RuleKind::TooManyHops(Self { max_hops: hops })),
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::decision_of;
    use super::*;

    #[test]
    fn rejects_what_is_too_far() {
        let rule = TooManyHops { max_hops: 3 };
        for (hops, expected) in
            [("", None), ("LLE", None), ("LLEE", Some(Decision::Reject)), ("12+LLRL", Some(Decision::Reject))]
        {
            assert_eq!(decision_of(&rule, "http://fct.pt/a", hops), expected, "{hops}");
        }
    }
}
