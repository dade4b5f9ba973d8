//! Archive files are checked, found again when they are lost, and shown at the bytes of a problem.

pub(super) mod backup;
pub(super) mod campaign_files;
pub(super) mod documents;
pub(super) mod earlier;
pub(super) mod import_records;
pub(super) mod table_files;

use super::Report;
use super::counted;
use super::import::{digest_of, find_all};
use crate::jobs::JobCx;
use crate::store::rows::ProblemId;
use crate::store::rows::{FileId, FileRow, FileState, ProblemDetail, ProblemRow};
use crate::store::{FileToLocate, RecordRow, Workspace, mtime_ns};
use crate::warc::{Compression, Span, enter_record_cancellable, enter_record_in, format_offset, open_archive_file};
use anyhow::Context as _;
use serde::Serialize;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Bytes of a file that the panel shows around a problem.
const SHOWN_BYTES: u64 = 1024;
/// Bytes of a record's block that the panel shows.
const SHOWN_BLOCK: u64 = 2048;
/// Line breaks that are due after a record, in bytes.
const MAX_BREAKS: u64 = 4;
/// Bytes in a line of a hex table.
const HEX_LINE: usize = 16;

/// The outcome of a check of every byte of every file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CheckOutcome {
    /// Files whose digest is that of the bytes that were read.
    pub sound: u64,
    /// Files whose digest was not known before and is kept from now on.
    pub learned: u64,
    /// Files with other bytes.
    pub changed: u64,
    /// Files that could not be read, with the reason.
    pub unreadable: Vec<String>,
    /// Files that are missing, open, or were not read to their end.
    pub passed_over: u64,
    /// The state of each file that was checked.
    #[serde(skip)]
    pub states: HashMap<FileId, FileState>,
    /// Why the catalogue does not keep what was found, where it could only be read.
    pub not_kept: Option<String>,
}

impl Report for CheckOutcome {
    fn summary(&self) -> String {
        let mut text = format!("{} unchanged", counted(self.sound, "file"));
        for (count, what) in [
            (self.changed, "changed since the import"),
            (self.learned, "with a newly recorded digest"),
            (self.unreadable.len() as u64, "not readable"),
            (self.passed_over, "missing, open or incompletely read"),
        ] {
            if count > 0 {
                let _ = write!(text, ", {count} {what}");
            }
        }
        if let Some(why) = &self.not_kept {
            let _ = write!(text, "; the workspace does not keep this result, since {why}");
        }
        text
    }
}

/// Hashes every file that is there and keeps whether it is as it was.
pub fn check_files(workspace: &Workspace, cx: &JobCx) -> anyhow::Result<CheckOutcome> {
    let files = workspace.files()?;
    let mut outcome = CheckOutcome::default();
    // A changed file of the same size may be the old one again.
    let is_checked =
        |file: &FileRow| matches!(file.state, FileState::Present | FileState::Touched | FileState::Changed);
    let total = files.iter().filter(|file| is_checked(file)).filter_map(|file| fs::metadata(&file.location).ok());
    cx.stage_in_bytes("Checking digests", Some(total.map(|meta| meta.len()).sum()));
    for file in files {
        if !is_checked(&file) {
            outcome.passed_over += 1;
            continue;
        }
        cx.note(file.path.clone());
        let measured = fs::metadata(&file.location).and_then(|meta| Ok((digest_of(&file.location, cx)?, meta)));
        cx.checkpoint()?;
        match measured {
            Err(error) => outcome.unreadable.push(format!("{}: {error}", file.path)),
            Ok(((sha256, size), meta)) => {
                let is_same = sha256 == file.sha256;
                // The bytes of a crawl's own file are its own; those of a file that
                // an import did not read to its end may be another's by now.
                let is_first = file.sha256.is_empty() && file.crawled && file.state != FileState::Changed;
                if is_same || is_first {
                    outcome.states.insert(file.id, FileState::Present);
                    outcome.not_kept = workspace
                        .if_writable(|catalogue| catalogue.file_is_sound(file.id, size, mtime_ns(&meta), &sha256))?;
                    *(if is_same { &mut outcome.sound } else { &mut outcome.learned }) += 1;
                } else if file.sha256.is_empty() && !file.crawled {
                    outcome.passed_over += 1;
                } else {
                    outcome.states.insert(file.id, FileState::Changed);
                    outcome.not_kept = workspace.if_writable(|catalogue| catalogue.file_is_changed(file.id))?;
                    outcome.changed += 1;
                }
            }
        }
    }
    Ok(outcome)
}

/// The outcome of a search for lost files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LocateOutcome {
    /// Name before and now of each file that was found.
    pub found: Vec<(String, String)>,
    /// Files that are still not there.
    pub still_lost: Vec<String>,
    /// Files that were found, but cannot be taken, with the reason.
    pub not_taken: Vec<String>,
}

