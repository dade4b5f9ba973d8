//! Actions on trials, and on versions of a campaign.

use super::super::models::{CampaignId, CaptureId, LaunchId, Relevance};
use super::{Answer, AppState, JobKind};
use crate::jobs::JobCx;
use crate::work;
use crate::work::CrawlOptions;

/// An action on a trial, or on versions of a campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialAct {
    /// Crawls a trial of a campaign.
    Start(CampaignId),
    /// Marks a page of a trial as relevant or not; none takes that back.
    Mark(LaunchId, CaptureId, Option<Relevance>),
    /// Accepts a proposal, by its place in the list, from 1.
    Accept {
        /// The campaign.
        campaign: CampaignId,
        /// The trial with the marks.
        launch: LaunchId,
        /// The place.
        number: usize,
    },
    /// Keeps a trial.
    Keep(LaunchId),
    /// Discards a trial, whatever goes with it: a person confirmed that.
    Discard(LaunchId),
    /// Saves an earlier version of a campaign as its next one.
    Restore(CampaignId, u32),
}

impl AppState {
    pub(super) fn act_on_trials(&mut self, act: TrialAct) {
        match act {
            TrialAct::Start(campaign) => self.start(JobKind::Crawl, move |session, cx| {
                let options = CrawlOptions { trial: Some(work::TRIAL_URLS), ..session.crawl_options()? };
                session.crawl_with(campaign, &options, cx)
            }),
            TrialAct::Mark(launch, capture, relevance) => self.write(
                move |session| {
                    session.catalogue().mark_relevance(launch, &[capture], relevance, &work::operator())?;
                    Ok(())
                },
                |done| Answer::Shown("The page was not marked", done),
            ),
            TrialAct::Accept { campaign, launch, number } => {
                self.forget_unedited_spec(campaign);
                self.write(
                    move |session| {
                        let version = work::accept_proposals(session, campaign, Some(launch), &[number])?;
                        Ok(format!("Accepted: version {version} of the campaign"))
                    },
                    |done| Answer::Set("The proposal was not accepted", done),
                );
            }
            TrialAct::Keep(launch) => self.write(
                move |session| session.keep_trial(launch, &JobCx::detached()).map(|()| "Trial kept".to_owned()),
                |done| Answer::Set("The trial was not kept", done),
            ),
            TrialAct::Discard(launch) => {
                self.start(JobKind::DiscardTrial, move |session, cx| session.discard_trial(launch, true, cx));
            }
            TrialAct::Restore(campaign, version) => {
                self.forget_unedited_spec(campaign);
                self.write(
                    move |session| {
                        let newest = session.restore_campaign(campaign, version)?;
                        Ok(format!("Version {version} restored as version {newest}"))
                    },
                    |done| Answer::Set("The version was not restored", done),
                );
            }
        }
    }

    /// Whether the open specification has edits that are not saved.
    pub fn is_spec_edited(&self) -> bool {
        self.open.spec.as_ref().is_some_and(|spec| spec.is_edited())
    }

    /// The specification of a campaign is read again once it has another version, unless a person edits it.
    fn forget_unedited_spec(&mut self, campaign: CampaignId) {
        if self.open.spec.as_ref().is_some_and(|spec| spec.id == Some(campaign) && !spec.is_edited()) {
            self.open.spec = None;
        }
    }
}
