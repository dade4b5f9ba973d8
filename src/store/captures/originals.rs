//! The original of a revisit, the content version of a capture and the capture nearest in time are
//! determined here.
//!
//! The original of a revisit is found by the rule of
//! [`crate::captures::original_rule`] and kept in its row, with what the revisit has
//! from it: digest, size, medium, title, language. The first two clauses are looked up
//! when it comes; [`Catalogue::settle_originals`] goes by the whole rule, for all
//! revisits that a capture which came since may be the original of. So the order in
//! which files are imported does not count.
//!
//! Every query for an original, a version or the nearest capture uses what is here: no other SQL of
//! the store orders by distances of dates.

use super::{StoredCapture, stored_capture};
use crate::captures::original_rule::{AT_DATE, BY_PAYLOAD, BY_RECORD, SAME_URL, is_page_sql, names_payload};
use crate::captures::{CaptureEntry, DeclaredKind, FoundBy, Media};
use crate::jobs::JobCx;
use crate::links::Outlink;
use crate::store::captures::interned_texts::{UrlIds, url_ids};
use crate::store::captures::link_list::{blocks_of, insert_outlinks, remove_empty_blocks};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::lossy::LossyText;
use crate::store::catalogue::sql::uint;
use crate::store::rows::PageId;
use crate::store::rows::UrlId;
use crate::store::rows::{CaptureId, LaunchId};
use crate::uri::{CaptureDate, PageKey, Url};
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// SQL: the capture whose payload `c` has: what it repeats, or itself where it is no revisit or
/// its original is not here.
macro_rules! original_sql {
    () => {
        "ifnull(c.original, c.id)"
    };
}

/// SQL: the capture that has the links of `c`, where `p` is its original: those of a revisit of
/// another URL are resolved against its own and kept with it.
macro_rules! has_links_sql {
    () => {
        "CASE WHEN p.url = c.url THEN p.id ELSE c.id END"
    };
}

/// SQL: the capture of a page nearest to a date, of the page of number `$page`, as
/// [`nearest_sql`] has it. `all` counts errors too, `without_errors` leaves out those with
/// a status of 400 or more.
macro_rules! nearest_of_page_sql {
    ($page:literal, $date:literal, all) => {
        $crate::captures::original_rule::nearest_sql!("capture", concat!("x.page = ", $page), $date)
    };
    ($page:literal, $date:literal, without_errors) => {
        $crate::captures::original_rule::nearest_sql!(
            "capture",
            concat!("x.page = ", $page, " AND x.status < 400"),
            $date
        )
    };
}

/// SQL: the number of the content version of capture `c`, which is that of the first capture of its
/// page with its payload.
macro_rules! version_sql {
    () => {
        "CASE c.digest WHEN '' THEN c.id ELSE
            (SELECT min(x.id) FROM capture x WHERE x.page = c.page AND x.digest = c.digest) END"
    };
}

/// SQL: what captures `c` of one page are grouped by into content versions.
macro_rules! version_group_sql {
    () => {
        "c.digest, CASE c.digest WHEN '' THEN c.id END"
    };
}

/// SQL: the status of what `c` shows: of a revisit that was not modified or has no head, that of a page that is here.
macro_rules! shown_status_sql {
    () => {
        "iif(c.status IN (0, 304) AND c.original IS NOT NULL, 200, c.status)"
    };
}

/// SQL: the payload digest that the record of a revisit `c` declares or, of what is no revisit, that was
/// computed: by it another workspace knows the capture again.
macro_rules! named_digest_sql {
    () => {
        "ifnull((SELECT r.digest FROM revisit r WHERE r.capture = c.id), c.digest)"
    };
}

pub(in crate::store) use {
    has_links_sql, named_digest_sql, nearest_of_page_sql, original_sql, shown_status_sql, version_group_sql,
    version_sql,
};

/// See [`original_sql`].
pub(in crate::store) const ORIGINAL: &str = original_sql!();
/// See [`has_links_sql`].
pub(in crate::store) const HAS_LINKS: &str = has_links_sql!();
/// Whether `p`, the original of a capture, is one of a page.
pub(in crate::store) const IS_PAGE: &str = is_page_sql!("p");
/// Whether `c` is one of a page itself.
pub(in crate::store) const IS_PAGE_ITSELF: &str = is_page_sql!("c");
/// Whether the status of `c` leaves open that it is of a page, whatever it repeats:
/// redirects and errors often have no payload, as empty pages.
pub(in crate::store) const MAY_BE_PAGE: &str = "(c.status IN (0, 304) OR c.status BETWEEN 200 AND 299)";
/// Revisits `c` with their row `r` whose original is not here, and that may be of a page.
const IS_LOST_PAGE: &str = "c.revisit_of_ms IS NOT NULL AND c.original IS NULL AND r.declared_kind <> 2";

