//! Which capture a revisit repeats, and links of those that repeat a capture
//! of another URL.

use super::captures::{StoredCapture, stored_capture};
use super::catalogue::Catalogue;
use super::error::StoreError;
use super::link_list::insert_outlinks;
use super::rows::{CaptureId, LaunchId};
use crate::captures::original_rule::{IS_DECLARED_PAGE, IS_PAGE, NAMES_PAYLOAD, ORIGINAL, lost_pages};
use crate::jobs::JobCx;
use crate::links::Outlink;
use crate::uri::Url;
use rusqlite::{Connection, OptionalExtension};
use std::collections::{HashMap, HashSet};

/// Revisits up to capture `?1` that one of those up to `?2` that `$which` holds
/// of may be the original of. Each (page, payload) is looked at once.
macro_rules! new_originals {
    ($which:literal) => {
        concat!(
            "SELECT r.id FROM
                (SELECT x.page, x.digest FROM capture x
                  WHERE x.id > ?1 AND x.id <= ?2 AND x.revisit_of_ms IS NULL AND x.digest <> ''",
            $which,
            "
                    AND EXISTS (SELECT 1 FROM capture r WHERE r.page = x.page
                                   AND r.revisit_of_ms > -9223372036854775808) GROUP BY x.page, x.digest) x
                CROSS JOIN capture r ON r.page = x.page AND r.digest = x.digest
                    AND r.revisit_of_ms > -9223372036854775808 AND r.id <= ?1
             UNION SELECT r.id FROM capture x CROSS JOIN capture r ON r.page = x.page
                AND r.revisit_of_ms BETWEEN x.date_ms - 999 AND x.date_ms + 999 AND r.id <= ?1
              WHERE x.id > ?1 AND x.id <= ?2 AND x.revisit_of_ms IS NULL",
            $which,
            "
             UNION SELECT r.capture FROM repeat r WHERE r.capture <= ?1 AND r.url IN
                (SELECT x.url FROM capture x WHERE x.id > ?1 AND x.id <= ?2 AND x.revisit_of_ms IS NULL",
            $which,
            ")
             UNION SELECT r.capture FROM repeat r JOIN capture x ON x.id = r.found
              WHERE r.capture <= ?1 AND r.found > ?1 AND r.found <= ?2",
            $which
        )
    };
}

/// Revisits up to capture `?1` that one of those up to `?2` may be the original of.
pub(super) const NEW_ORIGINALS: &str = new_originals!("");

/// Of [`NEW_ORIGINALS`] those whose original may be a page.
pub(super) const NEW_PAGES: &str = new_originals!(" AND x.status BETWEEN 200 AND 299");

/// How often links of such revisits were kept, as a setting.
const READINGS: &str = "repeats_read";

/// Up to which capture originals of revisits were searched for, as a setting.
const SEARCHED: &str = "originals_searched";

/// Revisits that are kept with what they repeat in one write.
const FOUND_AT_ONCE: usize = 10_000;

/// The capture that has the links of `c`, where `p` is what it repeats.
pub(super) const HAS_LINKS: &str =
    "CASE WHEN EXISTS (SELECT 1 FROM repeat r WHERE r.capture = c.id) THEN c.id ELSE p.id END";

/// A revisit of another URL, whose links were not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingRepeat {
    /// The revisit.
    pub capture: CaptureId,
    /// Its URL.
    pub url: Url,
    /// What it repeats, which is there.
    pub original: CaptureId,
}

/// A revisit that may be of a page and has no original under the URL that it
/// names or its own.
struct LostRevisit {
    id: CaptureId,
    url: i64,
    /// Empty where it names no payload.
    digest: String,
    date_ms: i64,
    refers_to: Option<String>,
    /// Its type says that it is of a page.
    is_page: bool,
}

/// Captures `c` of a launch, which is `?1`, or all.
fn of_launch(launch: Option<LaunchId>) -> &'static str {
    if launch.is_some() { "c.launch = ?1" } else { "?1 IS NULL" }
}

fn lost_revisits(conn: &Connection, launch: Option<LaunchId>, cx: &JobCx) -> Result<Vec<LostRevisit>, StoreError> {
    let mut statement = conn.prepare_cached(&format!(
        "SELECT c.id, c.url, CASE WHEN {NAMES_PAYLOAD} THEN c.digest ELSE '' END AS named, c.revisit_of_ms, t.record_id,
                {IS_DECLARED_PAGE}
           FROM capture c LEFT JOIN refers_to t ON t.capture = c.id
          WHERE {} AND (named <> '' OR t.record_id IS NOT NULL) AND {}",
        of_launch(launch),
        lost_pages()
    ))?;
    let mut rows = statement.query([launch])?;
    let mut lost = Vec::new();
    while let Some(row) = rows.next()? {
        cx.checkpoint()?;
        lost.push(LostRevisit {
            id: row.get(0)?,
            url: row.get(1)?,
            digest: row.get(2)?,
            date_ms: row.get(3)?,
            refers_to: row.get(4)?,
            is_page: row.get(5)?,
        });
    }
    Ok(lost)
}

