//! The rules that say the same of everything.

use super::DecideRule;
use crate::scope::{Candidate, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Rejects everything. It stands first, so that only what a later rule accepts
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
    use super::super::testing::says;
    use super::*;

    #[test]
    fn they_say_the_same_of_everything() {
        for (url, hops) in [("http://fct.pt/", ""), ("http://example.com/a", "LLE")] {
            assert_eq!(says(&RejectAll {}, url, hops), Some(Decision::Reject));
            assert_eq!(says(&AcceptAll {}, url, hops), Some(Decision::Accept));
        }
    }
}