/// The setting that counts how often originals were found late: a number that grows.
const CHANGED: &str = "originals_changed";
/// When, by that number, an original was last replaced so that what was built with it is wrong, as a setting.
const REPLACED: &str = "originals_replaced";
/// Up to which capture revisits have their originals by the whole rule, as a setting.
const SETTLED: &str = "originals_settled";

/// Revisits that are written with their originals in one write.
const WRITTEN_AT_ONCE: usize = 5_000;

/// Revisits that one of the captures behind `?1` up to `?2`, which came after them, may be the
/// original of by the first two clauses, and those behind `?1` that have none. Each page and
/// payload is read once.
const MAY_HAVE_ORIGINAL: &str = "
    SELECT r.capture FROM revisit r WHERE r.found_by IS NULL AND r.capture > ?1
    UNION SELECT r.id FROM (SELECT x.page, x.digest, max(x.id) AS last FROM capture x
             WHERE x.id > ?1 AND x.id <= ?2 AND x.revisit_of_ms IS NULL AND x.digest <> ''
               AND EXISTS (SELECT 1 FROM capture r WHERE r.page = x.page AND r.revisit_of_ms IS NOT NULL)
             GROUP BY x.page, x.digest) x
        CROSS JOIN capture r ON r.page = x.page AND r.digest = x.digest
            AND r.revisit_of_ms > -9223372036854775808 AND r.id < x.last
    UNION SELECT r.id FROM (SELECT x.page, x.date_ms, max(x.id) AS last FROM capture x
             WHERE x.id > ?1 AND x.id <= ?2 AND x.revisit_of_ms IS NULL
               AND EXISTS (SELECT 1 FROM capture r WHERE r.page = x.page AND r.revisit_of_ms IS NOT NULL)
             GROUP BY x.page, x.date_ms) x
        CROSS JOIN capture r ON r.page = x.page AND r.revisit_of_ms BETWEEN x.date_ms - 999 AND x.date_ms + 999
            AND r.id < x.last
    UNION SELECT r.capture FROM revisit r WHERE r.url IS NOT NULL
         AND EXISTS (SELECT 1 FROM capture x WHERE x.url = r.url AND x.id > max(?1, r.capture) AND x.id <= ?2)
    UNION SELECT r.capture FROM (SELECT x.page, x.digest, max(x.id) AS last FROM capture x
             WHERE x.id > ?1 AND x.id <= ?2 AND x.revisit_of_ms IS NULL
               AND x.digest IN (SELECT digest FROM revisit WHERE digest IS NOT NULL AND names_payload)
             GROUP BY x.page, x.digest) x
        CROSS JOIN revisit r ON r.digest = x.digest AND r.digest IS NOT NULL AND r.names_payload AND r.capture < x.last
        CROSS JOIN capture c ON c.id = r.capture AND c.page = x.page
    UNION SELECT r.id FROM (SELECT d.page, max(d.capture) AS last FROM declared_digest d
             WHERE d.capture > ?1 AND d.capture <= ?2 GROUP BY d.page) x
        CROSS JOIN capture r ON r.page = x.page AND r.revisit_of_ms > -9223372036854775808 AND r.id < x.last";

/// Rows `m` of the claims of revisits, as the rule has them.
const CLAIMS: &str = "SELECT c.id, c.url, c.page, ifnull(r.url, c.url) AS of_url,
        ifnull((SELECT u.page FROM url u WHERE u.id = r.url), c.page) AS of_page, c.revisit_of_ms AS of_ms,
        CASE WHEN r.names_payload THEN ifnull(r.digest, c.digest) ELSE '' END AS digest, r.record_id AS record, r.declared_kind,
        c.original AS was, r.found_by
    FROM revisit r JOIN capture c ON c.id = r.capture";

/// The second clause for captures whose records declare another digest than that of their payload without
/// chunks: these come behind those that have it.
const SAME_DECLARED: &str = "(SELECT x.id FROM declared_digest d CROSS JOIN capture x ON x.id = d.capture
    WHERE m.digest <> '' AND d.digest = m.digest AND d.page = m.page AND x.url = m.url
    ORDER BY abs(x.date_ms - m.of_ms) / 1000, x.status NOT BETWEEN 200 AND 299, x.date_ms, x.id LIMIT 1)";

