//! URLs that a campaign refused, each counted once, as the last launch saw it.

use super::refused_once;
use crate::jobs::lock;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::uint;
use crate::store::rows::CampaignId;
use rusqlite::Connection;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// While a crawl runs, its URLs are counted again at most for this part of the time.
const SHARE_OF_COUNTING: u32 = 20;

/// Refused URLs by the rule that decided, with the number of each.
type ByRule = Vec<(String, u64)>;

/// Counts by campaign, kept since several launches are counted row by row.
#[derive(Default)]
pub(in crate::store) struct RefusedCounts(Mutex<HashMap<CampaignId, Count>>);

struct Count {
    launches: LaunchTotals,
    by_rule: ByRule,
    at: Instant,
    took: Duration,
}

/// Totals of a campaign's launches that change where a count does.
#[derive(PartialEq, Eq)]
struct LaunchTotals {
    launches: i64,
    urls: i64,
    refused: i64,
    is_running: bool,
}

impl Catalogue {
    /// URLs that a campaign refused, by the rule that decided: each counts once, as
    /// the last launch that saw it decided.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn refused_by_rule(&self, campaign: CampaignId) -> Result<ByRule, StoreError> {
        self.read(|conn| refused_by_rule(conn, campaign, self.refused_counts()))
    }
}

pub(in crate::store) fn refused_by_rule(
    conn: &Connection,
    campaign: CampaignId,
    kept: &RefusedCounts,
) -> Result<ByRule, StoreError> {
    let launches = conn
        .prepare_cached(
            "SELECT count(DISTINCT t.launch), ifnull(sum(t.urls), 0), ifnull(sum(t.urls) FILTER (WHERE t.state = 1), 0),
                ifnull(max(l.state IN ('running', 'paused')), 0)
             FROM launch l JOIN seen_tally t ON t.launch = l.id WHERE l.campaign = ?1",
        )?
        .query_row([campaign], |row| {
            Ok(LaunchTotals {
                launches: row.get(0)?,
                urls: row.get(1)?,
                refused: row.get(2)?,
                is_running: row.get(3)?,
            })
        })?;
    if let Some(count) = lock(&kept.0).get(&campaign)
        && (count.launches == launches || launches.is_running && count.at.elapsed() < count.took * SHARE_OF_COUNTING)
    {
        return Ok(count.by_rule.clone());
    }
    let at = Instant::now();
    let by_rule = match launches.launches {
        // A launch sees a URL once.
        0 | 1 => count(
            conn,
            campaign,
            "SELECT t.rule_name, sum(t.urls) AS urls FROM launch l JOIN seen_tally t ON t.launch = l.id
             WHERE l.campaign = ?1 AND t.state = 1 AND t.urls > 0 GROUP BY t.rule_name ORDER BY urls DESC, t.rule_name",
        )?,
        _ => refused_once(conn, &format!("IN (SELECT id FROM launch WHERE campaign = {campaign})"), "s.rule_name")?,
    };
    let count = Count { launches, by_rule: by_rule.clone(), at, took: at.elapsed() };
    lock(&kept.0).insert(campaign, count);
    Ok(by_rule)
}

fn count(conn: &Connection, campaign: CampaignId, sql: &str) -> Result<ByRule, StoreError> {
    let mut statement = conn.prepare_cached(sql)?;
    let rows = statement.query_map([campaign], |row| Ok((row.get(0)?, uint(row.get(1)?))))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
