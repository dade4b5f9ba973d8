//! A backup copies everything that is in no WARC file: the catalogue, campaigns, evidence.

use crate::jobs::{JobCx, create_private, make_private_folder, open_own, sync_folder, sync_tree};
use crate::store::Workspace;
use crate::uri::CaptureDate;
use crate::work::Report;
use crate::work::counted;
use anyhow::Context;
use serde::Serialize;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Folder of a workspace whose files are nowhere else.
const EVIDENCE: &str = "evidence";

/// The outcome of a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BackupOutcome {
    /// Its folder.
    pub folder: PathBuf,
    /// The workspace.
    pub workspace: PathBuf,
    /// When it was made.
    pub created: String,
    /// Bytes of the copied catalogue.
    pub bytes: u64,
    /// Versions of campaigns written as JSON.
    pub campaign_versions: u64,
    /// Files of evidence copied.
    pub evidence: u64,
    /// Archive files that the catalogue names; they are not copied.
    pub archive_files: u64,
}

impl Report for BackupOutcome {
    fn summary(&self) -> String {
        format!(
            "catalogue of {} bytes copied and checked, {} as JSON, {} of evidence; the {} that it names are not copied",
            self.bytes,
            counted(self.campaign_versions, "campaign version"),
            counted(self.evidence, "file"),
            counted(self.archive_files, "archive file")
        )
    }
}

/// Copies the catalogue of a workspace, its campaigns as JSON and its evidence
/// into `out`, which must be empty or absent. A crawl may run meanwhile: the
/// copy is as of its begin. The folder gets its name when it is whole.
pub fn back_up(workspace: &Workspace, out: &Path, cx: &JobCx) -> anyhow::Result<BackupOutcome> {
    let name = || out.display().to_string();
    anyhow::ensure!(!out.is_file(), "{}: this is a file. Name a folder that is empty or does not exist", name());
    if let Ok(mut entries) = fs::read_dir(out) {
        anyhow::ensure!(
            entries.next().is_none(),
            "{}: the folder is not empty; name one that is empty or does not exist",
            name()
        );
    }
    let out: PathBuf = std::path::absolute(out).with_context(name)?.components().collect();
    let parent = out.parent().unwrap_or(&out).to_owned();
    fs::create_dir_all(&parent).with_context(|| parent.display().to_string())?;
    let staging = tempfile::Builder::new()
        .prefix(".fonds-backup-")
        .tempdir_in(&parent)
        .with_context(|| parent.display().to_string())?;
    let catalogue = workspace.catalogue();
    let copy = staging.path().join("fonds.sqlite");
    create_private(&copy).with_context(name)?;
    catalogue.back_up(&copy, cx)?;
    cx.stage("Writing campaigns", None);
    let folder = staging.path().join("campaigns");
    fs::create_dir(&folder).with_context(name)?;
    let mut campaign_versions = 0;
    for row in catalogue.listed_campaigns()? {
        for (version, campaign) in catalogue.campaign_files(row.id)? {
            let path = folder.join(format!("campaign-{}.v{version}.json", row.id));
            fs::write(&path, campaign.to_json()).with_context(|| path.display().to_string())?;
            campaign_versions += 1;
        }
    }
    let from = workspace.folder().join(EVIDENCE);
    let evidence = if from.is_dir() { copy_folder(&from, &staging.path().join(EVIDENCE), cx)? } else { 0 };
    let outcome = BackupOutcome {
        folder: out.clone(),
        workspace: workspace.folder().to_owned(),
        created: CaptureDate::now().to_warc(),
        bytes: fs::metadata(&copy).with_context(name)?.len(),
        campaign_versions,
        evidence,
        archive_files: catalogue.known_files()?.len() as u64,
    };
    let list = staging.path().join("backup.json");
    fs::write(&list, serde_json::to_vec_pretty(&outcome)?).with_context(|| list.display().to_string())?;
    sync_tree(staging.path()).with_context(name)?;
    if out.exists() {
        fs::remove_dir(&out).with_context(name)?;
    }
    fs::rename(staging.path(), &out).with_context(name)?;
    sync_folder(out.parent());
    // It has its own name now.
    drop(staging.keep());
    open_to_owner_group(&out);
    Ok(outcome)
}

/// A temporary folder is its owner's alone; a backup has the rights of any folder.
fn open_to_owner_group(folder: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The parent's rights are what its owner wants for folders here.
        if let Some(parent) = folder.parent().and_then(|parent| parent.metadata().ok()) {
            let mode = parent.permissions().mode() & 0o755 | 0o700;
            let _ = fs::set_permissions(folder, fs::Permissions::from_mode(mode));
        }
    }
    #[cfg(not(unix))]
    let _ = folder;
}

/// Copies the files of a folder; returns how many.
fn copy_folder(from: &Path, to: &Path, cx: &JobCx) -> anyhow::Result<u64> {
    let of = |path: &Path| path.display().to_string();
    make_private_folder(to).with_context(|| of(to))?;
    let mut files = 0;
    for entry in fs::read_dir(from).with_context(|| of(from))? {
        let entry = entry.with_context(|| of(from))?;
        cx.checkpoint()?;
        let (path, goal) = (entry.path(), to.join(entry.file_name()));
        if entry.file_type().with_context(|| of(&path))?.is_dir() {
            files += copy_folder(&path, &goal, cx)?;
        } else {
            copy_file(&path, &goal)?;
            files += 1;
        }
    }
    Ok(files)
}

/// Copies a file; gives both, open. A link may lead anywhere, and a pipe would be waited for: neither is followed.
pub(in crate::work) fn copy_file(from: &Path, to: &Path) -> anyhow::Result<(File, File)> {
    let mut file = open_own(from, File::options().read(true)).with_context(|| from.display().to_string())?;
    let mut copy = create_private(to).with_context(|| to.display().to_string())?;
    io::copy(&mut file, &mut copy).with_context(|| to.display().to_string())?;
    Ok((file, copy))
}
