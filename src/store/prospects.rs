//! Pages that are cited but were never captured.

use super::captures::{int, uint};
use super::catalogue::Catalogue;
use super::rows::{CampaignId, ProspectRow};
use super::scheduled::has_table;
use super::workspace::StoreError;
use crate::uri::CaptureDate;
use rusqlite::params;

/// What the last crawl of a campaign (`?1`, or of any) said of the page `t.page`.
pub(super) const LAST_CRAWL: &str =
    "ifnull((SELECT CASE WHEN s.accepted THEN 'ACCEPT ' ELSE 'REJECT ' END || s.rule_name
        || CASE WHEN s.state = 3 THEN ', could not be fetched: ' || s.why ELSE '' END
     FROM seen s JOIN launch l ON l.id = s.launch
     WHERE s.url IN (SELECT id FROM url WHERE page = t.page) AND (?1 IS NULL OR l.campaign = ?1)
     ORDER BY s.id DESC LIMIT 1), 'not seen by a crawl')";

impl Catalogue {
    /// Cited but not captured, most external citing hosts first, out of the
    /// [`PROSPECTS_KEPT`](super::PROSPECTS_KEPT) of the last build. The
    /// verdict is what the last launch of the campaign said, if it saw the page.
    pub fn prospects(
        &self,
        campaign: Option<CampaignId>,
        words: &str,
        limit: u64,
    ) -> Result<Vec<ProspectRow>, StoreError> {
        let words = words.to_lowercase();
        self.read(|conn| {
            if !has_table(conn, "prospect")? {
                return Ok(Vec::new());
            }
            let mut statement = conn.prepare_cached(&format!(
                // Which pages first, what is told of them after.
                "WITH cited AS (
                    SELECT t.*, u.url AS url_text FROM prospect t JOIN url u ON u.id = t.url
                    WHERE NOT EXISTS (SELECT 1 FROM capture c WHERE c.page = t.page)
                      AND (?2 = '' OR instr(lower(u.url), ?2))
                    ORDER BY t.hosts DESC, t.external DESC, t.internal DESC, u.url LIMIT ?3)
                 SELECT t.url_text, t.hosts, t.internal + t.external, t.first_s, t.last_s,
                    t.anchor,
                    {LAST_CRAWL}
                 FROM cited t ORDER BY t.hosts DESC, t.external DESC, t.internal DESC, t.url_text",
            ))?;
            let rows = statement.query_map(params![campaign, words, int(limit)], |row| {
                let last_crawl: String = row.get(6)?;
                Ok(ProspectRow {
                    url: row.get(0)?,
                    hosts: uint(row.get(1)?),
                    links: uint(row.get(2)?),
                    first: CaptureDate::from_seconds(row.get(3)?),
                    last: CaptureDate::from_seconds(row.get(4)?),
                    anchor: row.get(5)?,
                    verdict: last_crawl.clone(),
                    last_crawl,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}
