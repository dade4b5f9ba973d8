//! Deleting a campaign: what goes with it, and what stays.
//!
//! Captures, decisions, crawls and archive files stay, and so do the rules of crawls: the reason
//! why a capture is there stays known.

use super::{latest, parse};
use crate::jobs::counted;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::catalogue::sql::uint;
use crate::store::files::import_campaigns::note_moved;
use crate::store::rows::CampaignId;
use crate::uri::CaptureDate;
use rusqlite::{Connection, params};
use serde::Serialize;

/// Counts of everything that belongs to a campaign, for its deletion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CampaignContents {
    /// Its number.
    pub campaign: CampaignId,
    /// Its title.
    pub name: String,
    /// Versions of its specification.
    pub versions: u64,
    /// Runs of its schedule that are noted.
    pub scheduled_runs: u64,
    /// Captures that have a score of it.
    pub scored: u64,
    /// Selections that were saved under a name.
    pub saved_selections: u64,
    /// Its crawls.
    pub crawls: u64,
    /// Imports that belong to it.
    pub imports: u64,
    /// Captures of both.
    pub captures: u64,
    /// Collections that its crawls fill.
    pub collections: u64,
}

impl CampaignContents {
    /// Text that lists what goes with the campaign.
    pub fn lost(&self) -> String {
        let mut lost = vec![match self.crawls {
            0 => counted(self.versions, "version"),
            _ => "its place in the list".to_owned(),
        }];
        let parts = [
            (self.scheduled_runs, "scheduled run"),
            (self.scored, "scored capture"),
            (self.saved_selections, "saved selection"),
        ];
        lost.extend(parts.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(count, what)));
        lost.join(", ")
    }

    /// Text that lists what stays; none where there is nothing else.
    pub fn stays(&self) -> Option<String> {
        let mut stays = Vec::new();
        if self.captures > 0 {
            stays.push(format!(
                "{}, of no campaign from then on, with decisions and notes",
                counted(self.captures, "capture")
            ));
        }
        if self.crawls > 0 {
            let crawls = counted(self.crawls, "crawl");
            let rules = counted(self.versions, "version");
            stays.push(format!("{crawls} with the rules of {rules} that decided in them, and their archive files"));
        }
        if self.imports > 0 {
            stays.push(format!("{}, which can be given to another campaign", counted(self.imports, "import")));
        }
        if self.collections > 0 {
            stays.push(format!("{}, filled by hand from then on", counted(self.collections, "collection")));
        }
        (!stays.is_empty()).then(|| stays.join("; "))
    }
}

/// Tables with rows of a campaign alone, besides its versions.
const OF_CAMPAIGN: [&str; 11] = [
    "campaign_origin",
    "measure",
    "measured",
    "named_selection",
    "requisite",
    "schedule_run",
    "score",
    "score_before",
    "selection",
    "selection_before",
    "source",
];

impl Catalogue {
    /// The contents of a campaign: what goes with it, and what stays.
    ///
    /// # Errors
    ///
    /// No such campaign, or a catalogue that cannot be read.
    pub fn campaign_contents(&self, id: CampaignId) -> Result<CampaignContents, StoreError> {
        self.read(|conn| contents(conn, id))
    }

    /// Deletes a campaign with its selections, scores and runs that were due. Its captures stay, and
    /// belong to none; of one that was crawled the versions stay, too. Answers with what there was.
    ///
    /// # Errors
    ///
    /// One that is being crawled; no such campaign, or a catalogue that cannot be written.
    pub fn delete_campaign(&self, id: CampaignId) -> Result<CampaignContents, StoreError> {
        self.write(move |conn| {
            let contents = contents(conn, id)?;
            let mut running = conn
                .prepare("SELECT 1 FROM launch WHERE campaign = ?1 AND kind = 'crawl' AND state IN ('running', 'paused')")?;
            if running.exists([id])? {
                return Err(StoreError::CampaignRuns(id.get()));
            }
            conn.execute(
                "DELETE FROM named_capture WHERE selection IN (SELECT id FROM named_selection WHERE campaign = ?1)",
                [id],
            )?;
            for table in OF_CAMPAIGN {
                conn.execute(&format!("DELETE FROM {table} WHERE campaign = ?1"), [id])?;
            }
            conn.execute("UPDATE export SET campaign = NULL WHERE campaign = ?1", [id])?;
            conn.execute("UPDATE collection SET filter = '', campaign = NULL WHERE campaign = ?1", [id])?;
            conn.execute("UPDATE launch SET campaign = NULL, version = NULL WHERE campaign = ?1 AND kind = 'import'", [id])?;
            conn.execute(
                "UPDATE launch SET state = 'finished', why = 'its campaign was deleted' WHERE campaign = ?1 AND state = 'stopped'",
                [id],
            )?;
            if contents.crawls > 0 {
                conn.execute("UPDATE campaign SET deleted_ms = ?2 WHERE id = ?1", params![id, CaptureDate::now().millis()])?;
            } else {
                conn.execute("DELETE FROM campaign_version WHERE campaign = ?1", [id])?;
                conn.execute("DELETE FROM campaign WHERE id = ?1", [id])?;
            }
            note_moved(conn)?;
            Ok(contents)
        })
    }
}

fn contents(conn: &Connection, id: CampaignId) -> Result<CampaignContents, StoreError> {
    let (_, spec) = latest(conn, id)?;
    let count = |from: &str| -> rusqlite::Result<u64> {
        let sql = format!("SELECT count(*) FROM {from} WHERE campaign = ?1");
        conn.query_row(&sql, [id], |row| row.get::<_, i64>(0).map(uint))
    };
    let of_kind = |kind: &str| -> rusqlite::Result<u64> {
        conn.query_row("SELECT count(*) FROM launch WHERE campaign = ?1 AND kind = ?2", params![id, kind], |row| {
            row.get::<_, i64>(0).map(uint)
        })
    };
    Ok(CampaignContents {
        campaign: id,
        name: parse(id, &spec).map(|campaign| campaign.name).unwrap_or_default(),
        versions: count("campaign_version")?,
        scheduled_runs: count("schedule_run")?,
        scored: count("score")?,
        saved_selections: count("named_selection")?,
        crawls: of_kind("crawl")?,
        imports: of_kind("import")?,
        captures: count("capture c JOIN launch l ON l.id = c.launch")?,
        collections: count("collection")?,
    })
}
