//! The rules of a campaign, ready to decide.

use super::rules::{DecideRule, Geolocation, Ground, PermissionRule, Refusals, Rule, RuleKind, RuleRemark};
use super::{Candidate, Decision, Facts, GeoFact, Verdict};
use crate::campaign::{Campaign, CampaignProblem, Grounds, Permission, PermissionState, Seed, SeedScope};
use crate::uri::{CaptureDate, parse_web_url};
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;

/// A mistake in a rule of a campaign.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("rule {index} ({rule}): {why}")]
pub struct ScopeError {
    /// Index of the rule, from 0.
    pub index: usize,
    /// Its saved name, where it has one.
    pub rule: String,
    /// The mistake, and what to write instead.
    pub why: String,
}

/// The name in logs of a verdict that no rule gave.
pub const NO_RULE: &str = "DecideRuleSequence";

/// The compiled rules of a campaign, in order. A copy costs next to nothing.
#[derive(Debug, Clone)]
pub struct DecideRules {
    pub(super) rules: Arc<Vec<CompiledRule>>,
    seeds: Arc<Vec<Seed>>,
    /// Seeds that a launch met on the way. Each block has more than all behind it
    /// together, so that one more copies few of them.
    met: Vec<Arc<Vec<Seed>>>,
    permissions: Arc<Vec<Permission>>,
    grounds: Arc<Grounds>,
}

#[derive(Debug, Clone)]
pub(super) struct CompiledRule {
    pub(super) rule: Arc<Rule>,
    pub(super) test: Arc<dyn DecideRule>,
    /// The only decision that it can make, if there is but one.
    pub(super) only: Option<Decision>,
    /// Whether it obeys refusals: no rule of the campaign's list, but the last
    /// one behind it.
    pub(super) is_refusals: bool,
}

/// The parts of a candidate and its facts that only some rules read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Needs {
    /// The page that led to it.
    pub via: bool,
    /// The seed it descends from.
    pub seed: bool,
    /// The word of that seed.
    pub source_tag: bool,
    /// Whether the link says nofollow.
    pub nofollow: bool,
    /// When it is decided.
    pub date: bool,
}

/// Bytes that the compiled patterns of all rules of a campaign may take.
const MAX_PATTERN_BYTES: usize = 128 << 20;

impl DecideRules {
    /// Compiles the rules of a campaign with its seeds. Switched off rules are
    /// compiled too, so that a mistake shows before they are switched on. Where
    /// a record of a permission refuses something, a rule that rejects it
    /// comes after them.
    pub fn compile(campaign: &Campaign) -> Result<Self, ScopeError> {
        let mut rules = Vec::with_capacity(campaign.rules.len());
        let mut pattern_bytes = 0;
        for (index, value) in campaign.rules.iter().enumerate() {
            let ground =
                Ground { seeds: &campaign.seeds, permissions: &campaign.permissions, grounds: &campaign.grounds };
            let rule: CompiledRule = compile_rule(index, value, ground)?;
            pattern_bytes += rule.test.pattern_bytes();
            if pattern_bytes > MAX_PATTERN_BYTES {
                let why = format!(
                    "the patterns of the rules up to this one take more than {} MiB of memory; \
                     write fewer or simpler ones",
                    MAX_PATTERN_BYTES >> 20
                );
                return Err(ScopeError { index, rule: saved_name(&rule.rule.kind), why });
            }
            rules.push(rule);
        }
        rules.extend(refusals(campaign)?);
        Ok(Self {
            rules: Arc::new(rules),
            seeds: Arc::new(campaign.seeds.clone()),
            met: Vec::new(),
            permissions: Arc::new(campaign.permissions.clone()),
            grounds: Arc::new(campaign.grounds.clone()),
        })
    }

