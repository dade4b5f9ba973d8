//! Two lists of rules asked together.
//!
//! Where somebody tries a few edits, most rules are in both lists. Each of
//! these is asked once, and what it says counts in both.

use super::decide_rules::{CompiledRule, DecideRules};
use super::rules::{DecideRule, RuleKind};
use super::{Candidate, Decision, Facts};
use std::sync::Arc;

/// Pairs of rules that are compared at most; longer lists are decided one by one.
const MOST_PAIRS: usize = 1_000_000;

/// The rules of two lists in an order that is that of both.
pub struct SideBySide {
    steps: Vec<Step>,
}

struct Step {
    test: Arc<dyn DecideRule>,
    only: Option<Decision>,
    /// Its index in the lists that it is in.
    at: [Option<usize>; 2],
}

impl DecideRules {
    /// These rules beside others; none where there are too many to compare.
    pub fn beside(&self, after: &Self) -> Option<SideBySide> {
        let (old, new) = (self.rules.as_slice(), after.rules.as_slice());
        if old.len().saturating_mul(new.len()) > MOST_PAIRS {
            return None;
        }
        let same_ground = self.has_ground_of(after);
        // Rules of equal words that are compiled with other seeds or permissions are others.
        let hangs_on_ground = |kind: &RuleKind| matches!(kind, RuleKind::SeedScope(_) | RuleKind::Permission(_));
        let same = |a: &CompiledRule, b: &CompiledRule| {
            let alike = a.rule.enabled && b.rule.enabled && a.rule.kind == b.rule.kind;
            alike && (same_ground || !hangs_on_ground(&a.rule.kind))
        };
        // How many rules both have in common from here on, in order.
        let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
        for (i, a) in old.iter().enumerate().rev() {
            for (j, b) in new.iter().enumerate().rev() {
                common[i][j] =
                    if same(a, b) { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
            }
        }
        let mut steps = Vec::new();
        let mut push = |rule: &CompiledRule, at| {
            if rule.rule.enabled {
                steps.push(Step { test: Arc::clone(&rule.test), only: rule.only, at });
            }
        };
        let (mut i, mut j) = (0, 0);
        loop {
            match (old.get(i), new.get(j)) {
                (Some(a), Some(b)) if same(a, b) => {
                    push(a, [Some(i), Some(j)]);
                    (i, j) = (i + 1, j + 1);
                }
                (Some(a), b) if b.is_none() || common[i + 1][j] >= common[i][j + 1] => {
                    push(a, [Some(i), None]);
                    i += 1;
                }
                (_, Some(b)) => {
                    push(b, [None, Some(j)]);
                    j += 1;
                }
                _ => return Some(SideBySide { steps }),
            }
        }
    }
}

impl SideBySide {
    /// What each list decides, and the index of the rule that spoke last: as
    /// [`DecideRules::decide_by_index`] of the one and of the other.
    pub fn decide(&self, candidate: &Candidate, facts: &Facts) -> [(Decision, Option<usize>); 2] {
        let mut standing: [Option<(Decision, usize)>; 2] = [None; 2];
        for step in &self.steps {
            let asks = |list: usize| {
                let stands = standing[list].map(|(decision, _)| decision);
                step.at[list].filter(|_| step.only.is_none() || step.only != stands)
            };
            let asking = [asks(0), asks(1)];
            if asking == [None; 2] {
                continue;
            }
            let Some(decision) = step.test.decide(candidate, facts) else { continue };
            for (standing, index) in standing.iter_mut().zip(asking) {
                *standing = index.map(|index| (decision, index)).or(*standing);
            }
        }
        standing.map(|said| said.map_or((Decision::Reject, None), |(decision, index)| (decision, Some(index))))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::campaign::Campaign;
    use crate::uri::Url;
    use serde_json::{Value, json};

    fn rules(list: &[Value], seeds: &[&str]) -> DecideRules {
        let seeds = seeds.iter().map(|url| serde_json::from_value(json!({"url": url})).unwrap()).collect();
        DecideRules::compile(&Campaign { rules: list.to_vec(), seeds, ..Campaign::default() }).unwrap()
    }

    #[track_caller]
    fn check(before: &DecideRules, after: &DecideRules) {
        let both = before.beside(after).unwrap();
        for url in ["http://fct.pt/", "http://a.uk/x", "http://b.example/"] {
            for hops in ["", "L", "LL", "LLLL"] {
                let bare = Candidate::bare(Url::parse(url).unwrap());
                let candidate = Candidate { hops: hops.to_owned(), ..bare };
                let facts = Facts::default();
                let alone = [before, after].map(|rules| rules.decide_by_index(&candidate, &facts));
                assert_eq!(both.decide(&candidate, &facts), alone, "{url} {hops}");
            }
        }
    }

    #[test]
    fn both_decide_as_each_alone() {
        let hops = |max: u32| json!({"rule": "too_many_hops", "max_hops": max});
        let pt = json!({"rule": "surt_prefix", "prefixes": ["(pt,"], "decision": "ACCEPT"});
        let off = json!({"rule": "accept_all", "enabled": false});
        let [none, all] = ["reject_all", "accept_all"].map(|rule| json!({"rule": rule}));
        let lists = [
            vec![none.clone(), pt.clone(), hops(3), off.clone()],
            vec![json!({"rule": "reject_all", "comment": "as ever"}), off, hops(1), pt.clone()],
            vec![all.clone(), hops(3), all.clone(), hops(1), none, pt],
            vec![json!({"rule": "seed_scope"}), hops(1), all],
            Vec::new(),
        ];
        for before in &lists {
            for after in &lists {
                check(&rules(before, &["http://a.uk/"]), &rules(after, &["http://a.uk/"]));
                check(&rules(before, &["http://a.uk/"]), &rules(after, &["http://b.example/"]));
            }
        }
    }

    #[test]
    fn what_both_have_is_asked_once() {
        let list = |max: u32| [json!({"rule": "reject_all"}), json!({"rule": "too_many_hops", "max_hops": max})];
        let seeds = ["http://a.uk/"];
        assert_eq!(rules(&list(1), &seeds).beside(&rules(&list(2), &seeds)).unwrap().steps.len(), 3);
        let scope = [json!({"rule": "seed_scope"})];
        let other = rules(&scope, &["http://b.uk/"]);
        assert_eq!(rules(&scope, &seeds).beside(&other).unwrap().steps.len(), 2, "other seeds make another rule");
    }
}
