//! The records that an import has counted are read once more from its files.
//!
//! Of a file that was appended to since, so much is read as the import has read. Where another
//! number of records comes out than was counted, the list has a remark.

use crate::jobs::{CountedRead, JobCx, OnStop};
use crate::store::Workspace;
use crate::store::rows::{FileOutcome, FileRow, FoundRecord, FoundRecords, ImportedFile, LaunchId};
use crate::warc::ArchiveReader;
use crate::warc::wacz::Wacz;
use crate::work::counted;
use crate::work::import::is_package;
use std::cmp::Ordering;
use std::fs::File;
use std::io::Read;

/// Records that are listed.
const MAX_LISTED: usize = 20_000;

/// Bytes of one text of a record that is listed.
const MAX_TEXT_BYTES: usize = 2_000;

/// The records that an import counted, in all its files or in the one that was
/// found at `path`.
pub fn import_records(
    workspace: &Workspace,
    launch: LaunchId,
    path: Option<&str>,
    cx: &JobCx,
) -> anyhow::Result<FoundRecords> {
    let mut found = FoundRecords::default();
    let mut files = workspace.catalogue().imported_files(launch)?;
    files.retain(|file| file.records > 0 && path.is_none_or(|path| path == file.path));
    let bytes = files.iter().map(|file| file.bytes).sum();
    cx.stage_in_bytes("Reading records", Some(bytes));
    for file in files {
        if found.is_cut {
            break;
        }
        cx.note(file.path.clone());
        let unread = match file.file.map(|id| workspace.file(id)).transpose()? {
            None => Some("nothing of it was kept".to_owned()),
            Some(row) if row.state.is_lost() => Some(row.state.as_str().to_owned()),
            Some(row) => read_counted(&row, &file, &mut found, cx).err().map(|error| crate::work::error_chain(&error)),
        };
        cx.checkpoint()?;
        found.unread.extend(unread.map(|why| format!("{}: {why}", file.path)));
    }
    Ok(found)
}

/// Lists the records of a file, and the differences from the import.
fn read_counted(row: &FileRow, then: &ImportedFile, found: &mut FoundRecords, cx: &JobCx) -> anyhow::Result<()> {
    let now = row.location.metadata()?;
    anyhow::ensure!(now.is_file(), "what was read of a pipe cannot be read again");
    let before = (found.rows.len(), found.unread.len());
    read_file(row, then.bytes, found, cx)?;
    let there = (found.rows.len() - before.0) as u64;
    if then.outcome == FileOutcome::Cut {
        found.differing.push(format!(
            "{}: it was being written while it was imported, {} counted; listed is what its first {} bytes hold",
            row.path,
            counted(then.records, "record"),
            then.bytes
        ));
    } else if there != then.records && !found.is_cut && found.unread.len() == before.1 {
        let then_records = counted(then.records, "record");
        let why = match now.len().cmp(&then.bytes) {
            Ordering::Less => format!("it had {} bytes then and has {} now", then.bytes, now.len()),
            Ordering::Equal => "it was changed since".to_owned(),
            Ordering::Greater => format!("what its first {} bytes hold was changed since", then.bytes),
        };
        found.differing.push(format!("{}: the import counted {then_records}, {there} are listed: {why}", row.path));
    } else if now.len() > then.bytes {
        found.differing.push(format!(
            "{}: it grew since; listed is what its first {} bytes hold, as they were imported",
            row.path, then.bytes
        ));
    }
    Ok(())
}

fn read_file(row: &FileRow, len_then: u64, found: &mut FoundRecords, cx: &JobCx) -> anyhow::Result<()> {
    if !is_package(&row.location)? {
        let file = File::open(&row.location)?;
        let len = file.metadata()?.len().min(len_then);
        let bytes = CountedRead::new(file.try_clone()?.take(len), OnStop::Fail, cx);
        let reader = ArchiveReader::new(bytes, &row.location)?.backed_by(&file, 0, len).stopped_by(cx);
        return list(reader, &row.path, found);
    }
    let wacz = Wacz::open(&row.location)?;
    for (index, member) in wacz.archives().iter().enumerate() {
        let path = format!("{} {}", row.path, member.name);
        let mut read = || -> anyhow::Result<()> {
            let bytes = CountedRead::new(wacz.open_archive(index)?, OnStop::Fail, cx);
            let mut reader = ArchiveReader::new(bytes, &row.location)?.stopped_by(cx);
            if member.stored {
                reader = reader.backed_by(&File::open(&row.location)?, member.offset, member.len);
            }
            list(reader, &path, found)
        };
        // As at the import: a fault in one does not concern the next.
        if let Err(error) = read() {
            cx.checkpoint()?;
            found.unread.push(format!("{path}: {}", crate::work::error_chain(&error)));
        }
        if found.is_cut {
            break;
        }
    }
    Ok(())
}

fn list<R: Read>(mut reader: ArchiveReader<R>, path: &str, found: &mut FoundRecords) -> anyhow::Result<()> {
    while let Some(head) = reader.next_head()? {
        let Some(span) = reader.finish_record()? else { continue };
        if found.rows.len() >= MAX_LISTED {
            found.is_cut = true;
            break;
        }
        found.rows.push(FoundRecord {
            path: path.to_owned(),
            kind: cut(&head.record_type.to_string()),
            offset: span.offset,
            length: span.length,
            date: head.date(),
            target: cut(&head.target_uri().unwrap_or_default()),
        });
    }
    Ok(())
}

/// As much of a text as a list shows at most: heads may hold any.
fn cut(text: &str) -> String {
    text.get(..text.floor_char_boundary(MAX_TEXT_BYTES)).unwrap_or_default().to_owned()
}
