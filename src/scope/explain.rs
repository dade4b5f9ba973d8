//! Why a URL is taken or refused, rule by rule, and what would turn it.

use super::decide_rules::{CompiledRule, DecideRules};
use super::rules::{Change, Edit, Rule, RuleKind, SurtPrefix};
use super::{Candidate, Decision, Facts, GeoFact, Trace, TraceStep, rule_label};
use crate::campaign::Campaign;
use crate::uri::ScopePrefix;
use std::sync::Arc;

impl DecideRules {
    /// Traces what every rule tested and decided, with the smallest change that
    /// would reverse the verdict. A change is offered only after it was tried out
    /// on these very rules.
    pub fn explain(&self, candidate: &Candidate, facts: &Facts) -> Trace {
        self.explain_with_remedy(candidate, facts).0
    }

    /// Explains as [`Self::explain`] does, and gives the change, so that it can be made.
    pub fn explain_with_remedy(&self, candidate: &Candidate, facts: &Facts) -> (Trace, Option<Remedy>) {
        let verdict = self.decide(candidate, facts);
        let mut current = None;
        let mut steps = Vec::with_capacity(self.rules.len());
        for (index, compiled) in self.rules.iter().enumerate() {
            let applies = compiled.applies(current);
            let opinion = if applies { compiled.test.decide(candidate, facts) } else { None };
            let tested = if compiled.rule.enabled && !applies {
                "skipped: it could only repeat the decision".to_owned()
            } else {
                compiled.test.tested(candidate, facts)
            };
            current = opinion.or(current);
            steps.push(TraceStep {
                index,
                name: compiled.test.name().to_owned(),
                words: compiled.test.summary(),
                enabled: compiled.rule.enabled,
                tested,
                opinion,
                deciding: verdict.rule_index == Some(index),
            });
        }
        let remedy = self.remedy(candidate, facts);
        let summary = remedy.as_ref().map(|remedy| remedy.summary.clone());
        (Trace { url: candidate.url.to_string(), steps, verdict, remedy: summary }, remedy)
    }

    /// The smallest change that reverses the verdict. It was tried out on these
    /// very rules and this candidate.
    pub fn remedy(&self, candidate: &Candidate, facts: &Facts) -> Option<Remedy> {
        let target = match self.decide_by_index(candidate, facts).0 {
            Decision::Accept => Decision::Reject,
            Decision::Reject => Decision::Accept,
        };
        let mut offers = self.offers(candidate, facts, target);
        // Stable: of equals the one nearest to the decision comes first.
        offers.sort_by_key(|offer| offer.cost);
        let offered_remedy = |offer: &Offer| {
            let (rules, facts) = self.after(offer, facts)?;
            let is_reversed = rules.decide_by_index(candidate, &facts).0 == target;
            is_reversed.then(|| Remedy { summary: capital(&offer.summary), rules, facts })
        };
        // A rule more is larger than two small changes.
        let (grown, small): (Vec<_>, Vec<_>) = offers.iter().partition(|offer| offer.cost == Cost::NewRule);
        let single = |offers: Vec<&Offer>| offers.into_iter().find_map(offered_remedy);
        single(small).or_else(|| self.remedy_together(candidate, facts, target)).or_else(|| single(grown))
    }

    /// Every single change that might do.
    fn offers(&self, candidate: &Candidate, facts: &Facts, target: Decision) -> Vec<Offer> {
        let mut offers = Vec::new();
        for (index, compiled) in self.rules.iter().enumerate().rev() {
            let opinion = compiled.test.decide(candidate, facts);
            if !compiled.rule.enabled {
                if opinion == Some(target) {
                    offers.push(Offer::switch(index, compiled, true));
                }
                continue;
            }
            let goal = if opinion.is_some_and(|opinion| opinion != target) { None } else { Some(target) };
            let changes = compiled.test.changes(candidate, facts, goal);
            offers.extend(changes.into_iter().map(|change| Offer::change(index, compiled, change)));
            if goal.is_none() && (compiled.is_refusals || compiled.test.only_decision().is_none()) {
                offers.push(Offer::switch(index, compiled, false));
            }
            if let (RuleKind::Geolocation(rule), Some(_)) = (&compiled.rule.kind, goal) {
                offers.extend(geo_offer(index, rule, facts, target));
            }
        }
        let prefix = ScopePrefix::implied_by_seed(candidate.url.as_str()).to_string();
        let verb = if target == Decision::Accept { "accepts" } else { "rejects" };
        let kind = RuleKind::SurtPrefix(SurtPrefix {
            prefixes: vec![prefix.clone()],
            decision: target,
            also_check_via: false,
        });
        offers.push(Offer {
            cost: Cost::NewRule,
            summary: format!("add a rule at the end that {verb} the prefix {prefix}"),
            index: self.own_len(),
            step: Step::Append(kind),
        });
        offers
    }

    /// Changes two rules, where no single change is enough.
    fn remedy_together(&self, candidate: &Candidate, facts: &Facts, target: Decision) -> Option<Remedy> {
        let (mut rules, mut facts, mut summaries) = (self.clone(), facts.clone(), Vec::new());
        for _ in 0..2 {
            let index = rules.decide(candidate, &facts).rule_index?;
            let compiled = rules.rules.get(index)?;
            let change = compiled.test.changes(candidate, &facts, None).into_iter().next();
            let offer = match change {
                Some(change) => Offer::change(index, compiled, change),
                None => Offer::switch(index, compiled, false),
            };
            (rules, facts) = rules.after(&offer, &facts)?;
            summaries.push(offer.summary);
        }
        let is_reversed = rules.decide_by_index(candidate, &facts).0 == target;
        is_reversed.then(|| Remedy { summary: capital(&summaries.join("; and ")), rules, facts })
    }

