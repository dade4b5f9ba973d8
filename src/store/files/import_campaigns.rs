//! An import belongs to one campaign or to none, and its captures with it.

use crate::jobs::{counted, verb};
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::uint;
use crate::store::filter::named_campaigns;
use crate::store::review::selections::{keep_requisites, kept_selection};
use crate::store::rows::{CampaignChoice, CampaignId, LaunchId};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

/// The number of times that captures came to another campaign, in a setting: whoever keeps captures
/// by campaign in memory reads them again then.
const MOVED: &str = "import_campaigns_changed";

/// An import whose campaign was changed, with the captures concerned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportAssigned {
    /// The import.
    pub import: LaunchId,
    /// The campaign that it belonged to.
    pub before: Option<CampaignId>,
    /// The one that it belongs to now.
    pub campaign: Option<CampaignId>,
    /// Captures that it has.
    pub captures: u64,
    /// Captures that were in the selection of the campaign before, and are so no more.
    pub unselected: u64,
}

/// Captures here that are of no campaign.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Unassigned {
    /// Imports that brought them, and crawls of campaigns that were deleted.
    pub launches: u64,
    /// The captures.
    pub captures: u64,
    /// Bytes of their records.
    pub bytes: u64,
}

/// Captures in the files of an import that another campaign had before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CapturesElsewhere {
    /// That campaign; none where they are of none.
    pub campaign: Option<CampaignId>,
    /// Its title.
    pub name: String,
    /// Their number.
    pub captures: u64,
}

impl CapturesElsewhere {
    /// A line of text for a person.
    pub fn line(&self) -> String {
        let captures = counted(self.captures, "capture");
        let stays = verb(self.captures, "stays");
        match self.campaign {
            Some(id) => format!(
                "{captures} of it came before, and {stays} with campaign {id} “{}”: fonds files assign",
                self.name
            ),
            None => format!("{captures} of it came before, and {stays} with no campaign: fonds files assign"),
        }
    }
}

impl Unassigned {
    /// A line of text; none where every capture is of a campaign.
    pub fn line(&self) -> Option<String> {
        let captures = counted(self.captures, "capture");
        let belong = verb(self.captures, "belongs");
        (self.captures > 0).then(|| format!("{captures} {belong} to no campaign"))
    }
}

impl Catalogue {
    /// The campaign that an import shall belong to.
    ///
    /// # Errors
    ///
    /// [`StoreError::WhichCampaign`] where there are several and none is chosen;
    /// one that is not there.
    pub fn import_campaign(&self, choice: CampaignChoice) -> Result<Option<CampaignId>, StoreError> {
        match choice {
            CampaignChoice::None => Ok(None),
            CampaignChoice::Of(id) => self.campaign_created(id).map(|_| Some(id)),
            CampaignChoice::Only => match self.campaign_titles()?.as_slice() {
                [] => Ok(None),
                [(only, _)] => Ok(Some(*only)),
                several => Err(StoreError::WhichCampaign(named_campaigns(several))),
            },
        }
    }

    /// Gives an import to a campaign, or to none. Scores of its captures for others go, as these
    /// have them no more; selections that were saved stay as they were saved.
    ///
    /// # Errors
    ///
    /// No such import or campaign; a catalogue that cannot be written.
    pub fn assign_import(&self, import: LaunchId, campaign: Option<CampaignId>) -> Result<ImportAssigned, StoreError> {
        self.import_campaign(campaign.map_or(CampaignChoice::None, CampaignChoice::Of))?;
        self.write(move |conn| {
            let before: Option<CampaignId> = conn
                .query_row("SELECT campaign FROM launch WHERE id = ?1 AND kind = 'import'", [import], |row| row.get(0))
                .optional()?
                .ok_or(StoreError::Missing { what: "import", id: import.to_string() })?;
            let count = |sql: &str| conn.query_row(sql, [import], |row| row.get::<_, i64>(0)).map(uint);
            let captures = count("SELECT count(*) FROM capture WHERE launch = ?1")?;
            if before == campaign {
                return Ok(ImportAssigned { import, before, campaign, captures, unselected: 0 });
            }
            let unselected = count(
                "SELECT count(*) FROM capture c JOIN launch l ON l.id = c.launch
                 JOIN score s ON s.capture = c.id AND s.campaign = l.campaign AND s.selected WHERE c.launch = ?1",
            )?;
            conn.execute(
                "UPDATE launch SET campaign = ?2, version = (SELECT version FROM campaign WHERE id = ?2) WHERE id = ?1",
                (import, campaign),
            )?;
            forget_scores_of_others(conn, import)?;
            Ok(ImportAssigned { import, before, campaign, captures, unselected })
        })
    }

