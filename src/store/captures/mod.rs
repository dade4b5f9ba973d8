//! Captures are added with their records, and found again at their places in the files.

pub(super) mod requisites;

use crate::captures::{CaptureEntry, RecordPlace};
use crate::links::Outlink;
use crate::store::captures::interned_texts::{UrlIds, url_ids, url_ids_and_page};
use crate::store::captures::link_list::{LinkBlocks, LinkList, PackedLinks, insert_outlinks};
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::lossy::LossyText;
use crate::store::catalogue::sql::{int, parse_stored, uint};
use crate::store::catalogue::{Catalogue, UnderWay};
use crate::store::files::file_id;
use crate::store::rows::PageId;
use crate::store::rows::{CaptureId, FileId, LaunchId};
use crate::uri::{CaptureDate, Url};
use crate::warc::{RecordType, Span};
use originals::{RevisitClaims, named_digest_sql};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// A record of a capture as the catalogue knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordRow {
    /// Its type.
    pub record_type: RecordType,
    /// Its id, without angle brackets; empty in ARC files.
    pub record_id: String,
    /// File name as the catalogue keeps it.
    pub file: String,
    /// Size of the file when it was read; 0 where that is not known.
    pub file_size: u64,
    /// Whether other bytes were found at the file's place since.
    pub file_changed: bool,
    /// Its place in the file.
    pub span: Span,
}

/// The places and facts needed to read a capture from its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCapture {
    /// Its number.
    pub id: CaptureId,
    /// Its URL.
    pub url: Url,
    /// When.
    pub date: CaptureDate,
    /// HTTP status.
    pub status: i32,
    /// MIME type.
    pub mime: String,
    /// `sha1:BASE32` of the payload; of a revisit as its record declares it.
    pub digest: String,
    /// Title.
    pub title: String,
    /// Language.
    pub language: String,
    /// The date of what it repeats, when it is a revisit.
    pub revisit_of: Option<CaptureDate>,
    /// Its records, response first.
    pub records: Vec<RecordRow>,
}

/// Captures on their way into the catalogue, their outlinks packed as they are
/// kept: this is done by whoever brings them, and not by the one who writes.
#[derive(Default)]
pub struct PackedCaptures {
    captures: Vec<(CaptureEntry, Vec<LinkList>)>,
    links: LinkBlocks,
}

impl PackedCaptures {
    /// Adds a capture.
    pub fn push(&mut self, mut entry: CaptureEntry) {
        let lists = self.links.push(&std::mem::take(&mut entry.notes.outlinks));
        self.captures.push((entry, lists));
    }

    /// The number of captures.
    pub fn len(&self) -> usize {
        self.captures.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.captures.is_empty()
    }

    /// Bytes of their links, packed.
    pub fn link_bytes(&self) -> usize {
        self.links.packed_bytes()
    }
}

impl FromIterator<CaptureEntry> for PackedCaptures {
    fn from_iter<I: IntoIterator<Item = CaptureEntry>>(entries: I) -> Self {
        let mut captures = Self::default();
        entries.into_iter().for_each(|entry| captures.push(entry));
        captures
    }
}

/// Adds a capture with its records and links; does nothing when its first
/// record is known already. Says whether it was new.
pub(in crate::store) fn insert_capture(
    conn: &Connection,
    launch: LaunchId,
    entry: &CaptureEntry,
) -> Result<bool, StoreError> {
    let mut blocks = LinkBlocks::default();
    let lists = blocks.push(&entry.notes.outlinks);
    insert_packed(conn, launch, (entry, &lists), &mut blocks.finish())
}

/// The same of a capture whose links are packed.
fn insert_packed(
    conn: &Connection,
    launch: LaunchId,
    (entry, lists): (&CaptureEntry, &[LinkList]),
    links: &mut PackedLinks,
) -> Result<bool, StoreError> {
    let (first, file) = first_record(conn, launch, entry)?;
    if is_at(conn, file, first)? {
        return Ok(false);
    }
    let (ids, is_new_page) = url_ids_and_page(conn, &entry.url)?;
    let capture = insert_new(conn, launch, entry, ids, is_new_page)?;
    links.insert(conn, capture, lists)?;
    Ok(true)
}

