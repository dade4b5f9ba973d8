//! Campaigns and their versions.

pub(super) mod copies;
pub(super) mod deletion;
pub(super) mod lineage;

use super::catalogue::Catalogue;
use super::rows::{CampaignCounts, CampaignId, CampaignPage, CampaignRow, CaptureQuery, CaptureTab, MovedSeed};
use crate::campaign::{Campaign, CampaignFile, Identity, Seed};
use crate::scope::MAX_REDIRECTS;
use crate::store::campaigns::lineage::{VersionToKeep, branch_points, insert_campaign, suspend_campaign, suspended};
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::uint;
use crate::store::launches::refused::refused_by_rule;
use crate::store::review::marks::of_campaign_sql;
use crate::uri::{CaptureDate, is_same_site, parse_web_url};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::HashMap;

impl Catalogue {
    /// Saves a campaign as new, or as a new version when it differs from the last.
    /// User names and passwords of its seeds are not saved.
    ///
    /// # Errors
    ///
    /// Where it could not be read again: a number in it is none.
    pub fn save_campaign(&self, id: Option<CampaignId>, campaign: &Campaign) -> Result<CampaignId, StoreError> {
        self.save(id, campaign, None)
    }

    /// Saves a campaign that somebody else made, as new. It is switched off until
    /// a person here lets it run ([`activate_campaign`](Self::activate_campaign)).
    /// `origin` is the name of the file or folder that it came in.
    ///
    /// # Errors
    ///
    /// See [`save_campaign`](Self::save_campaign).
    pub fn save_campaign_from(&self, origin: &str, campaign: &Campaign) -> Result<CampaignId, StoreError> {
        self.save(None, campaign, Some(origin.to_owned()))
    }

    fn save(
        &self,
        id: Option<CampaignId>,
        campaign: &Campaign,
        origin: Option<String>,
    ) -> Result<CampaignId, StoreError> {
        let version = VersionToKeep::of(campaign)?;
        self.write(move |conn| {
            let Some(id) = id else {
                let id = insert_campaign(conn, Identity::new())?;
                version.insert(conn, id, 1, (None, None))?;
                if let Some(origin) = &origin {
                    suspend_campaign(conn, id, origin)?;
                }
                return Ok(id);
            };
            let (last, saved) = latest(conn, id)?;
            if saved != version.spec {
                let parent: String = conn.query_row(
                    "SELECT digest FROM campaign_version WHERE campaign = ?1 AND version = ?2",
                    params![id, last],
                    |row| row.get(0),
                )?;
                version.insert(conn, id, last.saturating_add(1), (Some(&parent), None))?;
            }
            Ok(id)
        })
    }

    /// The origin of a campaign that nobody here has let run yet.
    pub fn suspended_campaign(&self, id: CampaignId) -> Result<Option<String>, StoreError> {
        self.read(|conn| Ok(suspended(conn, id)?))
    }

    /// Lets a campaign run that came from elsewhere; returns whether it waited for that.
    pub fn activate_campaign(&self, id: CampaignId) -> Result<bool, StoreError> {
        self.write(move |conn| {
            let changed = conn.execute(
                "UPDATE campaign_origin SET activated_ms = ?2 WHERE campaign = ?1 AND activated_ms IS NULL",
                params![id, CaptureDate::now().millis()],
            )?;
            Ok(changed > 0)
        })
    }

    /// A campaign's latest version and its value.
    pub fn campaign(&self, id: CampaignId) -> Result<(u32, Campaign), StoreError> {
        self.read(|conn| {
            let (version, spec) = latest(conn, id)?;
            Ok((version, parse(id, &spec)?))
        })
    }

    /// The date at which a campaign was made: its birthday.
    pub fn campaign_created(&self, id: CampaignId) -> Result<CaptureDate, StoreError> {
        self.read(|conn| {
            let created = conn
                .query_row("SELECT created_ms FROM campaign WHERE id = ?1", [id], |row| row.get(0))
                .optional()?
                .ok_or(StoreError::Missing { what: "campaign", id: id.to_string() })?;
            Ok(CaptureDate::from_millis(created))
        })
    }

