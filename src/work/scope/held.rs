//! Compiled rules that are kept, since a list is read page by page and each
//! page asks for the same, and what tells that they are still right.
//!
//! Rules stand on the texts of versions, which never change, and on what
//! seeds redirected to. A running crawl commits every moment and seldom meets a
//! redirect of a seed: only then are they compiled again.

use super::bench::Launch;
use super::judged::{ByLaunch, Judged};
use crate::campaign::Campaign;
use crate::store::rows::LaunchBasis;
use crate::store::{Catalogue, StoreError};
use crate::uri::CaptureDate;
use crate::work::models::{CampaignId, LaunchId};
use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

/// How long before the first line of its log a foreign crawl may have fetched:
/// a line is written when a fetch has ended, which takes Heritrix 20 minutes at
/// most (`timeoutSeconds` of `FetchHTTP`).
const BEFORE_FIRST_LINE_MS: i64 = 20 * 60 * 1000;

/// Some launches of a campaign, and the imports that may hold their captures.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Stand {
    /// In the order of their numbers.
    launches: Vec<LaunchBasis>,
    /// When each run of another crawler went on, of the whole campaign: a
    /// capture is of one of them, whichever are asked for.
    foreign: Vec<(LaunchId, (CaptureDate, CaptureDate))>,
    /// Imports of archives of the campaign or of none.
    imports: HashSet<LaunchId>,
}