/// Adds a capture of an imported file, unless the catalogue has it, from
/// whatever file: the same URL, date, status and type, and the same payload
/// digest or record id. One file may hold two such captures under ids of their own, as its
/// crawler made them. A capture whose own file is `lost` is read from the new
/// one from now on. Says whether it was new.
fn import_capture(
    conn: &Connection,
    launch: LaunchId,
    (entry, lists): (&CaptureEntry, &[LinkList]),
    links: &mut PackedLinks,
    lost: &HashSet<FileId>,
) -> Result<bool, StoreError> {
    let (first, file) = first_record(conn, launch, entry)?;
    if is_at(conn, file, first)? {
        return Ok(false);
    }
    let (ids, is_new_page) = url_ids_and_page(conn, &entry.url)?;
    if is_new_page {
        let capture = insert_new(conn, launch, entry, ids, is_new_page)?;
        links.insert(conn, capture, lists)?;
        return Ok(true);
    }
    // A torn copy has id and declared digest of the whole one, but not its
    // size; of a revisit the size is not in its record.
    // Status and type of a revisit without a head may be those of its original, and the digest is.
    let is_revisit = entry.revisit_of.is_some();
    let known: Option<(CaptureId, FileId, bool)> = conn
        .prepare_cached(KNOWN)?
        .query_row(
            params![
                ids.page,
                entry.date.millis(),
                ids.url,
                entry.payload_digest,
                file,
                first.record_id,
                int(entry.payload_len),
                is_revisit,
                entry.notes.status,
                entry.notes.mime
            ],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .optional()?;
    match known {
        None => {
            let capture = insert_new(conn, launch, entry, ids, is_new_page)?;
            links.insert(conn, capture, lists)?;
            Ok(true)
        }
        Some((capture, of, is_copy)) => {
            if is_copy && of != file {
                conn.prepare_cached("INSERT OR IGNORE INTO copied_capture (capture, file) VALUES (?1, ?2)")?
                    .execute((capture, file))?;
            }
            if lost.contains(&of) {
                conn.prepare_cached("DELETE FROM record WHERE capture = ?1")?.execute([capture])?;
                conn.prepare_cached("UPDATE capture SET stored = ?2 WHERE id = ?1")?
                    .execute((capture, stored_bytes(entry)))?;
                insert_records(conn, launch, capture, entry)?;
            }
            Ok(false)
        }
    }
}

/// SQL: the capture that is the one of an entry, the file of its record, and whether both record id, where
/// there is one here, and digest are the same.
const KNOWN: &str = concat!(
    "SELECT c.id, r.file, r.record_id IN (?6, '') AND ?4 <> '' AND ",
    named_digest_sql!(),
    " = ?4 FROM capture c INDEXED BY capture_page
     JOIN record r ON r.capture = c.id AND r.position = 0
     WHERE c.page = ?1 AND c.date_ms = ?2 AND c.url = ?3 AND (c.revisit_of_ms IS NOT NULL) = ?8
       AND (c.size = ?7 OR ?8)
       AND CASE WHEN (SELECT v.lacks_head FROM revisit v WHERE v.capture = c.id) THEN ?9 = 0
            ELSE c.status = ?9 AND c.mime = ?10 END
       AND CASE r.file WHEN ?5 THEN ",
    named_digest_sql!(),
    " = ?4 AND r.record_id = ?6 AND ?6 <> '' ELSE ",
    named_digest_sql!(),
    " = ?4 AND ?4 <> '' OR (r.record_id = ?6 AND ?6 <> '') END ORDER BY r.record_id <> ?6, c.id LIMIT 1"
);

/// The first record of a capture, and its file.
fn first_record<'e>(
    conn: &Connection,
    launch: LaunchId,
    entry: &'e CaptureEntry,
) -> Result<(&'e RecordPlace, FileId), StoreError> {
    let Some(first) = entry.records.first() else {
        return Err(StoreError::Content(format!("a capture of {} without records", entry.url)));
    };
    Ok((first, file_id(conn, launch, &first.file)?))
}