    /// The campaign of this number, or the only one of this title.
    pub fn find_campaign(&self, name: &str) -> Result<CampaignId, StoreError> {
        self.read(|conn| {
            let number = name.trim_start_matches('#').parse::<CampaignId>().ok();
            let ids = |sql: &str, value: &dyn rusqlite::ToSql| -> Result<Vec<CampaignId>, StoreError> {
                let mut statement = conn.prepare(sql)?;
                let rows = statement.query_map([value], |row| row.get(0))?;
                Ok(rows.collect::<Result<_, _>>()?)
            };
            if let Some(id) = number {
                let found = ids("SELECT id FROM campaign WHERE id = ?1 AND deleted_ms IS NULL", &id)?;
                if let Some(id) = found.first() {
                    return Ok(*id);
                }
            }
            let named = ids("SELECT id FROM campaign WHERE name = ?1 AND deleted_ms IS NULL ORDER BY id", &name)?;
            let branches = branch_points(conn)?;
            // Branches come with handovers: a title goes on to mean what it meant.
            let own: Vec<_> = named.iter().copied().filter(|id| !branches.contains_key(id)).collect();
            match if own.is_empty() { named } else { own }.as_slice() {
                [only] => Ok(*only),
                [] => Err(StoreError::NoCampaign(name.to_owned())),
                several => Err(StoreError::SeveralCampaigns {
                    name: name.to_owned(),
                    numbers: several.iter().map(CampaignId::to_string).collect::<Vec<_>>().join(", "),
                }),
            }
        })
    }

