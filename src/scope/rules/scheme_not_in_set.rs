//! Schemes.

use super::{Change, DecideRule, Edit, RuleKind};
use crate::scope::{Candidate, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Rejects URLs whose scheme is not listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SchemeNotInSet {
    /// Schemes that are let through, without colon.
    pub schemes: Vec<String>,
}

impl SchemeNotInSet {
    pub(super) fn compile(&self) -> Result<Self, String> {
        if self.schemes.is_empty() {
            return Err("the list of schemes is empty, which rejects everything; name http and https".to_owned());
        }
        let schemes = self.schemes.iter().map(|scheme| scheme.trim().trim_end_matches(':').to_ascii_lowercase());
        Ok(Self { schemes: schemes.collect() })
    }
}

impl DecideRule for SchemeNotInSet {
    fn name(&self) -> &'static str {
        "SchemeNotInSetDecideRule"
    }

    fn summary(&self) -> String {
        format!("rejects schemes other than {}", self.schemes.join(", "))
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        let scheme = candidate.url.scheme();
        (!self.schemes.iter().any(|known| known == scheme)).then_some(Decision::Reject)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        candidate.url.scheme().to_owned()
    }

    fn changes(&self, candidate: &Candidate, facts: &Facts, target: Option<Decision>) -> Vec<Change> {
        if target.is_some() || self.decide(candidate, facts).is_none() {
            return Vec::new();
        }
        let mut schemes = self.schemes.clone();
        schemes.push(candidate.url.scheme().to_owned());
        vec![Change {
            summary: format!("add {} to the schemes", candidate.url.scheme()),
            edit: Edit::Entry(RuleKind::SchemeNotInSet(Self { schemes })),
        }]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::decision_of;
    use super::*;

    #[test]
    fn rejects_other_schemes() {
        let rule = SchemeNotInSet { schemes: vec!["HTTP:".to_owned(), "https".to_owned()] }.compile().unwrap();
        assert_eq!(decision_of(&rule, "http://fct.pt/", "L"), None);
        assert_eq!(decision_of(&rule, "https://fct.pt/", "L"), None);
        assert_eq!(decision_of(&rule, "ftp://fct.pt/", "L"), Some(Decision::Reject));
        assert!(SchemeNotInSet { schemes: Vec::new() }.compile().is_err());
    }
}
