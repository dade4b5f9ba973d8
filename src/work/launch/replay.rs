//! What an order of the queue would have found on the pages that a trial read: the worth of a version.

use super::suggestions::{proposals_for, trial_of, with_proposal};
use super::trial_pages::{TrialPage, UnreadTrialPage, trial_pages, unread_pages, without_fragment};
use crate::analysis::ProposalKind;
use crate::campaign::{Campaign, CrawlOrder};
use crate::crawl::{Draws, Plan, ReplayPage, ReplayStart, replay};
use crate::jobs::JobCx;
use crate::scope::{DecideRules, Decision, Facts};
use crate::store::{LaunchLedger, Relevance, Workspace};
use crate::uri::{CaptureDate, parse_web_url};
use crate::work::Session;
use crate::work::models::{CampaignId, LaunchId};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::Arc;

/// Replays of one version, each with draws of its own: one alone says little.
const REPLAYS: u64 = 5;
/// Parts of all fetches, in percent, that are named.
const NAMED_PERCENT: [usize; 3] = [10, 25, 50];

/// Shares of the relevant pages that are found as pages are fetched.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HarvestCurve {
    /// What it is of, for people.
    pub label: String,
    /// The version of the campaign; none of one that is not saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<u32>,
    /// Shares found after 10, 25 and 50 % of the fetches.
    pub named: [f64; 3],
    /// The share found after each fetch, the mean of some replays.
    pub shares: Vec<f64>,
}

/// Curves of versions on the same pages.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct HarvestCurves {
    /// The trial: its 14 digits.
    pub launch: String,
    /// Pages that it read.
    pub pages: u64,
    /// Pages marked as relevant, which the shares are of.
    pub relevant: u64,
    /// The curves: the version of the trial, the newest one, and that with all words that are proposed.
    pub curves: Vec<HarvestCurve>,
    /// Pages whose records cannot be read: they are not among the pages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadTrialPage>,
}

/// What a person should know of curves.
pub const CURVE_REMARK: &str = "Relevant are the pages that were marked so, and proposals were made from the same \
    marks: a curve shows what was learned of these pages, and not yet what a crawl finds on others";

/// Replays the queue on the pages of a trial by the version that it ran, by the newest one, and with
/// all words that are proposed. No request is sent.
///
/// # Errors
///
/// No trial, no page that was marked as relevant, or a workspace that cannot be read.
pub fn harvest_curves(
    session: &Session,
    campaign: CampaignId,
    launch: Option<LaunchId>,
    cx: &JobCx,
) -> anyhow::Result<HarvestCurves> {
    let catalogue = session.catalogue();
    let launch = trial_of(session, campaign, launch)?;
    let mut pages = trial_pages(session, launch.id)?;
    let unread = unread_pages(&pages);
    pages.retain(|page| page.main.is_ok());
    let is_relevant: Vec<bool> = pages.iter().map(|page| page.read.relevance == Some(Relevance::Relevant)).collect();
    let relevant = is_relevant.iter().filter(|is| **is).count() as u64;
    anyhow::ensure!(
        relevant > 0,
        "no page of the trial {0} is marked as relevant yet: fonds marks DIR {0}",
        launch.launch
    );
    let first = catalogue.launch_version(launch.id)?;
    let (newest, spec) = catalogue.campaign(campaign)?;
    let mut versions =
        vec![(format!("Version {first}, of the trial"), Some(first), catalogue.campaign_version(campaign, first)?)];
    if newest != first {
        versions.push((format!("Version {newest}"), Some(newest), spec.clone()));
    }
    let proposed = proposals_for(&spec, &pages).into_iter();
    let proposed = proposed.filter(|of| matches!(of.kind, ProposalKind::Word | ProposalKind::Anchor) && !of.is_broad);
    let extended = proposed.clone().try_fold(spec.clone(), |spec, proposal| with_proposal(&spec, &proposal))?;
    if extended != spec {
        versions.push((format!("Version {newest} with all words that are proposed"), None, extended));
    }
    let replays = Replays::of(&pages)?;
    let mut curves = Vec::new();
    for (label, version, spec) in versions {
        cx.checkpoint()?;
        let shares = replays.shares(spec, &is_relevant)?;
        let named = NAMED_PERCENT.map(|percent| {
            let at = (shares.len() * percent).div_ceil(100).max(1);
            shares.get(at - 1).copied().unwrap_or_default()
        });
        curves.push(HarvestCurve { label, version, named, shares });
    }
    Ok(HarvestCurves { launch: launch.launch, pages: pages.len() as u64, relevant, curves, unread })
}