/// SQL: original and clause of each row of `m`, a subquery, by the first two clauses of the rule.
fn by_lookup(m: &str) -> String {
    let by_url = format!("CASE WHEN by_date IS NULL THEN ifnull({SAME_URL}, {SAME_DECLARED}) END");
    format!(
        "SELECT m.id, ifnull(by_date, by_url), CASE WHEN by_date IS NULL THEN 1 ELSE 0 END, was, found_by
         FROM (SELECT m.*, {by_url} AS by_url FROM (SELECT m.*, {AT_DATE} AS by_date FROM ({m}) m) m) m"
    )
}

/// SQL: the same of the revisits that may have another one since captures came behind `?1` up to `?2`.
pub(in crate::store::captures) fn may_change() -> String {
    by_lookup(&format!("{CLAIMS} WHERE r.capture IN ({MAY_HAVE_ORIGINAL})"))
}

/// SQL: the same of one revisit, whose claims are the parameters.
static LOOKUP: LazyLock<String> = LazyLock::new(|| {
    by_lookup(
        "SELECT 0 AS id, ?1 AS url, ?2 AS page, ?3 AS of_url, ?4 AS of_page, ?5 AS of_ms, ?6 AS digest,
            NULL AS was, NULL AS found_by",
    )
});

/// The claims in the record of a revisit.
pub(in crate::store::captures) struct RevisitClaims {
    url: Option<UrlId>,
    record_id: Option<String>,
    /// The digest that it declares.
    digest: String,
    names_payload: bool,
    lacks_head: bool,
    declared_kind: DeclaredKind,
}

/// The facts that a revisit takes from its original.
pub(in crate::store::captures) struct Original {
    pub(in crate::store::captures) id: CaptureId,
    found_by: FoundBy,
    url: UrlId,
    pub(in crate::store::captures) status: i32,
    pub(in crate::store::captures) mime: String,
    pub(in crate::store::captures) media: i64,
    pub(in crate::store::captures) size: i64,
    pub(in crate::store::captures) digest: String,
    pub(in crate::store::captures) title: String,
    pub(in crate::store::captures) language: String,
}

impl Original {
    fn read(conn: &Connection, id: CaptureId, found_by: FoundBy) -> Result<Option<Self>, StoreError> {
        let mut statement = conn.prepare_cached(
            "SELECT url, status, mime, media, size, digest, title, language FROM capture WHERE id = ?1",
        )?;
        let row = |row: &Row<'_>| {
            Ok(Self {
                id,
                found_by,
                url: row.get(0)?,
                status: row.get(1)?,
                mime: row.get::<_, LossyText>(2)?.0,
                media: row.get(3)?,
                size: row.get(4)?,
                digest: row.get(5)?,
                title: row.get::<_, LossyText>(6)?.0,
                language: row.get::<_, LossyText>(7)?.0,
            })
        };
        Ok(statement.query_row([id], row).optional()?)
    }

    /// Whether a revisit without a head of its own was answered as this was: others of the same payload
    /// may be errors, or no pages; that of no bytes is no evidence.
    fn has_status_of(&self, named_url: UrlId) -> bool {
        self.url == named_url && (200..300).contains(&self.status) && self.size > 0
    }
}

impl RevisitClaims {
    /// The claims of the revisit of an entry; numbers the URL that it names.
    pub(in crate::store::captures) fn of(conn: &Connection, entry: &CaptureEntry) -> Result<Option<Self>, StoreError> {
        if entry.revisit_of.is_none() {
            return Ok(None);
        }
        let (status, mime) = (entry.notes.status, entry.notes.mime.as_str());
        Ok(Some(Self {
            url: entry.repeats.as_ref().map(|url| url_ids(conn, url)).transpose()?.map(|ids| ids.url),
            record_id: entry.refers_to.clone().filter(|id| !id.is_empty()),
            digest: entry.payload_digest.clone(),
            names_payload: names_payload(&entry.payload_digest, status),
            lacks_head: status == 0,
            declared_kind: DeclaredKind::of(status, mime),
        }))
    }