    /// Adds seeds, for seeds that redirect elsewhere: what they redirect to counts
    /// as a seed too. The texts of rules stay.
    pub fn with_met(&self, seeds: &[Seed]) -> Result<Self, ScopeError> {
        let mut wider = self.clone();
        if seeds.is_empty() {
            return Ok(wider);
        }
        let mut newest = seeds.to_vec();
        while let Some(block) = wider.met.pop_if(|block| block.len() <= newest.len()) {
            newest.splice(..0, block.iter().cloned());
        }
        wider.met.push(Arc::new(newest));
        for (index, compiled) in Arc::make_mut(&mut wider.rules).iter_mut().enumerate() {
            if let Some(test) = compiled.test.with_met(&wider.met) {
                let rule = saved_name(&compiled.rule.kind);
                *compiled = compiled.with_test(test.map_err(|why| ScopeError { index, rule, why })?);
            }
        }
        Ok(wider)
    }

    /// Replaces the seeds.
    pub(super) fn with_seeds(&self, seeds: Vec<Seed>) -> Result<Self, ScopeError> {
        let mut changed = self.clone();
        for (index, compiled) in Arc::make_mut(&mut changed.rules).iter_mut().enumerate() {
            if matches!(compiled.rule.kind, RuleKind::SeedScope(_)) {
                *compiled = compiled.with_test(self.compile_kind(index, &compiled.rule.kind, &seeds)?);
            }
        }
        (changed.seeds, changed.met) = (Arc::new(seeds), Vec::new());
        Ok(changed)
    }

    /// Remarks for a person who writes the rules, by rule. Those with a hint are
    /// mistakes.
    pub fn remarks(&self) -> impl Iterator<Item = (usize, RuleRemark)> {
        let rules = self.rules.iter().enumerate().filter(|(_, compiled)| compiled.rule.enabled);
        rules.flat_map(|(index, compiled)| compiled.test.remarks().into_iter().map(move |remark| (index, remark)))
    }

    /// Problems of rules and permissions that can be read:
    /// entries that do nothing, and seeds that a permission refuses at
    /// `now`. Where it refuses all of them, no crawl can start.
    pub fn problems(&self, now: CaptureDate) -> Vec<CampaignProblem> {
        let wrong = self.remarks().filter_map(|(index, remark)| {
            let (field, hint) = (format!("rules[{index}].{}", remark.field), remark.hint?);
            Some(CampaignProblem { field, what: remark.what, hint, stops_crawl: false, is_error: false })
        });
        let mut problems: Vec<CampaignProblem> = wrong.collect();
        let Some(refusals) = self.rules.iter().rev().find(|rule| rule.is_refusals && rule.rule.enabled) else {
            return problems;
        };
        let facts = Facts { date: Some(now), ..Facts::default() };
        let (mut refused, mut others) = (Vec::new(), 0);
        for (position, seed) in self.seeds.iter().enumerate() {
            let Some(url) = parse_web_url(&seed.url) else { continue };
            let candidate = Candidate { is_seed: true, ..Candidate::bare(url) };
            match refusals.test.decide(&candidate, &facts) {
                Some(Decision::Reject) => refused.push((position, refusals.test.tested(&candidate, &facts))),
                _ => others += 1,
            }
        }
        problems.extend(refused.into_iter().map(|(position, why)| {
            CampaignProblem {
                field: format!("seeds[{position}].url"),
                what: format!("{} must not be crawled ({why})", self.seeds[position].url.trim()),
                hint: "take the seed out, correct the permission, or let crawls pass over refusals \
                   (\"grounds\": {\"obey_refusals\": false})"
                    .to_owned(),
                stops_crawl: others == 0,
                is_error: true,
            }
        }));
        problems
    }

    /// The number of rules in the campaign's own list: without the one that
    /// obeys refusals.
    pub(super) fn own_len(&self) -> usize {
        self.rules.iter().filter(|rule| !rule.is_refusals).count()
    }

