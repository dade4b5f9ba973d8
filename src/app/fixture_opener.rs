//! Opens made-up archives.

use super::{FixtureDesk, Told};
use crate::app::{Desk, OpenTarget, Opener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Opens made-up archives, whatever the folder; `broken` fails, `/older` wants its inlinks built.
pub struct FixtureOpener {
    /// Nothing in them yet.
    pub empty: bool,
    /// What they are told.
    pub told: Arc<Told>,
}

impl Opener for FixtureOpener {
    fn open(&self, folder: &Path) -> anyhow::Result<Arc<dyn Desk>> {
        anyhow::ensure!(!folder.ends_with("broken"), "{} is no workspace", folder.display());
        self.told.say(format!("open {}", folder.display()));
        Ok(Arc::new(FixtureDesk { empty: self.empty, told: self.told.clone() }))
    }

    fn create(&self, folder: &Path) -> anyhow::Result<Arc<dyn Desk>> {
        self.told.say(format!("create {}", folder.display()));
        Ok(Arc::new(FixtureDesk { empty: true, told: self.told.clone() }))
    }

    fn create_beside(&self, folder: &Path) -> anyhow::Result<(PathBuf, Arc<dyn Desk>)> {
        Ok((folder.to_owned(), self.create(folder)?))
    }

    fn open_sample(&self, folder: &Path) -> anyhow::Result<(PathBuf, Arc<dyn Desk>)> {
        self.told.say(format!("sample {}", folder.display()));
        Ok((folder.to_owned(), Arc::new(FixtureDesk { empty: false, told: self.told.clone() })))
    }

    fn identify(&self, path: &Path) -> anyhow::Result<OpenTarget> {
        Ok(match path.extension() {
            Some(_) => OpenTarget::Archives,
            None => OpenTarget::Workspace(path.to_owned()),
        })
    }

    fn is_workspace(&self, folder: &Path) -> bool {
        !folder.ends_with("gone")
    }

    fn disk_free(&self) -> Option<u64> {
        Some(123_000_000_000)
    }

    fn default_folder(&self) -> PathBuf {
        PathBuf::from("/home/archivist/fonds")
    }
}
