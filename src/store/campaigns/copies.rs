//! Campaigns that are here already when one is about to be added.

use crate::campaign::CampaignFile;
use crate::store::catalogue::Catalogue;
use crate::store::catalogue::error::StoreError;
use crate::store::rows::CampaignId;
use rusqlite::params;
use serde::Serialize;

/// The agreement of a campaign that is here with one that is about to be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TwinKind {
    /// The same identity: the file was made from it, or it from the file.
    Identity,
    /// A version of it has the same content.
    Content,
    /// The same title.
    Title,
}

impl TwinKind {
    /// The text behind “has”.
    pub fn label(self) -> &'static str {
        match self {
            Self::Identity => "the same identity",
            Self::Content => "the same content",
            Self::Title => "the same title",
        }
    }
}

/// A campaign that may be the one that is about to be added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CampaignTwin {
    /// Its number.
    pub campaign: CampaignId,
    /// Its title.
    pub name: String,
    /// The kind of agreement.
    pub kind: TwinKind,
}

impl Catalogue {
    /// Campaigns that a person may mean who adds one as new: those of its identity, content or
    /// title. None where exactly this version is here under its identity: nothing would be added.
    ///
    /// # Errors
    ///
    /// A catalogue that cannot be read.
    pub fn campaign_twins(&self, file: &CampaignFile) -> Result<Vec<CampaignTwin>, StoreError> {
        let (digest, title) = (file.campaign.digest(), file.campaign.name.trim().to_owned());
        let identity = file.identity;
        self.read(|conn| {
            let mut statement = conn.prepare_cached(
                "SELECT k.id, k.name, ifnull(k.identity = ?1, 0),
                    EXISTS (SELECT 1 FROM campaign_version v WHERE v.campaign = k.id AND v.digest = ?2)
                 FROM campaign k WHERE k.deleted_ms IS NULL ORDER BY k.id",
            )?;
            let mut rows = statement.query(params![identity, digest])?;
            let mut twins = Vec::new();
            while let Some(row) = rows.next()? {
                let (campaign, name): (CampaignId, String) = (row.get(0)?, row.get(1)?);
                let kind = match (row.get(2)?, row.get(3)?) {
                    (true, true) => return Ok(Vec::new()),
                    (true, false) => TwinKind::Identity,
                    (false, true) => TwinKind::Content,
                    // What is given another identity is another campaign, whatever its title.
                    (false, false) if identity.is_none() && name.trim() == title => TwinKind::Title,
                    (false, false) => continue,
                };
                twins.push(CampaignTwin { campaign, name, kind });
            }
            Ok(twins)
        })
    }
}