    /// Numbers of the campaigns.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn campaign_numbers(&self) -> Result<Vec<CampaignId>, StoreError> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached("SELECT id FROM campaign WHERE deleted_ms IS NULL ORDER BY id")?;
            Ok(statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?)
        })
    }

    /// The campaigns that can be read, in their present versions. Nothing is counted: it costs the same in any archive.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn readable_campaigns(&self) -> Result<Vec<(CampaignId, Campaign)>, StoreError> {
        let rows: Vec<(CampaignId, String)> = self.rows(
            "SELECT k.id, v.spec FROM campaign k JOIN campaign_version v ON v.campaign = k.id AND v.version = k.version
             WHERE k.deleted_ms IS NULL ORDER BY k.name, k.id",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )?;
        Ok(rows.into_iter().filter_map(|(id, spec)| Some((id, parse(id, &spec).ok()?))).collect())
    }

    /// Numbers and titles of the campaigns.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn campaign_titles(&self) -> Result<Vec<(CampaignId, String)>, StoreError> {
        self.read(|conn| {
            let mut statement =
                conn.prepare_cached("SELECT id, name FROM campaign WHERE deleted_ms IS NULL ORDER BY id")?;
            Ok(statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<Result<_, _>>()?)
        })
    }

    /// The campaign, where there is exactly one.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn only_campaign(&self) -> Result<Option<CampaignId>, StoreError> {
        Ok(match self.campaign_numbers()?.as_slice() {
            [only] => Some(*only),
            _ => None,
        })
    }

    /// Rows of the campaign list, counted. One whose specification cannot be read is there with the reason.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn campaigns(&self) -> Result<Vec<CampaignRow>, StoreError> {
        let mut rows = self.listed_campaigns()?;
        for row in &mut rows {
            row.counted = Some(self.campaign_counts(row.id)?);
        }
        Ok(rows)
    }

    /// What takes long to count of a campaign.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn campaign_counts(&self, id: CampaignId) -> Result<CampaignCounts, StoreError> {
        // The lists count by the columns of captures where these are in memory.
        if let Some(full_text) = self.full_text() {
            full_text.facts().map_err(StoreError::Content)?;
        }
        let listed = |filter: &str| {
            let query = CaptureQuery {
                filter: filter.to_owned(),
                tab: CaptureTab::All,
                campaign: Some(id),
                sort: Vec::new(),
                offset: 0,
                limit: 0,
            };
            Ok::<_, StoreError>(self.matching_captures(&query)?.count_ones(..) as u64)
        };
        let refused = self.read(|conn| refused_by_rule(conn, id, self.refused_counts()))?;
        Ok(CampaignCounts {
            refused: refused.iter().map(|(_, urls)| urls).sum(),
            to_review: listed("review:yes")?,
            selected: listed("selected:yes")?,
        })
    }

    /// Rows of the campaign list without what takes long to count.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn listed_campaigns(&self) -> Result<Vec<CampaignRow>, StoreError> {
        self.read(|conn| {
            let of_campaign = of_campaign_sql!("k.id");
            let mut statement = conn.prepare_cached(&format!(
                "SELECT k.id, k.name, k.version, v.spec, k.created_ms,
                    (SELECT max(started_ms) FROM launch WHERE campaign = k.id AND kind = 'crawl'),
                    (SELECT count(*) FROM capture c WHERE {of_campaign}),
                    (SELECT ifnull(sum(c.stored), 0) FROM capture c WHERE {of_campaign}), k.identity,
                    ifnull((SELECT o.origin FROM campaign_version o WHERE o.campaign = k.id ORDER BY o.version LIMIT 1),
                        (SELECT o.origin FROM campaign_origin o WHERE o.campaign = k.id)),
                    (SELECT o.origin FROM campaign_origin o WHERE o.campaign = k.id AND o.activated_ms IS NULL)
                 FROM campaign k JOIN campaign_version v ON v.campaign = k.id AND v.version = k.version
                 WHERE k.deleted_ms IS NULL ORDER BY k.name, k.id"
            ))?;
            let mut branches = branch_points(conn)?;
            let mut rows = statement.query([])?;
            let mut campaigns = Vec::new();
            while let Some(row) = rows.next()? {
                let id = row.get(0)?;
                let spec: String = row.get(3)?;
                let (campaign, problem) = match parse(id, &spec) {
                    Ok(campaign) => (campaign, None),
                    Err(error) => (Campaign { active: false, ..Campaign::new("") }, Some(error.to_string())),
                };
                let created = CaptureDate::from_millis(row.get(4)?);
                let number = |at: usize| row.get::<_, i64>(at).map(uint);
                let suspended: Option<String> = row.get(10)?;
                let runs = problem.is_none() && suspended.is_none();
                let next_run = if runs { next_run(&campaign, created) } else { None };
                campaigns.push(CampaignRow {
                    id,
                    identity: row.get(8)?,
                    branch: branches.remove(&id),
                    origin: row.get(9)?,
                    name: row.get(1)?,
                    active: campaign.active && suspended.is_none(),
                    suspended,
                    version: row.get(2)?,
                    seeds: campaign.seeds.len() as u64,
                    last_run: row.get::<_, Option<i64>>(5)?.map(CaptureDate::from_millis),
                    next_run,
                    captures: number(6)?,
                    counted: None,
                    bytes: number(7)?,
                    tags: campaign.tags,
                    problem,
                });
            }
            // A branch comes below its campaign, whatever its name.
            let place = |row: &CampaignRow| {
                let of = row.branch.map_or(row.id, |point| point.campaign);
                let place = campaigns.iter().position(|trunk| trunk.id == of).unwrap_or(usize::MAX);
                (place, row.branch.is_some(), row.id)
            };
            let places: Vec<_> = campaigns.iter().map(place).collect();
            let mut placed: Vec<_> = places.into_iter().zip(campaigns).collect();
            placed.sort_by_key(|(place, _)| *place);
            Ok(placed.into_iter().map(|(_, row)| row).collect())
        })
    }

    /// A campaign with its versions and figures.
    pub fn campaign_page(&self, id: CampaignId) -> Result<CampaignPage, StoreError> {
        self.read(|conn| {
            let (version, spec) = latest(conn, id)?;
            let campaign = parse(id, &spec)?;
            let versions = conn
                .prepare_cached(
                    "SELECT version, saved_ms FROM campaign_version WHERE campaign = ?1 ORDER BY version DESC",
                )?
                .query_map([id], |row| Ok((row.get(0)?, CaptureDate::from_millis(row.get(1)?))))?
                .collect::<Result<_, _>>()?;
            let by_seed: HashMap<String, i64> = conn
                .prepare_cached(
                    "SELECT c.seed, count(*) FROM capture c JOIN launch l ON l.id = c.launch
                     WHERE l.campaign = ?1 AND c.seed IS NOT NULL GROUP BY c.seed",
                )?
                .query_map([id], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect::<Result<_, _>>()?;
            let captures_of = |seed: &Seed| uint(by_seed.get(&seed.url).copied().unwrap_or(0));
            let seed_captures = campaign.seeds.iter().map(captures_of).collect();
            let mut rule_hits = vec![0; campaign.rules.len() + usize::from(campaign.has_refusals())];
            let mut statement = conn.prepare_cached(
                "SELECT t.rule_index, sum(t.urls) FROM seen_tally t JOIN launch l ON l.id = t.launch
                 WHERE l.campaign = ?1 AND l.version = ?2 AND t.rule_index >= 0 GROUP BY t.rule_index",
            )?;
            let mut rows = statement.query(params![id, version])?;
            while let Some(row) = rows.next()? {
                let index = usize::try_from(row.get::<_, i64>(0)?).unwrap_or(usize::MAX);
                if let Some(hits) = rule_hits.get_mut(index) {
                    *hits = uint(row.get(1)?);
                }
            }
            let moved_seeds = moved_seeds(conn, id, &campaign.seeds)?;
            let (identity, digest, parent) = conn.query_row(
                "SELECT k.identity, v.digest, v.parent FROM campaign k JOIN campaign_version v ON v.campaign = k.id
                 WHERE k.id = ?1 AND v.version = ?2",
                params![id, version],
                |row| Ok((Some(row.get(0)?), Some(row.get(1)?), row.get(2)?)),
            )?;
            let file = CampaignFile { identity, digest, parent, campaign: campaign.clone() };
            let suspended = suspended(conn, id)?;
            let branch = branch_points(conn)?.remove(&id);
            Ok(CampaignPage {
                id,
                file,
                branch,
                version,
                campaign,
                versions,
                suspended,
                seed_captures,
                rule_hits,
                moved_seeds,
            })
        })
    }

    /// The seeds of a campaign that redirect to another site, by their last captures.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn moved_seeds(&self, id: CampaignId, seeds: &[Seed]) -> Result<Vec<MovedSeed>, StoreError> {
        self.read(|conn| moved_seeds(conn, id, seeds))
    }

    /// The number of the newest version of a campaign; none where there is no such campaign.
    pub fn newest_version(&self, id: CampaignId) -> Result<Option<u32>, StoreError> {
        self.read(|conn| {
            let mut newest = conn.prepare_cached("SELECT max(version) FROM campaign_version WHERE campaign = ?1")?;
            Ok(newest.query_row([id], |row| row.get(0))?)
        })
    }

    /// A campaign as it was saved at a version.
    pub fn campaign_version(&self, id: CampaignId, version: u32) -> Result<Campaign, StoreError> {
        self.read(|conn| {
            let spec: String = conn
                .query_row(
                    "SELECT spec FROM campaign_version WHERE campaign = ?1 AND version = ?2",
                    params![id, version],
                    |row| row.get(0),
                )
                .optional()?
                .ok_or(StoreError::Missing { what: "version of the campaign", id: version.to_string() })?;
            parse(id, &spec)
        })
    }
}

