//! A cache of compiled rules, since a list is read page by page with the same
//! rules, and the checks that an entry is still valid.
//!
//! Rules depend on the texts of versions, which never change, and on what
//! seeds redirected to. A running crawl commits every moment and seldom meets a
//! redirect of a seed: only then are they compiled again.

use super::launch_rules::{ByLaunch, LaunchRules};
use super::redecision::Launch;
use crate::campaign::Campaign;
use crate::store::rows::LaunchBasis;
use crate::store::{Catalogue, StoreError};
use crate::uri::CaptureDate;
use crate::work::models::{CampaignId, LaunchId};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// The time before the first line of its log in which a foreign crawl may have fetched: a line is
/// written when a fetch has ended, which takes Heritrix 20 minutes at most (`timeoutSeconds` of
/// `FetchHTTP`).
const BEFORE_FIRST_LINE_MS: i64 = 20 * 60 * 1000;

/// Some launches of a campaign, and the imports that may hold their captures.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LaunchScope {
    /// In the order of their numbers.
    launches: Vec<LaunchBasis>,
    /// When each run of another crawler went on, of the whole campaign: a capture is of one of them,
    /// whichever are decided on.
    foreign: Vec<(LaunchId, (CaptureDate, CaptureDate))>,
    /// Imports that belong to the campaign.
    imports: HashSet<LaunchId>,
}

impl LaunchScope {
    /// `ids` are in order.
    pub(super) fn of(catalogue: &Catalogue, campaign: CampaignId, ids: &[LaunchId]) -> Result<Self, StoreError> {
        let launches = catalogue.launch_bases(ids)?;
        if launches.iter().all(|launch| launch.foreign_term.is_none()) {
            return Ok(Self { launches, ..Self::default() });
        }
        let all = catalogue.launch_bases(&catalogue.launch_ids(Some(campaign))?)?;
        let foreign = all.iter().filter_map(|launch| Some((launch.id, launch.foreign_term?))).collect();
        Ok(Self { launches, foreign, imports: catalogue.imports_of(campaign)?.into_iter().collect() })
    }

    pub(super) fn launches(&self) -> &[LaunchBasis] {
        &self.launches
    }

    fn ids(&self) -> impl Iterator<Item = LaunchId> {
        self.launches.iter().map(|launch| launch.id)
    }

    fn has(&self, launch: LaunchId) -> bool {
        self.launches.binary_search_by_key(&launch, |of| of.id).is_ok()
    }

    /// Whether another crawler made a launch.
    pub(super) fn is_foreign(&self, launch: LaunchId) -> bool {
        self.foreign.iter().any(|(id, _)| *id == launch)
    }

    /// The launches that a capture is of: its own or, where it came with the
    /// archives of another crawler, the runs that went on then.
    pub(super) fn launches_of(&self, launch: LaunchId, date: CaptureDate) -> Vec<LaunchId> {
        if self.has(launch) {
            return vec![launch];
        }
        if !self.imports.contains(&launch) {
            return Vec::new();
        }
        let within = |slack_ms: i64| -> Vec<LaunchId> {
            let goes_on = |(begin, end): (CaptureDate, CaptureDate)| {
                begin.millis().saturating_sub(slack_ms) <= date.millis() && date <= end
            };
            self.foreign.iter().filter(|(_, term)| goes_on(*term)).map(|(id, _)| *id).collect()
        };
        let mut runs = within(0);
        if runs.is_empty() {
            runs = within(BEFORE_FIRST_LINE_MS);
        }
        runs.retain(|run| self.has(*run));
        runs
    }
}

/// The rules of the launches that were read last, compiled.
#[derive(Default)]
pub struct RuleCache(VecDeque<CacheEntry>);

