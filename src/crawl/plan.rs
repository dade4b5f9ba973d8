//! The plan of a running crawl, which is replaced as a whole while it runs.
//!
//! A worker takes the plan once for each URL: what it decides of that URL, how
//! long the host is left alone and the priority of its links come from
//! one plan. A plan that is replaced counts from the next URL on.
//!
//! As a launch begins it is, whatever plan comes: the User-Agent, private
//! addresses that are allowed, the number of workers, whether hosts are left
//! alone at all, and the room that stays free on the disk.

use super::priority::Priorities;
use crate::campaign::{Campaign, Seed};
use crate::crawl::frontier::politeness::Delays;
use crate::scope::{Candidate, DecideRules, ScopeError};
use crate::uri::Url;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

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
    /// Priorities of the URLs of a host.
    pub priorities: Priorities,
    /// How many plans were replaced before it. Plans of one generation differ in
    /// what seeds redirected to only.
    generation: u64,
}

impl Plan {
    /// A version of a campaign, with its rules.
    pub fn new(campaign: Campaign, version: u32, rules: DecideRules) -> Self {
        let delays = Delays::of(&campaign.politeness);
        let (campaign, priorities) = (Arc::new(campaign), Priorities::default());
        Self { campaign, version, rules, delays, priorities, generation: 0 }
    }

    /// Whether what waits was decided by another plan.
    pub(super) fn is_replacement(&self) -> bool {
        self.generation > 0
    }

    /// A URL that was found under another plan, as this one has its seed.
    pub(super) fn adopt(&self, mut candidate: Candidate) -> Candidate {
        let seed = self.campaign.seeds.iter().find(|seed| Some(&seed.url) == candidate.seed.as_ref());
        candidate.is_seed &= seed.is_some();
        if let Some(seed) = seed {
            candidate.source_tag.clone_from(&seed.source_tag);
        }
        candidate
    }

    /// Adds the redirect target of a seed, which counts as that seed.
    fn with_met(&self, (seed, target): &MetSeed) -> Result<Self, ScopeError> {
        let Some(seed) = self.campaign.seeds.iter().find(|of| of.url == *seed) else { return Ok(self.clone()) };
        let met = Seed { url: target.to_string(), ..seed.clone() };
        Ok(Self { rules: self.rules.with_met(&[met])?, ..self.clone() })
    }
}

/// A seed as it was typed, and a URL that it redirected to.
type MetSeed = (String, Url);

/// The plan that counts now. Shared by the crawl and whoever steers it.
pub struct CurrentPlan(RwLock<PlanState>);

struct PlanState {
    plan: Arc<Plan>,
    /// The redirect targets of the seeds of any plan in this launch.
    met: Vec<MetSeed>,
}

impl CurrentPlan {
    /// Begins with this plan.
    pub fn new(plan: Plan) -> Self {
        Self(RwLock::new(PlanState { plan: Arc::new(plan), met: Vec::new() }))
    }

    /// The plan for the next URL.
    pub fn now(&self) -> Arc<Plan> {
        Arc::clone(&self.read().plan)
    }

    /// A plan with what seeds redirected to since it was taken.
    pub(super) fn widened(&self, plan: &Arc<Plan>) -> Arc<Plan> {
        let now = self.now();
        if now.generation == plan.generation { now } else { Arc::clone(plan) }
    }

    /// Replaces the plan. What waits is decided by it when its turn comes; where
    /// its version is another, what was refused when it was found is decided again
    /// at once. What the seeds redirected to before stays a seed.
    ///
    /// # Errors
    ///
    /// A rule that cannot be compiled with those; the plan stays as it was.
    pub fn replace(&self, plan: Plan) -> Result<(), ScopeError> {
        let mut state = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let plan = state.met.iter().try_fold(plan, |plan, met| plan.with_met(met))?;
        state.plan = Arc::new(Plan { generation: state.plan.generation + 1, ..plan });
        Ok(())
    }

    /// Lets what a seed redirected to count as that seed, in the plan that
    /// counts now; gives `plan` with it, for the current URL.
    pub(super) fn add_met_seed(&self, plan: &Arc<Plan>, seed: &str, target: &Url) -> Result<Arc<Plan>, ScopeError> {
        let met = (seed.to_owned(), target.clone());
        let mut state = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if !state.met.contains(&met) {
            state.plan = Arc::new(state.plan.with_met(&met)?);
            state.met.push(met.clone());
        }
        match state.plan.generation == plan.generation {
            true => Ok(Arc::clone(&state.plan)),
            false => Ok(Arc::new(plan.with_met(&met)?)),
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, PlanState> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}
