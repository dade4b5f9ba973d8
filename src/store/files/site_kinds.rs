//! The kinds of sites of a workspace: those of the program, and those of a file that a person may edit.

use crate::captures::{SiteKinds, SiteKindsError};
use crate::jobs::lock;
use crate::store::{StoreError, Workspace};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

/// Name of the file in the folder of a workspace.
pub const SITE_KINDS_FILE: &str = "site-kinds.json";
/// Longest file that is read.
const MAX_BYTES: u64 = 1 << 20;

/// When the file was changed last, and its length; none where there is none.
type KindsFileState = Option<(SystemTime, u64)>;

/// The kinds as they were read last.
#[derive(Default)]
pub(in crate::store) struct KnownSiteKinds(Mutex<Option<(KindsFileState, Arc<SiteKinds>)>>);

impl Workspace {
    /// The file of kinds of sites, which may be there or not.
    pub fn site_kinds_file(&self) -> PathBuf {
        self.folder().join(SITE_KINDS_FILE)
    }

    /// The kinds of sites that pages of this workspace are compared with, as its file has them now.
    ///
    /// # Errors
    ///
    /// [`StoreError::SiteKinds`], and a file that cannot be read.
    pub fn site_kinds(&self) -> Result<Arc<SiteKinds>, StoreError> {
        let path = self.site_kinds_file();
        let state = match std::fs::symlink_metadata(&path) {
            Ok(meta) => Some((meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), meta.len())),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(StoreError::io(&path)(error)),
        };
        let mut known = lock(&self.known_site_kinds.0);
        if let Some((_, kinds)) = known.as_ref().filter(|(of, _)| *of == state) {
            return Ok(Arc::clone(kinds));
        }
        let wrong = |why: String| StoreError::SiteKinds { path: path.clone(), why };
        let kinds = match state {
            None => SiteKinds::default(),
            Some((_, length)) if length > MAX_BYTES => {
                return Err(wrong(format!("it has {length} bytes; at most {MAX_BYTES} are read")));
            }
            Some(_) => {
                let mut text = String::new();
                let file = crate::jobs::open_own(&path, File::options().read(true)).map_err(StoreError::io(&path))?;
                file.take(MAX_BYTES).read_to_string(&mut text).map_err(StoreError::io(&path))?;
                SiteKinds::with_file(&text).map_err(|error: SiteKindsError| wrong(error.to_string()))?
            }
        };
        let kinds = Arc::new(kinds);
        *known = Some((state, Arc::clone(&kinds)));
        Ok(kinds)
    }
}
