//! One launch of a campaign against another: pages that are new, gone, changed or failing, host by host.

use crate::store::{ChangedPage, HostChanges, LaunchPair, PageChange};
use crate::uri::CaptureDate;
use crate::work::Session;
use crate::work::models::{CampaignId, CaptureId, LaunchId};
use serde::Serialize;

/// One launch against another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LaunchComparison {
    /// The earlier launch: its 14 digits.
    pub before: String,
    /// The later one.
    pub after: String,
    /// The launches by number.
    #[serde(skip)]
    pub pair: LaunchPair,
    /// All that may be compared, with when they began, oldest first.
    #[serde(skip)]
    pub launches: Vec<(LaunchId, CaptureDate)>,
    /// They are the last two of their campaign.
    pub is_last: bool,
    /// Pages that both have with the same answer.
    pub same: u64,
    /// Hosts with pages that differ, those with the most first.
    pub hosts: Vec<HostChanges>,
}

impl LaunchComparison {
    /// The number of pages with a change.
    pub fn count(&self, change: PageChange) -> u64 {
        self.hosts.iter().map(|host| host.count(change)).sum()
    }

    /// The line of a filter that finds the captures of a change, of one host or all.
    pub fn filter(&self, change: PageChange, host: Option<&str>) -> String {
        let line = change.filter((!self.is_last).then_some((&self.before, &self.after)));
        host.map_or(line.clone(), |host| format!("{line} host={}", crate::query::quoted_value(host)))
    }
}

/// Compares two launches of a campaign: the last two that ended where none is named. None where there are no two.
///
/// # Errors
///
/// A launch that is none of the campaign; a catalogue that cannot be read.
pub fn launch_comparison(
    session: &Session,
    campaign: CampaignId,
    before: Option<LaunchId>,
    after: Option<LaunchId>,
) -> anyhow::Result<Option<LaunchComparison>> {
    let catalogue = session.catalogue();
    let Some(pair) = catalogue.launch_pair(campaign, before, after)? else { return Ok(None) };
    let last = catalogue.launch_pair(campaign, None, None)?;
    Ok(Some(LaunchComparison {
        before: catalogue.launch_name(pair.before)?,
        after: catalogue.launch_name(pair.after)?,
        pair,
        launches: catalogue.compared_launches(campaign)?,
        is_last: last == Some(pair),
        same: catalogue.launch_changes(pair)?.same,
        hosts: catalogue.changes_by_host(pair)?,
    }))
}

/// A page that differs between two launches, as it is listed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedChange {
    /// Its URL.
    pub url: String,
    /// Its host.
    pub host: String,
    /// What says most of it: a page that is gone or failing is a changed one, too, where it answered.
    pub change: PageChange,
    /// All that holds.
    pub changes: Vec<PageChange>,
    /// When it was captured before.
    pub before_date: Option<CaptureDate>,
    /// Its HTTP status then.
    pub before_status: Option<i32>,
    /// Its capture then.
    pub before_capture: Option<CaptureId>,
    /// When it was captured after.
    pub after_date: Option<CaptureDate>,
    /// Its HTTP status then.
    pub after_status: Option<i32>,
    /// Its capture then.
    pub after_capture: Option<CaptureId>,
    /// What became of its URL in the later launch, where that has no capture of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
}

/// The pages that differ between two launches, in the order of host and URL.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub fn listed_changes(session: &Session, pair: LaunchPair) -> anyhow::Result<Vec<ListedChange>> {
    let pages = session.catalogue().changed_pages(pair)?;
    let listed = pages.into_iter().filter_map(|ChangedPage { url, host, difference, outcome }| {
        let (before, after) = (difference.before.as_ref(), difference.after.as_ref());
        Some(ListedChange {
            url,
            host,
            change: difference.changes.first().copied()?,
            before_date: before.map(|answer| CaptureDate::from_millis(answer.date_ms)),
            before_status: before.map(|answer| answer.status),
            before_capture: before.map(|answer| answer.capture),
            after_date: after.map(|answer| CaptureDate::from_millis(answer.date_ms)),
            after_status: after.map(|answer| answer.status),
            after_capture: after.map(|answer| answer.capture),
            changes: difference.changes,
            outcome,
        })
    });
    Ok(listed.collect())
}
