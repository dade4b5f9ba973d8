//! The `warcinfo` records that records of a source file name.

use crate::export::ExportRecord;
use crate::jobs::{Cancelled, JobCx};
use crate::warc::wacz::Wacz;
use crate::warc::{RecordType, Span, open_record_at};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Finds `warcinfo` records by their ids, in the files of the records that
/// name them.
#[derive(Default)]
pub(in crate::export) struct WarcinfoFinder {
    /// By file and offset at which its archive begins: a package holds several.
    archives: HashMap<(PathBuf, u64), Archive>,
    /// Where archives begin and end in packages.
    packages: HashMap<PathBuf, Vec<(u64, u64)>>,
}

/// The `warcinfo` records that were found in an archive.
#[derive(Default)]
struct Archive {
    found: HashMap<String, Span>,
    /// Whether more than its first records were read.
    is_read: bool,
}

impl WarcinfoFinder {
    /// The `warcinfo` record with this id in the file of a record. It is
    /// at the beginning of a file as a rule; only where it is not, the file
    /// is read through, once.
    pub fn find(&mut self, of: &ExportRecord, id: &str, cx: &JobCx) -> Result<Option<ExportRecord>, Cancelled> {
        let (start, end) = self.archive_of(of);
        let archive = self.archives.entry((of.file.clone(), start)).or_insert_with(|| {
            let mut archive = Archive::default();
            // What cannot be read has no such record.
            let _ = scan(&of.file, (start, end), true, &mut archive.found, cx);
            archive
        });
        if !archive.found.contains_key(id) && !archive.is_read {
            let _ = scan(&of.file, (start, end), false, &mut archive.found, cx);
            cx.checkpoint()?;
            archive.is_read = true;
        }
        Ok(archive.found.get(id).map(|span| ExportRecord {
            file: of.file.clone(),
            span: *span,
            record_type: RecordType::Warcinfo,
            record_id: id.to_owned(),
            lost: None,
        }))
    }

    /// Begin and end of the archive file that has a record.
    fn archive_of(&mut self, record: &ExportRecord) -> (u64, u64) {
        let members = self.packages.entry(record.file.clone()).or_insert_with(|| {
            let package = Wacz::open(&record.file).ok();
            let members = package.iter().flat_map(Wacz::archives).filter(|member| member.stored);
            members.map(|member| (member.offset, member.offset + member.len)).collect()
        });
        let offset = record.span.offset;
        members.iter().copied().find(|(start, end)| (*start..*end).contains(&offset)).unwrap_or((0, u64::MAX))
    }
}

/// Notes the `warcinfo` records of an archive: those that it begins with, or all.
fn scan(
    file: &Path,
    (start, end): (u64, u64),
    only_first: bool,
    found: &mut HashMap<String, Span>,
    cx: &JobCx,
) -> anyhow::Result<()> {
    let mut reader = open_record_at(file, start)?;
    while let Some(head) = reader.next_head()? {
        let is_info = head.record_type == RecordType::Warcinfo;
        let id = head.record_id().filter(|id| is_info && !id.is_empty());
        if only_first && !is_info {
            break;
        }
        if let (Some(span), Some(id)) = (reader.finish_record()?, id)
            && span.decoded_offset() < end
        {
            found.entry(id).or_insert(span);
        }
        if reader.file_offset() >= end {
            break;
        }
        cx.checkpoint()?;
    }
    Ok(())
}