/// The compiled rules of some launches.
pub(super) struct CacheEntry {
    pub campaign: CampaignId,
    pub launch_scope: Arc<LaunchScope>,
    /// Of the catalogue, when they were found to be right.
    pub revision: u64,
    /// The last capture that was there then: redirects come with later ones.
    pub last_capture: i64,
    /// URLs on whose redirects they depend.
    pub redirect_sources: HashSet<String>,
    pub launches: Arc<ByLaunch<Launch>>,
    /// The edited rules that were used last.
    pub edited: Option<EditedRules>,
}

/// The rules of an edited campaign in the same launches.
pub(super) struct EditedRules {
    pub campaign: Campaign,
    /// URLs on whose redirects they depend.
    pub redirect_sources: HashSet<String>,
    pub rules: Arc<ByLaunch<LaunchRules>>,
}

/// Launches with the rules they ran.
pub(super) type CachedLaunches = (Arc<LaunchScope>, Arc<ByLaunch<Launch>>);

/// The cache keeps this many, those used last: those of a list, and those of the launches of a few
/// rows on the screen.
const MAX_ENTRIES: usize = 4;

impl RuleCache {
    /// The cached launches of a revision, which nothing can have changed.
    pub(super) fn launches(&mut self, campaign: CampaignId, ids: &[LaunchId], revision: u64) -> Option<CachedLaunches> {
        let is_same = |entry: &CacheEntry| {
            (entry.campaign, entry.revision) == (campaign, revision) && entry.launch_scope.ids().eq(ids.iter().copied())
        };
        let entry = self.0.iter().position(is_same).and_then(|at| self.0.remove(at))?;
        let found = (Arc::clone(&entry.launch_scope), Arc::clone(&entry.launches));
        self.0.push_front(entry);
        Some(found)
    }

    /// The last capture that the entry of these launches counts; later ones may change its rules.
    pub(super) fn last_capture(&self, campaign: CampaignId, launch_scope: &LaunchScope) -> Option<i64> {
        let entry = self.0.iter().find(|entry| entry.campaign == campaign && *entry.launch_scope == *launch_scope)?;
        Some(entry.last_capture)
    }

    /// The entry of these launches, unless its rules depend on one of the URLs
    /// that were `met` to redirect since, up to the last capture.
    pub(super) fn revalidate(
        &mut self,
        campaign: CampaignId,
        launch_scope: &LaunchScope,
        revision: u64,
        last_capture: i64,
        since: i64,
        met: &[String],
    ) -> Option<CachedLaunches> {
        let entry =
            self.0.iter_mut().find(|entry| entry.campaign == campaign && *entry.launch_scope == *launch_scope)?;
        // Somebody may have put others in their place meanwhile.
        if entry.last_capture < since {
            return None;
        }
        if met.iter().any(|url| entry.redirect_sources.contains(url)) {
            return None;
        }
        if entry.edited.as_ref().is_some_and(|edited| met.iter().any(|url| edited.redirect_sources.contains(url))) {
            entry.edited = None;
        }
        (entry.revision, entry.last_capture) = (revision, last_capture);
        Some((Arc::clone(&entry.launch_scope), Arc::clone(&entry.launches)))
    }

    pub(super) fn insert(&mut self, rules: CacheEntry) {
        // Outdated entries, or those that somebody else compiled meanwhile.
        self.0
            .retain(|entry| entry.campaign != rules.campaign || !entry.launch_scope.ids().eq(rules.launch_scope.ids()));
        self.0.push_front(rules);
        self.0.truncate(MAX_ENTRIES);
    }

    pub(super) fn edited(
        &self,
        launches: &Arc<ByLaunch<Launch>>,
        edited: &Campaign,
    ) -> Option<Arc<ByLaunch<LaunchRules>>> {
        let entry = self.0.iter().find(|entry| Arc::ptr_eq(&entry.launches, launches))?;
        entry.edited.as_ref().filter(|entry| entry.campaign == *edited).map(|entry| Arc::clone(&entry.rules))
    }

