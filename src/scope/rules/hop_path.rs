//! The letters of the hop path.

use super::{DecideRule, verb};
use crate::scope::{Candidate, Decision, Facts};
use regex::bytes::Regex;
use serde::{Deserialize, Serialize};

/// Accepts or rejects candidates whose whole hop path matches a regular
/// expression over its letters (`.*RRRRR` is five redirects in a row).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HopPath {
    /// The expression, matched against the whole path.
    pub pattern: String,
    /// The decision on a match.
    pub decision: Decision,
}

#[derive(Debug)]
pub(super) struct CompiledHopPath {
    rule: HopPath,
    regex: Regex,
    bytes: usize,
}

impl HopPath {
    pub(super) fn compile(&self) -> Result<CompiledHopPath, String> {
        let (regex, bytes) = super::regex_list::whole(&self.pattern)?;
        Ok(CompiledHopPath { rule: self.clone(), regex, bytes })
    }
}

impl DecideRule for CompiledHopPath {
    fn name(&self) -> &'static str {
        "HopsPathMatchesRegexDecideRule"
    }

    fn summary(&self) -> String {
        format!("{} hop paths that match {}", verb(self.rule.decision), self.rule.pattern)
    }

    fn pattern_bytes(&self) -> usize {
        self.bytes
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        self.regex.is_match(candidate.hops.as_bytes()).then_some(self.rule.decision)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        if candidate.hops.is_empty() { "no hops".to_owned() } else { candidate.hops.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::RuleKind;
    use super::super::testing::{compiled, decision_of};
    use super::*;

    #[test]
    fn matches_the_whole_path() {
        let rule = HopPath { pattern: ".*R{5}".to_owned(), decision: Decision::Reject };
        let rule = compiled(RuleKind::HopPath(rule));
        for (hops, expected) in [("", None), ("LRRRRR", Some(Decision::Reject)), ("RRRRRL", None), ("LRRRR", None)] {
            assert_eq!(decision_of(&*rule, "http://fct.pt/", hops), expected, "{hops}");
        }
        assert!(HopPath { pattern: "(".to_owned(), decision: Decision::Reject }.compile().is_err());
    }
}
