//! Pages that are cited but were never captured.

use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sort_keys::order_sql;
use crate::store::catalogue::sql::{int, uint};
use crate::store::filter::{Filter, FilterContext, PROSPECTS};
use crate::store::rows::{CampaignId, ProspectPage, ProspectQuery, ProspectRow};
use crate::uri::CaptureDate;
use rusqlite::params_from_iter;
use rusqlite::types::Value;

/// SQL: what the last crawl of a campaign (`?1`, or of any) decided about the
/// page `t.page`, and what became of it.
pub(in crate::store) fn last_crawl_sql() -> String {
    let last = |what: &str| {
        format!(
            "ifnull((SELECT {what} FROM seen s JOIN launch l ON l.id = s.launch
             WHERE s.url IN (SELECT id FROM url WHERE page = t.page) AND (?1 IS NULL OR l.campaign = ?1)
             ORDER BY s.id DESC LIMIT 1), 'not seen by a crawl')"
        )
    };
    let verdict = last("iif(s.accepted, 'ACCEPT ', 'REJECT ') || s.rule_name");
    format!("{verdict}, {}", last("outcome_of(s.state, s.rule_index, s.rule_name, s.fetch_status, s.why)"))
}

impl Catalogue {
    /// Cited but not captured, most external citing hosts first, out of the
    /// [`PROSPECTS_KEPT`](crate::store::PROSPECTS_KEPT) of the last build. The verdict is that of the
    /// last launch of the campaign, if it saw the page.
    pub fn prospects(&self, query: &ProspectQuery) -> Result<ProspectPage, StoreError> {
        let filter = match Filter::parse(&PROSPECTS, &query.filter, FilterContext::default()) {
            Ok(filter) => filter,
            Err(why) => return Ok(ProspectPage { filter_problem: Some(why), ..ProspectPage::default() }),
        };
        let found = match self.inlink_build()? {
            Some((_, report)) => report.get("uncaptured").and_then(serde_json::Value::as_u64).unwrap_or(0),
            None => 0,
        };
        self.read(|conn| {
            let from_sql = format!(
                "FROM prospect t JOIN url u ON u.id = t.url LEFT JOIN host h ON h.id = u.host
                 -- The campaign takes the first number, before the values of the filter.
                 WHERE (?1 IS NULL OR 1) AND NOT EXISTS (SELECT 1 FROM capture c WHERE c.page = t.page) AND {}",
                filter.sql
            );
            let mut values = vec![Value::from(query.campaign.map(CampaignId::get))];
            values.extend(filter.values);
            let total = conn
                .prepare_cached(&format!("SELECT count(*) {from_sql}"))?
                .query_row(params_from_iter(&values), |row| row.get(0))?;
            let kept: i64 = conn.prepare_cached("SELECT count(*) FROM prospect")?.query_row([], |row| row.get(0))?;
            let rest = "t.hosts DESC, t.external DESC, t.internal DESC, t.url_text";
            let order = order_sql(&query.sort, ProspectQuery::column_sql, rest);
            let mut statement = conn.prepare_cached(&format!(
                // Which pages first, their further columns after.
                "WITH matching AS (SELECT t.*, u.url AS url_text {from_sql}),
                 cited AS (SELECT t.* FROM matching t ORDER BY {order} LIMIT {} OFFSET {})
                 SELECT t.url_text, t.hosts, t.internal + t.external, t.first_s, t.last_s,
                    t.anchor,
                    {}
                 FROM cited t ORDER BY {order}",
                int(query.limit),
                int(query.offset),
                last_crawl_sql(),
            ))?;
            let rows = statement.query_map(params_from_iter(&values), |row| {
                Ok(ProspectRow {
                    url: row.get(0)?,
                    hosts: uint(row.get(1)?),
                    links: uint(row.get(2)?),
                    first: CaptureDate::from_seconds(row.get(3)?),
                    last: CaptureDate::from_seconds(row.get(4)?),
                    anchor: row.get(5)?,
                    verdict: row.get(6)?,
                    last_crawl: row.get(7)?,
                })
            })?;
            Ok(ProspectPage {
                rows: rows.collect::<Result<_, _>>()?,
                total: uint(total),
                unlisted: found.saturating_sub(uint(kept)),
                filter_problem: None,
            })
        })
    }
}