    /// Its original among the captures that are here, by the first two clauses of the rule.
    pub(in crate::store::captures) fn original(
        &self,
        conn: &Connection,
        ids: UrlIds,
        revisit_of: CaptureDate,
    ) -> Result<Option<Original>, StoreError> {
        let of_page = match self.url {
            None => ids.page,
            Some(url) => {
                conn.prepare_cached("SELECT page FROM url WHERE id = ?1")?.query_row([url], |row| row.get(0))?
            }
        };
        let digest = if self.names_payload { self.digest.as_str() } else { "" };
        let found: (Option<CaptureId>, u8) = conn.prepare_cached(&LOOKUP)?.query_row(
            params![ids.url, ids.page, self.url.unwrap_or(ids.url), of_page, revisit_of.millis(), digest],
            |row| Ok((row.get(1)?, row.get(2)?)),
        )?;
        match found {
            (Some(id), clause) => Original::read(conn, id, FoundBy::of_clause(clause)),
            (None, _) => Ok(None),
        }
    }

    /// Status and type of the revisit: its own, or those of its original where it has no head.
    pub(in crate::store::captures) fn answer<'a>(
        &self,
        own_url: UrlId,
        original: &'a Original,
    ) -> Option<(i32, &'a str)> {
        let takes_status = self.lacks_head && original.has_status_of(self.url.unwrap_or(own_url));
        takes_status.then_some((original.status, original.mime.as_str()))
    }

    /// The digest of the payload that it names, empty where it names none.
    pub(in crate::store::captures) fn payload_digest(&self) -> &str {
        if self.names_payload { &self.digest } else { "" }
    }

    /// Keeps it, with how its original was found.
    pub(in crate::store::captures) fn insert(
        &self,
        conn: &Connection,
        capture: CaptureId,
        own_url: UrlId,
        original: Option<&Original>,
    ) -> Result<(), StoreError> {
        let digest = original.map_or(self.payload_digest(), |original| original.digest.as_str());
        conn.prepare_cached(
            "INSERT INTO revisit (capture, url, record_id, digest, names_payload, lacks_head, declared_kind, found_by, links_pending)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            capture,
            self.url,
            self.record_id,
            (self.digest != digest).then_some(self.digest.as_str()),
            self.names_payload,
            self.lacks_head,
            self.declared_kind as u8,
            original.map(|original| original.found_by as u8),
            original.is_some_and(|original| original.url != own_url),
        ])?;
        Ok(())
    }
}