/// Captures by when they were, to be found by what is nearest.
type ByDate = Vec<(i64, CaptureId)>;

/// Of captures in the order of their dates the one nearest to a date, of two
/// the earlier.
fn nearest(of: &ByDate, to: i64) -> Option<CaptureId> {
    let after = of.partition_point(|(date_ms, _)| *date_ms <= to);
    // Of those of one date the first.
    let last = after.checked_sub(1).and_then(|last| of.get(last));
    let before = last.map(|last| of.partition_point(|(date_ms, _)| *date_ms < last.0));
    let near = before.into_iter().chain([after]).filter_map(|at| of.get(at));
    near.min_by_key(|(date_ms, _)| date_ms.abs_diff(to)).map(|(_, id)| *id)
}

/// Revisits with the capture of their URL that declares their digest, as the
/// second clause of the rule says; takes them out of those that are lost.
fn found_by_declared(
    conn: &Connection,
    lost: &mut Vec<LostRevisit>,
) -> Result<Vec<(CaptureId, CaptureId)>, StoreError> {
    let digests: HashSet<&str> = lost.iter().map(|revisit| revisit.digest.as_str()).collect();
    let mut statement = conn.prepare_cached(
        "SELECT d.digest, p.url, p.date_ms, p.id FROM declared_digest d JOIN capture p ON p.id = d.capture",
    )?;
    let mut rows = statement.query([])?;
    let mut captures: HashMap<(i64, String), ByDate> = HashMap::new();
    while let Some(row) = rows.next()? {
        let digest = row.get_ref(0)?.as_str().unwrap_or_default();
        if digests.contains(digest) {
            captures.entry((row.get(1)?, digest.to_owned())).or_default().push((row.get(2)?, row.get(3)?));
        }
    }
    captures.values_mut().for_each(|of_url| of_url.sort_unstable());
    let mut pairs = Vec::new();
    lost.retain(|revisit| {
        let of_url = captures.get(&(revisit.url, revisit.digest.clone()));
        let found = of_url.and_then(|of_url| nearest(of_url, revisit.date_ms));
        pairs.extend(found.map(|original| (revisit.id, original)));
        found.is_none()
    });
    Ok(pairs)
}

/// Revisits with the record that they name, as the third clause of the rule
/// says; takes them out of those that are lost.
fn found_by_record(
    conn: &Connection,
    lost: &mut Vec<LostRevisit>,
    cx: &JobCx,
) -> Result<Vec<(CaptureId, CaptureId)>, StoreError> {
    let named: HashSet<&str> = lost.iter().filter_map(|revisit| revisit.refers_to.as_deref()).collect();
    if named.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = conn.prepare_cached(&format!(
        "SELECT r.record_id, p.id, ifnull((SELECT d.digest FROM declared_digest d WHERE d.capture = p.id), p.digest),
                {IS_PAGE}, p.date_ms
           FROM record r JOIN capture p ON p.id = r.capture
          WHERE r.position = 0 AND p.revisit_of_ms IS NULL"
    ))?;
    let mut rows = statement.query([])?;
    // Of all records that have one id the same one, whatever the order of files.
    let mut records: HashMap<String, (bool, i64, CaptureId, String)> = HashMap::new();
    while let Some(row) = rows.next()? {
        cx.checkpoint()?;
        let id = row.get_ref(0)?.as_str().unwrap_or_default();
        if named.contains(id) {
            let found = (!row.get::<_, bool>(3)?, row.get(4)?, row.get(1)?, row.get(2)?);
            let best = records.entry(id.to_owned()).or_insert_with(|| found.clone());
            if found < *best {
                *best = found;
            }
        }
    }
    let mut pairs = Vec::new();
    lost.retain(|revisit| {
        let found = revisit.refers_to.as_ref().and_then(|id| records.get(id)).filter(|(is_other, _, _, digest)| {
            let contradicts = !revisit.digest.is_empty() && !digest.is_empty() && *digest != revisit.digest;
            !(contradicts || *is_other && revisit.is_page)
        });
        pairs.extend(found.map(|(_, _, original, _)| (revisit.id, *original)));
        found.is_none()
    });
    Ok(pairs)
}

