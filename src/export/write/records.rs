//! Records that come into an export: each once, under an id of its own, with the `warcinfo` record that it names.

use super::assembly::{Export, Main, NewName};
use super::copy::{
    Carried, CopyError, DigestFault, HeadChanges, SourceRecord, carry, location_in, location_of, read_source,
};
use super::notes::ExportNote;
use crate::export::knowledge::is_knowledge;
use crate::export::known_inlinks::is_export_metadata;
use crate::export::{ExportError, ExportRecord};
use crate::jobs::{JobCx, counted};
use crate::uri::CaptureDate;
use crate::warc::{ProblemKind, RecordHead, Span};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;

impl Export {
    /// Takes records in, with what reads them; returns the id of the first and
    /// whether it came in just now, `None` when that one cannot be carried along
    /// (then none of the others is).
    pub(in crate::export) fn records<'r, S: FnOnce() -> Result<SourceRecord, CopyError>>(
        &mut self,
        url: &str,
        sources: impl Iterator<Item = (&'r ExportRecord, S)>,
        cx: &JobCx,
    ) -> Result<Option<Main>, ExportError> {
        let mut main: Option<Main> = None;
        let (records, sources): (Vec<_>, Vec<_>) = sources.unzip();
        let renamed = self.renamed(url, &records)?;
        for (position, (record, read)) in records.iter().zip(sources).enumerate() {
            if self.places.has(record)? {
                main.get_or_insert(Main { new: None });
                continue;
            }
            let taken = read().and_then(|source| self.record(url, record, source, &renamed, position == 0, cx));
            match taken {
                Ok(new) => {
                    if new.is_some() {
                        main.get_or_insert(Main { new });
                    }
                }
                Err(CopyError::Export(error)) => return Err(error),
                Err(CopyError::Record(why)) => {
                    self.problem(why);
                    if position == 0 {
                        return Ok(None);
                    }
                }
            }
        }
        if records.is_empty() {
            self.problem(format!("{url}: the capture has no records"));
        }
        Ok(main)
    }

    /// New ids for those of these records whose ids other records of the export
    /// have. One that is such a record itself is taken for written.
    fn renamed(&mut self, url: &str, records: &[&ExportRecord]) -> Result<HashMap<String, String>, ExportError> {
        let mut renamed = HashMap::new();
        for record in records.iter().filter(|record| !record.record_id.is_empty()) {
            let Some((first, span)) = self.places.of_id(&record.record_id)? else { continue };
            if self.places.has(record)? || (&first, span.offset) == (&record.file, record.span.offset) {
                continue;
            }
            let at = location_of(record);
            let first_at = location_in(&first, span);
            if is_same_record((&first, span), (&record.file, record.span)) {
                self.places.add(record)?;
                self.notes.add(ExportNote::Twice, &format!("{at}, {url}, as in {first_at}"));
                continue;
            }
            let new = (self.record_id)();
            self.problem(format!(
                "{at}, {url}: another record has this record's id <{}> ({first_at}); it is written with the id <{new}>",
                record.record_id
            ));
            renamed.insert(record.record_id.clone(), new);
        }
        Ok(renamed)
    }

    /// Takes one record in; returns its id in the export. What an earlier export
    /// stated of a capture is left behind: this one states it.
    fn record(
        &mut self,
        url: &str,
        record: &ExportRecord,
        source: SourceRecord,
        renamed: &HashMap<String, String>,
        is_main: bool,
        cx: &JobCx,
    ) -> Result<Option<NewName>, CopyError> {
        let head = &source.head;
        if !is_main && (is_export_metadata(head) || is_knowledge(head)) {
            return Ok(None);
        }
        let at = format!("{}, {url}", location_of(record));
        let own_id = head.record_id().filter(|id| !id.is_empty());
        let mut new_id = own_id.as_ref().and_then(|id| renamed.get(id)).cloned();
        if own_id.is_none() && !head.is_arc() {
            self.notes.add(ExportNote::NoId, &at);
            new_id = Some((self.record_id)());
        }
        if is_main && head.headers.get("WARC-Target-URI").is_some_and(|target| target.trim().starts_with('<')) {
            self.notes.add(ExportNote::Brackets, &at);
        }
        let safe_fields = self.safe_fields(head, &at);
        let lacks_warcinfo = match head.headers.get("WARC-Warcinfo-ID") {
            Some(named) => !self.brings_warcinfo(record, named.trim().trim_matches(['<', '>']), cx)?,
            None => false,
        };
        let changes = HeadChanges { new_id, renamed: Some(renamed), lacks_warcinfo, safe_fields };
        self.take(record, source, &changes, &at).map(Some)
    }

    /// Takes a record in that was read; returns its id in the export.
    fn take(
        &mut self,
        record: &ExportRecord,
        source: SourceRecord,
        changes: &HeadChanges<'_>,
        at: &str,
    ) -> Result<NewName, CopyError> {
        if crate::warc::cdx::is_indexed(&source.head) {
            self.expect_line(source.head.target_uri().map_or(0, |url| url.len()));
        }
        let Carried { part, record_id, as_is, payload_digest, wrong_digests, left_behind } =
            carry(record, source, changes, || (self.record_id)())?;
        for (name, fault) in wrong_digests {
            match fault {
                DigestFault::Unknown => self.notes.add(ExportNote::UnknownDigest, &format!("{name} of {at}")),
                DigestFault::Contradicted => self.problem(format!(
                    "{at}: {name} does not fit the bytes; they are kept, the field is written with their digest"
                )),
            }
        }
        // Sharing a member is how a source is packed, and no longer so.
        for what in left_behind.iter().filter(|what| !what.starts_with(ProblemKind::NotPerRecord.label())) {
            self.problem(format!("{at}: {what}; the record is written without it"));
        }
        self.parts.push(part);
        self.counts.records += 1;
        *(if as_is { &mut self.counts.copied } else { &mut self.counts.rewrapped }) += 1;
        self.places.add(record).and_then(|()| self.places.add_id(&record_id, record)).map_err(CopyError::Export)?;
        Ok(NewName { id: record_id, payload_digest })
    }

