//! Depth of the path.

use super::{Change, DecideRule, Edit, RuleKind, counted};
use crate::scope::{Candidate, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Rejects URLs whose path has more than `max_segments` slashes.
/// Why: broken relative links grow ever deeper paths.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TooManyPathSegments {
    /// The most slashes that are let through.
    pub max_segments: usize,
}

fn segments(candidate: &Candidate) -> usize {
    candidate.url.path().bytes().filter(|&b| b == b'/').count()
}

impl DecideRule for TooManyPathSegments {
    fn name(&self) -> &'static str {
        "TooManyPathSegmentsDecideRule"
    }

    fn summary(&self) -> String {
        format!("rejects more than {}", counted(self.max_segments as u64, "path segment"))
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        (segments(candidate) > self.max_segments).then_some(Decision::Reject)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        counted(segments(candidate) as u64, "path segment")
    }

    fn changes(&self, candidate: &Candidate, _: &Facts, target: Option<Decision>) -> Vec<Change> {
        let count = segments(candidate);
        if target.is_some() || count <= self.max_segments {
            return Vec::new();
        }
        vec![Change {
            summary: format!("raise the limit from {} path segments to {count}", self.max_segments),
            edit: Edit::Number(RuleKind::TooManyPathSegments(Self { max_segments: count })),
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::decision_of;
    use super::*;

    #[test]
    fn rejects_deep_paths() {
        let rule = TooManyPathSegments { max_segments: 2 };
        for (url, expected) in [
            ("http://fct.pt", None),
            ("http://fct.pt/a/b", None),
            ("http://fct.pt/a/b/", Some(Decision::Reject)),
            ("http://fct.pt/a?b=/c/d", None),
        ] {
            assert_eq!(decision_of(&rule, url, "L"), expected, "{url}");
        }
    }
}
