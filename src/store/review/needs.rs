//! What a page cannot be shown without, and what became of each of these resources.

use crate::crawl::UrlOutcome;
use crate::store::captures::requisites::{needed_links_sql, requisite_capture_sql};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::launches::seen_row_of_url;
use crate::store::rows::CaptureId;

use std::collections::BTreeMap;

/// Milliseconds of a day.
const DAY_MS: i64 = 86_400_000;

/// Resources of one page that are listed at most.
const MOST_NEEDS: i64 = 2_000;

/// A resource that a page needs.
#[derive(Debug, Clone, PartialEq)]
pub struct PageNeed {
    /// Its URL. Hostile text.
    pub url: String,
    /// What became of it.
    pub state: NeedState,
}

/// What became of a resource.
#[derive(Debug, Clone, PartialEq)]
pub enum NeedState {
    /// The page is shown with this capture of it.
    Captured {
        /// The capture.
        capture: CaptureId,
        /// Days that it is later than the page; negative for earlier.
        days: i64,
    },
    /// Only answers that are errors were captured.
    Failed {
        /// The nearest of them.
        capture: CaptureId,
        /// Its status.
        status: i32,
    },
    /// It was seen and not captured; how its last launch dealt with it.
    NotCaptured(UrlOutcome),
    /// No launch saw it.
    NeverSeen,
}

impl NeedState {
    /// Whether the page lacks it.
    pub fn is_missing(&self) -> bool {
        !matches!(self, Self::Captured { .. })
    }
}

impl Catalogue {
    /// The resources that a page cannot be shown without: style sheets, images, scripts, media, frames; those that are missing
    /// first, in the order of the page.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn page_needs(&self, page: CaptureId) -> Result<Vec<PageNeed>, StoreError> {
        let sql = format!(
            "WITH needed (id) AS (SELECT ?1), rejected (capture) AS (SELECT 0 WHERE 0)
             SELECT k.value ->> 1, {}, {}, c.date_ms {} LIMIT {MOST_NEEDS}",
            requisite_capture_sql!(),
            crate::store::captures::originals::nearest_of_page_sql!("t.id", "c.date_ms", all),
            needed_links_sql!()
        );
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&sql)?;
            let mut rows = statement.query([page])?;
            let mut known = BTreeMap::new();
            let mut needs = Vec::new();
            while let Some(row) = rows.next()? {
                let url: String = row.get(0)?;
                if known.insert(url.clone(), ()).is_some() {
                    continue;
                }
                let (good, any): (Option<CaptureId>, Option<CaptureId>) = (row.get(1)?, row.get(2)?);
                let of_capture = |capture: CaptureId| {
                    conn.prepare_cached("SELECT status, date_ms FROM capture WHERE id = ?1")?
                        .query_row([capture], |row| Ok((row.get::<_, i32>(0)?, row.get::<_, i64>(1)?)))
                };
                let state = match (good, any) {
                    (Some(capture), _) => {
                        let date_ms: i64 = row.get(3)?;
                        let days = of_capture(capture)?.1.saturating_sub(date_ms) / DAY_MS;
                        NeedState::Captured { capture, days }
                    }
                    (None, Some(capture)) => NeedState::Failed { capture, status: of_capture(capture)?.0 },
                    (None, None) => {
                        let seen = seen_row_of_url(conn, &url)?;
                        seen.map_or(NeedState::NeverSeen, |seen| NeedState::NotCaptured(seen.outcome))
                    }
                };
                needs.push(PageNeed { url, state });
            }
            needs.sort_by_key(|need| !need.state.is_missing());
            Ok(needs)
        })
    }
}
