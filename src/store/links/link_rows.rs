//! Links: rows for the inlink build, its report, and outlinks of a capture.

use crate::captures::Unread;
use crate::crawl::{SeenFacts, UrlOutcome};
use crate::links::{LinkKind, anchor_as_shown};
use crate::store::captures::link_list::{JOIN_BLOCK, LIST, PageKeys, StoredLink, StoredList, decode_of, outlinks_of};
use crate::store::captures::originals::{
    HAS_LINKS, IS_PAGE, IS_PAGE_ITSELF, MAY_BE_PAGE, ORIGINAL, nearest_of_page_sql,
};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, kind_name, uint};
use crate::store::launches::seen_state;
use crate::store::rows::{AnchorRow, CaptureId, OutlinkRow};
use crate::uri::CaptureDate;
use rusqlite::{OptionalExtension, params};
use std::collections::BTreeMap;

/// An outlink as the inlink build reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlinkFeed {
    /// Identity of the page that is linked to.
    pub target_key: String,
    /// Its URL as it was linked.
    pub target_url: String,
    /// Identity of the linking page.
    pub source_key: String,
    /// Its URL.
    pub source_url: String,
    /// The linking capture.
    pub capture: CaptureId,
    /// When the linking page was captured.
    pub date: CaptureDate,
    /// Text of the link.
    pub anchor: String,
    /// It, or its page, has `nofollow`.
    pub nofollow: bool,
}

/// A link of a capture as its page has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BareLink {
    /// Its target.
    pub url: String,
    /// Element kind, in a word.
    pub kind: String,
    /// Its text. Hostile text.
    pub anchor: String,
}

/// A capture of a page, which links may lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageFeed {
    /// Identity of the page.
    pub key: String,
    /// Its URL.
    pub url: String,
    /// The capture.
    pub capture: CaptureId,
    /// When.
    pub date: CaptureDate,
}

/// Captures by their numbers, which only grow: those that came after one, up to
/// another; and of those before what came to be known since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Captures {
    /// The last one that is left out.
    pub after: CaptureId,
    /// The last one that is in.
    pub up_to: CaptureId,
    /// The last change of originals that is left out ([`Catalogue::originals_changed`]).
    pub changed_after: i64,
}

impl Captures {
    /// All that there are.
    pub const ALL: Self = Self { after: CaptureId::new(0), up_to: CaptureId::MAX, changed_after: 0 };
}

pub(super) const NEW_CAPTURES: &str = "c.id > ?1 AND c.id <= ?2 AND (?3 = ?3)";

/// Revisits that were there before, whose original or its links came since.
pub(super) const CHANGED_REVISITS: &str =
    "c.id <= ?1 AND (?2 = ?2) AND c.id IN (SELECT r.capture FROM revisit r WHERE r.changed > ?3)";

fn feed(which: &str) -> String {
    format!(
        "SELECT c.id, c.date_ms, su.url, sp.key, {LIST}
         FROM capture c
         JOIN capture p ON p.id = {ORIGINAL}
         JOIN link_list o ON o.capture = {HAS_LINKS} {JOIN_BLOCK}
         JOIN url su ON su.id = c.url JOIN page sp ON sp.id = c.page
         WHERE o.anchors > 0 AND {IS_PAGE} AND {MAY_BE_PAGE} AND {which} ORDER BY c.id, o.part"
    )
}

fn feed_pages(which: &str) -> String {
    format!(
        "SELECT k.key, u.url, c.date_ms, c.id
         FROM capture c JOIN capture p ON p.id = {ORIGINAL}
         JOIN url u ON u.id = c.url JOIN page k ON k.id = c.page
         WHERE {IS_PAGE} AND {MAY_BE_PAGE} AND {which} ORDER BY c.id"
    )
}

impl Catalogue {
    /// The number of links that the build will read, those of revisits left out.
    pub fn count_anchor_links(&self, of: Captures) -> Result<u64, StoreError> {
        self.read(|conn| {
            let n: i64 = conn.query_row(
                "SELECT ifnull(sum(anchors), 0) FROM link_list WHERE capture > ?1 AND capture <= ?2",
                [of.after, of.up_to],
                |row| row.get(0),
            )?;
            Ok(uint(n))
        })
    }

