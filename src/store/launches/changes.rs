//! Pages that differ between two launches of a campaign: new, gone, changed, now failing.
//!
//! A launch counts with the patches that followed it: a page that was missing and was patched is there. Of the
//! captures of a page in a launch the last one with content counts, else the last; robots.txt is no page.

use crate::jobs::lock;
use crate::scope::PREREQUISITE_RULE;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::launches::ledger::{FAILED, QUEUED};
use crate::store::rows::{CampaignId, CaptureId, LaunchId};
use crate::uri::CaptureDate;
use fixedbitset::FixedBitSet;
use rusqlite::{Connection, OptionalExtension, params};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// Pages whose end in a launch is looked up one by one; of more the ends of all URLs are read.
const FEW: usize = 512;
/// Pairs of launches that are kept in memory.
const MOST_KEPT: usize = 8;

/// How a page differs between two launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PageChange {
    /// It answered with content and has no capture in the launch before.
    New,
    /// It had content and has none now: the server says so (404, 410), or the launch met it no more.
    Gone,
    /// It answers with other content or another status than before.
    Changed,
    /// It had content, and now it gives an error other than 404 and 410, or no answer.
    Failing,
}

impl PageChange {
    /// All of them, in the order of a table.
    pub const ALL: [Self; 4] = [Self::New, Self::Gone, Self::Changed, Self::Failing];

    /// Its name in filters and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Gone => "gone",
            Self::Changed => "changed",
            Self::Failing => "failing",
        }
    }

    /// Its name for people.
    pub fn label(self) -> &'static str {
        match self {
            Self::New => "New",
            Self::Gone => "Gone",
            Self::Changed => "Changed",
            Self::Failing => "Now failing",
        }
    }

    /// What it means, in one sentence.
    pub fn about(self) -> &'static str {
        match self {
            Self::New => "Answered with content, and has no capture in the launch before",
            Self::Gone => "Had content before; now 404, 410 or met no more",
            Self::Changed => "Answers with other content or another status than before",
            Self::Failing => "Had content before; now an error other than 404 and 410, or no answer",
        }
    }

    /// The change of this name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|change| change.name() == name)
    }

    /// The line of a filter that finds its captures: those of two launches, or since the last one of each campaign.
    pub fn filter(self, launches: Option<(&str, &str)>) -> String {
        match launches {
            Some((before, after)) => format!("since:{}@{before}..{after}", self.name()),
            None => format!("since:{}", self.name()),
        }
    }
}

/// Two launches of a campaign that are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LaunchPair {
    /// The earlier one.
    pub before: LaunchId,
    /// The later one.
    pub after: LaunchId,
}

/// A page as a launch has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageAnswer {
    /// Its last capture with content there, else the last.
    pub capture: CaptureId,
    /// Its HTTP status.
    pub status: i32,
    /// When, in milliseconds since 1970.
    pub date_ms: i64,
    digest: String,
    redirect_to: Option<i64>,
    host: i64,
}

impl PageAnswer {
    fn has_content(&self) -> bool {
        matches!(self.status, 0 | 200..=299 | 304)
    }

    fn is_good(&self) -> bool {
        self.has_content() || (300..400).contains(&self.status)
    }

    fn is_gone(&self) -> bool {
        matches!(self.status, 404 | 410)
    }

    /// Whether it is the same answer as another: of one kind, with the same payload or target. What is not known
    /// is no difference.
    fn is_same(&self, other: &Self) -> bool {
        match (self.has_content(), other.has_content()) {
            (true, true) => self.digest.is_empty() || other.digest.is_empty() || self.digest == other.digest,
            (false, false) => self.redirect_to == other.redirect_to,
            _ => false,
        }
    }
}

/// A page that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageDifference {
    /// Its page identity, by number.
    pub(in crate::store) page: i64,
    /// Its host, by number.
    pub(in crate::store) host: i64,
    /// How it differs: gone and failing pages that answered are changed ones, too.
    pub changes: Vec<PageChange>,
    /// Its last capture in the launch before.
    pub before: Option<PageAnswer>,
    /// Its last capture in the launch after.
    pub after: Option<PageAnswer>,
}

impl PageDifference {
    /// The capture that shows a change: of a page that is gone the last one with content, else the newest.
    pub fn capture(&self, change: PageChange) -> Option<CaptureId> {
        let (first, second) = match change {
            PageChange::Gone => (&self.before, &self.after),
            _ => (&self.after, &self.before),
        };
        first.as_ref().or(second.as_ref()).map(|answer| answer.capture)
    }
}

