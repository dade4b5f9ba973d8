//! The word a seed carries.

use super::{Change, DecideRule, Edit, RuleKind, listed, verb};
use crate::scope::{Candidate, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Accepts or rejects what descends from seeds that carry one of these words;
/// the empty one is that of seeds without any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceTag {
    /// The words.
    pub tags: Vec<String>,
    /// The decision on them.
    pub decision: Decision,
}

fn tag_text(tag: &str) -> &str {
    if tag.is_empty() { "“” (none)" } else { tag }
}

impl DecideRule for SourceTag {
    fn name(&self) -> &'static str {
        "SourceTagDecideRule"
    }

    fn summary(&self) -> String {
        let tags: Vec<String> = self.tags.iter().map(|tag| tag_text(tag).to_owned()).collect();
        format!("{} what comes from seeds with {}", verb(self.decision), listed(&tags, "the word", "the words"))
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        self.tags.contains(&candidate.source_tag).then_some(self.decision)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        if candidate.source_tag.is_empty() { "no word".to_owned() } else { candidate.source_tag.clone() }
    }

    fn changes(&self, candidate: &Candidate, facts: &Facts, target: Option<Decision>) -> Vec<Change> {
        if target.is_some() || self.decide(candidate, facts).is_none() {
            return Vec::new();
        }
        let tags = self.tags.iter().filter(|tag| **tag != candidate.source_tag).cloned().collect();
        vec![Change {
            summary: format!("take the word {} out", tag_text(&candidate.source_tag)),
            edit: Edit::Entry(RuleKind::SourceTag(Self { tags, ..self.clone() })),
        }]
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::candidate;
    use super::*;

    #[test]
    fn tests_the_source_tag_of_the_seed() {
        let rule = SourceTag { tags: vec!["press".to_owned()], decision: Decision::Reject };
        for (tag, expected) in [("press", Some(Decision::Reject)), ("Press", None), ("", None)] {
            let candidate = Candidate { source_tag: tag.to_owned(), ..candidate("http://fct.pt/", "L") };
            assert_eq!(rule.decide(&candidate, &Facts::default()), expected, "{tag}");
        }
    }
}