/// Gives a revisit that is here another original, or none, and with it all that it has from it. `number` is when.
/// Says whether both are there still.
fn set_original(
    conn: &Connection,
    revisit: CaptureId,
    original: Option<(CaptureId, FoundBy)>,
    number: i64,
) -> Result<bool, StoreError> {
    let original = match original {
        Some((id, found_by)) => match Original::read(conn, id, found_by)? {
            None => return Ok(false),
            found => found,
        },
        None => None,
    };
    let sql = format!(
        "SELECT c.url, u.url, c.original, c.digest, c.status, c.mime, r.digest, r.names_payload, r.lacks_head, r.url,
            {IS_PAGE_ITSELF} AND {MAY_BE_PAGE}, {IS_PAGE}, p.digest,
            (SELECT o.digest || ' ' || o.status || ' ' || o.mime FROM capture o WHERE o.id = r.links_of), c.page, c.date_ms
         FROM capture c JOIN revisit r ON r.capture = c.id JOIN url u ON u.id = c.url
         LEFT JOIN capture p ON p.id = c.original WHERE c.id = ?1"
    );
    let mut statement = conn.prepare_cached(&sql)?;
    let mut rows = statement.query([revisit])?;
    let Some(row) = rows.next()? else { return Ok(false) };
    let (own_url, url): (UrlId, String) = (row.get(0)?, row.get(1)?);
    let was: Option<CaptureId> = row.get(2)?;
    let (digest, declared): (String, Option<String>) = (row.get(3)?, row.get(6)?);
    let (own_status, own_mime): (i32, String) = (row.get(4)?, row.get(5)?);
    let lacks_head: bool = row.get(8)?;
    let (own_status, own_mime) = if lacks_head { (0, "-".to_owned()) } else { (own_status, own_mime) };
    let declared = declared.unwrap_or(digest);
    let named = if row.get(7)? { declared.as_str() } else { "" };
    let named_url = row.get::<_, Option<UrlId>>(9)?.unwrap_or(own_url);
    // What was built with what it was before is wrong where that was another payload or another kind of thing.
    let is_page = original
        .as_ref()
        .is_some_and(|original| (200..300).contains(&original.status) && original.media == Media::Page as i64);
    let is_replaced = match (was, &original) {
        (None, _) => row.get(10)? && !is_page,
        (Some(_), Some(original)) => row.get::<_, bool>(11)? != is_page || row.get::<_, String>(12)? != original.digest,
        (Some(_), None) => true,
    };
    let links_of: Option<String> = row.get(13)?;
    let (page, date_ms): (PageId, i64) = (row.get(14)?, row.get(15)?);
    let links_pending = original.as_ref().is_some_and(|original| {
        let read_from = format!("{} {} {}", original.digest, original.status, original.mime);
        original.url != own_url && links_of != Some(read_from)
    });
    drop(rows);
    let answer = original.as_ref().filter(|original| lacks_head && original.has_status_of(named_url));
    let (status, mime) = answer.map_or((own_status, own_mime.as_str()), |of| (of.status, of.mime.as_str()));
    let own_media = || Url::parse(&url).map_or(Media::Other, |url| Media::of(&own_mime, &url, b"")) as i64;
    let now_digest = original.as_ref().map_or(named, |original| original.digest.as_str());
    conn.prepare_cached(
        "UPDATE capture SET original = ?2, digest = ?3, status = ?4, mime = ?5, media = ?6, size = ?7, title = ?8,
            language = ?9 WHERE id = ?1",
    )?
    .execute(params![
        revisit,
        original.as_ref().map(|original| original.id),
        now_digest,
        status,
        mime,
        original.as_ref().map_or_else(own_media, |original| original.media),
        original.as_ref().map_or(0, |original| original.size),
        original.as_ref().map_or("", |original| original.title.as_str()),
        original.as_ref().map_or("", |original| original.language.as_str()),
    ])?;
    conn.prepare_cached(
        "UPDATE revisit SET digest = ?2, found_by = ?3, changed = ?4, links_pending = ?5 WHERE capture = ?1",
    )?
    .execute(params![
        revisit,
        (declared != now_digest).then_some(declared.as_str()),
        original.as_ref().map(|original| original.found_by as u8),
        number,
        links_pending
    ])?;
    // What was measured for scores is of another payload.
    conn.prepare_cached("DELETE FROM measure WHERE capture = ?1")?.execute([revisit])?;
    super::note_change_after(conn, page, CaptureDate::from_millis(date_ms), status, now_digest)?;
    if is_replaced {
        conn.prepare_cached("INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)")?
            .execute(params![REPLACED, number.to_string()])?;
    }
    Ok(true)
}

/// The next number of changes of originals.
pub(in crate::store) fn next_number(conn: &Connection) -> Result<i64, StoreError> {
    let mut statement = conn.prepare_cached(
        "INSERT INTO setting (name, value) VALUES (?1, '1')
         ON CONFLICT DO UPDATE SET value = CAST(value AS INTEGER) + 1 RETURNING CAST(value AS INTEGER)",
    )?;
    Ok(statement.query_row([CHANGED], |row| row.get(0))?)
}

/// Notes for its revisits that the outlinks of a capture came later than the capture.
pub(in crate::store::captures) fn note_links_of_original(conn: &Connection, id: CaptureId) -> Result<(), StoreError> {
    if conn.prepare_cached("SELECT 1 FROM capture WHERE original = ?1")?.exists([id])? {
        let number = next_number(conn)?;
        let sql = "UPDATE revisit SET changed = ?2 WHERE capture IN (SELECT id FROM capture WHERE original = ?1)";
        conn.prepare_cached(sql)?.execute(params![id, number])?;
    }
    Ok(())
}

/// Takes from revisits of a capture that goes what they have from it. Another original is looked for by
/// [`Catalogue::settle_originals`].
pub(in crate::store) fn lose_original(conn: &Connection, id: CaptureId) -> Result<(), StoreError> {
    conn.prepare_cached("UPDATE revisit SET links_of = NULL WHERE links_of = ?1")?.execute([id])?;
    let mut revisits = conn.prepare_cached("SELECT id FROM capture WHERE original = ?1")?;
    let revisits = revisits.query_map([id], |row| row.get(0))?.collect::<Result<Vec<CaptureId>, _>>()?;
    if !revisits.is_empty() {
        let number = next_number(conn)?;
        revisits.into_iter().try_for_each(|revisit| set_original(conn, revisit, None, number).map(drop))?;
        conn.prepare_cached("DELETE FROM setting WHERE name = ?1")?.execute([SETTLED])?;
    }
    conn.prepare_cached("DELETE FROM revisit WHERE capture = ?1")?.execute([id])?;
    Ok(())
}

