//! Patches of the open workspace.

use super::Session;
use crate::jobs::JobCx;
use crate::store::Hole;
use crate::work;
use crate::work::launch::patch::PatchOutcome;
use crate::work::models::{CampaignId, CaptureId};
use crate::work::{CrawlOptions, HoleChoice, JobKind};

impl Session {
    /// Fetches a list of URLs as a patch of a campaign, and looks whether the holes of these captures are filled.
    ///
    /// # Errors
    ///
    /// A campaign that cannot be crawled, an empty or too long list, a workspace that cannot be written.
    pub fn patch(
        &self,
        campaign: CampaignId,
        urls: &[String],
        captures: &[CaptureId],
        options: &CrawlOptions,
        cx: &JobCx,
    ) -> anyhow::Result<PatchOutcome> {
        let outcome =
            self.run_job(JobKind::Patch, || work::launch::patch::patch(self, campaign, urls, captures, options, cx));
        if let Err(error) = work::attach_annotations(&self.workspace, cx) {
            tracing::warn!("annotations that were kept for their captures stay apart: {error:#}");
        }
        self.follow_run(Some(campaign), cx);
        outcome
    }

    /// The holes of captures, those that most of them have first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read, or a stop.
    pub fn holes(&self, captures: &[CaptureId], choice: Option<HoleChoice>, cx: &JobCx) -> anyhow::Result<Vec<Hole>> {
        let mut holes = self.catalogue().holes(captures, cx)?;
        holes.retain(|hole| choice.is_none_or(|choice| choice.has(hole)));
        Ok(holes)
    }
}
