//! Files of trials that were discarded: apart from the archive, until a person deletes them.

use crate::jobs::make_folder;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::workspace::Workspace;
use crate::store::launches::trials::DiscardedLaunch;
use serde::Serialize;
use std::fs;
use std::path::Path;

/// The folder of what was discarded, in the workspace.
const DISCARDED: &str = "discarded";

/// A file of a trial that was discarded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DiscardedFile {
    /// Always `discarded`.
    pub state: &'static str,
    /// Its path in the workspace.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// The trial: its 14 digits.
    pub launch: String,
    /// Title of its campaign.
    pub campaign: String,
}

impl Workspace {
    /// Moves the files of discarded trials where they belong to nothing any more. After a kill it is
    /// done again when the workspace is opened.
    ///
    /// # Errors
    ///
    /// A file system that refuses; links in the workspace.
    pub fn move_discarded(&self) -> Result<(), StoreError> {
        for trial in self.catalogue().discarded_launches()?.into_iter().filter(|trial| !trial.is_moved) {
            let target = self.discarded_folder(&trial)?;
            make_folder(&target).map_err(StoreError::io(&target))?;
            for (from, name) in [
                (self.warc_folder(&trial.job, &trial.launch)?, "warcs"),
                (self.log_folder(&trial.job, &trial.launch)?, "logs"),
            ] {
                let to = target.join(name);
                if from.is_dir() && !to.exists() {
                    fs::rename(&from, &to).map_err(StoreError::io(&from))?;
                }
            }
            self.catalogue().discarded_is_moved(trial.id)?;
        }
        Ok(())
    }

    fn discarded_folder(&self, trial: &DiscardedLaunch) -> Result<std::path::PathBuf, StoreError> {
        // Both names are checked by those of the other folders.
        self.warc_folder(&trial.job, &trial.launch)?;
        self.own_folder(Path::new(DISCARDED).join(&trial.job).join(&trial.launch))
    }

    /// The files of discarded trials that are still there.
    ///
    /// # Errors
    ///
    /// A catalogue or folder that cannot be read.
    pub fn discarded_files(&self) -> Result<Vec<DiscardedFile>, StoreError> {
        let mut files = Vec::new();
        for trial in self.catalogue().discarded_launches()? {
            let folder = match trial.is_moved {
                true => self.discarded_folder(&trial)?.join("warcs"),
                false => self.warc_folder(&trial.job, &trial.launch)?,
            };
            if !folder.is_dir() {
                continue;
            }
            for entry in fs::read_dir(&folder).map_err(StoreError::io(&folder))? {
                let entry = entry.map_err(StoreError::io(&folder))?;
                let size = entry.metadata().map_or(0, |meta| meta.len());
                let path = self.stored_name(&entry.path());
                let (launch, campaign) = (trial.launch.clone(), trial.campaign.clone());
                files.push(DiscardedFile { state: "discarded", path, size, launch, campaign });
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }
}
