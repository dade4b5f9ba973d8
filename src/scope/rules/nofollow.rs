//! Links marked nofollow.

use super::DecideRule;
use crate::scope::{Candidate, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Rejects what is reached by a link with `nofollow`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Nofollow {}

impl DecideRule for Nofollow {
    fn name(&self) -> &'static str {
        "NofollowDecideRule"
    }

    fn summary(&self) -> String {
        "rejects links that say nofollow".to_owned()
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        candidate.nofollow.then_some(Decision::Reject)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        if candidate.nofollow { "the link says nofollow" } else { "the link does not say nofollow" }.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::candidate;
    use super::*;

    #[test]
    fn rejects_nofollow() {
        for (nofollow, expected) in [(true, Some(Decision::Reject)), (false, None)] {
            let candidate = Candidate { nofollow, ..candidate("http://fct.pt/", "L") };
            assert_eq!(Nofollow {}.decide(&candidate, &Facts::default()), expected);
        }
    }
}
