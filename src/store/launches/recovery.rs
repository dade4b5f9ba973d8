//! Recovery finds, after a kill or a power cut, the captures of a launch that are gone, those
//! without a line in its logs, and its counts.

use super::ledger::{FAILED, FETCHED, QUEUED, REFUSED, ended_without_capture};
use crate::captures::CaptureEntry;
use crate::crawl::{Admission, LaunchTally, LostCapture};
use crate::store::captures::detail::notes;
use crate::store::captures::link_list::{blocks_of, remove_empty_blocks};
use crate::store::captures::originals::lose_original;
use crate::store::captures::versions::CAPTURES_LOST;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, parse_stored, uint};
use crate::store::review::judgements::judgement_lines;
use crate::store::rows::{CaptureId, LaunchId};
use crate::uri::{CaptureDate, Url};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::HashMap;

/// The highest number that a capture ever had, as a setting: numbers of
/// captures that are gone are not given again, since builds of inlinks and
/// other passes go by them.
pub(in crate::store) const LAST_NUMBER: &str = "captures_numbered";
/// Captures are gone whose links were built, as a setting.
const LINKS_LOST: &str = "links_lost";
/// Captures that are taken out in one write.
const LOST_AT_ONCE: usize = 1000;
/// The last captures kept that are always checked, whenever they began.
const LAST_CAPTURES: i64 = 1000;
/// A program that keeps that a launch runs does so within this time.
const MOST_BETWEEN_MS: i64 = 10_000;

impl Catalogue {
    /// The files that have captures of a launch.
    pub(in crate::store) fn files_of_launch(&self, launch: LaunchId) -> Result<Vec<String>, StoreError> {
        self.rows(
            "SELECT path FROM warc_file f WHERE launch = ?1 AND changed < 2
                   AND EXISTS (SELECT 1 FROM record r WHERE r.file = f.id) ORDER BY path",
            [launch],
            |row| row.get(0),
        )
    }

