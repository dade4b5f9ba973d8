//! Brings archive files made elsewhere into the catalogue.

use super::counted;
use crate::crawl::{CaptureEntry, CrawlError, LedgerError, index_archive};
use crate::jobs::JobCx;
use crate::store::{FileReport, Workspace};
use anyhow::Context;
use serde::Serialize;
use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

/// Captures kept in one write of the catalogue.
const BATCH: usize = 200;

/// What one file came to.
#[derive(Debug, Clone, Serialize)]
pub struct ImportedFile {
    /// Where it was found.
    pub path: String,
    /// Records read.
    pub records: u64,
    /// Captures in it.
    pub captures: u64,
    /// Captures that the catalogue did not know.
    pub new_captures: u64,
    /// It was read before, under this name, and skipped.
    pub same_as: Option<String>,
    /// What is broken or odd in it, each with its offset.
    pub problems: Vec<String>,
    /// Problems beyond those listed.
    pub more_problems: u64,
    /// Why it could not be read at all.
    pub error: Option<String>,
}

impl ImportedFile {
    fn new(path: &Path) -> Self {
        Self {
            path: path.display().to_string(),
            records: 0,
            captures: 0,
            new_captures: 0,
            same_as: None,
            problems: Vec::new(),
            more_problems: 0,
            error: None,
        }
    }

    fn unread(path: &Path, why: String) -> Self {
        Self { error: Some(why), ..Self::new(path) }
    }

    /// The file in words.
    pub fn words(&self) -> String {
        if let Some(error) = &self.error {
            return format!("not read: {error}");
        }
        if let Some(name) = &self.same_as {
            return format!("skipped, the same bytes were read before as {name}");
        }
        let mut words = format!(
            "{}, {}, {} new",
            counted(self.records, "record"),
            counted(self.captures, "capture"),
            self.new_captures
        );
        let problems = self.problems.len() as u64 + self.more_problems;
        if problems > 0 {
            words.push_str(&format!(", {}", counted(problems, "problem")));
        }
        words
    }
}

/// What an import came to.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ImportReport {
    /// One entry a file.
    pub files: Vec<ImportedFile>,
    /// Files that hold no archive and were passed over.
    pub passed_over: u64,
    /// Files and folders that were named but cannot be found.
    pub not_found: Vec<String>,
}

impl ImportReport {
    /// Whether a person should look at it.
    pub fn has_problems(&self) -> bool {
        self.files.is_empty() || self.files.iter().any(|file| file.error.is_some() || !file.problems.is_empty())
    }

    /// The import in words.
    pub fn words(&self) -> String {
        let sum = |of: fn(&ImportedFile) -> u64| self.files.iter().map(of).sum::<u64>();
        let skipped = self.files.iter().filter(|file| file.same_as.is_some()).count();
        let unread = self.files.iter().filter(|file| file.error.is_some()).count();
        let mut words = format!(
            "{}, {}, {}, {}",
            counted(self.files.len() as u64, "file"),
            counted(sum(|file| file.records), "record"),
            counted(sum(|file| file.new_captures), "new capture"),
            counted(sum(|file| file.problems.len() as u64 + file.more_problems), "problem")
        );
        for (count, what) in [(skipped, "known and skipped"), (unread, "not readable")] {
            if count > 0 {
                words.push_str(&format!(", {count} {what}"));
            }
        }
        if self.passed_over > 0 {
            words.push_str(&format!(", {} passed over", counted(self.passed_over, "other file")));
        }
        if !self.not_found.is_empty() {
            words.push_str(&format!(". Not found: {}", self.not_found.join(", ")));
        }
        if self.files.is_empty() {
            words.push_str(". In folders, files are looked for that end in .warc, .arc, .warc.gz, .arc.gz, .warc.zst");
        }
        words
    }
}

/// Reads files, and all archive files in folders, into the catalogue. The
/// files stay where they are, or are copied into the workspace.
pub fn import(workspace: &Workspace, paths: &[PathBuf], copy: bool, cx: &JobCx) -> anyhow::Result<ImportReport> {
    let mut report = ImportReport::default();
    let mut files = Vec::new();
    for path in paths {
        match path.canonicalize() {
            Ok(path) if path.is_dir() => find_archives(&path, &mut files, &mut report.passed_over, 0)?,
            Ok(path) => files.push(path),
            // The others are read all the same.
            Err(error) => {
                report.not_found.push(path.display().to_string());
                report.files.push(ImportedFile::unread(path, error.to_string()));
            }
        }
    }
    files.sort();
    files.dedup();
    let launch = workspace.catalogue().begin_import()?;
    cx.stage("Importing", Some(files.len() as u64));
    for path in files {
        cx.note(path.display().to_string());
        report.files.push(import_file(workspace, launch, &path, copy, cx)?);
        cx.advance(1)?;
    }
    workspace.catalogue().set_launch_state(launch, crate::store::rows::LaunchState::Finished, "")?;
    Ok(report)
}

