//! Brings archive files made elsewhere into the catalogue.
//!
//! In: files and folders. Out: their captures in the catalogue, and a row for each file with its
//! outcome, written when the file is done.
//!
//! A new file is read once: it is hashed while it is indexed. Equal bytes have equal sizes: only
//! where the catalogue has a file of the same size is the digest made first, by a reading of its
//! own. A path that was read before, with the same size and date, is not read at all. So a stopped
//! or killed import goes on where it was: begun again with the same words it continues the same
//! report, and the file that it was in the middle of is read again from its beginning, its known
//! captures being left as they are.
//! Small files are read two at a time; large ones one after the other, each by
//! several threads, so that one huge file is as fast as many small ones.
//!
//! A capture that is here already, from whatever file, is not added: its URL, date and payload
//! digest (or record id) identify it. What a package holds of files that were imported, or an
//! export of this workspace, adds nothing.
//!
//! Invariants: files of persons are never changed or moved; one bad file does not keep the others
//! out; files of one size are read one after the other, so that copies of each other do not come in
//! twice.

mod copy;
mod one;
mod package;
mod report;
mod sources;

pub(super) use copy::{Hashing, IMPORTS, INCOMING, digest_of};
pub(super) use package::is_package;
pub use report::{
    ARCHIVE_NAMES, file_summary, has_problems, import_campaign_line, import_summary, imports, summary_beside,
};
pub(super) use sources::{SourceFile, find_all, has_archives, is_archive_name, leads_out};

use crate::jobs::{JobCx, StopError};
use crate::store::rows::{FileId, ImportOptions, ImportRow, LaunchId, LaunchState};
use crate::store::{KnownFile, Workspace};
use crate::work::links::repeats::read_repeats;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Files read at the same time. The catalogue has one writer, which two
/// readers keep busy.
const THREADS: usize = 2;

/// An import under way; shared by its threads.
struct Importer<'a> {
    workspace: &'a Workspace,
    launch: LaunchId,
    copy: bool,
    cx: &'a JobCx,
    /// Bytes of all files. Each counts once, however often it is read.
    total: u64,
    files: u64,
    begun: AtomicU64,
    /// Held by who reads a large file with all threads there are.
    large: Mutex<()>,
    /// Captures of the catalogue, and those that were taken since.
    known: AtomicU64,
    /// Files of the catalogue that are not at their places.
    lost: Arc<HashSet<FileId>>,
}

/// Reads files, and all archive files in folders, into the catalogue. The files stay where they
/// are, or are copied into the workspace. Links that lead out of a folder are followed by option
/// only: whoever made the folder chose where they lead.
///
/// # Errors
///
/// When the catalogue fails or the job is stopped; called again with the same
/// words the import goes on. A file that cannot be read is no error but a row.
pub fn import(
    workspace: &Workspace,
    paths: &[PathBuf],
    options: ImportOptions,
    cx: &JobCx,
) -> anyhow::Result<ImportRow> {
    cx.stage("Looking for archive files", None);
    let search = sources::find(paths, options.follow_links, cx)?;
    let catalogue = workspace.catalogue();
    let launch = catalogue.begin_import(&search.named, options)?;
    copy::clear(workspace);
    let lost = Arc::new(lost_files(workspace)?);
    let result = Importer {
        workspace,
        launch,
        copy: options.copy,
        cx,
        total: search.files.iter().map(|file| file.size).sum(),
        files: search.files.len() as u64,
        begun: AtomicU64::new(0),
        large: Mutex::new(()),
        known: AtomicU64::new(catalogue.newest_capture()?.unsigned_abs()),
        lost,
    }
    .run(search);
    match &result {
        Ok(()) => catalogue.set_launch_state(launch, LaunchState::Finished, "")?,
        Err(error) => {
            let why = if error.is_cancelled() { "stopped on request".to_owned() } else { super::error_chain(error) };
            // On a full disk this cannot be kept either; the error is the one that stopped it.
            if let Err(unkept) = catalogue.set_launch_state(launch, LaunchState::Stopped, &why) {
                tracing::warn!("that the import stopped is not kept: {unkept}");
            }
        }
    }
    result?;
    Ok(catalogue.import(launch)?)
}

/// The files of the catalogue whose bytes are not at their places any more.
fn lost_files(workspace: &Workspace) -> anyhow::Result<HashSet<FileId>> {
    let is_lost = |file: &KnownFile| {
        let meta = workspace.file_path(&file.path).ok().and_then(|path| path.metadata().ok());
        file.changed || meta.is_none_or(|meta| meta.len() < file.size)
    };
    let files = workspace.catalogue().known_files()?;
    Ok(files.iter().filter(|file| is_lost(file)).map(|file| file.id).collect())
}

impl Importer<'_> {
    fn run(&self, search: sources::Search) -> anyhow::Result<()> {
        let catalogue = self.workspace.catalogue();
        catalogue.keep_passed_over(self.launch, search.passed_over, &search.passed_paths)?;
        self.learn_sizes()?;
        let done = catalogue.imported_so_far(self.launch)?;
        self.cx.stage_in_bytes("Importing", Some(self.total));
        let mut to_do = Vec::new();
        for file in search.files {
            let is_done = file.trouble.is_none() && done.get(&file.name()) == Some(&(file.size, file.mtime_ns));
            if is_done {
                self.begun.fetch_add(1, Ordering::Relaxed);
                self.cx.advance(file.size)?;
            } else {
                to_do.push(file);
            }
        }
        self.work(&sources::by_size(to_do))?;
        read_repeats(self.workspace, Some(self.launch), self.cx)?;
        Ok(())
    }

    /// Looks at all files. The first error that is not of a file ends it.
    fn work(&self, groups: &[Vec<SourceFile>]) -> anyhow::Result<()> {
        let next = AtomicUsize::new(0);
        let stop = AtomicBool::new(false);
        let failed: Mutex<Option<anyhow::Error>> = Mutex::default();
        let worker = || {
            while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                for file in group {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    if let Err(error) = self.cx.checkpoint().map_err(Into::into).and_then(|()| self.one(file)) {
                        stop.store(true, Ordering::Relaxed);
                        failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                        return;
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..THREADS.min(groups.len()) {
                scope.spawn(worker);
            }
            worker();
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Notes which file is read.
    fn note(&self, file: &SourceFile) {
        let number = self.begun.fetch_add(1, Ordering::Relaxed) + 1;
        let name = file.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        self.cx.note(format!("file {number} of {}, {name}", self.files));
    }

    /// Adds the sizes of files that crawls of this workspace wrote: by its size a copy of such a file
    /// is recognised.
    fn learn_sizes(&self) -> anyhow::Result<()> {
        for file in self.workspace.catalogue().known_files()? {
            if file.crawled
                && file.size == 0
                && let Ok(path) = self.workspace.stored_place(&file.path)
                && let Ok(meta) = path.metadata()
            {
                self.workspace.catalogue().learn_size(file.id, meta.len())?;
            }
        }
        Ok(())
    }
}