    /// The captures that have a record at one of these places of a file.
    pub(in crate::store) fn captures_at(&self, file: &str, offsets: &[u64]) -> Result<Vec<LostCapture>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT c.id, u.url, c.date_ms FROM record r JOIN capture c ON c.id = r.capture JOIN url u ON u.id = c.url
                 WHERE r.file = (SELECT id FROM warc_file WHERE path = ?1 AND changed < 2) AND r.offset = ?2",
            )?;
            let (mut lost, mut last) = (Vec::new(), None);
            for offset in offsets {
                let mut rows = statement.query(params![file, int(*offset)])?;
                while let Some(row) = rows.next()? {
                    let id: CaptureId = row.get(0)?;
                    // The records of a capture come one after another.
                    if last.replace(id) != Some(id) {
                        let url = parse_stored(&row.get::<_, String>(1)?)?;
                        let date = CaptureDate::from_millis(row.get(2)?);
                        lost.push(LostCapture { id: id.get(), url, date, decisions: decisions(conn, id)? });
                    }
                }
            }
            Ok(lost)
        })
    }

    /// Takes captures of a launch out of the catalogue, with all that is known
    /// of them, and puts their URLs back into its queue.
    pub(in crate::store) fn lose_captures(&self, launch: LaunchId, lost: &[LostCapture]) -> Result<(), StoreError> {
        for some in lost.chunks(LOST_AT_ONCE) {
            let ids: Vec<CaptureId> = some.iter().map(|lost| CaptureId::new(lost.id)).collect();
            self.write(move |conn| {
                let blocks = blocks_of(conn, &ids)?;
                ids.iter().try_for_each(|id| lose(conn, launch, *id))?;
                remove_empty_blocks(conn, blocks)
            })?;
        }
        self.write(move |conn| {
            // Files that nothing is read from are none of the workspace; the state of the others is found when
            // they are read.
            conn.execute(
                "DELETE FROM warc_file WHERE launch = ?1 AND NOT EXISTS (SELECT 1 FROM record r WHERE r.file = warc_file.id)
                   AND id NOT IN (SELECT file FROM copied_capture)
                   AND NOT EXISTS (SELECT 1 FROM import_file i WHERE i.file = warc_file.id)
                   AND NOT EXISTS (SELECT 1 FROM problem p WHERE p.file = warc_file.id)",
                [launch],
            )?;
            conn.execute(
                "UPDATE warc_file SET size = 0, mtime_ns = 0, sha256 = '', changed = 0 WHERE launch = ?1 AND changed < 2",
                [launch],
            )?;
            Ok(())
        })
    }

    /// Whether links of captures that are gone are among those that were built.
    pub fn lost_links(&self) -> Result<bool, StoreError> {
        Ok(self.setting(LINKS_LOST)?.is_some())
    }

    /// Links were built without those of captures that are gone.
    pub fn links_are_built(&self) -> Result<(), StoreError> {
        if self.lost_links()? { self.forget_setting(LINKS_LOST) } else { Ok(()) }
    }

    /// Captures of a launch that began at an instant or later, and the last
    /// ones kept, one by one, without records and links.
    pub(in crate::store) fn captures_since(
        &self,
        launch: LaunchId,
        date: CaptureDate,
        each: &mut dyn FnMut(CaptureEntry),
    ) -> Result<(), StoreError> {
        self.read(|conn| {
            let last: i64 = conn
                .prepare_cached(
                    "SELECT ifnull(min(id), 0) FROM (SELECT id FROM capture WHERE launch = ?1 ORDER BY id DESC LIMIT ?2)",
                )?
                .query_row((launch, LAST_CAPTURES), |row| row.get(0))?;
            for which in ["c.id >= ?2", "c.date_ms >= ?3 AND c.id < ?2"] {
                let mut statement = conn.prepare_cached(&format!(
                    "SELECT u.url, c.date_ms, c.status, c.mime, c.size, c.digest, c.fetch_ms, c.hops, v.url, c.source_tag,
                        c.revisit_of_ms FROM capture c JOIN url u ON u.id = c.url LEFT JOIN url v ON v.id = c.via
                     WHERE c.launch = ?1 AND (?3 = ?3) AND {which}"
                ))?;
                let mut rows = statement.query(params![launch, last, date.millis()])?;
                while let Some(row) = rows.next()? {
                    each(bare_capture(row)?);
                }
            }
            Ok(())
        })
    }

    /// Gives URLs of a launch that ended without a capture at an instant or later, with their fetch
    /// status, one by one.
    pub(in crate::store) fn failed_since(
        &self,
        launch: LaunchId,
        date: CaptureDate,
        each: &mut dyn FnMut(Admission, i32),
    ) -> Result<(), StoreError> {
        self.read(|conn| ended_without_capture(conn, launch, date, each))
    }

    /// The counts of a launch so far.
    pub(in crate::store) fn launch_tally(&self, launch: LaunchId, seeds: &[Url]) -> Result<LaunchTally, StoreError> {
        self.read(|conn| {
            let mut tally = LaunchTally::default();
            let mut names: HashMap<i64, String> = HashMap::new();
            let mut name_of_host = conn.prepare_cached("SELECT name FROM host WHERE id = ?1")?;
            let mut named = |id: i64| -> rusqlite::Result<String> {
                if let Some(name) = names.get(&id) {
                    return Ok(name.clone());
                }
                let name: String = name_of_host.query_row([id], |row| row.get(0))?;
                names.insert(id, name.clone());
                Ok(name)
            };
            // Row by row: grouped by SQLite all rows would be sorted in memory.
            let mut captures = conn.prepare_cached(
                "SELECT host, mime, status, size, revisit_of_ms IS NOT NULL FROM capture WHERE launch = ?1",
            )?;
            let mut rows = captures.query([launch])?;
            while let Some(row) = rows.next()? {
                let mime = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
                tally.add_capture(&named(row.get(0)?)?, mime, row.get(2)?, uint(row.get(3)?), row.get(4)?);
            }
            let mut failed = conn.prepare_cached(
                "SELECT host, sum(urls) FROM seen_tally WHERE launch = ?1 AND state = ?2 AND urls > 0 GROUP BY host",
            )?;
            let mut rows = failed.query((launch, FAILED))?;
            while let Some(row) = rows.next()? {
                tally.add_failures(&named(row.get(0)?)?, uint(row.get(1)?));
            }
            let mut refused = conn.prepare_cached(
                "SELECT host, fetch_status FROM seen WHERE launch = ?1 AND state = ?2 AND fetch_status <> 0",
            )?;
            let mut rows = refused.query((launch, REFUSED))?;
            while let Some(row) = rows.next()? {
                tally.add_refusal(&named(row.get(0)?)?, row.get(1)?);
            }
            for seed in seeds {
                end_of_seed(conn, launch, seed, &mut tally)?;
            }
            tally.ran_ms = conn
                .prepare_cached(
                    "SELECT ran_ms + ifnull(min(max(?2 - running_since_ms, 0), ?3), 0) FROM launch WHERE id = ?1",
                )?
                .query_row((launch, CaptureDate::now().millis(), MOST_BETWEEN_MS), |row| row.get(0).map(uint))?;
            Ok(tally)
        })
    }

    /// Keeps that a launch runs: the time until now counts, even if the
    /// program is killed. A clock that jumps counts for little.
    pub(in crate::store) fn keep_running(&self, launch: LaunchId) -> Result<(), StoreError> {
        let now = CaptureDate::now().millis();
        self.execute(
            "UPDATE launch SET ran_ms = ran_ms + min(max(?2 - running_since_ms, 0), ?3), running_since_ms = ?2
                 WHERE id = ?1 AND running_since_ms IS NOT NULL",
            (launch, now, MOST_BETWEEN_MS),
        )
    }
}