/// Revisits with the page that has their payload, as the last clause says.
fn found_by_payload(
    conn: &Connection,
    lost: &[LostRevisit],
    cx: &JobCx,
) -> Result<Vec<(CaptureId, CaptureId)>, StoreError> {
    let digests = lost.iter().map(|revisit| revisit.digest.as_str()).filter(|digest| !digest.is_empty());
    let mut pages: HashMap<&str, ByDate> = digests.map(|digest| (digest, Vec::new())).collect();
    if pages.is_empty() {
        return Ok(Vec::new());
    }
    let mut statement = conn.prepare_cached(&format!(
        "SELECT p.digest, p.date_ms, p.id FROM capture p WHERE p.revisit_of_ms IS NULL AND {IS_PAGE}
         UNION ALL SELECT d.digest, p.date_ms, p.id FROM declared_digest d JOIN capture p ON p.id = d.capture WHERE {IS_PAGE}"
    ))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        cx.checkpoint()?;
        if let Some(of_payload) = pages.get_mut(row.get_ref(0)?.as_str().unwrap_or_default()) {
            of_payload.push((row.get(1)?, row.get(2)?));
        }
    }
    pages.values_mut().for_each(|of_payload| of_payload.sort_unstable());
    let of_payload = |revisit: &LostRevisit| {
        let original = nearest(pages.get(revisit.digest.as_str())?, revisit.date_ms)?;
        Some((revisit.id, original))
    };
    Ok(lost.iter().filter_map(of_payload).collect())
}

impl Catalogue {
    /// The capture that a revisit repeats, if it is there.
    pub fn original_of(&self, id: CaptureId) -> Result<Option<StoredCapture>, StoreError> {
        self.read(|conn| {
            let original: Option<CaptureId> = conn
                .prepare_cached(&format!("SELECT {ORIGINAL} FROM capture c WHERE c.id = ?1"))?
                .query_row([id], |row| row.get(0))
                .optional()?
                .flatten();
            let original = original.filter(|original| *original != id);
            Ok(original.map(|id| stored_capture(conn, id)).transpose()?.flatten())
        })
    }

    /// Searches all captures for the originals of revisits, of all or of those
    /// of one launch, that may be of a page and have none under the URL that they
    /// name or their own: the last two clauses of the rule
    /// ([`crate::captures::original_rule`]). What is found is kept, and stays.
    /// There is no index for it, since so few revisits need one: where some do,
    /// all captures are read once.
    ///
    /// # Errors
    ///
    /// What the catalogue says, and cancelling.
    pub fn find_originals(&self, launch: Option<LaunchId>, cx: &JobCx) -> Result<(), StoreError> {
        let newest = self.newest_capture()?;
        if launch.is_none() && self.setting(SEARCHED)?.is_some_and(|number| number == newest.to_string()) {
            return Ok(());
        }
        let mut lost = self.read(|conn| lost_revisits(conn, launch, cx))?;
        let mut found = self.read(|conn| found_by_declared(conn, &mut lost))?;
        found.extend(self.read(|conn| found_by_record(conn, &mut lost, cx))?);
        found.extend(self.read(|conn| found_by_payload(conn, &lost, cx))?);
        for some in found.chunks(FOUND_AT_ONCE) {
            cx.checkpoint()?;
            let some = some.to_vec();
            self.write(move |conn| {
                let mut keep = conn.prepare_cached(
                    "INSERT INTO repeat (capture, url, found) VALUES (?1, (SELECT url FROM capture WHERE id = ?1), ?2)
                     ON CONFLICT DO UPDATE SET found = excluded.found",
                )?;
                some.into_iter().try_for_each(|pair| keep.execute(pair).map(drop))?;
                Ok(())
            })?;
        }
        match launch {
            None => self.set_setting(SEARCHED, &newest.to_string()),
            Some(_) => Ok(()),
        }
    }