/// A revisit with another original than it has.
type Change = (CaptureId, (CaptureId, FoundBy));

/// A row of [`by_lookup`] or of the last clauses: the revisit, what was found, what it has.
fn change_of(row: &Row<'_>) -> rusqlite::Result<(CaptureId, Option<Change>, bool)> {
    let (id, found): (CaptureId, Option<CaptureId>) = (row.get(0)?, row.get(1)?);
    let (clause, was, found_by): (u8, Option<CaptureId>, Option<u8>) = (row.get(2)?, row.get(3)?, row.get(4)?);
    let change = found.filter(|_| found != was || found_by != Some(clause));
    Ok((id, change.map(|found| (id, (found, FoundBy::of_clause(clause)))), found.is_some()))
}

/// Tables of the last two clauses of the rule, which all open revisits share: there is no index for
/// records and payloads, since so few revisits need one. They are read once for all.
struct OpenRevisits<'c>(&'c Connection);

impl<'c> OpenRevisits<'c> {
    fn create(conn: &'c Connection) -> Result<Self, StoreError> {
        // Its tables go with it, whatever becomes of the rest.
        let open = Self(conn);
        conn.execute_batch(&format!(
            "CREATE TEMP TABLE open_revisit AS {CLAIMS} WHERE r.found_by IS NULL OR r.found_by > 1;
             CREATE TEMP TABLE by_record (record, is_page INTEGER, digest, id INTEGER, PRIMARY KEY (record, is_page))
                WITHOUT ROWID;
             CREATE TEMP TABLE payload (digest, is_page INTEGER, date_ms INTEGER, status INTEGER, id INTEGER,
                PRIMARY KEY (digest, is_page, date_ms, id)) WITHOUT ROWID"
        ))?;
        Ok(open)
    }

    /// Leaves out those that were found by the first clauses. Says whether the others are worth a look: some are new,
    /// or one of the captures behind `settled` up to `newest` has a record or payload that they name.
    fn leave_out(
        &self,
        found: &BTreeSet<CaptureId>,
        settled: CaptureId,
        newest: CaptureId,
    ) -> Result<bool, StoreError> {
        let mut delete = self.0.prepare("DELETE FROM open_revisit WHERE id = ?1")?;
        found.iter().try_for_each(|id| delete.execute([id]).map(drop))?;
        let sql = "SELECT EXISTS (SELECT 1 FROM open_revisit WHERE id > ?1)
            OR EXISTS (SELECT 1 FROM capture x WHERE x.id > ?1 AND x.id <= ?2 AND x.revisit_of_ms IS NULL
                AND x.digest IN (SELECT digest FROM open_revisit WHERE digest <> ''))
            OR EXISTS (SELECT 1 FROM declared_digest d WHERE d.capture > ?1 AND d.capture <= ?2
                AND d.digest IN (SELECT digest FROM open_revisit))
            OR EXISTS (SELECT 1 FROM record r WHERE r.capture > ?1 AND r.capture <= ?2 AND r.position = 0
                AND r.record_id IN (SELECT record FROM open_revisit))";
        Ok(self.0.query_row(sql, [settled, newest], |row| row.get(0))?)
    }

    fn changes(&self) -> Result<Vec<Change>, StoreError> {
        let is_page = is_page_sql!("x");
        if self
            .0
            .query_row("SELECT EXISTS (SELECT 1 FROM open_revisit WHERE record IS NOT NULL)", [], |row| row.get(0))?
        {
            self.0.execute_batch(&format!(
                "INSERT OR IGNORE INTO by_record
                 SELECT r.record_id, {is_page}, ifnull((SELECT d.digest FROM declared_digest d WHERE d.capture = x.id), x.digest), x.id
                   FROM record r NOT INDEXED CROSS JOIN capture x ON x.id = r.capture
                  WHERE r.position = 0 AND x.revisit_of_ms IS NULL AND r.record_id IN (SELECT record FROM open_revisit)
                  ORDER BY r.record_id, x.date_ms, x.digest, x.id"
            ))?;
        }
        self.0.execute_batch(&format!(
            "INSERT OR IGNORE INTO payload
             SELECT f.digest, {is_page}, x.date_ms, x.status, x.id FROM
                (SELECT id, digest FROM capture WHERE revisit_of_ms IS NULL AND digest IN (SELECT digest FROM open_revisit)
                 UNION SELECT capture, digest FROM declared_digest WHERE digest IN (SELECT digest FROM open_revisit)) f
                CROSS JOIN capture x ON x.id = f.id"
        ))?;
        let mut statement = self.0.prepare(&format!(
            "SELECT m.id, ifnull(by_record, CASE WHEN by_record IS NULL THEN {BY_PAYLOAD} END),
                CASE WHEN by_record IS NULL THEN 3 ELSE 2 END, was, found_by
             FROM (SELECT m.*, {BY_RECORD} AS by_record FROM open_revisit m) m"
        ))?;
        let rows = statement.query_map([], change_of)?;
        let mut changes = Vec::new();
        for row in rows {
            changes.extend(row?.1);
        }
        Ok(changes)
    }
}

