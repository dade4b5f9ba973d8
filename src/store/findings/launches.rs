//! What the catalogue gives the checks of launches: seeds, hosts, and what launches before brought.

use crate::analysis::checks::{LaunchHost, SeedSigns};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::uint;
use crate::store::launches::ledger::REFUSED;
use crate::store::rows::{CampaignId, LaunchId};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;

/// Redirects of a seed that are followed.
const MOST_REDIRECTS: usize = 10;
/// Pages that were not seen again that are named.
const MOST_UNSEEN: usize = 50;

/// A robots.txt of a launch: origin, status and body.
pub type KeptRobots = (String, i64, Vec<u8>);

impl Catalogue {
    /// Crawls of campaigns that this program ran itself and that have ended, without trials, by campaign and time.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn launches_to_check(&self) -> Result<Vec<(CampaignId, LaunchId)>, StoreError> {
        self.rows(
            "SELECT campaign, id FROM launch WHERE kind = 'crawl' AND campaign IS NOT NULL AND NOT is_foreign
                AND trial IS NULL AND state IN ('finished', 'stopped')
                AND id NOT IN (SELECT launch FROM launch_origin) ORDER BY campaign, started_ms, id",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
    }

    /// The seeds of a launch with what became of them.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn seeds_to_check(&self, launch: LaunchId) -> Result<Vec<SeedSigns>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT u.url, s.fetch_status, s.why, s.url FROM seen s JOIN url u ON u.id = s.url
                 WHERE s.launch = ?1 AND s.is_seed AND s.hops = '' AND s.source_tag NOT LIKE 'source:%' ORDER BY u.url",
            )?;
            let rows = statement.query_map([launch], |row| {
                let seed =
                    SeedSigns { url: row.get(0)?, status: row.get(1)?, why: row.get(2)?, ..SeedSigns::default() };
                Ok((seed, row.get::<_, i64>(3)?))
            })?;
            let seeds: Vec<(SeedSigns, i64)> = rows.collect::<Result<_, _>>()?;
            seeds.into_iter().map(|(seed, url)| seed_with_end(conn, launch, seed, url)).collect()
        })
    }

    /// URLs that hosts gave in a launch, and how many of them failed.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn launch_hosts(&self, launch: LaunchId) -> Result<Vec<LaunchHost>, StoreError> {
        self.rows(
            "SELECT h.name, sum(t.urls), ifnull(sum(t.urls) FILTER (WHERE t.state = 3 OR t.class >= 2), 0)
             FROM seen_tally t JOIN host h ON h.id = t.host WHERE t.launch = ?1 AND t.state IN (2, 3)
             GROUP BY t.host HAVING sum(t.urls) > 0 ORDER BY h.name",
            [launch],
            |row| {
                let (urls, failed) = (uint(row.get(1)?), uint(row.get(2)?));
                Ok(LaunchHost { host: row.get(0)?, urls, failed, ..LaunchHost::default() })
            },
        )
    }

    /// Captures of a launch and their bytes.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn launch_totals(&self, launch: LaunchId) -> Result<[u64; 2], StoreError> {
        self.row("SELECT count(*), ifnull(sum(size), 0) FROM capture WHERE launch = ?1", [launch], |row| {
            Ok([uint(row.get(0)?), uint(row.get(1)?)])
        })
    }

    /// Pages that all of these earlier launches captured well and a launch never saw: some of them, and how many.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn not_seen_again(&self, launch: LaunchId, earlier: &[LaunchId]) -> Result<(Vec<String>, u64), StoreError> {
        let Some((last, others)) = earlier.split_last() else { return Ok((Vec::new(), 0)) };
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT DISTINCT u.url, c.page FROM capture c JOIN url u ON u.id = c.url
                 WHERE c.launch = ?1 AND c.media = 1 AND c.status BETWEEN 200 AND 299
                    AND NOT EXISTS (SELECT 1 FROM url v CROSS JOIN seen s ON s.url = v.id
                        WHERE v.page = c.page AND s.launch = ?2)
                    AND NOT EXISTS (SELECT 1 FROM capture x WHERE x.page = c.page AND x.launch = ?2)
                 ORDER BY u.url",
            )?;
            let mut in_launch = conn.prepare_cached(
                "SELECT 1 FROM capture WHERE page = ?1 AND launch = ?2 AND status BETWEEN 200 AND 299",
            )?;
            let (mut urls, mut count) = (Vec::new(), 0);
            let mut rows = statement.query(params![last, launch])?;
            while let Some(row) = rows.next()? {
                let page: i64 = row.get(1)?;
                let mut is_in_all = true;
                for other in others {
                    is_in_all &= in_launch.exists(params![page, other])?;
                }
                if is_in_all {
                    count += 1;
                    if urls.len() < MOST_UNSEEN {
                        urls.push(row.get(0)?);
                    }
                }
            }
            Ok((urls, count))
        })
    }

    /// The robots.txt that hosts gave in a launch, by origin.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn robots_to_check(&self, launch: LaunchId) -> Result<Vec<KeptRobots>, StoreError> {
        self.rows("SELECT origin, status, body FROM robots WHERE launch = ?1 ORDER BY origin", [launch], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
    }

    /// Hosts that launches of a campaign before one had.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn hosts_before(&self, earlier: &[LaunchId]) -> Result<HashMap<String, [u64; 2]>, StoreError> {
        let mut hosts = HashMap::new();
        // Of several the last one counts.
        for launch in earlier {
            hosts.extend(self.launch_hosts(*launch)?.into_iter().map(|of| (of.host, [of.urls, of.failed])));
        }
        Ok(hosts)
    }
}

/// A seed with the capture at the end of its redirects, or the target that was refused.
fn seed_with_end(conn: &Connection, launch: LaunchId, mut seed: SeedSigns, url: i64) -> Result<SeedSigns, StoreError> {
    let mut at = url;
    for _ in 0..MOST_REDIRECTS {
        let found: Option<(bool, Option<i64>)> = conn
            .prepare_cached(
                "SELECT max(status BETWEEN 200 AND 299 OR status = 304), max(redirect_to) FROM capture
                 WHERE url = ?1 AND launch = ?2 HAVING count(*) > 0",
            )?
            .query_row(params![at, launch], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        let Some((is_good, target)) = found else { break };
        if is_good {
            seed.is_captured = true;
            return Ok(seed);
        }
        let Some(target) = target else { break };
        let refused: Option<String> = conn
            .prepare_cached(
                "SELECT u.url FROM seen s JOIN url u ON u.id = s.url WHERE s.url = ?1 AND s.launch = ?2 AND s.state = ?3",
            )?
            .query_row(params![target, launch, REFUSED], |row| row.get(0))
            .optional()?;
        if let Some(refused) = refused {
            seed.refused_target = refused;
            return Ok(seed);
        }
        at = target;
    }
    Ok(seed)
}
