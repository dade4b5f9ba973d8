//! What a campaign's launches were to fetch and did not.

use super::ledger::{FAILED, FETCHED, QUEUED, REFUSED};
use crate::campaign::Seed;
use crate::search::{CaptureFacts, FacetKind};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::uint;
use crate::store::rows::{CampaignId, LaunchId};
use crate::uri::parse_web_url;
use fixedbitset::FixedBitSet;
use rusqlite::{OptionalExtension, params};
use std::collections::HashMap;

/// SQL: whether capture `c` is the last one of its URL with content (2xx) in its campaign, and the last
/// launch of that which finished is a later one.
macro_rules! gone_sql {
    () => {
        "ifnull(c.status BETWEEN 200 AND 299
            AND c.launch < (SELECT max(l.id) FROM launch l WHERE l.kind = 'crawl' AND l.state = 'finished'
                AND l.trial IS NULL AND l.campaign = (SELECT campaign FROM launch WHERE id = c.launch))
            AND NOT EXISTS (SELECT 1 FROM capture x JOIN launch y ON y.id = x.launch
                WHERE x.url = c.url AND x.id > c.id AND x.status BETWEEN 200 AND 299
                AND y.campaign = (SELECT campaign FROM launch WHERE id = c.launch)), 0)"
    };
}
pub(in crate::store) use gone_sql;

/// A seed, and the state and outcome of its URL where it was seen.
pub type SeedOutcome = (String, Option<(&'static str, String)>);

/// The name of a state as [`SeenQuery`](crate::store::rows::SeenQuery) has it.
fn state_name(state: i64) -> &'static str {
    match state {
        QUEUED => "queued",
        REFUSED => "refused",
        FETCHED => "fetched",
        _ => "failed",
    }
}

impl Catalogue {
    /// The captures that `gone_sql` means, by their columns: the last good one of each URL of a campaign, where that is
    /// of an earlier launch than its last crawl.
    pub(in crate::store) fn gone_captures(&self, facts: &CaptureFacts) -> Result<FixedBitSet, StoreError> {
        let campaigns: Vec<(i64, i64)> =
            self.rows("SELECT id, campaign FROM launch WHERE campaign IS NOT NULL", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        let campaign_of: HashMap<i64, i64> = campaigns.into_iter().collect();
        let last_crawls: Vec<(i64, i64)> = self.rows(
            "SELECT campaign, max(id) FROM launch WHERE kind = 'crawl' AND state = 'finished' AND trial IS NULL
                AND campaign IS NOT NULL GROUP BY campaign",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        let is_good = |status: &str| status.parse().is_ok_and(|status: u16| (200..300).contains(&status));
        let good = facts.with_value(FacetKind::Status, is_good);
        let mut found = FixedBitSet::new();
        for (campaign, last) in last_crawls {
            let is_own = |launch: &i64| campaign_of.get(launch) == Some(&campaign);
            let mut own = facts.of_launches(|launch| is_own(&launch));
            own.intersect_with(&good);
            let mut gone = facts.last_of_urls(&own);
            gone.intersect_with(&facts.of_launches(|launch| launch < last));
            found.union_with(&gone);
        }
        Ok(found)
    }

    /// The seeds of which a campaign has no capture with content or a redirect, each with what became of it
    /// when it was seen last. Seeds that are no web addresses are not among them: a specification says so.
    pub fn seeds_without_content(&self, campaign: CampaignId, seeds: &[Seed]) -> Result<Vec<SeedOutcome>, StoreError> {
        self.read(|conn| {
            let mut has_content = conn.prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM capture c JOIN launch l ON l.id = c.launch
                 WHERE c.url = (SELECT id FROM url WHERE url = ?1) AND l.campaign = ?2 AND c.status BETWEEN 200 AND 399)",
            )?;
            let mut outcome = conn.prepare_cached(
                "SELECT s.state, outcome_of(s.state, s.rule_index, s.rule_name, s.fetch_status, s.why)
                 FROM seen s JOIN launch l ON l.id = s.launch
                 WHERE s.url = (SELECT id FROM url WHERE url = ?1) AND l.campaign = ?2 ORDER BY s.id DESC LIMIT 1",
            )?;
            let mut missing = Vec::new();
            for url in seeds.iter().filter_map(|seed| parse_web_url(&seed.url)) {
                if !has_content.query_row(params![url.as_str(), campaign], |row| row.get::<_, bool>(0))? {
                    let seen = outcome
                        .query_row(params![url.as_str(), campaign], |row| Ok((state_name(row.get(0)?), row.get(1)?)))
                        .optional()?;
                    missing.push((url.into(), seen));
                }
            }
            Ok(missing)
        })
    }

    /// Hosts of a launch with URLs in scope of which it fetched none but robots.txt: whether these failed or are queued, and
    /// how many they are. Those with the most URLs come first.
    pub fn unreached_hosts(&self, launch: LaunchId) -> Result<Vec<(String, &'static str, u64)>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(&format!(
                "SELECT h.name, max(t.state), sum(t.urls) FILTER (WHERE t.state = (SELECT max(m.state) FROM seen_tally m
                    WHERE m.launch = ?1 AND m.host = t.host AND m.urls > 0 AND m.state IN ({QUEUED}, {FAILED}))) AS urls
                 FROM seen_tally t JOIN host h ON h.id = t.host
                 WHERE t.launch = ?1 AND t.urls > 0 AND t.state IN ({QUEUED}, {FAILED})
                   AND NOT EXISTS (SELECT 1 FROM capture c JOIN url u ON u.id = c.url WHERE c.host = t.host
                        AND c.launch = ?1 AND u.url NOT LIKE '%/robots.txt')
                 GROUP BY t.host ORDER BY urls DESC, h.name"
            ))?;
            let hosts =
                statement.query_map([launch], |row| Ok((row.get(0)?, state_name(row.get(1)?), uint(row.get(2)?))))?;
            Ok(hosts.collect::<Result<_, _>>()?)
        })
    }
}
