//! Rules that make one decision for everything.

use super::DecideRule;
use crate::scope::{Candidate, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Rejects everything. It comes first, so that only what a later rule accepts
/// is in scope.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct RejectAll {}

/// Accepts everything; the rules after it take out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct AcceptAll {}

impl DecideRule for RejectAll {
    fn name(&self) -> &'static str {
        "RejectDecideRule"
    }

    fn summary(&self) -> String {
        "rejects everything".to_owned()
    }

    fn decide(&self, _: &Candidate, _: &Facts) -> Option<Decision> {
        Some(Decision::Reject)
    }

    fn tested(&self, _: &Candidate, _: &Facts) -> String {
        "nothing".to_owned()
    }

    fn only_decision(&self) -> Option<Decision> {
        Some(Decision::Reject)
    }
}

impl DecideRule for AcceptAll {
    fn name(&self) -> &'static str {
        "AcceptDecideRule"
    }

    fn summary(&self) -> String {
        "accepts everything".to_owned()
    }

    fn decide(&self, _: &Candidate, _: &Facts) -> Option<Decision> {
        Some(Decision::Accept)
    }

    fn tested(&self, _: &Candidate, _: &Facts) -> String {
        "nothing".to_owned()
    }

    fn only_decision(&self) -> Option<Decision> {
        Some(Decision::Accept)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::decision_of;
    use super::*;

    #[test]
    fn they_decide_the_same_for_everything() {
        for (url, hops) in [("http://fct.pt/", ""), ("http://example.com/a", "LLE")] {
            assert_eq!(decision_of(&RejectAll {}, url, hops), Some(Decision::Reject));
            assert_eq!(decision_of(&AcceptAll {}, url, hops), Some(Decision::Accept));
        }
    }
}