/// Whether a record at this place is known.
fn is_at(conn: &Connection, file: FileId, record: &RecordPlace) -> Result<bool, StoreError> {
    let mut known = conn.prepare_cached("SELECT 1 FROM record WHERE file = ?1 AND offset = ?2")?;
    Ok(known.exists((file, int(record.span.offset)))?)
}

fn stored_bytes(entry: &CaptureEntry) -> i64 {
    int(entry.records.iter().map(|place| place.span.length).sum())
}

fn insert_records(
    conn: &Connection,
    launch: LaunchId,
    capture: CaptureId,
    entry: &CaptureEntry,
) -> Result<(), StoreError> {
    for (position, place) in entry.records.iter().enumerate() {
        let file = file_id(conn, launch, &place.file)?;
        conn.prepare_cached(
            "INSERT OR IGNORE INTO record (capture, position, kind, record_id, file, offset, length)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            capture,
            position as i64,
            place.record_type.as_str(),
            place.record_id,
            file,
            int(place.span.offset),
            int(place.span.length),
        ])?;
    }
    Ok(())
}

fn insert_new(
    conn: &Connection,
    launch: LaunchId,
    entry: &CaptureEntry,
    ids: UrlIds,
    is_new_page: bool,
) -> Result<CaptureId, StoreError> {
    let via = entry.notes.via.as_ref().map(|via| url_ids(conn, via)).transpose()?.map(|ids| ids.url);
    let redirect_to = entry.redirect_to.as_ref().map(|to| url_ids(conn, to)).transpose()?.map(|ids| ids.url);
    let claims = RevisitClaims::of(conn, entry)?;
    let original = match (&claims, entry.revisit_of) {
        // Of a page that nobody captured nothing is here, unless the revisit names another URL.
        (Some(claims), Some(revisit_of)) => claims.original(conn, ids, revisit_of)?,
        _ => None,
    };
    let answer = claims.as_ref().zip(original.as_ref()).and_then(|(claims, original)| claims.answer(ids.url, original));
    let (status, mime) = answer.unwrap_or((entry.notes.status, &entry.notes.mime));
    let of_original = original.as_ref();
    let digest = match (&claims, of_original) {
        (_, Some(original)) => original.digest.as_str(),
        (Some(claims), None) => claims.payload_digest(),
        (None, None) => entry.payload_digest.as_str(),
    };
    let change = match is_new_page {
        // Nothing is before it, and nothing after.
        true if claims.is_none() => 0,
        _ => change_since(conn, ids.page, entry, digest)?,
    };
    if !is_new_page {
        note_change_after(conn, ids.page, entry.date, status, digest)?;
    }
    conn.prepare_cached(
        // Numbers of captures that are gone are not given again.
        "INSERT INTO capture (id, launch, url, page, host, date_ms, status, mime, media, size, digest, truncated, ip,
            fetch_ms, title, language, hops, via, seed, source_tag, rule_index, rule_name, redirect_to, revisit_of_ms,
            original, change, stored)
         VALUES (1 + max(ifnull((SELECT max(id) FROM capture), 0),
                ifnull((SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'captures_numbered'), 0)),
            ?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17,?18,?19,?20,?21,?22,?23,?24,?25,?26)",
    )?
    .execute(params![
        launch,
        ids.url,
        ids.page,
        ids.host,
        entry.date.millis(),
        status,
        mime,
        of_original.map_or(entry.media() as i64, |original| original.media),
        of_original.map_or(int(entry.payload_len), |original| original.size),
        digest,
        entry.truncated.as_deref().unwrap_or_default(),
        entry.ip.map(|ip| ip.to_string()).unwrap_or_default(),
        entry.notes.fetch_ms.map(int),
        of_original.map_or(entry.notes.title.as_deref().unwrap_or_default(), |original| &original.title),
        of_original.map_or(entry.notes.language.as_deref().unwrap_or_default(), |original| &original.language),
        entry.notes.hops,
        via,
        entry.notes.seed,
        entry.notes.source_tag,
        entry.notes.verdict.as_ref().and_then(|verdict| verdict.rule_index).map(|index| index as i64),
        entry.notes.verdict.as_ref().map(|verdict| verdict.rule_name.as_str()).unwrap_or_default(),
        redirect_to,
        entry.revisit_of.map(CaptureDate::millis),
        of_original.map(|original| original.id),
        change,
        stored_bytes(entry),
    ])?;
    let capture = CaptureId::new(conn.last_insert_rowid());
    insert_records(conn, launch, capture, entry)?;
    if let Some(claims) = &claims {
        claims.insert(conn, capture, ids.url, of_original)?;
    }
    if let Some(digest) = &entry.declared_digest {
        conn.prepare_cached("INSERT INTO declared_digest (capture, page, digest) VALUES (?1, ?2, ?3)")?
            .execute(params![capture, ids.page, digest])?;
    }
    if !entry.claimed_rule.is_empty() {
        conn.prepare_cached("INSERT INTO file_rule (capture, rule) VALUES (?1, ?2)")?
            .execute(params![capture, entry.claimed_rule])?;
    }
    if let Some(why) = entry.notes.unread {
        conn.prepare_cached("INSERT INTO unread_page (capture, why) VALUES (?1, ?2)")?
            .execute(params![capture, why.as_str()])?;
    }
    if !entry.outlinks_complete {
        conn.prepare_cached("INSERT INTO outlink_gap (capture) VALUES (?1)")?.execute([capture])?;
    }
    Ok(capture)
}

