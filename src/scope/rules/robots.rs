//! robots.txt.

use super::{Change, DecideRule, Edit};
use crate::scope::{Candidate, Decision, Facts, ROBOTS_RULE, RobotsFact};
use serde::{Deserialize, Serialize};

/// Rejects what robots.txt denies. While robots.txt is not fetched it has no
/// opinion: the crawl fetches that first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Robots {}

impl DecideRule for Robots {
    fn name(&self) -> &'static str {
        ROBOTS_RULE
    }

    fn summary(&self) -> String {
        "rejects what robots.txt denies".to_owned()
    }

    fn decide(&self, _: &Candidate, facts: &Facts) -> Option<Decision> {
        matches!(facts.robots, RobotsFact::Denied { .. }).then_some(Decision::Reject)
    }

    fn tested(&self, _: &Candidate, facts: &Facts) -> String {
        match &facts.robots {
            RobotsFact::NotFetched => "robots.txt has not been fetched".to_owned(),
            RobotsFact::Allowed => "allowed".to_owned(),
            RobotsFact::Denied { why } => format!("denied: {why}"),
        }
    }

    fn changes(&self, _: &Candidate, facts: &Facts, target: Option<Decision>) -> Vec<Change> {
        match (&facts.robots, target) {
            (RobotsFact::Denied { .. }, None) => vec![Change {
                summary: "robots.txt would have to allow it".to_owned(),
                edit: Edit::Fact(Box::new(Facts { robots: RobotsFact::Allowed, ..facts.clone() })),
            }],
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::candidate;
    use super::*;

    #[test]
    fn rejects_what_is_denied() {
        let candidate = candidate("http://fct.pt/", "L");
        for (robots, expected) in [
            (RobotsFact::NotFetched, None),
            (RobotsFact::Allowed, None),
            (RobotsFact::Denied { why: "Disallow: /".to_owned() }, Some(Decision::Reject)),
        ] {
            let facts = Facts { robots, ..Facts::default() };
            assert_eq!(Robots {}.decide(&candidate, &facts), expected, "{facts:?}");
        }
    }
}