impl Report for LocateOutcome {
    fn summary(&self) -> String {
        let lost = self.still_lost.len() as u64;
        let mut text = match (self.found.len() as u64, lost + self.not_taken.len() as u64) {
            (0, 0) => return "no file is missing".to_owned(),
            (found, 0) => format!("{} found, none missing", counted(found, "file")),
            (found, lost) => format!("{} found, {lost} still missing", counted(found, "file")),
        };
        for why in &self.not_taken {
            let _ = write!(text, "; {why}");
        }
        text
    }
}

/// Looks in a folder for the files that are missing or have changed, by size
/// and then digest, and reads them from there from now on. With `only`, for
/// one of them.
pub fn locate(workspace: &Workspace, folder: &Path, only: Option<FileId>, cx: &JobCx) -> anyhow::Result<LocateOutcome> {
    let metadata = folder.metadata().with_context(|| folder.display().to_string())?;
    anyhow::ensure!(
        metadata.is_dir(),
        "{}: this is no folder. Name the one that the files were moved to",
        folder.display()
    );
    cx.stage("Looking for archive files", None);
    let mut outcome = LocateOutcome::default();
    let mut lost = Vec::new();
    for file in workspace.files()? {
        if file.state.is_lost() && only.is_none_or(|id| id == file.id) {
            lost.push(workspace.catalogue().file_to_locate(file.id)?);
        }
    }
    if lost.is_empty() {
        return Ok(outcome);
    }
    let mut places = find_all(folder, cx)?;
    places.retain(|place| place.trouble.is_none());
    let mut digests: HashMap<usize, String> = HashMap::new();
    cx.stage_in_bytes("Comparing files", None);
    for lost_file in lost {
        cx.note(lost_file.known.path.clone());
        let name = Path::new(&lost_file.known.path).file_name().map(ToOwned::to_owned);
        let mut candidates: Vec<usize> = (0..places.len())
            .filter(|&at| match lost_file.known.size {
                // A crawl's file that was never checked has no size.
                0 => places[at].path.file_name() == name.as_deref(),
                size => places[at].size == size,
            })
            .collect();
        // The same name first: it is the likeliest, and hashing is slow.
        candidates.sort_by_key(|&at| places[at].path.file_name() != name.as_deref());
        let mut found = None;
        for at in candidates {
            cx.checkpoint()?;
            if is_it(&lost_file, &places[at].path, digests.entry(at), cx) {
                found = Some(at);
                break;
            }
        }
        cx.checkpoint()?;
        match found {
            None => outcome.still_lost.push(lost_file.known.path),
            Some(at) => {
                let place = &places[at];
                let label = workspace.stored_name(&place.path);
                if workspace.catalogue().move_file(lost_file.known.id, &label, place.mtime_ns)? {
                    outcome.found.push((lost_file.known.path, label));
                } else {
                    outcome
                        .not_taken
                        .push(format!("{} was found as {label}, which was imported separately", lost_file.known.path));
                }
            }
        }
    }
    Ok(outcome)
}

fn is_it(
    lost_file: &FileToLocate,
    path: &Path,
    digest: std::collections::hash_map::Entry<'_, usize, String>,
    cx: &JobCx,
) -> bool {
    if lost_file.known.sha256.is_empty() {
        return holds_records(path, &lost_file.records);
    }
    // A file that cannot be read is not the one that is looked for.
    let digest = digest.or_insert_with(|| digest_of(path, cx).map(|measured| measured.0).unwrap_or_default());
    *digest == lost_file.known.sha256
}

/// Whether these records are at their places in a file: they identify a file whose digest was never
/// made. Without records the answer is no.
pub(super) fn holds_records(path: &Path, records: &[RecordRow]) -> bool {
    !records.is_empty() && records.iter().all(|record| is_record(path, record).unwrap_or(false))
}

/// Whether this record is at its place.
fn is_record(path: &Path, record: &RecordRow) -> anyhow::Result<bool> {
    let (head, mut reader) = enter_record_in(path, record.span)?;
    let is_named = record.record_id.is_empty() || head.record_id().as_deref() == Some(&record.record_id);
    if !is_named || head.record_type != record.record_type {
        return Ok(false);
    }
    let Some(span) = reader.finish_record()? else { return Ok(false) };
    let more = span.length.checked_sub(record.span.length);
    // A file may have ended inside the line breaks behind its last record.
    let room = if reader.compression() == Compression::Plain { MAX_BREAKS } else { 0 };
    Ok(span.offset == record.span.offset && more.is_some_and(|more| more <= room))
}