/// Adds outlinks to the capture whose first record is at this place, if some of them were missing.
pub(in crate::store) fn add_outlinks(
    conn: &Connection,
    launch: LaunchId,
    record: &RecordPlace,
    links: &[Outlink],
    is_last: bool,
) -> Result<(), StoreError> {
    let file = file_id(conn, launch, &record.file)?;
    let capture: Option<CaptureId> = conn
        .prepare_cached(
            "SELECT r.capture FROM record r JOIN outlink_gap g ON g.capture = r.capture
             WHERE r.file = ?1 AND r.offset = ?2",
        )?
        .query_row((file, int(record.span.offset)), |row| row.get(0))
        .optional()?;
    let Some(capture) = capture else { return Ok(()) };
    insert_outlinks(conn, capture, links)?;
    if is_last {
        end_outlink_gap(conn, capture)?;
    }
    Ok(())
}

/// All outlinks of a capture are here: revisits of it are read again.
fn end_outlink_gap(conn: &Connection, capture: CaptureId) -> Result<(), StoreError> {
    conn.prepare_cached("DELETE FROM outlink_gap WHERE capture = ?1")?.execute([capture])?;
    originals::note_links_of_original(conn, capture)
}

/// Answers that show a page; a redirect to it or an error is no version of it.
const SHOWS_PAGE: std::ops::RangeInclusive<i32> = 200..=299;
/// Errors are from here on.
const FIRST_ERROR: i32 = 400;

/// Whether the payload differs from that of the page's capture before, or an error follows content.
fn change_since(conn: &Connection, page: PageId, entry: &CaptureEntry, digest: &str) -> Result<i64, StoreError> {
    if entry.revisit_of.is_some() {
        return Ok(2);
    }
    if entry.notes.status >= FIRST_ERROR {
        // A page that answered with content and does no more has changed.
        let showed: Option<bool> = conn
            .prepare_cached(
                "SELECT status BETWEEN 200 AND 299 FROM capture WHERE page = ?1 AND date_ms < ?2
                    AND status NOT BETWEEN 300 AND 399 ORDER BY date_ms DESC LIMIT 1",
            )?
            .query_row(params![page, entry.date.millis()], |row| row.get(0))
            .optional()?;
        return Ok(i64::from(showed == Some(true)));
    }
    if !SHOWS_PAGE.contains(&entry.notes.status) {
        return Ok(0);
    }
    let before: Option<String> = conn
        .prepare_cached(
            "SELECT digest FROM capture WHERE page = ?1 AND date_ms < ?2 AND status BETWEEN 200 AND 299
             ORDER BY date_ms DESC LIMIT 1",
        )?
        .query_row(params![page, entry.date.millis()], |row| row.get(0))
        .optional()?;
    Ok(match before {
        None => 0,
        Some(before) if before == digest => 2,
        Some(_) => 1,
    })
}

