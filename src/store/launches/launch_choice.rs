//! Questions about launches and what they have seen, and the pages that answer them.

use super::hop_paths::hop_count_sql;
use crate::store::catalogue::sort_keys::SortKey;
use crate::store::rows::{CampaignId, LaunchId, LaunchState, ProspectRow, SeenRow};
use crate::uri::CaptureDate;

/// The launches of a campaign that a query covers.
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
    /// The launches among its own.
    pub launches: Launches,
    /// `queued`, `refused`, `fetched` or `failed`; anything else means all.
    pub state: &'static str,
    /// The filter line.
    pub filter: String,
    /// Columns to sort by; then rows come as they were seen, waiting ones as
    /// they are queued.
    pub sort: Vec<SortKey>,
    /// Rows to skip.
    pub offset: u64,
    /// Rows at most.
    pub limit: u64,
}

impl SeenQuery {
    /// A query for all URLs that one launch has seen in a state.
    pub fn of_launch(launch: LaunchId, state: &'static str) -> Self {
        let launches = Launches::One(launch);
        Self { campaign: None, launches, state, filter: String::new(), sort: Vec::new(), offset: 0, limit: u64::MAX }
    }

    /// The SQL that sorts by a column; none where the catalogue cannot.
    pub fn column_sql(column: &str) -> Option<&'static str> {
        Some(match column {
            "url" => "u.url",
            "outcome" => "outcome_of(s.state, s.rule_index, s.rule_name, s.fetch_status, s.why)",
            "rule" => "rule_label(s.rule_name)",
            "hops" => hop_count_sql!("s.hops"),
            "anchor" => "s.anchor",
            "via" => "v.url",
            "seen" => "s.date_ms",
            _ => return None,
        })
    }
}

/// A part of the URLs that launches have seen.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SeenPage {
    /// The rows, from the offset of the question on.
    pub rows: Vec<SeenRow>,
    /// Rows that match altogether.
    pub total: u64,
    /// The error of the filter line.
    pub filter_problem: Option<String>,
}

/// A question about pages that are cited but were never captured.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ProspectQuery {
    /// Campaign whose last crawl counts; any when none is named.
    pub campaign: Option<CampaignId>,
    /// The filter line.
    pub filter: String,
    /// Columns to sort by; then the most cited come first.
    pub sort: Vec<SortKey>,
    /// Rows to skip.
    pub offset: u64,
    /// Rows at most.
    pub limit: u64,
}

impl ProspectQuery {
    /// These rows, the most cited first.
    pub fn new(campaign: Option<CampaignId>, filter: &str, offset: u64, limit: u64) -> Self {
        Self { campaign, filter: filter.to_owned(), sort: Vec::new(), offset, limit }
    }

    /// The SQL that sorts `cited t` by a column; none where the catalogue cannot.
    pub fn column_sql(column: &str) -> Option<&'static str> {
        Some(match column {
            "citing_hosts" => "t.hosts",
            "links" => "t.internal + t.external",
            "first" => "t.first_s",
            "last" => "t.last_s",
            "anchor" => "t.anchor",
            "url" => "t.url_text",
            _ => return None,
        })
    }
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
    /// The error of the filter line.
    pub filter_problem: Option<String>,
}