/// A problem with the bytes it is about, and how far away its record is.
pub fn problem_detail(workspace: &Workspace, id: ProblemId) -> anyhow::Result<ProblemDetail> {
    let row = workspace.catalogue().problem(id)?;
    let mut detail = ProblemDetail { command: None, hex: String::new(), far: 0, trouble: String::new(), row };
    let row = &detail.row;
    let path = match place_of(workspace, row)? {
        Ok(path) => path,
        Err(trouble) => {
            detail.trouble = trouble;
            return Ok(detail);
        }
    };
    let place = Span { offset: row.offset, length: 0 };
    let from = match place.is_inside_member() {
        false => Some(row.offset),
        true => row.member.map(|member| member.offset),
    };
    match from.map(|from| bytes_at(&path, from).map(|bytes| hex_table(from, &bytes))).transpose() {
        Ok(Some(hex)) if hex.is_empty() => detail.trouble = "the file ends here".to_owned(),
        Ok(hex) => detail.hex = hex.unwrap_or_default(),
        Err(error) => {
            detail.trouble = format!("{}: {error}", path.display());
            return Ok(detail);
        }
    }
    if place.is_inside_member() {
        let begins = row.member.map_or(0, |member| member.decoded_offset);
        detail.far = place.decoded_offset().saturating_sub(begins);
    }
    let (file, offset) = (quoted(&path.display().to_string()), format_offset(row.offset));
    detail.command = Some(format!("fonds warc cat {file} {offset}"));
    Ok(detail)
}

/// The file that a problem is about, or why it cannot be read.
fn place_of(workspace: &Workspace, problem: &ProblemRow) -> anyhow::Result<Result<PathBuf, String>> {
    let path = match problem.file {
        None => match workspace.stored_place(&problem.path) {
            Ok(path) => path,
            Err(error) => return Ok(Err(error.to_string())),
        },
        Some(file) => {
            let file = workspace.file(file)?;
            if file.state.is_lost() {
                return Ok(Err(format!("{}: {}. {}", file.path, file.state.as_str(), file.state.hint())));
            }
            file.location
        }
    };
    let is_empty = fs::metadata(&path).is_ok_and(|meta| meta.len() == 0);
    Ok(if is_empty { Err(format!("{}: this file is empty", path.display())) } else { Ok(path) })
}

fn bytes_at(path: &Path, offset: u64) -> std::io::Result<Vec<u8>> {
    let mut file = open_archive_file(path)?;
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    file.take(SHOWN_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Head and first bytes of the record that begins at a problem; empty where
/// there is no such record. A compressed member that many records share is
/// decompressed up to it.
pub fn problem_record(workspace: &Workspace, id: ProblemId, cx: &JobCx) -> anyhow::Result<String> {
    let row = workspace.catalogue().problem(id)?;
    let Ok(path) = place_of(workspace, &row)? else { return Ok(String::new()) };
    let len = fs::metadata(&path).map(|meta| meta.len()).ok();
    let from = row.member.map_or(0, |member| member.offset);
    cx.stage_in_bytes("Decompressing up to the record", len.map(|len| len.saturating_sub(from)));
    let entered = enter_record_cancellable(&path, row.offset, row.member, cx);
    cx.checkpoint()?;
    let Ok((head, mut reader)) = entered else { return Ok(String::new()) };
    let mut block = Vec::new();
    // A torn block is shown as far as it goes.
    let _ = reader.by_ref().take(SHOWN_BLOCK).read_to_end(&mut block);
    let mut text = format!("{}\n", head.version);
    for (name, value) in head.headers.iter() {
        let _ = writeln!(text, "{name}: {}", String::from_utf8_lossy(value));
    }
    let _ = write!(text, "\n{}", String::from_utf8_lossy(&block));
    if head.content_length > SHOWN_BLOCK {
        let _ = write!(text, "\n… {} bytes as declared", head.content_length);
    }
    Ok(text)
}

/// Offsets, hex digits and letters, sixteen bytes a line.
fn hex_table(offset: u64, bytes: &[u8]) -> String {
    let mut table = String::new();
    for (number, line) in bytes.chunks(HEX_LINE).enumerate() {
        let _ = write!(table, "{:>12} ", offset + (number * HEX_LINE) as u64);
        for at in 0..HEX_LINE {
            let _ = match line.get(at) {
                Some(byte) => write!(table, " {byte:02x}"),
                None => write!(table, "   "),
            };
        }
        table.push_str("  ");
        table.extend(line.iter().map(|&byte| if (0x20..0x7f).contains(&byte) { char::from(byte) } else { '.' }));
        table.push('\n');
    }
    table
}

/// A path as a shell reads it.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !path.is_empty() && path.chars().all(is_plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_become_a_table() {
        let table = hex_table(4096, b"WARC/1.1\r\nX: \xff\x00abc");
        assert_eq!(
            table,
            "        4096  57 41 52 43 2f 31 2e 31 0d 0a 58 3a 20 ff 00 61  WARC/1.1..X: ..a\n        \
             4112  62 63                                            bc\n"
        );
    }

    #[test]
    fn a_path_is_quoted_where_a_shell_would_take_it_apart() {
        assert_eq!(quoted("/a/b-1.warc.gz"), "/a/b-1.warc.gz");
        assert_eq!(quoted("/o'clock $(rm).warc"), r"'/o'\''clock $(rm).warc'");
    }
}
