//! Names of archive files as indexes have them, and the files that they name.

use super::Replay;
use crate::jobs::lock;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How old names may be while others write to the catalogue, as a crawl does all the time.
const MAX_AGE: Duration = Duration::from_secs(1);

/// Names by those of the catalogue: the last part, with the number of the file before it where others have the same.
pub(super) struct FileNames {
    revision: u64,
    read_at: Instant,
    names: HashMap<String, String>,
    paths: HashMap<String, String>,
}

impl FileNames {
    fn read(replay: &Replay) -> anyhow::Result<Self> {
        let catalogue = replay.session.catalogue();
        // Before the files: what comes meanwhile is read the next time.
        let (revision, read_at) = (catalogue.revision_now()?, Instant::now());
        let files = catalogue.known_files()?;
        let mut uses: HashMap<&str, u64> = HashMap::new();
        for file in &files {
            *uses.entry(base_name(&file.path)).or_default() += 1;
        }
        let name = |id: &dyn std::fmt::Display, path: &str| match uses.get(base_name(path)) {
            Some(1) | None => base_name(path).to_owned(),
            Some(_) => format!("{id}/{}", base_name(path)),
        };
        let names: HashMap<String, String> =
            files.iter().map(|file| (file.path.clone(), name(&file.id, &file.path))).collect();
        let paths = names.iter().map(|(path, name)| (name.clone(), path.clone())).collect();
        Ok(Self { revision, read_at, names, paths })
    }

    /// The name of a file at this path in the catalogue.
    pub(super) fn name(&self, path: &str) -> String {
        self.names.get(path).cloned().unwrap_or_else(|| base_name(path).to_owned())
    }

    /// The path in the catalogue of what has this name.
    pub(super) fn path(&self, name: &str) -> Option<&str> {
        self.paths.get(name).map(String::as_str)
    }
}

impl Replay {
    /// The names; where the catalogue changed, those of a moment ago, unless `newest`.
    pub(super) fn file_names(&self, newest: bool) -> anyhow::Result<Arc<FileNames>> {
        let mut known = lock(&self.file_names);
        if let Some(names) = known.as_ref() {
            let is_new_enough = !newest && names.read_at.elapsed() < MAX_AGE;
            if is_new_enough || names.revision == self.session.catalogue().revision_now()? {
                return Ok(Arc::clone(names));
            }
        }
        Ok(Arc::clone(known.insert(Arc::new(FileNames::read(self)?))))
    }
}

pub(super) fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}
