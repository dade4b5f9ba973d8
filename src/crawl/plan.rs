//! The plan of a running crawl, which is replaced as a whole while it runs.
//!
//! A worker takes the plan once for each URL: what it decides of that URL and how
//! long the host is left alone come from one plan. A plan that is replaced counts
//! from the next URL on; the links of a page are decided by the one that counts
//! when they are stored.
//!
//! As a launch begins it is, whatever plan comes: the User-Agent, private
//! addresses that are allowed, the number of workers, whether hosts are left
//! alone at all, and the room that stays free on the disk.

use super::priority::{Place, place_by_hops, place_by_relevance};
use super::relevance::guide::{Linker, RequestGuide};
use crate::campaign::{Campaign, CrawlOrder, Seed};
use crate::crawl::frontier::politeness::Delays;
use crate::scope::{Candidate, DecideRules, ScopeError};
use crate::uri::{CaptureDate, Url};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A campaign as it is crawled.
#[derive(Clone)]
pub struct Plan {
    /// Seeds, robots policy, limits, retries.
    pub campaign: Arc<Campaign>,
    /// Its version.
    pub version: u32,
    /// Its rules; what its seeds redirected to in this launch are seeds.
    pub rules: DecideRules,
    /// How long hosts are left alone.
    pub delays: Delays,
    /// What the queue is ordered by; none where it goes by hops alone.
    pub(super) guide: Option<Arc<RequestGuide>>,
    /// How many plans were replaced before it. Plans of one generation differ in
    /// what seeds redirected to only.
    generation: u64,
    /// Positions of the seeds by their URLs as typed, of equal ones the first.
    seeds: Arc<HashMap<String, usize>>,
    /// Pages of sources, which are seeds of this launch alone, by their URLs.
    of_sources: Arc<HashMap<String, Seed>>,
}

impl Plan {
    /// A version of a campaign, with its rules.
    pub fn new(campaign: Campaign, version: u32, rules: DecideRules) -> Self {
        let delays = Delays::of(&campaign.politeness);
        let seeds = campaign.seeds.iter().enumerate().rev();
        let seeds = Arc::new(seeds.map(|(position, seed)| (seed.url.clone(), position)).collect());
        let guide = RequestGuide::of(&campaign).map(Arc::new);
        Self {
            campaign: Arc::new(campaign),
            version,
            rules,
            delays,
            guide,
            generation: 0,
            seeds,
            of_sources: Arc::default(),
        }
    }

    /// How many plans were replaced before it: where there are any, what waits
    /// was decided by another one.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    /// The order that the queue has: without words to look for, hosts come in turn.
    pub fn order(&self) -> CrawlOrder {
        match (self.campaign.order, &self.guide) {
            (CrawlOrder::Relevance, None) => CrawlOrder::RoundRobin,
            (order, _) => order,
        }
    }

    /// The place of a URL in the queue of its host, by the page that it was found on.
    pub(super) fn place(&self, candidate: &Candidate, linker: &Linker<'_>) -> Place {
        match &self.guide {
            Some(guide) => place_by_relevance(guide, candidate, linker),
            None => place_by_hops(&candidate.hops),
        }
    }

    /// The seed with this URL, as typed.
    fn seed(&self, url: &str) -> Option<&Seed> {
        match self.seeds.get(url) {
            Some(position) => self.campaign.seeds.get(*position),
            None => self.of_sources.get(url),
        }
    }

    /// Adds pages of sources, which are seeds from now on.
    fn with_sources(&self, pages: &[Seed]) -> Result<Self, ScopeError> {
        let rules = self.rules.with_met(pages)?;
        let mut of_sources = HashMap::clone(&self.of_sources);
        of_sources.extend(pages.iter().map(|seed| (seed.url.clone(), seed.clone())));
        Ok(Self { rules, of_sources: Arc::new(of_sources), ..self.clone() })
    }

    /// A URL that was found under another plan, as this one has its seed.
    pub(super) fn adopt(&self, mut candidate: Candidate) -> Candidate {
        let seed = candidate.seed.as_deref().and_then(|url| self.seed(url));
        candidate.is_seed &= seed.is_some();
        if let Some(seed) = seed {
            candidate.source_tag.clone_from(&seed.source_tag);
        }
        candidate
    }

    /// Adds redirect targets of seeds, each of which counts as its seed.
    fn with_met(&self, met: &[MetSeed]) -> Result<Self, ScopeError> {
        let of_seed = |(seed, target): &MetSeed| Some(Seed { url: target.to_string(), ..self.seed(seed)?.clone() });
        let seeds: Vec<Seed> = met.iter().filter_map(of_seed).collect();
        Ok(Self { rules: self.rules.with_met(&seeds)?, ..self.clone() })
    }
}