/// Decisions, notes and judgements of persons about a capture, as text: decisions and notes oldest
/// first, then judgements.
fn decisions(conn: &Connection, capture: CaptureId) -> Result<Vec<String>, StoreError> {
    let decisions = notes(conn, capture, true)?.into_iter().rev().filter(|of| !of.inherited).map(|of| {
        let note = if of.note.is_empty() { String::new() } else { format!(" ({})", of.note) };
        format!("{}{note}, by {} on {}", of.mark.label(), of.by(), of.date.to_readable())
    });
    Ok(decisions.chain(judgement_lines(conn, capture)?).collect())
}

/// Takes a capture of a launch out of the catalogue, with all that is known of it.
pub(super) fn lose(conn: &Connection, launch: LaunchId, id: CaptureId) -> Result<(), StoreError> {
    let url: Option<i64> =
        conn.prepare_cached("SELECT url FROM capture WHERE id = ?1")?.query_row([id], |row| row.get(0)).optional()?;
    let Some(url) = url else { return Ok(()) };
    conn.prepare_cached(
        "INSERT INTO setting (name, value) SELECT ?1, (SELECT max(id) FROM capture) WHERE 1
         ON CONFLICT (name) DO UPDATE SET value = max(CAST(value AS INTEGER), CAST(excluded.value AS INTEGER))",
    )?
    .execute([LAST_NUMBER])?;
    conn.prepare_cached("INSERT OR REPLACE INTO setting (name, value) VALUES (?1, '1')")?.execute([LINKS_LOST])?;
    conn.prepare_cached(
        "INSERT INTO setting (name, value) VALUES (?1, '1')
         ON CONFLICT (name) DO UPDATE SET value = CAST(value AS INTEGER) + 1",
    )?
    .execute([CAPTURES_LOST])?;
    lose_original(conn, id)?;
    for known in [
        "DELETE FROM absent_link WHERE capture = ?1",
        "DELETE FROM declared_digest WHERE capture = ?1",
        "DELETE FROM link_list WHERE capture = ?1",
        "DELETE FROM record WHERE capture = ?1",
        "DELETE FROM copied_capture WHERE capture = ?1",
        "DELETE FROM unread_page WHERE capture = ?1",
        "DELETE FROM capture_inlinks WHERE capture = ?1",
        "DELETE FROM replay_check WHERE capture = ?1",
        // What was decided about its content version goes on with another capture of that.
        "UPDATE mark SET capture = (SELECT min(x.id) FROM capture x
            WHERE x.page = mark.page AND x.digest = mark.digest AND x.id <> ?1)
         WHERE capture = ?1 AND digest <> '' AND mark <> 'note' AND EXISTS (SELECT 1 FROM capture x
            WHERE x.page = mark.page AND x.digest = mark.digest AND x.id <> ?1)",
        "DELETE FROM mark_origin WHERE mark IN (SELECT id FROM mark WHERE capture = ?1)",
        "DELETE FROM mark WHERE capture = ?1",
        "DELETE FROM judgement WHERE capture = ?1",
        "DELETE FROM relevance_mark WHERE capture = ?1",
        "DELETE FROM score WHERE capture = ?1",
        "DELETE FROM score_before WHERE capture = ?1",
        "DELETE FROM measure WHERE capture = ?1",
        "DELETE FROM named_capture WHERE capture = ?1",
        "DELETE FROM collected WHERE capture = ?1",
        "DELETE FROM requisite WHERE capture = ?1",
        "DELETE FROM finding WHERE capture = ?1",
        "DELETE FROM page_loss WHERE capture = ?1",
        "DELETE FROM check_measure WHERE capture = ?1",
        "DELETE FROM check_page WHERE version = ?1",
        "DELETE FROM capture WHERE id = ?1",
    ] {
        conn.prepare_cached(known)?.execute([id])?;
    }
    // A second capture of the URL in this launch is capture enough.
    conn.prepare_cached(
        "UPDATE seen SET state = ?3, fetch_status = 0, tries = 0, due_ms = 0, why = ''
         WHERE launch = ?1 AND url = ?2 AND state = ?4
           AND NOT EXISTS (SELECT 1 FROM capture c WHERE c.url = ?2 AND c.launch = ?1)",
    )?
    .execute((launch, url, QUEUED, FETCHED))?;
    Ok(())
}