impl Stand {
    /// `ids` are in order.
    pub(super) fn of(catalogue: &Catalogue, campaign: CampaignId, ids: &[LaunchId]) -> Result<Self, StoreError> {
        let launches = catalogue.launch_stands(ids)?;
        if launches.iter().all(|launch| launch.foreign_term.is_none()) {
            return Ok(Self { launches, ..Self::default() });
        }
        let all = catalogue.launch_stands(&catalogue.launch_ids(Some(campaign))?)?;
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

/// Rules that were compiled last.
#[derive(Default)]
pub struct RulesHeld(VecDeque<RulesOfLaunches>);

/// The rules of some launches.
pub(super) struct RulesOfLaunches {
    pub campaign: CampaignId,
    pub stand: Arc<Stand>,
    /// Of the catalogue, when they were found to be right.
    pub revision: u64,
    /// The last capture that was there then: redirects come with later ones.
    pub last_capture: i64,
    /// URLs on whose redirects they stand.
    pub asked: HashSet<String>,
    pub launches: Arc<ByLaunch<Launch>>,
    /// The last edited ones that were asked for.
    pub edited: Option<EditedHeld>,
}

/// The rules of an edited campaign in the same launches.
pub(super) struct EditedHeld {
    pub campaign: Campaign,
    /// URLs on whose redirects they stand.
    pub asked: HashSet<String>,
    pub rules: Arc<ByLaunch<Judged>>,
}

/// Launches with the rules they ran.
pub(super) type Standing = (Arc<Stand>, Arc<ByLaunch<Launch>>);

/// How many are kept, of which those asked for last: those of a list, and
/// those of the launches of some rows that are looked at in turn.
const RULES_HELD: usize = 4;

impl RulesHeld {
    /// Those of a revision, which nothing can have changed.
    pub(super) fn launches(&mut self, campaign: CampaignId, ids: &[LaunchId], revision: u64) -> Option<Standing> {
        let is_same = |held: &RulesOfLaunches| {
            (held.campaign, held.revision) == (campaign, revision) && held.stand.ids().eq(ids.iter().copied())
        };
        let held = self.0.iter().position(is_same).and_then(|at| self.0.remove(at))?;
        let found = (Arc::clone(&held.stand), Arc::clone(&held.launches));
        self.0.push_front(held);
        Some(found)
    }

    /// The capture from which on others may change those that stand so.
    pub(super) fn last_capture(&self, campaign: CampaignId, stand: &Stand) -> Option<i64> {
        let held = self.0.iter().find(|held| held.campaign == campaign && *held.stand == *stand)?;
        Some(held.last_capture)
    }

    /// Those that stand so, unless one of the URLs that were `met` to redirect
    /// since, up to the last capture, is one they ask for.
    pub(super) fn carry_over(
        &mut self,
        campaign: CampaignId,
        stand: &Stand,
        revision: u64,
        last_capture: i64,
        since: i64,
        met: &[String],
    ) -> Option<Standing> {
        let held = self.0.iter_mut().find(|held| held.campaign == campaign && *held.stand == *stand)?;
        // Somebody may have put others in their place meanwhile.
        if held.last_capture < since {
            return None;
        }
        if met.iter().any(|url| held.asked.contains(url)) {
            return None;
        }
        if held.edited.as_ref().is_some_and(|edited| met.iter().any(|url| edited.asked.contains(url))) {
            held.edited = None;
        }
        (held.revision, held.last_capture) = (revision, last_capture);
        Some((Arc::clone(&held.stand), Arc::clone(&held.launches)))
    }

    pub(super) fn hold(&mut self, rules: RulesOfLaunches) {
        // Those that stood otherwise, or that somebody else compiled meanwhile.
        self.0.retain(|held| held.campaign != rules.campaign || !held.stand.ids().eq(rules.stand.ids()));
        self.0.push_front(rules);
        self.0.truncate(RULES_HELD);
    }

    pub(super) fn edited(&self, launches: &Arc<ByLaunch<Launch>>, edited: &Campaign) -> Option<Arc<ByLaunch<Judged>>> {
        let held = self.0.iter().find(|held| Arc::ptr_eq(&held.launches, launches))?;
        held.edited.as_ref().filter(|held| held.campaign == *edited).map(|held| Arc::clone(&held.rules))
    }

    /// The last capture that was there when these rules were found to be right.
    pub(super) fn right_up_to(&self, launches: &Arc<ByLaunch<Launch>>) -> Option<i64> {
        self.0.iter().find(|held| Arc::ptr_eq(&held.launches, launches)).map(|held| held.last_capture)
    }

    /// Keeps edited ones that were compiled when the others were right up to
    /// this capture; not where a redirect may have come meanwhile.
    pub(super) fn hold_edited(&mut self, launches: &Arc<ByLaunch<Launch>>, up_to: Option<i64>, edited: EditedHeld) {
        let is_of = |held: &&mut RulesOfLaunches| Arc::ptr_eq(&held.launches, launches);
        if let Some(held) = self.0.iter_mut().find(is_of).filter(|held| Some(held.last_capture) == up_to) {
            held.edited = Some(edited);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn stand(id: LaunchId) -> Stand {
        Stand { launches: vec![LaunchBasis { id, version: 1, foreign_term: None }], ..Stand::default() }
    }

    #[test]
    fn rules_that_were_asked_for_last_are_kept() {
        let mut held = RulesHeld::default();
        let hold = |held: &mut RulesHeld, id: LaunchId, revision| {
            held.hold(RulesOfLaunches {
                campaign: 1,
                stand: Arc::new(stand(id)),
                revision,
                last_capture: 0,
                asked: HashSet::new(),
                launches: Arc::default(),
                edited: None,
            });
        };
        hold(&mut held, 0, 1);
        for id in 1..=8 {
            hold(&mut held, id, 1);
            assert!(held.launches(1, &[0], 1).is_some(), "those of the list, after {id} rows");
        }
        assert_eq!(held.0.len(), RULES_HELD);
        // The same again, and of a newer revision, take no second place.
        hold(&mut held, 0, 1);
        hold(&mut held, 0, 2);
        assert_eq!(held.0.iter().filter(|rules| rules.stand.ids().eq([0])).count(), 1);
        assert!(held.launches(1, &[0], 1).is_none() && held.launches(1, &[0], 2).is_some());
    }

    #[test]
    fn captures_of_an_import_are_those_of_the_run_that_went_on_then() {
        let at = CaptureDate::from_seconds;
        let run = |id, begin, end| LaunchBasis { id, version: 1, foreign_term: Some((at(begin), at(end))) };
        let own = LaunchBasis { id: 4, version: 1, foreign_term: None };
        let launches = vec![run(1, 100_000, 200_000), run(2, 200_500, 300_000), own];
        let foreign: Vec<_> = launches.iter().filter_map(|run| Some((run.id, run.foreign_term?))).collect();
        let imports = HashSet::from([9]);
        let second = Stand { launches: vec![launches[1].clone()], foreign: foreign.clone(), imports: imports.clone() };
        assert!(
            second.launches_of(9, at(200_000)).is_empty(),
            "just before the one that is asked for, and of the other"
        );
        assert_eq!(second.launches_of(9, at(200_100)), [2]);
        let stand = Stand { launches, foreign, imports };
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
            assert_eq!(stand.launches_of(launch, at(date)), expected, "{launch} {date}");
        }
    }
}
