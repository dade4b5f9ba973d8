//! Parameters of the query.

use super::{Change, DecideRule, Edit, RuleKind, counted};
use crate::scope::{Candidate, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Rejects URLs whose query has more than `max_parameters` parameters.
/// Why: search forms and filters combine without end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueryParameters {
    /// The most parameters that are let through.
    pub max_parameters: usize,
}

fn parameters(candidate: &Candidate) -> usize {
    let query = candidate.url.query().unwrap_or_default();
    query.split(['&', ';']).filter(|parameter| !parameter.is_empty()).count()
}

impl DecideRule for QueryParameters {
    fn name(&self) -> &'static str {
        "TooManyQueryParametersDecideRule"
    }

    fn summary(&self) -> String {
        format!("rejects more than {}", counted(self.max_parameters as u64, "query parameter"))
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        (parameters(candidate) > self.max_parameters).then_some(Decision::Reject)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        counted(parameters(candidate) as u64, "query parameter")
    }

    fn changes(&self, candidate: &Candidate, _: &Facts, target: Option<Decision>) -> Vec<Change> {
        let count = parameters(candidate);
        if target.is_some() || count <= self.max_parameters {
            return Vec::new();
        }
        vec![Change {
            summary: format!("raise the limit from {} query parameters to {count}", self.max_parameters),
            edit: Edit::Number(RuleKind::QueryParameters(Self { max_parameters: count })),
        }]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::decision_of;
    use super::*;

    #[test]
    fn rejects_long_queries() {
        let rule = QueryParameters { max_parameters: 2 };
        for (url, expected) in [
            ("http://fct.pt/", None),
            ("http://fct.pt/?", None),
            ("http://fct.pt/?a=1&b=2&", None),
            ("http://fct.pt/?a&b&c", Some(Decision::Reject)),
            ("http://fct.pt/?a=1;b=2;c=3", Some(Decision::Reject)),
        ] {
            assert_eq!(decision_of(&rule, url, "L"), expected, "{url}");
        }
    }
}
