//! A copy of the catalogue, made while others may write it.

use super::error::StoreError;
use super::untrusted::{connect, foreign_text};
use super::{Catalogue, STEPS_PER_CHECK};
use crate::campaign::Campaign;
use crate::jobs::JobCx;
use crate::store::rows::CampaignId;
use rusqlite::OpenFlags;
use rusqlite::backup::{Backup, StepResult};
use std::path::Path;
use std::time::Duration;

/// Pages copied at once: between two such steps a copy can be cancelled.
const STEP_PAGES: i32 = 2048;
/// The time that a copy waits where another process holds the catalogue.
const BUSY_WAIT: Duration = Duration::from_millis(50);

impl Catalogue {
    /// Copies the catalogue as of now into a new file, and checks the copy:
    /// its pages, and each of its texts.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read, no room, a copy that is not sound, or `Cancelled`.
    pub fn back_up(&self, to: &Path, cx: &JobCx) -> Result<(), StoreError> {
        self.read(|conn| {
            // What others commit meanwhile would make the copy begin again.
            let snapshot = conn.unchecked_transaction()?;
            snapshot.query_row("SELECT count(*) FROM campaign", [], |_| Ok(()))?;
            let mut copy = connect(to, OpenFlags::default()).map_err(StoreError::sql("make the copy"))?;
            {
                let mut is_begun = false;
                let backup = Backup::new(&snapshot, &mut copy).map_err(StoreError::sql("be copied"))?;
                loop {
                    let step = backup.step(STEP_PAGES).map_err(StoreError::sql("be copied"))?;
                    let progress = backup.progress();
                    let count = |pages: i32| u64::try_from(pages).unwrap_or(0);
                    if !is_begun {
                        cx.stage("Copying the catalogue", Some(count(progress.pagecount)));
                        is_begun = true;
                    }
                    cx.set_done(count(progress.pagecount - progress.remaining));
                    cx.checkpoint()?;
                    match step {
                        StepResult::Done => break,
                        StepResult::More => {}
                        _ => std::thread::sleep(BUSY_WAIT),
                    }
                }
            }
            // One file, without a log beside it.
            copy.pragma_update(None, "journal_mode", "DELETE").map_err(StoreError::sql("finish the copy"))?;
            cx.stage("Checking the copy", None);
            let watch = cx.clone();
            copy.progress_handler(STEPS_PER_CHECK, Some(move || watch.is_cancelled()))?;
            let found = copy.query_row("PRAGMA integrity_check(1)", [], |row| row.get::<_, String>(0));
            copy.progress_handler(0, None::<fn() -> bool>)?;
            cx.checkpoint()?;
            let found = found.map_err(StoreError::sql("check the copy"))?;
            if found != "ok" {
                // The last line has the message; the line before names the database.
                return Err(self.damaged(found.lines().last().unwrap_or_default()));
            }
            if let Some(where_it_is) = foreign_text(&copy, cx)? {
                return Err(self.damaged(&where_it_is));
            }
            copy.close().map_err(|(_, source)| StoreError::Sql { doing: "finish the copy", source })
        })
    }

    /// Every version of a campaign that can be read, oldest first.
    pub fn campaign_versions(&self, id: CampaignId) -> Result<Vec<(u32, Campaign)>, StoreError> {
        self.read(|conn| {
            let mut statement =
                conn.prepare_cached("SELECT version, spec FROM campaign_version WHERE campaign = ?1 ORDER BY version")?;
            let rows = statement.query_map([id], |row| Ok((row.get(0)?, row.get::<_, String>(1)?)))?;
            let mut versions = Vec::new();
            for row in rows {
                let (version, spec) = row?;
                // One of a newer program stays in the catalogue alone.
                versions.extend(serde_json::from_str(&spec).ok().map(|campaign| (version, campaign)));
            }
            Ok(versions)
        })
    }
}