    /// The number of rules, switched off ones included.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there is no rule, which rejects everything.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Index, name in logs, words and switch of every rule, in order.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &'static str, String, bool)> {
        let rules = self.rules.iter().enumerate();
        rules.map(|(index, rule)| (index, rule.test.name(), rule.test.summary(), rule.rule.enabled))
    }

    /// Accept or reject, by the rule that spoke last; without an opinion, reject.
    ///
    /// As in Heritrix a rule with only one possible opinion is skipped while
    /// that is the current decision.
    pub fn decide(&self, candidate: &Candidate, facts: &Facts) -> Verdict {
        match self.last_opinion(candidate, facts) {
            Some((index, decision)) => {
                let name = self.rules.get(index).map_or(NO_RULE, |rule| rule.test.name());
                Verdict { decision, rule_index: Some(index), rule_name: name.to_owned() }
            }
            None => Verdict { decision: Decision::Reject, rule_index: None, rule_name: NO_RULE.to_owned() },
        }
    }

    fn last_opinion(&self, candidate: &Candidate, facts: &Facts) -> Option<(usize, Decision)> {
        let mut current: Option<(usize, Decision)> = None;
        for (index, compiled) in self.rules.iter().enumerate() {
            if !compiled.applies(current.map(|(_, decision)| decision)) {
                continue;
            }
            if let Some(decision) = compiled.test.decide(candidate, facts) {
                current = Some((index, decision));
            }
        }
        current
    }

    /// Whether to look up the country of the server: it is not known yet, and
    /// some country would reverse the decision.
    pub fn needs_geo(&self, candidate: &Candidate, facts: &Facts) -> bool {
        if facts.geo != GeoFact::NotQueried || !self.uses_geo() {
            return false;
        }
        let last = self.last_opinion(candidate, facts);
        let (from, decision) = last.map_or((0, Decision::Reject), |(index, decision)| (index + 1, decision));
        // A rule about permissions can also take back its own opinion.
        let mut speaking = self.rules.iter().skip(from.saturating_sub(1)).filter(|compiled| compiled.rule.enabled);
        if speaking.any(|compiled| compiled.test.wants_geo(candidate, facts)) {
            return true;
        }
        // Only a rule behind the last opinion, with another one, can reverse it.
        let after = self.rules.get(from..).unwrap_or_default().iter().filter_map(CompiledRule::geolocation);
        let mut turning = after.filter(|rule| rule.decision != decision).flat_map(|rule| &rule.countries);
        turning.any(|country| {
            let there = self.last_opinion_in(candidate, facts, country);
            there.map_or(Decision::Reject, |(_, decision)| decision) != decision
        })
    }

    /// The last opinion if the server were in `country`.
    fn last_opinion_in(&self, candidate: &Candidate, facts: &Facts, country: &str) -> Option<(usize, Decision)> {
        let mut current: Option<(usize, Decision)> = None;
        for (index, compiled) in self.rules.iter().enumerate() {
            if !compiled.applies(current.map(|(_, decision)| decision)) {
                continue;
            }
            let opinion = match compiled.geolocation() {
                Some(rule) => rule.lists(country).then_some(rule.decision),
                None => compiled.test.decide(candidate, facts),
            };
            if let Some(decision) = opinion {
                current = Some((index, decision));
            }
        }
        current
    }

    /// Whether any rule that is switched on tests the country of a server.
    pub fn uses_geo(&self) -> bool {
        self.rules.iter().any(|compiled| compiled.rule.enabled && compiled.test.uses_geo())
    }

    /// The lists of countries that rules and grounds test.
    pub fn country_lists(&self) -> impl Iterator<Item = &[String]> {
        let of_rules = self.rules.iter().filter_map(|compiled| Some(compiled.geolocation()?.countries.as_slice()));
        of_rules.chain(std::iter::once(self.grounds.countries.as_slice()))
    }

    /// The seeds of the campaign, and behind them those that were met.
    pub(super) fn seeds(&self) -> Cow<'_, [Seed]> {
        match self.met.is_empty() {
            true => Cow::Borrowed(&self.seeds),
            false => std::iter::once(&self.seeds).chain(&self.met).flat_map(|block| block.iter().cloned()).collect(),
        }
    }

    /// Compiles a rule with these seeds and the other parts of the campaign.
    pub(super) fn compile_kind(
        &self,
        index: usize,
        kind: &RuleKind,
        seeds: &[Seed],
    ) -> Result<Arc<dyn DecideRule>, ScopeError> {
        compile_kind(index, kind, Ground { seeds, permissions: &self.permissions, grounds: &self.grounds })
    }

    /// A number that clones of these rules share and others do not have, while
    /// one of them exists.
    pub fn id(&self) -> usize {
        Arc::as_ptr(&self.rules).addr()
    }

    /// Whether any rule that is switched on tests what was fetched.
    pub fn uses_content(&self) -> bool {
        self.rules.iter().any(|compiled| compiled.rule.enabled && compiled.test.uses_content())
    }

    /// Whether any rule that is switched on reads marks and notes of captures.
    pub fn uses_annotations(&self) -> bool {
        self.rules.iter().any(|compiled| compiled.rule.enabled && compiled.test.uses_annotation())
    }

    /// The inputs that the rules which are switched on read.
    pub fn needs(&self) -> Needs {
        let mut needs = Needs::default();
        for compiled in self.rules.iter().filter(|compiled| compiled.rule.enabled) {
            match &compiled.rule.kind {
                RuleKind::SurtPrefix(rule) => needs.via |= rule.also_check_via,
                RuleKind::SeedScope(_) => {
                    let by_hops = |seed: &Seed| matches!(seed.scope, SeedScope::Resource | SeedScope::Plus1);
                    needs.seed |= self.seeds().iter().any(by_hops);
                }
                RuleKind::SourceTag(_) => needs.source_tag = true,
                RuleKind::Nofollow(_) => needs.nofollow = true,
                RuleKind::Permission(_) | RuleKind::ScheduleWindow(_) => needs.date = true,
                _ => {}
            }
        }
        needs
    }

    /// Every opinion that is spoken on the way to the verdict, in order.
    pub fn each_opinion(&self, candidate: &Candidate, facts: &Facts, mut on_opinion: impl FnMut(usize, Decision)) {
        let mut current = None;
        for (index, compiled) in self.rules.iter().enumerate() {
            if compiled.applies(current)
                && let Some(decision) = compiled.test.decide(candidate, facts)
            {
                on_opinion(index, decision);
                current = Some(decision);
            }
        }
    }

    /// Accept or reject, and the index of the rule that spoke last: as
    /// [`DecideRules::decide`], for callers with millions of candidates.
    pub fn decide_by_index(&self, candidate: &Candidate, facts: &Facts) -> (Decision, Option<usize>) {
        match self.last_opinion(candidate, facts) {
            Some((index, decision)) => (decision, Some(index)),
            None => (Decision::Reject, None),
        }
    }

    /// Name in logs of a rule, by its index; that of no rule where there is none.
    pub fn name_of(&self, index: Option<usize>) -> &'static str {
        index.and_then(|index| self.rules.get(index)).map_or(NO_RULE, |rule| rule.test.name())
    }
}