impl Drop for OpenRevisits<'_> {
    fn drop(&mut self) {
        let names = ["open_revisit", "by_record", "payload"].map(|name| format!("DROP TABLE IF EXISTS temp.{name};"));
        let _ = self.0.execute_batch(&names.concat());
    }
}

/// Revisits whose original is another one since captures came behind `settled` up to `newest`.
fn changed_originals(conn: &Connection, settled: CaptureId, newest: CaptureId) -> Result<Vec<Change>, StoreError> {
    let is_there = "SELECT EXISTS (SELECT 1 FROM revisit)";
    if !conn.query_row(is_there, [], |row| row.get::<_, bool>(0))? {
        return Ok(Vec::new());
    }
    let mut changes = Vec::new();
    let mut found = BTreeSet::new();
    let mut candidates = conn.prepare(&may_change())?;
    for row in candidates.query_map([settled, newest], change_of)? {
        let (id, change, is_found) = row?;
        changes.extend(change);
        found.extend(is_found.then_some(id));
    }
    drop(candidates);
    let open = OpenRevisits::create(conn)?;
    if open.leave_out(&found, settled, newest)? {
        changes.extend(open.changes()?);
    }
    Ok(changes)
}

/// A revisit of another URL, whose links were not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingRepeat {
    /// The revisit.
    pub capture: CaptureId,
    /// Its URL.
    pub url: Url,
    /// The original that it repeats, which is there.
    pub original: CaptureId,
}

/// The captures of a page among which the nearest one is sought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// All.
    All,
    /// Those with a status below 400.
    WithoutErrors,
}

