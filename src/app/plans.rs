//! When campaigns run by themselves, and on what grounds, as the window asks.

use super::desk::DeskResult;
use super::models::{CampaignId, ScheduledRun};
use super::work::{self, ScheduleLook};
use super::workspace_desk::WorkspaceDesk;
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::scope::Derivation;
use crate::store::Access;
use crate::uri::CaptureDate;

/// The part of a desk that knows schedules and permissions. Every call may
/// block and is made on a worker thread.
pub trait Plans {
    /// Writes down which runs fell due, and says which shall start or are
    /// asked about; nothing where another process writes the workspace.
    fn schedule_look(&self) -> DeskResult<ScheduleLook>;
    /// Crawls a run that waits. Answers in words, as all long work.
    fn run_scheduled(&self, run: i64, cx: &JobCx) -> DeskResult<String>;
    /// Says whether a run that was missed shall be made up for; answers in words.
    fn answer_scheduled(&self, run: i64, starts: bool) -> DeskResult<String>;
    /// What became of the runs of a campaign, those due last first.
    fn scheduled_runs(&self, campaign: CampaignId, limit: u64) -> DeskResult<Vec<ScheduledRun>>;
    /// What URLs may be collected on by an edited, unsaved campaign.
    fn permissions(&self, campaign: &Campaign, urls: &[String]) -> DeskResult<Vec<Result<Derivation, String>>>;
}

impl Plans for WorkspaceDesk {
    fn schedule_look(&self) -> DeskResult<ScheduleLook> {
        match self.workspace.access() {
            Access::ReadOnly(_) => Ok(ScheduleLook::default()),
            Access::Write => self.scheduler().look(self, CaptureDate::now()),
        }
    }

    fn run_scheduled(&self, run: i64, cx: &JobCx) -> DeskResult<String> {
        self.job("Scheduled crawl", work::CrawlOutcome::words, || work::run_scheduled(self, run, false, cx))
            .map(|outcome| outcome.words())
    }

    fn answer_scheduled(&self, run: i64, starts: bool) -> DeskResult<String> {
        let held = self.catalogue().answer_scheduled(run, starts)?;
        Ok(match (held, starts) {
            (false, _) => "The missed run was already answered",
            (true, true) => "The missed run will start",
            (true, false) => "The missed run is skipped",
        }
        .to_owned())
    }

    fn scheduled_runs(&self, campaign: CampaignId, limit: u64) -> DeskResult<Vec<ScheduledRun>> {
        Ok(self.catalogue().scheduled_runs(Some(campaign), limit)?)
    }

    fn permissions(&self, campaign: &Campaign, urls: &[String]) -> DeskResult<Vec<Result<Derivation, String>>> {
        work::permissions(self, campaign, urls, CaptureDate::now())
    }
}