/// What differs between two launches.
#[derive(Debug, Default)]
pub struct LaunchChanges {
    /// Pages that differ, in no order.
    pub pages: Vec<PageDifference>,
    /// Pages that both launches have with the same answer.
    pub same: u64,
}

/// The number of pages of a host that differ between two launches.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct HostChanges {
    /// Host, with port where it is no default.
    pub host: String,
    /// See [`PageChange::New`].
    pub new: u64,
    /// See [`PageChange::Gone`].
    pub gone: u64,
    /// See [`PageChange::Changed`].
    pub changed: u64,
    /// See [`PageChange::Failing`].
    pub failing: u64,
}

impl HostChanges {
    /// The number of one change.
    pub fn count(&self, change: PageChange) -> u64 {
        match change {
            PageChange::New => self.new,
            PageChange::Gone => self.gone,
            PageChange::Changed => self.changed,
            PageChange::Failing => self.failing,
        }
    }

    fn add(&mut self, change: PageChange) {
        *match change {
            PageChange::New => &mut self.new,
            PageChange::Gone => &mut self.gone,
            PageChange::Changed => &mut self.changed,
            PageChange::Failing => &mut self.failing,
        } += 1;
    }
}

/// A page that differs, with its URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPage {
    /// URL of its newest capture.
    pub url: String,
    /// Host, with port where it is no default.
    pub host: String,
    /// What differs.
    pub difference: PageDifference,
    /// Of a page that the launch after has no capture of: what became of its URL there, in words.
    pub outcome: Option<String>,
}

/// Comparisons that are kept until the catalogue changes.
#[derive(Default)]
pub(in crate::store) struct KeptChanges(Mutex<Vec<Kept>>);

struct Kept {
    pair: LaunchPair,
    revision: u64,
    changes: Arc<LaunchChanges>,
}

/// A change, and the names of the launches between which it is looked for.
type ParsedSince<'v> = (PageChange, Option<(&'v str, &'v str)>);

/// Reads a value of `since:`.
fn parse_since(value: &str) -> Result<ParsedSince<'_>, String> {
    let (name, launches) = match value.split_once('@') {
        Some((name, launches)) => (name, Some(launches)),
        None => (value, None),
    };
    let change = PageChange::of_name(&name.to_lowercase())
        .ok_or_else(|| format!("“{name}” is no change; write since:new, since:gone, since:changed or since:failing"))?;
    let Some(launches) = launches else { return Ok((change, None)) };
    let pair = launches.split_once("..").filter(|(before, after)| !before.is_empty() && !after.is_empty());
    let pair = pair.ok_or_else(|| {
        format!("“{launches}” names no two launches; write since:{name}@20240301090000..20240308090000")
    })?;
    Ok((change, Some(pair)))
}

impl Catalogue {
    /// The last two launches of a campaign that ended, or others: the one before where only the later is named.
    /// Trials and patches are none. None where there is nothing to compare.
    ///
    /// # Errors
    ///
    /// Launches of which one is none of the campaign.
    pub fn launch_pair(
        &self,
        campaign: CampaignId,
        before: Option<LaunchId>,
        after: Option<LaunchId>,
    ) -> Result<Option<LaunchPair>, StoreError> {
        let ids: Vec<LaunchId> = self.rows(
            "SELECT id FROM launch l WHERE campaign = ?1 AND kind = 'crawl' AND trial IS NULL
                AND (NOT is_foreign OR EXISTS (SELECT 1 FROM capture c WHERE c.launch = l.id))
                AND (state NOT IN ('running', 'paused') OR id IN (?2, ?3))
             ORDER BY started_ms, id",
            params![campaign, before, after],
            |row| row.get(0),
        )?;
        let at = |id: LaunchId| ids.iter().position(|of| *of == id);
        let named = |id: LaunchId| {
            at(id).ok_or_else(|| StoreError::Missing { what: "launch of this campaign", id: id.to_string() })
        };
        let after = match after {
            Some(after) => named(after)?,
            None => match ids.len().checked_sub(1) {
                Some(last) => last,
                None => return Ok(None),
            },
        };
        let before = match before {
            Some(before) => Some(named(before)?),
            None => after.checked_sub(1),
        };
        Ok(before.filter(|before| *before != after).map(|before| LaunchPair { before: ids[before], after: ids[after] }))
    }

