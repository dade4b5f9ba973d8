//! Writes an export: a chapter after another into a folder that gets its name in the end.

pub(super) mod assembly;
pub(super) mod attachments;
pub(super) mod compressed;
pub(super) mod copy;
pub(super) mod finish;
mod notes;
pub(super) mod pack;
pub(super) mod places;
pub(super) mod records;
pub(super) mod sink;
pub(super) mod warcinfo;

use super::bag::{BagInfo, PAYLOAD, write_bag};
use super::manifest::{Counts, LOCK_NAME, Manifest};
use super::signature::write_signature;
use super::{ExportError, ExportItem, ExportOptions, ExportReport, PackageOptions, io_at, write_package};
use crate::export::write::assembly::{Export, SOFTWARE};
use crate::export::write::attachments::Written;
use crate::export::write::finish::{Unwritten, write_files};
use crate::export::write::sink::{Archives, PlannedFile, Sink};
use crate::jobs::{FileLock, JobCx, NotLocked, sync_folder, sync_tree};
use crate::keys::SigningKey;
use crate::uri::CaptureDate;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of a line of the index without its URLs and its file, about.
const INDEX_LINE_BYTES: u64 = 163;
/// Bytes of the name of an archive file behind its prefix.
const NAME_BYTES: u64 = 32;
/// Bytes of a package beside its archive files, about.
const WACZ_BYTES: u64 = 2500;
/// Bytes of a package for each line of its index, about, with its page where there is one.
const WACZ_BYTES_EACH: u64 = 50;

/// Writes the selected captures and all that belongs to them into `out`,
/// which must be empty or absent. Until it is complete the folder is called
/// `….open`; after an error or a cancel nothing is left. What a killed export
/// left there is deleted first, unless another process writes it.
///
/// Records that cannot be read are listed in the report; the rest is written.
pub fn export_selection(
    items: impl Iterator<Item = Result<ExportItem, ExportError>>,
    out: &Path,
    options: ExportOptions,
    cx: &JobCx,
) -> Result<ExportReport, ExportError> {
    let (staging, lock) = prepare(out)?;
    let mut lock = Some(lock);
    let result = write_all(items, &mut Sink::Folder(&staging), options, cx).and_then(|mut report| {
        if out.exists() {
            fs::remove_dir(out).map_err(io_at(out))?;
        }
        if cfg!(not(unix)) {
            // A folder with an open file in it cannot be renamed there.
            lock = None;
        }
        sync_tree(&staging).map_err(io_at(&staging))?;
        fs::rename(&staging, out).map_err(io_at(out))?;
        // The lock file goes last: without it the folder would not be known as an export's.
        let lock_file = out.join(LOCK_NAME);
        fs::remove_file(&lock_file).map_err(io_at(&lock_file))?;
        sync_folder(Some(out));
        sync_folder(out.parent());
        report.folder = out.to_owned();
        Ok(report)
    });
    let result = result.map_err(|error| {
        let removed = fs::remove_dir_all(&staging);
        if let Err(error) = &removed {
            tracing::warn!("{}: a half-written export is left here: {error}", staging.display());
        }
        error.with_advice(out, &staging, removed.is_err())
    });
    drop(lock);
    result
}

/// The files that [`export_selection`] would write, by path, and what it would
/// come to. Nothing is written. Records that can be copied as they are found are
/// taken for sound: damage within them shows when they are written.
///
/// # Errors
///
/// As [`export_selection`], where a source cannot be read.
pub fn plan_export(
    items: impl Iterator<Item = Result<ExportItem, ExportError>>,
    options: ExportOptions,
    cx: &JobCx,
) -> Result<(ExportReport, Vec<PlannedFile>), ExportError> {
    let mut sink = Sink::Sizes(Vec::new());
    let mut report = write_all(items, &mut sink, options, cx)?;
    let files = sink.into_sizes();
    report.bytes = files.iter().map(|file| file.bytes).sum();
    Ok((report, files))
}

/// Makes the folder that is written to, and locks it.
fn prepare(out: &Path) -> Result<(PathBuf, FileLock), ExportError> {
    match fs::read_dir(out) {
        Ok(mut entries) => {
            if entries.next().is_some() {
                return Err(ExportError::NotEmpty { folder: out.to_owned() });
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(io_at(out)(error)),
    }
    // A trailing slash or `.` would put the name inside the folder.
    let clean: PathBuf = out.components().collect();
    let mut staging = OsString::from(&clean);
    staging.push(crate::warc::OPEN_SUFFIX);
    let staging = PathBuf::from(staging);
    if let Some(parent) = clean.parent() {
        fs::create_dir_all(parent).map_err(io_at(parent))?;
    }
    let lock_file = staging.join(LOCK_NAME);
    match fs::create_dir(&staging) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            // A folder without our lock file may be a person's own.
            let is_empty = fs::read_dir(&staging).is_ok_and(|mut entries| entries.next().is_none());
            if staging.is_symlink() || (!is_empty && !lock_file.is_file()) {
                return Err(ExportError::NotAStaging { folder: staging });
            }
        }
        Err(error) => return Err(io_at(&staging)(error)),
    }
    let holder = format!("process {} since {}", std::process::id(), CaptureDate::now());
    let lock = FileLock::take(&lock_file, &holder).map_err(|error| match error {
        NotLocked::LockedBy(holder) => ExportError::BeingWritten { folder: staging.clone(), holder },
        NotLocked::Failed(source) => io_at(&lock_file)(source),
    })?;
    clear(&staging)?;
    Ok((staging, lock))
}

