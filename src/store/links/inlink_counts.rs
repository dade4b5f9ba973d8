//! Inlink counts of each capture in the present window, kept for columns, and
//! what else is kept of a pass over the built inlinks.

use crate::inlinks::stored::{AnchorCount, Cited, CitedCounts, CountTotals, Counted, Counting, LinkStore};
use crate::inlinks::{MATCH_WINDOW_DAYS, MAX_INLINKS_PER_SIDE};
use crate::jobs::JobCx;
use crate::links::LinkKind;
use crate::store::captures::interned_texts::{UrlIds, url_ids};
use crate::store::captures::link_list::outlinks_of;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::{int, parse_stored};
use crate::store::catalogue::statistics::keep_statistics;
use crate::store::catalogue::workspace::Workspace;
use crate::store::rows::{AnchorRow, CaptureId};
use crate::uri::CaptureDate;
use fixedbitset::FixedBitSet;
use rusqlite::{Connection, OptionalExtension, params};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

/// Rows kept in one write; between two others can write.
const BATCH: usize = 5_000;

/// Pages never captured that are kept, the most cited ones.
pub const PROSPECTS_KEPT: usize = 100_000;

/// Anchors of the whole archive that are kept, those of most hosts.
pub const ANCHORS_KEPT: u64 = 10_000;

/// The setting with the state of links and captures that were counted.
const COUNTED: &str = "inlinks_counted";

/// The setting that marks that inlinks of an earlier form were there.
const NEEDS_REBUILD: &str = "inlinks_wanted";

/// Captures that other sites link to in a window, as they were counted.
pub struct ExternallyLinked {
    linked: FixedBitSet,
    /// The newest capture that was counted.
    up_to: CaptureId,
}

impl ExternallyLinked {
    /// Whether no other site links to a capture: nobody needs to read its inlinks to find some.
    pub fn is_without(&self, capture: CaptureId) -> bool {
        let is_linked = usize::try_from(capture.get()).is_ok_and(|at| self.linked.contains(at));
        capture <= self.up_to && !is_linked
    }
}

struct CaptureCounts {
    capture: CaptureId,
    counts: CitedCounts,
    cut: u64,
    top_anchor: String,
}

/// A page never captured: counts, key, dates of the first and the last link, anchor, a capture that links to it.
type Prospect = (Reverse<CitedCounts>, String, Option<(CaptureDate, CaptureDate)>, String, CaptureId);

/// The best of many.
#[derive(Default)]
struct Prospects(BTreeSet<Prospect>);

impl Prospects {
    fn take(&mut self, page: &Cited, top_anchor: &str, source: CaptureId) {
        let order = Reverse(page.counts);
        if self.0.len() >= PROSPECTS_KEPT
            && self.0.last().is_none_or(|last| (&last.0, &last.1) < (&order, &page.target))
        {
            return;
        }
        self.0.insert((order, page.target.clone(), page.dates, top_anchor.to_owned(), source));
        if self.0.len() > PROSPECTS_KEPT {
            self.0.pop_last();
        }
    }
}

impl Workspace {
    /// Counts the inlinks of every capture in a window and keeps the counts,
    /// all at once: stopped or killed before, it leaves those that were there.
    /// Where inlinks are not built, only the window is kept.
    ///
    /// # Errors
    ///
    /// Links or a catalogue that cannot be read or written, or `Cancelled`.
    pub fn count_inlinks(&self, window_days: u32, cx: &JobCx) -> Result<CountTotals, StoreError> {
        let Some(store) = self.built_links()? else {
            self.catalogue().set_setting("window_days", &window_days.to_string())?;
            return Ok(CountTotals::default());
        };
        let counted = self.counted_state(&store, window_days)?;
        let totals = self.count(&store, window_days, cx, |_, _, _| ())?;
        self.catalogue().write(move |conn| put_counts(conn, window_days, &counted))?;
        Ok(totals)
    }

