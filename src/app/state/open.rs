//! Opens workspaces, and whatever else a person names.

use super::super::loader::failure;
use super::super::models::{ImportOptions, Notice};
use super::super::{Command, Route};
use super::new_campaign::CampaignPlace;
use super::{Answer, AppState, NoticeCause};
use crate::work::sample::is_sample;
use crate::work::{OpenTarget, Session, Workspaces};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Workspaces that are kept as opened lately.
const RECENT_KEPT: usize = 8;

/// A workspace that was opened lately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentWorkspace {
    /// Its folder.
    pub folder: PathBuf,
    /// Whether it is there; none until a worker has looked.
    pub exists: Option<bool>,
}

/// The next step once a workspace is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum AfterOpen {
    /// Its campaigns are shown.
    Campaigns,
    /// The overview of its campaign is shown.
    Overview,
    /// A new campaign is begun; the workspace may have been made for it.
    NewCampaign {
        /// Whether it was.
        is_new: bool,
    },
    /// Archives are imported; the workspace was made for them.
    Import(PathBuf, ImportOptions),
}

/// Opens or makes a workspace; answers with the folder that it is in.
type Open = fn(&Workspaces, &Path) -> anyhow::Result<(PathBuf, Session)>;

/// A workspace that a worker has opened.
pub(in super::super) struct OpenedWorkspace {
    folder: PathBuf,
    session: Arc<Session>,
    /// Whether inlinks of an earlier form wait to be built.
    needs_inlink_build: bool,
    is_sample: bool,
}

pub(super) fn in_place(opened: anyhow::Result<Session>, folder: &Path) -> anyhow::Result<(PathBuf, Session)> {
    Ok((folder.to_owned(), opened?))
}