    /// Gives captures that came with other imports, for no campaign, to this import and so to its campaign: those of
    /// archive files with these digests (SHA-256 in small hexadecimal digits). Says how many.
    pub fn take_from_imports(&self, import: LaunchId, digests: Vec<String>) -> Result<u64, StoreError> {
        self.write(move |conn| {
            let mut statement = conn.prepare_cached(
                "UPDATE capture SET launch = ?1 WHERE id IN (
                     SELECT r.capture FROM warc_file f JOIN record r ON r.file = f.id AND r.position = 0
                     JOIN capture c ON c.id = r.capture JOIN launch l ON l.id = c.launch
                     WHERE f.sha256 = ?2 AND l.kind = 'import' AND l.campaign IS NULL AND l.id <> ?1)",
            )?;
            let mut taken = 0;
            for digest in &digests {
                taken += statement.execute((import, digest))? as u64;
            }
            if taken > 0 {
                note_moved(conn)?;
            }
            Ok(taken)
        })
    }

    /// Captures in the files of an import that are not of its campaign, by theirs.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn captures_elsewhere(&self, import: LaunchId) -> Result<Vec<CapturesElsewhere>, StoreError> {
        self.rows(
            "SELECT l.campaign, ifnull(k.name, ''), count(DISTINCT c.id) FROM import_file i
                 JOIN record r ON r.file = i.file AND r.position = 0 JOIN capture c ON c.id = r.capture
                 JOIN launch l ON l.id = c.launch LEFT JOIN campaign k ON k.id = l.campaign
                 WHERE i.launch = ?1 AND l.campaign IS NOT (SELECT campaign FROM launch WHERE id = ?1)
                 GROUP BY l.campaign",
            [import],
            |row| Ok(CapturesElsewhere { campaign: row.get(0)?, name: row.get(1)?, captures: uint(row.get(2)?) }),
        )
    }

    /// Captures that are of no campaign.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn unassigned(&self) -> Result<Unassigned, StoreError> {
        self.read(|conn| {
            let row = conn
                .prepare_cached(
                    "SELECT count(DISTINCT l.id), count(c.id), ifnull(sum(c.stored), 0)
                     FROM launch l JOIN capture c ON c.launch = l.id WHERE l.campaign IS NULL
                        OR l.campaign IN (SELECT id FROM campaign WHERE deleted_ms IS NOT NULL)",
                )?
                .query_row([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?].map(uint)))?;
            let [launches, captures, bytes] = row;
            Ok(Unassigned { launches, captures, bytes })
        })
    }

    /// The number of times that captures came to another campaign.
    pub(in crate::store) fn campaigns_changed(&self) -> Result<i64, StoreError> {
        Ok(self.setting(MOVED)?.and_then(|number| number.parse().ok()).unwrap_or_default())
    }
}

/// Takes scores and what was measured of captures of an import away from campaigns that do not have it.
fn forget_scores_of_others(conn: &Connection, import: LaunchId) -> Result<(), StoreError> {
    let campaigns: Vec<CampaignId> = conn
        .prepare(
            "SELECT DISTINCT s.campaign FROM score s JOIN capture c ON c.id = s.capture
             WHERE c.launch = ?1 AND s.campaign IS NOT (SELECT campaign FROM launch WHERE id = ?1)",
        )?
        .query_map([import], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for table in ["score", "measure"] {
        conn.execute(
            &format!(
                "DELETE FROM {table} WHERE capture IN (SELECT id FROM capture WHERE launch = ?1)
                     AND campaign IS NOT (SELECT campaign FROM launch WHERE id = ?1)"
            ),
            [import],
        )?;
    }
    for campaign in campaigns {
        if let Some((spec, _)) = kept_selection(conn, campaign)? {
            keep_requisites(conn, campaign, spec.with_requisites)?;
        }
    }
    note_moved(conn)
}

pub(in crate::store) fn note_moved(conn: &Connection) -> Result<(), StoreError> {
    conn.execute(
        "INSERT INTO setting (name, value) VALUES (?1, '1') ON CONFLICT (name) DO UPDATE SET value = value + 1",
        params![MOVED],
    )?;
    Ok(())
}
