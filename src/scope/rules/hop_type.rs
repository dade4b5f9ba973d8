//! Rule on the kind of the last hop.

use super::{Change, DecideRule, Edit, RuleKind, verb};
use crate::scope::{Candidate, Decision, Facts};
use serde::{Deserialize, Serialize};

/// Accepts or rejects by the last letter of the hop path, Heritrix's `Hop`:
/// `L` link, `E` embed, `R` redirect, `P` prerequisite, `X` guess out of a
/// script, `I` inferred, `M` sitemap, `S` form. A seed has no last hop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HopType {
    /// The letters, such as `ER`.
    pub hops: String,
    /// The decision on a hop among them.
    pub decision: Decision,
}

/// Letters and their words.
const KINDS: [(char, &str); 8] = [
    ('L', "link"),
    ('E', "embed"),
    ('R', "redirect"),
    ('P', "prerequisite"),
    ('X', "guess out of a script"),
    ('I', "inferred"),
    ('M', "sitemap"),
    ('S', "form"),
];

fn name_of(letter: char) -> Option<&'static str> {
    KINDS.iter().find(|(known, _)| *known == letter).map(|(_, name)| *name)
}

impl HopType {
    pub(super) fn compile(&self) -> Result<Self, String> {
        match self.hops.chars().find(|letter| name_of(*letter).is_none()) {
            Some(letter) => Err(format!("“{letter}” is no kind of hop; give some of L, E, R, P, X, I, M, S")),
            None => Ok(self.clone()),
        }
    }

    fn meant(&self, candidate: &Candidate) -> bool {
        candidate.hops.chars().next_back().is_some_and(|last| self.hops.contains(last))
    }
}

impl DecideRule for HopType {
    fn name(&self) -> &'static str {
        match (self.hops.as_str(), self.decision) {
            ("P", Decision::Accept) => "PrerequisiteAcceptDecideRule",
            _ => "HopTypeDecideRule",
        }
    }

    fn summary(&self) -> String {
        let kinds: Vec<&str> = self.hops.chars().filter_map(name_of).collect();
        let kinds = if kinds.is_empty() { "nothing (no kinds set)".to_owned() } else { kinds.join(" or ") };
        format!("{} what was found by {kinds}", verb(self.decision))
    }

    fn decide(&self, candidate: &Candidate, _: &Facts) -> Option<Decision> {
        self.meant(candidate).then_some(self.decision)
    }

    fn tested(&self, candidate: &Candidate, _: &Facts) -> String {
        match candidate.hops.chars().next_back() {
            None => "no hop".to_owned(),
            Some(last) => format!("{} ({last})", name_of(last).unwrap_or("unknown")),
        }
    }

    fn changes(&self, candidate: &Candidate, _: &Facts, target: Option<Decision>) -> Vec<Change> {
        let Some(last) = candidate.hops.chars().next_back() else { return Vec::new() };
        let name = name_of(last).unwrap_or("unknown");
        let edited = |hops| Edit::Entry(RuleKind::HopType(Self { hops, ..self.clone() }));
        match target {
            None if self.meant(candidate) => {
                let hops = self.hops.chars().filter(|letter| *letter != last).collect();
                vec![Change { summary: format!("take {name} ({last}) out of the kinds of hop"), edit: edited(hops) }]
            }
            Some(target) if target == self.decision && !self.meant(candidate) && name_of(last).is_some() => {
                let hops = format!("{}{last}", self.hops);
                vec![Change { summary: format!("add {name} ({last}) to the kinds of hop"), edit: edited(hops) }]
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::decision_of;
    use super::*;

    #[test]
    fn the_last_hop_counts() {
        let rule = HopType { hops: "ER".to_owned(), decision: Decision::Reject }.compile().unwrap();
        let reject = Some(Decision::Reject);
        for (hops, expected) in
            [("", None), ("L", None), ("LE", reject), ("EL", None), ("LLR", reject), ("12+LLRE", reject), ("P", None)]
        {
            assert_eq!(decision_of(&rule, "http://fct.pt/a", hops), expected, "{hops}");
        }
        assert!(HopType { hops: "Z".to_owned(), ..rule }.compile().is_err());
    }

    #[test]
    fn prerequisites_have_heritrix_name() {
        let rule = HopType { hops: "P".to_owned(), decision: Decision::Accept };
        assert_eq!(rule.name(), "PrerequisiteAcceptDecideRule");
        assert_eq!(decision_of(&rule, "http://fct.pt/robots.txt", "LP"), Some(Decision::Accept));
    }
}