impl Catalogue {
    /// The capture that a revisit repeats, if it is there.
    pub fn original_of(&self, id: CaptureId) -> Result<Option<StoredCapture>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached("SELECT original FROM capture WHERE id = ?1")?;
            let original: Option<CaptureId> = statement.query_row([id], |row| row.get(0)).optional()?.flatten();
            Ok(original.map(|id| stored_capture(conn, id)).transpose()?.flatten())
        })
    }

    /// The capture of a page that is nearest to a date. Of those that are equally far to the second,
    /// one with a status from 200 to 299 comes first, then the earlier.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn nearest_capture(
        &self,
        page: &PageKey,
        date: CaptureDate,
        answers: Answers,
    ) -> Result<Option<CaptureId>, StoreError> {
        self.read(|conn| nearest_capture(conn, page.as_str(), date, answers))
    }

    /// Gives every revisit its original by the whole rule ([`crate::captures::original_rule`]), as far as captures
    /// came since the last time.
    ///
    /// # Errors
    ///
    /// Errors of the catalogue, and cancelling.
    pub fn settle_originals(&self, cx: &JobCx) -> Result<(), StoreError> {
        // What one has read would be old when another has written.
        let _only_one = self.settling();
        let newest = self.newest_capture()?;
        let before = self.setting(SETTLED)?;
        let settled = before.as_ref().and_then(|number| number.parse::<CaptureId>().ok()).unwrap_or_default();
        if settled == newest {
            return Ok(());
        }
        let changes = self.read_in_job(cx, |conn| changed_originals(conn, settled, newest))?;
        let mut all_set = true;
        for some in changes.chunks(WRITTEN_AT_ONCE) {
            cx.checkpoint()?;
            let some = some.to_vec();
            all_set &= self.write(move |conn| {
                let number = next_number(conn)?;
                let mut all_set = true;
                for (id, original) in some {
                    all_set &= set_original(conn, id, Some(original), number)?;
                }
                Ok(all_set)
            })?;
        }
        // Where captures were lost meanwhile, everything is checked again the next time.
        self.change_setting(SETTLED, move |now| ((all_set && now == before).then(|| newest.to_string()), ()))
    }

    /// Revisits whose original is not there, and may have been a page.
    pub fn count_missing_originals(&self) -> Result<u64, StoreError> {
        self.read(|conn| {
            let sql = format!(
                "SELECT count(*) FROM revisit r CROSS JOIN capture c ON c.id = r.capture
                 WHERE (r.found_by IS NULL OR r.found_by > 1) AND {IS_LOST_PAGE}"
            );
            Ok(uint(conn.query_row(&sql, [], |row| row.get(0))?))
        })
    }

    /// The number of times that originals, or the links of what is repeated under another URL, were
    /// found after their revisits: whoever has read captures reads those again that changed behind a
    /// number.
    pub fn originals_changed(&self) -> Result<i64, StoreError> {
        Ok(self.setting(CHANGED)?.and_then(|number| number.parse().ok()).unwrap_or_default())
    }

    /// The last of these numbers at which an original was replaced by another payload, or by another kind of
    /// thing: what was built before is wrong.
    pub fn originals_replaced(&self) -> Result<i64, StoreError> {
        Ok(self.setting(REPLACED)?.and_then(|number| number.parse().ok()).unwrap_or_default())
    }

    /// Revisits of another URL whose links were not read yet, in the order of what they repeat: all, or those
    /// that one launch brought, or the capture that they repeat.
    pub fn waiting_repeats(&self, launch: Option<LaunchId>) -> Result<Vec<WaitingRepeat>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT c.id, u.url, o.id FROM revisit r CROSS JOIN capture c ON c.id = r.capture CROSS JOIN url u ON u.id = c.url
                    CROSS JOIN capture o ON o.id = c.original
                 WHERE r.links_pending AND (?1 IS NULL OR ?1 IN (c.launch, o.launch)) ORDER BY o.id, c.id",
            )?;
            let mut rows = statement.query([launch])?;
            let mut waiting = Vec::new();
            while let Some(row) = rows.next()? {
                if let Ok(url) = Url::parse(row.get_ref(1)?.as_str().unwrap_or_default()) {
                    waiting.push(WaitingRepeat { capture: row.get(0)?, url, original: row.get(2)? });
                }
            }
            Ok(waiting)
        })
    }

    /// Keeps what links such revisits have, in the place of those that they had.
    pub fn keep_repeats(&self, read: Vec<(WaitingRepeat, Vec<Outlink>)>) -> Result<(), StoreError> {
        self.write(move |conn| {
            if read.is_empty() {
                return Ok(());
            }
            let (number, mut blocks) = (next_number(conn)?, Vec::new());
            for (repeat, links) in &read {
                // It may be gone meanwhile, or repeat something else.
                let mut is_there = conn.prepare_cached("SELECT 1 FROM capture WHERE id = ?1 AND original = ?2")?;
                if !is_there.exists([repeat.capture, repeat.original])? {
                    continue;
                }
                blocks.append(&mut blocks_of(conn, &[repeat.capture])?);
                conn.prepare_cached("DELETE FROM link_list WHERE capture = ?1")?.execute([repeat.capture])?;
                insert_outlinks(conn, repeat.capture, links)?;
                conn.prepare_cached(
                    "UPDATE revisit SET links_of = ?2, links_pending = 0, changed = ?3 WHERE capture = ?1",
                )?
                .execute(params![repeat.capture, repeat.original, number])?;
            }
            remove_empty_blocks(conn, blocks)
        })
    }
}

/// See [`Catalogue::nearest_capture`].
pub(in crate::store) fn nearest_capture(
    conn: &Connection,
    page: &str,
    date: CaptureDate,
    answers: Answers,
) -> Result<Option<CaptureId>, StoreError> {
    let sql = match answers {
        Answers::All => concat!("SELECT ", nearest_of_page_sql!("t.id", "?2", all), " FROM page t WHERE t.key = ?1"),
        Answers::WithoutErrors => {
            concat!("SELECT ", nearest_of_page_sql!("t.id", "?2", without_errors), " FROM page t WHERE t.key = ?1")
        }
    };
    Ok(conn.prepare_cached(sql)?.query_row(params![page, date.millis()], |row| row.get(0)).optional()?.flatten())
}
