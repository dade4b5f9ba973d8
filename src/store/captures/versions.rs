//! Content versions, for the text index: a page with one payload, by the
//! number of the first capture that has both.

use super::originals::{named_digest_sql, shown_status_sql, version_sql};
use super::requisites::decided_sql;
use crate::captures::Media;
use crate::search::{CaptureFacts, FactsMark, FactsRow};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::lossy::{LossyText, lossy};
use crate::store::launches::ledger::all_geo_facts;
use crate::store::review::marks::reviewed_by_itself_sql;
use crate::store::review::score_set::without_text;
use crate::store::rows::CaptureId;
use crate::uri::CaptureDate;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;
use std::sync::Arc;

/// The number of captures that were ever taken out, as a setting.
pub(in crate::store) const CAPTURES_LOST: &str = "captures_lost";

/// A content version whose text is to be indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VersionToIndex {
    /// Its number.
    pub version: CaptureId,
    /// The capture whose record has the payload, or names its original.
    pub holder: CaptureId,
}

/// The facts of a capture that a request is matched with, beside its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureHead {
    /// Its number.
    pub id: CaptureId,
    /// That of its content version.
    pub version: u64,
    /// Its URL.
    pub url: String,
    /// Its title. Hostile text.
    pub title: String,
    /// Its language; empty where it is not known.
    pub language: String,
    /// When.
    pub date: CaptureDate,
}

/// Captures that were looked through for new versions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VersionsFound {
    /// The versions to index, in the order of the holders.
    pub versions: Vec<VersionToIndex>,
    /// The last capture that was checked; 0 where there was none.
    pub through: CaptureId,
    /// How many were checked.
    pub captures: u64,
}