    /// The rules and facts as they would be.
    fn after(&self, offer: &Offer, facts: &Facts) -> Option<(Self, Facts)> {
        let mut changed = self.clone();
        let rules = Arc::make_mut(&mut changed.rules);
        match &offer.step {
            Step::Switch(on) => Arc::make_mut(&mut rules.get_mut(offer.index)?.rule).enabled = *on,
            Step::Append(kind) => rules.insert(
                offer.index,
                CompiledRule::new(
                    Rule { enabled: true, comment: String::new(), kind: kind.clone() },
                    self.compile_kind(offer.index, kind, &self.seeds()).ok()?,
                ),
            ),
            Step::Edit(Edit::Number(kind) | Edit::Entry(kind)) => {
                let compiled = rules.get_mut(offer.index)?;
                let rule = Rule { kind: kind.clone(), ..(*compiled.rule).clone() };
                *compiled = CompiledRule::new(rule, self.compile_kind(offer.index, kind, &self.seeds()).ok()?);
            }
            Step::Edit(Edit::Seeds(seeds)) => changed = self.with_seeds(seeds.clone()).ok()?,
            Step::Edit(Edit::Fact(facts)) => return Some((changed, (**facts).clone())),
        }
        Some((changed, facts.clone()))
    }
}

/// A change that reverses a verdict.
#[derive(Debug, Clone)]
pub struct Remedy {
    /// The change as an instruction.
    pub summary: String,
    /// The rules after it.
    pub rules: DecideRules,
    /// The facts after it: those that were given, unless the change is one of
    /// the world outside (robots.txt would have to allow it).
    pub facts: Facts,
}

impl Remedy {
    /// The campaign with the change made; its other rules stay as they are
    /// written. The same campaign where only facts would have to change.
    pub fn apply(&self, campaign: &Campaign) -> Campaign {
        let mut changed = Campaign { seeds: self.rules.seeds().into_owned(), ..campaign.clone() };
        for (index, compiled) in self.rules.rules.iter().enumerate() {
            if compiled.is_refusals {
                changed.grounds.obey_refusals = compiled.rule.enabled;
                continue;
            }
            let written = changed.rules.get_mut(index);
            let before = written.as_deref().and_then(|value| Rule::read(value).ok());
            if before.as_ref() == Some(&*compiled.rule) {
                continue;
            }
            let value = serde_json::to_value(&*compiled.rule).unwrap_or_default();
            match written {
                Some(written) => *written = value,
                None => changed.rules.push(value),
            }
        }
        changed
    }
}

/// The cost of a change, from small to large.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cost {
    Number,
    Entry,
    Fact,
    Seeds,
    Switch,
    NewRule,
}

/// A change that might reverse the verdict.
struct Offer {
    cost: Cost,
    summary: String,
    index: usize,
    step: Step,
}

enum Step {
    Edit(Edit),
    Switch(bool),
    Append(RuleKind),
}

impl Offer {
    fn change(index: usize, compiled: &CompiledRule, change: Change) -> Self {
        let cost = match change.edit {
            Edit::Number(_) => Cost::Number,
            Edit::Entry(_) => Cost::Entry,
            Edit::Seeds(_) => Cost::Seeds,
            Edit::Fact(_) => Cost::Fact,
        };
        let summary = match change.edit {
            Edit::Number(_) | Edit::Entry(_) => {
                format!("in rule {index} ({}), {}", rule_label(compiled.test.name()), change.summary)
            }
            Edit::Seeds(_) | Edit::Fact(_) => change.summary,
        };
        Self { cost, summary, index, step: Step::Edit(change.edit) }
    }

    fn switch(index: usize, compiled: &CompiledRule, on: bool) -> Self {
        let summary =
            format!("switch {} rule {index} ({})", if on { "on" } else { "off" }, rule_label(compiled.test.name()));
        Self { cost: Cost::Switch, summary, index, step: Step::Switch(on) }
    }
}

/// Offers a lookup that nobody has made yet and that might give the target decision.
fn geo_offer(index: usize, rule: &super::rules::Geolocation, facts: &Facts, target: Decision) -> Option<Offer> {
    let country = rule.countries.first().filter(|_| rule.decision == target && facts.geo == GeoFact::NotQueried)?;
    let known = super::GeoEvidence {
        date: crate::uri::CaptureDate::default(),
        addresses: vec![super::AddressCountry::new(
            std::net::IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED),
            "",
            Some(country.clone()),
        )],
        database: String::new(),
        database_build: crate::uri::CaptureDate::default(),
        source: super::AnswerSource::default(),
    };
    let facts = Facts { geo: GeoFact::Known(known), ..facts.clone() };
    Some(Offer {
        cost: Cost::Fact,
        summary: format!("look up the country of its server: in {} the decision reverses", rule.countries.join(" or ")),
        index,
        step: Step::Edit(Edit::Fact(Box::new(facts))),
    })
}

fn capital(text: &str) -> String {
    if text.starts_with("robots.txt") {
        return text.to_owned();
    }
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