impl CompiledRule {
    /// Whether the rule runs at all after this decision of the rules before it.
    pub(super) fn applies(&self, current: Option<Decision>) -> bool {
        self.rule.enabled && (self.only.is_none() || self.only != current)
    }

    pub(super) fn new(rule: impl Into<Arc<Rule>>, test: Arc<dyn DecideRule>) -> Self {
        Self { rule: rule.into(), only: test.only_decision(), test, is_refusals: false }
    }

    /// Replaces the compiled test of the rule.
    fn with_test(&self, test: Arc<dyn DecideRule>) -> Self {
        Self { is_refusals: self.is_refusals, ..Self::new(Arc::clone(&self.rule), test) }
    }

    /// The rule, if it is one about countries that is switched on.
    fn geolocation(&self) -> Option<&Geolocation> {
        match &self.rule.kind {
            RuleKind::Geolocation(rule) if self.rule.enabled => Some(rule),
            _ => None,
        }
    }
}

/// The rule that obeys refusals, where there is any.
fn refusals(campaign: &Campaign) -> Result<Option<CompiledRule>, ScopeError> {
    let states = vec![PermissionState::Refused];
    let kind = RuleKind::Permission(PermissionRule { states, uncovered: false, decision: Decision::Reject });
    let rule = Rule { enabled: campaign.grounds.obey_refusals, comment: String::new(), kind };
    let wrong = |why| ScopeError { index: campaign.rules.len(), rule: saved_name(&rule.kind), why };
    let Some(refusals) = Refusals::of_campaign(campaign).map_err(wrong)? else { return Ok(None) };
    let compiled = CompiledRule::new(rule, Arc::new(refusals));
    Ok(Some(CompiledRule { is_refusals: true, ..compiled }))
}