impl AppState {
    /// Opens whatever is at a path: a worker finds out what it is.
    pub(super) fn open_named(&mut self, path: PathBuf, options: ImportOptions) {
        let (opener, answers, wake) = (self.opener.clone(), self.answers.0.clone(), self.wake.clone());
        self.opening = Some(path.clone());
        self.writer.run(move || {
            let target = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| opener.identify(&path)))
                .unwrap_or_else(|_| Err(anyhow::anyhow!("a defect of the program was met")));
            let _ = answers.send(Answer::Named(path, options, target));
            wake();
        });
    }

    pub(super) fn take_in_named(&mut self, path: PathBuf, options: ImportOptions, target: anyhow::Result<OpenTarget>) {
        self.opening = None;
        match target {
            Ok(OpenTarget::Workspace(folder)) => self.send(Command::OpenWorkspace(folder)),
            Ok(OpenTarget::Archives) if self.session().is_some() => {
                if let Some(why) = self.read_only() {
                    return self.refuse_to_write(why);
                }
                self.notify(&format!("Importing {} into the open workspace", path.display()));
                self.send(Command::Import { paths: vec![path], options });
            }
            Ok(OpenTarget::Archives) => {
                let folder = self.default_folder();
                self.open_with(folder, AfterOpen::Import(path, options), |opener, folder| opener.create_beside(folder));
            }
            Err(error) => {
                let mut notice = failure(&format!("{} could not be opened", path.display()), &error);
                notice.hint = "Choose a workspace folder, a WARC, ARC or WACZ file, or a folder of them".to_owned();
                self.error_notice(NoticeCause::Opening, notice);
            }
        }
    }

    /// Whether this workspace is the open one. A second opening would find it
    /// locked by the first.
    pub(super) fn is_open(&self, is_it: impl FnOnce(&Path) -> bool) -> bool {
        self.session().is_some() && self.settings.last_workspace.as_deref().is_some_and(is_it)
    }

    fn stay_open(&mut self) {
        self.open.discards_edits = false;
        self.notify("This workspace is open already");
    }

    pub(super) fn open_workspace(&mut self, folder: PathBuf) {
        if self.is_open(|open| open == folder) {
            return self.stay_open();
        }
        self.open_with(folder, AfterOpen::Campaigns, |opener, folder| in_place(opener.open(folder), folder));
    }

    pub(super) fn make_workspace(&mut self, folder: PathBuf) {
        self.open_with(folder, AfterOpen::Campaigns, |opener, folder| in_place(opener.create(folder), folder));
    }

    pub(super) fn open_sample(&mut self, folder: PathBuf) {
        if self.is_open(|open| self.is_sample_folder(open)) {
            return self.stay_open();
        }
        self.open_with(folder, AfterOpen::Overview, |opener, folder| opener.open_sample(folder));
    }

    pub(super) fn open_with(&mut self, folder: PathBuf, then: AfterOpen, open: Open) {
        if self.is_busy() {
            self.open.discards_edits = false;
            let notice = Notice {
                is_error: true,
                what: format!("{} was not opened", folder.display()),
                why: "a job is running in the open workspace".to_owned(),
                hint: "Stop the job or wait for it to finish, then open again".to_owned(),
            };
            self.error_notice(NoticeCause::Running, notice);
            return;
        }
        // Those that nobody waits for go on another time.
        self.open.jobs.iter().for_each(|job| job.cx().cancel());
        self.cure(|cause| *cause == NoticeCause::Opening);
        self.opening = Some(folder.clone());
        let (opener, answers, wake) = (self.opener.clone(), self.answers.0.clone(), self.wake.clone());
        self.writer.run(move || {
            let open = || {
                let (folder, session) = open(opener.as_ref(), &folder)?;
                let needs_inlink_build = session.needs_inlink_build();
                let is_sample = is_sample(&session);
                Ok(OpenedWorkspace { folder, session: Arc::new(session), needs_inlink_build, is_sample })
            };
            let opened = std::panic::catch_unwind(std::panic::AssertUnwindSafe(open))
                .unwrap_or_else(|_| Err(anyhow::anyhow!("internal error while opening")));
            let _ = answers.send(Answer::Opened(folder, then, opened));
            wake();
        });
    }

    pub(super) fn take_in_opened(&mut self, folder: PathBuf, then: AfterOpen, opened: anyhow::Result<OpenedWorkspace>) {
        self.opening = None;
        let discards = std::mem::take(&mut self.open.discards_edits);
        let OpenedWorkspace { folder, session, needs_inlink_build, is_sample } = match opened {
            Ok(opened) => opened,
            Err(error) => {
                let mut notice = failure(&format!("{} could not be opened", folder.display()), &error);
                notice.hint = "Choose another folder, or create a workspace in an empty one".to_owned();
                self.error_notice(NoticeCause::Opening, notice);
                return;
            }
        };
        // Typed while the folder was being opened.
        if !discards && self.open.spec.as_ref().is_some_and(|spec| spec.is_edited()) {
            self.notice(Notice {
                is_error: false,
                what: format!("{} was not opened", folder.display()),
                why: "the specification was edited meanwhile".to_owned(),
                hint: "Save or discard the changes, then open it again".to_owned(),
            });
            return;
        }
        if self.is_busy() {
            self.notice(Notice {
                is_error: false,
                what: format!("{} was not opened", folder.display()),
                why: "a job was started meanwhile".to_owned(),
                hint: "Wait for it or stop it, then open it again".to_owned(),
            });
            return;
        }
        self.show_workspace(folder.clone(), session);
        self.open.is_sample = is_sample;
        match then {
            AfterOpen::Campaigns => {}
            AfterOpen::Overview => self.go(Route::Overview),
            AfterOpen::NewCampaign { is_new } => {
                self.open.unused_workspace = is_new.then(|| folder.clone());
                self.notify(&format!("The new campaign is kept in the workspace {}", folder.display()));
                self.begin_campaign(CampaignPlace::Open);
            }
            AfterOpen::Import(path, options) => {
                self.notify(&format!(
                    "Made the workspace {} and importing {} into it",
                    folder.display(),
                    path.display()
                ));
                self.send(Command::Import { paths: vec![path], options });
                self.go(Route::Captures { filter: String::new() });
            }
        }
        if needs_inlink_build {
            self.notify("Inlinks are being rebuilt: this version stores them in another format");
            self.send(Command::BuildInlinks);
        }
    }

    fn show_workspace(&mut self, folder: PathBuf, session: Arc<Session>) {
        self.remove_unused();
        self.replace_workspace(Some(session));
        // What was clicked on the picture of the workspace before has numbers of that one.
        self.outbox.clear();
        self.open.export_folder = folder.join("exports").join("selection").display().to_string();
        self.begin_index_watch();
        self.remember(folder);
    }

    /// Lets go of the workspace that is open. One that was made for a new campaign goes, if nothing
    /// was kept in it.
    pub(super) fn leave_workspace(&mut self) {
        self.remove_unused();
        self.replace_workspace(None);
    }

    /// Shows a workspace, or none; nothing stays that is known of the one before.
    pub(super) fn replace_workspace(&mut self, session: Option<Arc<Session>>) {
        self.opening = None;
        self.reads.open(session);
        let left = std::mem::take(&mut self.open);
        left.jobs.iter().for_each(|job| job.cx().cancel());
        self.left_jobs.extend(left.jobs);
        self.open.selection_draft.window_days = self.settings.window_days;
    }

    /// Keeps a workspace as the one opened last.
    fn remember(&mut self, folder: PathBuf) {
        // The window may be started in another folder next time.
        let folder = std::path::absolute(&folder).unwrap_or(folder);
        let recent = &mut self.settings.recent_workspaces;
        recent.retain(|of| *of != folder);
        recent.insert(0, folder.clone());
        recent.truncate(RECENT_KEPT);
        self.settings.last_workspace = Some(folder);
        self.check_recent();
    }

    /// Has a thread look which of the workspaces opened lately are there: a
    /// disk that is gone may keep it waiting for long.
    pub(super) fn check_recent(&mut self) {
        let settings = &mut self.settings;
        // Settings of an earlier version know the last one only.
        if settings.recent_workspaces.is_empty() {
            settings.recent_workspaces.extend(settings.last_workspace.clone());
        }
        let folders = settings.recent_workspaces.clone();
        let as_before = |folder: &PathBuf| self.recent.iter().find(|recent| recent.folder == *folder)?.exists;
        self.recent = folders
            .iter()
            .map(|folder| RecentWorkspace { folder: folder.clone(), exists: as_before(folder) })
            .collect();
        if folders.is_empty() {
            return;
        }
        let (opener, answers, wake) = (self.opener.clone(), self.answers.0.clone(), self.wake.clone());
        let check = move || {
            for folder in folders {
                let exists = opener.is_workspace(&folder);
                let _ = answers.send(Answer::Recent(folder, exists));
                wake();
            }
        };
        if let Err(error) = std::thread::Builder::new().name("recent".to_owned()).spawn(check) {
            tracing::warn!("workspaces opened lately are not looked for: {error}");
        }
    }
}