    /// Feeds every `<a href>` of every page captured with success. A revisit
    /// gives the links of what it repeats, at its own date; one that was there
    /// before gives them when what it repeats has come.
    pub fn feed_inlinks<E>(
        &self,
        of: Captures,
        mut each: impl FnMut(InlinkFeed) -> Result<(), E>,
    ) -> Result<Result<(), E>, StoreError> {
        match self.feed(NEW_CAPTURES, of, &mut each)? {
            Ok(()) if of.after.get() > 0 => self.feed(CHANGED_REVISITS, of, each),
            stopped => Ok(stopped),
        }
    }

    fn feed<E>(
        &self,
        which: &str,
        of: Captures,
        mut each: impl FnMut(InlinkFeed) -> Result<(), E>,
    ) -> Result<Result<(), E>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare(&feed(which))?;
            let mut rows = statement.query((of.after, of.up_to, of.changed_after))?;
            let mut pages = PageKeys::default();
            while let Some(row) = rows.next()? {
                let (capture, date) = (row.get(0)?, CaptureDate::from_millis(row.get(1)?));
                let (source_url, source_key): (String, String) = (row.get(2)?, row.get(3)?);
                let links = decode_of(capture, StoredList::of_row(row, 4)?)?;
                for link in links.into_iter().filter(|link| link.kind == LinkKind::Anchor) {
                    let feed = InlinkFeed {
                        target_key: pages.of(&link.url)?.as_str().to_owned(),
                        target_url: link.url,
                        source_key: source_key.clone(),
                        source_url: source_url.clone(),
                        capture,
                        date,
                        anchor: link.anchor,
                        nofollow: link.nofollow,
                    };
                    if let Err(stop) = each(feed) {
                        return Ok(Err(stop));
                    }
                }
            }
            Ok(Ok(()))
        })
    }

    /// Feeds every capture of a page that came with success, in their order.
    pub fn feed_pages<E>(
        &self,
        of: Captures,
        each: impl FnMut(PageFeed) -> Result<(), E>,
    ) -> Result<Result<(), E>, StoreError> {
        self.feed_captures(NEW_CAPTURES, of, each)
    }

    /// Feeds revisits that were there before, where they turn out to be of a
    /// page, in their order.
    pub fn feed_old_pages<E>(
        &self,
        of: Captures,
        each: impl FnMut(PageFeed) -> Result<(), E>,
    ) -> Result<Result<(), E>, StoreError> {
        match of.after.get() {
            0 => Ok(Ok(())),
            _ => self.feed_captures(CHANGED_REVISITS, of, each),
        }
    }

    fn feed_captures<E>(
        &self,
        which: &str,
        of: Captures,
        mut each: impl FnMut(PageFeed) -> Result<(), E>,
    ) -> Result<Result<(), E>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare(&feed_pages(which))?;
            let mut rows = statement.query((of.after, of.up_to, of.changed_after))?;
            while let Some(row) = rows.next()? {
                let date = CaptureDate::from_millis(row.get(2)?);
                let page = PageFeed { key: row.get(0)?, url: row.get(1)?, capture: row.get(3)?, date };
                if let Err(stop) = each(page) {
                    return Ok(Err(stop));
                }
            }
            Ok(Ok(()))
        })
    }

    /// Captures of pages with success that were not read as they were meant, and
    /// revisits that repeat one of them: how many, by reason.
    pub fn unread_pages(&self) -> Result<BTreeMap<Unread, u64>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "WITH unread AS (
                    SELECT c.id AS id, u.why AS why FROM unread_page u JOIN capture c ON c.id = u.capture WHERE {IS_PAGE_ITSELF})
                 SELECT why, count(*) FROM (
                    SELECT why FROM unread
                    UNION ALL
                    SELECT o.why FROM unread o CROSS JOIN capture c ON c.original = o.id WHERE c.id NOT IN (SELECT id FROM unread))
                 GROUP BY why"
            ))?;
            let rows = statement.query_map([], |row| Ok((row.get::<_, String>(0)?, uint(row.get(1)?))))?;
            let mut pages = BTreeMap::new();
            for row in rows {
                let (why, count) = row?;
                pages.extend(Unread::parse(&why).map(|why| (why, count)));
            }
            Ok(pages)
        })
    }

    /// The report of the last build, with its date.
    pub fn inlink_build(&self) -> Result<Option<(CaptureDate, serde_json::Value)>, StoreError> {
        self.read(|conn| {
            let found: Option<(i64, String)> = conn
                .query_row("SELECT date_ms, report FROM inlink_build ORDER BY id DESC LIMIT 1", [], |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .optional()?;
            Ok(match found {
                None => None,
                Some((date, report)) => Some((
                    CaptureDate::from_millis(date),
                    serde_json::from_str(&report).map_err(|error| StoreError::Content(error.to_string()))?,
                )),
            })
        })
    }

    /// The links of a capture in the order of the page, without what became of their targets.
    ///
    /// # Errors
    ///
    /// Links that cannot be read.
    pub fn bare_links(&self, id: CaptureId) -> Result<Vec<BareLink>, StoreError> {
        let links = self.read(|conn| outlinks_of(conn, id))?;
        let bare = |StoredLink { url, kind, anchor, .. }: StoredLink| BareLink { url, kind: kind_name(kind), anchor };
        Ok(links.into_iter().map(bare).collect())
    }

    /// Links out of a capture; a revisit shows those of what it repeats.
    pub fn outlinks(&self, id: CaptureId) -> Result<Vec<OutlinkRow>, StoreError> {
        self.read(|conn| {
            let mut of_target = conn.prepare_cached(concat!(
                "SELECT ",
                nearest_of_page_sql!("t.id", "c.date_ms", all),
                ", s.state, s.rule_index, s.rule_name, s.fetch_status, s.why
                 FROM capture c LEFT JOIN page t ON t.key = ?2
                 LEFT JOIN seen s ON s.launch = c.launch AND s.url = (SELECT id FROM url WHERE url = ?3)
                 WHERE c.id = ?1"
            ))?;
            let mut pages = PageKeys::default();
            let row = |link: StoredLink| {
                let page = pages.of(&link.url)?.as_str();
                let (capture, outcome) = of_target.query_row(params![id, page, link.url], |row| {
                    let outcome = match row.get::<_, Option<i64>>(1)? {
                        None => None,
                        Some(state) => Some(UrlOutcome::of_seen(SeenFacts {
                            state: seen_state(state),
                            rule_index: row.get::<_, Option<i64>>(2)?.and_then(|index| usize::try_from(index).ok()),
                            rule_name: &row.get::<_, String>(3)?,
                            fetch_status: row.get(4)?,
                            why: &row.get::<_, String>(5)?,
                        })),
                    };
                    Ok((row.get(0)?, outcome))
                })?;
                Ok(OutlinkRow {
                    position: link.position,
                    url: link.url,
                    anchor: anchor_as_shown(&link.anchor).into_owned(),
                    kind: kind_name(link.kind),
                    capture,
                    outcome,
                    rel: link.rel,
                    nofollow: link.nofollow,
                    place: link.place.map(|place| place.as_str().to_owned()),
                })
            };
            outlinks_of(conn, id)?.into_iter().map(row).collect()
        })
    }

    /// Most frequent anchors between different sites, as far as they are kept.
    pub(in crate::store) fn top_anchors(&self, limit: u64) -> Result<Vec<AnchorRow>, StoreError> {
        self.rows(
            "SELECT text, hosts, links, first_s, last_s FROM top_anchor ORDER BY hosts DESC, links DESC, text LIMIT ?1",
            [int(limit)],
            anchor_row,
        )
    }
}

fn anchor_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<AnchorRow> {
    Ok(AnchorRow {
        text: row.get(0)?,
        hosts: uint(row.get(1)?),
        links: uint(row.get(2)?),
        first: CaptureDate::from_seconds(row.get(3)?),
        last: CaptureDate::from_seconds(row.get(4)?),
        matches_request: false,
    })
}