    /// Revisits of other URLs whose links were not read yet, or of another
    /// payload than what they turn out to repeat, or the same as another kind
    /// of thing, in the order of what they
    /// repeat: all, or those that one launch brought, or the capture that they
    /// repeat.
    pub fn waiting_repeats(&self, launch: Option<LaunchId>) -> Result<Vec<WaitingRepeat>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "SELECT id, url, original FROM
                    (SELECT c.id AS id, c.launch AS launch, u.url AS url, w.original AS read, {ORIGINAL} AS original
                       FROM repeat w JOIN capture c ON c.id = w.capture JOIN url u ON u.id = c.url
                      )
                 WHERE (read IS NULL OR (SELECT o.digest || ' ' || o.status || ' ' || o.mime FROM capture o WHERE o.id = read)
                                     <> (SELECT o.digest || ' ' || o.status || ' ' || o.mime FROM capture o WHERE o.id = original))
                   AND (?1 IS NULL OR ?1 IN (launch, (SELECT o.launch FROM capture o WHERE o.id = original)))"
            ))?;
            let mut rows = statement.query([launch])?;
            let mut waiting = Vec::new();
            while let Some(row) = rows.next()? {
                let (url, original): (String, Option<CaptureId>) = (row.get(1)?, row.get(2)?);
                if let (Ok(url), Some(original)) = (Url::parse(&url), original) {
                    waiting.push(WaitingRepeat { capture: row.get(0)?, url, original });
                }
            }
            waiting.sort_by_key(|repeat| (repeat.original, repeat.capture));
            Ok(waiting)
        })
    }

    /// How often links of such revisits were kept. Those of each time know its
    /// number.
    pub fn repeats_read(&self) -> Result<i64, StoreError> {
        Ok(self.setting(READINGS)?.and_then(|number| number.parse().ok()).unwrap_or_default())
    }

    /// Keeps what links such revisits have, in the place of those that they had.
    pub fn keep_repeats(&self, read: Vec<(WaitingRepeat, Vec<Outlink>)>) -> Result<(), StoreError> {
        self.write(move |conn| {
            if read.is_empty() {
                return Ok(());
            }
            let reading: i64 = conn
                .prepare_cached(
                    "INSERT INTO setting (name, value) VALUES (?1, '1')
                     ON CONFLICT DO UPDATE SET value = value + 1 RETURNING CAST(value AS INTEGER)",
                )?
                .query_row([READINGS], |row| row.get(0))?;
            for (repeat, links) in &read {
                conn.prepare_cached("DELETE FROM link_list WHERE capture = ?1")?.execute([repeat.capture])?;
                insert_outlinks(conn, repeat.capture, links)?;
                conn.prepare_cached("UPDATE repeat SET original = ?2, reading = ?3 WHERE capture = ?1")?.execute((
                    repeat.capture,
                    repeat.original,
                    reading,
                ))?;
            }
            Ok(())
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::captures::CaptureEntry;
    use crate::store::tests::{capture, made};
    use crate::uri::CaptureDate;
    use rusqlite::StatementStatus::VmStep;

    /// Steps that SQLite takes for the originals of so many revisits of a page,
    /// and what it finds.
    fn originals(revisits: u32, originals: u32, url: &str, digest: &str) -> (i32, Vec<Option<CaptureId>>) {
        let made = made();
        let page = |n: u32| capture("http://many.pt/p", n.into(), n.into(), "sha1:SAME", &[]);
        let revisit = |n: u32| {
            let revisit_of = Some(CaptureDate::from_seconds(1_000_000_000));
            CaptureEntry { revisit_of, ..capture(url, i64::from(n) + 100_000, u64::from(n) + 100_000, digest, &[]) }
        };
        let entries = (0..originals).map(page).chain((0..revisits).map(revisit)).collect();
        made.workspace.catalogue().add_captures(made.launch, entries).unwrap();
        let read = made.workspace.catalogue().read(|conn| {
            let sql = format!("SELECT {ORIGINAL} FROM capture c WHERE c.revisit_of_ms IS NOT NULL");
            let mut statement = conn.prepare(&sql)?;
            let found = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
            Ok((statement.get_status(VmStep), found))
        });
        read.unwrap()
    }

    #[test]
    fn new_originals_of_many_revisits_are_found_in_a_look_for_each() {
        let steps = |count: u32| {
            let made = made();
            let of = |n: u32, revisit_of: Option<CaptureDate>| CaptureEntry {
                revisit_of,
                ..capture("http://many.pt/p", n.into(), n.into(), "sha1:SAME", &[])
            };
            let at = Some(CaptureDate::from_seconds(1_000_000_000));
            let entries = (0..count).map(|n| of(n, at)).chain((count..2 * count).map(|n| of(n, None))).collect();
            made.workspace.catalogue().add_captures(made.launch, entries).unwrap();
            let read = made.workspace.catalogue().read(|conn| {
                let mut statement = conn.prepare(NEW_ORIGINALS)?;
                let found = statement.query_map([count, 2 * count], |row| row.get::<_, i64>(0))?.count();
                assert_eq!(found, count as usize);
                Ok(statement.get_status(VmStep))
            });
            read.unwrap()
        };
        let (few, many) = (steps(20), steps(400));
        assert!(many < few * 40, "{few} steps for 20, {many} for 400");
    }

    #[test]
    fn finding_an_original_takes_as_long_with_many_captures_of_a_page_as_with_few() {
        for (name, url, digest, there) in [
            ("of its own URL", "http://many.pt/p", "sha1:SAME", true),
            ("of another spelling", "https://www.many.pt/p", "sha1:SAME", false),
            ("of another payload", "http://many.pt/p", "sha1:OTHER", false),
            ("of no digest", "http://many.pt/p", "", false),
        ] {
            for with_originals in [0, 1] {
                let (few, _) = originals(20, 20 * with_originals, url, digest);
                let (many, found) = originals(400, 400 * with_originals, url, digest);
                assert!(many < few * 30, "{name}: {few} steps for 20, {many} for 400");
                assert!(found.iter().all(|id| id.is_some() == (there && with_originals == 1)), "{name}: {found:?}");
            }
        }
    }
}