/// A seed as it was typed, and a URL that it redirected to.
pub(super) type MetSeed = (String, Url);

/// A version of the campaign that took the place of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlanChange {
    pub from: u32,
    pub to: u32,
    pub since: CaptureDate,
}

/// The plan that counts now. Shared by the crawl and whoever steers it.
pub struct CurrentPlan(RwLock<PlanState>);

struct PlanState {
    plan: Arc<Plan>,
    /// The redirect targets of the seeds of any plan in this launch, in order.
    met: Vec<MetSeed>,
    known: HashSet<MetSeed>,
    /// Pages of sources, in order.
    of_sources: Vec<Seed>,
    /// Those after which what was refused is not decided again yet, in order.
    changes: Vec<PlanChange>,
    /// Hosts that a person had come in their turn, whatever their pages are.
    spared: Vec<Arc<str>>,
}

impl CurrentPlan {
    /// Begins with this plan.
    pub fn new(plan: Plan) -> Self {
        let (met, known, of_sources, changes) = (Vec::new(), HashSet::new(), Vec::new(), Vec::new());
        let spared = Vec::new();
        Self(RwLock::new(PlanState { plan: Arc::new(plan), met, known, of_sources, changes, spared }))
    }

    /// The plan for the next URL.
    pub fn now(&self) -> Arc<Plan> {
        Arc::clone(&self.read().plan)
    }

    /// Has a host that rests come in its turn again, for as long as this launch runs.
    pub fn spare(&self, authority: &str) {
        let mut state = self.write();
        if !state.spared.iter().any(|host| &**host == authority) {
            state.spared.push(authority.into());
        }
    }

    /// Hosts that come in their turn, whatever their pages are.
    pub(super) fn spared(&self) -> Vec<Arc<str>> {
        self.read().spared.clone()
    }

    /// Replaces the plan. What waits is decided by it when its turn comes; where
    /// its version is another, what was refused when it was found is decided again
    /// at once. What the seeds redirected to before stays a seed.
    ///
    /// # Errors
    ///
    /// A rule that cannot be compiled with those; the plan stays as it was.
    pub fn replace(&self, plan: Plan) -> Result<(), ScopeError> {
        let mut state = self.write();
        let plan = plan.with_sources(&state.of_sources)?.with_met(&state.met)?;
        let (from, to, since) = (state.plan.version, plan.version, CaptureDate::now());
        if from != to {
            state.changes.push(PlanChange { from, to, since });
        }
        if let (Some(guide), Some(before)) = (&plan.guide, &state.plan.guide)
            && !Arc::ptr_eq(guide, before)
        {
            guide.follow(before);
        }
        state.plan = Arc::new(Plan { generation: state.plan.generation + 1, ..plan });
        Ok(())
    }

    /// Whether what was refused was decided by a version before.
    pub(super) fn has_changed(&self) -> bool {
        !self.read().changes.is_empty()
    }

    /// The plan, and the changes after which what was refused is not decided again yet.
    pub(super) fn changes(&self) -> (Arc<Plan>, Vec<PlanChange>) {
        let state = self.read();
        (Arc::clone(&state.plan), state.changes.clone())
    }

    /// What was refused is decided again after the first `count` changes.
    pub(super) fn take_changes(&self, count: usize) {
        self.write().changes.drain(..count);
    }

    /// Lets what seeds redirected to count as those seeds from now on.
    pub(super) fn add_met_seeds(&self, mut met: Vec<MetSeed>) -> Result<(), ScopeError> {
        let mut state = self.write();
        met.retain(|met| !state.known.contains(met));
        if !met.is_empty() {
            state.plan = Arc::new(state.plan.with_met(&met)?);
            state.known.extend(met.iter().cloned());
            state.met.append(&mut met);
        }
        Ok(())
    }

    /// Lets pages of sources count as seeds from now on.
    pub(super) fn add_source_seeds(&self, mut seeds: Vec<Seed>) -> Result<(), ScopeError> {
        let mut state = self.write();
        if !seeds.is_empty() {
            state.plan = Arc::new(state.plan.with_sources(&seeds)?);
            state.of_sources.append(&mut seeds);
        }
        Ok(())
    }

    fn read(&self) -> RwLockReadGuard<'_, PlanState> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, PlanState> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}
