//! Patches: what captures lack is fetched once a person has confirmed it.

use super::super::models::{CampaignId, CaptureId, PatchSource};
use super::{AppState, JobKind};
use crate::app::Dialog;

impl AppState {
    /// What the patch is for that waits for confirmation.
    pub fn patch_source(&self) -> Option<&PatchSource> {
        self.open.patch_source.as_ref()
    }

    pub(super) fn plan_patch(&mut self, source: PatchSource) {
        self.open.patch_source = Some(source);
        self.open.dialog = Some(Dialog::Patch);
    }

    pub(super) fn patch(&mut self, campaign: CampaignId, urls: Vec<String>, captures: Vec<CaptureId>) {
        self.open.dialog = None;
        self.open.patch_source = None;
        self.start(JobKind::Patch, move |session, cx| {
            let options = session.crawl_options()?;
            session.patch(campaign, &urls, &captures, &options, cx)
        });
    }
}