/// Looks again at the capture that follows one which comes late, or has another payload now: imports bring older
/// captures behind newer ones.
fn note_change_after(
    conn: &Connection,
    page: PageId,
    date: CaptureDate,
    status: i32,
    digest: &str,
) -> Result<(), StoreError> {
    if !(300..400).contains(&status) {
        conn.prepare_cached(
            "UPDATE capture SET change = ?3 WHERE id = (SELECT id FROM capture WHERE page = ?1 AND date_ms > ?2
                AND status NOT BETWEEN 300 AND 399 ORDER BY date_ms LIMIT 1) AND status >= 400 AND revisit_of_ms IS NULL",
        )?
        .execute(params![page, date.millis(), SHOWS_PAGE.contains(&status)])?;
    }
    if !SHOWS_PAGE.contains(&status) {
        return Ok(());
    }
    conn.prepare_cached(
        "UPDATE capture SET change = 1 + (digest = ?3) WHERE id =
            (SELECT id FROM capture WHERE page = ?1 AND date_ms > ?2 AND status BETWEEN 200 AND 299
             ORDER BY date_ms LIMIT 1) AND revisit_of_ms IS NULL",
    )?
    .execute(params![page, date.millis(), digest])?;
    Ok(())
}

impl Catalogue {
    /// Adds captures of an imported file that are not here already; returns how many were new, once
    /// that is waited for. Those in `lost` files are read from this one from now on.
    pub fn import_captures(
        &self,
        launch: LaunchId,
        PackedCaptures { captures, links }: PackedCaptures,
        lost: &Arc<HashSet<FileId>>,
    ) -> Result<UnderWay<u64>, StoreError> {
        let (lost, mut links) = (Arc::clone(lost), links.finish());
        self.write_later(move |conn| {
            let mut new = 0;
            for (entry, lists) in &captures {
                new += u64::from(import_capture(conn, launch, (entry, lists), &mut links, &lost)?);
            }
            Ok(new)
        })
    }

    /// Adds captures whose records are not known; returns how many were new.
    pub fn add_captures(&self, launch: LaunchId, entries: Vec<CaptureEntry>) -> Result<u64, StoreError> {
        let PackedCaptures { captures, links } = entries.into_iter().collect();
        let mut links = links.finish();
        self.write(move |conn| {
            let mut new = 0;
            for (entry, lists) in &captures {
                new += u64::from(insert_packed(conn, launch, (entry, lists), &mut links)?);
            }
            Ok(new)
        })
    }

    /// Captures of which outlinks are missing: the crawl was stopped or killed
    /// between storing them.
    pub fn outlink_gaps(&self) -> Result<Vec<CaptureId>, StoreError> {
        self.rows("SELECT capture FROM outlink_gap ORDER BY capture", [], |row| row.get(0))
    }

    /// Adds missing outlinks of a capture, those that are there stay; the last
    /// part ends the gap.
    pub fn fill_outlink_gap(&self, capture: CaptureId, links: Vec<Outlink>, is_last: bool) -> Result<(), StoreError> {
        self.write(move |conn| {
            insert_outlinks(conn, capture, &links)?;
            if is_last {
                end_outlink_gap(conn, capture)?;
            }
            Ok(())
        })
    }

