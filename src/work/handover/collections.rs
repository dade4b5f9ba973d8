//! Collections that a filter fills: what shall be preserved after each crawl.

use super::select::score_new_captures;
use crate::jobs::{JobCx, counted};
use crate::store::Workspace;
use crate::work::Report;
use crate::work::everything;
use crate::work::models::{CampaignId, CaptureQuery};
use anyhow::Context;
use serde::Serialize;

/// The outcome of filling collections.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CollectionsFilled {
    /// Names, with the captures that are new in each.
    pub filled: Vec<(String, u64)>,
}

impl Report for CollectionsFilled {
    fn summary(&self) -> String {
        match self.filled.as_slice() {
            [] => "no collection has a filter".to_owned(),
            filled => filled
                .iter()
                .map(|(name, captures)| format!("{} into “{name}”", counted(*captures, "capture")))
                .collect::<Vec<_>>()
                .join(", "),
        }
    }
}

/// Asks the filters of collections again, those of a campaign or all, and puts
/// in what they find; what is in stays. Where a selection is kept and captures
/// came since, these are scored first, as that selection scores them; the selection
/// itself stays as a person made it.
///
/// # Errors
///
/// A filter without meaning, a catalogue that cannot be written, or a stop.
pub fn fill_collections(
    workspace: &Workspace,
    of: Option<CampaignId>,
    cx: &JobCx,
) -> anyhow::Result<CollectionsFilled> {
    let catalogue = workspace.catalogue();
    let mut report = CollectionsFilled::default();
    let mut scored = Vec::new();
    for collection in catalogue.collections()? {
        let Some(campaign) = collection.campaign.filter(|id| of.is_none_or(|of| of == *id)) else { continue };
        if collection.filter.is_empty() {
            continue;
        }
        if !scored.contains(&campaign) {
            scored.push(campaign);
            score_new_captures(workspace, campaign, cx)?;
        }
        let query = CaptureQuery { campaign: Some(campaign), filter: collection.filter.clone(), ..everything() };
        let found =
            catalogue.capture_ids(&query).with_context(|| format!("the filter of collection “{}”", collection.name))?;
        cx.note(format!("filling “{}”", collection.name));
        let captures = catalogue.collect(&collection.name, found, false, "")?;
        report.filled.push((collection.name, captures));
        cx.checkpoint()?;
    }
    Ok(report)
}