fn compile_rule(index: usize, value: &Value, ground: Ground<'_>) -> Result<CompiledRule, ScopeError> {
    let name = value.get("rule").and_then(Value::as_str).unwrap_or("no name").to_owned();
    let rule = Rule::read(value).map_err(|error| ScopeError { index, rule: name, why: error.to_string() })?;
    let test = compile_kind(index, &rule.kind, ground)?;
    Ok(CompiledRule::new(rule, test))
}

fn compile_kind(index: usize, kind: &RuleKind, ground: Ground<'_>) -> Result<Arc<dyn DecideRule>, ScopeError> {
    kind.compile(ground).map_err(|why| ScopeError { index, rule: saved_name(kind), why })
}

/// The name of a rule as it is saved (`too_many_hops`).
fn saved_name(kind: &RuleKind) -> String {
    let value = serde_json::to_value(kind).unwrap_or_default();
    value.get("rule").and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::scope::standard_rules;
    use crate::uri::Url;

    fn seed(url: String, scope: SeedScope) -> Seed {
        Seed { url, scope, depth: None, source_tag: String::new() }
    }

    #[test]
    fn seeds_that_are_met_one_by_one_copy_few_of_those_before_and_reach_the_same() {
        let given = seed("http://given.pt/".to_owned(), SeedScope::Root);
        let campaign = Campaign { seeds: vec![given], rules: standard_rules(), ..Campaign::default() };
        let rules = DecideRules::compile(&campaign).unwrap();
        let met: Vec<Seed> = (0..1000)
            .map(|number| {
                let scope = [SeedScope::Root, SeedScope::Resource, SeedScope::Plus1][number % 3];
                seed(format!("http://met{number}.pt/"), scope)
            })
            .collect();
        let together = rules.with_met(&met).unwrap();
        let (mut wider, mut copied) = (rules, 0);
        for seed in &met {
            let before = wider.clone();
            wider = wider.with_met(std::slice::from_ref(seed)).unwrap();
            let is_new = |block: &&Arc<Vec<Seed>>| !before.met.iter().any(|old| Arc::ptr_eq(old, block));
            copied += wider.met.iter().filter(is_new).map(|block| block.len()).sum::<usize>();
        }
        assert!(copied <= 10 * met.len(), "{copied} copies of {} seeds", met.len());
        assert_eq!(wider.seeds(), together.seeds());
        assert!(wider.lines().eq(together.lines()));
        for number in 0..met.len() {
            for (path, hops) in [("", "R"), ("a", "RL"), ("a", "RE"), ("a", "RLL")] {
                let url = Url::parse(&format!("http://met{number}.pt/{path}")).unwrap();
                let seed = Some(format!("http://met{number}.pt/"));
                let candidate = Candidate { hops: hops.to_owned(), seed, ..Candidate::bare(url) };
                let decide = |rules: &DecideRules| rules.decide(&candidate, &Facts::default());
                assert_eq!(decide(&wider), decide(&together), "{} {hops}", candidate.url);
            }
        }
    }
}
