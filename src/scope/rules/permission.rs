//! What rights holders allowed.

use super::{Change, DecideRule, Edit, RuleKind, listed, verb};
use crate::campaign::{Permission, PermissionState};
use crate::scope::{Candidate, Decision, Facts};
use crate::uri::{CaptureDate, ScopePrefix};
use serde::{Deserialize, Serialize};

/// Accepts or rejects URLs by the permission of the campaign that covers
/// them: of several, the one with the longest prefix, and of equal ones the
/// last. A permission counts while it holds; with `uncovered` the rule also
/// speaks of URLs that none covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionRule {
    /// How the permission has to stand.
    pub states: Vec<PermissionState>,
    /// Whether URLs without a permission are meant too.
    #[serde(default)]
    pub uncovered: bool,
    /// What it says of such a URL.
    pub decision: Decision,
}

#[derive(Debug)]
pub(super) struct CompiledPermission {
    rule: PermissionRule,
    /// The longest prefix first, of equal ones the last of the list.
    permissions: Vec<Covering>,
}

#[derive(Debug)]
struct Covering {
    prefix: ScopePrefix,
    from: Option<CaptureDate>,
    until: Option<CaptureDate>,
    permission: Permission,
}

impl PermissionRule {
    pub(super) fn compile(&self, permissions: &[Permission]) -> Result<CompiledPermission, String> {
        let mut compiled = Vec::with_capacity(permissions.len());
        for (position, permission) in permissions.iter().enumerate().rev() {
            let wrong = |why: String| format!("permission {} ({}): {why}", position + 1, permission.covers);
            let prefix = ScopePrefix::parse(&permission.covers)
                .ok_or_else(|| wrong("this is neither a SURT prefix nor a URL".to_owned()))?;
            let (from, until) = permission.term().map_err(|error| wrong(error.to_string()))?;
            compiled.push(Covering { prefix, from, until, permission: permission.clone() });
        }
        compiled.sort_by_key(|covering| std::cmp::Reverse(covering.prefix.as_str().len()));
        Ok(CompiledPermission { rule: self.clone(), permissions: compiled })
    }
}

impl CompiledPermission {
    fn covering(&self, candidate: &Candidate, facts: &Facts) -> Option<&Covering> {
        // Without a date nothing is over.
        let holds = |covering: &&Covering| {
            facts.date.is_none_or(|date| {
                covering.from.is_none_or(|from| date >= from) && covering.until.is_none_or(|until| date < until)
            })
        };
        self.permissions.iter().filter(holds).find(|covering| covering.prefix.matches(&candidate.surt))
    }

    fn meant(&self, covering: Option<&Covering>) -> bool {
        match covering {
            Some(covering) => self.rule.states.contains(&covering.permission.state),
            None => self.rule.uncovered,
        }
    }
}

impl DecideRule for CompiledPermission {
    fn name(&self) -> &'static str {
        "PermissionDecideRule"
    }

    fn words(&self) -> String {
        let states: Vec<String> = self.rule.states.iter().map(|state| state.word().to_owned()).collect();
        let also = if self.rule.uncovered { ", or without one" } else { "" };
        format!("{} URLs with {}{also}", verb(self.rule.decision), listed(&states, "a permission", "a permission"))
    }

    fn decide(&self, candidate: &Candidate, facts: &Facts) -> Option<Decision> {
        self.meant(self.covering(candidate, facts)).then_some(self.rule.decision)
    }

    fn tested(&self, candidate: &Candidate, facts: &Facts) -> String {
        let Some(Covering { prefix, permission, .. }) = self.covering(candidate, facts) else {
            return "no permission covers it".to_owned();
        };
        let mut words = format!("{} for {prefix}", permission.state.word());
        for (name, text) in [("licence", &permission.licence), ("evidence", &permission.evidence)] {
            if !text.is_empty() {
                words.push_str(&format!(", {name} {text}"));
            }
        }
        words
    }

    fn changes(&self, candidate: &Candidate, facts: &Facts, wanted: Option<Decision>) -> Vec<Change> {
        let covering = self.covering(candidate, facts);
        let meant = self.meant(covering);
        let fits = match wanted {
            None => meant,
            Some(wanted) => !meant && wanted == self.rule.decision,
        };
        if !fits {
            return Vec::new();
        }
        let mut rule = self.rule.clone();
        let words = match covering {
            Some(covering) => {
                let state = covering.permission.state;
                if meant {
                    rule.states.retain(|listed| *listed != state);
                    format!("take “{}” out of the states of permissions", state.word())
                } else {
                    rule.states.push(state);
                    format!("add “{}” to the states of permissions", state.word())
                }
            }
            None => {
                rule.uncovered = !meant;
                let verb = if meant { "leave out" } else { "take in" };
                format!("{verb} URLs that no permission covers")
            }
        };
        vec![Change { words, edit: Edit::Entry(RuleKind::Permission(rule)) }]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::candidate;
    use super::*;

    fn permission(covers: &str, state: PermissionState, until: &str) -> Permission {
        Permission {
            covers: covers.to_owned(),
            state,
            licence: "Open Government".to_owned(),
            evidence: "letter 12".to_owned(),
            from: String::new(),
            until: until.to_owned(),
        }
    }

    #[test]
    fn the_closest_permission_that_holds_counts() {
        use PermissionState::{Granted, Refused};
        let permissions = [
            permission("http://fct.pt", Granted, ""),
            permission("http://fct.pt/privado/", Refused, ""),
            permission("(pt,ria,", Granted, "2024-03-01"),
        ];
        let rule = PermissionRule { states: vec![Granted], uncovered: false, decision: Decision::Accept };
        let granted = rule.compile(&permissions).unwrap();
        let others = PermissionRule { states: vec![Refused], uncovered: true, decision: Decision::Reject };
        let others = others.compile(&permissions).unwrap();
        let (accept, reject) = (Some(Decision::Accept), Some(Decision::Reject));
        for (url, date, by_granted, by_others) in [
            ("http://fct.pt/a", "2024-01-01", accept, None),
            ("https://www.fct.pt/a", "2024-01-01", accept, None),
            ("http://fct.pt/privado/a", "2024-01-01", None, reject),
            ("http://ria.pt/", "2024-02-29", accept, None),
            ("http://ria.pt/", "2024-03-01", None, reject),
            ("http://example.com/", "2024-01-01", None, reject),
        ] {
            let facts = Facts { date: Some(CaptureDate::parse(date).unwrap()), ..Facts::default() };
            let candidate = candidate(url, "L");
            assert_eq!(granted.decide(&candidate, &facts), by_granted, "{url} {date}");
            assert_eq!(others.decide(&candidate, &facts), by_others, "{url} {date}");
        }
        let told = granted.tested(&candidate("http://fct.pt/a", "L"), &Facts::default());
        assert_eq!(told, "granted for http://(pt,fct,, licence Open Government, evidence letter 12");
    }

    #[test]
    fn a_permission_that_makes_no_sense_is_named() {
        let rule = PermissionRule { states: Vec::new(), uncovered: false, decision: Decision::Accept };
        for (covers, until) in [("???", ""), ("http://fct.pt/", "soon")] {
            let error = rule.compile(&[permission(covers, PermissionState::Granted, until)]).unwrap_err();
            assert!(error.starts_with("permission 1"), "{error}");
        }
    }
}