/// Folders deeper than this are a loop of links.
const MAX_DEPTH: usize = 32;

fn find_archives(folder: &Path, files: &mut Vec<PathBuf>, passed_over: &mut u64, depth: usize) -> anyhow::Result<()> {
    if depth > MAX_DEPTH {
        return Ok(());
    }
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry.with_context(|| folder.display().to_string())?.path();
        if path.is_dir() {
            find_archives(&path, files, passed_over, depth + 1)?;
        } else if looks_like_archive(&path) {
            files.push(path);
        } else {
            *passed_over += 1;
        }
    }
    Ok(())
}

/// Whether a file found in a folder is worth reading, by name: a folder may
/// hold gigabytes of other things. A file named by a person is always read.
fn looks_like_archive(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let packed = ["", ".gz", ".zst"].iter().find_map(|ending| {
        let stem = name.strip_suffix(ending)?;
        (stem.ends_with(".warc") || stem.ends_with(".arc")).then_some(())
    });
    packed.is_some()
}

fn import_file(
    workspace: &Workspace,
    launch: i64,
    path: &Path,
    copy: bool,
    cx: &JobCx,
) -> anyhow::Result<ImportedFile> {
    let mut file = ImportedFile::new(path);
    let (sha256, size) = match digest_of(path, cx) {
        Ok(found) => found,
        Err(error) if crate::jobs::StopError::is_cancelled(&error) => return Err(error),
        Err(error) => return Ok(ImportedFile::unread(path, super::in_words(&error))),
    };
    if size == 0 {
        return Ok(ImportedFile::unread(path, "the file is empty".to_owned()));
    }
    let catalogue = workspace.catalogue();
    file.same_as = catalogue.file_with_digest(&sha256)?;
    if file.same_as.is_some() {
        return Ok(file);
    }
    let kept = if copy { copy_in(workspace, path, &sha256)? } else { path.to_owned() };
    let label = workspace.stored_name(&kept);
    let batch: RefCell<Vec<CaptureEntry>> = RefCell::default();
    let new: RefCell<u64> = RefCell::default();
    let keep = |entries: Vec<CaptureEntry>| -> Result<(), CrawlError> {
        let added = catalogue.add_captures(launch, entries).map_err(|error| LedgerError(error.to_string()))?;
        *new.borrow_mut() += added;
        Ok(())
    };
    let sink = |entry: CaptureEntry| {
        batch.borrow_mut().push(entry);
        if batch.borrow().len() >= BATCH { keep(batch.take()) } else { Ok(()) }
    };
    let index = match index_archive(&kept, &label, sink, cx) {
        Ok(index) => index,
        Err(error @ (CrawlError::Ledger(_) | CrawlError::Cancelled(_))) => return Err(error.into()),
        Err(error) => {
            file.error = Some(error.to_string());
            return Ok(file);
        }
    };
    keep(batch.take())?;
    file.records = index.records;
    file.captures = index.captures;
    file.new_captures = new.take();
    file.problems = index.problems.iter().map(ToString::to_string).collect();
    file.more_problems = index.more_problems;
    // Written last: a file that was cut off in the middle is read again.
    catalogue.file_done(
        launch,
        FileReport { file: label, size, sha256, records: index.records, problems: index.problems },
    )?;
    Ok(file)
}

/// SHA-256 in hex, and the size in bytes.
fn digest_of(path: &Path, cx: &JobCx) -> anyhow::Result<(String, u64)> {
    use sha2::Digest;
    let mut reader = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut hasher = sha2::Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut size = 0;
    loop {
        let read = reader.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        hasher.update(buffer.get(..read).unwrap_or_default());
        size += read as u64;
        cx.checkpoint()?;
    }
    Ok((data_encoding::HEXLOWER.encode(&hasher.finalize()), size))
}

/// Copies a file into the workspace; its digest keeps equal names apart.
fn copy_in(workspace: &Workspace, path: &Path, sha256: &str) -> anyhow::Result<PathBuf> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let folder = workspace.folder().join("imports").join(sha256.get(..12).unwrap_or(sha256));
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let goal = folder.join(&name);
    let open = folder.join(format!("{name}.open"));
    fs::copy(path, &open).with_context(|| open.display().to_string())?;
    File::open(&open).and_then(|file| file.sync_all()).with_context(|| open.display().to_string())?;
    fs::rename(&open, &goal).with_context(|| goal.display().to_string())?;
    Ok(goal)
}
