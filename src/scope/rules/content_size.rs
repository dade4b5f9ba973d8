//! The size of what was fetched.

use super::{Change, DecideRule, Edit, RuleKind};
use crate::scope::{Candidate, ContentFact, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Rejects content that is smaller or larger than the limits, once it was
/// fetched; before, it has no opinion. 0 is no limit. Heritrix's
/// `ContentLengthDecideRule`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContentSize {
    /// The fewest bytes that are let through.
    #[serde(default)]
    pub min_bytes: u64,
    /// The most bytes that are let through.
    #[serde(default)]
    pub max_bytes: u64,
}

impl ContentSize {
    fn outside(&self, bytes: u64) -> bool {
        bytes < self.min_bytes || (self.max_bytes > 0 && bytes > self.max_bytes)
    }
}

impl DecideRule for ContentSize {
    fn name(&self) -> &'static str {
        "ContentLengthDecideRule"
    }

    fn summary(&self) -> String {
        match (self.min_bytes, self.max_bytes) {
            (0, 0) => "tests nothing (no limit is set)".to_owned(),
            (0, max) => format!("rejects content of more than {max} bytes, once fetched"),
            (min, 0) => format!("rejects content of fewer than {min} bytes, once fetched"),
            (min, max) => format!("rejects content of fewer than {min} or more than {max} bytes, once fetched"),
        }
    }

    fn decide(&self, _: &Candidate, facts: &Facts) -> Option<Decision> {
        match &facts.content {
            ContentFact::Fetched { bytes, .. } if self.outside(*bytes) => Some(Decision::Reject),
            _ => None,
        }
    }

    fn tested(&self, _: &Candidate, facts: &Facts) -> String {
        match &facts.content {
            ContentFact::NotFetched => "not fetched".to_owned(),
            ContentFact::Fetched { bytes, .. } => format!("{bytes} bytes"),
        }
    }

    fn uses_content(&self) -> bool {
        true
    }

    fn changes(&self, _: &Candidate, facts: &Facts, target: Option<Decision>) -> Vec<Change> {
        let ContentFact::Fetched { bytes, .. } = facts.content else { return Vec::new() };
        if target.is_some() || !self.outside(bytes) {
            return Vec::new();
        }
        let (summary, rule) = if bytes < self.min_bytes {
            (
                format!("lower the limit from {} bytes to {bytes}", self.min_bytes),
                Self { min_bytes: bytes, ..self.clone() },
            )
        } else {
            (
                format!("raise the limit from {} bytes to {bytes}", self.max_bytes),
                Self { max_bytes: bytes, ..self.clone() },
            )
        };
        vec![Change { summary, edit: Edit::Number(RuleKind::ContentSize(rule)) }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::candidate;
    use super::*;

    #[test]
    fn speaks_only_of_what_was_fetched() {
        let candidate = candidate("http://fct.pt/a", "L");
        let reject = Some(Decision::Reject);
        for (min_bytes, max_bytes, bytes, expected) in [
            (0, 0, Some(1 << 40), None),
            (10, 0, None, None),
            (10, 0, Some(9), reject),
            (10, 0, Some(10), None),
            (0, 100, Some(100), None),
            (0, 100, Some(101), reject),
            (10, 100, Some(0), reject),
        ] {
            let content = match bytes {
                None => ContentFact::NotFetched,
                Some(bytes) => ContentFact::Fetched { status: 200, mime: "text/html".to_owned(), bytes },
            };
            let facts = Facts { content, ..Facts::default() };
            let rule = ContentSize { min_bytes, max_bytes };
            assert_eq!(rule.decide(&candidate, &facts), expected, "{rule:?} {facts:?}");
            assert!(!rule.tested(&candidate, &facts).is_empty());
        }
    }
}
