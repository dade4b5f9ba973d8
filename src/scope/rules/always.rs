//! Rules that make one decision for everything.

use super::{DecideRule, verb};
use crate::scope::{Candidate, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Rejects everything. It comes first, so that only what a later rule accepts
/// is in scope.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RejectAll {}

/// Accepts everything; the rules after it take out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AcceptAll {}

/// The decision on everything.
#[derive(Debug)]
pub(super) struct Always(pub Decision);

impl DecideRule for Always {
    fn name(&self) -> &'static str {
        match self.0 {
            Decision::Accept => "AcceptDecideRule",
            Decision::Reject => "RejectDecideRule",
        }
    }

    fn summary(&self) -> String {
        format!("{} everything", verb(self.0))
    }

    fn decide(&self, _: &Candidate, _: &Facts) -> Option<Decision> {
        Some(self.0)
    }

    fn tested(&self, _: &Candidate, _: &Facts) -> String {
        "nothing".to_owned()
    }

    fn only_decision(&self) -> Option<Decision> {
        Some(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::decision_of;
    use super::*;

    #[test]
    fn they_decide_the_same_for_everything() {
        for (url, hops) in [("http://fct.pt/", ""), ("http://example.com/a", "LLE")] {
            assert_eq!(decision_of(&Always(Decision::Reject), url, hops), Some(Decision::Reject));
            assert_eq!(decision_of(&Always(Decision::Accept), url, hops), Some(Decision::Accept));
        }
    }
}