    /// Counts the inlinks after a build, and keeps the counts with pages never captured, the anchors of
    /// the whole archive, and the report of the build.
    ///
    /// # Errors
    ///
    /// As [`Self::count_inlinks`].
    pub fn keep_build(
        &self,
        window_days: u32,
        report: impl FnOnce(&CountTotals) -> serde_json::Value,
        cx: &JobCx,
    ) -> Result<CountTotals, StoreError> {
        let Some(store) = self.built_links()? else { return Ok(CountTotals::default()) };
        let counted = self.counted_state(&store, window_days)?;
        let mut prospects = Prospects::default();
        let totals = self.count(&store, window_days, cx, |page, top_anchor, source| {
            prospects.take(page, top_anchor, source);
        })?;
        self.catalogue().write(|conn| {
            Ok(conn.execute_batch(
                "DROP TABLE IF EXISTS prospect_new;
                 CREATE TABLE prospect_new (
                    page INTEGER PRIMARY KEY REFERENCES page(id), url INTEGER NOT NULL REFERENCES url(id),
                    internal INTEGER NOT NULL, external INTEGER NOT NULL, hosts INTEGER NOT NULL,
                    first_s INTEGER NOT NULL, last_s INTEGER NOT NULL, anchor TEXT NOT NULL);",
            )?)
        })?;
        let mut prospects: Vec<Prospect> = prospects.0.into_iter().collect();
        prospects.sort_unstable_by_key(|(.., source)| *source);
        while !prospects.is_empty() {
            cx.checkpoint()?;
            let batch = prospects.split_off(prospects.len().saturating_sub(BATCH));
            self.catalogue().write(move |conn| {
                let mut links = LinksOfSource::default();
                batch.iter().try_for_each(|prospect| put_prospect(conn, prospect, &mut links))
            })?;
        }
        cx.stage("Sorting anchors", Some(totals.internal + totals.external));
        let anchors = store.top_anchors(ANCHORS_KEPT, &self.shuffle_options(), cx)?;
        let report = report(&totals).to_string();
        cx.checkpoint()?;
        self.catalogue().write(move |conn| {
            put_counts(conn, window_days, &counted)?;
            conn.execute_batch(
                "DROP TABLE prospect;
                 ALTER TABLE prospect_new RENAME TO prospect;
                 CREATE INDEX prospect_order ON prospect(hosts, external, internal);
                 DELETE FROM top_anchor;",
            )?;
            // Those of the tables before went with them.
            keep_statistics(conn)?;
            anchors.iter().try_for_each(|anchor| put_anchor(conn, anchor))?;
            conn.execute("DELETE FROM setting WHERE name = ?1", [NEEDS_REBUILD])?;
            conn.execute(
                "INSERT INTO inlink_build (date_ms, report) VALUES (?1, ?2)",
                params![CaptureDate::now().millis(), report],
            )?;
            Ok(())
        })?;
        Ok(totals)
    }

    /// Anchors that other sites use most, whatever they link to: those that the last build kept, or all
    /// of them sorted again for a higher limit.
    ///
    /// # Errors
    ///
    /// Links or a catalogue that cannot be read, no room for sorting, or `Cancelled`.
    pub fn top_anchors(&self, limit: u64, cx: &JobCx) -> Result<Vec<AnchorRow>, StoreError> {
        if limit > ANCHORS_KEPT
            && let Some(store) = self.built_links()?
        {
            let row = |AnchorCount { text, hosts, links, first, last }| AnchorRow {
                text,
                hosts,
                links,
                // As those that a build keeps have them.
                first: CaptureDate::from_seconds(first.seconds()),
                last: CaptureDate::from_seconds(last.seconds()),
                matches_request: false,
            };
            return Ok(store.top_anchors(limit, &self.shuffle_options(), cx)?.into_iter().map(row).collect());
        }
        self.catalogue().top_anchors(limit)
    }

