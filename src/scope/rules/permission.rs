//! Rules on the permissions of rights holders and on legal grounds.

use super::{Change, DecideRule, Edit, RuleKind, listed, verb};
use crate::campaign::{Campaign, Grounds, PermissionState};
use crate::scope::permissions::{Basis, Permissions};
use crate::scope::{Candidate, Decision, Facts};
use crate::uri::{CaptureDate, Url};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Accepts or rejects URLs by what they may be collected on: the record of
/// the campaign's permissions that decides about them, or the campaign's
/// grounds, see [`Permissions`]. What the law covers counts as granted. With
/// `uncovered` the rule also decides on URLs that nothing covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PermissionRule {
    /// The states of permissions that the rule is about.
    pub states: Vec<PermissionState>,
    /// Whether URLs that nothing covers are meant too.
    #[serde(default)]
    pub uncovered: bool,
    /// The decision on such a URL.
    pub decision: Decision,
}

#[derive(Debug)]
pub(super) struct CompiledPermission {
    rule: PermissionRule,
    permissions: Arc<Permissions>,
}

impl PermissionRule {
    pub(super) fn compile(&self, permissions: Permissions) -> CompiledPermission {
        CompiledPermission { rule: self.clone(), permissions: Arc::new(permissions) }
    }
}

impl CompiledPermission {
    fn meant(&self, basis: Basis<'_>) -> bool {
        match basis.state() {
            Some(state) => self.rule.states.contains(&state),
            None => self.rule.uncovered,
        }
    }
}

impl DecideRule for CompiledPermission {
    fn name(&self) -> &'static str {
        "PermissionDecideRule"
    }

    fn summary(&self) -> String {
        let states: Vec<String> = self.rule.states.iter().map(|state| state.as_str().to_owned()).collect();
        let also = if self.rule.uncovered { ", or without one" } else { "" };
        format!("{} URLs with {}{also}", verb(self.rule.decision), listed(&states, "a permission", "a permission"))
    }

    fn decide(&self, candidate: &Candidate, facts: &Facts) -> Option<Decision> {
        self.meant(self.permissions.basis(candidate, facts)).then_some(self.rule.decision)
    }

    fn tested(&self, candidate: &Candidate, facts: &Facts) -> String {
        self.permissions.derive(candidate, facts).why
    }

    fn uses_geo(&self) -> bool {
        self.permissions.uses_geo()
    }

    fn wants_geo(&self, candidate: &Candidate, facts: &Facts) -> bool {
        self.permissions.wants_geo(candidate, facts)
    }

    fn changes(&self, candidate: &Candidate, facts: &Facts, target: Option<Decision>) -> Vec<Change> {
        let basis = self.permissions.basis(candidate, facts);
        let meant = self.meant(basis);
        let fits = match target {
            None => meant,
            Some(target) => !meant && target == self.rule.decision,
        };
        if !fits {
            return Vec::new();
        }
        let mut rule = self.rule.clone();
        let summary = match basis.state() {
            Some(state) => {
                if meant {
                    rule.states.retain(|listed| *listed != state);
                    format!("take “{}” out of the states of permissions", state.as_str())
                } else {
                    rule.states.push(state);
                    format!("add “{}” to the states of permissions", state.as_str())
                }
            }
            None => {
                rule.uncovered = !meant;
                let verb = if meant { "leave out" } else { "take in" };
                format!("{verb} URLs that no permission covers")
            }
        };
        vec![Change { summary, edit: Edit::Entry(RuleKind::Permission(rule)) }]
    }
}

/// The name in logs of the rule that obeys refusals.
pub const REFUSED_PERMISSION: &str = "RefusedPermissionDecideRule";

/// Rejects what a record of a permission refuses. No rule of the list: it
/// follows it where a campaign has such a record, and is switched off by
/// [`Grounds::obey_refusals`](crate::campaign::Grounds::obey_refusals).
/// Records are read strictly, whatever the campaign sets: of those that cover
/// a URL the one that covers the least decides, so that one that is granted
/// opens a part of what another refuses.
#[derive(Debug)]
pub struct Refusals(Permissions);

impl Refusals {
    /// The refusals of a campaign, obeyed or not; none where no record refuses anything.
    ///
    /// # Errors
    ///
    /// The record that makes no sense, and why.
    pub fn of_campaign(campaign: &Campaign) -> Result<Option<Self>, String> {
        if !campaign.has_refusals() {
            return Ok(None);
        }
        Permissions::compile(&campaign.permissions, &Grounds::default()).map(|permissions| Some(Self(permissions)))
    }

    /// Whether a URL is refused at this date.
    pub fn refuses(&self, url: &Url, date: CaptureDate) -> bool {
        let facts = Facts { date: Some(date), ..Facts::default() };
        self.decide(&Candidate::bare(url.clone()), &facts).is_some()
    }
}

impl DecideRule for Refusals {
    fn name(&self) -> &'static str {
        REFUSED_PERMISSION
    }

    fn summary(&self) -> String {
        format!("rejects what permissions refuse: {}", listed(&self.0.refused(), "the record for", "records"))
    }

    fn decide(&self, candidate: &Candidate, facts: &Facts) -> Option<Decision> {
        let basis = self.0.basis(candidate, facts);
        (basis.state() == Some(PermissionState::Refused)).then_some(Decision::Reject)
    }

    fn tested(&self, candidate: &Candidate, facts: &Facts) -> String {
        let derived = self.0.derive(candidate, facts);
        match derived.record {
            Some(record) => format!("permission {}: {}", record + 1, derived.why),
            None => "no permission covers it".to_owned(),
        }
    }

    fn only_decision(&self) -> Option<Decision> {
        Some(Decision::Reject)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::testing::candidate;
    use super::*;
    use crate::campaign::Permission;

    fn compiled(rule: &PermissionRule, permissions: &[Permission]) -> CompiledPermission {
        rule.compile(Permissions::compile(permissions, &Grounds::default()).unwrap())
    }

    fn permission(covers: &str, state: PermissionState, until: &str) -> Permission {
        Permission {
            covers: covers.to_owned(),
            state,
            licence: "Open Government".to_owned(),
            evidence: "letter 12".to_owned(),
            until: until.to_owned(),
            ..Permission::default()
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
        let granted = compiled(&rule, &permissions);
        let others = PermissionRule { states: vec![Refused], uncovered: true, decision: Decision::Reject };
        let others = compiled(&others, &permissions);
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
        let tested = granted.tested(&candidate("http://fct.pt/a", "L"), &Facts::default());
        assert_eq!(tested, "granted, licence Open Government, evidence letter 12, inherited from http://fct.pt");
    }

    #[test]
    fn a_permission_that_makes_no_sense_is_named() {
        for (covers, until) in [("???", ""), ("http://fct.pt/", "soon")] {
            let permissions = [permission(covers, PermissionState::Granted, until)];
            let error = Permissions::compile(&permissions, &Grounds::default()).unwrap_err();
            assert!(error.starts_with("permission 1"), "{error}");
        }
    }
}
