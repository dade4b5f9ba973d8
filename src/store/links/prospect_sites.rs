//! Sites with pages that are cited but were never captured.

use super::prospects::last_crawl_sql;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sort_keys::{SortKey, order_sql};
use crate::store::catalogue::sql::{int, uint};
use crate::store::filter::{Filter, FilterContext, PROSPECTS};
use crate::store::rows::{CampaignId, ProspectRow};
use crate::uri::CaptureDate;
use rusqlite::params_from_iter;
use rusqlite::types::Value;

/// Anchors of a site that are named.
const ANCHORS: usize = 3;
/// Stands between anchors in the answer of the catalogue, and in no anchor.
const BETWEEN: char = '\u{1f}';

/// A question about the sites of pages that are cited but were never captured.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProspectSiteQuery {
    /// Campaign whose rules and last crawl count; any when none is named.
    pub campaign: Option<CampaignId>,
    /// The filter line, of pages.
    pub filter: String,
    /// Columns to sort by; then the most cited come first.
    pub sort: Vec<SortKey>,
    /// Rows to skip.
    pub offset: u64,
    /// Rows at most.
    pub limit: u64,
}

impl ProspectSiteQuery {
    /// The SQL that sorts `site s` by a column; none where the catalogue cannot.
    pub fn column_sql(column: &str) -> Option<&'static str> {
        Some(match column {
            "site" => "s.host",
            "pages" => "s.pages",
            "citing_hosts" => "s.hosts",
            "links" => "s.links",
            "first" => "s.first_s",
            "last" => "s.last_s",
            _ => return None,
        })
    }
}

/// A site with pages that are cited but were never captured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProspectSite {
    /// Its host, with port where it is no default.
    pub host: String,
    /// Pages of it that are cited.
    pub pages: u64,
    /// The texts of links to its most cited pages. Hostile text.
    pub anchors: Vec<String>,
    /// The sums of its pages, and what is decided about its most cited page, whose URL it has. Its citing
    /// hosts are those of that page: the least that the site has.
    pub best: ProspectRow,
}

/// A part of the sites.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProspectSites {
    /// The rows, from the offset of the question on.
    pub rows: Vec<ProspectSite>,
    /// Sites that match altogether.
    pub total: u64,
    /// Pages of all of them.
    pub pages: u64,
    /// The error of the filter line.
    pub filter_problem: Option<String>,
}

impl Catalogue {
    /// Sites with pages that are cited but not captured, those with the most external citing hosts first.
    pub fn prospect_sites(&self, query: &ProspectSiteQuery) -> Result<ProspectSites, StoreError> {
        let filter = match Filter::parse(&PROSPECTS, &query.filter, FilterContext::default()) {
            Ok(filter) => filter,
            Err(why) => return Ok(ProspectSites { filter_problem: Some(why), ..ProspectSites::default() }),
        };
        self.read(|conn| {
            let from_sql = format!(
                "FROM prospect t JOIN url u ON u.id = t.url JOIN host h ON h.id = u.host
                 -- The campaign takes the first number, before the values of the filter.
                 WHERE (?1 IS NULL OR 1) AND NOT EXISTS (SELECT 1 FROM capture c WHERE c.page = t.page) AND {}",
                filter.sql
            );
            let mut values = vec![Value::from(query.campaign.map(CampaignId::get))];
            values.extend(filter.values);
            let (total, pages) = conn
                .prepare_cached(&format!("SELECT count(DISTINCT h.id), count(*) {from_sql}"))?
                .query_row(params_from_iter(&values), |row| Ok((uint(row.get(0)?), uint(row.get(1)?))))?;
            let rest = "s.hosts DESC, s.pages DESC, s.links DESC, s.host";
            let order = order_sql(&query.sort, ProspectSiteQuery::column_sql, rest);
            let mut statement = conn.prepare_cached(&format!(
                "WITH ranked AS (SELECT t.*, u.url AS url_text, h.name AS host, row_number() OVER (
                    PARTITION BY u.host ORDER BY t.hosts DESC, t.external DESC, t.internal DESC, u.url) AS place
                    {from_sql}),
                 sites AS (SELECT host, count(*) AS pages, max(hosts) AS hosts, sum(internal + external) AS links,
                    min(first_s) AS first_s, max(last_s) AS last_s,
                    group_concat(iif(place <= {ANCHORS}, anchor, NULL), char({})) AS anchors
                    FROM ranked GROUP BY host),
                 shown AS (SELECT s.* FROM sites s ORDER BY {order} LIMIT {} OFFSET {})
                 SELECT s.host, s.pages, s.anchors, t.url_text, s.hosts, s.links, s.first_s, s.last_s, t.anchor, {}
                 FROM shown s JOIN ranked t ON t.host = s.host AND t.place = 1 ORDER BY {order}",
                u32::from(BETWEEN),
                int(query.limit),
                int(query.offset),
                last_crawl_sql(),
            ))?;
            let rows = statement.query_map(params_from_iter(&values), |row| {
                let all: Option<String> = row.get(2)?;
                let mut anchors: Vec<String> = Vec::new();
                for anchor in all.unwrap_or_default().split(BETWEEN).map(str::trim) {
                    if !anchor.is_empty() && !anchors.iter().any(|of| of == anchor) {
                        anchors.push(anchor.to_owned());
                    }
                }
                Ok(ProspectSite {
                    host: row.get(0)?,
                    pages: uint(row.get(1)?),
                    anchors,
                    best: ProspectRow {
                        url: row.get(3)?,
                        hosts: uint(row.get(4)?),
                        links: uint(row.get(5)?),
                        first: CaptureDate::from_seconds(row.get(6)?),
                        last: CaptureDate::from_seconds(row.get(7)?),
                        anchor: row.get(8)?,
                        verdict: row.get(9)?,
                        last_crawl: row.get(10)?,
                    },
                })
            })?;
            Ok(ProspectSites { rows: rows.collect::<Result<_, _>>()?, total, pages, filter_problem: None })
        })
    }
}
