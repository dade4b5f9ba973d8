//! Questions about launches and what they have seen, and the pages that answer them.

use super::rows::{CampaignId, LaunchId, LaunchState, ProspectRow, SeenRow};
use crate::uri::CaptureDate;

/// Which launches of a campaign a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Launches {
    /// The running or last one.
    #[default]
    Last,
    /// All of them together.
    All,
    /// One of them.
    One(LaunchId),
}

/// A launch to choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchChoice {
    /// Its number.
    pub id: LaunchId,
    /// When it began.
    pub started: CaptureDate,
    /// Its state.
    pub state: LaunchState,
}

/// A question about URLs that launches have seen.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SeenQuery {
    /// Campaign; all when none is named.
    pub campaign: Option<CampaignId>,
    /// Which of its launches.
    pub launches: Launches,
    /// `queued`, `refused`, `fetched` or `failed`; anything else means all.
    pub state: &'static str,
    /// The filter line.
    pub filter: String,
    /// Rows to skip.
    pub offset: u64,
    /// Rows at most.
    pub limit: u64,
}

impl SeenQuery {
    /// All that one launch has seen in a state.
    pub fn of_launch(launch: LaunchId, state: &'static str) -> Self {
        let launches = Launches::One(launch);
        Self { campaign: None, launches, state, filter: String::new(), offset: 0, limit: u64::MAX }
    }
}

/// A part of the URLs that launches have seen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SeenPage {
    /// The rows, from the offset of the question on.
    pub rows: Vec<SeenRow>,
    /// Rows that match altogether.
    pub total: u64,
    /// What is wrong with the filter line.
    pub filter_problem: Option<String>,
}

/// A part of the pages that are cited but were never captured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProspectPage {
    /// The rows, from the offset of the question on.
    pub rows: Vec<ProspectRow>,
    /// Pages that match altogether.
    pub total: u64,
    /// Further pages, less cited, of which only the number was kept.
    pub unlisted: u64,
    /// What is wrong with the filter line.
    pub filter_problem: Option<String>,
}
