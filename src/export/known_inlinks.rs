//! Reader of the inlinks in the metadata records of an export.

use super::{ExportError, io_at};
use crate::export::write::assembly::METADATA_KIND;
use crate::jobs::JobCx;
use crate::knowledge::{StatedLink, stated_links};
use crate::uri::CaptureDate;
use crate::warc::{ArchiveReader, RecordHead, RecordType, metadata_target};
use serde::Deserialize;
use std::io::BufRead;
use std::path::Path;

/// The longest metadata record that is read for its links, in bytes: a thousand links of each side need less.
const MOST_BYTES: usize = 64 << 20;

/// The inlinks in a metadata record.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownInlinks {
    /// How many it lists.
    pub count: u64,
    /// Links of the same site.
    pub count_internal: u64,
    /// Links of other sites.
    pub count_external: u64,
    /// The list, in the order (date, source, anchor).
    pub list: Vec<KnownInlink>,
}

/// A link that a metadata record lists.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownInlink {
    /// When the linking page was captured, RFC 3339.
    pub date: String,
    /// The URL of that page.
    pub source: String,
    /// Its key in the data set, where that was written: it is the key of the URL.
    pub source_key: Option<String>,
    /// The text of the link. Hostile text.
    pub anchor: String,
    /// Same site or not.
    #[serde(default)]
    pub internal: bool,
}

impl KnownInlinks {
    /// Reads the inlinks in the block of a record; none where inlinks were not built.
    pub(super) fn of_record(block: &[u8]) -> Result<Option<Self>, serde_json::Error> {
        #[derive(Deserialize)]
        struct MetadataBlock {
            inlinks: Option<KnownInlinks>,
        }
        serde_json::from_slice::<MetadataBlock>(block).map(|known| known.inlinks)
    }

    /// The links of the list that the graph states.
    pub(super) fn stated(&self) -> Vec<StatedLink> {
        let internal: Vec<bool> = self.list.iter().map(|link| link.internal).collect();
        let link = |at: usize| {
            let KnownInlink { date, source, anchor, internal, .. } = self.list.get(at)?;
            let date = CaptureDate::parse(date).ok()?;
            Some(StatedLink { date, source: source.clone(), anchor: anchor.clone(), internal: *internal })
        };
        stated_links(&internal).filter_map(link).collect()
    }
}

/// The capture that a metadata record is about, with the links that it lists.
#[derive(Debug)]
pub struct InlinksOfCapture {
    /// URL of the capture.
    pub url: String,
    /// When it was captured.
    pub date: CaptureDate,
    /// Id of its record, without angle brackets; empty where none is named.
    pub record_id: String,
    /// The links.
    pub inlinks: KnownInlinks,
}

/// Gives out what the metadata records in an archive file of an export list of inlinks. Records that are none
/// of an export, damaged or too long are passed over.
///
/// # Errors
///
/// A file that cannot be opened or read, a stop, or what `each` fails with.
pub fn each_known_inlinks<E: From<ExportError>>(
    file: &Path,
    cx: &JobCx,
    mut each: impl FnMut(InlinksOfCapture) -> Result<(), E>,
) -> Result<(), E> {
    let mut reader = ArchiveReader::open(file).map_err(ExportError::from)?;
    let prefix = metadata_target(METADATA_KIND, "");
    loop {
        cx.checkpoint().map_err(ExportError::from)?;
        let Some(head) = reader.next_head().map_err(ExportError::from)? else { return Ok(()) };
        if !is_export_metadata(&head) {
            reader.finish_record().map_err(ExportError::from)?;
            continue;
        }
        let mut block = Vec::new();
        loop {
            let chunk = reader.fill_buf().map_err(io_at(file))?;
            if chunk.is_empty() || block.len() > MOST_BYTES {
                break;
            }
            block.extend_from_slice(chunk);
            let len = chunk.len();
            reader.consume(len);
        }
        if reader.finish_record().map_err(ExportError::from)?.is_none() || block.len() > MOST_BYTES {
            continue;
        }
        let target = head.headers.get("WARC-Target-URI").unwrap_or_default();
        if let (Some(url), Some(date), Ok(Some(inlinks))) =
            (target.strip_prefix(&prefix), head.date(), KnownInlinks::of_record(&block))
        {
            let record_id = head.headers.get("WARC-Refers-To").unwrap_or_default();
            let record_id = record_id.trim().trim_matches(['<', '>']).to_owned();
            each(InlinksOfCapture { url: url.to_owned(), date, record_id, inlinks })?;
        }
    }
}

/// Whether this is the metadata record that the export writes per capture.
pub(super) fn is_export_metadata(head: &RecordHead) -> bool {
    let prefix = metadata_target(METADATA_KIND, "");
    head.record_type == RecordType::Metadata
        && head.headers.get("WARC-Target-URI").is_some_and(|target| target.starts_with(&prefix))
}