    /// Whether the counts are those of all captures and links there are now.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn counts_are_new(&self, window_days: u32) -> Result<bool, StoreError> {
        let Some(store) = self.built_links()? else { return Ok(false) };
        Ok(self.catalogue().setting(COUNTED)?.as_deref() == Some(self.counted_state(&store, window_days)?.as_str()))
    }

    /// The captures that other sites link to in a window; none where the counts are not those of this window and of
    /// the links there are now.
    ///
    /// # Errors
    ///
    /// Links or a catalogue that cannot be read.
    pub fn externally_linked(&self, window_days: u32) -> Result<Option<ExternallyLinked>, StoreError> {
        let up_to = self.catalogue().newest_capture()?;
        if !self.counts_are_new(window_days)? {
            return Ok(None);
        }
        let linked = self.catalogue().read(|conn| {
            let mut statement = conn.prepare_cached("SELECT capture FROM capture_inlinks WHERE external > 0")?;
            let mut rows = statement.query([])?;
            let mut linked = FixedBitSet::new();
            while let Some(row) = rows.next()? {
                // Numbers of captures that there are; others could take any amount of memory.
                let capture = Some(row.get::<_, CaptureId>(0)?).filter(|capture| *capture <= up_to);
                let at = capture.and_then(|capture| usize::try_from(capture.get()).ok());
                at.into_iter().for_each(|at| linked.grow_and_insert(at));
            }
            Ok(linked)
        })?;
        // Another window may have been counted meanwhile.
        Ok(self.counts_are_new(window_days)?.then_some(ExternallyLinked { linked, up_to }))
    }

    /// Whether the counts are of other links than those there are now: a build
    /// ended between the two.
    ///
    /// # Errors
    ///
    /// Links or a catalogue that cannot be read.
    pub fn counts_are_missing(&self) -> Result<bool, StoreError> {
        let Some(store) = self.built_links()? else { return Ok(false) };
        let of_these = edition_text(&store);
        Ok(!self.catalogue().setting(COUNTED)?.is_some_and(|counted| counted.ends_with(&of_these)))
    }

    /// Makes one file of all built links. Says how many bytes they take.
    ///
    /// # Errors
    ///
    /// Nothing built, no room or no way to write, or `Cancelled`; the
    /// links stay as they are then.
    pub fn compact_links(&self, cx: &JobCx) -> Result<u64, StoreError> {
        let window_days = self.catalogue().window_days()?;
        let were_new = self.counts_are_new(window_days)?;
        let mut store = self.links_to_build()?;
        let compacted = store.compact(cx)?;
        // The links are the same, so their counts are.
        if were_new {
            self.catalogue().set_setting(COUNTED, &self.counted_state(&store, window_days)?)?;
        }
        Ok(compacted.bytes)
    }

    /// Whether captures came since inlinks were built, or links of earlier ones
    /// became known: they are not in.
    ///
    /// # Errors
    ///
    /// Links or a catalogue that cannot be read.
    pub fn links_are_old(&self) -> Result<bool, StoreError> {
        let Some(store) = self.built_links()? else { return Ok(false) };
        let (mark, catalogue) = (store.mark(), self.catalogue());
        Ok(CaptureId::new(mark.captures_up_to) < catalogue.newest_capture()?
            || mark.read_up_to < catalogue.originals_changed()?
            || catalogue.lost_links()?)
    }

    /// The state that the counts of a window depend on.
    fn counted_state(&self, store: &LinkStore, window_days: u32) -> Result<String, StoreError> {
        let newest = self.catalogue().newest_capture()?;
        Ok(format!("±{window_days} days, captures up to {newest}{}", edition_text(store)))
    }

    /// Every capture there is.
    pub(in crate::store) fn captures_to_count(&self, cx: &JobCx) -> Result<Counting, StoreError> {
        let mut counting = Counting::new(&self.shuffle_options(), cx)?;
        self.catalogue().each_capture(|key, date, id| Ok(counting.push(key, date, id.unsigned_abs())?))?;
        Ok(counting)
    }

    /// Counts into a table of its own.
    fn count(
        &self,
        store: &LinkStore,
        window_days: u32,
        cx: &JobCx,
        mut prospect: impl FnMut(&Cited, &str, CaptureId),
    ) -> Result<CountTotals, StoreError> {
        let catalogue = self.catalogue();
        let counting = self.captures_to_count(cx)?;
        catalogue.write(|conn| {
            Ok(conn.execute_batch(
                "DROP TABLE IF EXISTS capture_inlinks_new;
                 CREATE TABLE capture_inlinks_new (
                    capture INTEGER PRIMARY KEY REFERENCES capture(id), internal INTEGER NOT NULL,
                    external INTEGER NOT NULL, hosts INTEGER NOT NULL, cut INTEGER NOT NULL, top_anchor TEXT NOT NULL);",
            )?)
        })?;
        let rows = store.counts();
        cx.stage("Counting inlinks in the window", Some(rows.links + rows.captures));
        let keep = |batch: Vec<CaptureCounts>| {
            catalogue.write(move |conn| batch.iter().try_for_each(|counts| put_capture(conn, counts)))
        };
        let mut batch = Vec::with_capacity(BATCH);
        let totals = store.count_windows(counting, window_days, MAX_INLINKS_PER_SIDE, cx, |counted| {
            match counted {
                // A capture without inlinks has a row too: zero is an answer.
                Counted::Capture { id, counts, cut, top_anchor } => {
                    let capture = CaptureId::try_from(id).unwrap_or_default();
                    batch.push(CaptureCounts { capture, counts, cut, top_anchor: top_anchor.to_owned() });
                }
                Counted::Uncaptured { page, top_anchor, source_id } => {
                    prospect(page, top_anchor, CaptureId::try_from(source_id).unwrap_or_default());
                }
            }
            if batch.len() == BATCH { keep(std::mem::take(&mut batch)) } else { Ok::<(), StoreError>(()) }
        })?;
        keep(batch)?;
        cx.checkpoint()?;
        Ok(totals)
    }
}

fn edition_text(store: &LinkStore) -> String {
    format!(", links {}", store.edition())
}