    /// The last capture that was there when these rules were found to be right.
    pub(super) fn valid_up_to(&self, launches: &Arc<ByLaunch<Launch>>) -> Option<i64> {
        self.0.iter().find(|entry| Arc::ptr_eq(&entry.launches, launches)).map(|entry| entry.last_capture)
    }

    /// Keeps edited ones that were compiled when the others were right up to
    /// this capture; not where a redirect may have come meanwhile.
    pub(super) fn insert_edited(&mut self, launches: &Arc<ByLaunch<Launch>>, up_to: Option<i64>, edited: EditedRules) {
        let is_of = |entry: &&mut CacheEntry| Arc::ptr_eq(&entry.launches, launches);
        if let Some(entry) = self.0.iter_mut().find(is_of).filter(|entry| Some(entry.last_capture) == up_to) {
            entry.edited = Some(edited);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn launch_scope(id: LaunchId) -> LaunchScope {
        LaunchScope { launches: vec![LaunchBasis { id, version: 1, foreign_term: None }], ..LaunchScope::default() }
    }

    #[test]
    fn rules_used_last_are_kept() {
        let mut cache = RuleCache::default();
        let (campaign, first) = (CampaignId::new(1), LaunchId::new(0));
        let insert = |cache: &mut RuleCache, id: LaunchId, revision| {
            cache.insert(CacheEntry {
                campaign,
                launch_scope: Arc::new(launch_scope(id)),
                revision,
                last_capture: 0,
                redirect_sources: HashSet::new(),
                launches: Arc::default(),
                edited: None,
            });
        };
        insert(&mut cache, first, 1);
        for id in (1..=8).map(LaunchId::new) {
            insert(&mut cache, id, 1);
            assert!(cache.launches(campaign, &[first], 1).is_some(), "those of the list, after {id} rows");
        }
        assert_eq!(cache.0.len(), MAX_ENTRIES);
        // The same again, and of a newer revision, take no second place.
        insert(&mut cache, first, 1);
        insert(&mut cache, first, 2);
        assert_eq!(cache.0.iter().filter(|entry| entry.launch_scope.ids().eq([first])).count(), 1);
        assert!(cache.launches(campaign, &[first], 1).is_none() && cache.launches(campaign, &[first], 2).is_some());
    }

    #[test]
    fn captures_of_an_import_are_those_of_the_run_that_went_on_then() {
        let at = CaptureDate::from_seconds;
        let run = |id, begin, end| LaunchBasis {
            id: LaunchId::new(id),
            version: 1,
            foreign_term: Some((at(begin), at(end))),
        };
        let own = LaunchBasis { id: LaunchId::new(4), version: 1, foreign_term: None };
        let launches = vec![run(1, 100_000, 200_000), run(2, 200_500, 300_000), own];
        let foreign: Vec<_> = launches.iter().filter_map(|run| Some((run.id, run.foreign_term?))).collect();
        let imports = HashSet::from([LaunchId::new(9)]);
        let second =
            LaunchScope { launches: vec![launches[1].clone()], foreign: foreign.clone(), imports: imports.clone() };
        assert!(
            second.launches_of(LaunchId::new(9), at(200_000)).is_empty(),
            "just before the requested run, and of the other"
        );
        assert_eq!(second.launches_of(LaunchId::new(9), at(200_100)), [LaunchId::new(2)]);
        let launch_scope = LaunchScope { launches, foreign, imports };
        for (launch, date, expected) in [
            (4, 150_000, &[4][..]),
            (9, 150_000, &[1]),
            // Just before the second run, and in the first.
            (9, 200_000, &[1]),
            (9, 200_100, &[2]),
            (9, 99_000, &[1]),
            (9, 98_000, &[]),
            (9, 300_001, &[]),
            (7, 150_000, &[]),
        ] {
            let found = launch_scope.launches_of(LaunchId::new(launch), at(date));
            assert_eq!(found, expected.iter().copied().map(LaunchId::new).collect::<Vec<_>>(), "{launch} {date}");
        }
    }
}
