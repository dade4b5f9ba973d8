//! Builds inlinks of everything captured.

use super::inlink_rows::{remove_kept_runs, sorted_rows};
use super::outlink_gaps::fill_outlink_gaps;
use super::repeats::read_repeats;
use crate::inlinks::invert::{LinkRow, ShuffleReport, TargetCapture};
use crate::inlinks::stored::{CountTotals, LinkStore};
use crate::inlinks::{LinkError, MAX_INLINKS_PER_SIDE};
use crate::jobs::{JobCx, counted};
use crate::links::LinkKind;
use crate::store::{
    Access, BUILD_FORMAT_VERSION, Captures, InlinkFeed, PROSPECTS_KEPT, PageFeed, StoreError, Workspace,
};
use crate::uri::{CaptureDate, Fqdn, InternalPolicy, Url};
use crate::work::Report;
use crate::work::models::CaptureId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The outcome of a build.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct InlinkReport {
    /// Captures of pages that were taken in.
    pub new_captures: u64,
    /// Outlinks of theirs.
    pub links_seen: u64,
    /// Those that repeat another of them exactly (target, source, date, anchor).
    pub duplicates: u64,
    /// Inlinks kept.
    pub inlinks: u64,
    /// Of these, those of the same site.
    pub internal: u64,
    /// Of these, those of other sites.
    pub external: u64,
    /// Pages that are linked to.
    pub targets: u64,
    /// Those that were never captured.
    pub uncaptured: u64,
    /// Captures with inlinks in the window.
    pub captures_with_inlinks: u64,
    /// Inlinks over the limit of a page in that window, of each capture: kept, and not listed with it.
    pub cut: u64,
    /// Captures of pages that were not read whole, and revisits of those: links of theirs may be missing.
    pub unread: u64,
    /// Why, in words, with how many pages; those too whose links are all there and some words of them not.
    pub unread_reasons: BTreeMap<String, u64>,
    /// Days of the window that the columns use.
    pub window_days: u32,
    /// Sorted runs that went to disk.
    pub runs: u64,
    /// Revisits of other URLs whose links are not in: what they repeat cannot be read again.
    pub repeats_unread: u64,
    /// Revisits of what was never captured or imported, as far as it may have been a page.
    pub originals_missing: u64,
    /// Why all links were taken in again by itself; empty where they were not.
    pub rebuilt: String,
}

impl InlinkReport {
    fn with(self, totals: &CountTotals) -> Self {
        Self {
            inlinks: totals.internal + totals.external,
            internal: totals.internal,
            external: totals.external,
            targets: totals.targets,
            uncaptured: totals.uncaptured,
            captures_with_inlinks: totals.captures_with_inlinks,
            cut: totals.cut,
            ..self
        }
    }

    /// Whether links of some capture may be missing.
    pub fn loses_links(&self) -> bool {
        self.unread > 0 || self.repeats_unread > 0 || self.originals_missing > 0
    }
}

impl Report for InlinkReport {
    fn summary(&self) -> String {
        let mut text = format!(
            "{} ({} internal, {} external) of {}; {} of {} included, {} skipped; {} never captured, not even as an error or redirect; {} with inlinks within ±{} days",
            counted(self.inlinks, "inlink"),
            self.internal,
            self.external,
            counted(self.targets, "page"),
            counted(self.links_seen, "link"),
            counted(self.new_captures, "capture"),
            counted(self.duplicates, "exact duplicate"),
            counted(self.uncaptured, "page"),
            counted(self.captures_with_inlinks, "capture"),
            self.window_days
        );
        if self.uncaptured > PROSPECTS_KEPT as u64 {
            text.push_str(&format!("; the {PROSPECTS_KEPT} most cited of these pages are listed"));
        }
        if !self.rebuilt.is_empty() {
            text.push_str(&format!("; built from scratch: {}", self.rebuilt));
        }
        if self.repeats_unread > 0 {
            text.push_str(&format!(
                "; links of {} are missing: their original payload cannot be read",
                counted(self.repeats_unread, "revisit")
            ));
        }
        if self.originals_missing > 0 {
            text.push_str(&format!(
                "; the originals of {} are not in this workspace",
                counted(self.originals_missing, "revisit")
            ));
        }
        if self.cut > 0 {
            text.push_str(&format!(
                "; {} omitted by the limit of {MAX_INLINKS_PER_SIDE} per capture",
                counted(self.cut, "inlink")
            ));
        }
        if self.unread > 0 {
            text.push_str(&format!("; {} not read completely, links may be missing", counted(self.unread, "page")));
        }
        for (why, count) in &self.unread_reasons {
            text.push_str(&format!("; {count} × {why}"));
        }
        text
    }
}