impl Catalogue {
    /// Looks through so many captures behind `after`, up to another: versions that begin with
    /// one of them, and versions of revisits alone whose payload has come now.
    pub fn versions_after(&self, after: CaptureId, up_to: CaptureId, most: u64) -> Result<VersionsFound, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(concat!(
                "SELECT c.id,
                    c.digest = '' OR NOT EXISTS
                        (SELECT 1 FROM capture x WHERE x.page = c.page AND x.digest = c.digest AND x.id < c.id),
                    c.revisit_of_ms IS NULL AND c.digest <> '' AND NOT EXISTS
                        (SELECT 1 FROM capture x WHERE x.page = c.page AND x.digest = c.digest
                            AND x.revisit_of_ms IS NULL AND x.id < c.id),
                    ",
                "c.page, c.digest FROM capture c WHERE c.id > ?1 AND c.id <= ?3 ORDER BY c.id LIMIT ?2"
            ))?;
            let mut first_of = conn.prepare_cached("SELECT min(id) FROM capture WHERE page = ?1 AND digest = ?2")?;
            let mut found = VersionsFound::default();
            let mut rows = statement.query(params![after, crate::store::catalogue::sql::int(most), up_to])?;
            while let Some(row) = rows.next()? {
                let holder = row.get(0)?;
                let (is_first, brings_payload): (bool, bool) = (row.get(1)?, row.get(2)?);
                if is_first {
                    found.versions.push(VersionToIndex { version: holder, holder });
                } else if brings_payload {
                    let version = first_of
                        .query_row(params![row.get::<_, i64>(3)?, row.get::<_, String>(4)?], |row| row.get(0))?;
                    found.versions.push(VersionToIndex { version, holder });
                }
                found.through = holder;
                found.captures += 1;
            }
            Ok(found)
        })
    }

    /// The versions, up to capture `through`, of revisits whose original came or changed behind a
    /// number of [`Self::originals_changed`].
    pub fn changed_versions(&self, through: CaptureId, after: i64) -> Result<Vec<VersionToIndex>, StoreError> {
        self.read(|conn| {
            // Each page and payload is read once.
            let mut statement = conn.prepare_cached(
                "SELECT version, ifnull(holder, version) FROM (
                    SELECT CASE v.digest WHEN '' THEN v.id ELSE
                            (SELECT min(x.id) FROM capture x WHERE x.page = v.page AND x.digest = v.digest) END AS version,
                        (SELECT min(x.id) FROM capture x WHERE x.page = v.page AND x.digest = v.digest AND x.digest <> ''
                            AND x.revisit_of_ms IS NULL) AS holder
                    FROM (SELECT min(c.id) AS id, c.page, c.digest FROM revisit r CROSS JOIN capture c ON c.id = r.capture
                           WHERE r.changed > ?2 GROUP BY c.page, c.digest, CASE c.digest WHEN '' THEN c.id END) v)
                 WHERE version <= ?1 ORDER BY version",
            )?;
            let changed = statement
                .query_map((through, after), |row| Ok(VersionToIndex { version: row.get(0)?, holder: row.get(1)? }))?;
            Ok(changed.collect::<Result<_, _>>()?)
        })
    }

    /// Every content version up to a capture, in order.
    pub fn versions_up_to(&self, through: CaptureId) -> Result<Vec<VersionToIndex>, StoreError> {
        self.read(|conn| {
            let mut versions = Vec::new();
            each_of_version(conn, |version, captures| {
                let holder = captures.iter().find(|(_, is_revisit)| !is_revisit).map_or(version, |(id, _)| *id);
                if version <= through {
                    versions.push(VersionToIndex { version, holder });
                }
            })?;
            versions.sort_unstable_by_key(|version| version.version);
            Ok(versions)
        })
    }

    /// A line that identifies a capture: another capture of this number would have another one.
    pub fn capture_stamp(&self, id: CaptureId) -> Result<Option<String>, StoreError> {
        self.read(|conn| {
            let sql = concat!(
                "SELECT c.date_ms || ' ' || ",
                named_digest_sql!(),
                " || ' ' || p.key FROM capture c JOIN page p ON p.id = c.page WHERE c.id = ?1"
            );
            Ok(conn.prepare_cached(sql)?.query_row([id], |row| row.get(0)).optional()?)
        })
    }

    /// Whether what was made of the captures up to one is of another catalogue, as after a backup was put back.
    /// `is_last` knows the stamp that this capture had, `lost` is how many were taken out by then.
    pub fn is_other(
        &self,
        through: CaptureId,
        lost: u64,
        is_last: impl FnOnce(&str) -> bool,
    ) -> Result<bool, StoreError> {
        Ok(match self.capture_stamp(through)? {
            Some(stamp) => !is_last(&stamp),
            // The last one may be among those that were taken out since.
            None => through.get() > 0 && self.captures_lost()? == lost,
        })
    }

    /// The number of captures that were taken out since the catalogue was made.
    pub fn captures_lost(&self) -> Result<u64, StoreError> {
        Ok(self.setting(CAPTURES_LOST)?.and_then(|count| count.parse().ok()).unwrap_or_default())
    }

    /// The facts that a request is matched with beside the texts of captures, in this order; captures
    /// that are gone are left out.
    pub fn capture_heads(&self, captures: &[CaptureId]) -> Result<Vec<CaptureHead>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(concat!(
                "SELECT ",
                version_sql!(),
                ", u.url, c.title, c.language, c.date_ms FROM capture c JOIN url u ON u.id = c.url WHERE c.id = ?1"
            ))?;
            let mut found = Vec::with_capacity(captures.len());
            for id in captures {
                let head = statement.query_row([id], |row| {
                    Ok(CaptureHead {
                        id: *id,
                        version: crate::store::catalogue::sql::uint(row.get(0)?),
                        url: row.get(1)?,
                        title: row.get::<_, LossyText>(2)?.0,
                        language: row.get::<_, LossyText>(3)?.0,
                        date: CaptureDate::from_millis(row.get(4)?),
                    })
                });
                found.extend(head.optional()?);
            }
            Ok(found)
        })
    }

    /// Puts captures into columns that lack them, and renews what changes: decisions, countries, names
    /// of crawls.
    pub fn fill_facts(&self, facts: &mut CaptureFacts) -> Result<(), StoreError> {
        self.read(|conn| {
            let after = facts.newest();
            let versions = if after == 0 { versions_of_captures(conn)? } else { HashMap::new() };
            let mut version_of =
                conn.prepare_cached(concat!("SELECT ", version_sql!(), " FROM capture c WHERE c.id = ?1"))?;
            let mut statement = conn.prepare_cached(concat!(
                "SELECT c.id, h.name, c.date_ms, c.status, c.media, c.language, c.launch, ifnull(c.size, 0),
                    c.url, c.revisit_of_ms IS NOT NULL, c.mime, c.hops, ",
                shown_status_sql!(),
                ", ",
                reviewed_by_itself_sql!(),
                " FROM capture c JOIN host h ON h.id = c.host WHERE c.id > ?1 ORDER BY c.id"
            ))?;
            let mut rows = statement.query([after])?;
            while let Some(row) = rows.next()? {
                let capture: CaptureId = row.get(0)?;
                let text = |at: usize| row.get_ref(at)?.as_str().map_err(rusqlite::Error::from);
                let version = match versions.get(&capture) {
                    Some(version) => *version,
                    None if after == 0 => capture,
                    None => version_of.query_row([capture], |row| row.get(0))?,
                };
                let media = Media::of_number(row.get(4)?);
                facts.push(&FactsRow {
                    capture: capture.get(),
                    version: version.get(),
                    host: text(1)?,
                    date_ms: row.get(2)?,
                    status: row.get(3)?,
                    media: media.as_str(),
                    language: &lossy(row.get_ref(5)?.as_bytes().map_err(rusqlite::Error::from)?),
                    launch: row.get(6)?,
                    size: row.get(7)?,
                    url: row.get(8)?,
                    is_revisit: row.get(9)?,
                    is_by_itself: row.get::<_, Option<bool>>(13)?.unwrap_or_default(),
                    has_text: without_text(row.get(12)?, text(10)?, media, Some(text(11)?)).is_none(),
                });
            }
            let countries = all_geo_facts(conn)?
                .into_iter()
                .filter_map(|(host, fact)| fact.country().map(|country| (Arc::<str>::from(host), country.to_owned())));
            let mut launches = conn.prepare_cached(
                "SELECT id, (SELECT k.id FROM campaign k WHERE k.id = launch.campaign AND k.deleted_ms IS NULL), launch FROM launch",
            )?;
            let launches: Vec<(i64, Option<i64>, String)> =
                launches.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect::<Result<_, _>>()?;
            facts.describe(countries.collect(), launches);
            let mut marks = conn.prepare_cached(concat!(
                "WITH ",
                decided_sql!(),
                " SELECT capture, mark FROM decided WHERE mark <> 'clear'"
            ))?;
            let marks: Vec<(i64, String)> =
                marks.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?;
            facts.mark(marks);
            Ok(())
        })
    }

    /// What columns of captures that were kept must have been kept for to be those of this catalogue, up to their last
    /// capture; none where that is not here.
    pub fn facts_mark(&self, through: CaptureId) -> Result<Option<FactsMark>, StoreError> {
        let Some(stamp) = self.capture_stamp(through)? else { return Ok(None) };
        let [_, lost, originals, ..] = self.facts_stamp()?;
        self.read(|conn| {
            // An import that was done again after a backup came back has the same captures, under another launch.
            let sql =
                "SELECT l.id || ' ' || l.started_ms FROM capture c JOIN launch l ON l.id = c.launch WHERE c.id = ?1";
            let launch: String = conn.prepare_cached(sql)?.query_row([through], |row| row.get(0))?;
            Ok(Some(FactsMark {
                through: through.get(),
                last: format!("{stamp} {launch}"),
                changes: [lost, originals],
            }))
        })
    }

    /// A stamp that changes whenever columns of captures do: captures, losses, originals, marks,
    /// locations of hosts, launches.
    pub fn facts_stamp(&self) -> Result<[i64; 7], StoreError> {
        let lost = crate::store::catalogue::sql::int(self.captures_lost()?);
        // What of a capture changes with either is read again with all of them.
        let originals = self.originals_changed()? + self.campaigns_changed()?;
        self.read(|conn| {
            let sql = "SELECT (SELECT ifnull(max(id), 0) FROM capture), (SELECT ifnull(max(id), 0) FROM mark),
                (SELECT count(*) FROM mark WHERE undone_ms IS NOT NULL), (SELECT ifnull(max(id), 0) FROM host_geo),
                (SELECT ifnull(max(id), 0) FROM launch)";
            let [captures, marks, undone, places, launches] = conn
                .prepare_cached(sql)?
                .query_row([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?]))?;
            Ok([captures, lost, originals, marks, undone, places, launches])
        })
    }
}

