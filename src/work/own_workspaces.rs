//! The workspaces that the person at the keyboard made, or lets run.
//!
//! An open window starts the runs of schedules. In a workspace that somebody else made and gave
//! away that would be crawls which nobody here chose, into this network, so those wait until a
//! person lets them run. Which workspaces are one's own
//! is listed beside the person's other settings, where no workspace can write it: a
//! line each, with the place of its folder and a number that the catalogue has.

use crate::campaign::Identity;
use crate::jobs::{make_private_folder, settings_folder};
use crate::store::{StoreError, Workspace};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// The list, in the folder of settings.
const LIST: &str = "workspaces.jsonl";
/// The longest list that is read, in bytes.
const MOST_BYTES: u64 = 16 << 20;
/// The setting with the number of a workspace.
const IDENTITY: &str = "identity";

/// A workspace on the list.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct OwnWorkspace {
    identity: String,
    folder: PathBuf,
}

/// The list of a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnWorkspaces(Option<PathBuf>);

impl OwnWorkspaces {
    /// The list of the person at the keyboard.
    pub fn of_person() -> Self {
        Self(settings_folder().map(|folder| folder.join(LIST)))
    }

    /// The list in a folder of settings.
    pub fn in_folder(folder: &Path) -> Self {
        Self(Some(folder.join(LIST)))
    }

    /// Whether the workspace is on the list. What cannot be read lists nothing.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn has(&self, workspace: &Workspace) -> Result<bool, StoreError> {
        let Some(identity) = workspace.catalogue().setting(IDENTITY)? else { return Ok(false) };
        let is_it = OwnWorkspace { identity, folder: place_of(workspace) };
        let Some(file) = self.0.as_ref().and_then(|path| File::open(path).ok()) else { return Ok(false) };
        let mut lines = BufReader::new(file.take(MOST_BYTES)).lines().map_while(Result::ok);
        Ok(lines.any(|line| serde_json::from_str::<OwnWorkspace>(&line).is_ok_and(|listed| listed == is_it)))
    }

    /// Puts a workspace on the list, if it is not there.
    ///
    /// # Errors
    ///
    /// A workspace or a list that cannot be written.
    pub fn add(&self, workspace: &Workspace) -> anyhow::Result<()> {
        if self.has(workspace)? {
            return Ok(());
        }
        let identity = workspace.catalogue().change_setting(IDENTITY, |known| {
            let identity = known.unwrap_or_else(|| Identity::new().to_string());
            (Some(identity.clone()), identity)
        })?;
        let mut line = serde_json::to_string(&OwnWorkspace { identity, folder: place_of(workspace) })?;
        line.push('\n');
        let path =
            self.0.as_ref().ok_or_else(|| io::Error::new(ErrorKind::NotFound, "no folder for settings is known"))?;
        path.parent().map_or(Ok(()), make_private_folder)?;
        // Other processes add theirs: a short line is written in one go.
        OpenOptions::new().create(true).append(true).open(path)?.write_all(line.as_bytes())?;
        Ok(())
    }
}

fn place_of(workspace: &Workspace) -> PathBuf {
    workspace.folder().canonicalize().unwrap_or_else(|_| workspace.folder().to_owned())
}