fn bare_capture(row: &Row<'_>) -> Result<CaptureEntry, StoreError> {
    let (url, via): (String, Option<String>) = (row.get(0)?, row.get(8)?);
    let mut capture = CaptureEntry::bare(parse_stored(&url)?, CaptureDate::from_millis(row.get(1)?));
    capture.notes.status = row.get(2)?;
    capture.notes.mime = row.get(3)?;
    capture.payload_len = uint(row.get(4)?);
    capture.payload_digest = row.get(5)?;
    capture.notes.fetch_ms = row.get::<_, Option<i64>>(6)?.map(uint);
    capture.notes.hops = row.get(7)?;
    capture.notes.via = via.as_deref().map(parse_stored).transpose()?;
    capture.notes.source_tag = row.get(9)?;
    capture.revisit_of = row.get::<_, Option<i64>>(10)?.map(CaptureDate::from_millis);
    Ok(capture)
}

fn end_of_seed(conn: &Connection, launch: LaunchId, seed: &Url, tally: &mut LaunchTally) -> Result<(), StoreError> {
    let status: Option<i32> = conn
        .prepare_cached(
            "SELECT fetch_status FROM seen WHERE launch = ?1 AND url = (SELECT id FROM url WHERE url = ?2) AND fetch_status <> 0",
        )?
        .query_row(params![launch, seed.as_str()], |row| row.get(0))
        .optional()?;
    let redirect: Option<String> = conn
        .prepare_cached(
            "SELECT r.url FROM capture c JOIN url r ON r.id = c.redirect_to
             WHERE c.launch = ?1 AND c.url = (SELECT id FROM url WHERE url = ?2) ORDER BY c.id DESC LIMIT 1",
        )?
        .query_row(params![launch, seed.as_str()], |row| row.get(0))
        .optional()?;
    tally.seeds.extend(status.map(|status| (seed.to_string(), status)));
    tally.redirects.extend(redirect.map(|redirect| (seed.to_string(), redirect)));
    Ok(())
}
