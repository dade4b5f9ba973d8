//! The crawls of a workspace as a list: what ran, for which version of which campaign, and how it ended.

use crate::store::{ABANDONED, HostRelevantShare, RelevantShare};
use crate::work::Session;
use crate::work::models::{CampaignId, LaunchRow, LaunchState};
use serde::Serialize;

/// A crawl with the version of its campaign.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedLaunch {
    /// The crawl and its figures.
    #[serde(flatten)]
    pub row: LaunchRow,
    /// Version of its campaign; of a crawl that was resumed with another one the last.
    pub version: u32,
    /// Its state as text.
    pub outcome: String,
    /// The share of relevant pages among the last that it fetched, where it went by relevance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevant: Option<LaunchRelevance>,
}

/// The share of relevant pages among the last that a launch fetched.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LaunchRelevance {
    /// In all.
    #[serde(flatten)]
    pub share: RelevantShare,
    /// By host, those with the most relevant pages first.
    pub hosts: Vec<HostRelevantShare>,
}

/// Every crawl of a campaign, or of all, oldest first. One that was killed is
/// stopped, also while nobody who may write has noted so.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub fn launches(session: &Session, campaign: Option<CampaignId>) -> anyhow::Result<Vec<ListedLaunch>> {
    let catalogue = session.catalogue();
    let is_written = session.workspace.is_written();
    let mut launches = Vec::new();
    for mut row in catalogue.launches(campaign)? {
        if matches!(row.state, LaunchState::Running | LaunchState::Paused) && !is_written {
            row.state = LaunchState::Stopped;
            ABANDONED.clone_into(&mut row.why);
        }
        let version = catalogue.launch_version(row.id)?;
        let outcome = row.label();
        let relevant = catalogue.relevant_share(row.id)?.map(|(share, hosts)| LaunchRelevance { share, hosts });
        launches.push(ListedLaunch { row, version, outcome, relevant });
    }
    Ok(launches)
}
