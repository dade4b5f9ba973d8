//! The workspace of a new campaign, deleted when the campaign is given up.
//!
//! Invariant: a workspace that the window made for a new campaign is on disk only while its draft
//! is open or something is kept in it.

use super::super::{Dialog, Route};
use super::open::{AfterOpen, in_place};
use super::{Answer, AppState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// A place for a new campaign.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CampaignPlace {
    /// The workspace that is open.
    Open,
    /// One that was opened lately.
    Workspace(PathBuf),
    /// One that is made in this folder, or in the next free one of that name.
    New(PathBuf),
}

/// Recent workspaces that are offered.
const OFFERED: usize = 5;
/// Pause and number of the checks whether somebody still reads a workspace that is to be deleted.
const RETRY_EVERY: Duration = Duration::from_millis(20);
const MAX_RETRIES: usize = 250;

impl AppState {
    /// The places that may keep a new campaign, the default first. A single one needs no dialog.
    pub fn campaign_places(&self) -> Vec<CampaignPlace> {
        let is_open = self.session().is_some();
        if is_open && !self.open.is_sample {
            return vec![CampaignPlace::Open];
        }
        let open = self.settings.last_workspace.as_ref().filter(|_| is_open);
        let recent = self.recent.iter().filter(|of| of.exists != Some(false) && Some(&of.folder) != open);
        let recent = recent.filter(|of| !self.is_sample_folder(&of.folder)).take(OFFERED);
        let mut places: Vec<CampaignPlace> =
            recent.map(|recent| CampaignPlace::Workspace(recent.folder.clone())).collect();
        places.push(CampaignPlace::New(self.default_folder()));
        if is_open {
            places.push(CampaignPlace::Open);
        }
        places
    }

    /// Whether the sample lies there, by its name: nothing is opened for that.
    pub(super) fn is_sample_folder(&self, folder: &Path) -> bool {
        let sample = self.sample_folder();
        let numbered = format!("{}-", sample.display());
        folder == sample || folder.display().to_string().starts_with(&numbered)
    }

    /// Begins a new campaign, after a dialog where several workspaces may keep it.
    pub(super) fn new_campaign(&mut self) {
        let mut places = self.campaign_places();
        match places.pop() {
            Some(only) if places.is_empty() => self.begin_campaign(only),
            _ => self.open.dialog = Some(Dialog::NewCampaign),
        }
    }

    /// Begins a new campaign there.
    pub(super) fn begin_campaign(&mut self, place: CampaignPlace) {
        match place {
            CampaignPlace::Open => {
                self.open.spec = None;
                self.go(Route::Spec(None));
            }
            CampaignPlace::Workspace(folder) => {
                self.open_with(folder, AfterOpen::NewCampaign { is_new: false }, |opener, folder| {
                    in_place(opener.open(folder), folder)
                });
            }
            CampaignPlace::New(folder) => {
                self.open_with(folder, AfterOpen::NewCampaign { is_new: true }, |opener, folder| {
                    opener.create_for_draft(folder)
                });
            }
        }
    }

    /// Leaves the workspace that was made for a new campaign once that is given up: its page was
    /// left without an edit, its edits were discarded, or the window closes.
    pub(super) fn leave_unused_workspace(&mut self) {
        if self.open.unused_workspace.is_none() || self.opening.is_some() {
            return;
        }
        let is_saved = self.open.campaign.is_some() || self.open.spec.as_ref().is_some_and(|spec| spec.id.is_some());
        if is_saved || !self.open.jobs.is_empty() {
            self.open.unused_workspace = None;
            return;
        }
        let is_saving = self.open.spec.as_ref().is_some_and(|spec| spec.is_being_saved());
        let is_shown = matches!(self.open.route, Route::Spec(None))
            || self.open.dialog.is_some()
            || self.open.spec.as_ref().is_some_and(|spec| spec.is_edited());
        if is_saving || (is_shown && !self.closing) {
            return;
        }
        let route = self.open.route.clone();
        self.leave_workspace();
        self.open.route = route;
    }

    /// Has a worker delete the workspace that is open, if it was made for a campaign that was given
    /// up and nothing is kept in it.
    pub(super) fn remove_unused(&mut self) {
        let Some(folder) = self.open.unused_workspace.take() else { return };
        let Some(session) = self.reads.cx().session.take() else { return };
        self.removing = Some(folder.clone());
        let (opener, answers, wake) = (self.opener.clone(), self.answers.0.clone(), self.wake.clone());
        self.writer.run(move || {
            let removes = || -> anyhow::Result<bool> {
                if !session.is_unused()? {
                    return Ok(false);
                }
                // Answers that nobody waits for any more still read it.
                for _ in 0..MAX_RETRIES {
                    if Arc::strong_count(&session) == 1 {
                        break;
                    }
                    std::thread::sleep(RETRY_EVERY);
                }
                drop(session);
                opener.remove_unused(&folder)?;
                Ok(true)
            };
            let removed = std::panic::catch_unwind(std::panic::AssertUnwindSafe(removes)).unwrap_or(Ok(false));
            let removed = removed.unwrap_or_else(|error| {
                tracing::warn!("{} is empty and could not be removed: {error:#}", folder.display());
                false
            });
            let _ = answers.send(Answer::Removed(folder, removed));
            wake();
        });
    }

    /// The workspace is gone, or was kept.
    pub(super) fn take_in_removed(&mut self, folder: &Path, is_removed: bool) {
        self.removing.take_if(|of| of == folder);
        if !is_removed {
            return;
        }
        let settings = &mut self.settings;
        settings.recent_workspaces.retain(|of| of != folder);
        if settings.last_workspace.as_deref() == Some(folder) {
            settings.last_workspace = settings.recent_workspaces.first().cloned();
        }
        self.check_recent();
    }

    /// Whether something is to be done before the window may close.
    pub fn has_unused_workspace(&self) -> bool {
        self.open.unused_workspace.is_some() || self.removing.is_some()
    }
}
