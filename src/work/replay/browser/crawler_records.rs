//! What a crawler with a browser kept of its pages beside their captures: picture, text, requests.

use crate::jobs::JobCx;
use crate::uri::CaptureDate;
use crate::warc::{ArchiveReader, RecordType, Span, enter_record_in};
use std::collections::{BTreeSet, HashMap};
use std::io::Read;
use std::path::PathBuf;

/// Beginnings of the target URIs of such records (Browsertrix crawler, ArchiveWeb.page).
pub(super) const KINDS: [&str; 3] = ["urn:view:", "urn:text:", "urn:pageinfo:"];
/// Milliseconds between a page and the records that its crawler made of it.
const NEAR_MS: i64 = 24 * 3_600_000;
/// Bytes of a record that are read.
const MAX_BYTES: u64 = 64 << 20;

/// The places of such records in archive files, by target URI.
#[derive(Default)]
pub(super) struct CrawlerRecords {
    places: HashMap<String, Vec<(CaptureDate, PathBuf, Span)>>,
}

impl CrawlerRecords {
    /// Finds them in archive files. A file that cannot be read has none: the pages in it say so themselves.
    ///
    /// # Errors
    ///
    /// `Cancelled`.
    pub(super) fn in_files(files: &BTreeSet<PathBuf>, cx: &JobCx) -> anyhow::Result<Self> {
        let mut found = Self::default();
        for path in files {
            let Ok(reader) = ArchiveReader::open(path) else { continue };
            for record in reader.records(0).map_while(Result::ok) {
                cx.checkpoint()?;
                let head = record.head;
                let Some((target, date)) = head.target_uri().zip(head.date()) else { continue };
                if head.record_type == RecordType::Resource && KINDS.iter().any(|kind| target.starts_with(kind)) {
                    found.places.entry(target).or_default().push((date, path.clone(), record.span));
                }
            }
        }
        Ok(found)
    }

    /// The record of a kind about a page, nearest to its date and within a day of it; none where there is none.
    pub(super) fn of_page(&self, kind: &str, url: &str, date: CaptureDate) -> Option<Vec<u8>> {
        let places = self.places.get(&format!("{kind}{url}"))?;
        let far = |of: CaptureDate| (of.millis() - date.millis()).abs();
        let (_, path, span) = places.iter().filter(|(of, ..)| far(*of) <= NEAR_MS).min_by_key(|(of, ..)| far(*of))?;
        let mut bytes = Vec::new();
        let (_, reader) = enter_record_in(path, *span).ok()?;
        reader.take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}