/// Takes the links of captures that came since the last build in among those that are stored, all
/// links where there are none or where it is to be `from_scratch`, and counts them for each
/// capture. What was built before stays until the end. Damaged links are built again by themselves.
///
/// # Errors
///
/// A catalogue or links that cannot be read or written, or `Cancelled`.
pub fn build_inlinks(workspace: &Workspace, from_scratch: bool, cx: &JobCx) -> anyhow::Result<InlinkReport> {
    let found = if from_scratch { None } else { workspace.damage_of_links(cx)? };
    match found {
        Some(why) => Ok(InlinkReport { rebuilt: why, ..build(workspace, true, cx)? }),
        None => build_mended(workspace, from_scratch, cx),
    }
}

/// Builds, and once more from scratch where what was built before turns out damaged.
fn build_mended(workspace: &Workspace, from_scratch: bool, cx: &JobCx) -> anyhow::Result<InlinkReport> {
    match build(workspace, from_scratch, cx) {
        Err(error) if !from_scratch && is_damage(&error) => {
            Ok(InlinkReport { rebuilt: crate::work::error_chain(&error), ..build(workspace, true, cx)? })
        }
        built => built,
    }
}

/// Takes the links of all captures in before they leave. Where the workspace can only be read,
/// returns what is missing instead.
///
/// # Errors
///
/// As [`build_inlinks`].
pub(in crate::work) fn complete_inlinks(workspace: &Workspace, cx: &JobCx) -> anyhow::Result<Option<String>> {
    let Access::ReadOnly(_) = workspace.access() else {
        // Whoever reads all links next meets what is damaged.
        build_mended(workspace, false, cx)?;
        return Ok(None);
    };
    let build = "Build them where the workspace can be written: fonds inlinks build";
    let Some(store) = workspace.built_links()? else {
        return Ok(Some(format!("{}, and none are in the export. {build}", workspace.why_no_links()?)));
    };
    let is_old = store.mark().keys != BUILD_FORMAT_VERSION || workspace.links_are_old()?;
    Ok(is_old.then(|| {
        format!("inlinks are those of the last build, which does not have the newest captures' links. {build}")
    }))
}

/// The reason why the built inlinks are not those of all captures, as long as nobody completes
/// them.
///
/// # Errors
///
/// A catalogue that cannot be read.
pub(in crate::work) fn inlinks_behind(workspace: &Workspace) -> anyhow::Result<Option<String>> {
    if workspace.built_links()?.is_none() {
        return Ok(Some(format!("{}: what lists them is shown without them", workspace.why_no_links()?)));
    }
    let is_behind = workspace.links_are_old()?;
    Ok(is_behind.then(|| "links of captures since the last build of inlinks are not counted yet".to_owned()))
}

fn is_damage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| match (cause.downcast_ref::<LinkError>(), cause.downcast_ref::<StoreError>()) {
        (Some(error), _) | (_, Some(StoreError::Links(error))) => error.is_damage(),
        _ => false,
    })
}