/// The seeds of a campaign that redirect to another site, by their last
/// captures. Addresses instead of names, and `localhost`, are never proposed.
fn moved_seeds(conn: &Connection, id: CampaignId, seeds: &[Seed]) -> Result<Vec<MovedSeed>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT v.url, c.date_ms FROM capture c JOIN launch l ON l.id = c.launch LEFT JOIN url v ON v.id = c.redirect_to
         WHERE c.url = (SELECT id FROM url WHERE url = ?1) AND l.campaign = ?2 ORDER BY c.date_ms DESC, c.id DESC LIMIT 1",
    )?;
    let mut moved = Vec::new();
    for seed in seeds {
        let Some(mut url) = parse_web_url(&seed.url) else { continue };
        for _ in 0..MAX_REDIRECTS {
            let last = statement
                .query_row(params![url.as_str(), id], |row| Ok((row.get::<_, Option<String>>(0)?, row.get(1)?)))
                .optional()?;
            let Some((Some(text), date)) = last else { break };
            let Some(target) = parse_web_url(&text) else { break };
            if is_same_site(&url, &target) {
                url = target;
                continue;
            }
            if target.domain().is_some_and(|name| name.contains('.') && !name.ends_with(".localhost")) {
                let (seed, date) = (seed.url.clone(), CaptureDate::from_millis(date));
                moved.push(MovedSeed { seed, target: target.into(), date });
            }
            break;
        }
    }
    Ok(moved)
}

pub(super) fn latest(conn: &Connection, id: CampaignId) -> Result<(u32, String), StoreError> {
    conn.prepare_cached(
        "SELECT k.version, v.spec FROM campaign k
         JOIN campaign_version v ON v.campaign = k.id AND v.version = k.version WHERE k.id = ?1",
    )?
    .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
    .optional()?
    .ok_or(StoreError::Missing { what: "campaign", id: id.to_string() })
}

pub(super) fn parse(id: CampaignId, spec: &str) -> Result<Campaign, StoreError> {
    serde_json::from_str(spec).map_err(|error| StoreError::Content(format!("campaign {id}: {error}")))
}

/// The next run of a campaign as text; none when only a person starts it.
pub fn next_run(campaign: &Campaign, created: CaptureDate) -> Option<String> {
    let runs = campaign.next_runs(CaptureDate::now(), created, 1).ok()?;
    runs.first().map(|run| run.words.clone())
}
