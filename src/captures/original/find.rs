//! The original of one revisit, looked for in files.

use super::{DeclaredKind, FoundBy, MOST_IN_MEMORY, Originals, RevisitError};
use crate::captures::limits::MAX_HTTP_HEAD_BYTES;
use crate::captures::part::CapturePart;
use crate::captures::{BodyForm, Place};
use crate::jobs::{Cancelled, JobCx};
use crate::warc::http::HttpHead;
use crate::warc::{ArchiveReader, RecordHead, WarcError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// The record that holds the payload of a revisit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundOriginal {
    /// The file that has it.
    pub file: PathBuf,
    /// Its place in the file.
    pub offset: u64,
    /// The clause that found it.
    pub found_by: FoundBy,
}

/// Why the original of a revisit could not be looked for.
#[derive(Debug, thiserror::Error)]
pub enum OriginalError {
    /// A file cannot be read.
    #[error(transparent)]
    Archive(#[from] WarcError),
    /// The table of revisits cannot be kept.
    #[error(transparent)]
    Revisits(#[from] RevisitError),
    /// The job was cancelled.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Looks for the original of a revisit, whose HTTP head is `http`, in files,
/// which are read to their end. None where it is not there. What is of another kind than the head
/// declares is taken only where there is nothing of that kind.
///
/// # Errors
///
/// A file that cannot be read, no room for what is kept of it, and cancelling.
pub fn find_original(
    revisit: &RecordHead,
    http: Option<&HttpHead>,
    files: &[PathBuf],
    cx: &JobCx,
) -> Result<Option<FoundOriginal>, OriginalError> {
    let status = http.map_or(0, |http| http.status);
    let declared =
        http.map_or(DeclaredKind::Nothing, |http| DeclaredKind::of(status.into(), &http.content_type().mime));
    let found = find_of_kind(revisit, (status, declared), files, cx)?;
    match found.is_none() && declared != DeclaredKind::Nothing {
        true => find_of_kind(revisit, (status, DeclaredKind::Nothing), files, cx),
        false => Ok(found),
    }
}

/// Looks for the original of a revisit with this status and declared kind.
fn find_of_kind(
    revisit: &RecordHead,
    (status, declared): (u16, DeclaredKind),
    files: &[PathBuf],
    cx: &JobCx,
) -> Result<Option<FoundOriginal>, OriginalError> {
    let mut originals = Originals::in_folder(Path::new(""), MOST_IN_MEMORY);
    let Some(url) = revisit.target_url() else { return Ok(None) };
    originals.add_revisit(revisit, &url, Place::default(), (status, declared));
    for (number, file) in (0..).zip(files) {
        let mut reader = ArchiveReader::open(file)?;
        while let Some(head) = reader.next_head()? {
            cx.checkpoint()?;
            let Some(part) = CapturePart::of(&head).filter(|_| head.record_type.holds_payload()) else { continue };
            let read = read_payload(&part, &mut reader);
            let (status, form, digest) = read.map_err(|source| WarcError::Io { path: file.clone(), source })?;
            let Some(span) = reader.finish_record()? else { continue };
            let is_page = (200..300).contains(&status) && form.is_page();
            let place = Place { file: number, offset: span.offset };
            originals.add(&head, &part.url, place, (status, is_page), || digest);
            originals.check()?;
        }
    }
    let Some(resolved) = originals.resolve(cx)? else { return Ok(None) };
    let found = resolved.table.only_original().map_err(|error| resolved.error(error))?;
    Ok(found.and_then(|(place, found_by)| {
        let file = files.get(place.file as usize)?.clone();
        Some(FoundOriginal { file, offset: place.offset, found_by })
    }))
}

/// Status and form of the payload, and its digest where its record does not
/// declare it.
fn read_payload(part: &CapturePart, block: &mut impl Read) -> io::Result<(u16, BodyForm, Option<String>)> {
    let mut bytes = Vec::new();
    block.take(MAX_HTTP_HEAD_BYTES as u64).read_to_end(&mut bytes)?;
    let head = part.payload_head(&bytes);
    let form = part.form(&head, &bytes);
    if part.declared_digest().is_some() {
        return Ok((head.status, form, None));
    }
    let mut digester = part.digester();
    while !bytes.is_empty() {
        digester.update(&bytes);
        bytes.clear();
        block.take(MAX_HTTP_HEAD_BYTES as u64).read_to_end(&mut bytes)?;
    }
    Ok((head.status, form, Some(digester.finish().payload)))
}