fn build(workspace: &Workspace, from_scratch: bool, cx: &JobCx) -> anyhow::Result<InlinkReport> {
    let catalogue = workspace.catalogue();
    let window_days = catalogue.window_days()?;
    let taken = take_in(workspace, from_scratch, cx)?;
    let pages = catalogue.unread_pages()?;
    let unread = pages.iter().filter(|(why, _)| why.loses_links()).map(|(_, count)| count).sum();
    let unread_reasons = pages.iter().map(|(why, count)| (why.to_string(), *count)).collect();
    let originals_missing = catalogue.count_missing_originals()?;
    let report = InlinkReport { window_days, unread, unread_reasons, originals_missing, ..taken };
    if report.new_captures == 0
        && workspace.counts_are_new(window_days)?
        && let Some((_, last)) = catalogue.inlink_build()?
        // Earlier versions did not keep it.
        && last.get("cut").is_some()
        && let Ok(last) = serde_json::from_value::<InlinkReport>(last)
        && last.window_days == window_days
    {
        return Ok(InlinkReport {
            inlinks: last.inlinks,
            internal: last.internal,
            external: last.external,
            targets: last.targets,
            uncaptured: last.uncaptured,
            captures_with_inlinks: last.captures_with_inlinks,
            cut: last.cut,
            ..report
        });
    }
    let with_totals = |totals: &CountTotals| serde_json::json!(report.clone().with(totals));
    let totals = workspace.keep_build(window_days, with_totals, cx)?;
    Ok(report.with(&totals))
}

/// Sorts links by target and stores them; returns the counts.
fn take_in(workspace: &Workspace, from_scratch: bool, cx: &JobCx) -> anyhow::Result<InlinkReport> {
    let catalogue = workspace.catalogue();
    fill_outlink_gaps(workspace, cx)?;
    let repeats_unread = read_repeats(workspace, None, cx)?;
    let up_to = catalogue.newest_whole_capture()?;
    let is_there = LinkStore::is_in(&workspace.built_folder());
    let mut store = workspace.links_to_build()?;
    let mark = catalogue.mark_of_links(up_to, BUILD_FORMAT_VERSION)?;
    let before = store.mark();
    let since = Captures { after: CaptureId::new(before.captures_up_to), up_to, changed_after: before.read_up_to };
    let goes_on = !from_scratch
        && is_there
        && before.keys == BUILD_FORMAT_VERSION
        && since.after <= up_to
        && !catalogue.is_other_than_of(&before)?
        && !catalogue.lost_links()?
        && catalogue.originals_replaced()? <= before.read_up_to;
    if goes_on && before == mark {
        return Ok(InlinkReport { repeats_unread, ..InlinkReport::default() });
    }
    let of = if goes_on { since } else { Captures { up_to, ..Captures::ALL } };
    remove_kept_runs(workspace);
    let mut sorted = sorted_rows(workspace, of, cx)?;
    let ShuffleReport { links, captures, .. } = sorted.report();
    cx.stage("Inverting outlinks", Some(links + captures));
    let added = if goes_on { store.add(&mut sorted, mark, cx)? } else { store.fill(&mut sorted, mark)? };
    catalogue.links_are_built()?;
    let ShuffleReport { links, runs, .. } = sorted.report();
    Ok(InlinkReport {
        links_seen: links,
        duplicates: links.saturating_sub(added.counts.links),
        new_captures: captures,
        runs,
        repeats_unread,
        ..InlinkReport::default()
    })
}

pub(in crate::work) fn row_of<'a>(
    link: &'a InlinkFeed,
    target: &'a str,
    source: &'a str,
    policy: InternalPolicy,
) -> LinkRow<'a> {
    LinkRow {
        target,
        target_url: &link.target_url,
        source,
        source_url: &link.source_url,
        source_id: link.capture.unsigned_abs(),
        date: whole_seconds(link.date),
        anchor: &link.anchor,
        internal: is_internal(policy, &link.target_url, &link.source_url),
        nofollow: link.nofollow,
        kind: LinkKind::Anchor,
        position: 0,
    }
}

pub(in crate::work) fn capture_of<'a>(page: &PageFeed, key: &'a str) -> TargetCapture<'a> {
    TargetCapture { target: key, date: whole_seconds(page.date), id: page.capture.unsigned_abs() }
}

fn is_internal(policy: InternalPolicy, target: &str, source: &str) -> bool {
    match (Url::parse(target), Url::parse(source)) {
        (Ok(target), Ok(source)) => policy.is_internal(&Fqdn::of(&target), &Fqdn::of(&source)),
        _ => false,
    }
}

/// Inlinks know whole seconds: order and equality go by them.
pub(in crate::work) fn whole_seconds(date: CaptureDate) -> CaptureDate {
    CaptureDate::from_seconds(date.seconds())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "build_tests.rs"]
mod tests;