/// Pages of a trial, ready to be replayed.
struct Replays {
    pages: Vec<ReplayPage>,
    starts: Vec<ReplayStart>,
    /// Numbers of these pages among those of the trial.
    numbers: Vec<usize>,
    workspace: Workspace,
    /// Where the queues of replays are; it goes with them.
    _folder: tempfile::TempDir,
}

impl Replays {
    fn of(pages: &[TrialPage]) -> anyhow::Result<Self> {
        let urls: Vec<_> = pages.iter().map(|page| parse_web_url(&page.read.url)).collect();
        let numbers: Vec<usize> = (0..pages.len()).filter(|page| urls[*page].is_some()).collect();
        let by_url: HashMap<&str, usize> =
            numbers.iter().enumerate().map(|(at, page)| (pages[*page].read.url.as_str(), at)).collect();
        let of_page = |page: &usize| {
            let links = pages[*page].links.iter();
            let links = links.filter_map(|(url, anchor)| Some((*by_url.get(without_fragment(url))?, anchor.clone())));
            Some(ReplayPage {
                url: urls[*page].clone()?,
                main: pages[*page].main.clone().unwrap_or_default(),
                links: links.collect(),
            })
        };
        // Where no page of the trial led to a page (a redirect, a sitemap), it is one to begin with.
        let start = |(at, page): (usize, &usize)| {
            let read = &pages[*page].read;
            let is_linked = read.via.as_deref().is_some_and(|via| by_url.contains_key(via));
            (read.is_seed || !is_linked).then_some(ReplayStart { page: at, is_seed: read.is_seed })
        };
        let folder = tempfile::tempdir()?;
        let workspace = Workspace::create(&folder.path().join("replay"))?;
        Ok(Self {
            starts: numbers.iter().enumerate().filter_map(start).collect(),
            pages: numbers.iter().filter_map(of_page).collect(),
            numbers,
            workspace,
            _folder: folder,
        })
    }

    /// The share of relevant pages found after each fetch.
    fn shares(&self, spec: Campaign, is_relevant: &[bool]) -> anyhow::Result<Vec<f64>> {
        let spec = Campaign { order: CrawlOrder::Relevance, ..spec };
        let catalogue = self.workspace.catalogue();
        let campaign = catalogue.save_campaign(None, &spec)?;
        let rules = DecideRules::compile(&spec)?;
        let all = is_relevant.iter().filter(|is| **is).count().max(1) as f64;
        let mut sums = vec![0.0; self.pages.len()];
        for draws in 0..REPLAYS {
            let launch = catalogue.begin_launch(campaign, "replay", CaptureDate::now())?;
            let ledger = LaunchLedger::new(Arc::clone(catalogue), launch.id);
            // What was learned of words is the replay's own.
            let plan = Plan::new(spec.clone(), 1, rules.clone());
            let facts = Facts { date: Some(CaptureDate::now()), ..Facts::default() };
            // What the trial fetched is in scope, unless rules leave it out by its address.
            let accepts = |candidate: &crate::scope::Candidate| {
                candidate.is_seed || rules.decide(candidate, &facts).decision == Decision::Accept
            };
            let of = (self.pages.as_slice(), self.starts.as_slice());
            let fetched = replay(&plan, of, &accepts, &ledger, Draws::new(draws, 0), self.pages.len())?;
            let mut found = 0;
            for (at, sum) in sums.iter_mut().enumerate() {
                let is_found = fetched.get(at).is_some_and(|page| is_relevant[self.numbers[*page]]);
                found += u32::from(is_found);
                *sum += f64::from(found) / all;
            }
        }
        Ok(sums.into_iter().map(|sum| sum / REPLAYS as f64).collect())
    }
}
