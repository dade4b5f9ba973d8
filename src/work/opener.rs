//! Opens and makes workspaces on disk.

use super::{OwnWorkspaces, Session};
use crate::store::{CATALOGUE_FILE, StoreError, Workspace};
use anyhow::Context;
use std::path::{Path, PathBuf};

/// The kind of thing at a path that a person wants to open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenTarget {
    /// A workspace, in this folder.
    Workspace(PathBuf),
    /// An archive file, or a folder with some in it.
    Archives,
}

/// Numbers that are tried behind the name of a folder.
const MOST_NUMBERED: u32 = 1000;

/// A folder, and those beside it that are called like it with a number.
fn numbered(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let name = folder.file_name().unwrap_or_default().to_os_string();
    let folder = folder.to_owned();
    (1..=MOST_NUMBERED).map(move |number| {
        let mut name = name.clone();
        if number > 1 {
            name.push(format!("-{number}"));
        }
        folder.with_file_name(name)
    })
}

/// The setting of a workspace that was made for a campaign which is not saved yet.
const MADE_FOR_DRAFT: &str = "made_for_draft";
/// A catalogue in which nothing is kept is smaller; larger ones are not opened for a look.
const SMALL_CATALOGUE: u64 = 2 << 20;

/// Whether there may be nothing in the workspace here.
fn is_small(folder: &Path) -> bool {
    folder.join(CATALOGUE_FILE).metadata().is_ok_and(|meta| meta.is_file() && meta.len() < SMALL_CATALOGUE)
}