    /// The launches of a campaign that can be compared, with when they began, oldest first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn compared_launches(&self, campaign: CampaignId) -> Result<Vec<(LaunchId, CaptureDate)>, StoreError> {
        self.rows(
            "SELECT id, started_ms FROM launch l WHERE campaign = ?1 AND kind = 'crawl' AND trial IS NULL
                AND (NOT is_foreign OR EXISTS (SELECT 1 FROM capture c WHERE c.launch = l.id))
                AND state NOT IN ('running', 'paused') ORDER BY started_ms, id",
            [campaign],
            |row| Ok((row.get(0)?, CaptureDate::from_millis(row.get(1)?))),
        )
    }

    /// The name of a launch: its 14 digits.
    ///
    /// # Errors
    ///
    /// No such launch.
    pub fn launch_name(&self, id: LaunchId) -> Result<String, StoreError> {
        self.row_if_any("SELECT launch FROM launch WHERE id = ?1", [id], |row| row.get(0))?
            .ok_or(StoreError::Missing { what: "launch", id: id.to_string() })
    }

    /// What differs between two launches.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn launch_changes(&self, pair: LaunchPair) -> Result<Arc<LaunchChanges>, StoreError> {
        let revision = self.revision_now()?;
        let kept = lock(&self.kept_changes().0)
            .iter()
            .find(|kept| kept.pair == pair && kept.revision == revision)
            .map(|kept| Arc::clone(&kept.changes));
        if let Some(changes) = kept {
            return Ok(changes);
        }
        let changes = Arc::new(self.read(|conn| compare(conn, pair))?);
        let mut all = lock(&self.kept_changes().0);
        all.retain(|kept| kept.pair != pair && kept.revision == revision);
        all.truncate(MOST_KEPT - 1);
        all.push(Kept { pair, revision, changes: Arc::clone(&changes) });
        Ok(changes)
    }

    /// The number of pages that differ, host by host: those with the most first.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn changes_by_host(&self, pair: LaunchPair) -> Result<Vec<HostChanges>, StoreError> {
        let changes = self.launch_changes(pair)?;
        let mut counts = HashMap::<i64, HostChanges>::new();
        for page in &changes.pages {
            let host = counts.entry(page.host).or_default();
            page.changes.iter().for_each(|change| host.add(*change));
        }
        let mut hosts: Vec<HostChanges> = self.read(|conn| {
            let mut name = conn.prepare_cached("SELECT name FROM host WHERE id = ?1")?;
            let named = counts
                .into_iter()
                .map(|(id, counts)| Ok(HostChanges { host: name.query_row([id], |row| row.get(0))?, ..counts }));
            named.collect()
        })?;
        let sum = |host: &HostChanges| PageChange::ALL.map(|change| host.count(change)).iter().sum::<u64>();
        hosts.sort_by(|a, b| sum(b).cmp(&sum(a)).then_with(|| a.host.cmp(&b.host)));
        Ok(hosts)
    }

    /// The pages that differ, in the order of host and URL.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn changed_pages(&self, pair: LaunchPair) -> Result<Vec<ChangedPage>, StoreError> {
        let changes = self.launch_changes(pair)?;
        let mut pages: Vec<ChangedPage> = self.read(|conn| {
            let launches = serde_json::json!(launches_of(conn, pair.after)?).to_string();
            let mut name = conn.prepare_cached(
                "SELECT u.url, h.name FROM capture c JOIN url u ON u.id = c.url JOIN host h ON h.id = c.host WHERE c.id = ?1",
            )?;
            let mut outcome = conn.prepare_cached(
                "SELECT outcome_of(s.state, s.rule_index, s.rule_name, s.fetch_status, s.why)
                 FROM url u CROSS JOIN seen s ON s.url = u.id AND s.launch IN (SELECT value FROM json_each(?2))
                 WHERE u.page = ?1 ORDER BY s.id DESC LIMIT 1",
            )?;
            let mut found = Vec::with_capacity(changes.pages.len());
            for difference in &changes.pages {
                let newest = difference.after.as_ref().or(difference.before.as_ref());
                let Some(newest) = newest else { continue };
                let (url, host) = name.query_row([newest.capture], |row| Ok((row.get(0)?, row.get(1)?)))?;
                let outcome = match difference.after {
                    Some(_) => None,
                    None => {
                        let known: Option<String> =
                            outcome.query_row((difference.page, &launches), |row| row.get(0)).optional()?;
                        Some(known.unwrap_or_else(|| "not met".to_owned()))
                    }
                };
                found.push(ChangedPage { url, host, difference: difference.clone(), outcome });
            }
            Ok(found)
        })?;
        pages.sort_by(|a, b| a.host.cmp(&b.host).then_with(|| a.url.cmp(&b.url)));
        Ok(pages)
    }

    /// The captures that a value of `since:` finds: of one campaign, or of all, each by its own launches.
    pub(in crate::store) fn captures_with_change(
        &self,
        value: &str,
        campaign: Option<CampaignId>,
    ) -> Result<FixedBitSet, String> {
        let (change, launches) = parse_since(value)?;
        let shown = |error: StoreError| error.to_string();
        let campaigns = match campaign {
            Some(campaign) => vec![campaign],
            None => self.campaign_numbers().map_err(shown)?,
        };
        let (mut found, mut compared) = (FixedBitSet::new(), false);
        for campaign in campaigns {
            let pair = match launches {
                None => self.launch_pair(campaign, None, None).map_err(shown)?,
                Some((before, after)) => self.named_pair(campaign, before, after).map_err(shown)?,
            };
            let Some(pair) = pair else { continue };
            compared = true;
            for page in &self.launch_changes(pair).map_err(shown)?.pages {
                let capture = page.changes.contains(&change).then(|| page.capture(change)).flatten();
                let at = capture.and_then(|capture| usize::try_from(capture).ok());
                at.into_iter().for_each(|at| found.grow_and_insert(at));
            }
        }
        match launches {
            Some((before, after)) if !compared => {
                Err(format!("there are no launches {before} and {after} of one campaign; fonds launches lists them"))
            }
            _ => Ok(found),
        }
    }

    /// The launch of this name in a campaign; trials and patches are none.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn launch_named(&self, campaign: CampaignId, name: &str) -> Result<Option<LaunchId>, StoreError> {
        self.row_if_any(
            "SELECT id FROM launch WHERE campaign = ?1 AND kind = 'crawl' AND trial IS NULL AND launch = ?2",
            params![campaign, name],
            |row| row.get(0),
        )
    }

    /// The launches of these names in a campaign, where it has both.
    fn named_pair(&self, campaign: CampaignId, before: &str, after: &str) -> Result<Option<LaunchPair>, StoreError> {
        let pair = self.launch_named(campaign, before)?.zip(self.launch_named(campaign, after)?);
        Ok(pair.filter(|(a, b)| a != b).map(|(before, after)| LaunchPair { before, after }))
    }
}

