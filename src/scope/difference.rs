//! In which rules two lists differ.
//!
//! Where no rule that only one of the lists has speaks, both lists come to the
//! same decision by the same rule. Of a few edits most URLs are decided so,
//! which makes it half the work to try them on all URLs ever seen.

use super::decide_rules::{CompiledRule, DecideRules};
use super::rules::DecideRule;
use super::{Candidate, Facts};
use std::sync::Arc;

/// Pairs of rules that are compared at most; longer lists are decided in full.
const MOST_PAIRS: usize = 1_000_000;

/// The difference of two lists of rules with the same seeds, permissions and grounds.
pub struct Difference {
    /// What only one of the lists has and is switched on.
    tests: Vec<Arc<dyn DecideRule>>,
    /// Index in the second list of each rule of the first one that both have.
    index_after: Vec<Option<usize>>,
    asks_geo: bool,
}

impl DecideRules {
    /// In which rules `after` differs; none where more than rules differs, so
    /// that rules of equal words may say different things.
    pub fn difference(&self, after: &Self) -> Option<Difference> {
        let (old, new) = (self.rules.as_slice(), after.rules.as_slice());
        if !self.has_ground_of(after) || old.len().saturating_mul(new.len()) > MOST_PAIRS {
            return None;
        }
        let same = |a: &CompiledRule, b: &CompiledRule| a.rule.enabled && b.rule.enabled && a.rule.kind == b.rule.kind;
        // How many rules both have in common from here on, in order.
        let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
        for (i, a) in old.iter().enumerate().rev() {
            for (j, b) in new.iter().enumerate().rev() {
                common[i][j] =
                    if same(a, b) { common[i + 1][j + 1] + 1 } else { common[i + 1][j].max(common[i][j + 1]) };
            }
        }
        let mut index_after = vec![None; old.len()];
        let mut is_common = vec![false; new.len()];
        let (mut i, mut j) = (0, 0);
        while let (Some(a), Some(b)) = (old.get(i), new.get(j)) {
            if same(a, b) {
                index_after[i] = Some(j);
                is_common[j] = true;
                (i, j) = (i + 1, j + 1);
            } else if common[i + 1][j] >= common[i][j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
        let only_old = old.iter().zip(&index_after).filter(|(_, at)| at.is_none()).map(|(rule, _)| rule);
        let only_new = new.iter().zip(&is_common).filter(|(_, common)| !**common).map(|(rule, _)| rule);
        let tests = only_old.chain(only_new).filter(|rule| rule.rule.enabled).map(|rule| Arc::clone(&rule.test));
        let asks_geo = self.uses_geo() || after.uses_geo();
        Some(Difference { tests: tests.collect(), index_after, asks_geo })
    }
}

impl Difference {
    /// Whether a rule that only one of the lists has speaks.
    pub fn speaks(&self, candidate: &Candidate, facts: &Facts) -> bool {
        self.tests.iter().any(|test| test.decide(candidate, facts).is_some())
    }

    /// Whether any rule of the two lists asks for the country of a server.
    pub fn asks_geo(&self) -> bool {
        self.asks_geo
    }

    /// Where a rule that both lists have stands in the second one.
    pub fn index_after(&self, index: usize) -> Option<usize> {
        self.index_after.get(index).copied().flatten()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::campaign::Campaign;
    use crate::uri::Url;
    use serde_json::{Value, json};

    fn rules(list: &[Value]) -> DecideRules {
        DecideRules::compile(&Campaign { rules: list.to_vec(), ..Campaign::default() }).unwrap()
    }

    #[test]
    fn rules_are_found_again_where_others_came_between() {
        let hops = |max: u32| json!({"rule": "too_many_hops", "max_hops": max});
        let pt = json!({"rule": "surt_prefix", "prefixes": ["(pt,"], "decision": "ACCEPT"});
        let off = json!({"rule": "accept_all", "enabled": false});
        let before = rules(&[json!({"rule": "reject_all"}), pt.clone(), hops(3), off.clone()]);
        let after = rules(&[json!({"rule": "reject_all", "comment": "as ever"}), off, hops(1), pt]);
        let difference = before.difference(&after).unwrap();
        assert_eq!([0, 1, 2, 3, 9].map(|at| difference.index_after(at)), [Some(0), Some(3), None, None, None]);
        let candidate =
            |hops: &str| Candidate { hops: hops.to_owned(), ..Candidate::bare(Url::parse("http://fct.pt/").unwrap()) };
        assert!(!difference.speaks(&candidate("L"), &Facts::default()), "what is off does not speak");
        assert!(difference.speaks(&candidate("LL"), &Facts::default()));
        assert!(difference.speaks(&candidate("LLLL"), &Facts::default()));
        let other = Campaign { rules: vec![json!({"rule": "reject_all"})], ..Campaign::default() };
        let seed = serde_json::from_value(json!({"url": "http://a.pt/"})).unwrap();
        let other = DecideRules::compile(&Campaign { seeds: vec![seed], ..other }).unwrap();
        assert!(before.difference(&other).is_none(), "other seeds make other rules of the same words");
    }
}
