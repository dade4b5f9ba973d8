//! The rows that a number counts.

use crate::store::Catalogue;
use crate::work::everything;
use crate::work::models::{CampaignId, CaptureQuery, LaunchId, Launches, ProspectQuery, SeenQuery};
use serde::Serialize;

/// The list of the program that has the rows of a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "list", rename_all = "snake_case")]
pub enum RowList {
    /// Captures of the campaign.
    Captures {
        /// The filter that finds them.
        filter: String,
    },
    /// URLs that a launch has seen.
    Seen {
        /// The launch; all of the campaign without one.
        launch: Option<LaunchId>,
        /// `queued`, `refused`, `fetched` or `failed`; `hosts` is their hosts, and all where it is none of these.
        state: &'static str,
        /// The filter that finds them.
        filter: String,
    },
    /// Pages that are cited and were never captured.
    Prospects {
        /// The filter that finds them.
        filter: String,
    },
    /// Seeds of the specification.
    Seeds,
    /// Terms of the request.
    Terms,
}

impl RowList {
    /// Captures that this filter finds.
    pub fn captures(filter: impl Into<String>) -> Self {
        Self::Captures { filter: filter.into() }
    }

    /// The name of the list for people.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Captures { .. } => "captures",
            Self::Seen { state: "queued", .. } => "queued URLs",
            Self::Seen { state: "refused", .. } => "refused URLs",
            Self::Seen { state: "fetched", .. } => "fetched URLs",
            Self::Seen { state: "failed", .. } => "failed URLs",
            Self::Seen { .. } => "URLs seen",
            Self::Prospects { .. } => "cited pages",
            Self::Seeds => "seeds",
            Self::Terms => "terms of the request",
        }
    }

    /// The filter of the list; empty where it has none.
    pub fn filter(&self) -> &str {
        match self {
            Self::Captures { filter } | Self::Seen { filter, .. } | Self::Prospects { filter } => filter,
            Self::Seeds | Self::Terms => "",
        }
    }
}

/// See [`Session::count_rows`](crate::work::Session::count_rows).
pub(super) fn count_rows(catalogue: &Catalogue, campaign: CampaignId, rows: &RowList) -> anyhow::Result<Option<u64>> {
    Ok(match rows {
        RowList::Captures { filter } => {
            let query = CaptureQuery { filter: filter.clone(), campaign: Some(campaign), ..everything() };
            Some(catalogue.matching_captures(&query)?.count_ones(..) as u64)
        }
        RowList::Seen { launch, state, filter } => {
            let query = SeenQuery {
                campaign: Some(campaign),
                launches: launch.map_or(Launches::All, Launches::One),
                ..seen(state)
            };
            Some(catalogue.seen(&SeenQuery { filter: filter.clone(), ..query })?.total)
        }
        RowList::Prospects { filter } => {
            Some(catalogue.prospects(&ProspectQuery::new(Some(campaign), filter, 0, 0))?.total)
        }
        RowList::Seeds | RowList::Terms => None,
    })
}
/// URLs in a state, without rows: only their number is of interest.
fn seen(state: &'static str) -> SeenQuery {
    SeenQuery {
        campaign: None,
        launches: Launches::Last,
        state,
        filter: String::new(),
        sort: Vec::new(),
        offset: 0,
        limit: 0,
    }
}