/// The version of each capture that is not the first of its own.
fn versions_of_captures(conn: &Connection) -> Result<HashMap<CaptureId, CaptureId>, StoreError> {
    let mut versions = HashMap::new();
    each_of_version(conn, |version, captures| {
        versions.extend(captures.iter().filter(|(id, _)| *id != version).map(|(id, _)| (*id, version)));
    })?;
    Ok(versions)
}

/// Gives each version with its captures, and whether these are revisits.
fn each_of_version(conn: &Connection, mut each: impl FnMut(CaptureId, &[(CaptureId, bool)])) -> Result<(), StoreError> {
    // The index has these columns in this order: nothing is sorted, and no row is read.
    let mut statement = conn.prepare_cached(
        "SELECT page, digest, id, revisit_of_ms IS NOT NULL FROM capture INDEXED BY capture_payload
         ORDER BY page, digest",
    )?;
    let mut rows = statement.query([])?;
    let (mut page, mut digest, mut captures) = (0_i64, String::new(), Vec::<(CaptureId, bool)>::new());
    let mut give = |captures: &mut Vec<(CaptureId, bool)>| {
        captures.sort_unstable();
        if let Some((version, _)) = captures.first().copied() {
            each(version, captures);
        }
        captures.clear();
    };
    while let Some(row) = rows.next()? {
        let of: i64 = row.get(0)?;
        let with = row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?;
        if of != page || with != digest || with.is_empty() {
            give(&mut captures);
            page = of;
            digest.clear();
            digest.push_str(with);
        }
        captures.push((row.get(2)?, row.get(3)?));
    }
    give(&mut captures);
    Ok(())
}