impl Catalogue {
    /// The window that the columns use, in days.
    pub fn window_days(&self) -> Result<u32, StoreError> {
        Ok(self.setting("window_days")?.and_then(|value| value.parse().ok()).unwrap_or(MATCH_WINDOW_DAYS))
    }

    /// Whether inlinks were built in an earlier form and wait to be built in
    /// the present one.
    pub fn needs_rebuild(&self) -> Result<bool, StoreError> {
        Ok(self.setting(NEEDS_REBUILD)?.is_some())
    }

    fn each_capture(
        &self,
        mut each: impl FnMut(&str, CaptureDate, CaptureId) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.read(|conn| {
            let mut statement =
                conn.prepare("SELECT p.key, c.date_ms, c.id FROM capture c JOIN page p ON p.id = c.page")?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let key = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
                each(key, CaptureDate::from_millis(row.get(1)?), row.get(2)?)?;
            }
            Ok(())
        })
    }
}

fn put_capture(conn: &Connection, row: &CaptureCounts) -> Result<(), StoreError> {
    let CitedCounts { hosts, external, internal } = row.counts;
    conn.prepare_cached(
        "INSERT INTO capture_inlinks_new (capture, internal, external, hosts, cut, top_anchor)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![row.capture, int(internal), int(external), int(hosts), int(row.cut), row.top_anchor])?;
    Ok(())
}

/// The URLs that a capture links to, by their pages; those of the capture looked up last.
#[derive(Default)]
struct LinksOfSource(CaptureId, HashMap<String, String>);

impl LinksOfSource {
    fn url_of(&mut self, conn: &Connection, source: CaptureId, page: &str) -> Result<Option<&String>, StoreError> {
        if self.0 != source {
            let mut links = outlinks_of(conn, source)?;
            links.retain(|link| link.kind == LinkKind::Anchor);
            // Of two the first one counts.
            let by_page = links.into_iter().rev().filter_map(|link| Some((link.page()?.as_str().to_owned(), link.url)));
            *self = Self(source, by_page.collect());
        }
        Ok(self.1.get(page))
    }
}

fn put_prospect(conn: &Connection, row: &Prospect, links: &mut LinksOfSource) -> Result<(), StoreError> {
    let (Reverse(CitedCounts { hosts, external, internal }), key, dates, anchor, source) = row;
    let Some(ids) = prospect_ids(conn, key, *source, links)? else { return Ok(()) };
    let (first, last) = dates.unwrap_or_default();
    conn.prepare_cached(
        "INSERT OR IGNORE INTO prospect_new (page, url, internal, external, hosts, first_s, last_s, anchor)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    )?
    .execute(params![
        ids.page,
        ids.url,
        int(*internal),
        int(*external),
        int(*hosts),
        first.seconds(),
        last.seconds(),
        anchor
    ])?;
    Ok(())
}

/// The numbers of a page and of its URL: as it was seen first, else as the
/// capture `source` links to it.
fn prospect_ids(
    conn: &Connection,
    key: &str,
    source: CaptureId,
    links: &mut LinksOfSource,
) -> Result<Option<UrlIds>, StoreError> {
    let known = conn
        .prepare_cached(
            "SELECT u.id, u.page, u.host FROM page p JOIN url u ON u.page = p.id WHERE p.key = ?1 ORDER BY u.id LIMIT 1",
        )?
        .query_row([key], |row| Ok(UrlIds { url: row.get(0)?, page: row.get(1)?, host: row.get(2)? }))
        .optional()?;
    if known.is_some() {
        return Ok(known);
    }
    links.url_of(conn, source, key)?.map(|url| url_ids(conn, &parse_stored(url)?)).transpose()
}

fn put_anchor(conn: &Connection, row: &AnchorCount) -> Result<(), StoreError> {
    conn.prepare_cached("INSERT INTO top_anchor (text, hosts, links, first_s, last_s) VALUES (?1, ?2, ?3, ?4, ?5)")?
        .execute(params![row.text, int(row.hosts), int(row.links), row.first.seconds(), row.last.seconds()])?;
    Ok(())
}

/// Puts what was counted in the place of what is shown.
fn put_counts(conn: &Connection, window_days: u32, counted: &str) -> Result<(), StoreError> {
    conn.execute_batch(
        "DROP TABLE capture_inlinks;
         ALTER TABLE capture_inlinks_new RENAME TO capture_inlinks;
         CREATE INDEX capture_inlinks_external ON capture_inlinks(external DESC, capture) WHERE external > 0;",
    )?;
    let mut setting = conn.prepare_cached("INSERT OR REPLACE INTO setting (name, value) VALUES (?1, ?2)")?;
    setting.execute(["window_days", &window_days.to_string()])?;
    setting.execute([COUNTED, counted])?;
    Ok(())
}
