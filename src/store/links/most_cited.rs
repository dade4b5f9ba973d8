//! A scan of all built inlinks finds the most cited captures in a window that the columns do not
//! count, and pages never captured of one site.

use super::prospects::last_crawl_sql;
use crate::inlinks::MAX_INLINKS_PER_SIDE;
use crate::inlinks::stored::{CitedCounts, Counted, Window};
use crate::jobs::JobCx;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::workspace::Workspace;
use crate::store::rows::{CampaignId, CaptureId, CaptureRow, InlinkPage, ProspectPage, ProspectRow};
use crate::uri::{CaptureDate, PageKey};
use rusqlite::{OptionalExtension, params};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The first `limit` of many, in order.
struct First<T> {
    kept: BTreeSet<T>,
    limit: u64,
}

impl<T: Ord> First<T> {
    fn new(limit: u64) -> Self {
        Self { kept: BTreeSet::new(), limit }
    }

    fn has_room_for(&self, counts: CitedCounts, counts_of: impl Fn(&T) -> CitedCounts) -> bool {
        (self.kept.len() as u64) < self.limit || self.kept.last().is_some_and(|last| counts >= counts_of(last))
    }

    fn take(&mut self, item: T) {
        self.kept.insert(item);
        if self.kept.len() as u64 > self.limit {
            self.kept.pop_last();
        }
    }
}

type Dates = Option<(CaptureDate, CaptureDate)>;

impl Workspace {
    /// Inlinks of a page around any date; those outside the window are marked so.
    ///
    /// # Errors
    ///
    /// Links that cannot be read.
    pub fn inlinks_around(
        &self,
        key: &PageKey,
        label: &str,
        around: CaptureDate,
        days: u32,
    ) -> Result<InlinkPage, StoreError> {
        self.inlink_page(key, label.to_owned(), Some(Window { around, days }), days)
    }

    /// The captures that most other hosts link to within a window, with the
    /// counts of that window in the place of those of the columns.
    ///
    /// # Errors
    ///
    /// Links or a catalogue that cannot be read, no room for sorting, or `Cancelled`.
    pub fn most_cited(&self, days: u32, limit: u64, cx: &JobCx) -> Result<Vec<CaptureRow>, StoreError> {
        let Some(store) = self.built_links()? else { return Ok(Vec::new()) };
        let mut first = First::<(Reverse<CitedCounts>, CaptureId, String)>::new(limit);
        let rows = store.counts();
        cx.stage("Counting inlinks in the window", Some(rows.links + rows.captures));
        store.count_windows(self.captures_to_count(cx)?, days, MAX_INLINKS_PER_SIDE, cx, |counted| {
            if let Counted::Capture { id, counts, top_anchor, .. } = counted
                && counts.internal + counts.external > 0
                && first.has_room_for(counts, |last| last.0.0)
            {
                first.take((Reverse(counts), CaptureId::try_from(id).unwrap_or_default(), top_anchor.to_owned()));
            }
            Ok::<(), StoreError>(())
        })?;
        let row = |(Reverse(counts), id, top_anchor): (Reverse<CitedCounts>, CaptureId, String)| {
            Ok(CaptureRow {
                inlinks_internal: Some(counts.internal),
                inlinks_external: Some(counts.external),
                inlink_hosts: Some(counts.hosts),
                top_anchor,
                ..self.catalogue().capture_row(id)?
            })
        };
        first.kept.into_iter().map(row).collect()
    }

    /// Pages that are cited but were never captured, of all there are: those
    /// whose keys begin with `prefix`, as `pt,site)/news`, or those of a site
    /// and what is below it, as `pt,site,`.
    ///
    /// # Errors
    ///
    /// As [`Self::most_cited`].
    pub fn prospects_under(
        &self,
        prefix: &str,
        campaign: Option<CampaignId>,
        limit: u64,
        cx: &JobCx,
    ) -> Result<ProspectPage, StoreError> {
        let Some(store) = self.built_links()? else { return Ok(ProspectPage::default()) };
        let mut total = 0;
        let under = store.under(prefix);
        let mut first = First::<(Reverse<CitedCounts>, String, Dates)>::new(limit);
        let mut failed = None;
        cx.stage("Reading links", None);
        store.each_target(&under.begin, cx, |page| {
            if page.captures > 0 || page.dates.is_none() || !under.holds(&page.target) {
                return Ok(true);
            }
            match self.catalogue().is_captured(&page.target) {
                Ok(true) => {}
                Ok(false) => {
                    total += 1;
                    if first.has_room_for(page.counts, |last| last.0.0) {
                        first.take((Reverse(page.counts), page.target.clone(), page.dates));
                    }
                }
                Err(error) => failed = Some(error),
            }
            Ok(failed.is_none())
        })?;
        failed.map_or(Ok(()), Err)?;
        let row = |(Reverse(counts), target, dates): (Reverse<CitedCounts>, String, Dates)| {
            let (first, last) = dates.unwrap_or_default();
            let (url, verdict, last_crawl) = self.catalogue().named_page(&target, campaign)?.unwrap_or_default();
            let row = ProspectRow {
                hosts: counts.hosts,
                links: counts.internal + counts.external,
                // As the list that a build keeps has them.
                first: CaptureDate::from_seconds(first.seconds()),
                last: CaptureDate::from_seconds(last.seconds()),
                anchor: store.top_anchor(&target, None)?,
                url: if url.is_empty() { target } else { url },
                verdict,
                last_crawl,
            };
            Ok((Reverse(counts), row))
        };
        let mut rows: Vec<_> = first.kept.into_iter().map(row).collect::<Result<_, StoreError>>()?;
        rows.sort_by(|(a, one), (b, other)| (a, &one.url).cmp(&(b, &other.url)));
        let rows = rows.into_iter().map(|(_, row)| row).collect();
        Ok(ProspectPage { rows, total, ..ProspectPage::default() })
    }
}

impl Catalogue {
    fn is_captured(&self, key: &str) -> Result<bool, StoreError> {
        self.read(|conn| {
            let mut statement =
                conn.prepare_cached("SELECT 1 FROM capture WHERE page = (SELECT id FROM page WHERE key = ?1)")?;
            Ok(statement.exists([key])?)
        })
    }

    /// The first URL of a page, and the decision of the last crawl on it.
    fn named_page(
        &self,
        key: &str,
        campaign: Option<CampaignId>,
    ) -> Result<Option<(String, String, String)>, StoreError> {
        self.read(|conn| {
            let sql = format!(
                "SELECT t.url, {} FROM url t WHERE t.page = (SELECT id FROM page WHERE key = ?2)
                 ORDER BY t.id LIMIT 1",
                last_crawl_sql()
            );
            let mut statement = conn.prepare_cached(&sql)?;
            let row = statement
                .query_row(params![campaign, key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
                .optional()?;
            Ok(row)
        })
    }
}
