//! Patches: small launches into a campaign that fetch resources which its captures lack. A patch has a list of its
//! own in the place of the seeds; like a trial it is kept or discarded as a whole.

use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::rows::{CampaignId, LaunchId, LaunchRow};
use crate::uri::CaptureDate;
use rusqlite::{Connection, params};

/// SQL: whether launch `l` is a patch.
macro_rules! is_patch_sql {
    () => {
        "EXISTS (SELECT 1 FROM patch_url WHERE patch_url.launch = l.id)"
    };
}
pub(in crate::store) use is_patch_sql;

impl Catalogue {
    /// Begins a patch of a campaign that fetches these URLs.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be written.
    pub fn begin_patch(
        &self,
        campaign: CampaignId,
        job: &str,
        now: CaptureDate,
        urls: &[String],
    ) -> Result<LaunchRow, StoreError> {
        let urls = urls.to_vec();
        let most = i64::try_from(urls.len()).unwrap_or(i64::MAX);
        self.begin(campaign, job, now, Some(most), move |conn, launch| keep_list(conn, launch, &urls))
    }

    /// The URLs that a patch was made for, in order; none of another launch.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn patch_urls(&self, launch: LaunchId) -> Result<Vec<String>, StoreError> {
        self.rows("SELECT url FROM patch_url WHERE launch = ?1 ORDER BY position", [launch], |row| row.get(0))
    }

    /// The last patch of a campaign that did not come to its end.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn unfinished_patch(&self, campaign: CampaignId) -> Result<Option<LaunchRow>, StoreError> {
        let id: Option<LaunchId> = self.row_if_any(
            concat!(
                "SELECT l.id FROM launch l WHERE l.campaign = ?1 AND l.state = 'stopped' AND ",
                is_patch_sql!(),
                " ORDER BY l.id DESC LIMIT 1"
            ),
            [campaign],
            |row| row.get(0),
        )?;
        id.map(|id| self.launch(id)).transpose()
    }
}

fn keep_list(conn: &Connection, launch: LaunchId, urls: &[String]) -> Result<(), StoreError> {
    let mut statement = conn.prepare_cached("INSERT INTO patch_url (launch, position, url) VALUES (?1, ?2, ?3)")?;
    for (position, url) in (0_i64..).zip(urls) {
        statement.execute(params![launch, position, url])?;
    }
    Ok(())
}