    /// Notes that the records of a capture cannot be read to complete it.
    pub fn leave_outlink_gap(&self, capture: CaptureId) -> Result<(), StoreError> {
        self.execute("UPDATE outlink_gap SET unreadable = 1 WHERE capture = ?1", [capture])
    }

    /// The newest capture before which none waits for outlinks that can be had.
    pub fn newest_whole_capture(&self) -> Result<CaptureId, StoreError> {
        let newest = self.newest_capture()?;
        let first = "SELECT min(capture) FROM outlink_gap WHERE NOT unreadable";
        let first: Option<CaptureId> = self.read(|conn| Ok(conn.query_row(first, [], |row| row.get(0))?))?;
        Ok(first.map_or(newest, |first| newest.min(CaptureId::new(first.get() - 1))))
    }

    /// Begin and end of every known record of a file, in their order in it.
    pub fn known_places(&self, file: &str) -> Result<Vec<Range<u64>>, StoreError> {
        self.rows(
            "SELECT offset, offset + length FROM record WHERE file =
                    (SELECT id FROM warc_file WHERE path = ?1 AND changed < 2)
                 ORDER BY offset",
            [file],
            |row| Ok(uint(row.get(0)?)..uint(row.get(1)?)),
        )
    }

    /// The places and facts needed to read a capture from its file.
    pub fn stored_capture(&self, id: CaptureId) -> Result<StoredCapture, StoreError> {
        self.read(|conn| stored_capture(conn, id)?.ok_or(StoreError::Missing { what: "capture", id: id.to_string() }))
    }
}

pub(in crate::store) fn stored_capture(conn: &Connection, id: CaptureId) -> Result<Option<StoredCapture>, StoreError> {
    let found = conn
        .prepare_cached(concat!(
            "SELECT u.url, c.date_ms, c.status, c.mime, ",
            named_digest_sql!(),
            ", c.title, c.language, c.revisit_of_ms FROM capture c JOIN url u ON u.id = c.url WHERE c.id = ?1"
        ))?
        .query_row([id], |row| {
            Ok((
                row.get::<_, String>(0)?,
                StoredCapture {
                    id,
                    url: Url::parse("about:blank").map_err(|_| rusqlite::Error::InvalidQuery)?,
                    date: CaptureDate::from_millis(row.get(1)?),
                    status: row.get(2)?,
                    mime: row.get::<_, LossyText>(3)?.0,
                    digest: row.get(4)?,
                    title: row.get::<_, LossyText>(5)?.0,
                    language: row.get::<_, LossyText>(6)?.0,
                    revisit_of: row.get::<_, Option<i64>>(7)?.map(CaptureDate::from_millis),
                    records: Vec::new(),
                },
            ))
        })
        .optional()?;
    let Some((url, mut capture)) = found else { return Ok(None) };
    capture.url = parse_stored(&url)?;
    let mut statement = conn.prepare_cached(
        "SELECT r.kind, r.record_id, f.path, r.offset, r.length, f.size, f.changed > 0
         FROM record r JOIN warc_file f ON f.id = r.file WHERE r.capture = ?1 ORDER BY r.position",
    )?;
    let rows = statement.query_map([id], |row| {
        Ok(RecordRow {
            record_type: RecordType::parse(&row.get::<_, String>(0)?),
            record_id: row.get(1)?,
            file: row.get(2)?,
            file_size: uint(row.get(5)?),
            file_changed: row.get(6)?,
            span: Span { offset: uint(row.get(3)?), length: uint(row.get(4)?) },
        })
    })?;
    capture.records = rows.collect::<Result<_, _>>()?;
    Ok(Some(capture))
}

pub(super) mod capture_table;
pub(super) mod detail;
pub(super) mod document_captures;
pub(super) mod holes;
pub(super) mod interned_texts;

mod letters;
pub(super) mod link_list;
pub(super) mod needs;
pub(in crate::store) mod originals;
pub(super) mod related;
pub(super) mod replay_checks;
pub(super) mod replayed;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;
pub(super) mod versions;