/// A launch, and the patches of its campaign that came before the next launch.
fn launches_of(conn: &Connection, launch: LaunchId) -> Result<Vec<LaunchId>, StoreError> {
    let mut statement = conn.prepare_cached(
        "SELECT ?1 UNION ALL SELECT p.id FROM launch l JOIN launch p ON p.campaign = l.campaign AND p.id > l.id
         WHERE l.id = ?1 AND EXISTS (SELECT 1 FROM patch_url u WHERE u.launch = p.id)
            AND NOT EXISTS (SELECT 1 FROM launch n WHERE n.campaign = l.campaign AND n.kind = 'crawl' AND n.trial IS NULL
                AND n.id > l.id AND n.id < p.id)",
    )?;
    Ok(statement.query_map([launch], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// The last capture of each page in a launch and its patches.
fn answers(conn: &Connection, launch: LaunchId) -> Result<HashMap<i64, PageAnswer>, StoreError> {
    let mut found = HashMap::new();
    for launch in launches_of(conn, launch)? {
        let (first, last, count): (Option<i64>, Option<i64>, i64) = conn
            .prepare_cached(
                "SELECT min(id), max(id), count(*) FROM capture INDEXED BY capture_launch WHERE launch = ?1",
            )?
            .query_row([launch], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let (Some(first), Some(last)) = (first, last) else { continue };
        // Captures of a launch stand together: they are read one behind the other, unless those of others are between.
        let which = match last - first < count.saturating_mul(4) {
            true => "capture c NOT INDEXED WHERE c.id BETWEEN ?2 AND ?3 AND +c.launch = ?1",
            false => "capture c INDEXED BY capture_launch WHERE c.launch = ?1 AND c.id BETWEEN ?2 AND ?3",
        };
        let mut statement = conn.prepare_cached(&format!(
            "SELECT c.page, c.id, c.status, c.date_ms, c.digest, c.redirect_to, c.host FROM {which} AND c.rule_name <> ?4"
        ))?;
        let mut rows = statement.query(params![launch, first, last, PREREQUISITE_RULE])?;
        while let Some(row) = rows.next()? {
            let (page, date_ms): (i64, i64) = (row.get(0)?, row.get(3)?);
            let capture: CaptureId = row.get(1)?;
            let answer = PageAnswer {
                capture,
                status: row.get(2)?,
                date_ms,
                digest: row.get(4)?,
                redirect_to: row.get(5)?,
                host: row.get(6)?,
            };
            // http:// may lead to https:// of the same page: what has content is its answer.
            let rank = |answer: &PageAnswer| (answer.has_content(), answer.date_ms, answer.capture);
            match found.get_mut(&page) {
                Some(known) if rank(known) > rank(&answer) => {}
                Some(known) => *known = answer,
                None => drop(found.insert(page, answer)),
            }
        }
    }
    Ok(found)
}

fn compare(conn: &Connection, pair: LaunchPair) -> Result<LaunchChanges, StoreError> {
    // One read transaction for all of them.
    let conn = conn.unchecked_transaction()?;
    let (mut before, after) = (answers(&conn, pair.before)?, answers(&conn, pair.after)?);
    let mut changes = LaunchChanges::default();
    for (page, answer) in after {
        let earlier = before.remove(&page);
        let kinds = match &earlier {
            None if answer.has_content() => vec![PageChange::New],
            None => continue,
            Some(earlier) => match (earlier.is_good(), answer.is_good()) {
                (true, true) if earlier.is_same(&answer) => {
                    changes.same += 1;
                    continue;
                }
                (true, true) | (false, true) => vec![PageChange::Changed],
                (true, false) if answer.is_gone() => vec![PageChange::Gone, PageChange::Changed],
                (true, false) => vec![PageChange::Failing, PageChange::Changed],
                (false, false) => continue,
            },
        };
        let host = answer.host;
        changes.pages.push(PageDifference { page, host, changes: kinds, before: earlier, after: Some(answer) });
    }
    before.retain(|_, answer| answer.has_content());
    let ends = ends_without_capture(&conn, pair.after, &before)?;
    for (page, answer) in before {
        let change = match ends.get(&page) {
            // It may come yet.
            Some(&QUEUED) => continue,
            Some(_) => PageChange::Failing,
            None => PageChange::Gone,
        };
        let host = answer.host;
        changes.pages.push(PageDifference { page, host, changes: vec![change], before: Some(answer), after: None });
    }
    Ok(changes)
}

/// Which of these pages wait or failed in a launch and its patches, with the state.
fn ends_without_capture(
    conn: &Connection,
    launch: LaunchId,
    pages: &HashMap<i64, PageAnswer>,
) -> Result<HashMap<i64, i64>, StoreError> {
    let mut ends = HashMap::new();
    let launches = serde_json::json!(launches_of(conn, launch)?).to_string();
    if pages.len() < FEW {
        let mut statement = conn.prepare_cached(
            "SELECT s.state FROM url u CROSS JOIN seen s ON s.url = u.id AND s.launch IN (SELECT value FROM json_each(?2))
             WHERE u.page = ?1 AND s.state IN (?3, ?4) ORDER BY s.id DESC LIMIT 1",
        )?;
        for page in pages.keys() {
            let state = statement.query_row(params![page, launches, QUEUED, FAILED], |row| row.get(0)).optional()?;
            ends.extend(state.map(|state| (*page, state)));
        }
        return Ok(ends);
    }
    let mut statement = conn.prepare_cached(
        "SELECT u.page, s.state FROM json_each(?1) l CROSS JOIN seen s INDEXED BY seen_state
            ON s.launch = l.value AND s.state IN (?2, ?3) CROSS JOIN url u ON u.id = s.url ORDER BY s.id",
    )?;
    let mut rows = statement.query(params![launches, QUEUED, FAILED])?;
    while let Some(row) = rows.next()? {
        let page: i64 = row.get(0)?;
        if pages.contains_key(&page) {
            ends.insert(page, row.get(1)?);
        }
    }
    Ok(ends)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_since_names_a_change_and_two_launches() {
        assert_eq!(parse_since("GONE").unwrap(), (PageChange::Gone, None));
        assert_eq!(parse_since("new@1..2").unwrap(), (PageChange::New, Some(("1", "2"))));
        for wrong in ["", "old", "new@", "new@1", "new@..2", "new@1.."] {
            assert!(parse_since(wrong).unwrap_err().contains("write since:"), "{wrong}");
        }
        for change in PageChange::ALL {
            assert_eq!(PageChange::of_name(change.name()), Some(change));
            assert_eq!(parse_since(change.filter(Some(("1", "2"))).split_once(':').unwrap().1).unwrap().0, change);
        }
    }
}
