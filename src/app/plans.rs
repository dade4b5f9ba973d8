//! When campaigns run by themselves, and on what grounds, as the window asks.

use super::models::{CampaignId, ScheduledRun};
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::scope::Derivation;
use crate::work::{JobReport, ScheduleLook, Session};

/// The part of a desk that knows schedules and permissions. Every call may
/// block and is made on a worker thread.
pub trait Plans {
    /// Writes down which runs fell due, and says which shall start or are
    /// asked about; nothing where another process writes the workspace.
    fn schedule_look(&self) -> anyhow::Result<ScheduleLook>;
    /// Crawls a run that waits. Answers in words, as all long work.
    fn run_scheduled(&self, run: i64, cx: &JobCx) -> anyhow::Result<JobReport>;
    /// Says whether a run that was missed shall be made up for; answers in words.
    fn answer_scheduled(&self, run: i64, starts: bool) -> anyhow::Result<String>;
    /// What became of the runs of a campaign, those due last first.
    fn scheduled_runs(&self, campaign: CampaignId, limit: u64) -> anyhow::Result<Vec<ScheduledRun>>;
    /// What URLs may be collected on by an edited, unsaved campaign.
    fn permissions(&self, campaign: &Campaign, urls: &[String]) -> anyhow::Result<Vec<Result<Derivation, String>>>;
}

impl Plans for Session {
    fn schedule_look(&self) -> anyhow::Result<ScheduleLook> {
        Session::schedule_look(self)
    }

    fn run_scheduled(&self, run: i64, cx: &JobCx) -> anyhow::Result<JobReport> {
        Ok(Session::run_scheduled(self, run, cx)?.into())
    }

    fn answer_scheduled(&self, run: i64, starts: bool) -> anyhow::Result<String> {
        Session::answer_scheduled(self, run, starts)
    }

    fn scheduled_runs(&self, campaign: CampaignId, limit: u64) -> anyhow::Result<Vec<ScheduledRun>> {
        Session::scheduled_runs(self, campaign, limit)
    }

    fn permissions(&self, campaign: &Campaign, urls: &[String]) -> anyhow::Result<Vec<Result<Derivation, String>>> {
        Session::permissions(self, campaign, urls)
    }
}