/// Deletes what a killed export left in a folder that is locked now.
fn clear(staging: &Path) -> Result<(), ExportError> {
    for entry in fs::read_dir(staging).map_err(io_at(staging))? {
        let entry = entry.map_err(io_at(staging))?;
        let path = entry.path();
        if entry.file_name() == LOCK_NAME {
            continue;
        }
        match entry.file_type().map_err(io_at(&path))?.is_dir() {
            true => fs::remove_dir_all(&path),
            false => fs::remove_file(&path),
        }
        .map_err(io_at(&path))?;
    }
    Ok(())
}

/// The place of every capture.
pub(super) const INDEX_NAME: &str = "indexes/index.cdxj";
/// The file with the inlinks of all captures.
pub(super) const INLINKS_NAME: &str = "inlinks.jsonl";

/// Writes all of it, a chapter after another: records, what is known beyond captures, the package, files beside the
/// archive files, manifest and bag.
fn write_all(
    items: impl Iterator<Item = Result<ExportItem, ExportError>>,
    sink: &mut Sink<'_>,
    mut options: ExportOptions<'_>,
    cx: &JobCx,
) -> Result<ExportReport, ExportError> {
    let created = (options.clock)();
    let bag_info = BagInfo::of(&options);
    let mut export = Export::begin(&mut options, sink)?;
    export.captures(items, options.expected, cx)?;
    if let Some(further) = options.further_knowledge.take() {
        export.beyond_captures(further, created, cx)?;
    }
    export.counts.records += export.files.len() as u64;
    let Export { files, is_dry, index, index_urls, inlinks, graph, counts, mut problems, notes, .. } = export;
    let notes = notes.lines();
    if is_dry {
        let each = INDEX_LINE_BYTES + NAME_BYTES + options.prefix.len() as u64;
        sink.estimate(format!("{PAYLOAD}{INDEX_NAME}"), index_urls + each * counts.index_lines);
    }
    let archives = match options.wacz {
        true => {
            problems.extend(write_wacz(files, &options, created, counts.index_lines, sink, cx)?);
            None
        }
        false => Some(files),
    };
    let unwritten =
        Unwritten { archives, index: (!is_dry).then_some(index), inlinks: options.inlinks.then_some(inlinks), graph };
    let (left_out, rewritten) = (&export.left_out, &export.rewritten);
    let written = Written { counts: &counts, problems: &problems, notes: &notes, left_out, rewritten };
    let attachments = write_files(unwritten, std::mem::take(&mut options.attachments), &written, sink, cx)?;
    let bytes = write_manifest(options, created, &counts, attachments, &bag_info, sink, cx)?;
    if export.unlisted > 0 {
        problems.push(format!("{} further problems are not listed", export.unlisted));
    }
    let folder = sink.folder().map(Path::to_owned).unwrap_or_default();
    Ok(ExportReport { folder, counts, bytes, problems, notes })
}

/// Closes the archive files and packs them once more, as a package; gives what is wrong with that.
fn write_wacz(
    archives: Archives,
    options: &ExportOptions<'_>,
    created: CaptureDate,
    index_lines: u64,
    sink: &mut Sink<'_>,
    cx: &JobCx,
) -> Result<Vec<String>, ExportError> {
    let name = format!("{}.wacz", options.prefix);
    let archive_files = archives.close(sink)?;
    let archive_bytes: u64 = archive_files.iter().map(|(_, bytes)| bytes).sum();
    let Some(folder) = sink.folder() else {
        sink.estimate(format!("{PAYLOAD}{name}"), archive_bytes + WACZ_BYTES + WACZ_BYTES_EACH * index_lines);
        return Ok(Vec::new());
    };
    let package = PackageOptions {
        title: options.title.clone(),
        created: Some(created),
        signer: options.signer.clone(),
        ..PackageOptions::default()
    };
    let paths: Vec<PathBuf> = archive_files.into_iter().map(|(path, _)| path).collect();
    let written = write_package(&folder.join(format!("{PAYLOAD}{name}")), &paths, &package, cx)?;
    Ok(written.problems.iter().map(|problem| format!("{name}: {problem}")).collect())
}

/// Lists all files, and makes a bag of the folder; returns the bytes of the listed files.
fn write_manifest(
    options: ExportOptions<'_>,
    created: CaptureDate,
    counts: &Counts,
    attachments: BTreeMap<String, u64>,
    bag_info: &BagInfo,
    sink: &mut Sink<'_>,
    cx: &JobCx,
) -> Result<u64, ExportError> {
    let files = sink.files(cx)?;
    let bytes = files.iter().map(|file| file.bytes).sum();
    let manifest = Manifest {
        format: Manifest::FORMAT.to_owned(),
        version: Manifest::VERSION,
        software: SOFTWARE.to_owned(),
        title: options.title,
        created: created.to_warc(),
        selection: options.selection.map(|selection| selection()),
        signed_with: options.signer.iter().flat_map(SigningKey::publics).map(|key| key.to_string()).collect(),
        counts: counts.clone(),
        attachments,
        files,
    };
    let (manifest_file, manifest_bytes) = manifest.write(sink)?;
    let mut listed = vec![manifest_file];
    if let Some(key) = &options.signer {
        listed.push(write_signature(sink, key, &manifest, &manifest_bytes)?);
    }
    write_bag(sink, &manifest, listed, bag_info, created)?;
    Ok(bytes)
}