/// Makes a workspace in the first of these folders that is free.
fn create_beside(folder: &Path) -> anyhow::Result<(PathBuf, Workspace)> {
    for folder in numbered(folder) {
        match Workspace::create(&folder) {
            Ok(workspace) => return Ok((folder, workspace)),
            Err(StoreError::Exists(_) | StoreError::NotEmpty(_) | StoreError::NotAFolder(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    anyhow::bail!("{}: this folder and those numbered after it are taken", folder.display())
}

/// Opens a workspace; the sample's web is served for as long as it is open.
fn open(folder: &Path, own: Option<&OwnWorkspaces>) -> anyhow::Result<Session> {
    let session = Session::new(Workspace::open_or_read_only(folder)?).with_own(own.cloned());
    super::sample::serve_sample(&session)?;
    Ok(session)
}

/// Opens workspaces on disk.
#[derive(Default)]
pub struct Workspaces {
    folder: Option<PathBuf>,
    disk_free: Option<u64>,
    /// The list of the person's own workspaces; without it all are.
    own: Option<OwnWorkspaces>,
}

impl Workspaces {
    /// Looks once how much room there is where workspaces are offered.
    pub fn new() -> Self {
        let folder = Self::default().default_folder();
        let disk_free = folder.ancestors().find_map(|folder| crate::crawl::free_bytes(folder).ok());
        Self { folder: None, disk_free, own: Some(OwnWorkspaces::of_person()) }
    }

    /// Offers this folder for new workspaces.
    pub fn offering(folder: PathBuf) -> Self {
        Self { folder: Some(folder), ..Self::default() }
    }

    /// This opener with another list of the person's own workspaces.
    pub fn with_own(self, own: OwnWorkspaces) -> Self {
        Self { own: Some(own), ..self }
    }

    /// A session on a workspace that was made now.
    fn made(&self, workspace: Workspace) -> Session {
        if let Some(own) = &self.own
            && let Err(error) = own.add(&workspace)
        {
            tracing::warn!("that {} is one's own cannot be kept: {error}", workspace.folder().display());
        }
        Session::new(workspace).with_own(self.own.clone())
    }
}

impl Workspaces {
    /// Opens a folder; changes nothing when it is no workspace.
    pub fn open(&self, folder: &Path) -> anyhow::Result<Session> {
        open(folder, self.own.as_ref())
    }

    /// Makes a workspace in an empty or absent folder.
    pub fn create(&self, folder: &Path) -> anyhow::Result<Session> {
        Ok(self.made(Workspace::create(folder)?))
    }

    /// Makes a workspace in this folder, or in the first that is free of those
    /// called like it with a number; answers with that folder.
    pub fn create_beside(&self, folder: &Path) -> anyhow::Result<(PathBuf, Session)> {
        let (folder, workspace) = create_beside(folder)?;
        Ok((folder, self.made(workspace)))
    }

    /// Creates a workspace for a campaign that is not saved yet. One that was made for one before, and
    /// left empty when its window was killed, is taken again.
    pub fn create_for_draft(&self, folder: &Path) -> anyhow::Result<(PathBuf, Session)> {
        for left in numbered(folder).take_while(|folder| folder.exists()) {
            if is_small(&left) && self.is_workspace(&left) {
                // One that cannot be read is nobody's draft.
                let Ok(session) = open(&left, self.own.as_ref()) else { continue };
                let is_marked = matches!(session.catalogue().setting(MADE_FOR_DRAFT), Ok(Some(_)));
                if is_marked && matches!(session.is_unused(), Ok(true)) {
                    return Ok((left, session));
                }
            }
        }
        let (folder, session) = self.create_beside(folder)?;
        session.catalogue().set_setting(MADE_FOR_DRAFT, "1")?;
        Ok((folder, session))
    }

    /// Deletes a workspace in which nothing is kept, by [`Session::is_unused`]: what making it made,
    /// and nothing else. It must not be open.
    pub fn remove_unused(&self, folder: &Path) -> anyhow::Result<()> {
        Ok(Workspace::remove_empty(folder)?)
    }

    /// Opens the workspace with the sample campaign in this folder, and makes
    /// it where there is none, as [`Self::create_beside`] does. This process
    /// serves its web on loopback while the workspace is open.
    pub fn open_sample(&self, folder: &Path) -> anyhow::Result<(PathBuf, Session)> {
        let there = numbered(folder).take_while(|folder| folder.exists());
        for folder in there.filter(|folder| self.is_workspace(folder)) {
            let session = open(&folder, self.own.as_ref())?;
            if super::sample::is_sample(&session) {
                return Ok((folder, session));
            }
        }
        let (folder, workspace) = create_beside(folder)?;
        let session = self.made(workspace);
        super::sample::add_sample_campaign(&session)?;
        super::sample::serve_sample(&session)?;
        Ok((folder, session))
    }

    /// Says what is at a path that a person wants to open.
    pub fn identify(&self, path: &Path) -> anyhow::Result<OpenTarget> {
        let meta = path.metadata().with_context(|| path.display().to_string())?;
        if meta.is_file() {
            // The catalogue itself, found in a list of files.
            let folder = path.parent().filter(|_| path.file_name().is_some_and(|name| name == CATALOGUE_FILE));
            return Ok(folder.map_or(OpenTarget::Archives, |folder| OpenTarget::Workspace(folder.to_owned())));
        }
        if self.is_workspace(path) {
            return Ok(OpenTarget::Workspace(path.to_owned()));
        }
        anyhow::ensure!(
            super::is_importable(path)?,
            "{}: the folder holds neither a workspace nor the job of a crawler nor a WARC, ARC or WACZ file",
            path.display()
        );
        Ok(OpenTarget::Archives)
    }

    /// Whether a workspace is in this folder.
    pub fn is_workspace(&self, folder: &Path) -> bool {
        folder.join(CATALOGUE_FILE).is_file()
    }

    /// Free bytes where that folder will lie, as far as known. Does not block.
    pub fn disk_free(&self) -> Option<u64> {
        self.disk_free
    }

    /// The folder offered to a person who has not chosen one. Does not block.
    pub fn default_folder(&self) -> PathBuf {
        if let Some(folder) = &self.folder {
            return folder.clone();
        }
        let home = std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE")).map(PathBuf::from);
        home.unwrap_or_else(|| PathBuf::from(".")).join("fonds")
    }
}