    /// Fields of a record whose values not every reader takes, with what is written in their place.
    fn safe_fields(&mut self, head: &RecordHead, at: &str) -> Vec<(&'static str, String)> {
        let mut fields = Vec::new();
        for name in ["WARC-Date", "WARC-Refers-To-Date"] {
            let text = head.headers.get(name).filter(|_| !head.is_arc());
            if let Some(date) = text.as_deref().and_then(odd_date) {
                self.notes.add(ExportNote::Date, at);
                fields.push((name, date.to_warc()));
            }
        }
        for name in ["WARC-Target-URI", "WARC-Refers-To-Target-URI"] {
            let text = head.headers.get(name);
            if let Some(uri) = text.as_deref().and_then(without_blanks) {
                self.notes.add(ExportNote::Blank, at);
                fields.push((name, uri));
            }
        }
        fields
    }

    /// Whether the `warcinfo` record that a record names is in the export;
    /// it is written before the first record that names it.
    fn brings_warcinfo(&mut self, of: &ExportRecord, id: &str, cx: &JobCx) -> Result<bool, CopyError> {
        if let Some(is_here) = self.warcinfos.get(id) {
            if !is_here {
                *self.missing_warcinfos.entry((of.file.clone(), id.to_owned())).or_default() += 1;
            }
            return Ok(*is_here);
        }
        let mut is_here = false;
        // The id of another record would lead to that one.
        let found = match self.places.of_id(id).map_err(CopyError::Export)? {
            Some(_) => None,
            None => self.finder.find(of, id, cx).map_err(|error| CopyError::Export(error.into()))?,
        };
        if let Some(info) = found {
            let at = location_of(&info);
            let taken = read_source(&info, "", self.is_dry).and_then(|source| {
                // It describes a file by itself.
                let lacks_warcinfo = source.head.headers.get("WARC-Warcinfo-ID").is_some();
                let safe_fields = self.safe_fields(&source.head, &at);
                self.take(&info, source, &HeadChanges { lacks_warcinfo, safe_fields, ..HeadChanges::default() }, &at)
            });
            match taken {
                Ok(_) => is_here = true,
                Err(CopyError::Record(why)) => self.problem(why),
                Err(error) => return Err(error),
            }
        }
        self.warcinfos.insert(id.to_owned(), is_here);
        if !is_here {
            *self.missing_warcinfos.entry((of.file.clone(), id.to_owned())).or_default() += 1;
        }
        Ok(is_here)
    }

    /// Tells which `warcinfo` records are named and missing.
    pub(in crate::export) fn report_missing_warcinfos(&mut self) {
        for ((file, id), records) in std::mem::take(&mut self.missing_warcinfos) {
            self.problem(format!(
                "{}: {} named the warcinfo record <{id}>, which cannot be read from this file; they are written without WARC-Warcinfo-ID",
                file.display(),
                counted(records, "record")
            ));
        }
    }
}

/// Whether two records are one: the same head and block.
fn is_same_record(one: (&Path, Span), other: (&Path, Span)) -> bool {
    let read = |(file, span): (&Path, Span)| -> Option<(RecordHead, [u8; 32])> {
        let (head, mut reader) = crate::warc::enter_record_in(file, span).ok()?;
        let mut hash = Sha256::new();
        loop {
            let chunk = reader.fill_buf().ok().filter(|chunk| !chunk.is_empty());
            let Some(chunk) = chunk else { break };
            hash.update(chunk);
            let len = chunk.len();
            reader.consume(len);
        }
        reader.finish_record().ok().flatten()?;
        Some((head, hash.finalize().into()))
    };
    let (one, other) = (read(one), read(other));
    one.is_some() && one == other
}

/// The date of a field that is in a form which common readers fail on: all but `2024-03-01T09:00:00Z`, with at most
/// six digits behind the second, and leap seconds.
fn odd_date(text: &str) -> Option<CaptureDate> {
    let shape: String = text.trim().chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let whole = shape.strip_suffix('Z').unwrap_or_default();
    let (second, fraction) = whole.split_once('.').unwrap_or((whole, "0"));
    let is_whole = second == "0000-00-00T00:00:00" && (1..=6).contains(&fraction.len());
    let is_leap_second = text.trim().get(17..19) == Some("60");
    CaptureDate::parse(text).ok().filter(|_| !is_whole || is_leap_second)
}

/// A URI that holds blanks, with these percent-encoded.
fn without_blanks(uri: &str) -> Option<String> {
    let uri = uri.trim();
    uri.contains(char::is_whitespace).then(|| {
        let mut safe = String::with_capacity(uri.len() + 8);
        for char in uri.chars() {
            match char.is_whitespace() {
                true => char.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| safe.push_str(&format!("%{byte:02X}"))),
                false => safe.push(char),
            }
        }
        safe
    })
}
